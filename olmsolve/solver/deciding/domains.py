"""Finite domains with a trail.

A *place* is a variable whose value is one candidate of an at-most-one group, or none of them: candidates that
exclude each other share a place, every other candidate has a place of its own. A *domain* is an integer: bit 0
stands for "none", the others for candidates, in the order in which they were met. New candidates can be met at
any time, so a domain that nothing has narrowed is -1: all bits that there will ever be.

A *condition* ``(place, mask)`` holds when the domain of the place lies in the mask: then the place's value does.
Domains only shrink until they are taken back, so a condition that holds goes on holding.

Each *event* that narrows a domain has a reason, and the level of the decision that it depends on. That may be an
earlier level than the current one, because conclusions are drawn lazily and decisions are taken back one by one. So
taking back a decision keeps the events above it that do not depend on it.
"""

from __future__ import annotations

from typing import TypeAlias

from olmsolve.solver.constraints import GroupName, Identifier

__all__ = ["Condition", "Domains", "Reason"]

Condition: TypeAlias = tuple[int, int]

Reason: TypeAlias = tuple[tuple[Condition, ...], object]
"""The conditions from which something follows, and by what: a constraint, a group's name, or a nogood."""


class Domains:
    """The domain of each place, and the events and decisions that narrowed them.

    Event *n* narrowed ``places[n]`` from ``before[n]`` to ``before[n] & keeps[n]``, for ``reasons[n]`` (None: it
    is a decision), which hold since the decision of level ``levels[n]`` (0: whatever is decided).
    """

    __slots__ = (
        "before",
        "domains",
        "events",
        "groups",
        "keeps",
        "levels",
        "members",
        "pending",
        "places",
        "reasons",
        "starts",
    )

    def __init__(self) -> None:
        # By place: its domain, its group (None: a single candidate), its candidates by bit, its events in order.
        self.domains: list[int] = []
        self.groups: list[GroupName | None] = []
        self.members: list[list[Identifier | None]] = []
        self.events: list[list[int]] = []
        # By event.
        self.places: list[int] = []
        self.before: list[int] = []
        self.keeps: list[int] = []
        self.reasons: list[Reason | None] = []
        self.levels: list[int] = []
        # The event of each decision.
        self.starts: list[int] = []
        # Places that have changed since propagation has looked at them.
        self.pending: list[int] = []

    def new(self, group: GroupName | None) -> int:
        """A new place that nothing has narrowed."""
        self.domains.append(-1)
        self.groups.append(group)
        self.members.append([None])
        self.events.append([])
        return len(self.domains) - 1

    def decide(self, place: int, bit: int) -> None:
        """Open a level with the decision for the candidate that is *bit* of *place*."""
        self.starts.append(len(self.places))
        self._record(place, bit, None, len(self.starts))

    def narrow(self, place: int, keep: int, reason: Reason) -> int:
        """Keep only the bits of *keep* in the domain of *place*; what is left. The conditions of *reason* must hold."""
        domain = self.domains[place]
        left = domain & keep
        if left != domain:
            level = 0
            for condition in reason[0]:
                level = max(level, self.level(*condition))
            self._record(place, keep, reason, level)
        return left

    def _record(self, place: int, keep: int, reason: Reason | None, level: int) -> None:
        before = self.domains[place]
        self.domains[place] = before & keep
        self.events[place].append(len(self.places))
        self.places.append(place)
        self.before.append(before)
        self.keeps.append(keep)
        self.reasons.append(reason)
        self.levels.append(level)
        self.pending.append(place)

    def since(self, place: int, mask: int) -> int:
        """The event that made the condition hold, which must hold; -1 if it always does."""
        before = self.before
        outside = ~mask
        for event in reversed(self.events[place]):
            if before[event] & outside:
                return event
        return -1

    def level(self, place: int, mask: int) -> int:
        """The level of the last decision that the condition, which must hold, depends on; 0 if there is none."""
        level = 0
        before, levels = self.before, self.levels
        outside = ~mask
        for event in reversed(self.events[place]):
            if before[event] & outside:
                if levels[event] > level:
                    level = levels[event]
                # What this event leaves to the ones before it.
                outside &= self.keeps[event]
                if not outside:
                    break
        return level

    def take_back(self, level: int) -> None:
        """Undo the decisions above *level* and what depends on them."""
        start = self.starts[level]
        del self.starts[level:]
        domains, events, places, before, levels = self.domains, self.events, self.places, self.before, self.levels
        kept: list[tuple[int, int, Reason | None, int]] = []
        for event in range(len(places) - 1, start - 1, -1):
            place = places[event]
            domains[place] = before[event]
            events[place].pop()
            if levels[event] <= level:
                kept.append((place, self.keeps[event], self.reasons[event], levels[event]))
        del places[start:], before[start:], self.keeps[start:], self.reasons[start:], levels[start:]
        self.pending.clear()
        for place, keep, reason, its_level in reversed(kept):
            if domains[place] & ~keep:
                self._record(place, keep, reason, its_level)
