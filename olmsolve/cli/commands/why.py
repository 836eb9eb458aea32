"""``olmsolve why``: why a bundle is in a plan."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer, answer_each
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_search, add_situation
from olmsolve.cli.resolving import ResolveAnswer, resolved

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
    """Declare the situation, the bundle, and the search."""
    add_situation(parser)
    parser.add_argument("bundle", metavar="BUNDLE", help="a bundle or installed operator of the plan")
    add_search(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Resolve the questions of *options*, say why the bundle is in their plans, and return the exit code."""
    return answer_about_plan(options, _reasons)


def answer_about_plan(
    options: argparse.Namespace, reasons: Callable[[olmsolve.Resolution, argparse.Namespace], Answer]
) -> int:
    """Resolve the questions of *options*, print what *reasons* says about each plan, and return the exit code.

    Without a plan, the failure is printed as ``resolve`` prints it, and the exit code is the same.
    """

    def answer(question: olmsolve.requests.Question, situation: olmsolve.Situation) -> Answer:
        request = question.request()
        if not isinstance(request, olmsolve.Request):
            raise olmsolve.RequestError(
                "why and why-not are for subscriptions", hint="olmsolve resolve tells the way of OLM v1"
            )
        found = resolved(request, options, question.semantics)
        if found.code is Exit.PLAN:
            return reasons(found.outcome, options)
        return Answer(found.code, partial(_without_plan, found), found.data)

    return answer_each(options, answer)


def _without_plan(found: ResolveAnswer, *, width: int, colour: bool) -> str:
    failure = found.text(width=width, colour=colour)
    return f"{failure}\n\nSo there is no plan to ask about; olmsolve explain says what would help."


def _reasons(plan: olmsolve.Resolution, options: argparse.Namespace) -> Answer:
    reasons = olmsolve.why(plan, options.bundle)
    return Answer(Exit.PLAN, partial(render.why_text, reasons), reasons.to_dict)
