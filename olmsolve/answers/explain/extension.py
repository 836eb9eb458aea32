"""Explanations of OLM v1 failures: one conflict, with a fact for each catalog that was searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve import v1
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation, Note, NoteKind
from olmsolve.answers.wording import enumerated
from olmsolve.resolution import ResolutionFailure
from olmsolve.v1 import FILTERS, Funnel, Nearest, Outcome

_PASSED: Final = {
    "package": "of the package",
    "channel": "in a wanted channel",
    "version": "in the wanted range",
    "edges": "that can follow what is installed",
    "deprecation": "that are preferred",
}
_NEAREST: Final = {
    "packages": (NoteKind.SIMILAR_NAME, "packages of a similar name"),
    "channels": (NoteKind.OTHER_CHANNEL, "channels that have a bundle in the range"),
    "below": (NoteKind.OTHER_VERSIONS, "closest version below the range"),
    "above": (NoteKind.OTHER_VERSIONS, "closest version above the range"),
    "prereleases": (NoteKind.PRERELEASE, "pre-releases that the range leaves out"),
    "edges_from": (NoteKind.OTHER_VERSIONS, "installed bundles from which an edge leads into the range"),
    "route": (NoteKind.OTHER_VERSIONS, "updates that lead into the range, one after the other"),
    "updates": (NoteKind.OTHER_VERSIONS, "updates of what is installed"),
}


def extension_explanation(failure: ResolutionFailure) -> Explanation:
    """Return an explanation with the failure's own text as its statement, and the funnels of its catalogs as facts."""
    funnels = failure.explanation.funnels if isinstance(failure, v1.ResolutionError) else ()
    nodes = tuple(
        Node(
            number,
            NodeKind.CATALOG,
            _statement(funnel),
            notes=tuple(_notes(funnel.nearest)),
            locations=(NodeLocation(catalog=funnel.catalog),),
        )
        for number, funnel in enumerate(funnels, start=1)
    )
    return Explanation((Conflict(str(failure), tuple(node.number for node in nodes), nodes),))


def _statement(funnel: Funnel) -> str:
    """Return what the filters left of a catalog: "catalog c has 5 bundles of the package, none in a wanted channel"."""
    if funnel.outcome in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED):
        return f"catalog {funnel.catalog} is {funnel.outcome.value}"
    counts: list[str] = []
    for name in FILTERS:
        count: int = getattr(funnel, name)
        noun = "" if counts else " bundle" if count == 1 else " bundles"
        counts.append(f"{count or ('none' if counts else 'no')}{noun} {_PASSED[name]}")
        if not count:
            return f"catalog {funnel.catalog} has {', '.join(counts)}"
    return f"catalog {funnel.catalog} has {funnel.best}: {funnel.outcome.value}"


def _notes(nearest: Nearest) -> Iterator[Note]:
    for field, (kind, description) in _NEAREST.items():
        value = getattr(nearest, field)
        names = value if isinstance(value, tuple) else (value,) if value else ()
        if names:
            yield Note(kind, f"{description}: {enumerated(names)}", names)
