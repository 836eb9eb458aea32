"""The arguments of ``olmsolve index``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_index"]

_INDEX: Final = """\
Write the index of a catalog to a file, so that resolving over the catalog starts without reading it
(docs/index-files.md). An index beside its catalog is found by itself; one of another content than the catalog
has by then is never used."""

_EXAMPLES: Final = """\
examples:
  olmsolve index catalogs/community
  olmsolve index index.yaml --output cache/index.olmindex

exit codes:
  0  the index is written
  2  bad input: the catalog cannot be read, or the file cannot be written"""


def add_index(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "index", "write a catalog's index to a file, so that resolving starts at once", _INDEX, _EXAMPLES
    )
    command.set_defaults(command="index")
    command.add_argument("catalog", metavar="CATALOG", help="a folder, a file or an archive")
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to write the index (default: beside the catalog, CATALOG.olmindex)",
    )
