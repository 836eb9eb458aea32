"""``olmsolve resolve``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import olmsolve
from olmsolve import fbc
from olmsolve.catalog import Catalog
from olmsolve.classic.request import Request
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import style, write, write_data
from olmsolve.cli.wishes import Wishes
from olmsolve.render import text
from olmsolve.requests import read_request
from olmsolve.resolution import ResolutionFailure

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Resolve what *options* ask for, print the answer, and return the exit code."""
    request = _request(options)
    if not isinstance(request, Request):
        # Whoever asks classic OLM should not wait for OLM v1 to load.
        from olmsolve.cli.extension import run_extension

        return run_extension(request, options)
    settings: dict[str, Any] = {"semantics": options.semantics, "timeout": options.timeout}
    if options.backend is not None:
        settings["backend"] = options.backend
    layout = style()
    try:
        resolution = olmsolve.resolve(request, **settings)
    except ResolutionFailure as failed:
        if options.output == "text":
            write(text.failure(failed, width=layout.width, colour=layout.colour))
        else:
            write_data(failed.to_dict(), options.output)
        return Exit.UNSATISFIABLE
    if options.output == "text":
        write(text.plan(resolution, width=layout.width, colour=layout.colour))
    else:
        write_data(resolution.to_dict(), options.output)
    return Exit.PLAN


def _request(options: argparse.Namespace) -> Request | Any:
    wishes = Wishes(tuple(options.catalogs), tuple(options.subscriptions), tuple(options.installed))
    if options.document is not None and wishes:
        options.refuse("a request document and --catalog, --subscribe or --installed exclude each other")
    if options.document is None and not (wishes.catalogs and wishes.subscriptions):
        options.refuse("a request document is needed, or --catalog and --subscribe")
    with Progress(sys.stderr) as progress:

        def load(path: Path) -> Catalog:
            return fbc.load(path, progress=progress.reporter(str(path)))

        if options.document is None:
            return wishes.request(load)
        source = sys.stdin.buffer if options.document == "-" else options.document
        return read_request(source, load=load)
