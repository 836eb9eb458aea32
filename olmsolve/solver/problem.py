"""A lazy problem: roots, and the constraints of each identifier, which a search asks for only when it gets there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeGuard

import olmsolve._attrs as attrs
from olmsolve._arguments import every, wrong_type
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import (
    Branch,
    Constraint,
    Dependency,
    Formula,
    GroupName,
    Identifier,
    Limit,
    Mandatory,
    StatedConstraint,
)

Root: TypeAlias = Mandatory | Dependency | Limit
"""A constraint that holds unconditionally. The queue of choices starts with the roots (a limit brings no choice)."""


class Problem(Protocol):
    """A lazy problem, which must answer the same question the same way each time.

    Three attributes are optional: ``families``, a :class:`FamilyView` that says part of the constraints as sets of
    bits; ``dense``, True where dead ends are likely (see :func:`olmsolve.solver.solve`); and ``contradict``, a method
    that returns True if it sees without a search that there is no solution. It calls its argument, which may raise,
    between its steps.
    """

    @property
    def roots(self) -> Sequence[Root]:
        """The unconditional constraints, in the order in which they choose."""
        ...

    def constraints(self, identifier: Identifier, /) -> Sequence[Constraint]:
        """Return the constraints whose subject is *identifier*: all kinds but Mandatory and Limit.

        Dependencies and formulas come in the order in which they choose.
        """
        ...

    def block(self, identifier: Identifier, /) -> str:
        """Return the name of the block of *identifier*; a core counts the dependencies of a block as one member."""
        ...


class MaskedNeeds(NamedTuple):
    """All constraints of one member of a family, as sets of bits.

    *needs* has a pair for each Dependency, in order: the group of a family, never the identifier's own, and the mask
    of the members that are candidates. Member *n* of a family, counted from 0, is bit ``1 << (n + 1)``; bit 0 stands
    for "no member". *groups* are the at-most-one groups that hold more than members of the identifier's own family.

    In a family ``("b.v3", "b.v2", "b.v1")`` of the group ``package b``, "needs b.v2 or b.v1" is the pair
    ``("package b", 0b1100)``. A dependency on a thousand versions is one integer, and the most wanted version that
    is left is the lowest bit of ``mask & domain``.
    """

    needs: tuple[tuple[GroupName, int], ...]
    groups: tuple[GroupName, ...]


Run: TypeAlias = tuple[GroupName, int, int]
"""A need whose candidates are neighbours in their family: its group, and the interval (first, one after the last) of
their numbers there. ``("package b", 1, 3)`` is the pair ``("package b", 0b1100)`` of :class:`MaskedNeeds`."""


SubjectNeed: TypeAlias = tuple[int, int, int]
"""A need in a table of a family's needs on another one: its mask, the bit of the member that has it, and its number
among the member's needs."""


class FamilyView(Protocol):
    """A view of a problem's *families*, which spares the search most lists of candidates.

    A family is an at-most-one group whose members everybody prefers in the same order. An identifier belongs to one
    family at most. The constraints say the same as the view, with one exception: a prohibited member need not name
    the group, and an identifier outside the family may name it.
    """

    def family(self, group: GroupName, /) -> Sequence[Identifier] | None:
        """Return the members of the family of this at-most-one group, the most wanted first; None if it has none."""
        ...

    def family_of(self, identifier: Identifier, /) -> tuple[GroupName, int] | None:
        """Return the group of the family of *identifier*, and its number there; None if it is in no family."""
        ...

    def masked_needs(self, identifier: Identifier, /) -> MaskedNeeds | None:
        """Return the masked needs of a member of a family; None if only its constraints say everything."""
        ...

    def needs_in_runs(self, group: GroupName, /) -> Sequence[Sequence[Run] | None] | None:
        """Return the masked needs of all members of a family at once, for those who want all: each member's as runs.

        None stands for a member whose masked needs say more, and in place of all members for a view that has no runs.
        """
        ...

    def needs_by_target(
        self, group: GroupName, mask: int, /
    ) -> Sequence[tuple[GroupName, Sequence[SubjectNeed]]] | None:
        """Return the masked needs of the members of a family in *mask* at once, by the group that they are about.

        A group that only one of them needs may be left out. None if the constraints of one of them say more, or if the
        view has no such table.
        """
        ...

    def block_of(self, group: GroupName, /) -> str | None:
        """Return the block of the members of the family of *group*; None if they belong to several."""
        ...

    def origins(self, identifier: Identifier, /) -> Sequence[object]:
        """Return the origins of the dependencies of an identifier with masked needs, in their order."""
        ...


