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
    Identifier,
    Mandatory,
    candidates_of,
)

__all__ = [
    "Numbered",
    "Problem",
    "Remembered",
    "Root",
    "Sketch",
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
        """The constraints whose subject is *identifier*: Prohibited, Dependency, Conflict, Exclusive, Formula.

        Dependencies and formulas come in the order in which they choose.
        """
        ...

    def block(self, identifier: Identifier, /) -> str:
        """What a core names *identifier* together with: the dependencies of a block are one member of it."""
        ...


class Sketch(NamedTuple):
    """All that an identifier of a family asks for, in numbers; its constraints say the same.

    *needs* has, for each Dependency in order, the family of its candidates and which of its members they are:
    member *n*, counted from 0, is bit ``1 << (n + 1)``. The family is not the identifier's own. *groups* are the
    at-most-one groups that exclude more than the members of the identifier's family.
    """

    needs: tuple[tuple[str, int], ...]
    groups: tuple[str, ...]


class Numbered(Protocol):
    """What a problem may know besides its constraints (as ``numbers``), so that a search need not look at each of them.

    A *family* is an at-most-one group with a known order of members: whoever depends on some of them wants those
    that come first in it most. An identifier belongs to one family at most.
    """

    def family(self, group: str, /) -> Sequence[Identifier] | None:
        """The members of the family of this at-most-one group, in order; None if it is none."""
        ...

    def home(self, identifier: Identifier, /) -> tuple[str, int] | None:
        """The family of *identifier* and its number in it, None if it is in none."""
        ...

    def sketch(self, identifier: Identifier, /) -> Sketch | None:
        """What a member of a family asks for; None if its constraints have to be looked at."""
        ...

    def reached(self, identifier: Identifier, /) -> Iterable[Sequence[Identifier]] | None:
        """The candidates of each dependency of what has a sketch, as the constraints have them; None if it has none."""
        ...

    def is_dense(self, identifier: Identifier, /) -> bool:
        """Whether what *identifier* asks for can be said in numbers, and is more than nothing; quick to tell."""
        ...

    def origin(self, identifier: Identifier, number: int, /) -> object:
        """What the dependency of this number, counted from 0, of what has a sketch carries as its origin."""
        ...


class Remembered:
    """*problem* asked only once for each identifier; and branches, which it does not know, have their formula."""

    __slots__ = ("_constraints", "_problem", "roots")

    def __init__(self, problem: Problem) -> None:
        self.roots = problem.roots
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
    def numbered(self) -> Numbered | None:
        """What the problem knows besides its constraints: its attribute ``numbers``, if it has one."""
        return getattr(self._problem, "numbers", None)


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


def walk(problem: Problem, ranks: dict[str, int], numbered: Numbered | None = None) -> Iterator[Identifier]:
    """Every identifier that the roots reach, breadth first; lazily.

    *ranks* is filled with the blocks in the order in which the walk learns of them; *numbered* saves asking for
    constraints.
    """
    seen: set[Identifier] = set()
    queue: deque[Identifier] = deque()

    # Candidates that were reached before, by the identity of their tuple, which is kept alive beside it.
    known: dict[int, Iterable[Identifier]] = {}
    block = problem.block

    def reach(identifiers: Iterable[Identifier]) -> None:
        if id(identifiers) in known:
            return
        known[id(identifiers)] = identifiers
        for identifier in identifiers:
            if identifier not in seen:
                seen.add(identifier)
                queue.append(identifier)
                ranks.setdefault(block(identifier), len(ranks))

    for root in problem.roots:
        if isinstance(root, Mandatory):
            reach((root.subject,))
        elif isinstance(root, Dependency):
            reach(root.candidates)
        else:
            reach(root.identifiers)
    while queue:
        identifier = queue.popleft()
        reached = None if numbered is None else numbered.reached(identifier)
        for candidates in _reached(problem.constraints(identifier)) if reached is None else reached:
            reach(candidates)
        yield identifier


def _reached(constraints: Iterable[Constraint]) -> Iterator[Iterable[Identifier]]:
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            yield constraint.candidates
        elif isinstance(constraint, Formula):
            yield tuple(candidates_of(constraint.tree))


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
