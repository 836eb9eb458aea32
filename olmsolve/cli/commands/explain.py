"""``olmsolve explain``: why a request fails, and what would have to change."""

from __future__ import annotations

import argparse
from typing import Final

import olmsolve
from olmsolve.cli import explanations
from olmsolve.cli.catalogs import load
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_request, add_search, whole_number
from olmsolve.cli.request import named_catalog, refuse_search_settings, request_of
from olmsolve.cli.resolving import resolved
from olmsolve.cli.streams import write

DESCRIPTION: Final = """\
Say why a request cannot be satisfied: every independent conflict as a tree of facts, and changes to the request
that give it a plan, each resolved again (docs/explain.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve explain request.yaml
  olmsolve explain request.yaml --output markdown
  olmsolve explain request.yaml --known partners=catalogs/partners

exit codes:
  0  there is a plan, so nothing to explain
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument
  3  no answer within --timeout"""


_MOST: Final = 999_999


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request, the search, and how much to look for."""
    add_request(parser)
    add_search(parser)
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="NAME=PATH[:PRIORITY]",
        help="a catalog that could be added to the cluster (example: partners=catalogs/partners)",
    )
    parser.add_argument(
        "--fixes",
        type=whole_number(0, _MOST),
        default=5,
        metavar="N",
        help="the most ways out to look for (default: 5; 0 for none)",
    )
    parser.add_argument(
        "--tries",
        type=whole_number(0, _MOST),
        default=100,
        metavar="N",
        help="the most changed requests to resolve in search of them (default: 100)",
    )
    add_output(parser, "text", "markdown", "json", "mermaid", "html", shown="the form of the explanation")


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, print why it fails, and return the exit code of ``resolve``."""
    request = request_of(options)
    if not isinstance(request, olmsolve.Request):
        refuse_search_settings(options)
    try:
        answer = resolved(request, options)
    except olmsolve.CatalogError as error:
        # A fault in a catalog is bad input; where it decided a request, the request can still be explained.
        if isinstance(error.__cause__, olmsolve.Unsatisfiable):
            _print(_explanation(error, request, options), options.output)
        raise
    if answer.code is Exit.PLAN:
        _print(olmsolve.Explanation((), ()), options.output)
    else:
        _print(_explanation(answer.outcome, request, options), options.output)
    return answer.code


def _explanation(
    failure: olmsolve.OlmsolveError,
    request: olmsolve.Request | olmsolve.v1.ExtensionRequest,
    options: argparse.Namespace,
) -> olmsolve.Explanation:
    if not isinstance(request, olmsolve.Request):
        return olmsolve.explanation(failure)
    catalogs = _addable_catalogs(options, request.namespaces[-1])
    return olmsolve.explanation(
        failure, catalogs=catalogs, fixes=options.fixes, tries=options.tries, timeout=options.timeout
    )


def _addable_catalogs(options: argparse.Namespace, namespace: str) -> list[olmsolve.Source]:
    """Load the catalogs of ``--known``, as they would be if somebody added them to *namespace*."""
    named = [named_catalog(text, "--known") for text in options.known]
    return [olmsolve.Source(name, namespace, priority, load(path)) for name, path, priority in named]


def _print(explanation: olmsolve.Explanation, form: str) -> None:
    if form == "text":
        write(explanations.on_terminal(explanation))
    else:
        write(explanations.FORMS[form](explanation).rstrip("\n"))
