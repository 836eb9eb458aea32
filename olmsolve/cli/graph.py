"""``olmsolve graph``."""

from __future__ import annotations

import argparse
import sys

from olmsolve import fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import write
from olmsolve.render import mermaid

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the update graphs of the catalog that *options* name, and return the exit code."""
    with Progress(sys.stderr) as progress:
        catalog = fbc.load(options.catalog, progress=progress.reporter(options.catalog))
    drawn = mermaid.graph(
        catalog, minimum_edge=options.minimum_edge, package=options.package, v0_semantics=options.v0_semantics
    )
    write(drawn.rstrip("\n"))
    return Exit.PLAN
