"""Sets of conditions that cannot all hold, and what follows when all but one do."""

from __future__ import annotations

from olmsolve.solver.deciding.domains import Condition, Domains

__all__ = ["Nogood", "Nogoods"]


class Nogood:
    """*conditions* that cannot all hold, in different places.

    *source* is the constraint that says so, or the :class:`list` of what a conflict was analysed with: pairs of a
    place (-1: none) whose group was needed, and the source of a reason (None: none).
    """

    __slots__ = ("conditions", "source")

    def __init__(self, conditions: list[Condition], source: object) -> None:
        self.conditions = conditions
        self.source = source


class Nogoods:
    """Nogoods, each watched in the places of its first two conditions, as clauses are in a SAT solver.

    Where the first condition does not hold and all others do, its place has been narrowed by it.
    """

    def __init__(self, domains: Domains) -> None:
        self._domains = domains
        # The nogoods to be looked at when a place changes.
        self.watched: dict[int, list[Nogood]] = {}

    def add(self, nogood: Nogood) -> None:
        """Take note of *nogood*, and draw its conclusion if it has one."""
        domains = self._domains
        values = domains.domains
        # What does not hold comes first, then what will be taken back first.
        never = len(domains.starts) + 1
        level = {c: never if values[c[0]] & ~c[1] else domains.level(*c) for c in nogood.conditions}
        conditions = nogood.conditions = sorted(nogood.conditions, key=lambda condition: -level[condition])
        for place, _ in conditions[:2]:
            self.watched.setdefault(place, []).append(nogood)
        if len(conditions) < 2 or level[conditions[1]] < never:
            place, mask = conditions[0]
            domains.narrow(place, ~mask, (tuple(conditions[1:]), nogood))

    def wake(self, place: int) -> int | None:
        """Look at what is watched in *place*, which has changed; a place without values if there is a conflict."""
        domains = self._domains
        values, watched = domains.domains, self.watched
        value = values[place]
        watching = watched[place]
        kept: list[Nogood] = []
        watched[place] = kept
        for number, nogood in enumerate(watching):
            conditions = nogood.conditions
            if len(conditions) > 1:
                position = 0 if conditions[0][0] == place else 1
                if value & ~conditions[position][1]:
                    kept.append(nogood)
                    continue
                if position == 0:
                    conditions[0], conditions[1] = conditions[1], conditions[0]
                for position in range(2, len(conditions)):
                    other, mask = conditions[position]
                    if values[other] & ~mask:
                        conditions[1], conditions[position] = conditions[position], conditions[1]
                        watched.setdefault(other, []).append(nogood)
                        break
                else:
                    position = 0
                if position:
                    continue
            kept.append(nogood)
            other, mask = conditions[0]
            if not domains.narrow(other, ~mask, (tuple(conditions[1:]), nogood)):
                kept.extend(watching[number + 1 :])
                return other
        return None
