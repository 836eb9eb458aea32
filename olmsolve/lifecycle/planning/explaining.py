"""Explanations of the questions of a situation that have no plan, beside the plan of the rest."""

from __future__ import annotations

import attrs

from olmsolve import v1
from olmsolve.answers.explain import Explanation, explanation
from olmsolve.classic import resolve
from olmsolve.errors import OlmsolveError
from olmsolve.lifecycle.planning.situations import SituationPlan
from olmsolve.requests import ClassicQuestion, Question, QuestionAnswer, Situation
from olmsolve.resolution import ResolutionFailure


def explained_failures(
    found: SituationPlan, situation: Situation, *, fixes: int = 3, tries: int = 30
) -> tuple[QuestionAnswer[Explanation], ...]:
    """Return an explanation of each failure in *found*, the plan of *situation*, with at most so many *fixes*.

    Each search for fixes resolves at most *tries* changed requests. Namespaces with a fault in their objects are left
    out, because the fault says all there is; so are questions that cannot be read, whose answer is their error.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> len(olmsolve.explained_failures(olmsolve.plan(situation), situation))
    0
    """
    namespaces = {each.namespace for each in found.namespaces if each.failures and each.fault is None}
    extensions = {each.extension for each in found.extensions.failed} if found.extensions is not None else set()

    def explained(question: Question) -> Explanation | None:
        failure = _failure(question)
        return None if failure is None else explanation(failure, fixes=fixes, tries=tries)

    questions = [
        each
        for each in situation.questions
        if each.name in (namespaces if isinstance(each, ClassicQuestion) else extensions)
    ]
    answers = situation.asking(questions).ask(explained)
    return tuple(QuestionAnswer(each.question, each.value) for each in answers if each.value is not None)


def _failure(question: Question) -> OlmsolveError | None:
    """Return the failure to resolve *question*; None where it resolves by itself, or cannot be explained."""
    try:
        if isinstance(question, ClassicQuestion):
            resolve(question.request(), semantics=question.semantics)
        else:
            v1.resolve(attrs.evolve(question.request(), name=question.name))
    except ResolutionFailure as failure:
        return failure
    return None
