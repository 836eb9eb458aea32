"""The walk over families: the portable search of a dense problem, in sets of bits.

Where every candidate that the queue meets is a member of a family with masked needs, the domain of a family is one
integer, as in the deciding engine. The walk takes the choices of the queue in order, each with the most wanted member
that is left. A selection narrows the domains of the families that it needs. Where a family must have a member, those
leave its domain whose own needs have no candidate left. Nothing is encoded so far.

A domain that runs empty is a dead end. The selections, and the members that left their domains, get
:mod:`clauses <.ladders>`, and the SAT solver names selections that cannot stand together. The last of them is taken
back with everything after it, and its member leaves the domain for as long as the others that were named stand. So
each member that is passed over is refuted by the solver beside earlier selections of the queue. If the solver names
none, there is no solution. When the queue is empty, every choice is met, which proves each acceptance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from olmsolve.solver.answer import Chosen, Solution
from olmsolve.solver.backends import Backend
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Dependency, GroupName, Identifier
from olmsolve.solver.ladders import Ladder, LadderClauses
from olmsolve.solver.problem import CachedProblem, FamilyView, Root
from olmsolve.solver.session import Session

# How many steps of the queue are taken between two looks at the clock.
_STEPS_PER_CHECK: Final = 256


class OutsideFamiliesError(Exception):
    """The walk has met a root or candidate that families do not describe."""


class _WalkedFamily:
    """A family of the problem and its domain; member *n* is bit ``2 << n``.

    *allowed* are the members left, *taken* is the bit of the selected one (0: none), *taker* the position of its
    choice. *wanted* counts the selections that need a member, and *support* is a member that none of its needs rules
    out. *users* are families whose support may need this one. *rejected* counts selections that the solver blamed,
    *nogoods* has them by bit, each with the others that were named. *encoded* are the members with clauses.
    """

    __slots__ = (
        "allowed",
        "encoded",
        "group",
        "ladder",
        "members",
        "needs",
        "nogoods",
        "rejected",
        "support",
        "taken",
        "taker",
        "users",
        "wanted",
    )

    def __init__(self, group: GroupName, members: Sequence[Identifier]) -> None:
        self.group = group
        self.members = members
        self.allowed = (2 << len(members)) - 2
        self.taken = self.taker = self.wanted = self.support = self.encoded = self.rejected = 0
        self.users: dict[_WalkedFamily, None] = {}
        # By bit: the needs of the member, and its at-most-one groups, which say whom else it excludes.
        self.needs: dict[int, tuple[list[tuple[_WalkedFamily, int]], tuple[GroupName, ...]]] = {}
        self.ladder: Ladder | None = None
        self.nogoods: dict[int, list[list[tuple[_WalkedFamily, int]]]] = {}

    def member(self, bit: int) -> Identifier:
        """Return the member of *bit*."""
        return self.members[bit.bit_length() - 2]


class _WalkedChoice(NamedTuple):
    """A choice of the queue: a member of *family* in *mask*. *number* counts the needs of *subject* (None: a root)."""

    family: _WalkedFamily
    mask: int
    subject: Identifier | None
    number: int


class _WalkedLevel:
    """A selection and what follows from it: members *removed* from domains, families *wanted*, and groups *held*."""

    __slots__ = ("bit", "family", "held", "position", "queued", "removed", "wanted")

    def __init__(self, family: _WalkedFamily | None, bit: int, position: int, queued: int) -> None:
        self.family = family
        self.bit = bit
        self.position = position
        self.queued = queued
        self.removed: list[tuple[_WalkedFamily, int]] = []
        self.wanted: list[_WalkedFamily] = []
        self.held: tuple[GroupName, ...] = ()


def walk_families(problem: CachedProblem, families: FamilyView, backend: Backend, budget: Budget) -> Solution | None:
    """Return the preferred solution of *problem*, or None if it has no solution; *backend* makes the SAT solver.

    Raises:
        OutsideFamiliesError: *families* do not say everything about what the walk has met.
        Incomplete: the budget ran out.
    """
    walk = _FamilyWalk(problem.roots, families, backend, budget)
    try:
        solution = walk.run()
        if solution is None:
            problem.refuted = walk.encoded
        return solution
    finally:
        walk.close()


class _FamilyWalk:
    """The state of a walk: the queue, the domains, and the solver that judges dead ends."""

    def __init__(self, roots: Sequence[Root], families: FamilyView, backend: Backend, budget: Budget) -> None:
        self._roots = roots
        self._view = families
        self._backend = backend
        self._budget = budget
        self._families: dict[GroupName, _WalkedFamily] = {}
        self._queue: list[_WalkedChoice] = []
        # The selections in order, after a level for what holds from the start.
        self._levels = [_WalkedLevel(None, 0, 0, 0)]
        self._holders: dict[GroupName, _WalkedFamily] = {}
        # Families whose domains have changed since they were looked at.
        self._changed: list[_WalkedFamily] = []
        # Members that have to get clauses before the solver is asked.
        self._waiting: list[tuple[_WalkedFamily, int]] = []
        # The members that have clauses.
        self.encoded: list[Identifier] = []
        # Made at the first dead end.
        self._session: Session | None = None
        # What is assumed for the selections: their literals in order, how many belong to the first n selections, and
        # the number of the selection behind each literal.
        self._literals: list[int] = []
        self._ends = [0]
        self._numbers: dict[int, int] = {}
        self._clauses = LadderClauses(lambda _: None)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        if self._session is not None:
            self._session.close()

    def run(self) -> Solution | None:
        """Return the preferred solution, or None if there is none."""
        for root in self._roots:
            self._require(root)
        queue = self._queue
        position = steps = 0
        empty = self._propagate()
        while True:
            while empty is not None:
                back = self._dead_end()
                if back is None:
                    return None
                position = back
                empty = self._propagate()
            if position == len(queue):
                return self._solution()
            steps += 1
            if steps % _STEPS_PER_CHECK == 0:
                self._budget.check()
            family = queue[position].family
            if not family.taken:
                # Domains lie within the mask of every choice in the queue. After steps back, more wanted members may be
                # left than the support, so it is looked for once more.
                empty = self._find_support(family)
                if empty is None:
                    self._select(family, family.support, position)
                    empty = self._propagate()
                if empty is not None:
                    continue
            position += 1

    def _require(self, root: Root) -> None:
        """Put *root* into the queue."""
        member = None
        mask = 0
        if isinstance(root, Dependency):
            for candidate in root.candidates:
                found = self._view.family_of(candidate)
                # A root may have an order of its own; only that of the family is the order of the bits.
                if found is None or (member is not None and (found[0] != member[0] or found[1] <= member[1])):
                    raise OutsideFamiliesError
                member = found
                mask |= 2 << found[1]
        if member is None:
            raise OutsideFamiliesError
        family = self._family(member[0])
        self._queue.append(_WalkedChoice(family, mask, None, len(self._queue)))
        self._want(family, mask, self._levels[0])

    def _family(self, group: GroupName) -> _WalkedFamily:
        family = self._families.get(group)
        if family is None:
            members = self._view.family(group)
            if members is None:
                raise OutsideFamiliesError
            family = self._families[group] = _WalkedFamily(group, members)
        return family

    def _needs(self, family: _WalkedFamily, bit: int) -> tuple[list[tuple[_WalkedFamily, int]], tuple[GroupName, ...]]:
        """Return the needs of the member of *bit*, and its at-most-one groups beside that of the family."""
        found = family.needs.get(bit)
        if found is None:
            masked = self._view.masked_needs(family.member(bit))
            if masked is None:
                raise OutsideFamiliesError
            of = self._family
            found = family.needs[bit] = [(of(group), mask) for group, mask in masked.needs], masked.groups
            self._budget.trace.candidates += 1
        return found

    # -- domains

    def _want(self, family: _WalkedFamily, mask: int, level: _WalkedLevel) -> None:
        """Let *family* have a member in *mask*, as long as *level* stands."""
        family.wanted += 1
        level.wanted.append(family)
        if family.allowed & ~mask or not family.support & family.allowed:
            self._remove(family, family.allowed & ~mask, level)

    def _remove(self, family: _WalkedFamily, bits: int, level: _WalkedLevel) -> None:
        """Remove *bits* from the domain of *family*, as long as *level* stands."""
        family.allowed &= ~bits
        level.removed.append((family, bits))
        self._changed.append(family)

    def _propagate(self) -> _WalkedFamily | None:
        """Look at the families that changed; return one that must have a member and has none left."""
        changed = self._changed
        while changed:
            family = changed.pop()
            if not family.taken and family.wanted and not family.support & family.allowed:
                empty = self._find_support(family)
                if empty is not None:
                    return empty
            for user in family.users:
                if user.wanted and not user.taken and not self._is_possible(user, user.support):
                    empty = self._find_support(user)
                    if empty is not None:
                        return empty
        return None

    def _find_support(self, family: _WalkedFamily) -> _WalkedFamily | None:
        """Find the most wanted possible member of *family*; return the family if there is none.

        Members before it leave the domain.
        """
        impossible, left = 0, family.allowed
        while left:
            bit = left & -left
            if self._is_possible(family, bit) and not (family.nogoods and self._is_refuted(family, bit)):
                break
            self._waiting.append((family, bit))
            impossible |= bit
            left ^= bit
        if impossible:
            self._remove(family, impossible, self._levels[-1])
        if not left:
            return family
        if bit != family.support:
            family.support = bit
            for target, _ in self._needs(family, bit)[0]:
                target.users[family] = None
        return None

    def _is_possible(self, family: _WalkedFamily, bit: int) -> bool:
        """Return True if each need of the member of *bit* has a candidate left, and its groups have no other holder."""
        needs, groups = family.needs.get(bit) or self._needs(family, bit)
        for target, mask in needs:
            if not target.allowed & mask:
                return False
        return not groups or all(self._holders.get(group, family) is family for group in groups)

    def _is_refuted(self, family: _WalkedFamily, bit: int) -> bool:
        """Return True if the solver has refuted the member of *bit* beside selections that stand.

        What saves a refuted set now comes first the next time, because it often does so again.
        """
        for others in family.nogoods.get(bit, ()):
            for number, (other, its) in enumerate(others):
                if other.taken != its:
                    if number:
                        others[0], others[number] = others[number], others[0]
                    break
            else:
                return True
        return False

    def _select(self, family: _WalkedFamily, bit: int, position: int) -> None:
        """Select the member of *bit* for the choice at *position*; its choices join the queue."""
        level = _WalkedLevel(family, bit, position, len(self._queue))
        self._levels.append(level)
        if self._session is not None:
            self._assume(family, bit)
        family.taken, family.taker = bit, position
        self._remove(family, family.allowed & ~bit, level)
        needs, groups = self._needs(family, bit)
        subject = family.member(bit)
        for number, (target, mask) in enumerate(needs):
            self._queue.append(_WalkedChoice(target, mask, subject, number))
            self._want(target, mask, level)
        if groups:
            level.held = groups
            # Other members of these groups are looked at when their families have their turn.
            self._holders.update(dict.fromkeys(groups, family))

    def _unselect(self) -> None:
        """Take back the last selection."""
        level = self._levels.pop()
        for family, bits in level.removed:
            family.allowed |= bits
        for family in level.wanted:
            family.wanted -= 1
        for group in level.held:
            del self._holders[group]
        del self._queue[level.queued :]
        assert level.family is not None, "what holds from the start is never taken back"
        level.family.taken = 0
        del self._ends[-1]
        del self._literals[self._ends[-1] :]

    # -- dead ends

    def _dead_end(self) -> int | None:
        """Take back the selection that the solver blames; return its choice's position, None if nothing is left."""
        trace = self._budget.trace
        trace.conflicts += 1
        session = self._session or self._begin()
        for family, bit in self._waiting:
            self._encode(family, bit)
        self._waiting.clear()
        self._changed.clear()
        blamed = self._blamed(session)
        if not blamed:
            return None
        named = [(level.family, level.bit) for number in reversed(blamed) if (level := self._levels[number]).family]
        for named_family, bit in named:
            others = [each for each in named if each[0] is not named_family]
            named_family.nogoods.setdefault(bit, []).append(others)
        level = self._levels[blamed[-1]]
        while len(self._levels) > blamed[-1]:
            self._unselect()
        assert level.family is not None, "the first level is no selection"
        # The refutation holds as long as the other blamed selections stand.
        self._remove(level.family, level.bit, self._levels[blamed[-2] if len(blamed) > 1 else 0])
        return level.position

    def _blamed(self, session: Session) -> list[int]:
        """Return the numbers of selections that cannot stand together, ascending; none if there is no solution.

        Where the last one has been rejected 2, 4, 8, ... times, all members of its family get clauses, and the solver
        is asked without it. A requirement that no member can meet then takes one answer, not one for each member.
        """
        numbers = self._numbers
        answer = session.solve(self._literals)
        assert not answer, "the clauses of a dead end must show it"
        while True:
            blamed = sorted({numbers[literal] for literal in session.core()})
            if not blamed:
                return blamed
            level = self._levels[blamed[-1]]
            family = level.family
            assert family is not None, "the first level is no selection"
            family.rejected += 1
            if family.rejected < 2 or family.rejected & (family.rejected - 1):
                return blamed
            left = family.allowed | next(bits for changed, bits in level.removed if changed is family)
            while left:
                bit = left & -left
                left ^= bit
                self._encode(family, bit)
            if session.solve(self._literals[: self._ends[blamed[-1] - 1]]):
                return blamed

    def _begin(self) -> Session:
        """Return the SAT solver with the clauses of the roots."""
        session = self._session = Session(self._backend, self._budget)
        self._clauses = LadderClauses(session.add_clause)
        for family, mask, subject, _ in self._queue:
            if subject is None:
                self._clauses.require((), self._ladder(family), mask)
        for level in self._levels[1:]:
            assert level.family is not None
            self._assume(level.family, level.bit)
        return session

    def _assume(self, family: _WalkedFamily, bit: int) -> None:
        """Assume in the next questions that the member of *bit* is selected, the next selection."""
        self._encode(family, bit)
        number = len(self._ends)
        literals = self._ladder(family).selected(bit)
        self._numbers.update(dict.fromkeys(literals, number))
        self._literals += literals
        self._ends.append(len(self._literals))

    def _ladder(self, family: _WalkedFamily) -> Ladder:
        ladder = family.ladder
        if ladder is None:
            ladder = family.ladder = self._clauses.ladder(len(family.members))
        return ladder

    def _encode(self, family: _WalkedFamily, bit: int) -> None:
        """Add the clauses of the member of *bit*."""
        if family.encoded & bit:
            return
        family.encoded |= bit
        self.encoded.append(family.member(bit))
        ladder = self._ladder(family)
        guard = tuple([-literal for literal in ladder.selected(bit)])
        needs, groups = self._needs(family, bit)
        for target, mask in needs:
            self._clauses.require(guard, self._ladder(target), mask)
        for group in groups:
            self._clauses.hold(ladder, guard, group)

    # -- the answer

    def _solution(self) -> Solution:
        selected = [level.family.member(level.bit) for level in self._levels if level.family is not None]
        return Solution(tuple(selected), tuple(self._choices_met()))

    def _choices_met(self) -> Iterator[Chosen]:
        """Yield how each choice was met, in order."""
        # The choices of a subject stand side by side in the queue, so its origins are looked up once.
        last: Identifier | None = None
        origins: Sequence[object] = [root.origin for root in self._roots]
        for position, (family, _, subject, number) in enumerate(self._queue):
            if subject != last:
                last, origins = subject, self._view.origins(subject)
            yield Chosen(family.member(family.taken), subject, origins[number], family.taker != position)
