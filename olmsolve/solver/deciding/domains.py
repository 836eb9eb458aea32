"""Finite domains with a trail.

A *variable* stands for an at-most-one group: its value is the selected candidate of the group, or "none".
Candidates that exclude each other share a variable, every other candidate has one of its own. A *domain* is the set
of values that are left, as an integer: bit 0 is "none", the others are candidates in the order in which they were met.
So intersecting two sets of a thousand versions is one operation on integers:

    0b1110   the domain of package b: one of b.v3, b.v2, b.v1 (bits 1, 2, 3) must be selected
    0b1101   the values to keep, since b.v3 is ruled out
    0b1100   their intersection: b.v2 or b.v1 must be selected

New candidates can be met at any time, so an untouched domain is -1: all bits that there will ever be.

A *condition* ``(variable, mask)`` holds once the domain of the variable lies within the mask. Domains shrink until
a decision is taken back, so a condition that holds goes on holding until then.

An *event* narrows a domain. It has a reason, and the level of the last decision that the reason depends on, which may
lie below the current level: conclusions are drawn lazily, and decisions are taken back one by one. So taking back a
decision keeps the later events that do not depend on it.
"""

from __future__ import annotations

from typing import TypeAlias

from olmsolve.solver.constraints import GroupName, Identifier

Condition: TypeAlias = tuple[int, int]
"""A variable and a mask: the value of the variable is in the mask."""

Reason: TypeAlias = tuple[tuple[Condition, ...], object]
"""Conditions from which a conclusion follows, and its source: a constraint, the name of a group, or a nogood."""


class Domains:
    """The domain of each variable, and the events and decisions that narrowed them.

    Event *n* narrowed ``variables[n]`` from ``before[n]`` to ``before[n] & keeps[n]`` for ``reasons[n]`` (None: it
    is a decision). The reason holds since the decision of level ``levels[n]`` (0: whatever is decided).

    Events are columns of integers, not objects: thousands are made and most are never looked at again.
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
        "reasons",
        "starts",
        "variables",
    )

    def __init__(self) -> None:
        # By variable: its domain, its group (None: a single candidate), its candidates by bit, its events in order.
        self.domains: list[int] = []
        self.groups: list[GroupName | None] = []
        self.members: list[list[Identifier | None]] = []
        self.events: list[list[int]] = []
        # By event.
        self.variables: list[int] = []
        self.before: list[int] = []
        self.keeps: list[int] = []
        self.reasons: list[Reason | None] = []
        self.levels: list[int] = []
        # The event of each decision.
        self.starts: list[int] = []
        # Variables that have changed since propagation looked at them.
        self.pending: list[int] = []

    def new(self, group: GroupName | None) -> int:
        """Return a new variable for *group* (None: for a single candidate), with an untouched domain."""
        self.domains.append(-1)
        self.groups.append(group)
        self.members.append([None])
        self.events.append([])
        return len(self.domains) - 1

    def decide(self, variable: int, bit: int) -> None:
        """Open a level with the decision that *variable* has the value of *bit*."""
        self.starts.append(len(self.variables))
        self._record(variable, bit, None, len(self.starts))

    def narrow(self, variable: int, keep: int, reason: Reason) -> int:
        """Keep only the bits of *keep* in the domain of *variable*; return the bits that are left.

        The conditions of *reason* must hold.
        """
        domain = self.domains[variable]
        left = domain & keep
        if left != domain:
            # What `level` and `_record` do, without a call of each for every event.
            events, before, keeps, levels = self.events, self.before, self.keeps, self.levels
            level = 0
            for other, mask in reason[0]:
                outside = ~mask
                for event in reversed(events[other]):
                    if before[event] & outside:
                        if levels[event] > level:
                            level = levels[event]
                        outside &= keeps[event]
                        if not outside:
                            break
            self.domains[variable] = left
            events[variable].append(len(before))
            before.append(domain)
            keeps.append(keep)
            levels.append(level)
            self.variables.append(variable)
            self.reasons.append(reason)
            self.pending.append(variable)
        return left

    def _record(self, variable: int, keep: int, reason: Reason | None, level: int) -> None:
        before = self.domains[variable]
        self.domains[variable] = before & keep
        self.events[variable].append(len(self.variables))
        self.variables.append(variable)
        self.before.append(before)
        self.keeps.append(keep)
        self.reasons.append(reason)
        self.levels.append(level)
        self.pending.append(variable)

    def cause(self, variable: int, mask: int) -> int:
        """Return the event that made the condition ``(variable, mask)`` hold; -1 if it holds from the start.

        It is the last event before which the domain still had a bit outside the mask.
        """
        # Of four values, the mask 0b0110 holds once bits 0 and 3 are gone: the cause took the last of the two.
        before = self.before
        outside = ~mask
        for event in reversed(self.events[variable]):
            if before[event] & outside:
                return event
        return -1

    def level(self, variable: int, mask: int) -> int:
        """Return the level of the last decision that the condition ``(variable, mask)`` depends on; 0 if none.

        Several events may have removed the bits outside the mask, each with its own level:

            domain 0b1111, mask 0b1100   outside: 0b0011
            event at level 1 keeps 0b1110, event at level 4 keeps 0b1101
            each removed one outside bit, so the level is 4
        """
        level = 0
        before, levels = self.before, self.levels
        outside = ~mask
        for event in reversed(self.events[variable]):
            if before[event] & outside:
                if levels[event] > level:
                    level = levels[event]
                # The bits outside the mask that earlier events must have removed.
                outside &= self.keeps[event]
                if not outside:
                    break
        return level

    def backtrack(self, level: int) -> None:
        """Take back the decisions above *level* and the events that depend on them."""
        start = self.starts[level]
        del self.starts[level:]
        domains, events, variables = self.domains, self.events, self.variables
        before, keeps, reasons, levels = self.before, self.keeps, self.reasons, self.levels
        for variable, domain in zip(reversed(variables[start:]), reversed(before[start:]), strict=True):
            domains[variable] = domain
            events[variable].pop()
        # By columns, without a call for each event: a conflict of the hard problem of 20,000 bundles leaves 80.
        staying = [event for event, its_level in enumerate(levels[start:], start) if its_level <= level]
        variables[start:] = [variables[event] for event in staying]
        keeps[start:] = [keeps[event] for event in staying]
        reasons[start:] = [reasons[event] for event in staying]
        levels[start:] = [levels[event] for event in staying]
        del before[start:]
        # Each narrowed a domain that had lost more by then, so it narrows this one too.
        for event in range(start, len(variables)):
            variable = variables[event]
            domain = domains[variable]
            before.append(domain)
            domains[variable] = domain & keeps[event]
            events[variable].append(event)
        self.pending[:] = variables[start:]
