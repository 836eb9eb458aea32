"""The arguments of ``olmsolve audit``, and their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_audit"]

_AUDIT: Final = """\
Ask whole catalogs what their users will ask: can the head of each channel be installed, can each older version be
updated until it gets there, and which bundles can nothing select (docs/audit.md)."""

_EXAMPLES: Final = """\
examples:
  olmsolve audit --catalog community=catalogs/community
  olmsolve audit --catalog community=catalogs/community:10 --catalog mine=index.yaml --jobs 4 --output junit
  olmsolve audit --catalog community=catalogs/community --resume audit.jsonl --timeout 60

exit codes:
  0  nothing found
  1  at least one finding
  2  bad input: a catalog, a state file or an argument
  3  not done within --timeout; with --resume, the next run goes on from there"""


def add_audit(commands: argparse._SubParsersAction[argparse.ArgumentParser], seconds: Callable[[str], float]) -> None:
    """Add the command to *commands*; *seconds* reads a time limit."""
    command = add_command(
        commands, "audit", "what in whole catalogs cannot be installed, updated or selected", _AUDIT, _EXAMPLES
    )
    command.set_defaults(command="audit")
    command.add_argument(
        "--catalog",
        dest="catalogs",
        action="append",
        required=True,
        metavar="NAME=PATH[:PRIORITY]",
        help="a catalog: a folder or a file; what its bundles require may come from any of them"
        " (example: community=catalogs/community)",
    )
    command.add_argument(
        "--jobs", type=_jobs, default=1, metavar="N", help="how many processes share the work (default: 1)"
    )
    command.add_argument(
        "--resume",
        metavar="FILE",
        help="note in FILE what is done, and go on from what it says of the same catalogs (example: audit.jsonl)",
    )
    command.add_argument(
        "--semantics",
        choices=("documented", "controller"),
        default="documented",
        help="what all, any and not in constraints are about (default: documented)",
    )
    command.add_argument("--backend", metavar="NAME", help="the SAT solver to use (example: cadical153)")
    command.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="the most time that the audit may take (example: 60)"
    )
    command.add_argument(
        "--output", choices=("text", "json", "junit"), default="text", help="the form of the report (default: text)"
    )


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:5]) <= _MOST_JOBS):
        raise argparse.ArgumentTypeError(f"not a number from 1 to {_MOST_JOBS}: {text!r}")
    return int(text)


_MOST_JOBS: Final = 1024
