"""Conflict analysis: from a conflict to a nogood, and from a refutation to the constraints that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.unions import Union


def analyse(domains: Domains, variable: int) -> tuple[Nogood, int]:
    """Return the nogood of the conflict at *variable*, whose domain is empty, and the level of its last decision.

    A conflict is a set of conditions that all hold and cannot. It starts as "the value of *variable* is in the empty
    mask". The latest condition is *resolved*: the event that made it hold had a reason, whose conditions replace it.
    This ends when one condition of the last level is left; the nogood then rules that condition out as soon as the
    last decision is taken back. If no condition is left at all, the problem has no solution.

        conflict   variable 3 (package b) is in 0b0: last, d.v1 needed b.v2 (bit 2) and kept 0b0100
        resolved   variable 3 is in ~0b0100, because a root keeps b.v1 only; and variable 4 is in 0b0010 (d.v1)
        nogood     these two conditions: d.v1 was the last decision, and is ruled out when it is taken back
    """
    cause, level_of = domains.cause, domains.level
    # By variable: its condition in the conflict, the event that made it hold, and the level of that.
    masks: dict[int, int] = {variable: 0}
    causes: dict[int, int] = {variable: cause(variable, 0)}
    levels: dict[int, int] = {variable: level_of(variable, 0)}
    sources: list[tuple[int, object]] = []
    while masks:
        level = max(levels.values())
        latest = [listed_mask for listed_mask in masks if levels[listed_mask] == level]
        current = latest[0] if len(latest) == 1 else max(latest, key=causes.__getitem__)
        # An empty mask is no condition on a variable: it is a conflict that still has to be resolved.
        if level and len(latest) == 1 and masks[current]:
            return Nogood(list(masks.items()), sources), level
        mask, event = masks.pop(current), causes.pop(current)
        del levels[current]
        reason = domains.reasons[event]
        assert reason is not None, "a decision is the only condition of its level when it is reached"
        keep = domains.keeps[event]
        # "Some candidate is selected" rules out another candidate only because the group lets at most one be.
        sources.append((current if mask & 1 > keep & 1 else -1, reason[1]))
        for other, condition in ((current, mask | ~keep), *reason[0]):
            present = masks.get(other, -1)
            both = condition & present
            if _needs_group(present, condition):
                sources.append((other, None))
            caused_by = cause(other, both)
            if caused_by >= 0:
                masks[other] = both
                causes[other] = caused_by
                levels[other] = level_of(other, both)
    return Nogood([], sources), 0


def _needs_group(one: int, other: int) -> bool:
    """Return True if two conditions follow from their intersection only because the group lets at most one be selected.

    A mask without bit 0 says "one of these is selected", a mask with bit 0 "no other is selected". Two of a kind follow
    by themselves: 0b0110 and 0b1100 from 0b0100, as 0b0111 and 0b1101 do from 0b0101. But 0b0110 and 0b0101 make
    0b0100, "b.v2 is selected", and without the group b.v1 of bit 1 might be selected too, which 0b0101 denies.
    """
    return one != -1 and other != -1 and bool((one ^ other) & 1)


class Blamed(NamedTuple):
    """The basis of a refutation: *constraints*, and at-most-one groups, each with the candidates at its variable.

    Of a group in *groups*, the refutation uses only that these candidates exclude each other. A group in *broken*
    also excludes candidates at other variables; it may be in *groups* as well.
    """

    constraints: list[object]
    groups: dict[GroupName, list[Identifier]]
    broken: dict[GroupName, list[Identifier]]


def blame(
    domains: Domains,
    refutation: Nogood,
    variable_of: Callable[[GroupName], int | None],
    source_of: Callable[[Need], object],
) -> Blamed:
    """Return what *refutation* rests on, by following the sources of nogoods down to constraints and groups.

    *variable_of* gives the variable of a group, *source_of* the constraint of a need.
    """
    constraints: dict[int, object] = {}
    groups: dict[GroupName, list[Identifier]] = {}
    broken: dict[GroupName, list[Identifier]] = {}

    def note(members_of: dict[GroupName, list[Identifier]], group: GroupName) -> None:
        if group not in members_of:
            own = variable_of(group)
            members: Sequence[Identifier | None] = () if own is None else domains.members[own]
            members_of[group] = [member for member in members if member is not None]

    seen: set[int] = set()
    waiting = [refutation]
    while waiting:
        source = waiting.pop().source
        steps = source if isinstance(source, list) else [(-1, source)]
        for variable, origin in steps:
            group = domains.groups[variable] if variable >= 0 else None
            if group is not None:
                note(groups, group)
            if isinstance(origin, Need):
                origin = source_of(origin)
            if isinstance(origin, Shared):
                note(groups, origin.group)
                origin = origin.constraint
            if isinstance(origin, Union):
                origin = origin.nogood
            if isinstance(origin, Nogood):
                if id(origin) not in seen:
                    seen.add(id(origin))
                    waiting.append(origin)
            elif isinstance(origin, (str, tuple)):
                note(broken, origin)
            elif origin is not None:
                constraints[id(origin)] = origin
    return Blamed(list(constraints.values()), groups, broken)
