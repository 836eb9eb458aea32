"""``olmsolve index``: a catalog's index in a file."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from olmsolve.cli.options import add_catalog, add_target
from olmsolve.cli.output import Exit, Progress, write

DESCRIPTION: Final = """\
Write the index of a catalog to a file, so that resolving over the catalog starts without reading it
(docs/index-files.md). Commands find an index next to its catalog by themselves. An index of a catalog that has changed
since is never used."""

EXAMPLES: Final = """\
examples:
  olmsolve index catalogs/orchard
  olmsolve index catalogs/orchard --to orchard.olmindex
  olmsolve index catalogs/orchard --update

exit codes:
  0  the index is written
  2  bad input: the catalog cannot be read, or the file cannot be written"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog and the file."""
    add_catalog(parser, "a folder, a file or an archive")
    add_target(parser, "next to the catalog: CATALOG.olmindex")
    parser.add_argument(
        "--update",
        action="store_true",
        help="update the existing index with the changes since, and say what has changed",
    )


def run(options: argparse.Namespace) -> int:
    """Write the index of the catalog of *options*, print its path, and return the exit code."""
    from olmsolve.catalog.index_files import write_index

    changes: list[str] = []
    with Progress(sys.stderr) as progress:
        report = progress.reporter(options.catalog)
        file = write_index(
            options.catalog, options.to or None, update=options.update, note=changes.append, progress=report
        )
    write(": ".join([str(file), *changes]))
    return Exit.PLAN
