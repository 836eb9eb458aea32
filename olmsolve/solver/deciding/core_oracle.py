"""The oracle for cores that asks the deciding engine whether units of a problem can hold together.

Most questions are close to the last one that was answered with yes. So its selections (the *witness*) are tried first:
the queue is walked without looking ahead, preferring candidates of the witness. If nothing breaks, the answer is yes
once more, and no engine had to run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Branch, Formula, GroupName, Identifier
from olmsolve.solver.deciding.analysis import Blamed
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.engine import Engine
from olmsolve.solver.glancing import MaskedWalk, masked_walk, replayed
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable, member_of
from olmsolve.solver.views import FreedBy, UnitView, easy_witness

if TYPE_CHECKING:
    from olmsolve.solver.family_rotation import FamilyRotation

_On = Callable[[Rank], bool]


class Patience:
    """The number of conflicts that the questions of a descent may still take, all together."""

    __slots__ = ("left",)

    def __init__(self, conflicts: int = sys.maxsize) -> None:
        self.left: int = conflicts


class WitnessRun(Engine):
    """A run for a witness: any solution will do, so choices may prefer what was selected before a step back.

    Variable 7 had 0b0100 before the step back, and a nogood had ruled out 0b0010, which is possible again. With 0b0100
    the choices around it are met as they were; 0b0010 would repeat the conflict.

    Of five hard problems of 100,000 bundles, three take fewer conflicts so (91 for 98, 171 for 232, 115 for 145) and
    two more (75 for 57, 388 for 267).
    """

    def __init__(self, view: UnitView, budget: Budget, most_conflicts: int) -> None:
        # Not idle: the constraint that makes an exclusion idle may be off.
        super().__init__(view, budget, idle=False, families=view.families, most_conflicts=most_conflicts)
        # By variable: the bit that was selected last.
        self._last_bits: dict[int, int] = {}

    def _take(self, position: int, need: Need) -> bool:
        variable = need.variable
        bit = self._domains.domains[variable] & need.mask & self._last_bits.get(variable, 0)
        if bit and self._domains.domains[variable] != bit:
            self._try(self._domains.members[variable][bit.bit_length() - 1], variable, bit, position)
            return False
        return super()._take(position, need)

    def _select(self, candidate: Identifier, variable: int, bit: int, position: int) -> None:
        self._last_bits[variable] = bit
        super()._select(candidate, variable, bit, position)


class DecidingOracle:
    """An oracle for cores over the units of *table*, each known by its *key*; only members *allowed* count (None: all).

    Each question raises GivenUpError when *patience* comes to an end.
    """

    def __init__(
        self,
        table: UnitTable,
        budget: Budget,
        key: Callable[[Rank], Rank],
        allowed: AbstractSet[Rank] | None,
        patience: Patience | None = None,
    ) -> None:
        self._patience = patience or Patience()
        self._table = table
        self._budget = budget
        self._key = key
        self._allowed = allowed
        # Keys that are in every core of the units that the last question left on.
        self.needed: set[Rank] = set()
        self._rotation: Rotation | None = None
        self._family_rotation: FamilyRotation | None = None
        # The walk that found the witness, if a glance did.
        self._walk: MaskedWalk | None = None
        # The last key of a question that a glance has not answered, although masked needs said all about it.
        self._glanced_in_vain: Rank | None = None
        # The units of the last refutation.
        self.blamed: set[Rank] = set()
        self._witness: dict[Identifier, None] = {}
        # All groups of the candidates in the last refutation.
        self._near: set[GroupName] = set()
        # The run that refuted the problem itself.
        self._first: Engine | None = None

    def glance(self, last: Rank, members: AbstractSet[Rank]) -> bool:
        """Return True if a walk of masked needs shows that the keys before *last* and in *members* can hold together.

        False says nothing: :meth:`conflict` asks on. The keys are members, and the question is about all of them.
        """
        self._budget.check()
        table = self._table
        if table.families is None:
            return False
        blocks_on = last[0] == GROUP
        walk = masked_walk(table, lambda key: key < last or key in members, blocks_on, self._budget)
        if not walk.is_witness:
            self._glanced_in_vain = None if walk.has_met_unmasked else last
            return False
        self._witness = walk.selected
        self._walk = walk
        return True

    def rotate_families(self, last: Rank, members: AbstractSet[Rank]) -> bool:
        """Add the *members* that rotation in sets of bits finds to the needed keys; return False if it cannot.

        It starts from the witness, which breaks *last* and nothing else, as :meth:`rotate` does.
        """
        if last[0] != GROUP or self._table.families is None:
            return False
        walk = self._walk or replayed(self._table, self._witness)
        if walk is None:
            return False
        from olmsolve.solver.family_rotation import FamilyRotation  # small problems break no group

        self._family_rotation = FamilyRotation(self._table, walk, last)
        needed = self._family_rotation.members(members)
        self.needed |= needed
        return bool(needed)

    def needed_units(self, members: AbstractSet[Rank], units: AbstractSet[Rank]) -> set[Rank]:
        """Return the *units* that the last rotation in sets of bits finds in every core of *members*."""
        return set() if self._family_rotation is None else self._family_rotation.units(members, units)

    def conflict(self, last: Rank | None, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Return keys that cannot hold together, or None if all can; see :class:`olmsolve.solver.core.CoreOracle`."""
        self._budget.check()
        smaller = self._conflict(last, members)
        if smaller is None and last is not None:
            self.rotate(last, members)
        return smaller

    def probe(self, last: Rank, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Return what :meth:`conflict` does, without rotation: the witness may break more than *last*."""
        self._budget.check()
        return self._conflict(last, members)

    def _conflict(self, last: Rank | None, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Try three ways, the cheapest first: the witness, a run that inherits nogoods, a run of its own."""
        key = self._key
        self._walk = None
        on = self._test(last, members)
        blocks_on = self._allowed is None and (last is None or last[0] == GROUP)
        # Without an earlier witness, the walk would end where the glance at the same question has ended: in vain, and
        # after 11 of 224 ms on the easy problem of 100,000 bundles. A glance that met candidates without masked needs
        # says nothing of the walk: it answers 166 of the 298 questions of 200 small requests that a run would get.
        glanced, self._glanced_in_vain = self._glanced_in_vain, None
        in_vain = last == glanced and not self._witness
        if last is not None and not in_vain and self._witnessed(UnitView(self._table, on, blocks_on), last):
            return None
        if last is not None and blocks_on:
            # Leave more groups on than the question does. A solution of this is a solution of the question too, and
            # most nogoods of the first run hold in it, since only groups near the last refutation are off.
            def most(unit: Rank) -> bool:
                return unit[0] != GROUP or unit[1] not in self._near or on(unit)

            # Outsiders take families away, so the variables of the first run would be wrong.
            first = None if self._table.outsiders else self._first
            fuller = UnitView(self._table, most, blocks_on)
            refuted = self._refuted(fuller, first, self._near)
            if refuted is None:
                return None
            # The refutation also answers the question if it does not use the groups that the question switches off.
            blamed = refuted.blame()
            if not self._record_outsiders(blamed):
                units = set(self._units(blamed, fuller, on))
                if all(map(on, units)):
                    self.blamed = units
                    return set(map(key, units))
        while True:
            view = UnitView(self._table, on, blocks_on)
            engine = self._refuted(view)
            if engine is None:
                return None
            blamed = engine.blame()
            if not self._record_outsiders(blamed):
                self.blamed = set(self._units(blamed, view, on))
                return set(map(key, self.blamed))

    def adopt(self, engine: Engine) -> set[Rank] | None:
        """Return the conflict of all units, from the run of *engine* that refuted the problem itself.

        None if that names the branch of a formula, or a prohibited candidate as the member of a group.
        """
        self._first = engine
        blamed = engine.blame()
        if any(isinstance(constraint, Formula) for constraint in blamed.constraints) or self._record_outsiders(blamed):
            # The problem does not say whose formula a branch belongs to; views do.
            return None
        view = UnitView(self._table, _always, True)
        self.blamed = set(self._units(blamed, view, _always))
        return set(map(self._key, self.blamed))

    def close(self) -> None:
        """Do nothing: all memory is Python's own."""

    def rotate(self, last: Rank, members: AbstractSet[Rank]) -> None:
        """Add the needed keys that rotation finds from the witness, which breaks *last* and nothing else.

        Later questions leave fewer units on. A set that breaks one unit of today's question breaks no more than that
        one in theirs, so it answers them as well.
        """
        key = self._key
        scope = Scope(self._test(last, {last, *members}), self._allowed is None and last[0] == GROUP)
        targets = [unit for unit in self.blamed if key(unit) not in members]
        if targets:
            self._rotation = self._rotation or Rotation(self._table, key, self._budget)
            self.needed |= self._rotation.needed(self._witness, scope, targets)

    def _test(self, last: Rank | None, members: AbstractSet[Rank]) -> _On:
        """Return the test for the units of a question: those with a key before *last* (None: all) or in *members*."""
        allowed, by_member = self._allowed, self._key is member_of
        if last is None and allowed is None:
            return _always

        def on(unit: Rank) -> bool:
            # This is `member_of`, written out. The core of a small request takes seventy tests, and calls for the
            # member, its key and its verdict would take longer than all else.
            member = unit[:3] if unit[0] == BLOCK and unit[2] == 0 else unit
            if allowed is not None and member not in allowed:
                return False
            unit_key = member if by_member else unit
            return last is None or unit_key < last or unit_key in members

        return on

    def _witnessed(self, view: UnitView, last: Rank) -> bool:
        """Return True if a walk of the queue finds a witness for *view*.

        Candidates that lose a constraint with *last* come first: they are the likely way out.
        """
        witness = easy_witness(view, [FreedBy(self._table, last), self._witness], self._budget)
        if witness is not None:
            self._witness = witness
        return witness is not None

    def _refuted(
        self, view: UnitView, first: Engine | None = None, lost: AbstractSet[GroupName] = frozenset()
    ) -> Engine | None:
        """Return a run that refutes *view*, or None if it has a solution, which becomes the witness.

        *first* is a run over the same units with the groups *lost* on, to inherit from.
        """
        patience = self._patience
        engine = WitnessRun(view, self._budget, patience.left)
        if first is not None:
            engine.inherit(first, lost)
        is_refuted = not engine.run()
        patience.left -= engine.conflicts
        if is_refuted:
            return engine
        self._witness = {identifier: None for identifier in engine.selected if not isinstance(identifier, Branch)}
        return None

    def _record_outsiders(self, blamed: Blamed) -> bool:
        """Record candidates wrongly treated as group members; return True if any are new.

        A family may count a prohibited candidate as a member although no constraint puts it in the group. Such a
        refutation is worth nothing as a core. From then on views know no group and no family with these candidates.
        """
        table = self._table
        outsiders = {
            member
            for group, members in (*blamed.groups.items(), *blamed.broken.items())
            for member in members
            if not isinstance(member, Branch) and group not in table.groups_of(member)
        }
        assert outsiders.isdisjoint(table.outsiders), "no view has a group for them"
        table.outsiders |= outsiders
        return bool(outsiders)

    def _units(self, blamed: Blamed, view: UnitView, on: _On) -> Iterator[Rank]:
        """Yield the units of the constraints and groups in a refutation of *view*."""
        constraints, groups, broken = blamed
        for constraint in constraints:
            yield view.unit_of(constraint)
        self._near = set(broken)
        for group in broken:
            yield GROUP, group
        for group, members in groups.items():
            shared = [self._table.groups_of(member) for member in members]
            self._near.update(*shared, (group,))
            # All groups with the same members say the same about them; the first is preferred.
            same = set(shared[0]).intersection(*shared[1:])
            yield min(((GROUP, other) for other in {group, *same} if on((GROUP, other))), default=(GROUP, group))


def _always(_: Rank) -> bool:
    return True
