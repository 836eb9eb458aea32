"""``olmsolve graph``."""

from __future__ import annotations

import argparse
import sys

from olmsolve.catalog import Catalog, Source, fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import write
from olmsolve.errors import CatalogError
from olmsolve.render import update_graph_dot, update_graph_mermaid
from olmsolve.solver.backends import DEFAULT

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the update graphs of the catalog that *options* name, and return the exit code."""
    with Progress(sys.stderr) as progress:
        catalog = fbc.load(options.catalog, progress=progress.reporter(options.catalog))
    chosen = {"minimum_edge": options.minimum_edge, "package": options.package}
    if options.format == "dot":
        drawn = update_graph_dot(catalog, **chosen)
    elif options.format == "html":
        from olmsolve.render import update_graph_html

        if options.package and options.package not in catalog.packages:
            # The texts are empty then, as upstream's are; a page of nothing would only be closed again.
            raise CatalogError("the catalog has no such package", origin=options.catalog, package=options.package)
        dead = _dead(catalog, options.package) if options.audit else None
        drawn = update_graph_html(catalog, **chosen, installed=options.installed, dead=dead)
    else:
        drawn = update_graph_mermaid(catalog, **chosen, v0_semantics=options.v0_semantics)
    write(drawn.rstrip("\n"))
    return Exit.PLAN


def _dead(catalog: Catalog, package: str) -> dict[str, dict[str, str]]:
    """By package, or for *package* alone, the bundles that no request over *catalog* can select, with the reason."""
    from olmsolve.answers.auditing import Auditor, DeadBundle

    auditor = Auditor([Source("catalog", "olm", 0, catalog)], "documented", DEFAULT)
    names = [name for name in catalog.packages if package in ("", name)]
    dead: dict[str, dict[str, str]] = {}
    with Progress(sys.stderr, verb="auditing") as progress:
        report = progress.reporter("packages")
        for number, name in enumerate(names, start=1):
            found = auditor.audit("catalog/olm", name).findings
            dead[name] = {each.bundle: str(each) for each in found if isinstance(each, DeadBundle)}
            if report is not None:
                report(number, len(names))
    return dead
