"""What has been selected so far, and whether a candidate breaks a constraint together with it alone.

A candidate that does is rejected without asking a SAT solver: the prefix of selections and the violated
constraint are the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import attrs

from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Conflict,
    Constraint,
    Every,
    Exclusion,
    Exclusive,
    Formula,
    Identifier,
    Prohibited,
    Tree,
)

__all__ = ["Selection", "SharedGroup", "Violation"]


@attrs.frozen
class SharedGroup:
    """*candidate* and the selected *holder* are both members of the at-most-one *group*."""

    group: str
    candidate: Identifier
    holder: Identifier


@attrs.frozen
class Excludes:
    """The exclusion that *guard* (a subject or a branch) asserts rules out *identifier*."""

    guard: Identifier
    identifier: Identifier
    exclusion: Exclusion


Violation: TypeAlias = SharedGroup | Excludes | Prohibited | Conflict | AtMost


class Selection:
    """Identifiers in the order of their selection, with what they exclude."""

    __slots__ = ("_at_most", "_barred", "_exclusions", "_holders", "selected")

    def __init__(self, at_most: Sequence[AtMost] = ()) -> None:
        self.selected: dict[Identifier, None] = {}
        self._holders: dict[str, Identifier] = {}
        self._barred: dict[Identifier, Conflict] = {}
        self._exclusions: list[tuple[Identifier, Exclusion]] = []
        self._at_most = at_most

    def violation(self, candidate: Identifier, constraints: Sequence[Constraint]) -> Violation | None:
        """The first constraint that selecting *candidate*, with its *constraints*, would break at once."""
        selected = self.selected
        if self._barred and candidate in self._barred:
            return self._barred[candidate]
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                if not self._holders.keys().isdisjoint(constraint.groups):
                    group = next(group for group in constraint.groups if group in self._holders)
                    return SharedGroup(group, candidate, self._holders[group])
            elif isinstance(constraint, Prohibited):
                return constraint
            elif isinstance(constraint, Conflict):
                if constraint.other in selected or constraint.other == candidate:
                    return constraint
            elif isinstance(constraint, Formula):
                for exclusion in exclusions(constraint.tree):
                    for identifier in (*selected, candidate):
                        if not isinstance(identifier, Branch) and identifier in exclusion.excluded:
                            return Excludes(candidate, identifier, exclusion)
        if self._exclusions and not isinstance(candidate, Branch):
            for guard, exclusion in self._exclusions:
                if candidate in exclusion.excluded:
                    return Excludes(guard, candidate, exclusion)
        for constraint in self._at_most:
            if candidate in constraint.identifiers:
                count = sum(identifier in selected for identifier in constraint.identifiers)
                if count >= constraint.limit:
                    return constraint
        return None

    def select(self, identifier: Identifier, constraints: Sequence[Constraint]) -> None:
        """Select *identifier*, which breaks nothing (see :meth:`violation`)."""
        self.selected[identifier] = None
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    self._holders[group] = identifier
            elif isinstance(constraint, Conflict):
                self._barred[constraint.other] = constraint
            elif isinstance(constraint, Formula):
                for exclusion in exclusions(constraint.tree):
                    self._exclusions.append((identifier, exclusion))


def exclusions(tree: Tree) -> Iterator[Exclusion]:
    """The exclusions that hold as soon as *tree* does (those inside a disjunction wait for their branch)."""
    if isinstance(tree, Exclusion):
        yield tree
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from exclusions(part)