class CachedProblem:
    """A problem with a cache, so that *problem* builds the constraints of an identifier once.

    It also gives the formula of a branch, which *problem* does not know.
    """

    __slots__ = ("_blocks", "_constraints", "_problem", "dense", "refuted_roots", "roots")

    def __init__(self, problem: Problem) -> None:
        self.roots: Sequence[Root] = problem.roots
        self.dense: bool = getattr(problem, "dense", False)
        """Whether dead ends are likely; see :class:`Problem`."""
        self.refuted_roots: Sequence[Root] = ()
        """Roots that cannot hold together, noted by a search that found no solution."""
        self._problem = problem
        # Nearly half of the questions of a core are about identifiers that were asked for before (657 of 1,297 on the
        # hard problem of 20,000 bundles), and making constraints again would make other objects.
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        # The search for a core ranks the same few identifiers again and again.
        self._blocks: dict[Identifier, str] = {}

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        """Return the constraints of *identifier*, the same objects each time: engines compare them by identity."""
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                constraints = (Formula(identifier, identifier.tree),)
            else:
                constraints = self._problem.constraints(identifier)
            self._constraints[identifier] = constraints
        return constraints

    def block(self, identifier: Identifier) -> str:
        """Return the block of *identifier*."""
        block = self._blocks.get(identifier)
        if block is None:
            block = self._blocks[identifier] = self._problem.block(identifier)
        return block

    def met_groups(self) -> set[GroupName]:
        """Return the at-most-one groups of all identifiers that were explored: their constraints were read."""
        return {
            group
            for constraints in self._constraints.values()
            for constraint in constraints
            for group in constraint.groups
        }

    def contradict(self, check: Callable[[], object]) -> bool:
        """Return True if the problem sees without a search that it has no solution; see :class:`Problem`."""
        contradict: Callable[[Callable[[], object]], bool] | None = getattr(self._problem, "contradict", None)
        return contradict is not None and contradict(check)

    @property
    def families(self) -> FamilyView | None:
        """The families of the problem, if it has a view of them; see :class:`Problem`."""
        return getattr(self._problem, "families", None)


@attrs.frozen
class Variables:
    """A problem that is given whole: a map from each identifier to its constraints. Each identifier is a block.

    A :class:`Mandatory` or :class:`Limit` constraint is a root, and so is a :class:`Dependency` without a subject.

    Raises:
        RequestError: a constraint is none, or holds something else than a tuple, such as one text for its candidates.
    """

    variables: Mapping[Identifier, Sequence[Constraint]]

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.variables, Mapping):
            raise wrong_type(self.variables, "a mapping of constraints by identifiers", "variables")
        for identifier, constraints in self.variables.items():
            field = f"variables[{identifier!r:.60}]"
            for position, constraint in enumerate(every(constraints, StatedConstraint, field)):
                _check_shape(constraint, f"{field}[{position}]")

    @property
    def roots(self) -> Sequence[Root]:
        """The roots, in the order of the map."""
        return [
            constraint for constraints in self.variables.values() for constraint in constraints if _is_root(constraint)
        ]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        """Return the constraints of *identifier* without its roots."""
        return [constraint for constraint in self.variables[identifier] if not _is_root(constraint)]

    def block(self, identifier: Identifier) -> str:
        """Return *identifier* as a string."""
        return str(identifier)


