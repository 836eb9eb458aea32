"""What is solved: roots, and for each identifier its constraints, asked for only when the search gets there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeGuard

import attrs

from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Constraint,
    Dependency,
    Formula,
    GroupName,
    Identifier,
    Mandatory,
    candidates_of,
)

__all__ = [
    "CachedProblem",
    "FamilyView",
    "MaskedNeeds",
    "Problem",
    "Root",
    "Variables",
    "materialize",
    "reachable",
    "walk",
]

Root: TypeAlias = Mandatory | Dependency | AtMost
"""What holds unconditionally. The queue of choices starts with the roots, in order (AtMost chooses nothing)."""


class Problem(Protocol):
    """A lazy problem: the same questions must always get the same answers."""

    @property
    def roots(self) -> Sequence[Root]:
        """The constraints that hold unconditionally, in the order in which they choose."""
        ...

    def constraints(self, identifier: Identifier, /) -> Sequence[Constraint]:
        """The constraints whose subject is *identifier*: Prohibited, Dependency, Incompatible, Exclusive, Formula.

        Dependencies and formulas come in the order in which they choose.
        """
        ...

    def block(self, identifier: Identifier, /) -> str:
        """What a core names *identifier* together with: the dependencies of a block are one member of it."""
        ...


class MaskedNeeds(NamedTuple):
    """All that an identifier of a family asks for, in numbers; its constraints say the same.

    *needs* has, for each Dependency in order, the family of its candidates and which of its members they are:
    member *n*, counted from 0, is bit ``1 << (n + 1)``. The family is not the identifier's own. *groups* are the
    at-most-one groups that exclude more than the members of the identifier's family.
    """

    needs: tuple[tuple[GroupName, int], ...]
    groups: tuple[GroupName, ...]


class FamilyView(Protocol):
    """What a problem may know besides its constraints (as ``families``), so that a search looks at few of them.

    A *family* is an at-most-one group with a known order of members: whoever depends on some of them wants those
    that come first in it most. An identifier belongs to one family at most. A member that is
    prohibited need not name the group among its constraints; and what is no member may name it.
    """

    def family(self, group: GroupName, /) -> Sequence[Identifier] | None:
        """The members of the family of this at-most-one group, in order; None if it is none."""
        ...

    def family_of(self, identifier: Identifier, /) -> tuple[GroupName, int] | None:
        """The family of *identifier* and its number in it, None if it is in none."""
        ...

    def masked_needs(self, identifier: Identifier, /) -> MaskedNeeds | None:
        """What a member of a family asks for; None if its constraints have to be looked at."""
        ...

    def block_of(self, group: GroupName, /) -> str | None:
        """The block of all members of this family, None if they are not all of one."""
        ...

    def origin(self, identifier: Identifier, number: int, /) -> object:
        """What the dependency of this number, counted from 0, of what has a sketch carries as its origin."""
        ...


class CachedProblem:
    """*problem* asked only once for each identifier; and branches, which it does not know, have their formula."""

    __slots__ = ("_constraints", "_problem", "dense", "roots")

    def __init__(self, problem: Problem) -> None:
        self.roots = problem.roots
        self.dense: bool = getattr(problem, "dense", False)
        """Whether dead ends are likely: its attribute ``dense``, if it has one."""
        self._problem = problem
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                constraints = (Formula(identifier, identifier.tree),)
            else:
                constraints = self._problem.constraints(identifier)
            self._constraints[identifier] = constraints
        return constraints

    def block(self, identifier: Identifier) -> str:
        return self._problem.block(identifier)

    @property
    def families(self) -> FamilyView | None:
        """What the problem knows besides its constraints: its attribute ``families``, if it has one."""
        return getattr(self._problem, "families", None)


@attrs.frozen
class Variables:
    """A problem that is given whole: *variables* map an identifier to its constraints; each is its own block.

    A variable with a :class:`Mandatory` constraint is a root; so is every :class:`AtMost`.
    """

    variables: Mapping[Identifier, Sequence[Constraint]]

    @property
    def roots(self) -> Sequence[Root]:
        return [
            constraint for constraints in self.variables.values() for constraint in constraints if _is_root(constraint)
        ]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return [constraint for constraint in self.variables[identifier] if not _is_root(constraint)]

    def block(self, identifier: Identifier) -> str:
        return str(identifier)


def _is_root(constraint: Constraint) -> TypeGuard[Root]:
    if isinstance(constraint, Dependency):
        return constraint.subject is None
    return isinstance(constraint, Mandatory | AtMost)


def reachable(problem: Problem) -> Iterator[tuple[Identifier, Sequence[Constraint]]]:
    """Every identifier that the roots reach, breadth first, with its constraints; lazily."""
    for identifier in walk(problem, {}):
        yield identifier, problem.constraints(identifier)


def walk(problem: Problem, ranks: dict[str, int], families: FamilyView | None = None) -> Iterator[Identifier]:
    """Every identifier that the roots reach, breadth first; lazily.

    *ranks* is filled with the blocks in the order in which the walk learns of them; *families* saves asking for
    constraints.
    """
    reached = _Reached(problem, ranks, families)
    for root in problem.roots:
        if isinstance(root, Mandatory):
            reached.add((root.subject,))
        elif isinstance(root, Dependency):
            reached.add(root.candidates)
        else:
            reached.add(root.identifiers)
    queue = reached.queue
    while queue:
        identifier = queue.popleft()
        sketch = None if families is None else families.masked_needs(identifier)
        if sketch is not None:
            for group, mask in sketch.needs:
                reached.add_members(group, mask)
        else:
            for constraint in problem.constraints(identifier):
                if isinstance(constraint, Dependency):
                    reached.add(constraint.candidates)
                elif isinstance(constraint, Formula):
                    reached.add(tuple(candidates_of(constraint.tree)))
        yield identifier


class _Reached:
    """What a walk has reached; *queue* is what it has still to visit."""

    def __init__(self, problem: Problem, ranks: dict[str, int], families: FamilyView | None) -> None:
        self.queue: deque[Identifier] = deque()
        self._ranks = ranks
        self._block = problem.block
        self._families = families
        self._seen: set[Identifier] = set()
        # By family: its members, their block, and the bits of those that were reached.
        self._members_of: dict[GroupName, tuple[Sequence[Identifier], str | None]] = {}
        self._bits: dict[GroupName, int] = {}
        # Candidates that were reached before, by the identity of their tuple, which is kept alive beside it.
        self._known: dict[int, Iterable[Identifier]] = {}

    def add(self, identifiers: Iterable[Identifier]) -> None:
        """Reach *identifiers*."""
        if id(identifiers) in self._known:
            return
        self._known[id(identifiers)] = identifiers
        for identifier in identifiers:
            home = None if self._families is None else self._families.family_of(identifier)
            if home is not None:
                self.add_members(home[0], 2 << home[1])
            elif identifier not in self._seen:
                self._seen.add(identifier)
                self.queue.append(identifier)
                self._ranks.setdefault(self._block(identifier), len(self._ranks))

    def add_members(self, group: GroupName, mask: int) -> None:
        """Reach the members of a family that are in *mask*."""
        known = self._bits.get(group, 0)
        fresh = mask & ~known
        if not fresh:
            return
        self._bits[group] = known | fresh
        if group not in self._members_of:
            assert self._families is not None, "only what knows numbers knows families"
            members = self._families.family(group)
            assert members is not None, "whoever is sketched asks for families"
            self._members_of[group] = members, self._families.block_of(group)
        members, block = self._members_of[group]
        while fresh:
            bit = fresh & -fresh
            fresh ^= bit
            member = members[bit.bit_length() - 2]
            self.queue.append(member)
            self._ranks.setdefault(block or self._block(member), len(self._ranks))


def materialize(problem: Problem) -> Variables:
    """The whole closure of *problem*, for printing, serialising and cross-checking.

    Roots without a subject are kept under the key of their position.
    """
    closure: dict[Identifier, list[Constraint]] = {}
    for position, root in enumerate(problem.roots):
        key = root.subject if isinstance(root, Mandatory) else f"root {position}"
        closure.setdefault(key, []).append(root)
    for identifier, constraints in reachable(problem):
        closure.setdefault(identifier, []).extend(constraints)
    return Variables(closure)
