"""The namespaces of a cluster resolved at once (docs/shared-definitions.md), with an answer for each question."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer
from olmsolve.cli.exits import Exit
from olmsolve.cli.resolving import resolved
from olmsolve.cli.situation import search_settings

if TYPE_CHECKING:
    from olmsolve.cli.answering import AnswerQuestion


def together(situation: olmsolve.Situation, options: argparse.Namespace) -> AnswerQuestion:
    """Resolve all namespaces of *situation* at once; return the answer to each question.

    A namespace that cannot be asked for is left out, and its error is its own answer. Extensions are resolved each by
    itself, because OLM v1 knows nothing else.

    Raises:
        RequestError: there are not several namespaces.
        Incomplete: the time limit was reached.
    """
    questions = [each for each in situation.questions if isinstance(each, olmsolve.requests.ClassicQuestion)]
    if len(questions) < 2 or any(each.is_document for each in questions):
        raise olmsolve.RequestError(
            "needs a cluster with several namespaces", field="--together", hint="a request has one namespace"
        )
    asked = situation.asking(questions).ask(lambda question: question.request())
    errors = {answer.question.name: answer.error for answer in asked if answer.error is not None}
    requests = [answer.value for answer in asked if isinstance(answer.value, olmsolve.Request)]
    plans: dict[str, olmsolve.Resolution] = {}
    failure: olmsolve.ResolutionFailure | None = None
    try:
        plans = olmsolve.classic.resolve_together(requests, **search_settings(options, questions[0].semantics))
    except olmsolve.ResolutionFailure as error:
        failure = error
    failed: list[str] = []

    def answer(question: olmsolve.requests.Question, _: olmsolve.Situation) -> Answer:
        if isinstance(question, olmsolve.requests.ExtensionQuestion):
            alone = resolved(question.request(), options, question.semantics)
            return Answer(alone.code, alone.text, alone.data)
        if question.name in errors:
            raise errors[question.name]
        if failure is None:
            plan = plans[question.name]
            return Answer(Exit.PLAN, partial(render.plan_text, plan), plan.to_dict)
        failed.append(question.name)
        text = str(failure) if failed[0] == question.name else f"See namespace {failed[0]}."
        return Answer(Exit.UNSATISFIABLE, lambda *, width, colour: _wrapped(text, width), failure.to_dict)

    return answer


def _wrapped(text: str, width: int) -> str:
    lines = text.splitlines()
    return "\n".join(part for line in lines for part in render.paragraph(line.strip(), width, hanging="    "))
