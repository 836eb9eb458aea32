"""The arguments of ``olmsolve lint``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_lint"]

_LINT: Final = """\
Report what in a catalog is probably not what its authors meant: version ranges that are read otherwise than they
are written or contain nothing, requirements that do not parse, CEL rules that can never match, property types that
are nearly right (docs/lint.md)."""

_EXAMPLES: Final = """\
examples:
  olmsolve lint catalogs/community
  olmsolve lint index.yaml --output json

exit codes:
  0  nothing of severity error
  1  at least one error
  2  bad input: the catalog cannot be read, or an argument is wrong"""


def add_lint(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "lint", "what in a catalog is probably not what its authors meant", _LINT, _EXAMPLES
    )
    command.set_defaults(command="lint")
    command.add_argument("catalog", metavar="CATALOG", help='a folder, a file or an archive, "-" for stdin')
    command.add_argument(
        "--output", choices=("text", "json"), default="text", help="the form of the report (default: text)"
    )
