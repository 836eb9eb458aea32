"""Views of a problem with some units off, and witnesses that a walk of the queue finds in them.

Most questions of a search for cores are close to the last one that was answered with yes. So its selections (the
*witness*) are tried first: the queue is walked without looking ahead, preferring candidates of the witness. If nothing
breaks, the answer is yes once more, and no engine or SAT solver had to run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    Branch,
    Constraint,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    StatedConstraint,
    Tree,
)
from olmsolve.solver.problem import FamilyView, MaskedNeeds, Root, Run, SubjectNeed
from olmsolve.solver.queue import choices_of, limits_of, met_by, root_choices
from olmsolve.solver.selection import Selection
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable

_On = Callable[[Rank], bool]
_C = TypeVar("_C", bound=StatedConstraint)


class FreedBy:
    """The identifiers that lose a constraint when the unit or member *key* is off."""

    def __init__(self, table: UnitTable, key: Rank) -> None:
        self._table = table
        self._key = key

    def __contains__(self, identifier: object) -> bool:
        key = self._key
        if key[0] != BLOCK:
            return False
        if len(key) > 3:
            return bool(identifier == key[3])
        return not isinstance(identifier, Branch) and self._table.ranks.explored(identifier) == key[1]


class UnitView:
    """The units that are *on*, as a problem of their own.

    *blocks_on* says that all roots and blocks are on, even blocks without a rank so far: then only groups can be off.
    """

    def __init__(self, table: UnitTable, on: _On, blocks_on: bool) -> None:
        self._table = table
        self._on = on
        self._blocks_on = blocks_on
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        # By identity of a constraint that only this view has: that constraint, and its original.
        self._copies: dict[int, tuple[object, object]] = {}
        # The formula that each branch belongs to.
        self._owners: dict[Branch, Formula] = {}
        # Masked needs stand for all constraints of a candidate, so they serve only where all blocks are on.
        self.families: RestrictedFamilies | None = None
        if blocks_on and table.families is not None:
            self.families = RestrictedFamilies(table.families, on, table.outsiders)
        self.roots: list[Root] = []
        for unit, root in table.roots:
            if on(unit):
                self.roots.append(root if root.group is None else self._with_group(root, root.group))

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        """Return the constraints of *identifier* that are on, the same objects each time."""
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                owner = self._owners[identifier]
                self._own(identifier.tree, owner)
                formula = Formula(identifier, identifier.tree)
                self._copies[id(formula)] = formula, owner
                constraints = (formula,)
            else:
                constraints = self._constraints_on(identifier)
            self._constraints[identifier] = constraints
        return constraints

    def block(self, identifier: Identifier) -> str:
        """Return the block of *identifier*."""
        return self._table.problem.block(identifier)

    def unit_of(self, constraint: object) -> Rank:
        """Return the unit of a constraint of this view."""
        _, original = self._copies.get(id(constraint), (None, constraint))
        return self._table.unit_of(original)

    def _constraints_on(self, identifier: Identifier) -> list[Constraint]:
        constraints: list[Constraint] = []
        # With all blocks on, only groups can be off, so no rank is looked up.
        rank = None if self._blocks_on else self._table.ranks.explored(identifier)
        for position, constraint in enumerate(self._table.problem.constraints(identifier)):
            if constraint.groups:
                groups = tuple([group for group in constraint.groups if self._on((GROUP, group))])
                if groups:
                    are_all_on = len(groups) == len(constraint.groups)
                    constraints.append(constraint if are_all_on else Exclusive(identifier, groups))
            elif self._blocks_on if rank is None else self._on((BLOCK, rank, constraint.place, identifier, position)):
                if isinstance(constraint, Formula):
                    self._own(constraint.tree, constraint)
                group = constraint.group
                constraints.append(constraint if group is None else self._with_group(constraint, group))
        return constraints

    def _with_group(self, constraint: _C, group: GroupName) -> _C:
        """Return *constraint*, or a copy without its *group* if that is off or has outsiders among the candidates."""
        outsiders = self._table.outsiders
        is_on = self._on((GROUP, group))
        if is_on and (not outsiders or outsiders.isdisjoint(constraint.candidates)):
            return constraint
        copy = self._table.without_group(constraint)
        self._copies[id(copy)] = copy, constraint
        return copy

    def _own(self, tree: Tree, formula: Formula) -> None:
        """Make *formula* the owner of the branches of *tree*."""
        for branch in _branches(tree):
            self._owners[branch] = formula


class RestrictedFamilies:
    """A :class:`FamilyView` of a problem in which everything but some groups is *on*.

    A group with *outsiders* has no family: see :attr:`.UnitTable.outsiders`.
    """

    def __init__(self, families: FamilyView, on: _On, outsiders: AbstractSet[Identifier]) -> None:
        self._all = families
        self._on = on
        self._outsiders = outsiders
        # Each candidate asks for the families of its needs, and where there are outsiders, the answer takes a walk
        # through the members.
        self._by_group: dict[GroupName, Sequence[Identifier] | None] = {}

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        """Return the members of the family, unless the group is off or has outsiders."""
        if group not in self._by_group:
            family = self._all.family(group) if self._on((GROUP, group)) else None
            if family is not None and self._outsiders and not self._outsiders.isdisjoint(family):
                family = None
            self._by_group[group] = family
        return self._by_group[group]

    def family_of(self, identifier: Identifier) -> tuple[GroupName, int] | None:
        """Return the group and number of *identifier*, if its family is left."""
        member = self._all.family_of(identifier)
        return member if member is not None and self.family(member[0]) is not None else None

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        """Return the masked needs of *identifier* without groups that are off, if all families in them are left."""
        masked = self._all.masked_needs(identifier)
        if masked is None or self.family_of(identifier) is None:
            return None
        if any(self.family(group) is None for group, _ in masked.needs):
            return None
        groups = tuple(group for group in masked.groups if self._on((GROUP, group)))
        return masked if len(groups) == len(masked.groups) else MaskedNeeds(masked.needs, groups)

    def needs_in_runs(self, group: GroupName) -> None:
        """Return None: nobody asks for all members of a restricted family."""

    def needs_by_target(self, group: GroupName, mask: int) -> Sequence[tuple[GroupName, Sequence[SubjectNeed]]] | None:
        """Return the needs of members by target, if all families in them are left."""
        by_target = None if self.family(group) is None else self._all.needs_by_target(group, mask)
        if by_target is None or any(self.family(target) is None for target, _ in by_target):
            return None
        return by_target

    def block_of(self, group: GroupName) -> str | None:
        """Return the block of all members of a family."""
        return self._all.block_of(group)

    def origins(self, identifier: Identifier) -> Sequence[object]:
        """Return the origins of the dependencies of *identifier*."""
        return self._all.origins(identifier)


class PartedFamilies:
    """A :class:`FamilyView` of the problem of *table* in which the groups *off* do not hold.

    A family without its group has no single value: each set of members that somebody needs is a family of its own::

        a.v1 needs one of b.v1, b.v2; c.v1 needs one of b.v2, b.v3      package b is off
        families: {b.v1, b.v2} and {b.v2, b.v3}, so b.v1 may be selected beside b.v3
    """

    def __init__(self, table: UnitTable, families: FamilyView, off: AbstractSet[GroupName]) -> None:
        self._table = table
        self._all = families
        self._off = off
        self._parts: dict[GroupName, Sequence[Identifier]] = {}

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        """Return the members of the family of a group that is on, or of a part."""
        members = self._parts.get(group)
        return self._all.family(group) if members is None else members

    def family_of(self, identifier: Identifier) -> tuple[GroupName, int] | None:
        """Return the group and number of *identifier*; None if its group is off."""
        member = self._all.family_of(identifier)
        return None if member is None or member[0] in self._off else member

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        """Return the masked needs of *identifier*, with parts in place of the families of groups that are off."""
        masked = self._all.masked_needs(identifier)
        if masked is None or (
            self.family_of(identifier) is None and not self._off >= set(self._table.groups_of(identifier))
        ):
            # Another group of the member is on, which its masked needs may leave out beside that of its family.
            return None
        needs = tuple([self._part(*need) if need[0] in self._off else need for need in masked.needs])
        return MaskedNeeds(needs, tuple([group for group in masked.groups if group not in self._off]))

    def _part(self, group: GroupName, mask: int) -> tuple[GroupName, int]:
        """Return the need for the part of the family of *group* in *mask*."""
        name = ("part", *((group,) if isinstance(group, str) else group), hex(mask))
        if name not in self._parts:
            members = self._all.family(group) or ()
            self._parts[name] = [member for number, member in enumerate(members) if mask & 2 << number]
        # All members of the part, and not bit 0, which says "none": two members give 0b1000 - 2 == 0b0110.
        return name, (2 << len(self._parts[name])) - 2

    def needs_in_runs(self, group: GroupName) -> Sequence[Sequence[Run] | None] | None:
        """Return the needs of the members of a family as runs, without members that need a part of another one."""
        rows = None if group in self._parts else self._all.needs_in_runs(group)
        if rows is None:
            return None
        off = self._off
        return [None if row is None or any(run[0] in off for run in row) else row for row in rows]

    def needs_by_target(self, group: GroupName, mask: int) -> Sequence[tuple[GroupName, Sequence[SubjectNeed]]] | None:
        """Return the needs of members by target, unless one is about a part, or the family is one."""
        by_target = None if group in self._parts or group in self._off else self._all.needs_by_target(group, mask)
        return None if by_target is None or not self._off.isdisjoint([target for target, _ in by_target]) else by_target

    def block_of(self, group: GroupName) -> str | None:
        """Return the block of all members of a family."""
        return None if group in self._parts else self._all.block_of(group)

    def origins(self, identifier: Identifier) -> Sequence[object]:
        """Return the origins of the dependencies of *identifier*."""
        return self._all.origins(identifier)


def _branches(tree: Tree) -> Iterator[Branch]:
    """Yield the branches of *tree*, but no branches inside branches."""
    if isinstance(tree, FirstOf):
        yield from tree.branches
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _branches(part)


def easy_witness(
    view: UnitView, preferred: Sequence[Container[Identifier]], budget: Budget
) -> dict[Identifier, None] | None:
    """Return a set that meets all of *view*, or None if a walk that takes nothing back finds none.

    Candidates of a choice in the first of *preferred* are tried first, then those in the second, and so on.
    """
    selection = Selection(limits_of(view.roots))
    queue = deque(root_choices(view.roots))
    while queue:
        queued = queue.popleft()
        if met_by(queued, selection.selected, idle=False) is not None:
            continue
        for candidate in budget.checked(_ordered(queued.candidates, preferred), every=64):
            constraints = view.constraints(candidate)
            if selection.violation(candidate, constraints) is None:
                selection.select(candidate, constraints)
                queue.extend(choices_of(candidate, constraints, queued))
                break
        else:
            return None
    return selection.selected


def _ordered(candidates: Sequence[Identifier], preferred: Sequence[Container[Identifier]]) -> Iterator[Identifier]:
    """Yield the preferred candidates, then all *candidates* in their order; trying one twice does no harm."""
    for some in preferred:
        for candidate in candidates:
            if candidate in some:
                yield candidate
    yield from candidates
