"""From a conflict to a nogood: conditions that cannot all hold, whatever else is decided."""

from __future__ import annotations

from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood

__all__ = ["analyse"]


def analyse(domains: Domains, place: int) -> tuple[Nogood, int]:
    """The nogood of a conflict at *place*, whose domain is empty, and the level of the last decision in the conflict.

    A conflict is a set of conditions that hold and cannot; at first, that the value of *place* is in the empty mask.
    The event that made a condition hold is resolved: the condition is replaced by what the event follows from.
    That goes on until a single condition of the last level is left: the nogood then narrows that condition's
    place as soon as the last decision is taken back. If no condition is left, there is no solution.
    """
    since, level_of = domains.since, domains.level
    masks: dict[int, int] = {place: 0}
    made: dict[int, int] = {place: since(place, 0)}
    levels: dict[int, int] = {place: level_of(place, 0)}
    sources: list[tuple[int, object]] = []
    while masks:
        level = max(levels.values())
        latest = [where for where in masks if levels[where] == level]
        where = latest[0] if len(latest) == 1 else max(latest, key=made.__getitem__)
        # An empty mask says nothing about a place: it is a conflict still to be explained.
        if level and len(latest) == 1 and masks[where]:
            return Nogood(list(masks.items()), sources), level
        mask, event = masks.pop(where), made.pop(where)
        del levels[where]
        reason = domains.reasons[event]
        assert reason is not None, "a decision is the only condition of its level when it is reached"
        sources.append((where, reason[1]))
        for other, condition in ((where, mask | ~domains.keeps[event]), *reason[0]):
            both = condition & masks.get(other, -1)
            made_by = since(other, both)
            if made_by >= 0:
                masks[other] = both
                made[other] = made_by
                levels[other] = level_of(other, both)
    return Nogood([], sources), 0
