"""``olmsolve graph``: the update graphs of a catalog."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve._near_names import did_you_mean, similar_names
from olmsolve.cli.catalogs import load, put_text
from olmsolve.cli.options import add_catalog, add_target
from olmsolve.cli.output import Exit, Progress, complain
from olmsolve.cli.pages import about_page
from olmsolve.cli.parsers import one_of

DESCRIPTION: Final = """\
Draw the update graphs of a catalog: as mermaid text, which many sites and editors show as a picture; in
Graphviz's DOT; or as an HTML page that needs nothing else. Each channel is a box, each update an arrow in it
(docs/graph.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve graph catalogs/orchard --package storefront
  olmsolve graph catalogs/orchard --minimum-edge storefront.v1.4.1 --v0
  olmsolve graph catalogs/orchard --to orchard.dot
  olmsolve graph catalogs/orchard --to orchard.html \\
                 --installed storefront.v1.4.1

exit codes:
  0  the graphs
  2  bad input: the catalog cannot be read or drawn, or an argument is wrong"""


_SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "mermaid": (".mmd", ".mermaid"),
    "dot": (".dot", ".gv"),
    "html": (".html", ".htm"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog, the part of it to draw, and the language of the graphs."""
    add_catalog(parser)
    parser.add_argument("--package", default="", metavar="PACKAGE", help="draw only this package")
    parser.add_argument(
        "--minimum-edge",
        default="",
        metavar="BUNDLE",
        help="draw only this bundle's package, from its version up (example: storefront.v1.4.0)",
    )
    parser.add_argument(
        "--v0",
        dest="v0_semantics",
        action="store_true",
        help="mark what OLM classic steps over: skipped entries, and edges that nothing takes because of that"
        " (mermaid only)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=one_of(tuple(_SUFFIXES)),
        choices=tuple(_SUFFIXES),
        help="the language of the graphs; html is a page (default: mermaid; with --to, what the suffix says)",
    )
    add_target(parser)
    parser.add_argument(
        "--installed",
        default="",
        metavar="BUNDLE",
        help="highlight the way that OLM classic takes from this bundle (html only)",
    )
    parser.add_argument(
        "--no-audit",
        dest="audit",
        action="store_false",
        help="do not look for bundles that no request over this catalog can select (html only)",
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the update graphs of the catalog of *options*, and return the exit code."""
    if options.output is None and not options.to and sys.stdout.isatty():
        complain("the drawing is Mermaid text on standard output; --to graph.html makes a page for a browser")
    suffix = Path(options.to).suffix.lower()
    options.output = options.output or next((form for form, ends in _SUFFIXES.items() if suffix in ends), "mermaid")
    catalog = load(options.catalog, index=False)
    if options.package and options.package not in catalog.packages:
        near = did_you_mean(similar_names(options.package, sorted(catalog.packages)))
        reason = f"the catalog has no such package{f' ({near})' if near else ''}"
        if options.output == "html":
            # Text forms are empty in this case, like upstream's. An empty page would be of no use, so it is an error.
            raise olmsolve.CatalogError(reason, origin=options.catalog, package=options.package)
        # Upstream prints an empty text and no message. The text stays the same, because users compare it with
        # upstream's.
        complain(f"package {options.package}: {reason}")
    drawn_part = {"minimum_edge": options.minimum_edge, "package": options.package}
    if options.output == "dot":
        graph = render.update_graph_dot(catalog, **drawn_part)
    elif options.output == "html":
        dead = _dead_bundles(catalog, options.package) if options.audit else None
        graph = render.update_graph_html(
            catalog, **drawn_part, installed=options.installed, dead=dead, about=about_page(options)
        )
    else:
        graph = render.update_graph_mermaid(catalog, **drawn_part, v0_semantics=options.v0_semantics)
    put_text(graph if graph.endswith("\n") else f"{graph}\n", options.to)
    return Exit.PLAN


def _dead_bundles(catalog: olmsolve.Catalog, package: str) -> dict[str, dict[str, str]]:
    """Map each package (*package* alone, if given) to its bundles that no request can select, with the reasons."""
    from olmsolve.answers.auditing import Auditor, DeadBundle
    from olmsolve.solver.backends import DEFAULT

    auditor = Auditor([olmsolve.Source("catalog", "olm", 0, catalog)], "documented", DEFAULT)
    names = [package] if package else list(catalog.packages)
    dead: dict[str, dict[str, str]] = {}
    with Progress(sys.stderr, verb="auditing") as progress:
        report = progress.reporter("packages")
        for number, name in enumerate(names, start=1):
            findings = auditor.audit("olm/catalog", name).findings
            dead[name] = {finding.bundle: str(finding) for finding in findings if isinstance(finding, DeadBundle)}
            if report is not None:
                report(number, len(names))
    return dead
