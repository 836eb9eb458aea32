"""``olmsolve diff``: what changes between the plans of two requests."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_semantics
from olmsolve.cli.request import read_document
from olmsolve.cli.streams import show

DESCRIPTION: Final = """\
Compare what two requests leave on the cluster: what is gained, lost and changed when a catalog, a subscription or a
priority is another. With --compare-semantics, one request as documented and as the controller decides (docs/why.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve diff today.yaml tomorrow.yaml
  olmsolve diff request.yaml --compare-semantics

exit codes:
  0  nothing differs
  1  something does
  2  bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the requests, and the semantics for both."""
    parser.add_argument("document", metavar="REQUEST", help='a request document, "-" for stdin')
    parser.add_argument("other", metavar="OTHER", nargs="?", help="another request document")
    parser.add_argument(
        "--compare-semantics",
        dest="semantics_compared",
        action="store_true",
        help="compare documented and controller semantics of one request",
    )
    add_semantics(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Compare the answers to the requests of *options*, and return 0 where nothing differs, else 1."""
    if (options.other is None) == (not options.semantics_compared):
        options.refuse("give a second request, or --compare-semantics")
    request = _read(options.document)
    if options.other is None:
        difference = olmsolve.compare_semantics(request)
        names = "under documented semantics", "under controller semantics"
    else:
        difference = olmsolve.diff(request, _read(options.other), semantics=options.semantics)
        names = f"for {options.document}", f"for {options.other}"
    show(options.output, text=partial(render.plan_diff_text, difference, names=names), data=difference.to_dict)
    return Exit.UNSATISFIABLE if difference else Exit.PLAN


def _read(document: str) -> olmsolve.Request:
    request = read_document(document)
    if not isinstance(request, olmsolve.Request):
        raise olmsolve.RequestError("is for OLM v1, and plans of subscriptions are compared", source=document)
    return request
