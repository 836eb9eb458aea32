"""Unions: what a package that must be selected requires, whichever of its versions will be selected.

A need narrows a domain once its subject is selected. Where a domain has several values left, and one of them must be
selected, whatever *all* of them rule out is ruled out already::

    a.v2 or a.v1 must be selected; a.v2 needs b in 0b0110, a.v1 needs b in 0b1100
    union        0b1110: b must be selected, though neither version of a has been decided for
    later        c needs b in 0b0001 or 0b10000: c is ruled out before the queue decides for it

On the hard problem of 100,000 bundles that leaves 107 of 727 conflicts, and 5,766 of 10,902 compiled bundles.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Identifier
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.domains import Domains, Reason
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import FamilyView

# The values of a domain whose union is made. A domain with more seldom rules anything out, and takes long to read.
_MOST_VALUES: Final = 32
# Members of families that are read between two looks at the limits.
_READ_PER_CHECK: Final = 64
# The domains of a target for which the unmet needs are remembered.
_MOST_DOMAINS: Final = 64
# Stands for a domain that leaves a value for every need: no subject is ruled out, so there is no reason.
_ALL_MET: Final[tuple[int, Reason]] = (0, ((), None))


class _Target:
    """The needs of the values of one variable on the variable *target*.

    *needs* has a triple for each: the mask, the bit of its subject, and its number among the subject's needs. The bits
    of all subjects are *subjects*.
    """

    __slots__ = ("needs", "subjects", "target", "unmet", "witness", "witness_covers")

    def __init__(self, target: int, needs: Sequence[tuple[int, int, int]]) -> None:
        self.target: int = target
        self.needs: Sequence[tuple[int, int, int]] = needs
        self.subjects: int = 0
        for _, bit, _ in needs:
            self.subjects |= bit
        # By domain of the target: the subjects of needs of which no value is left, and the reason that rules them out.
        # Of 63,768 looks on the hard problem of 100,000 bundles, 46,508 find the domain here.
        self.unmet: dict[int, tuple[int, Reason]] = {}
        # Values whose needs together allow *witness_covers*: while they are left, nothing in there is excluded, and the
        # others need no look. That ends 33,163 of 48,471 searches on the hard problem of 100,000 bundles at once.
        #     a.v3 needs b in 0b0110, a.v1 needs b in 0b1100: of the domain 0b1110 nothing is excluded, whatever a.v2
        #     needs, until a.v3 or a.v1 is ruled out
        self.witness: int = 0
        self.witness_covers: int = 0


class Union:
    """The source of a reason: each value of *variable* in *mask* has a need on the variable *target*.

    Thousands are made and few are ever looked at, so the needs are looked up on demand.
    """

    __slots__ = ("_members", "_needs", "_nogood", "mask", "target", "variable")

    def __init__(
        self,
        variable: int,
        mask: int,
        target: int,
        members: Sequence[Identifier | None],
        needs: Sequence[tuple[int, int, int]],
    ) -> None:
        # Both are about the variable alone. With the domains in place of them, each reason would be in a cycle, and a
        # search would be freed by the collector: 0.05 to 0.1 s on the hard problem of 100,000 bundles.
        self._members = members
        self._needs = needs
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
        for needed, bit, number in self._needs:
            if bit & mask:
                subject = self._members[bit.bit_length() - 1]
                yield Need(self.target, needed, ((self.variable, bit),), subject, number, None)


class Unions:
    """The unions of the needs of families, computed for the variables in :attr:`waiting`."""

    def __init__(self, domains: Domains, variables: VariableTable, families: FamilyView | None, budget: Budget) -> None:
        # The first entry is taken out again and again; a plain dictionary would look at all holes before it each time.
        self.waiting: OrderedDict[int, None] = OrderedDict()
        """Variables that must get a value and have changed since their union was computed; a set with an order."""
        self._domains = domains
        self._variables = variables
        self._families = families
        self._budget = budget
        self._unread = 0
        # By variable: the values that have been read (-1: all), and what they need. Most bundles that are read for a
        # union are never compiled.
        self._read: dict[int, tuple[int, list[_Target]]] = {}

    def draw(self, variable: int) -> None:
        """Rule out what all values left of *variable* exclude, and the values of which a need has no value left."""
        domains = self._domains
        values = domains.domains
        left = values[variable]
        # A negative domain has lost single values alone, and has infinitely many left.
        if left < 0 or left & 1 or not left & (left - 1) or left.bit_count() > _MOST_VALUES:
            return
        read = self._read.get(variable)
        if read is None or left & ~read[0]:
            read = self._read[variable] = self._reading(variable, left if read is None else left | read[0])
        targets = read[1]
        for on in targets:
            value = values[on.target]
            unmet = on.unmet.get(value)
            if unmet is None:
                # One event for all of them, since a reason is a condition on the target alone: 12,106 events are
                # made on the hard problem of 100,000 bundles, and 20,627 with one for each.
                if len(on.unmet) == _MOST_DOMAINS:
                    on.unmet.clear()
                bits = masks = 0
                for mask, bit, _ in on.needs:
                    if not value & mask:
                        bits |= bit
                        masks |= mask
                if bits:
                    source = Union(variable, bits, on.target, domains.members[variable], on.needs)
                    unmet = on.unmet[value] = bits, (((on.target, ~masks),), source)
                else:
                    unmet = on.unmet[value] = _ALL_MET
            if left & unmet[0]:
                left = domains.narrow(variable, ~unmet[0], unmet[1])
        # A single value is selected next, and an empty domain is a conflict.
        if not left & (left - 1):
            return
        for on in targets:
            # All values left must have a need.
            if left & ~on.subjects:
                continue
            value, witness = values[on.target], on.witness
            if left & witness == witness and not value & ~on.witness_covers:
                continue
            witness = covered = 0
            for mask, bit, _ in on.needs:
                if left & bit:
                    witness |= bit
                    covered |= mask
                    if not value & ~covered:
                        on.witness, on.witness_covers = witness, covered
                        break
            else:
                # "None" is ruled out as well: the needs say that one of the others is selected, and that this rules
                # out the rest takes the group of the target, which the analysis notes.
                source = Union(variable, left, on.target, domains.members[variable], on.needs)
                domains.narrow(on.target, covered, (((variable, left),), source))

    def _reading(self, variable: int, bits: int) -> tuple[int, list[_Target]]:
        """Return which values of *variable* have been read, at least the ones in *bits*, and their needs."""
        group, families, of_group = self._domains.groups[variable], self._families, self._variables.of_group
        if group is None or families is None or families.family(group) is None:
            return -1, []
        members = self._domains.members[variable]
        self._check(bits.bit_count())
        by_target = families.needs_by_target(group, bits)
        if by_target is not None:
            return bits, [_Target(of_group(needed), needs) for needed, needs in by_target]
        by_variable: dict[int, list[tuple[int, int, int]]] = {}
        rest = bits
        while rest:
            bit = rest & -rest  # the lowest one: 0b0100 of 0b1100
            rest ^= bit
            masked = families.masked_needs(members[bit.bit_length() - 1])
            if masked is not None:
                for number, (needed, mask) in enumerate(masked.needs):
                    by_variable.setdefault(of_group(needed), []).append((mask, bit, number))
        return bits, [_Target(target, needs) for target, needs in by_variable.items()]

    def _check(self, members: int) -> None:
        """Look at the limits if, with so many *members* more, many have been read since the last look."""
        if self._budget.limited:
            self._unread += members
            if self._unread >= _READ_PER_CHECK:
                self._unread = 0
                self._budget.check()
