"""The arguments of ``olmsolve validate``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_validate"]

_VALIDATE: Final = """\
Say whether a catalog is valid, with the verdict of "opm validate", and everything that is wrong with it at once, each
with its place and a hint (docs/validate.md)."""

_ADVICE: Final = """\
What opm accepts and people should know is reported after the verdict, as warnings and notes: upgrades that strand,
requirements that nothing meets, APIs with several owners and more."""

_ONLY: Final = "of warnings and notes, report those of this code alone; can be repeated (example: requirement-unmet)"
_IGNORE: Final = "leave out warnings and notes of this code; can be repeated"

_EXAMPLES: Final = """\
examples:
  olmsolve validate catalogs/community
  olmsolve validate index.yaml --output json
  olmsolve validate catalogs/community --output sarif > validate.sarif
  olmsolve validate catalogs/community --level warning --ignore requirement-unmet --strict

exit codes:
  0  the catalog is valid
  1  it is not, or with --strict there is a warning
  2  bad input: there is nothing at the path, or an argument is wrong"""


def add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "validate", "whether a catalog is valid, and everything that is wrong with it", _VALIDATE, _EXAMPLES
    )
    command.set_defaults(command="validate", refuse=command.error)
    command.add_argument("catalog", metavar="CATALOG", help='a folder, a file or an archive, "-" for stdin')
    command.add_argument(
        "--output",
        choices=("text", "json", "junit", "sarif", "github"),
        default="text",
        help="the form of the report: text, JSON, JUnit XML, SARIF, or annotations of GitHub Actions (default: text)",
    )
    advice = command.add_argument_group("beyond the verdict", _ADVICE)
    advice.add_argument(
        "--level",
        choices=("error", "warning", "note"),
        default="note",
        help="the least severity to report (default: note, which is everything)",
    )
    advice.add_argument("--only", action="append", default=[], metavar="CODE", help=_ONLY)
    advice.add_argument("--ignore", dest="ignored", action="append", default=[], metavar="CODE", help=_IGNORE)
    advice.add_argument("--strict", action="store_true", help="exit with 1 for a reported warning too")
