"""The arguments of ``olmsolve resolve``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.request_options import add_request, add_resolving
from olmsolve.cli.root import add_command, add_output

__all__ = ["add_resolve"]

_RESOLVE: Final = """\
Resolve a request: print what is to be installed, or why nothing can be.

The request is a document (JSON or YAML, described in docs/documents.md; docs/v1.md for the
extensions and objects of OLM v1), or it is made of
--catalog, --subscribe and --installed, or of a cluster's own objects (docs/cluster.md)."""

_RESOLVE_EXAMPLES: Final = """\
examples:
  olmsolve resolve request.yaml
  olmsolve resolve --output json - < request.json
  olmsolve resolve --catalog community=catalogs/community:10 --catalog mine=index.yaml \\
                   --subscribe storefront@stable --installed keyring.v1.0.2
  olmsolve resolve --cluster cluster.yaml --namespace shop --catalog olm/community=catalogs/community

exit codes:
  0  a plan
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument
  3  no answer within --timeout"""


def add_resolve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "resolve", "what is to be installed for a request, or why nothing can be", _RESOLVE, _RESOLVE_EXAMPLES
    )
    command.set_defaults(command="resolve", refuse=command.error)
    add_request(command)
    add_resolving(command)
    add_output(command, "--output")
    command.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help="write why the request fails, if it does, to FILE as well: text, markdown, json, mermaid or html; html"
        " shows a plan, too (example: html=answer.html)",
    )
