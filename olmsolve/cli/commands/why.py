"""``olmsolve why``: why a bundle is in a plan."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_request, add_search
from olmsolve.cli.request import classic_request_of
from olmsolve.cli.resolving import resolved
from olmsolve.cli.streams import show, write

DESCRIPTION: Final = """\
Say why a bundle is in the plan of a request: who wants it, and why it and nothing that looks better (docs/why.md)."""

EXAMPLES: Final = """\
example:
  olmsolve why request.yaml keyring.v1.0.2

exit codes:
  0  the answer
  1  the request has no plan
  2  bad input; also a bundle that is not in the plan
  3  no answer within --timeout"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request, the bundle, and the search."""
    add_request(parser)
    parser.add_argument("bundle", metavar="BUNDLE", help="a bundle or installed operator of the plan")
    add_search(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, say why the bundle is in the plan, and return the exit code."""
    return answer_about_plan(options, _answer)


def answer_about_plan(
    options: argparse.Namespace, answer: Callable[[olmsolve.Resolution, argparse.Namespace], None]
) -> int:
    """Resolve the request of *options*, let *answer* print something about its plan, and return the exit code.

    Without a plan, the failure is printed as ``resolve`` prints it, and the exit code is the same.
    """
    request = classic_request_of(
        options, "why and why-not are for subscriptions", hint="olmsolve resolve tells the way of OLM v1"
    )
    resolution = resolved(request, options)
    if resolution.code is Exit.PLAN:
        answer(resolution.outcome, options)
    else:
        resolution.show(options.output)
        if options.output == "text":
            write("\nSo there is no plan to ask about; olmsolve explain says what would help.")
    return resolution.code


def _answer(plan: olmsolve.Resolution, options: argparse.Namespace) -> None:
    reasons = olmsolve.why(plan, options.bundle)
    show(options.output, text=partial(render.why_text, reasons), data=reasons.to_dict)
