"""Answers that a cluster's objects alone give, where the content of a catalog is missing: OLM has seen it happen.

A plan needs to know what a catalog contains; that an install plan waits for approval, or that a bundle could not be
unpacked, stands in the objects. So a dump without catalogs is answered as far as it goes, and each missing content is
named once, however many namespaces see its catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import olmsolve
from olmsolve.cli.streams import complain

if TYPE_CHECKING:
    from olmsolve.cluster import Hindrance
    from olmsolve.requests import MissingContentError, Question

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
    """Return what the objects tell of *question*, and which content the rest depends on."""
    from olmsolve.render import hindrances_text, listed, paragraph

    said = hindrances_text(told_hindrances(question, situation), width=width, colour=colour)
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion)
    names = [missing.object for missing in _missing_from(question, situation, error)]
    needed = f"catalog {names[0]}: {error.reason}"
    if len(names) > 1:
        needed = f"the content of catalogs {listed(names)}, which is missing"
    outlook = f"What {'OLM' if is_classic else 'OLM v1'} would do next depends on {needed}."
    parts = [said or NOTHING_SAID] if is_classic else []
    return "\n\n".join([*parts, "\n".join(paragraph(outlook, width))])


def alone_data(question: Question, situation: olmsolve.Situation, error: MissingContentError) -> dict[str, Any]:
    """Return the same as a document: the error, and the hindrances."""
    from olmsolve.cli.documents import NoAnswer

    return NoAnswer(str(error), told_hindrances(question, situation)).to_dict()


def _missing_from(
    question: Question, situation: olmsolve.Situation, error: MissingContentError
) -> Sequence[MissingContentError]:
    """Return *error* and the errors of all other catalogs that *question* needs and that have no content."""
    if situation.cluster is None or not isinstance(question, olmsolve.requests.ClassicQuestion):
        return (error,)
    missing = situation.cluster.missing_contents(question.name)
    return missing if error in missing else (error, *missing)


def complain_of_missing(situation: olmsolve.Situation, errors: Iterable[tuple[Question, MissingContentError]]) -> None:
    """Name each missing content of *errors* on standard error, once."""
    everything = (missing for question, error in errors for missing in _missing_from(question, situation, error))
    for text in dict.fromkeys(map(str, everything)):
        complain(text)
