"""``olmsolve why``: why a bundle is in a plan."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import olmsolve
from olmsolve import render
from olmsolve._near_names import did_you_mean
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.output import Exit
from olmsolve.cli.resolving import ResolveAnswer, about_plan, answered
from olmsolve.cli.situation import refuse_document_for, situation_of

if TYPE_CHECKING:
    Plan: TypeAlias = olmsolve.Resolution | olmsolve.v1.ExtensionResolution

DESCRIPTION: Final = """\
Say why a bundle is in the plan of a request: who wants it, and why bundles that look better do not take its place
(docs/why.md). For an extension of OLM v1, say which bundles its filters left, and which rules put this one
first (docs/v1.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve why install.yaml keyring.v1.0.2
  olmsolve why --cluster cluster.yaml --catalog olm/orchard=catalogs/orchard \\
               --catalog olm/commons=catalogs/commons --namespace shop \\
               ember.v1.2.0

exit codes:
  0  the answer
  1  the request has no plan
  2  bad input: a request, a catalog, an argument, or a bundle that is in no plan"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the bundle, and the search."""
    add_situation(parser)
    parser.add_argument("bundle", metavar="BUNDLE", help="a bundle or installed operator of the plan, or its package")
    add_backend(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Resolve the questions of *options*, say why the bundle is in their plans, and return the exit code."""
    refuse_document_for(options, "bundle")
    situation = situation_of(options)
    is_one = len(situation.questions) == 1
    texts: list[str] = []
    near: list[str] = []

    def answer(question: olmsolve.requests.Question, situation: olmsolve.Situation) -> Answer:
        outcome = answered(question, situation, options)
        if outcome.code is not Exit.PLAN:
            return without_plan(outcome)
        plan: Plan = outcome.outcome
        from olmsolve.answers.questions import bundle_of, meant_bundles

        bundle = bundle_of(options.bundle, _bundles(plan))
        if bundle:
            texts.append(bundle)
        elif not is_one:
            from olmsolve.cli.documents import NotInPlan

            near.extend(meant_bundles(options.bundle, _bundles(plan)))
            absent = f"{options.bundle} is not in this plan."
            return Answer(Exit.PLAN, lambda *, width, colour: render.plain(absent), NotInPlan(options.bundle).to_dict)
        return _reasons(outcome, bundle or options.bundle)

    code = answer_questions(options, situation, answer)
    if code == Exit.PLAN and not texts:
        hint = did_you_mean(list(dict.fromkeys(near)))
        raise olmsolve.RequestError("no plan has this bundle", field=f"BUNDLE {options.bundle}", hint=hint)
    return code


def _bundles(plan: Plan) -> dict[str, str]:
    """Return the bundles and installed operators that *plan* leaves on the cluster, with their packages."""
    if isinstance(plan, olmsolve.Resolution):
        return {
            candidate.name: candidate.package
            for candidate in (*(install.candidate for install in plan.installs), *plan.kept)
        }
    return {plan.bundle: plan.package}


def _reasons(answer: ResolveAnswer, bundle: str) -> Answer:
    plan: Plan = answer.outcome
    if isinstance(plan, olmsolve.Resolution):
        reasons = olmsolve.why(plan, bundle)
        return about_plan(answer, partial(render.why_text, reasons), reasons.to_dict)
    extension = olmsolve.why(plan, bundle)
    return Answer(Exit.PLAN, partial(render.extension_why_text, extension), extension.to_dict)


def without_plan(answer: ResolveAnswer) -> Answer:
    """Return the failure *answer* as the answer to a question about a plan."""

    def text(*, width: int, colour: bool) -> str:
        failure = answer.text(width=width, colour=colour)
        return f"{failure}\n\nSo there is no plan to ask about; olmsolve explain says what would help."

    return Answer(answer.code, text, answer.data)
