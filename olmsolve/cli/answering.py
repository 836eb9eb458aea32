"""One answer for each question of a situation, and the one way in which commands print them.

Where the content of a catalog is missing, the objects of a cluster alone answer, as OLM has seen it happen: a plan
needs to know what a catalog contains; that an install plan waits for approval, or that a bundle could not be unpacked,
is in the objects. So a dump without catalogs is answered as far as it goes, and each missing content is named once,
however many namespaces see its catalog.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve._named_tuples import NamedTuple
from olmsolve.cli.output import Exit, LaidOut, complain, exit_of, fenced, harmless, laid_out, style, write, write_data

if TYPE_CHECKING:
    from olmsolve.cluster import Hindrance
    from olmsolve.requests import MissingContentError, Question  # loaded when a situation is read

    AnswerQuestion = Callable[[Question, olmsolve.Situation], "Answer"]

_MOST_NAMED: Final = 10
SCHEMA: Final = "olmsolve.cluster"
"""The schema of the document that holds the answers to several questions."""


class Answer(NamedTuple):
    """The answer of a command to one question: its exit code, its text and its data, of which only one is made.

    *faults* are errors of the input beside the answer, which standard error reports. *markdown* makes headings, lists
    and tables; an answer without it is shown in Markdown as its text is.
    """

    code: Exit
    text: LaidOut
    data: Callable[[], dict[str, Any]]
    faults: tuple[olmsolve.OlmsolveError, ...] = ()
    markdown: Callable[[], str] | None = None

    def shown(self, form: str) -> str:
        """Return the answer as text in *form*, which is neither json nor yaml."""
        if form == "markdown" and self.markdown is not None:
            return self.markdown().rstrip("\n")
        return laid_out(self.text, form)


class ShownAnswer(NamedTuple):
    """An answer in the form that is wanted, with its question: ``shown`` is a text, or data."""

    question: Question
    code: Exit
    shown: str | dict[str, Any]


def answer_questions(
    options: argparse.Namespace, situation: olmsolve.Situation, answer: AnswerQuestion, *, alone: str = ""
) -> int:
    """Answer each question of *situation*, print the answers as *options* say, and return the worst exit code.

    A document, or the namespace or extension that options choose, is answered alone. The questions of a cluster are
    answered one after the other: an error in one of them is its answer, and standard error reports bad input as well.
    *alone* names an option that only one question can have ("": none).

    Raises:
        OlmsolveError: there is no question, or the only question has bad input or no answer in time.
    """
    questions = situation.questions
    if not questions:
        raise olmsolve.RequestError(
            "no subscriptions and no extensions", field="--cluster", hint="there is nothing to resolve"
        )
    if len(questions) == 1 and (questions[0].is_document or options.namespace or options.extension or alone):
        try:
            only = _answered(questions[0], situation, answer)
        except olmsolve.requests.MissingContentError as error:
            complain_of_missing(situation, [(questions[0], error)])
            only = _alone(questions[0], situation, error)
        for fault in only.faults:
            complain(str(fault))
        _show_one(only, options.output)
        return only.code
    if alone:
        names = ", ".join(dict.fromkeys(question.name for question in questions[:_MOST_NAMED]))
        names += f" and {len(questions) - _MOST_NAMED} more" if len(questions) > _MOST_NAMED else ""
        several = f"not {len(questions)}: {names} (--namespace or --extension chooses one)"
        options.refuse(f"{alone} is for one question, {several}")
    missing: list[tuple[Question, MissingContentError]] = []
    answers = [_shown_answer(question, situation, answer, options.output, missing) for question in questions]
    complain_of_missing(situation, missing)
    show_all(answers, options.output)
    return max(answer_of_one.code for answer_of_one in answers)


def show_all(answers: Sequence[ShownAnswer], form: str) -> None:
    """Write *answers* to standard output in *form*: texts under titles, or one document by namespace and extension."""
    if form not in ("json", "yaml"):
        from olmsolve.render import in_markdown

        layout = style()
        titles = [title(shown_answer.question) for shown_answer in answers]
        titles = [f"# {in_markdown(text)}" if form == "markdown" else layout.bold(text) for text in titles]
        write(
            "\n\n".join(f"{text}\n\n{shown_answer.shown}" for text, shown_answer in zip(titles, answers, strict=True))
        )
        return
    from olmsolve.resolution import SCHEMA_VERSION

    document: dict[str, Any] = {"schema": SCHEMA, "schemaVersion": SCHEMA_VERSION}
    document |= {"namespaces": {}, "extensions": {}}
    for shown_answer in answers:
        section = "namespaces" if isinstance(shown_answer.question, olmsolve.requests.ClassicQuestion) else "extensions"
        section = "documents" if shown_answer.question.is_document else section
        document.setdefault(section, {})[shown_answer.question.name] = shown_answer.shown
    write_data(document, form)


def title(question: Question) -> str:
    """Return the title of *question* above its answer."""
    from olmsolve.render import plain

    if question.is_document:
        return plain(f"Request {question.name}")
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion)
    return plain(f"{'Namespace' if is_classic else 'ClusterExtension'} {question.name}")


def _show_one(answer: Answer, form: str) -> None:
    if form in ("json", "yaml"):
        write_data(answer.data(), form)
    else:
        write(answer.shown(form))


def _answered(question: Question, situation: olmsolve.Situation, answer: AnswerQuestion) -> Answer:
    """Return the answer to *question*; that its namespace cannot be resolved is one, too. Raises OlmsolveError."""
    from olmsolve.errors import NamespaceError

    try:
        return answer(question, situation)
    except NamespaceError as error:
        message = str(error)
    from olmsolve.cli.documents import NoAnswer
    from olmsolve.render import paragraph

    def text(*, width: int, colour: bool) -> str:
        return "\n".join(paragraph(message, width))

    return Answer(Exit.UNSATISFIABLE, text, NoAnswer(message).to_dict)


def _alone(question: Question, situation: olmsolve.Situation, error: MissingContentError) -> Answer:
    """Return what the objects alone say about *question*, for which the content of a catalog is missing."""
    text = partial(alone_text, question, situation, error)
    return Answer(Exit.BAD_INPUT, text, partial(alone_data, question, situation, error))


def tell_objects_alone(
    options: argparse.Namespace, situation: olmsolve.Situation, errors: Sequence[tuple[Question, MissingContentError]]
) -> Exit:
    """Print what the objects say about each question of *errors*, which no command can answer; return the exit code."""
    complain_of_missing(situation, errors)
    if options.output != "text":
        return Exit.BAD_INPUT  # a document of this form, or a page, would look like the answer
    layout = style()
    texts = (
        f"{layout.bold(title(question))}\n\n"
        f"{alone_text(question, situation, error, width=layout.width, colour=layout.colour)}"
        for question, error in errors
    )
    write("\n\n".join(texts))
    return Exit.BAD_INPUT


def _shown_answer(
    question: Question,
    situation: olmsolve.Situation,
    answer: AnswerQuestion,
    form: str,
    missing: list[tuple[Question, MissingContentError]],
) -> ShownAnswer:
    is_data = form in ("json", "yaml")
    try:
        try:
            answer_found = _answered(question, situation, answer)
        except olmsolve.requests.MissingContentError as error:
            missing.append((question, error))
            answer_found = _alone(question, situation, error)
        for fault in answer_found.faults:
            complain(f"{title(question)}: {fault}")
        shown = answer_found.data() if is_data else answer_found.shown(form)
    except olmsolve.OlmsolveError as error:
        complain(f"{title(question)}: {error}")
        from olmsolve.cli.documents import NoAnswer

        if is_data:
            return ShownAnswer(question, exit_of(error), NoAnswer(str(error)).to_dict())
        message = harmless(str(error))
        shown = fenced(message) if form == "markdown" else message
        return ShownAnswer(question, exit_of(error), shown)
    return ShownAnswer(question, answer_found.code, shown)


NOTHING_SAID = "The cluster's objects report nothing that holds it back."


def missing_content(error: BaseException | None) -> MissingContentError | None:
    """Return *error* if it says that the content of a catalog is missing; None for any other."""
    return error if isinstance(error, olmsolve.requests.MissingContentError) else None


def told_hindrances(question: Question, situation: olmsolve.Situation) -> tuple[Hindrance, ...]:
    """Return what the objects of *situation* say that holds the namespace of *question* back."""
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion)
    if situation.cluster is None or question.is_document or not is_classic:
        return ()
    import olmsolve._attrs as attrs  # help should not wait for it

    # Their deprecations would ask for the contents once more.
    return attrs.evolve(situation.cluster, contents={}).hindrances(question.name)


def alone_text(
    question: Question, situation: olmsolve.Situation, error: MissingContentError, *, width: int, colour: bool
) -> str:
    """Return what the objects say about *question*, and which content the rest depends on."""
    from olmsolve.render import hindrances_text, listed, paragraph

    hindrance_text = hindrances_text(told_hindrances(question, situation), width=width, colour=colour)
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion)
    names = [missing.object for missing in _missing_from(question, situation, error)]
    needed = f"catalog {names[0]}: {error.reason}"
    if len(names) > 1:
        needed = f"the content of catalogs {listed(names)}, which is missing"
    outlook = f"What {'OLM' if is_classic else 'OLM v1'} would do next depends on {needed}."
    parts = [hindrance_text or NOTHING_SAID] if is_classic else []
    return "\n\n".join([*parts, "\n".join(paragraph(outlook, width))])


def alone_data(question: Question, situation: olmsolve.Situation, error: MissingContentError) -> dict[str, Any]:
    """Return the same as a document: the error, and the hindrances."""
    from olmsolve.cli.documents import NoAnswer

    return NoAnswer(str(error), told_hindrances(question, situation)).to_dict()


def _missing_from(
    question: Question, situation: olmsolve.Situation, error: MissingContentError
) -> Sequence[MissingContentError]:
    """Return *error* and the errors of all other catalogs without content that *question* needs."""
    if situation.cluster is None or not isinstance(question, olmsolve.requests.ClassicQuestion):
        return (error,)
    missing = situation.cluster.missing_contents(question.name)
    return missing if error in missing else (error, *missing)


def complain_of_missing(situation: olmsolve.Situation, errors: Iterable[tuple[Question, MissingContentError]]) -> None:
    """Name each missing content of *errors* on standard error, once."""
    everything = (missing for question, error in errors for missing in _missing_from(question, situation, error))
    for text in dict.fromkeys(map(str, everything)):
        complain(text)
