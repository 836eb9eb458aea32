"""Brute force in truth tables: all sets of candidates of a small problem at once, and its core by the definition.

A *table* is one integer with a bit for each set: for the names a, b, c, bit ``0b101`` is the set of a and c. Whether a
constraint holds is then a few operations on integers, for 4,096 sets of twelve candidates as for one, so that a core is
found by its definition in a millisecond. Nothing is shared with encoding and search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from olmsolve.solver import (
    AtMost,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Limit,
    Listed,
    Mandatory,
    Problem,
    Prohibited,
    Tree,
    choices_of,
    reachable,
)

__all__ = ["Part", "TruthTables", "core_by_definition"]

_KINDS: Final = (Dependency, Prohibited, Incompatible, Formula)


@attrs.frozen(eq=False)
class Part:
    """A constraint or at-most-one group of a problem, with the *table* of the sets in which it holds."""

    constraint: Constraint
    table: int


class TruthTables:
    """The *members* of the cores of *problem*, in the order that cores prefer, each as its parts.

    The order is that of :mod:`olmsolve.solver.core`: roots, blocks as a walk meets them, groups by name.
    """

    def __init__(self, problem: Problem) -> None:
        own = dict(reachable(problem))
        self.names: Sequence[Identifier] = list(own)
        self.every: int = (1 << (1 << len(own))) - 1
        self._columns = {name: self._column(position) for position, name in enumerate(own)}
        self.groups: dict[GroupName, list[Identifier]] = {}
        self.members: list[list[Part]] = [[self._part(root)] for root in problem.roots]
        blocks: dict[str, list[Part]] = {}
        for name, constraints in own.items():
            parts = blocks.setdefault(problem.block(name), [])
            for constraint in constraints:
                if isinstance(constraint, Exclusive):
                    for group in constraint.groups:
                        self.groups.setdefault(group, []).append(name)
                else:
                    parts.append(self._part(constraint))
        for parts in blocks.values():
            # Sorting keeps the order of constraints with one subject.
            parts.sort(key=lambda part: (_KINDS.index(type(part.constraint)), str(_subject(part.constraint))))
            needs = [part for part in parts if isinstance(part.constraint, Dependency)]
            self.members += [needs] if needs else []
            self.members += [[part] for part in parts if not isinstance(part.constraint, Dependency)]
        for group in sorted(self.groups, key=str):
            members = tuple(self.groups[group])
            self.members.append([Part(AtMost(1, members, group), self._at_most(1, members))])

    def _column(self, position: int) -> int:
        """Return the table of the sets with the candidate at *position*: for position 1 of 2, bits 0b10 and 0b11."""
        size = 1 << position
        column, width = ((1 << size) - 1) << size, 2 * size
        while width < self.every.bit_length():
            column |= column << width
            width *= 2
        return column

    def has(self, identifier: Identifier) -> int:
        """Return the table of the sets with *identifier*: none, if no choice leads to it."""
        return self._columns.get(identifier, 0)

    def _part(self, constraint: Constraint) -> Part:
        return Part(constraint, self.table(constraint))

    def table(self, constraint: Constraint) -> int:
        """Return the table of the sets in which *constraint* holds."""
        if isinstance(constraint, Limit):
            assert isinstance(constraint, AtMost)
            return self._at_most(constraint.limit, constraint.identifiers)
        if isinstance(constraint, Mandatory):
            return self.has(constraint.subject)
        subject = _subject(constraint)
        without = 0 if subject is None else self.every & ~self.has(subject)
        return without | self._met(constraint)

    def _met(self, constraint: Constraint) -> int:
        """Return the table of what *constraint* asks for if its subject is selected."""
        if isinstance(constraint, Dependency):
            return self._any(constraint.candidates)
        if isinstance(constraint, Incompatible):
            return self.every & ~self.has(constraint.other)
        if isinstance(constraint, Formula):
            return self._tree(constraint.tree)
        assert isinstance(constraint, Prohibited)
        return 0

    def _tree(self, tree: Tree) -> int:
        if isinstance(tree, Choice):
            return self._any(tree.candidates)
        if isinstance(tree, Exclusion):
            return self.every & ~self._any(name for name in self.names if name in tree.excluded)
        if isinstance(tree, Every):
            table = self.every
            for part in tree.parts:
                table &= self._tree(part)
            return table
        table = 0
        for branch in tree.branches:
            table |= self._tree(branch.tree)
        return table

    def _any(self, candidates: Iterable[Identifier]) -> int:
        table = 0
        for candidate in candidates:
            table |= self.has(candidate)
        return table

    def _at_most(self, limit: int, identifiers: Iterable[Identifier]) -> int:
        """Return the sets with at most *limit* of *identifiers*."""
        # At position n, the sets with more than n of the identifiers so far.
        more = [0] * (limit + 1)
        for identifier in identifiers:
            column = self.has(identifier)
            for n in range(limit, 0, -1):
                more[n] |= more[n - 1] & column
            more[0] |= column
        return self.every & ~more[limit]

    def preferred(self, members: Sequence[Sequence[Part]]) -> list[Sequence[Part]] | None:
        """Return the preferred core of *members*, in their order, by its definition; None if all can hold together.

        The last member of a core that is left is the one that completes the shortest contradictory beginning.
        """
        positions: list[int] = []
        remaining = self.every
        while remaining:
            rest = remaining
            for position, member in enumerate(members):
                rest &= self._all(member)
                if not rest:
                    positions.append(position)
                    remaining &= self._all(member)
                    break
            else:
                return None
        return [members[position] for position in sorted(positions)]

    def _all(self, member: Sequence[Part]) -> int:
        table = self.every
        for part in member:
            table &= part.table
        return table


def _subject(constraint: Constraint) -> Identifier | None:
    subject: Identifier | None = getattr(constraint, "subject", None)
    return subject


def core_by_definition(problem: Problem) -> tuple[Constraint, ...] | None:
    """Return the preferred core of *problem*: first its members, then the parts of these; None if there is a solution.

    Groups list the candidates that the constraints of the core mention.
    """
    tables = TruthTables(problem)
    members = tables.preferred(tables.members)
    if members is None:
        return None
    parts = tables.preferred([[part] for member in members for part in member])
    assert parts is not None, "the members have no model together"
    constraints = [part.constraint for (part,) in parts]
    groups = {
        id(constraint)
        for constraint in constraints
        if isinstance(constraint, AtMost) and constraint.origin in tables.groups
    }
    mentioned = list(
        dict.fromkeys(i for constraint in constraints if id(constraint) not in groups for i in _mentioned(constraint))
    )
    shown: list[Constraint] = []
    for constraint in constraints:
        if isinstance(constraint, AtMost) and id(constraint) in groups:
            members_of = set(tables.groups[constraint.origin])
            constraint = attrs.evolve(constraint, identifiers=tuple(i for i in mentioned if i in members_of))
        elif isinstance(constraint, Formula):
            constraint = attrs.evolve(constraint, tree=_narrowed(constraint.tree, mentioned))
        shown.append(constraint)
    return tuple(shown)


def _mentioned(constraint: Constraint) -> Iterable[Identifier]:
    """Yield the identifiers of *constraint*, its subject first; an exclusion and a weighted limit name none."""
    if isinstance(constraint, AtMost):
        yield from constraint.identifiers
        return
    subject = _subject(constraint)
    if subject is not None:
        yield subject
    if isinstance(constraint, Dependency):
        yield from constraint.candidates
    elif isinstance(constraint, Incompatible):
        yield constraint.other
    elif isinstance(constraint, Formula):
        for choice in choices_of(constraint.tree):
            yield from choice.candidates


def _narrowed(tree: Tree, mentioned: Sequence[Identifier]) -> Tree:
    """Return *tree* with exclusions of what is *mentioned* alone."""
    if isinstance(tree, Exclusion):
        return Exclusion(Listed(tuple(identifier for identifier in mentioned if identifier in tree.excluded)))
    if isinstance(tree, Every):
        return Every(tuple(_narrowed(part, mentioned) for part in tree.parts))
    if isinstance(tree, FirstOf):
        return FirstOf(tuple(attrs.evolve(branch, tree=_narrowed(branch.tree, mentioned)) for branch in tree.branches))
    return tree
