"""The arguments of ``olmsolve explain``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.request_options import add_request, add_resolving
from olmsolve.cli.root import add_command

__all__ = ["add_explain"]

_EXPLAIN: Final = """\
Say why a request cannot be satisfied: every independent conflict as a tree of facts, and changes to the request
that give it a plan, each resolved again (docs/explain.md)."""

_EXAMPLES: Final = """\
examples:
  olmsolve explain request.yaml
  olmsolve explain request.yaml --output markdown
  olmsolve explain request.yaml --known partners=catalogs/partners

exit codes:
  0  there is a plan, so nothing to explain
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument
  3  no answer within --timeout"""


def add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "explain", "why a request cannot be satisfied, and what would have to change", _EXPLAIN, _EXAMPLES
    )
    command.set_defaults(command="explain", refuse=command.error)
    add_request(command)
    add_resolving(command)
    command.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="NAME=PATH[:PRIORITY]",
        help="a catalog that could be added to the cluster (example: partners=catalogs/partners)",
    )
    command.add_argument(
        "--fixes", type=_count, default=5, metavar="N", help="the most ways out to look for (default: 5; 0 for none)"
    )
    command.add_argument(
        "--tries",
        type=_count,
        default=100,
        metavar="N",
        help="the most changed requests to resolve in search of them (default: 100)",
    )
    command.add_argument(
        "-o",
        "--output",
        choices=("text", "markdown", "json", "mermaid", "html"),
        default="text",
        help="the form of the explanation (default: text)",
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"not a number from 0 to 999999: {text!r}")
    return int(text)
