"""``olmsolve why-not``: why something is not in a plan."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.commands.why import without_plan
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.output import Exit
from olmsolve.cli.resolving import about_plan, answered
from olmsolve.cli.situation import refuse_document_for, situation_of

DESCRIPTION: Final = """\
Say why a package, or a version, channel or catalog of it, is not in the plan of a request, because it is impossible or
because something else comes first, and what would select it (docs/why.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve why-not install.yaml keyring --version 1.0.1
  olmsolve why-not install.yaml storefront --channel 1.x --from olm/orchard

exit codes:
  0  the answer
  1  the request for subscriptions has no plan
  2  bad input: a request, a catalog or an argument"""


_NAMED: Final = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the package and which part of it, and the search."""
    add_situation(parser)
    parser.add_argument("package", metavar="PACKAGE", help="the package to ask about, or a bundle of it")
    parser.add_argument("--version", default="", help="ask about this version of the package")
    parser.add_argument("--channel", default="", help="ask about this channel of the package")
    parser.add_argument(
        "--from",
        dest="source",
        default="",
        metavar="NAMESPACE/NAME",
        help="ask about this catalog (example: olm/community)",
    )
    add_backend(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Say of each question of *options* why the package is not in its plan, and return the exit code."""
    from olmsolve.answers.extensions import is_about

    refuse_document_for(options, "package")
    situation = situation_of(options)
    is_one = len(situation.questions) == 1
    _refuse_other_packages(situation, options.package)
    named = {"version": options.version, "channel": options.channel, "catalog": options.source}

    def answer(question: olmsolve.requests.Question, situation: olmsolve.Situation) -> Answer:
        request = question.request()
        if isinstance(request, olmsolve.Request):
            plan = answered(question, situation, options)
            if plan.code is not Exit.PLAN:
                return without_plan(plan)
            reasons = olmsolve.why_not(plan.outcome, options.package, **named)
            nothing = olmsolve.lifecycle.planning.comes_to_nothing(plan.hindrances)
            because = reasons.because
            is_selected = reasons.verdict.value == "selected" and isinstance(because, olmsolve.Candidate)
            if is_selected and because.name in nothing:
                from olmsolve._records import evolve  # help does not wait for it

                reasons = evolve(reasons, unplanned=True)
            return about_plan(plan, partial(render.why_not_text, reasons), reasons.to_dict)
        own_package = request.extension.package
        if not is_one and not is_about(request, options.package):
            from olmsolve.cli.documents import OtherPackage

            text = render.plain(f"This extension is for package {own_package}.")
            return Answer(Exit.PLAN, lambda *, width, colour: text, OtherPackage(own_package).to_dict)
        # An extension that fails has obstacles to report as well.
        extension = olmsolve.why_not(request, options.package, **named)
        return Answer(Exit.PLAN, partial(render.extension_why_not_text, extension), extension.to_dict)

    return answer_questions(options, situation, answer)


def _refuse_other_packages(situation: olmsolve.Situation, package: str) -> None:
    """Raise a RequestError where several extensions, and nothing else, are asked about, and none wants *package*."""
    questions = situation.questions
    if len(questions) < 2 or not all(isinstance(other, olmsolve.requests.ExtensionQuestion) for other in questions):
        return
    from olmsolve.answers.extensions import is_about

    wanted: dict[str, None] = {}
    for reply in situation.ask(lambda question: question.request()):
        if not isinstance(reply.value, olmsolve.v1.ExtensionRequest):
            return  # its own answer says why it cannot be asked about
        if is_about(reply.value, package):
            return
        wanted[reply.value.extension.package] = None
    hint = f"they are for {', '.join(list(wanted)[:_NAMED])}"
    raise olmsolve.RequestError(f"no extension is for package {package}", field="package", hint=hint)
