"""The walk over families: the portable search of a dense problem, in sets of bits.

Where every candidate that the queue meets is a member of a family with masked needs, the domain of a family is one
integer, as in the deciding engine. The walk takes the choices of the queue in order, each with the most wanted member
that is left. A selection narrows the domains of the families that it needs. If a family must have a member, members
whose own needs have no candidate left are removed from its domain. Nothing is encoded so far.

A domain that runs empty is a dead end. The selections, and the members that left their domains, get
:mod:`clauses <.ladders>`, and the SAT solver names selections that cannot hold together. The last of them is taken back
with everything after it, and its member leaves the domain for as long as the other named selections stay. So each
member that is passed over is refuted by the solver beside earlier selections of the queue. If the solver names none,
there is no solution. When the queue is empty, every choice is met, which proves each acceptance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.backends import Backend
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import GroupName, Identifier
from olmsolve.solver.family_domains import FamilyCondition, FamilyDomain, FamilyDomains, OutsideFamiliesError
from olmsolve.solver.judging import Judge
from olmsolve.solver.problem import CachedProblem, FamilyView, Root
from olmsolve.solver.queue import Chosen, Solution

# How many steps of the queue are taken between two looks at the clock.
_STEPS_PER_CHECK: Final = 256


class _WalkedChoice(NamedTuple):
    """A choice of the queue: a member of *family* in *mask*. *number* counts the needs of *subject* (None: a root)."""

    family: FamilyDomain
    mask: int
    subject: Identifier | None
    number: int


class _WalkedLevel:
    """A selection and what follows from it: members *removed* from domains, families *wanted*, *groups_taken*."""

    __slots__ = ("bit", "family", "groups_taken", "position", "queued", "removed", "wanted")

    def __init__(self, family: FamilyDomain | None, bit: int, position: int, queued: int) -> None:
        self.family = family
        self.bit = bit
        self.position = position
        self.queued = queued
        self.removed: list[tuple[FamilyDomain, int]] = []
        self.wanted: list[FamilyDomain] = []
        self.groups_taken: tuple[GroupName, ...] = ()


def walk_families(problem: CachedProblem, families: FamilyView, backend: Backend, budget: Budget) -> Solution | None:
    """Return the preferred solution of *problem*, or None if it has no solution; *backend* makes the SAT solver.

    Raises:
        OutsideFamiliesError: the walk met a constraint that *families* do not cover.
        Incomplete: the budget ran out.
    """
    walk = _FamilyWalk(problem.roots, families, backend, budget)
    try:
        solution = walk.run()
        if solution is None:
            problem.refuted_roots = walk.refuted_roots
        return solution
    finally:
        walk.close()


def refuted_members(problem: CachedProblem, backend: Backend, budget: Budget) -> Sequence[Identifier]:
    """Return identifiers whose constraints cannot hold together with the roots that a walk has refuted.

    Walks from these roots alone meet far fewer members: 250, where the walk from all roots gave clauses to 12,000. One
    that meets a member that families do not describe ends this; the last one's members are returned, if any.

    Raises:
        Incomplete: the budget ran out.
    """
    roots, families = problem.refuted_roots, problem.families
    members: Sequence[Identifier] = ()
    while roots and families is not None:
        walk = _FamilyWalk(roots, families, backend, budget)
        try:
            solution = walk.run()
            assert solution is None, "these roots were refuted"
            members = walk.refuted
            if len(walk.refuted_roots) == len(roots):
                break
            roots = walk.refuted_roots
        except OutsideFamiliesError:
            break
        finally:
            walk.close()
    return members


def walked_witness(
    roots: Sequence[Root], families: FamilyView, backend: Backend, budget: Budget
) -> Sequence[Identifier] | None:
    """Return identifiers that meet *roots* and all that *families* say; None if there are none, or they do not say all.

    Raises:
        Incomplete: the budget ran out.
    """
    walk = _FamilyWalk(roots, families, backend, budget)
    try:
        solution = walk.run()
    except OutsideFamiliesError:
        return None
    finally:
        walk.close()
    return None if solution is None else solution.selected


class _FamilyWalk:
    """The state of a walk: the queue, the domains, and the solver that judges dead ends."""

    def __init__(self, roots: Sequence[Root], families: FamilyView, backend: Backend, budget: Budget) -> None:
        self._roots = roots
        self._view = families
        self._backend = backend
        self._budget = budget
        self._families = FamilyDomains(families, budget)
        self._queue: list[_WalkedChoice] = []
        # The selections in order, after a level for what holds from the start.
        self._levels = [_WalkedLevel(None, 0, 0, 0)]
        self._holders: dict[GroupName, FamilyDomain] = {}
        # Families whose domains have changed since they were looked at.
        self._changed: list[FamilyDomain] = []
        # Members that have to get clauses before the solver is asked.
        self._waiting: list[FamilyCondition] = []
        # Made at the first dead end.
        self._judge: Judge | None = None

    @property
    def refuted(self) -> Sequence[Identifier]:
        """The members whose clauses the solver had when it refuted the problem, after a run without a solution."""
        return () if self._judge is None else self._judge.encoded()

    @property
    def refuted_roots(self) -> Sequence[Root]:
        """The roots that cannot hold together, after a run without a solution."""
        return () if self._judge is None else [self._roots[position] for position in self._judge.refuted]

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        if self._judge is not None:
            self._judge.close()

    def run(self) -> Solution | None:
        """Return the preferred solution, or None if there is none."""
        for root in self._roots:
            self._require(root)
        queue = self._queue
        position = steps = 0
        possible = self._renew_supports()
        while True:
            while not possible:
                back = self._dead_end()
                if back is None:
                    return None
                position = back
                possible = self._renew_supports()
            if position == len(queue):
                return self._solution()
            steps += 1
            if steps % _STEPS_PER_CHECK == 0:
                self._budget.check()
            family = queue[position].family
            if not family.taken:
                # Domains lie within the mask of every choice in the queue. After steps back, more wanted members may be
                # left than the support, so it is looked for once more.
                possible = self._find_support(family)
                if possible:
                    self._select(family, family.support, position)
                    possible = self._renew_supports()
            # A dead end sets the position anew.
            position += 1

    def _require(self, root: Root) -> None:
        """Put *root* into the queue."""
        family, mask = self._families.of_root(root)
        self._queue.append(_WalkedChoice(family, mask, None, len(self._queue)))
        self._want(family, mask, self._levels[0])

    # -- domains

    def _want(self, family: FamilyDomain, mask: int, level: _WalkedLevel) -> None:
        """Require a member of *family* in *mask*, until *level* is taken back."""
        family.wanted += 1
        level.wanted.append(family)
        # Members outside the mask leave: of 0b1110 and the mask 0b0110, 0b1110 & ~0b0110 == 0b1000.
        if family.allowed & ~mask or not family.support & family.allowed:
            self._remove(family, family.allowed & ~mask, level)

    def _remove(self, family: FamilyDomain, bits: int, level: _WalkedLevel) -> None:
        """Remove *bits* from the domain of *family*, until *level* is taken back."""
        family.allowed &= ~bits
        level.removed.append((family, bits))
        self._changed.append(family)

    def _renew_supports(self) -> bool:
        """Find another support for each family that lost its own to a change; return False if one has no member left.

        A family that was narrowed may be needed by the supports of other families, its users. Where such a need has no
        candidate left, the user narrows as well, and so on: db loses v2, so that app's v3, which requires it, goes.
        """
        changed = self._changed
        while changed:
            family = changed.pop()
            # A member is required: only families of choices in the queue are narrowed.
            if not family.taken and not family.support & family.allowed and not self._find_support(family):
                return False
            for user in family.users:
                lost = user.wanted and not user.taken and not self._is_possible(user, user.support)
                if lost and not self._find_support(user):
                    return False
        return True

    def _find_support(self, family: FamilyDomain) -> bool:
        """Find the most wanted possible member of *family*; return False if there is none.

        Members before it leave the domain.
        """
        impossible, left = 0, family.allowed
        while left:
            bit = left & -left  # the lowest one, which is the most wanted: 0b0100 of 0b1100
            if self._is_possible(family, bit) and not (family.nogoods and family.is_refuted(bit)):
                break
            self._waiting.append((family, bit))
            impossible |= bit
            left ^= bit
        if impossible:
            self._remove(family, impossible, self._levels[-1])
        if not left:
            return False
        if bit != family.support:
            family.support = bit
            for target, _ in self._families.needs(family, bit)[0]:
                target.users[family] = None
        return True

    def _is_possible(self, family: FamilyDomain, bit: int) -> bool:
        """Return True if each need of the member of *bit* has a candidate left, and its groups have no other holder."""
        needs, groups = family.needs.get(bit) or self._families.needs(family, bit)
        for target, mask in needs:
            if not target.allowed & mask:
                return False
        return not groups or all(self._holders.get(group, family) is family for group in groups)

    def _select(self, family: FamilyDomain, bit: int, position: int) -> None:
        """Select the member of *bit* for the choice at *position*; its choices join the queue."""
        level = _WalkedLevel(family, bit, position, len(self._queue))
        self._levels.append(level)
        if self._judge is not None:
            self._judge.assume(family, bit)
        family.taken, family.taker = bit, position
        # The domain becomes the one member: 0b1110 without ~0b0100, 0b1010, is 0b0100.
        self._remove(family, family.allowed & ~bit, level)
        needs, groups = self._families.needs(family, bit)
        subject = family.member(bit)
        for number, (target, mask) in enumerate(needs):
            self._queue.append(_WalkedChoice(target, mask, subject, number))
            self._want(target, mask, level)
        if groups:
            level.groups_taken = groups
            # Other members of these groups are looked at when their families have their turn.
            self._holders.update(dict.fromkeys(groups, family))

    def _unselect(self) -> None:
        """Take back the last selection."""
        level = self._levels.pop()
        for family, bits in level.removed:
            family.allowed |= bits
        for family in level.wanted:
            family.wanted -= 1
        for group in level.groups_taken:
            del self._holders[group]
        del self._queue[level.queued :]
        assert level.family is not None, "what holds from the start is never taken back"
        level.family.taken = 0
        if self._judge is not None:
            self._judge.retract()

    # -- dead ends

    def _dead_end(self) -> int | None:
        """Take back the selection that the solver blames; return its choice's position, None if nothing is left."""
        self._budget.trace.conflicts += 1
        judge = self._judge or self._begin()
        for family, bit in self._waiting:
            judge.encode(family, bit)
        self._waiting.clear()
        self._changed.clear()
        blamed = judge.blamed()
        if not blamed:
            return None
        # The last selection comes first, because its condition is the first one that no longer holds.
        conditions = [(identifier.family, identifier.mask) for identifier in reversed(blamed)]
        for family, mask in conditions:
            family.nogoods.append((mask, conditions))
        last = blamed[-1]
        level = self._levels[last.number]
        while len(self._levels) > last.number:
            self._unselect()
        # The refutation holds as long as the other blamed selections stay.
        holds_for = self._levels[blamed[-2].number if len(blamed) > 1 else 0]
        self._remove(last.family, last.family.allowed & last.mask, holds_for)
        return level.position

    def _begin(self) -> Judge:
        """Return the judge, who assumes the selections so far."""
        roots = [(family, mask) for family, mask, subject, _ in self._queue if subject is None]
        judge = self._judge = Judge(roots, self._families, self._backend, self._budget)
        for level in self._levels[1:]:
            assert level.family is not None, "only the first level is no selection"
            judge.assume(level.family, level.bit)
        return judge

    # -- the answer

    def _solution(self) -> Solution:
        selected = [level.family.member(level.bit) for level in self._levels if level.family is not None]
        return Solution(tuple(selected), tuple(self._choices_met()))

    def _choices_met(self) -> Iterator[Chosen]:
        """Yield how each choice was met, in order."""
        # The choices of a subject are neighbours in the queue, so its origins are looked up once.
        last: Identifier | None = None
        origins: Sequence[object] = [root.origin for root in self._roots]
        for position, (family, _, subject, number) in enumerate(self._queue):
            if subject != last:
                last, origins = subject, self._view.origins(subject)
            yield Chosen(family.member(family.taken), subject, origins[number], family.taker != position)
