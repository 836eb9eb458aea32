"""``olmsolve graph``."""

from __future__ import annotations

import argparse
import sys

from olmsolve import fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import write
from olmsolve.render import dot, mermaid

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the update graphs of the catalog that *options* name, and return the exit code."""
    with Progress(sys.stderr) as progress:
        catalog = fbc.load(options.catalog, progress=progress.reporter(options.catalog))
    chosen = {"minimum_edge": options.minimum_edge, "package": options.package}
    if options.format == "dot":
        drawn = dot.graph(catalog, **chosen)
    else:
        drawn = mermaid.graph(catalog, **chosen, v0_semantics=options.v0_semantics)
    write(drawn.rstrip("\n"))
    return Exit.PLAN
