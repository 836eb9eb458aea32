"""Explanations of OLM v1's answers: one conflict, with a fact for each catalog that was searched, and fixes."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve import v1
from olmsolve._arguments import type_with_article
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.near_misses import NEAREST_FIELDS, NearestNote
from olmsolve.answers.explain.statements import FunnelFact
from olmsolve.answers.extensions import find_fixes, toward_any
from olmsolve.errors import RequestError
from olmsolve.resolution import ResolutionFailure
from olmsolve.v1 import FILTERS, Funnel, Nearest, Outcome


def extension_explanation(
    answer: v1.ExtensionResolution | ResolutionFailure, request: object = None, *, fixes: int, tries: int
) -> Explanation:
    """Return an explanation that a failure itself sums up, with the funnels of its catalogs as facts.

    A resolution has no conflict: what is held back from it explains it. *request* is only needed where the answer was
    pickled; without it, a failure is explained without fixes and without what is held back.

    Raises:
        RequestError: *request* is not one of an extension, or *answer* is no answer to one.
    """
    if not isinstance(answer, (v1.ExtensionResolution, v1.ResolutionError)):
        raise RequestError(f"{type_with_article(answer)} is not an answer of olmsolve.resolve")
    if request is not None and not isinstance(request, v1.ExtensionRequest):
        raise RequestError(f"{type_with_article(request)} is not a request for an extension", field="request")
    given = request or answer.request
    if isinstance(answer, v1.ExtensionResolution):
        return Explanation((), extension_fixes=(), held_back=() if given is None else v1.held_back(given))
    conflicts = (_conflict(answer),)
    if given is None or isinstance(answer, v1.InvalidWishError):
        return Explanation(conflicts)
    held_back = v1.held_back(given)
    if fixes <= 0:
        return Explanation(conflicts, held_back=held_back)
    fixes_found, exhausted = find_fixes(
        given,
        lambda changed: toward_any(v1.ObstacleView(changed)),
        lambda changed, walked: True,
        most=fixes,
        tries=tries,
    )
    return Explanation(conflicts, exhausted=exhausted, held_back=held_back, extension_fixes=fixes_found)


def _conflict(failure: v1.ResolutionError) -> Conflict:
    nodes = tuple(
        Node(
            number,
            NodeKind.CATALOG,
            _fact(funnel),
            notes=tuple(_notes(funnel.nearest)),
            locations=(NodeLocation(catalog=funnel.catalog),),
        )
        for number, funnel in enumerate(failure.explanation.funnels, start=1)
    )
    return Conflict(failure, tuple(node.number for node in nodes), nodes)


def _fact(funnel: Funnel) -> FunnelFact:
    searched = funnel.outcome not in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED)
    left_by_filter = tuple((name, getattr(funnel, name)) for name in FILTERS) if searched else ()
    return FunnelFact(funnel.catalog, left_by_filter, funnel.best, funnel.outcome.value)


def _notes(nearest: Nearest) -> Iterator[NearestNote]:
    for field in NEAREST_FIELDS:
        value = getattr(nearest, field)
        if value:
            yield NearestNote(value if isinstance(value, tuple) else (value,), field=field)
