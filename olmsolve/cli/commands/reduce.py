"""``olmsolve reduce``: the smallest request that still shows the same."""

from __future__ import annotations

import argparse
from typing import Final

import olmsolve
from olmsolve._limits import current
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.output import Exit, complain, write, write_data
from olmsolve.cli.situation import only_question

DESCRIPTION: Final = """\
Write the smallest request that still shows the same, with its catalogs, as one document that olmsolve resolve
reads: for a bug report, or to see a conflict without its surroundings (docs/reduce.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve reduce unsatisfiable.yaml > small.yaml
  olmsolve reduce unsatisfiable.yaml --keep outcome --anonymise
  olmsolve reduce --cluster cluster.yaml \\
                  --catalog olm/orchard=catalogs/orchard \\
                  --catalog olm/commons=catalogs/commons --namespace shop

exit codes:
  0  the document is written
  2  bad input: a catalog, a request or an argument
  3  the time ran out: the document shows the same, and may not be the smallest"""

_KEPT: Final = ("core", "outcome", "difference")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, what is kept, and where the document goes."""
    add_situation(parser)
    parser.add_argument(
        "--keep",
        choices=_KEPT,
        default=_KEPT[0],
        help="what the smaller request must still show: the same reasons, or of a plan the same bundles (core); a plan"
        " or a failure as before (outcome); the same difference between the two semantics (difference)"
        " (default: core)",
    )
    parser.add_argument(
        "--anonymise",
        action="store_true",
        help="rename packages, APIs, labels, bundles and all other names, consistently and in the same order",
    )
    # A reduction that is cut off is an answer, too, so it keeps what is left of the limit itself.
    parser.set_defaults(keeps_timeout=True)
    add_output(parser, "yaml", "json", shown="the form of the document")


def run(options: argparse.Namespace) -> int:
    """Reduce the request of *options*, write the document, and return the exit code."""
    # A reducer needs resolvers, which help does not.
    from olmsolve.answers.reducing import KEPT, anonymised, reduction_of, without_eligibility

    with olmsolve.limited(timeout=options.timeout):
        question = only_question(options)
        semantics = question.semantics
        request = question.request()
        keeps = KEPT[options.keep](without_eligibility(request), semantics)
        seconds = current().seconds_left()
    reduction = reduction_of(request, keeps, semantics=semantics, seconds=seconds)
    small = anonymised(reduction.request, semantics) if options.anonymise else reduction.request
    document = olmsolve.requests.request_document(small)
    if not reduction.is_minimal:
        complain("the time ended: there may be smaller requests that show the same")
    if options.output == "yaml":
        write(_heading(small, semantics, reduction.before, reduction.after))
    write_data(document, options.output)
    return Exit.PLAN if reduction.is_minimal else Exit.OUT_OF_BUDGET


def _heading(request: object, semantics: olmsolve.Semantics, before: object, after: object) -> str:
    """Return the comment above the document: what was reduced, and how to resolve the rest."""
    is_classic = isinstance(request, olmsolve.Request)
    option = " --semantics controller" if is_classic and semantics is olmsolve.Semantics.CONTROLLER else ""
    return f"# Reduced by olmsolve from {before}\n# to {after}: olmsolve resolve{option} FILE"
