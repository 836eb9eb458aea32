"""``olmsolve resolve``: the plan of a request, or why it has none."""

from __future__ import annotations

import argparse
from typing import Final

import olmsolve
from olmsolve.cli import explanations
from olmsolve.cli.options import add_output, add_request, add_search
from olmsolve.cli.request import refuse_search_settings, request_of
from olmsolve.cli.resolving import resolved

DESCRIPTION: Final = """\
Resolve a request: print what is to be installed, or why nothing can be.

The request is a document (JSON or YAML, described in docs/documents.md; docs/v1.md for the
extensions and objects of OLM v1), or it is made of
--catalog, --subscribe and --installed, or of a cluster's own objects (docs/cluster.md)."""

EXAMPLES: Final = """\
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request, the search, and the forms of the answer and of its explanation."""
    add_request(parser)
    add_search(parser)
    add_output(parser)
    parser.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help="write why the request fails, if it does, to FILE as well: text, markdown, json, mermaid or html; html"
        " shows a plan, too (example: html=answer.html)",
    )


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, print the answer, and return the exit code."""
    targets = [explanations.form_and_file(text) for text in options.explain]
    if options.cluster and options.all_namespaces:
        if targets:
            options.refuse("--explain is for one namespace: --namespace says which")
        from olmsolve.cli.every_namespace import resolve_all

        return resolve_all(options)
    request = request_of(options)
    if not isinstance(request, olmsolve.Request):
        refuse_search_settings(options)
    try:
        answer = resolved(request, options)
    except olmsolve.CatalogError as error:
        # A fault in a catalog is bad input; the request that failed on it can still be explained.
        if isinstance(error.__cause__, olmsolve.ResolutionFailure):
            explanations.write_explanation(error, targets, options.timeout)
        raise
    answer.show(options.output)
    if isinstance(answer.outcome, olmsolve.ResolutionFailure):
        explanations.write_explanation(answer.outcome, targets, options.timeout)
    elif answer.is_classic:
        explanations.write_plan(answer.outcome, targets)
    return answer.code
