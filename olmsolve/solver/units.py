"""A problem as the units that cores are made of, in their order: see :mod:`olmsolve.solver.core`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from olmsolve.solver.constraints import (
    AtMost,
    Branch,
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
    Listed,
    Mandatory,
    Prohibited,
    Tree,
    candidates_of,
)
from olmsolve.solver.problem import FamilyView, Problem, Root, walk

__all__ = ["BLOCK", "GROUP", "KINDS", "ROOT", "BlockRanks", "Rank", "UnitTable", "member"]

Rank: TypeAlias = tuple[Any, ...]
"""Sorts members and units: roots, then blocks, then groups."""

ROOT: Final = 0
BLOCK: Final = 1
GROUP: Final = 2
# Inside a block:
KINDS: Final = {Dependency: 0, Prohibited: 1, Incompatible: 2, Formula: 3}


def member(unit: Rank) -> Rank:
    """The member that *unit* belongs to: the dependencies of a block are one."""
    return unit[:3] if unit[0] == BLOCK and unit[2] == 0 else unit


class BlockRanks:
    """The order of blocks, explored only as far as it is asked for."""

    def __init__(self, problem: Problem, families: FamilyView | None = None) -> None:
        self._problem = problem
        # Blocks that the walk does not know yet come after those that it does.
        self._ranks: dict[str, int] = {}
        self._walk = walk(problem, self._ranks, families)

    def of(self, identifier: Identifier) -> int:
        """The rank of the block of *identifier*, which the roots must reach."""
        block = self._problem.block(identifier)
        while block not in self._ranks:
            next(self._walk)
        return self._ranks[block]

    def known(self, identifier: Identifier) -> int | None:
        """The rank of the block of *identifier* if it has been asked for, or comes before one that has."""
        return self._ranks.get(self._problem.block(identifier))


class UnitTable:
    """A problem as units (one constraint, or one group), each named by its rank, which is unique.

    *families* is what is known of it besides.
    """

    def __init__(self, problem: Problem, families: FamilyView | None = None) -> None:
        self.problem = problem
        self.families = families
        self.ranks = BlockRanks(problem, families)
        self._units: dict[Identifier, tuple[list[tuple[Rank, Constraint]], tuple[GroupName, ...]]] = {}
        self._constraint: dict[Rank, Constraint] = {}
        # Prohibited candidates that are no members of the group that a dependency on them names, as far as known.
        self.outsiders: set[Identifier] = set()
        self.roots: list[tuple[Rank, Root]] = [((ROOT, position), root) for position, root in enumerate(problem.roots)]
        self._constraint.update(self.roots)

    def units(self, identifier: Identifier) -> tuple[list[tuple[Rank, Constraint]], tuple[GroupName, ...]]:
        """The units whose subject is *identifier*, and its at-most-one groups."""
        known = self._units.get(identifier)
        if known is None:
            rank = self.ranks.of(identifier)
            units: list[tuple[Rank, Constraint]] = []
            groups: tuple[GroupName, ...] = ()
            for position, constraint in enumerate(self.problem.constraints(identifier)):
                if isinstance(constraint, Exclusive):
                    groups += constraint.groups
                else:
                    kind = KINDS[type(constraint)]
                    units.append(((BLOCK, rank, kind, identifier, position), constraint))
            self._constraint.update(units)
            known = self._units[identifier] = (units, groups)
        return known

    def unit(self, constraint: object) -> Rank:
        """The unit of a constraint that is no root; its subject must be reached from the roots."""
        assert isinstance(constraint, Dependency | Prohibited | Incompatible | Formula)
        return next(unit for unit, known in self.units(constraint.subject)[0] if known is constraint)

    def groups(self, identifier: Identifier) -> tuple[GroupName, ...]:
        """The at-most-one groups of *identifier*."""
        if isinstance(identifier, Branch):
            return ()
        constraints = self.problem.constraints(identifier)
        return tuple(group for c in constraints if isinstance(c, Exclusive) for group in c.groups)

    def identifiers(self, units: Iterable[Rank]) -> dict[Identifier, None]:
        """What the constraints of *units* (groups have none) mention, in order."""
        mentioned: dict[Identifier, None] = {}
        for unit in sorted(units):
            if unit in self._constraint:
                mentioned.update(dict.fromkeys(_mentions(self._constraint[unit])))
        return mentioned

    def constraints(self, units: Iterable[Rank]) -> tuple[Constraint, ...]:
        """The constraints of *units*, in order; groups and exclusions over what the others mention."""
        ordered = sorted(units)
        mentioned = self.identifiers(ordered)
        result: list[Constraint] = []
        for unit in ordered:
            if unit[0] == GROUP:
                group: GroupName = unit[1]
                members = tuple(identifier for identifier in mentioned if group in self.groups(identifier))
                result.append(AtMost(1, members, origin=group))
            else:
                result.append(_restricted(self._constraint[unit], mentioned))
        return tuple(result)


def _mentions(constraint: Constraint) -> Iterator[Identifier]:
    if isinstance(constraint, Mandatory | Prohibited):
        yield constraint.subject
    elif isinstance(constraint, Dependency):
        if constraint.subject is not None:
            yield constraint.subject
        yield from constraint.candidates
    elif isinstance(constraint, Incompatible):
        yield constraint.subject
        yield constraint.other
    elif isinstance(constraint, AtMost):
        yield from constraint.identifiers
    elif isinstance(constraint, Formula):
        yield constraint.subject
        yield from candidates_of(constraint.tree)


def _restricted(constraint: Constraint, mentioned: Iterable[Identifier]) -> Constraint:
    """*constraint* with exclusions that list what they rule out among *mentioned*."""
    if isinstance(constraint, Formula):
        return Formula(constraint.subject, _restricted_tree(constraint.tree, tuple(mentioned)), constraint.origin)
    return constraint


def _restricted_tree(tree: Tree, mentioned: Sequence[Identifier]) -> Tree:
    if isinstance(tree, Exclusion):
        return Exclusion(Listed(tuple(x for x in mentioned if x in tree.excluded)), tree.origin)
    if isinstance(tree, Every):
        return Every(tuple(_restricted_tree(part, mentioned) for part in tree.parts))
    if isinstance(tree, FirstOf):
        return FirstOf(tuple(Branch(_restricted_tree(branch.tree, mentioned)) for branch in tree.branches))
    return tree
