"""The arguments of ``olmsolve graph``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_graph"]

_GRAPH: Final = """\
Print the update graphs of a catalog as mermaid text, which many sites and editors show as a picture, in
Graphviz's DOT, or as an HTML page that needs nothing else: a box for each channel, and in it an arrow for each
update (docs/graph.md)."""

_EXAMPLES: Final = """\
examples:
  olmsolve graph catalogs/community --package storefront
  olmsolve graph index.yaml --minimum-edge storefront.v1.4.0 --v0
  olmsolve graph index.yaml --format dot | dot -Tsvg > index.svg
  olmsolve graph index.yaml --format html --installed storefront.v1.4.1 > index.html

exit codes:
  0  the graphs
  2  bad input: the catalog cannot be read or drawn, or an argument is wrong"""


def add_graph(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "graph", "the update graphs of a catalog, as mermaid, DOT or an HTML page", _GRAPH, _EXAMPLES
    )
    command.set_defaults(command="graph")
    command.add_argument("catalog", metavar="CATALOG", help='a folder, a file or an archive, "-" for stdin')
    command.add_argument("--package", default="", metavar="PACKAGE", help="draw this package alone")
    command.add_argument(
        "--minimum-edge",
        default="",
        metavar="BUNDLE",
        help="draw only this bundle's package, and there nothing below its version (example: storefront.v1.4.0)",
    )
    command.add_argument(
        "--v0",
        dest="v0_semantics",
        action="store_true",
        help="mark what OLM classic steps over: skipped entries, and edges that nothing takes because of that"
        " (mermaid only)",
    )
    command.add_argument(
        "--format",
        choices=("mermaid", "dot", "html"),
        default="mermaid",
        help="the language of the graphs (default: mermaid)",
    )
    command.add_argument(
        "--installed",
        default="",
        metavar="BUNDLE",
        help="light up the way that OLM classic takes from this bundle (html only)",
    )
    command.add_argument(
        "--no-audit",
        dest="audit",
        action="store_false",
        help="do not look for bundles that no request over this catalog can select (html only)",
    )
