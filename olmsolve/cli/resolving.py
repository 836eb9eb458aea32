"""The answer to one request, classic or for OLM v1, and how it is shown."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import olmsolve
from olmsolve import render
from olmsolve._named_tuples import NamedTuple
from olmsolve.cli.answering import Answer
from olmsolve.cli.output import Exit, LaidOut, complain, fenced
from olmsolve.cli.situation import hindrances_of, search_settings

if TYPE_CHECKING:
    from olmsolve.answers.held_back import HeldBackOperator
    from olmsolve.cluster import Hindrance

T = TypeVar("T")

# Resolve prints the first way out, and whether there are others. It is the first that explain lists.
_FIXES: Final = 2
_FIXES_OF_PAGES: Final = 3
_MARKDOWN_WIDTH: Final = 100
_UNEXPLAINED: Final = "why there is no plan was not explained within --timeout"


class ResolveAnswer(NamedTuple):
    """The plan or failure of a request, as :func:`olmsolve.resolve` returned or raised it.

    Whatever the text adds to it uses the time that is left. The plan or failure is printed even if there is too little.
    """

    outcome: Any  # Resolution, v1.ExtensionResolution or ResolutionFailure
    request: olmsolve.Request | olmsolve.v1.ExtensionRequest
    hindrances: tuple[Hindrance, ...] = ()

    @property
    def is_classic(self) -> bool:
        """Whether the request asks classic OLM."""
        return isinstance(self.request, olmsolve.Request)

    @property
    def code(self) -> Exit:
        """The exit code: 0 for a plan, 1 for a failure."""
        return Exit.UNSATISFIABLE if isinstance(self.outcome, olmsolve.ResolutionFailure) else Exit.PLAN

    @property
    def text(self) -> LaidOut:
        """The renderer of the answer as text, by the kind of request and by whether it has a plan.

        For a failure, the text has one cause and the nearest way out; ``olmsolve explain`` prints everything.
        """
        has_plan = self.code is Exit.PLAN
        if not self.is_classic:
            return partial(render.extension_text if has_plan else render.extension_failure_text, self.data())
        return self._plan if has_plan else self._explanation

    @property
    def markdown(self) -> Callable[[], str] | None:
        """The renderer of a classic answer as Markdown, with the whole explanation of a failure; None for OLM v1."""
        return self._markdown if self.is_classic else None

    def _markdown(self) -> str:
        hindrance_text = render.hindrances_markdown(self.hindrances)
        if self.code is Exit.PLAN:
            parts = [render.plan_markdown(self.outcome), render.held_back_markdown(self._held_back() or ())]
        else:
            try:
                explanation = olmsolve.explanation(self.outcome, fixes=_FIXES_OF_PAGES)
                parts = [render.explanation_markdown(explanation)]
            except olmsolve.Incomplete:
                self._complain(_UNEXPLAINED)
                parts = [fenced(render.failure_text(self.outcome, width=_MARKDOWN_WIDTH))]
        return "\n\n".join(part.rstrip("\n") for part in (hindrance_text, *parts) if part)

    @property
    def core(self) -> LaidOut:
        """The renderer of the answer as text, a classic failure as the constraints that cannot hold together."""
        is_failure = self.is_classic and self.code is not Exit.PLAN
        return partial(render.failure_text, self.outcome) if is_failure else self.text

    def _plan(self, *, width: int, colour: bool) -> str:
        text = render.plan_text(self.outcome, width=width, colour=colour)
        # Mostly there is nothing, and then the command does not wait for the renderer to load.
        if operators := self._held_back():
            text = f"{text}\n\n{render.held_back_text(operators, width=width, colour=colour)}"
        return self._with_hindrances(text, width=width, colour=colour)

    def _with_hindrances(self, text: str, *, width: int, colour: bool) -> str:
        return _behind(self.hindrances, text, width=width, colour=colour)

    def _explanation(self, *, width: int, colour: bool) -> str:
        try:
            explanation = olmsolve.explanation(self.outcome, fixes=_FIXES)
        except olmsolve.Incomplete:
            self._complain(_UNEXPLAINED)
            return self.core(width=width, colour=colour)
        text = render.explanation_text(explanation, width=width, colour=colour, brief=True)
        return self._with_hindrances(text, width=width, colour=colour)

    def _held_back(self) -> tuple[HeldBackOperator, ...] | None:
        """Return what is held back from a classic plan; None, reported on standard error, if time was short."""
        return self._in_time(lambda: olmsolve.held_back(self.outcome))

    def _in_time(self, answer: Callable[[], T]) -> T | None:
        try:
            return answer()
        except olmsolve.Incomplete:
            self._complain("what OLM holds back was not found within --timeout")
            return None

    def _complain(self, message: str) -> None:
        request = self.request
        named = f"namespace {request.namespaces[0]}" if isinstance(request, olmsolve.Request) else request.name
        complain(f"{named}: {message}")

    def page(self, about: Sequence[str] = ()) -> str:
        """Return the plan of a classic request as a page, with what is held back; or the explanation of its failure.

        *about* says what the page is made of. Raises Incomplete where the time is not enough for the explanation.
        """
        if self.code is not Exit.PLAN:
            explanation = olmsolve.explanation(self.outcome, fixes=_FIXES_OF_PAGES)
            return render.explanation_html(explanation, hindrances=self.hindrances, about=about)
        held_back = self._held_back() or ()
        return render.plan_html(self.outcome, held_back=held_back, hindrances=self.hindrances, about=about)

    def data(self) -> dict[str, Any]:
        """Return the answer as the library's own dictionary, with what is held back, if that is found in time."""
        data: dict[str, Any] = self.outcome.to_dict()
        request = self.request
        if not isinstance(request, olmsolve.Request):
            held_back = self._in_time(lambda: olmsolve.v1.held_back(request))
            return data if held_back is None else {**data, "heldBack": [bundle.to_dict() for bundle in held_back]}
        if self.code is Exit.PLAN and (operators := self._held_back()) is not None:
            data["heldBack"] = [operator.to_dict() for operator in operators]
        if self.hindrances:
            data["hindrances"] = [hindrance.to_dict() for hindrance in self.hindrances]
        return data


