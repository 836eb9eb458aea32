"""Unions: what a package that must be selected requires, whichever of its versions will be selected.

A need narrows a domain once its subject is selected. Where a domain has several values left, and one of them must be
selected, whatever *all* of them rule out is ruled out already::

    a.v2 or a.v1 must be selected; a.v2 needs b in 0b0110, a.v1 needs b in 0b1100
    union        0b1110: b must be selected, though neither version of a has been decided for
    later        c needs b in 0b0001 or 0b10000: c is ruled out before the queue decides for it

On the hard problem of 100,000 bundles that leaves 106 of 727 conflicts, and 6,120 of 10,902 compiled bundles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Identifier
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import FamilyView

# The values of a domain whose union is made. A domain with more seldom rules anything out, and takes long to read.
_MOST_VALUES: Final = 32
# Members of families that are read between two looks at the limits.
_READ_PER_CHECK: Final = 64


class Union:
    """The source of a reason: each value of *variable* in *mask* has a need on the variable *target*.

    Thousands are made and few are ever looked at, so the needs are looked up on demand.
    """

    __slots__ = ("_masks", "_members", "_nogood", "mask", "target", "variable")

    def __init__(
        self,
        variable: int,
        mask: int,
        target: int,
        members: Sequence[Identifier | None],
        masks: Mapping[int, Sequence[tuple[int, int]]],
    ) -> None:
        # Both are about the variable alone. With the domains in place of them, each reason would be in a cycle, and a
        # search would be freed by the collector: 0.05 to 0.1 s on the hard problem of 100,000 bundles.
        self._members = members
        self._masks = masks
        self._nogood: Nogood | None = None
        self.variable: int = variable
        self.mask: int = mask
        self.target: int = target

    @property
    def nogood(self) -> Nogood:
        """The nogood that stands for the needs: a source that analysis can follow."""
        nogood = self._nogood
        if nogood is None:
            # "One of these values is selected" needs no group: each of them has its own need.
            steps: list[tuple[int, object]] = [(-1, need) for need in self.needs(self.mask)]
            nogood = self._nogood = Nogood([], steps)
        return nogood

    def needs(self, mask: int) -> Iterator[Need]:
        """Yield the needs on the target of the values in *mask*, all members of a family."""
        while mask:
            bit = mask & -mask  # the lowest one: 0b0100 of 0b1100
            mask ^= bit
            chosen = ((self.variable, bit),)
            identifier = self._members[bit.bit_length() - 1]
            for number, (needed, needed_mask) in enumerate(self._masks[bit]):
                if needed == self.target:
                    yield Need(self.target, needed_mask, chosen, identifier, number, None)


class Unions:
    """The unions of the needs of families, drawn for the variables in :attr:`waiting`."""

    def __init__(self, domains: Domains, variables: VariableTable, families: FamilyView | None, budget: Budget) -> None:
        self.waiting: dict[int, None] = {}
        """Variables that must not stay empty and have changed since their union was drawn; a set with an order."""
        self._domains = domains
        self._variables = variables
        self._families = families
        self._budget = budget
        self._unread = 0
        # By variable, then by bit: the variable and the mask of each need, without what compiling makes of it. Most
        # bundles that are read for a union are never compiled.
        self._masks: dict[int, dict[int, tuple[tuple[int, int], ...]]] = {}

    def draw(self, variable: int) -> None:
        """Rule out what all values left of *variable* exclude, and the values of which a need has no value left."""
        domains = self._domains
        values = domains.domains
        left = values[variable]
        if left & 1 or not left & (left - 1) or self._families is None or left.bit_count() > _MOST_VALUES:
            return
        by_bit = self._masks.get(variable)
        if by_bit is None:
            group = domains.groups[variable]
            if group is None or self._families.family(group) is None:
                return
            by_bit = self._masks[variable] = {}
        # By target: the values that all values of the variable so far exclude. When none is left for any target, as
        # after four or five values in the mean, nothing follows and the others need no look.
        excluded: dict[int, int] | None = None
        rest = left
        while rest:
            bit = rest & -rest  # the lowest one: 0b0100 of 0b1100
            rest ^= bit
            masks = by_bit.get(bit)
            if masks is None:
                masks = by_bit[bit] = self._read(domains.members[variable][bit.bit_length() - 1])
            still: dict[int, int] = {}
            for target, mask in masks:
                value = values[target]
                if not value & mask:
                    needs = Union(variable, bit, target, domains.members[variable], by_bit).needs(bit)
                    unmet = next(need for need in needs if not value & need.mask)
                    domains.narrow(variable, ~bit, unmet.unmet)
                    break
                outside = value & ~mask if excluded is None else excluded.get(target, 0) & ~mask
                if outside:
                    still[target] = outside
            else:
                if not still:
                    return
                excluded = still
        left = values[variable]
        # An empty domain is a conflict, which propagation finds next.
        if left and excluded is not None:
            reason, members = ((variable, left),), domains.members[variable]
            for target, outside in excluded.items():
                # "None" is always ruled out as well: the needs say that one of the others is selected, and that this
                # rules out the rest takes the group of the target, which the analysis notes.
                domains.narrow(target, ~(outside | 1), (reason, Union(variable, left, target, members, by_bit)))

    def _read(self, identifier: Identifier) -> tuple[tuple[int, int], ...]:
        """Return the variable and mask of each need of a member of a family; none if its constraints say more."""
        if self._budget.limited:
            self._unread += 1
            if self._unread == _READ_PER_CHECK:
                self._unread = 0
                self._budget.check()
        assert self._families is not None, "a family comes from them"
        masked = self._families.masked_needs(identifier)
        of_group = self._variables.of_group
        return () if masked is None else tuple([(of_group(group), mask) for group, mask in masked.needs])
