"""Units and members: the parts that cores are made of, and their order.

A *unit* is one constraint or one at-most-one group. A *member* of a core is a unit, or the dependencies of one block
together. Both are named by a *rank*, a tuple that sorts them and says where they come from:

- ``(ROOT, 0)``: the first root; ``(GROUP, "package b")``: a group. Each is a unit and a member.
- ``(BLOCK, 4, 0, "b.v1", 2)``: a unit. In the block that the walk met fifth, a Dependency (kind 0) of ``b.v1``, which
  is the third of its constraints. Its member is ``(BLOCK, 4, 0)``: all dependencies of the block.
- ``(BLOCK, 4, 1, "b.v2", 0)``: a unit and member. In the same block, the Prohibited of ``b.v2``.

Tuples compare from left to right, so ``max(core)`` is the last member of a core and no order has to be kept beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from olmsolve._limits import checked
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Constraint,
    GroupName,
    Identifier,
    StatedConstraint,
)
from olmsolve.solver.problem import FamilyView, Problem, Root, walk_in_steps

_C = TypeVar("_C", bound=StatedConstraint)

Rank: TypeAlias = tuple[Any, ...]
"""The name of a unit or member, which sorts roots before blocks and blocks before groups."""

ROOT: Final = 0
BLOCK: Final = 1
GROUP: Final = 2


def member_of(unit: Rank) -> Rank:
    """Return the member of cores that *unit* belongs to: the dependencies of a block are one member."""
    return unit[:3] if unit[0] == BLOCK and unit[2] == 0 else unit


class BlockRanks:
    """The order of blocks, explored only as far as somebody asks."""

    def __init__(self, problem: Problem, families: FamilyView | None = None) -> None:
        self._problem = problem
        # The walk adds blocks as it meets them, so blocks that it has yet to meet have higher ranks.
        self._ranks: dict[str, int] = {}
        self._walk = iter(checked(walk_in_steps(problem, self._ranks, families), every=16))
        self._reached: dict[Identifier, bool] = {}

    def rank_of(self, identifier: Identifier) -> int:
        """Return the rank of the block of *identifier*, which the roots must reach; go on with the walk for it."""
        block = self._problem.block(identifier)
        while block not in self._ranks:
            next(self._walk)
        return self._ranks[block]

    def reaches(self, identifier: Identifier) -> bool:
        """Return whether the roots reach the block of *identifier*; go on with the walk for it."""
        # Each model of a SAT solver asks of nearly the same identifiers, and a hard core takes hundreds of models: to
        # look their blocks up each time took a tenth of its time. An answer stays: without one, the walk is at its end.
        reached = self._reached.get(identifier)
        if reached is None:
            block = self._problem.block(identifier)
            reached = block in self._ranks or any(block in self._ranks for _ in self._walk)
            self._reached[identifier] = reached
        return reached

    def explored(self, identifier: Identifier) -> int | None:
        """Return the rank of the block of *identifier* if the walk has met it; None otherwise."""
        return self._ranks.get(self._problem.block(identifier))

    def of_block(self, block: str) -> int | None:
        """Return the rank of *block* if the walk has met it; None otherwise."""
        return self._ranks.get(block)


class UnitTable:
    """The units of a problem, by identifier and by rank; with *families*, the walk reads fewer constraints."""

    def __init__(self, problem: Problem, families: FamilyView | None = None) -> None:
        self.problem = problem
        self.families = families
        self.ranks: BlockRanks = BlockRanks(problem, families)
        self._groups_of: Callable[[Identifier], tuple[GroupName, ...]] | None = getattr(families, "groups_of", None)
        self._units_of: dict[Identifier, tuple[list[tuple[Rank, Constraint]], tuple[GroupName, ...]]] = {}
        self._constraint: dict[Rank, Constraint] = {}
        # Prohibited candidates, found so far, outside the group that a dependency on them names.
        self.outsiders: set[Identifier] = set()
        self.roots: list[tuple[Rank, Root]] = [((ROOT, position), root) for position, root in enumerate(problem.roots)]
        self._constraint.update(self.roots)
        # By the identity of a constraint, which is kept, so that no other object gets its id.
        self._without_group: dict[int, tuple[StatedConstraint, Any]] = {}
        # By the identity of a root: a root is no constraint of an identifier, so only this table has its unit.
        self._unit_of_root: dict[int, Rank] = {id(root): unit for unit, root in self.roots}

    def without_group(self, constraint: _C) -> _C:
        """Return *constraint* without its group: one copy for all views in which the group is off."""
        kept = self._without_group.get(id(constraint))
        if kept is None:
            kept = self._without_group[id(constraint)] = constraint, constraint.without_group()
        copy: _C = kept[1]
        return copy

    def units_of(self, identifier: Identifier) -> tuple[list[tuple[Rank, Constraint]], tuple[GroupName, ...]]:
        """Return the units whose subject is *identifier*, each with its constraint, and its at-most-one groups."""
        kept = self._units_of.get(identifier)
        if kept is None:
            rank = self.ranks.rank_of(identifier)
            units: list[tuple[Rank, Constraint]] = []
            groups: tuple[GroupName, ...] = ()
            for position, constraint in enumerate(self.problem.constraints(identifier)):
                if constraint.groups:
                    groups += constraint.groups
                elif constraint.place >= 0:
                    units.append(((BLOCK, rank, constraint.place, identifier, position), constraint))
            self._constraint.update(units)
            kept = self._units_of[identifier] = (units, groups)
        return kept

    def unit_of(self, constraint: object) -> Rank:
        """Return the unit of *constraint*, a root or one of a subject that the roots reach."""
        assert isinstance(constraint, StatedConstraint)
        unit_of_root = self._unit_of_root.get(id(constraint))
        if unit_of_root is not None:
            return unit_of_root
        return next(unit for unit, stated in self.units_of(constraint.subject)[0] if stated is constraint)

    def constraint_of(self, unit: Rank) -> Constraint:
        """Return the constraint of *unit*, no group, which :meth:`unit_of` or :meth:`units_of` has returned."""
        return self._constraint[unit]

    def groups_of(self, identifier: Identifier) -> tuple[GroupName, ...]:
        """Return the at-most-one groups of *identifier*; a branch has none."""
        if isinstance(identifier, Branch):
            return ()
        return tuple([group for constraint in self.problem.constraints(identifier) for group in constraint.groups])

    def groups_of_member(self, identifier: Identifier) -> tuple[GroupName, ...]:
        """Return the at-most-one groups of *identifier*, which has masked needs.

        A walk asks for hundreds of members that no refutation names. With a method ``groups_of``, the view of families
        spares them their constraints: a quarter of the time that a core takes beside its search, with 20,000 bundles.
        """
        return self.groups_of(identifier) if self._groups_of is None else self._groups_of(identifier)

    def constraints(self, units: Iterable[Rank]) -> tuple[Constraint, ...]:
        """Return the constraints of *units*, in order.

        A group becomes an ``AtMost(1, ...)``. It and the exclusions list identifiers that other constraints mention.
        """
        ordered = sorted(units)
        mentioned = self._mentioned(ordered)
        result: list[Constraint] = []
        for unit in ordered:
            if unit[0] == GROUP:
                group: GroupName = unit[1]
                members = tuple(identifier for identifier in mentioned if group in self.groups_of(identifier))
                result.append(AtMost(1, members, origin=group))
            else:
                result.append(self._constraint[unit].narrowed(mentioned))
        return tuple(result)

    def _mentioned(self, units: Iterable[Rank]) -> dict[Identifier, None]:
        """Return the identifiers that the constraints of *units* mention, in order; groups and weights mention none."""
        mentioned: dict[Identifier, None] = {}
        for unit in units:
            constraint = self._constraint.get(unit)
            if constraint is not None:
                mentioned.update(dict.fromkeys(constraint.mentions_in_core()))
        return mentioned