def _behind(hindrances: Sequence[Hindrance], text: str, *, width: int, colour: bool) -> str:
    """Return *text* behind what the cluster says: OLM has seen it happen, and the answer is computed."""
    hindrance_text = render.hindrances_text(hindrances, width=width, colour=colour)
    return "\n\n".join(filter(None, (hindrance_text, text, render.unreported_text(hindrances, width=width))))


def about_plan(answer: ResolveAnswer, text: LaidOut, data: Callable[[], dict[str, Any]]) -> Answer:
    """Return *text* and *data* as the answer to a question about the plan *answer*, with what the cluster says."""

    def laid_out(*, width: int, colour: bool) -> str:
        answered_text = text(width=width, colour=colour)
        return _behind(answer.hindrances, answered_text, width=width, colour=colour)

    def documented() -> dict[str, Any]:
        hindrance_field = (
            {"hindrances": [hindrance.to_dict() for hindrance in answer.hindrances]} if answer.hindrances else {}
        )
        return {**data(), **hindrance_field}

    return Answer(Exit.PLAN, laid_out, documented)


def extension_page(situation: olmsolve.Situation, question: olmsolve.requests.Question, about: Sequence[str]) -> str:
    """Return what an extension gets in *situation* as a page, or why it gets nothing."""
    one_question = situation.asking([question])
    plan = olmsolve.plan(one_question)
    return render.situation_plan_html(
        plan, olmsolve.lifecycle.planning.explained_failures(plan, one_question), about=about
    )


def resolved(
    request: olmsolve.Request | olmsolve.v1.ExtensionRequest,
    options: argparse.Namespace,
    semantics: olmsolve.Semantics,
) -> ResolveAnswer:
    """Resolve *request* under *semantics*, as *options* about the search say.

    Raises:
        InvalidWishError: the wish of an extension cannot be read.
        CatalogError: a fault inside a catalog decides the request; its cause is an Unsatisfiable where it has a core.
        Incomplete: the time limit was reached.
    """
    # OLM v1 resolves without a search. Its classes are not named here: classic requests do not wait for them to load.
    is_classic = isinstance(request, olmsolve.Request)
    settings = search_settings(options, semantics) if is_classic else {}
    try:
        return ResolveAnswer(olmsolve.resolve(request, **settings), request)
    except olmsolve.ResolutionFailure as failure:
        if failure.is_bad_input:
            raise
        return ResolveAnswer(failure, request)


def answered(
    question: olmsolve.requests.Question, situation: olmsolve.Situation, options: argparse.Namespace
) -> ResolveAnswer:
    """Resolve *question* of *situation* as :func:`resolved` does, with what holds it back on the cluster."""
    answer = resolved(question.request(), options, question.semantics)
    return answer._replace(hindrances=hindrances_of(question, situation, answer.outcome))