def _check_shape(constraint: StatedConstraint, field: str) -> None:
    """Raise RequestError if *constraint* holds one text or a list for several names."""
    for name in ("candidates", "identifiers", "groups", "weights"):
        several = getattr(constraint, name, ())
        if not isinstance(several, tuple):
            raise wrong_type(several, "a tuple", f"{field}.{name}")


def _is_root(constraint: Constraint) -> TypeGuard[Root]:
    return constraint.is_root


def reachable(problem: Problem) -> Iterator[tuple[Identifier, Sequence[Constraint]]]:
    """Yield every identifier that the roots reach, breadth first, with its constraints."""
    for identifier in walk(problem):
        yield identifier, problem.constraints(identifier)


def walk(problem: Problem) -> Iterator[Identifier]:
    """Yield every identifier that the roots reach, breadth first."""
    for identifiers in walk_in_steps(problem, {}):
        yield from identifiers


def walk_in_steps(
    problem: Problem, ranks: dict[str, int], families: FamilyView | None = None
) -> Iterator[Iterable[Identifier]]:
    """Walk every identifier that the roots reach, breadth first; yield the identifiers that each step has visited.

    The walk adds to *ranks* each block that it meets, with its number in the order of meeting. Masked needs from
    *families* spare it the constraints of most identifiers, and let one step visit many members of a family; in one
    call, if *families* has the method ``newly_needed`` (see :class:`olmsolve.classic.families.PackageFamilies`).
    """
    reached = _Reached(problem, ranks, families)
    for root in problem.roots:
        reached.add(root.candidates or tuple(root.mentions()))
    queue = reached.queue
    while queue:
        group, mask, identifier = queue.popleft()
        if group is not None:
            yield reached.visit_members(group, mask)
        else:
            reached.visit(identifier)
            yield (identifier,)


_NewlyNeeded: TypeAlias = Callable[
    [GroupName, int, dict[GroupName, int]], tuple[Sequence[tuple[GroupName, int]], int | None] | None
]
"""From the members in a mask of a family, and all that is reached: what they newly reach, which is then entered there,
and the number of the first member that has to be visited alone; None if the view does not know the family."""


_Entry: TypeAlias = tuple[GroupName | None, int, Identifier]
"""One visit of a walk: the members in a mask of the family of a group, reached at once, or one identifier (of the group
None). A plain tuple, because a core's order of blocks needs 1,600 of them with 20,000 bundles."""


