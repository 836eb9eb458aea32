"""Constraints of a problem as clauses, and whether clauses can hold: the plainest way, to judge cores by."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from olmsolve.solver import (
    AtMost,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Tree,
)

Clause = list[int]


def clauses_of(constraints: Sequence[Constraint]) -> list[Clause]:
    """Return *constraints* of a core as clauses over numbers from 1.

    Raises:
        TypeError: a constraint is of another kind than cores have.
    """
    return _Translation(constraints).clauses


def can_hold(clauses: Iterable[Clause]) -> bool:
    """Return whether some assignment meets all *clauses*: unit propagation, and trying both values of a variable."""
    return _can_hold([frozenset(clause) for clause in clauses])


def _can_hold(clauses: list[frozenset[int]]) -> bool:
    while True:
        if frozenset() in clauses:
            return False
        unit = next((literal for clause in clauses if len(clause) == 1 for literal in clause), None)
        if unit is None:
            break
        clauses = _assigned(clauses, unit)
    if not clauses:
        return True
    literal = next(iter(clauses[0]))
    return any(_can_hold(_assigned(clauses, each)) for each in (literal, -literal))


def _assigned(clauses: list[frozenset[int]], literal: int) -> list[frozenset[int]]:
    """Return what is left of *clauses* once *literal* is true."""
    return [clause - {-literal} for clause in clauses if literal not in clause]


class _Translation:
    """Constraints on their way to clauses."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.clauses: list[Clause] = []
        self._numbers: dict[object, int] = {}
        self._mentioned = set(itertools.chain.from_iterable(map(_mentioned, constraints)))
        for constraint in constraints:
            self._add(constraint)

    def _of(self, identifier: object) -> int:
        return self._numbers.setdefault(identifier, len(self._numbers) + 1)

    def _add(self, constraint: Constraint) -> None:
        match constraint:
            case Mandatory():
                self.clauses.append([self._of(constraint.subject)])
            case Prohibited():
                self.clauses.append([-self._of(constraint.subject)])
            case Dependency():
                guard = [] if constraint.subject is None else [-self._of(constraint.subject)]
                self.clauses.append(guard + [self._of(candidate) for candidate in constraint.candidates])
            case Incompatible():
                self.clauses.append([-self._of(constraint.subject), -self._of(constraint.other)])
            case AtMost(limit=1):
                for pair in itertools.combinations(constraint.identifiers, 2):
                    self.clauses.append([-self._of(identifier) for identifier in pair])
            case Formula():
                self._tree(constraint.tree, -self._of(constraint.subject))
            case _:
                raise TypeError(f"no core has a {type(constraint).__name__}: {constraint}")

    def _tree(self, tree: Tree, guard: int) -> None:
        match tree:
            case Choice():
                self.clauses.append([guard, *(self._of(candidate) for candidate in tree.candidates)])
            case Exclusion():
                self.clauses.extend([guard, -self._of(other)] for other in self._mentioned if other in tree.excluded)
            case Every():
                for part in tree.parts:
                    self._tree(part, guard)
            case FirstOf():
                self.clauses.append([guard, *map(self._of, tree.branches)])
                for branch in tree.branches:
                    self._tree(branch.tree, -self._of(branch))
            case _:
                assert_never(tree)


def _mentioned(constraint: Constraint) -> Iterator[Identifier]:
    """Yield the candidates that *constraint* names."""
    if isinstance(constraint, AtMost):
        yield from constraint.identifiers
        return
    if constraint.subject is not None:
        yield constraint.subject
    if isinstance(constraint, Formula):
        yield from _candidates(constraint.tree)
    elif isinstance(constraint, Dependency):
        yield from constraint.candidates
    elif isinstance(constraint, Incompatible):
        yield constraint.other


def _candidates(tree: Tree) -> Iterator[Identifier]:
    if isinstance(tree, Choice):
        yield from tree.candidates
    elif not isinstance(tree, Exclusion):
        for part in [branch.tree for branch in tree.branches] if isinstance(tree, FirstOf) else tree.parts:
            yield from _candidates(part)
