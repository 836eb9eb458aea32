"""Constraints of a core as clauses, which a SAT solver of another house judges: minisat, with clauses of the textbook.

Some cores say that at most one of two thousand bundles is selected. As a clause for each two of them these would be two
million; so each group counts along its members instead::

    at most one of x, y, z     s: x is selected     t: x or y is selected

    not x or s,   not s or not y,   not s or t,   not y or t,   not t or not z
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from olmsolve._articles import type_with_article
from olmsolve.solver import (
    AtMost,
    Budget,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Incompatible,
    Mandatory,
    Prohibited,
    Session,
    Tree,
)
from olmsolve.solver.backends import PORTABLE, find

Clause = list[int]


def clauses_of(constraints: Sequence[Constraint]) -> list[Clause]:
    """Return *constraints* of a core as clauses over numbers from 1.

    Raises:
        TypeError: a constraint is of another kind than cores have.
    """
    return _Translation(constraints).clauses


def can_hold(clauses: Iterable[Clause]) -> bool:
    """Return whether some assignment meets all *clauses*.

    Raises:
        Incomplete: a limit of the scope was met.
    """
    session = Session(find(PORTABLE), Budget())
    try:
        session.add_clauses(list(clauses))
        return session.solve()
    finally:
        session.close()


class _Translation:
    """Constraints on their way to clauses."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.clauses: list[Clause] = []
        self._numbers: dict[object, int] = {}
        self._mentioned = {each for constraint in constraints for each in constraint.mentions()}
        for constraint in constraints:
            self._add(constraint)

    def _variable(self, identifier: object) -> int:
        return self._numbers.setdefault(identifier, len(self._numbers) + 1)

    def _add(self, constraint: Constraint) -> None:
        match constraint:
            case Mandatory():
                self.clauses.append([self._variable(constraint.subject)])
            case Prohibited():
                self.clauses.append([-self._variable(constraint.subject)])
            case Dependency():
                guard = [] if constraint.subject is None else [-self._variable(constraint.subject)]
                self.clauses.append(guard + [self._variable(candidate) for candidate in constraint.candidates])
            case Incompatible():
                self.clauses.append([-self._variable(constraint.subject), -self._variable(constraint.other)])
            case AtMost(limit=1):
                self._at_most_one([self._variable(identifier) for identifier in constraint.identifiers])
            case Formula():
                self._tree(constraint.tree, -self._variable(constraint.subject))
            case _:
                raise TypeError(f"no core has {type_with_article(constraint)}: {constraint}")

    def _at_most_one(self, members: Sequence[int]) -> None:
        """Add the clauses of a group of *members*; a variable for each says whether one was selected so far."""
        before = 0
        for member in members:
            # An object is equal to itself alone, so each variable is a new one.
            so_far = self._variable(object())
            if before:
                self.clauses += [-before, -member], [-before, so_far]
            self.clauses.append([-member, so_far])
            before = so_far

    def _tree(self, tree: Tree, guard: int) -> None:
        match tree:
            case Choice():
                self.clauses.append([guard, *(self._variable(candidate) for candidate in tree.candidates)])
            case Exclusion():
                others = (other for other in self._mentioned if other in tree.excluded)
                self.clauses.extend([guard, -self._variable(other)] for other in others)
            case Every():
                for part in tree.parts:
                    self._tree(part, guard)
            case FirstOf():
                self.clauses.append([guard, *map(self._variable, tree.branches)])
                for branch in tree.branches:
                    self._tree(branch.tree, -self._variable(branch))
            case _:
                assert_never(tree)