class _Reached:
    """The identifiers that a walk has reached; its *queue* holds those still to be visited."""

    def __init__(self, problem: Problem, ranks: dict[str, int], families: FamilyView | None) -> None:
        self.queue: deque[_Entry] = deque()
        self._problem = problem
        self._ranks = ranks
        self._block = problem.block
        self._families = families
        # The members that a step over a family reaches, in one call, from a view that knows it.
        self._newly_needed: _NewlyNeeded = getattr(families, "newly_needed", None) or _unknown
        self._seen: set[Identifier] = set()
        # By the group of a family: a mask of the reached members.
        self._masks: dict[GroupName, int] = {}
        # Tuples of candidates that were added, by identity: bundles with the same requirement share one long tuple,
        # which is then read once. The value keeps the tuple alive, so that no other object gets its id.
        self._added: dict[int, Iterable[Identifier]] = {}
        # The groups of families in one block, which has a rank.
        self._ranked: set[GroupName] = set()

    def add(self, identifiers: Iterable[Identifier]) -> None:
        """Reach *identifiers*."""
        if id(identifiers) in self._added:
            return
        self._added[id(identifiers)] = identifiers
        # Members of a family that are neighbours in its order are reached at once, as they will be visited: 20 roots
        # with 20 members each make 20 steps in place of 400.
        group: GroupName | None = None
        mask = 0
        for identifier in identifiers:
            member = None if self._families is None else self._families.family_of(identifier)
            bit = 0 if member is None else 2 << member[1]
            if group is not None and (member is None or member[0] != group or bit < mask):
                self._add_members(group, mask)
                group, mask = None, 0
            if member is not None:
                group, mask = member[0], mask | bit
            elif identifier not in self._seen:
                self._seen.add(identifier)
                self.queue.append((None, 0, identifier))
                self._ranks.setdefault(self._block(identifier), len(self._ranks))
        if group is not None:
            self._add_members(group, mask)

    def _add_members(self, group: GroupName, mask: int) -> None:
        """Reach the members in *mask* of the family of *group*.

        One operation on integers finds the new members: ``0b0110`` reached, ``0b1100`` to reach, so
        ``0b1100 & ~0b0110 == 0b1000`` is new. Only these are looked at, each once in the whole walk.
        """
        reached = self._masks.get(group, 0)
        fresh = mask & ~reached
        if fresh:
            self._masks[group] = reached | fresh
            if group not in self._ranked:
                self._rank(group, fresh)
            self.queue.append((group, fresh, None))

    def _rank(self, group: GroupName, fresh: int) -> None:
        """Give the blocks of the newly reached members in *fresh* of the family of *group* their ranks."""
        assert self._families is not None, "masked needs come from a view of families"
        block = self._families.block_of(group)
        if block is not None:
            self._ranks.setdefault(block, len(self._ranks))
            self._ranked.add(group)
        else:
            members = self._members(group)
            for number in _numbers(fresh):
                self._ranks.setdefault(self._block(members[number]), len(self._ranks))

    def visit_members(self, group: GroupName, mask: int) -> Iterator[Identifier]:
        """Reach what the members in *mask* of the family of *group* mention; return these members."""
        left = mask
        while left:
            reached = self._newly_needed(group, left, self._masks)
            # Where the view does not know, each member is read alone: its number is the one of the lowest bit.
            added, number = ((), (left & -left).bit_length() - 2) if reached is None else reached
            for other, fresh in added:
                if other not in self._ranked:
                    self._rank(other, fresh)
                self.queue.append((other, fresh, None))
            if number is None:
                break
            self.visit(self._members(group)[number])
            left &= -(4 << number)  # the members after it: 0b11000 of 0b11110 after the one of 0b00100
        return self._members_in(group, mask)

    def _members_in(self, group: GroupName, mask: int) -> Iterator[Identifier]:
        members = self._members(group)
        for number in _numbers(mask):
            yield members[number]

    def visit(self, identifier: Identifier) -> None:
        """Reach what *identifier* mentions."""
        masked = None if self._families is None else self._families.masked_needs(identifier)
        if masked is not None:
            for group, mask in masked.needs:
                self._add_members(group, mask)
            return
        for constraint in self._problem.constraints(identifier):
            self.add(constraint.leads_to())

    def _members(self, group: GroupName) -> Sequence[Identifier]:
        members = None if self._families is None else self._families.family(group)
        assert members is not None, "masked needs name families only"
        return members


def _unknown(_group: GroupName, _mask: int, _reached: dict[GroupName, int], /) -> None:
    """Return None: a view without this method has each member read alone."""


@attrs.frozen
class RestrictedProblem:
    """*problem* with other *roots* than its own: some of them, or more."""

    problem: Problem
    roots: Sequence[Root]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)


def _numbers(mask: int) -> Iterator[int]:
    """Yield the numbers of the members in *mask*, ascending: 0b1100 has the members 1 and 2."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit.bit_length() - 2


def materialize(problem: Problem) -> Variables:
    """Return the whole closure of *problem*, for printing, serialising, cross-checking and compiling to clauses.

    Searches never need it; a problem that leaves this process does. Roots without a subject are kept under the key
    of their position.
    """
    closure: dict[Identifier, list[Constraint]] = {}
    for position, root in enumerate(problem.roots):
        key = f"root {position}" if root.subject is None else root.subject
        closure.setdefault(key, []).append(root)
    for identifier, constraints in reachable(problem):
        closure.setdefault(identifier, []).extend(constraints)
    return Variables(closure)
