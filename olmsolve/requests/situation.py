"""A situation: everything that a question about installing operators depends on, and the questions themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

import olmsolve._attrs as attrs
from olmsolve._reader import for_reader
from olmsolve._records import Record, field, record
from olmsolve.classic import Request
from olmsolve.errors import OlmsolveError, RequestError
from olmsolve.requests.policy import ClassicQuestion, ExtensionQuestion, Policy, Question, document_question

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.cluster import ClusterState
    from olmsolve.requests.cluster import ClusterSituation
    from olmsolve.requests.contents import Contents

T = TypeVar("T")


@attrs.frozen
class QuestionAnswer(Generic[T]):
    """The answer to one *question*: a *value*, or the *error* that stands for it."""

    question: Question
    value: T | None = None
    error: OlmsolveError | None = None


@record
class UnansweredQuestion(Record):
    """A question without an answer."""

    name: str = field("The question.")
    error: str = field("Why it has no answer.")


def unanswered(answers: tuple[QuestionAnswer[None], ...]) -> tuple[UnansweredQuestion, ...]:
    """Return the questions of *answers*, which are all errors, for a document."""
    return tuple(UnansweredQuestion(answer.question.name, str(answer.error)) for answer in answers)


@attrs.frozen(eq=False)
class Situation:
    """Catalogs, a cluster's objects or request documents, under one policy: all that verbs need to answer *questions*.

    There is one question for each namespace with subscriptions, for each ClusterExtension and for each request
    document. *cluster* holds the objects, None where there are only documents. If only some of the cluster's questions
    were chosen (*is_part*), objects in other namespaces do not count. *left_out* are the faults of files of a folder or
    an archive that could not be read: their objects are missing. The value does not change; what catalogs contain is
    loaded when a question first touches it. So situations are equal only by identity.
    """

    questions: tuple[Question, ...]
    cluster: ClusterSituation | None = None
    is_part: bool = False
    left_out: tuple[RequestError, ...] = ()

    @classmethod
    def of(cls, request: Request | v1.ExtensionRequest, policy: Policy | None = None) -> Situation:
        """Return the situation of one *request* that a program has made, under *policy*.

        Raises:
            RequestError: a part of the policy needs a cluster's objects to mean anything.
        """
        policy = policy or Policy()
        is_classic = isinstance(request, Request)
        made = policy.applied_to(request) if isinstance(request, Request) else policy.applied_to_extension(request)
        return cls((document_question(request.name, lambda: made, policy, is_classic=is_classic),))

    @classmethod
    def of_cluster(cls, state: ClusterState, contents: Contents, policy: Policy | None = None) -> Situation:
        """Return the situation of the cluster *state*, with the *contents* of its catalogs by ``namespace/name``.

        Fields that a shortened dump lacks are added to *state*, as :func:`olmsolve.read_situation` does.

        Raises:
            RequestError: a content has no catalog.
        """
        from olmsolve.cluster import completed
        from olmsolve.requests.cluster import ClusterSituation
        from olmsolve.requests.contents import refuse_unknown_contents

        refuse_unknown_contents(contents, state)
        cluster = ClusterSituation(completed(state), contents, policy or Policy())
        return cls(tuple(cluster.questions()), cluster)

    def asking(self, questions: Iterable[Question]) -> Situation:
        """Return this situation with these *questions* instead of its own.

        It is a part of this one where a namespace is left out. Namespaces do not depend on extensions or documents.
        """
        chosen = tuple(questions)
        unasked = {question.name for question in self.questions if _is_namespace(question)}.difference(
            taken.name for taken in chosen if _is_namespace(taken)
        )
        return attrs.evolve(self, questions=chosen, is_part=self.is_part or bool(unasked))

    def only(self, *, namespace: str = "", extension: str = "") -> Situation:
        """Return this situation with only the question of one *namespace*, of one *extension*, or of both.

        Documents are not chosen by name: they are no namespaces of the cluster.

        Raises:
            RequestError: there is no such question. The error names the nearest.
        """
        wanted = ((ClassicQuestion, "namespace", namespace), (ExtensionQuestion, "extension", extension))
        chosen: list[Question] = []
        for kind, what, name in wanted:
            if name:
                chosen += _questions_named(name, what, kind, self.questions)
        return attrs.evolve(self.asking(chosen), is_part=True) if chosen else self

    def ask(self, verb: Callable[[Question], T]) -> tuple[QuestionAnswer[T], ...]:
        """Return what *verb* says of each question, in order. An error is the answer to its question, not the end.

        >>> situation = read_situation("dump.yaml", catalogs={"olm/community": "catalogs/community"})  # doctest: +SKIP
        >>> situation.ask(lambda question: olmsolve.resolve(question.request()))  # doctest: +SKIP
        """
        return tuple(_answer(question, verb) for question in self.questions)


def needs_objects(verb: str, name: str = "") -> RequestError:
    """Return the error of a *verb* that was asked about a request, called *name*, in place of a cluster's objects."""
    hint = for_reader(
        python="olmsolve.resolve answers for a request; olmsolve.read_situation reads a cluster's objects",
        option="olmsolve resolve answers for a request; --cluster FILE gives objects",
    )
    return RequestError(f"{verb} needs a cluster's objects, and a request has none", field=name, hint=hint)


def _is_namespace(question: Question) -> bool:
    """Return whether *question* is about a namespace of the cluster."""
    return isinstance(question, ClassicQuestion) and not question.is_document


def _answer(question: Question, verb: Callable[[Question], T]) -> QuestionAnswer[T]:
    try:
        return QuestionAnswer(question, verb(question))
    except OlmsolveError as error:
        return QuestionAnswer(question, error=error)


def _questions_named(name: str, field: str, kind: type[Question], everything: Iterable[Question]) -> list[Question]:
    """Return the question of *kind* called *name*. Raises RequestError where *everything* has none, as *field* says."""
    everything = list(everything)
    questions = {
        candidate.name: candidate
        for candidate in everything
        if isinstance(candidate, kind) and not candidate.is_document
    }
    if name in questions:
        return [questions[name]]
    from olmsolve._near_names import did_you_mean, similar_names

    near = did_you_mean(similar_names(name, questions))
    what = "subscription is in this namespace" if field == "namespace" else "extension has this name"
    there = ", ".join(list(questions)[:10]) or "none"
    is_document = all(candidate.is_document for candidate in everything)
    hint = near or f"there are: {there}{'; a request document is a question by itself' if is_document else ''}"
    raise RequestError(f"no {what}", field=f"{field} {name}", hint=hint)
