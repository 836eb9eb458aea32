"""``olmsolve backends``: the SAT solvers that can answer requests, and what each can do."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import add_output
from olmsolve.cli.output import Exit, show

DESCRIPTION: Final = """\
List the backends that --backend takes, those of other packages included, and what each can do. All of them give
the same answers (docs/backends.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve backends
  olmsolve backends cadical195 --output json

exit codes:
  0  the backends
  2  bad input: there is no such backend, or one that was named cannot be loaded (all others are listed)"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the names and the form of the answer."""
    parser.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="BACKEND",
        help="list only this backend; can be repeated (default: all)",
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print the backends that *options* name, and return the exit code."""
    from olmsolve.solver.backends import listed

    named = [backend for name in options.names for backend in listed(name)]
    listing = tuple(named) or olmsolve.backends()
    show(options.output, text=partial(render.backends_text, listing), data=lambda: _document(listing))
    is_usable = {backend.name for backend in named if not backend.missing}.issuperset(options.names)
    return Exit.PLAN if is_usable else Exit.BAD_INPUT


def _document(listing: tuple[olmsolve.Backend, ...]) -> dict[str, Any]:
    from olmsolve.cli.documents import BackendList

    return BackendList(listing).to_dict()
