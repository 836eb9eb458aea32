"""``olmsolve backends``: the SAT solvers that can answer requests, and what each can do."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output
from olmsolve.cli.streams import show

DESCRIPTION: Final = """\
List the backends that --backend takes, those of other packages included, and what each can do. All of them give
the same answers (docs/backends.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve backends
  olmsolve backends cadical195 --output json

exit codes:
  0  the backends
  2  bad input: there is no such backend, or it cannot be loaded"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the names and the form of the answer."""
    parser.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="BACKEND",
        help="list this backend alone; can be repeated (default: all)",
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print the backends that *options* name, and return the exit code."""
    from olmsolve.solver.backends import find

    found = tuple(map(find, options.names)) or olmsolve.backends()
    show(options.output, text=partial(render.backends_text, found), data=lambda: _document(found))
    return Exit.PLAN


def _document(found: tuple[olmsolve.Backend, ...]) -> dict[str, Any]:
    from olmsolve.cli.documents import BackendList

    return BackendList(found).to_dict()
