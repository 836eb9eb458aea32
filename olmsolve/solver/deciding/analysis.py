"""From a conflict to a nogood: conditions that cannot all hold, whatever else is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood

__all__ = ["Blamed", "analyse", "blamed"]


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
        keep = domains.keeps[event]
        # That some candidate is selected rules out another only because their group lets at most one be.
        sources.append((where if mask & 1 > keep & 1 else -1, reason[1]))
        for other, condition in ((where, mask | ~keep), *reason[0]):
            known = masks.get(other, -1)
            both = condition & known
            if _needs_group(known, condition):
                sources.append((other, None))
            made_by = since(other, both)
            if made_by >= 0:
                masks[other] = both
                made[other] = made_by
                levels[other] = level_of(other, both)
    return Nogood([], sources), 0


def _needs_group(one: int, other: int) -> bool:
    """Whether two conditions on a place are one condition only because at most one of its candidates is selected.

    A mask without "none" says that some candidate in it is selected, one with "none" that no candidate outside is.
    """
    if one == -1 or other == -1 or one & other & 1:
        return False
    return bool((one ^ other) & 1) or one & other not in (one, other)


class Blamed(NamedTuple):
    """What a refutation follows from: *constraints*, and at-most-one groups with the candidates in their places.

    Of *groups* no more is needed than that these candidates exclude each other. The groups in *broken*, which may be
    among them, exclude candidates of other places as well.
    """

    constraints: list[object]
    groups: dict[GroupName, list[Identifier]]
    broken: dict[GroupName, list[Identifier]]


def blamed(
    domains: Domains,
    refutation: Nogood,
    place_of: Callable[[GroupName], int | None],
    source_of: Callable[[Need], object],
) -> Blamed:
    """What *refutation* follows from; *place_of* gives the place of a group, *source_of* what a need stands for."""
    constraints: dict[int, object] = {}
    groups: dict[GroupName, list[Identifier]] = {}
    broken: dict[GroupName, list[Identifier]] = {}

    def note(noted: dict[GroupName, list[Identifier]], group: GroupName) -> None:
        if group not in noted:
            its_place = place_of(group)
            members: Sequence[Identifier | None] = () if its_place is None else domains.members[its_place]
            noted[group] = [member for member in members if member is not None]

    seen: set[int] = set()
    waiting = [refutation]
    while waiting:
        source = waiting.pop().source
        steps = source if isinstance(source, list) else [(-1, source)]
        for place, origin in steps:
            group = domains.groups[place] if place >= 0 else None
            if group is not None:
                note(groups, group)
            if isinstance(origin, Need):
                origin = source_of(origin)
            if isinstance(origin, Shared):
                note(groups, origin.group)
                origin = origin.constraint
            if isinstance(origin, Nogood):
                if id(origin) not in seen:
                    seen.add(id(origin))
                    waiting.append(origin)
            elif isinstance(origin, (str, tuple)):
                note(broken, origin)
            elif origin is not None:
                constraints[id(origin)] = origin
    return Blamed(list(constraints.values()), groups, broken)
