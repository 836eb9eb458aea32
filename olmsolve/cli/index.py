"""``olmsolve index``."""

from __future__ import annotations

import argparse
import sys

from olmsolve.catalog.index_files import write_index
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import write

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write the index of the catalog that *options* name, say where it is, and return the exit code."""
    with Progress(sys.stderr) as progress:
        file = write_index(options.catalog, options.output, progress=progress.reporter(options.catalog))
    write(str(file))
    return Exit.PLAN
