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

from collections.abc import Callable, Sequence

from olmsolve.solver.constraints import GroupName


class Ladder:
    """The variables of a family with *length* members, the first of them *first*."""

    __slots__ = ("first", "length")

    def __init__(self, first: int, length: int) -> None:
        self.first = first
        self.length = length

    def selected(self, bit: int) -> tuple[int, ...]:
        """Return the literals that hold together if the member of *bit* is selected; member *n* is bit ``2 << n``."""
        number = bit.bit_length() - 2
        here = self.first + number
        return (here,) if number == self.length - 1 else (here, -here - 1)


class LadderClauses:
    """The clauses of ladders; *add_clause* takes them."""

    def __init__(self, add_clause: Callable[[Sequence[int]], object]) -> None:
        self._add = add_clause
        self._variables = 0
        # By group, the helper of each ladder with members there: true if such a member is selected.
        self._holders: dict[GroupName, dict[Ladder, int]] = {}

    def ladder(self, length: int) -> Ladder:
        """Return a new ladder for a family of *length* members, at most one of which is selected."""
        first = self._new(length)
        add = self._add
        for variable in range(first + 1, first + length):
            add((-variable, variable - 1))
        return Ladder(first, length)

    def require(self, guard: Sequence[int], ladder: Ladder, mask: int) -> None:
        """Require a member in *mask*, unless a literal of *guard* holds."""
        add, first = self._add, ladder.first
        bits = mask >> 1
        if not bits:
            add(guard)
            return
        number = (bits & -bits).bit_length() - 1
        add((*guard, first + number))
        while True:
            # Each run of members ends here, and the next one begins after a gap: a selected member is in no gap.
            bits >>= (bits & -bits).bit_length() - 1
            ones = (~bits & (bits + 1)).bit_length() - 1
            bits >>= ones
            number += ones
            if number == ladder.length:
                return
            if not bits:
                add((*guard, -first - number))
                return
            gap = (bits & -bits).bit_length() - 1
            add((*guard, -first - number, first + number + gap))
            number += gap

    def hold(self, ladder: Ladder, guard: Sequence[int], group: GroupName) -> None:
        """Make the member of *ladder* that *guard* negates a member of the at-most-one *group* too."""
        holders = self._holders.setdefault(group, {})
        helper = holders.get(ladder)
        if helper is None:
            helper = self._new(1)
            for other in holders.values():
                self._add((-helper, -other))
            holders[ladder] = helper
        self._add((*guard, helper))

    def _new(self, count: int) -> int:
        first = self._variables + 1
        self._variables += count
        return first
