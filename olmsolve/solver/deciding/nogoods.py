"""Nogoods: sets of conditions that cannot all hold. When all but one hold, the last must not."""

from __future__ import annotations

from typing import TypeAlias

from olmsolve.solver.deciding.domains import Condition, Domains


class Nogood:
    """A set of *conditions*, on different variables, that cannot all hold.

    *source* is where the nogood comes from: a constraint, or the steps of the analysis of a conflict. A step is a pair:
    the variable whose at-most-one group was needed (-1 for none), and the source of the reason that was resolved with
    (None for none).
    """

    __slots__ = ("conditions", "source")

    def __init__(self, conditions: list[Condition], source: object) -> None:
        self.conditions: list[Condition] = conditions
        self.source: object = source


Watch: TypeAlias = tuple[int, Nogood]
"""A nogood that watches a variable, after the values outside its condition there: while one is left, it does not hold.

A nogood with the condition ``(7, 0b0110)`` watches variable 7 with ``~0b0110``. In the domain 0b1110 the value 0b1000
is outside, so nothing follows; in 0b0110 none is, and the nogood is looked at.
"""


class Nogoods:
    """The nogoods of a run, each watched at the variables of its first two conditions, like clauses in a SAT solver.

    A nogood can rule something out only when all conditions but one hold. As long as two conditions do not hold,
    nothing follows; so watching two of them is enough, and changes of all other variables cost nothing.
    """

    def __init__(self, domains: Domains) -> None:
        self._domains = domains
        self.watched: dict[int, list[Watch]] = {}
        """By variable: the nogoods that watch it."""

    def add(self, nogood: Nogood) -> None:
        """Watch *nogood*, and draw its conclusion if all conditions but one hold."""
        domains = self._domains
        values = domains.domains
        # Conditions that do not hold come first, then the one whose decision will be taken back first.
        never = len(domains.starts) + 1  # the level of a condition that does not hold
        level = {c: never if values[c[0]] & ~c[1] else domains.level(*c) for c in nogood.conditions}
        conditions = nogood.conditions = sorted(nogood.conditions, key=lambda condition: -level[condition])
        for variable, mask in conditions[:2]:
            self.watched.setdefault(variable, []).append((~mask, nogood))
        if len(conditions) < 2 or level[conditions[1]] < never:
            variable, mask = conditions[0]
            domains.narrow(variable, ~mask, (tuple(conditions[1:]), nogood))

    def propagate(self, variable: int) -> int | None:
        """Draw conclusions from the nogoods that watch *variable*, which has changed.

        Return a variable whose domain is empty if there is a conflict, or None.
        """
        domains = self._domains
        values, watched = domains.domains, self.watched
        value, watching = values[variable], watched[variable]
        # The other nogoods watch a condition here that does not hold, so they keep their watches.
        reached = [watch for watch in watching if not value & watch[0]]
        moved: list[Watch] = []
        conflict: int | None = None
        for watch in reached:
            nogood = watch[1]
            conditions = nogood.conditions
            # A nogood here has two conditions or more: a single condition was ruled out for good when its nogood was
            # added.
            if conditions[0][0] == variable:
                conditions[0], conditions[1] = conditions[1], conditions[0]
            # Watch another condition that does not hold, if there is one.
            for position in range(2, len(conditions)):
                other, mask = conditions[position]
                if values[other] & ~mask:
                    conditions[1], conditions[position] = conditions[position], conditions[1]
                    watched.setdefault(other, []).append((~mask, nogood))
                    moved.append(watch)
                    break
            else:
                # All conditions but the first hold, so the first must not.
                other, mask = conditions[0]
                if not domains.narrow(other, ~mask, (tuple(conditions[1:]), nogood)):
                    conflict = other
                    break
        if moved:
            watched[variable] = [watch for watch in watching if watch not in moved]
        return conflict
