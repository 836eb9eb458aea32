"""Families as clauses: the order encoding, which has a variable for each position in a family.

Members are counted from the most wanted one. The first variable of a family is true if a member is selected; variable
*k* after it is true if the selected member comes after member *k - 1*. With four members and the variables s, p, q, r::

    at most one is selected        p → s     q → p     r → q
    member 2 is selected           q ∧ ¬r
    member 2 needs 1 or 2 of t     ¬q ∨ r ∨ t1     ¬q ∨ r ∨ ¬t3

So a member has no variable of its own, and a requirement takes two clauses, however many members meet it. A solver that
tries "false" first selects the most wanted member that is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from olmsolve.solver.constraints import GroupName
from olmsolve.solver.problem import Run


class Ladder:
    """The variables of a family with *length* members, the first of them *first*."""

    __slots__ = ("first", "length")

    def __init__(self, first: int, length: int) -> None:
        self.first: int = first
        self.length: int = length

    def selected(self, bit: int) -> tuple[int, ...]:
        """Return the literals that hold together if the member of *bit* is selected; member *n* is bit ``2 << n``."""
        number = bit.bit_length() - 2
        here = self.first + number
        return (here,) if number == self.length - 1 else (here, -here - 1)

    def unselected(self, bit: int) -> tuple[int, ...]:
        """Return the literals one of which holds unless the member of *bit* is selected."""
        return tuple([-literal for literal in self.selected(bit)])

    def mask(self, literal: int) -> int:
        """Return the values with which *literal* holds, as bits; bit 0 is "none is selected".

        In a ladder from variable 5 on, literal 7 says "member 2 or a later one": ``~0b0111``; literal -7 says "none, or
        a member before 2": ``0b0111``.
        """
        number = abs(literal) - self.first
        return -(2 << number) if literal > 0 else (2 << number) - 1


class LadderClauses:
    """The clauses of ladders; clauses in *waiting* are new since they were last taken."""

    def __init__(self) -> None:
        self.waiting: list[Sequence[int]] = []
        self._variables = 0
        # By group, the helper of each ladder with members there: true if such a member is selected.
        self._holders: dict[GroupName, dict[Ladder, int]] = {}

    def ladder(self, length: int) -> Ladder:
        """Return a new ladder for a family of *length* members, at most one of which is selected."""
        first = self.variable(length)
        self.waiting += [(-variable, variable - 1) for variable in range(first + 1, first + length)]
        return Ladder(first, length)

    def require(self, guard: tuple[int, ...], ladder: Ladder, mask: int) -> None:
        """Require a member in *mask*, unless a literal of *guard* holds."""
        add, first = self.waiting.append, ladder.first
        # Without the free bit 0, members 2, 3 and 5 are 0b101100: the runs are 2 to 3 and 5, with a gap at 4.
        bits = mask >> 1
        if not bits:
            add(guard)
            return
        number = (bits & -bits).bit_length() - 1
        add((*guard, first + number))
        left = bits >> number
        while True:
            # Each run of members ends here, and the next one begins after a gap: a selected member is in no gap. In
            # 0b10111, bit 3 is the lowest that is off, so that the run has 3 members.
            run = (~left & (left + 1)).bit_length() - 1
            left >>= run
            number += run
            if number == ladder.length:
                return
            if not left:
                add((*guard, -first - number))
                return
            gap = (left & -left).bit_length() - 1
            add((*guard, -first - number, first + number + gap))
            left >>= gap
            number += gap

    def require_runs(
        self, ladder: Ladder, members: Sequence[Sequence[Run] | None], ladders: Mapping[GroupName, Ladder]
    ) -> None:
        """Give the *members* of *ladder* the clauses of :meth:`require` for each of their runs; None has no clauses."""
        # For families as a whole: the answer of the hard problem of 20,000 bundles takes minisat22 135 ms so, and 175
        # with one member after the other.
        add = self.waiting.append
        for number, runs in enumerate(members):
            if runs is None:
                continue
            guard = ladder.unselected(2 << number)
            for group, first, end in runs:
                if first == end:
                    add(guard)
                    continue
                target = ladders[group]
                start = target.first
                add((*guard, start + first))
                if end < target.length:
                    add((*guard, -start - end))

    def hold(self, ladder: Ladder, guard: tuple[int, ...], group: GroupName) -> None:
        """Make the member of *ladder* that *guard* negates a member of the at-most-one *group* too."""
        holders = self._holders.setdefault(group, {})
        helper = holders.get(ladder)
        if helper is None:
            helper = self.variable()
            self.waiting += [(-helper, -other) for other in holders.values()]
            holders[ladder] = helper
        self.waiting.append((*guard, helper))

    def variable(self, count: int = 1) -> int:
        """Add *count* variables; return the first of them."""
        first = self._variables + 1
        self._variables += count
        return first
