"""The arguments of ``olmsolve validate``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

__all__ = ["add_validate"]

_VALIDATE: Final = """\
Say whether a catalog is valid, with the verdict of "opm validate", and everything that is wrong with it at once, each
with its place and a hint (docs/validate.md)."""

_EXAMPLES: Final = """\
examples:
  olmsolve validate catalogs/community
  olmsolve validate index.yaml --output json
  olmsolve validate catalogs/community --output sarif > validate.sarif

exit codes:
  0  the catalog is valid
  1  it is not
  2  bad input: there is nothing at the path, or an argument is wrong"""


def add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = commands.add_parser(
        "validate",
        help="whether a catalog is valid, and everything that is wrong with it",
        description=_VALIDATE,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command="validate")
    command.add_argument("catalog", metavar="CATALOG", help='a folder, a file or an archive, "-" for stdin')
    command.add_argument(
        "--output",
        choices=("text", "json", "junit", "sarif", "github"),
        default="text",
        help="the form of the report: text, JSON, JUnit XML, SARIF, or annotations of GitHub Actions (default: text)",
    )
