"""The judge of a walk over families: a SAT solver that names selections which cannot hold together.

It has the clauses of what the walk has looked at. A core of the solver names *literals* of selections: "version 3 or an
older one is selected", not only "version 3 is". So a dead end blames sets of members, and rejects as many at once::

    selected: a.v9, b.v4, c.v7      core: a.v9 or older, c.v7 or newer
    while a stays at v9 or older, c.v7 and all newer members of its family are rejected

At first few members have clauses, since many problems have a handful of dead ends. A solver that does not know a member
believes that it can be selected; so it blames many selections, and late ones. After some dead ends, *all* members that
can be reached get clauses, family by family. Then "these selections can hold together" is a proof as well: they are
*settled*, and never taken back. The hard problem of 20,000 bundles has 110 dead ends then, not 750.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.backends import Backend
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.family_domains import FamilyCondition, FamilyDomain, FamilyDomains, OutsideFamiliesError
from olmsolve.solver.ladders import Ladder, LadderClauses
from olmsolve.solver.session import Session

# All members get clauses after one dead end for so many members that the walk knows of: then the dead ends have cost
# about as much as these clauses will.
_MEMBERS: Final = 250
# Conflicts after which the question whether earlier selections can hold together is given up; most dead ends need none.
# Far from the walk's selections a solver searches for seconds, where the walk's next dead ends would guide it.
_CONFLICTS: Final = 50
# Dead ends between two questions whether earlier selections can hold together, once all members have clauses.
_UNSETTLED: Final = 4


class BlamedSelection(NamedTuple):
    """A selection that the solver blames, by its number: its *family* cannot stay within *mask*."""

    number: int
    family: FamilyDomain
    mask: int


class _LaddersByGroup(dict[GroupName, Ladder]):
    """The ladders of families by group; *ladder_of* gives one that is asked for the first time."""

    def __init__(self, ladder_of: Callable[[GroupName], Ladder]) -> None:
        self._ladder_of = ladder_of

    def __missing__(self, group: GroupName) -> Ladder:
        ladder = self[group] = self._ladder_of(group)
        return ladder


class Judge:
    """A SAT solver of *backend* with the clauses of *roots* and of members; it assumes the selections of the walk."""

    def __init__(
        self, roots: Sequence[FamilyCondition], families: FamilyDomains, backend: Backend, budget: Budget
    ) -> None:
        self._roots = roots
        self.refuted: list[int] = []
        """The positions of roots that cannot hold together, after a dead end that blames no selection."""
        self._families = families
        self._budget = budget
        self._session = Session(backend, budget)
        self._clauses = LadderClauses()
        self._ladders = _LaddersByGroup(lambda group: self._ladder(families.family(group)))
        # The literals of the selections in order, how many belong to the first n of them, and for each literal the
        # number of its selection.
        self._literals: list[int] = []
        self._ends = [0]
        self._numbers: dict[int, int] = {}
        self._selections: list[FamilyDomain] = []
        # The settled selections, the dead ends, and the dead ends since all members have clauses.
        self._settled = self._dead_ends = self._questions = 0
        # Whether all members that can be reached have clauses; None before that was tried.
        self._is_complete: bool | None = None
        # Roots are assumed, so that a core names the roots that a refutation needs. By literal: the root's position.
        self._assumed_roots: dict[int, int] = {}
        for position, (family, mask) in enumerate(roots):
            literal = self._clauses.variable()
            self._assumed_roots[literal] = position
            self._clauses.require((-literal,), self._ladder(family), mask)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        self._session.close()

    def encoded(self) -> list[Identifier]:
        """Return the members that have clauses and that the roots reach through such members."""
        reached: dict[FamilyDomain, int] = {}
        encoded: list[Identifier] = []
        waiting = list(self._roots)
        while waiting:
            family, mask = waiting.pop()
            # Sets of bits drop what was reached before in one step: each member comes up once, however many lead to it.
            new = mask & family.encoded & ~reached.get(family, 0)
            reached[family] = reached.get(family, 0) | new
            while new:
                bit = new & -new
                new ^= bit
                encoded.append(family.member(bit))
                waiting += self._families.needs(family, bit)[0]
        return encoded

    def assume(self, family: FamilyDomain, bit: int) -> None:
        """Assume from now on that the member of *bit* is selected, after the earlier selections."""
        self.encode(family, bit)
        self._selections.append(family)
        literals = self._ladder(family).selected(bit)
        self._numbers.update(dict.fromkeys(literals, len(self._selections)))
        self._literals += literals
        self._ends.append(len(self._literals))

    def retract(self) -> None:
        """Assume the last selection no longer."""
        self._selections.pop()
        del self._ends[-1]
        del self._literals[self._ends[-1] :]

    def encode(self, family: FamilyDomain, bit: int) -> None:
        """Give clauses to the member of *bit*."""
        if family.encoded & bit:
            return
        needs, groups = family.needs.get(bit) or self._families.needs(family, bit)
        family.encoded |= bit
        ladder = self._ladder(family)
        guard = ladder.unselected(bit)
        for target, mask in needs:
            self._clauses.require(guard, target.ladder or self._ladder(target), mask)
        for group in groups:
            self._clauses.hold(ladder, guard, group)

    def blamed(self) -> list[BlamedSelection]:
        """Return selections that cannot hold together, ascending; none if the roots cannot hold.

        The clauses must refute the selections.
        """
        self._dead_ends += 1
        if self._is_complete is None and self._dead_ends > self._families.members // _MEMBERS:
            with COLLECTOR_PAUSE:
                self._is_complete = self._encode_all()
        answer = self._holds(len(self._selections))
        assert answer is False, "the clauses of a dead end must show it"
        while True:
            blamed = self._blamed_selections()
            if not blamed or not self._is_worth_a_question(blamed[-1].family):
                return blamed
            before = blamed[-1].number - 1
            answer = self._holds(before, _CONFLICTS)
            if answer and self._is_complete:
                self._settle(before)
                return blamed[-1:]
            if answer is not False:
                return blamed

    def _is_worth_a_question(self, family: FamilyDomain) -> bool:
        """Return True if the solver is to be asked without the last selection that is blamed, one of *family*.

        As long as few members have clauses, that is when selections of the family have been rejected 2, 4, 8, ...
        times: all members of the family then get clauses. A requirement that no member can meet takes one answer, not
        one for each member. Later it is so for every fourth dead end: a model of all clauses takes far longer than a
        refutation.
        """
        if self._is_complete:
            # As long as roots are assumed, the roots themselves may be what cannot hold, so each dead end asks.
            self._questions += 1
            return bool(self._assumed_roots) or self._questions % _UNSETTLED == 0
        family.rejected += 1
        # A power of two has one bit: 0b0100 & 0b0011 is 0, 0b0110 & 0b0101 is not.
        if family.rejected < 2 or family.rejected & (family.rejected - 1):
            return False
        for number in range(len(family.members)):
            self.encode(family, 2 << number)
        return True

    def _holds(self, selections: int, conflicts: int | None = None) -> bool | None:
        """Ask whether the first *selections* can hold together; None if *conflicts* were too few for an answer."""
        self._flush()
        first, end = self._ends[self._settled], self._ends[selections]
        assumptions = [*self._assumed_roots, *self._literals[first:end]]
        if conflicts is None:
            return self._session.solve(assumptions)
        return self._session.solve_within(conflicts, assumptions)

    def _blamed_selections(self) -> list[BlamedSelection]:
        """Return the selections in the solver's core; note its roots if there are none."""
        masks: dict[int, int] = {}
        roots: list[int] = []
        for literal in self._session.core():
            if literal in self._assumed_roots:
                roots.append(self._assumed_roots[literal])
                continue
            number = self._numbers[literal]
            masks[number] = masks.get(number, -1) & self._ladder(self._selections[number - 1]).mask(literal)
        self.refuted = [] if masks else sorted(roots)
        return [BlamedSelection(number, self._selections[number - 1], masks[number]) for number in sorted(masks)]

    def _settle(self, selections: int) -> None:
        """Make clauses of the roots and of the first *selections*, which are proven to hold together."""
        literals = [*self._assumed_roots, *self._literals[self._ends[self._settled] : self._ends[selections]]]
        self._session.add_clauses([(literal,) for literal in literals])
        self._assumed_roots.clear()
        self._settled = selections

    def _encode_all(self) -> bool:
        """Give clauses to all members that can be reached; return False if families do not describe some of them."""
        is_complete = True
        for family in self._families.met:  # more join while the loop runs
            self._budget.check()
            self._encode_family(family)
            for number in range(len(family.members)):
                try:
                    self.encode(family, 2 << number)
                except OutsideFamiliesError:
                    is_complete = False
            self._flush()  # sends the clauses to the solver, and frees their memory here
        return is_complete

    def _encode_family(self, family: FamilyDomain) -> None:
        """Give clauses to all members of *family* whose needs are runs."""
        members = self._families.needs_in_runs(family)
        if members is None:
            return
        # Members that have clauses already are left out by a bit each: with 0b0010, member 0 is not stated again.
        encoded = family.encoded
        missing = [None if encoded & 2 << number else runs for number, runs in enumerate(members)]
        self._clauses.require_runs(self._ladder(family), missing, self._ladders)
        for number, runs in enumerate(members):
            if runs is not None:
                family.encoded |= 2 << number

    def _flush(self) -> None:
        """Hand new clauses to the solver."""
        if self._clauses.waiting:
            self._session.add_clauses(self._clauses.waiting)
            self._clauses.waiting.clear()

    def _ladder(self, family: FamilyDomain) -> Ladder:
        ladder = family.ladder
        if ladder is None:
            ladder = family.ladder = self._clauses.ladder(len(family.members))
        return ladder
