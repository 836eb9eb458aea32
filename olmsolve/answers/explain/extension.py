"""Explanations of OLM v1 failures: one conflict, with a fact for each catalog that was searched."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve import v1
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.notes import NEAREST_FIELDS, NearestNote
from olmsolve.answers.explain.statements import FunnelFact
from olmsolve.resolution import ResolutionFailure
from olmsolve.v1 import FILTERS, Funnel, Nearest, Outcome


def extension_explanation(failure: ResolutionFailure) -> Explanation:
    """Return an explanation that *failure* itself sums up, with the funnels of its catalogs as facts."""
    funnels = failure.explanation.funnels if isinstance(failure, v1.ResolutionError) else ()
    nodes = tuple(
        Node(
            number,
            NodeKind.CATALOG,
            _fact(funnel),
            notes=tuple(_notes(funnel.nearest)),
            locations=(NodeLocation(catalog=funnel.catalog),),
        )
        for number, funnel in enumerate(funnels, start=1)
    )
    return Explanation((Conflict(failure, tuple(node.number for node in nodes), nodes),))


def _fact(funnel: Funnel) -> FunnelFact:
    searched = funnel.outcome not in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED)
    left = tuple((name, getattr(funnel, name)) for name in FILTERS) if searched else ()
    return FunnelFact(funnel.catalog, left, funnel.best, funnel.outcome.value)


def _notes(nearest: Nearest) -> Iterator[NearestNote]:
    for field in NEAREST_FIELDS:
        value = getattr(nearest, field)
        if value:
            yield NearestNote(value if isinstance(value, tuple) else (value,), field=field)
