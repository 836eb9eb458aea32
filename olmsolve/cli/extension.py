"""``olmsolve resolve`` for requests to OLM v1."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from olmsolve import v1
from olmsolve.cli.exits import Exit
from olmsolve.cli.explain_files import explain
from olmsolve.cli.settings import refuse_search_settings
from olmsolve.cli.streams import style, write, write_data
from olmsolve.render import extension_failure_text, extension_text

__all__ = ["run_extension"]


def run_extension(
    request: v1.ExtensionRequest, options: argparse.Namespace, targets: Sequence[tuple[str, Path]] = ()
) -> int:
    """Resolve *request*, print the answer, and return the exit code."""
    refuse_search_settings(options)
    layout = style()
    try:
        document, words, code = v1.resolve(request).to_dict(), extension_text, Exit.PLAN
    except v1.ResolutionError as failed:
        document, words, code = failed.to_dict(), extension_failure_text, Exit.UNSATISFIABLE
        explain(failed, targets)
    if options.output == "text":
        write(words(document, width=layout.width, colour=layout.colour))
    else:
        write_data(document, options.output)
    return code
