"""``olmsolve diff``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from olmsolve.answers.questions import compare_semantics, diff
from olmsolve.catalog import Catalog, fbc
from olmsolve.classic import Request
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import style, write, write_data
from olmsolve.errors import RequestError
from olmsolve.render import plan_diff_text
from olmsolve.requests import read_request

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Compare the answers that *options* ask for; returns 0 where nothing differs, else 1."""
    if (options.other is None) == (not options.semantics_compared):
        options.refuse("give a second request, or --compare-semantics")
    request = _read(options.document)
    if options.other is None:
        answer, names = compare_semantics(request), ("under documented semantics", "under controller semantics")
    else:
        answer = diff(request, _read(options.other), semantics=options.semantics)
        names = (f"for {options.document}", f"for {options.other}")
    layout = style()
    if options.output == "text":
        write(plan_diff_text(answer, names=names, width=layout.width, colour=layout.colour))
    else:
        write_data(answer.to_dict(), options.output)
    return Exit.UNSATISFIABLE if answer else Exit.PLAN


def _read(document: str) -> Request:
    with Progress(sys.stderr) as progress:

        def load(path: Path) -> Catalog:
            return fbc.load(path, progress=progress.reporter(str(path)))

        request = read_request(sys.stdin.buffer if document == "-" else document, load=load)
    if not isinstance(request, Request):
        raise RequestError("is for OLM v1, and plans of subscriptions are compared", source=document)
    return request
