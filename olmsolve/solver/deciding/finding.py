"""The deciding finder: asks the deciding engine whether units of a problem can hold together.

Most questions are close to the last one that was answered with yes. So its selections (the *witness*) are tried first:
the queue is walked without looking ahead, preferring candidates of the witness. If nothing breaks, the answer is yes
once more, and no engine had to run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from collections.abc import Set as AbstractSet

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Constraint,
    Dependency,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Tree,
)
from olmsolve.solver.deciding.analysis import Blamed
from olmsolve.solver.deciding.engine import Engine
from olmsolve.solver.problem import FamilyView, MaskedNeeds, Root
from olmsolve.solver.queue import choices_of, met_by, root_choices
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.selection import Selection
from olmsolve.solver.units import BLOCK, GROUP, KINDS, Rank, UnitTable

_On = Callable[[Rank], bool]


class DecidingFinder:
    """An oracle for cores over the units of *table* that are *allowed* (None: all), by their *key*."""

    def __init__(
        self, table: UnitTable, budget: Budget, key: Callable[[Rank], Rank], allowed: Callable[[Rank], bool] | None
    ) -> None:
        self._table = table
        self._budget = budget
        self._key = key
        self._allowed = allowed
        # Keys that are in every core of the units that the last question left on.
        self.needed: set[Rank] = set()
        self._rotation: Rotation | None = None
        # The units of the last refutation.
        self.blamed: set[Rank] = set()
        self._witness: dict[Identifier, None] = {}
        # All groups of the candidates in the last refutation.
        self._near: set[GroupName] = set()
        # The run that refuted the problem itself.
        self._first: Engine | None = None

    def conflict(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Return keys that cannot hold together, or None if all can; see :class:`olmsolve.solver.core.Finder`."""
        self._budget.check()
        smaller = self._conflict(last, found)
        if smaller is None and last is not None:
            self._rotate(last, found)
        return smaller

    def probe(self, last: Rank, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Return what :meth:`conflict` does, without rotation: the witness may break more than *last*."""
        self._budget.check()
        return self._conflict(last, found)

    def _conflict(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Try three ways, the cheapest first: the witness, a run that inherits nogoods, a run of its own."""
        key, allowed = self._key, self._allowed

        def on(unit: Rank) -> bool:
            if allowed is not None and not allowed(unit):
                return False
            own = key(unit)
            return last is None or own < last or own in found

        rest = allowed is None and (last is None or last[0] == GROUP)
        if last is not None and self._witnessed(_View(self._table, on, rest), last):
            return None
        if last is not None and rest:
            # Leave more groups on than the question does. A solution of this is a solution of the question too, and
            # most nogoods of the first run hold in it, since only groups near the last refutation are off.
            def most(unit: Rank) -> bool:
                return unit[0] != GROUP or unit[1] not in self._near or on(unit)

            # Outsiders take families away, so the variables of the first run would be wrong.
            first = None if self._table.outsiders else self._first
            if self._refuted(_View(self._table, most, rest), first, self._near) is None:
                return None
        while True:
            view = _View(self._table, on, rest)
            engine = self._refuted(view)
            if engine is None:
                return None
            blamed = engine.blame()
            if not self._record_outsiders(blamed):
                self.blamed = set(self._units(blamed, view, on))
                return set(map(key, self.blamed))

    def adopt(self, engine: Engine) -> set[Rank] | None:
        """Return the conflict of all units, from the run of *engine* that refuted the problem itself."""
        self._first = engine
        blamed = engine.blame()
        if any(isinstance(constraint, Formula) for constraint in blamed.constraints) or self._record_outsiders(blamed):
            # The problem does not say whose formula a branch belongs to; views do.
            return self.conflict(None, frozenset())
        view = _View(self._table, _always, True)
        self.blamed = set(self._units(blamed, view, _always))
        return set(map(self._key, self.blamed))

    def close(self) -> None:
        """Do nothing: all memory is Python's own."""

    def _rotate(self, last: Rank, found: AbstractSet[Rank]) -> None:
        """Add the needed keys that rotation finds from the witness, which breaks *last* and nothing else.

        Later questions leave fewer units on. A set that breaks one unit of today's question breaks no more than that
        one in theirs, so it answers them as well.
        """
        key, allowed = self._key, self._allowed

        def on(unit: Rank) -> bool:
            if allowed is not None and not allowed(unit):
                return False
            own = key(unit)
            return own <= last or own in found

        scope = Scope(on, allowed is None and last[0] == GROUP)
        targets = [unit for unit in self.blamed if key(unit) not in found]
        if targets:
            self._rotation = self._rotation or Rotation(self._table, key, self._budget)
            self.needed |= self._rotation.needed(self._witness, scope, targets)

    def _witnessed(self, view: _View, last: Rank) -> bool:
        """Return True if a walk of the queue finds a witness for *view*.

        Candidates that lose a constraint with *last* come first: they are the likely way out.
        """
        witness = _easy_witness(view, [_Freed(self._table, last), self._witness], self._budget)
        if witness is not None:
            self._witness = witness
        return witness is not None

    def _refuted(
        self, view: _View, first: Engine | None = None, lost: AbstractSet[GroupName] = frozenset()
    ) -> Engine | None:
        """Return a run that refutes *view*, or None if it has a solution, which becomes the witness.

        *first* is a run over the same units with the groups *lost* on, to inherit from.
        """
        # Not idle: the constraint that makes an exclusion idle may be off.
        engine = Engine(view, self._budget, idle=False, families=view.families)
        if first is not None:
            engine.inherit(first, lost)
        if not engine.run():
            return engine
        self._witness = {identifier: None for identifier in engine.selected if not isinstance(identifier, Branch)}
        return None

    def _record_outsiders(self, blamed: Blamed) -> bool:
        """Record candidates wrongly treated as group members; return True if any are new.

        A family may count a prohibited candidate as a member although no constraint puts it in the group. Such a
        refutation is worth nothing as a core. From then on views know no group and no family with these candidates.
        """
        table = self._table
        found = {
            member
            for group, members in (*blamed.groups.items(), *blamed.broken.items())
            for member in members
            if not isinstance(member, Branch) and group not in table.groups_of(member)
        }
        assert found.isdisjoint(table.outsiders), "no view has a group for them"
        table.outsiders |= found
        return bool(found)

    def _units(self, blamed: Blamed, view: _View, on: _On) -> Iterator[Rank]:
        """Yield the units behind the constraints and groups of a refutation of *view*."""
        constraints, groups, broken = blamed
        for constraint in constraints:
            yield view.unit_of(constraint)
        self._near = set(broken)
        for group in broken:
            yield GROUP, group
        for group, members in groups.items():
            shared = [self._table.groups_of(member) for member in members]
            self._near.update(*shared, (group,))
            # All groups with the same members say the same about them; the first is preferred.
            same = set(shared[0]).intersection(*shared[1:])
            yield min((GROUP, other) for other in {group, *same} if on((GROUP, other)))


class _Freed:
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


def _always(_: Rank) -> bool:
    return True


class _View:
    """The units that are *on*, as a problem of their own.

    *rest* says that all roots and blocks are on, those without a rank yet too: then only groups can be off.
    """

    def __init__(self, table: UnitTable, on: _On, rest: bool) -> None:
        self._table = table
        self._on = on
        self._rest = rest
        self._units: dict[int, Rank] = {id(root): unit for unit, root in table.roots}
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        # By identity of a constraint that only this view has: that constraint, and the original behind it.
        self._copies: dict[int, tuple[Constraint, Constraint]] = {}
        self._groups_on: dict[GroupName, bool] = {}
        # The formula that each branch belongs to.
        self._owners: dict[Branch, Formula] = {}
        # Masked needs stand for all constraints of a candidate, so they serve only where all blocks are on.
        self.families: _RestrictedFamilies | None = None
        if rest and table.families is not None:
            self.families = _RestrictedFamilies(table.families, on, table.outsiders)
        self.roots: list[Root] = []
        for unit, root in table.roots:
            if on(unit):
                self.roots.append(self._with_group(root) if isinstance(root, Dependency) else root)

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
                constraints = list(self._constraints_on(identifier))
            self._constraints[identifier] = constraints
        return constraints

    def block(self, identifier: Identifier) -> str:
        """Return the block of *identifier*."""
        return self._table.problem.block(identifier)

    def unit_of(self, constraint: object) -> Rank:
        """Return the unit behind a constraint of this view."""
        _, original = self._copies.get(id(constraint), (None, constraint))
        unit = self._units.get(id(original))
        return self._table.unit_of(original) if unit is None else unit

    def _constraints_on(self, identifier: Identifier) -> Iterator[Constraint]:
        # With the rest on, only groups can be off, so no rank is looked up.
        rank = None if self._rest else self._table.ranks.explored(identifier)
        for position, constraint in enumerate(self._table.problem.constraints(identifier)):
            if isinstance(constraint, Exclusive):
                groups = tuple([group for group in constraint.groups if self._group_on(group)])
                if groups:
                    yield constraint if len(groups) == len(constraint.groups) else Exclusive(identifier, groups)
            elif self._rest if rank is None else self._on((BLOCK, rank, KINDS[type(constraint)], identifier, position)):
                if isinstance(constraint, Dependency):
                    constraint = self._with_group(constraint)
                elif isinstance(constraint, Formula):
                    self._own(constraint.tree, constraint)
                yield constraint

    def _with_group(self, dependency: Dependency) -> Dependency:
        """Return *dependency*, or a copy without its group if that is off or has outsiders among the candidates."""
        if dependency.group is None:
            return dependency
        outsiders = self._table.outsiders
        if self._group_on(dependency.group) and (not outsiders or outsiders.isdisjoint(dependency.candidates)):
            return dependency
        copy = Dependency(dependency.subject, dependency.candidates, dependency.origin)
        self._copies[id(copy)] = copy, dependency
        return copy

    def _group_on(self, group: GroupName) -> bool:
        """Return True if *group* is on, which is asked for each candidate and each dependency."""
        found = self._groups_on.get(group)
        if found is None:
            found = self._groups_on[group] = self._on((GROUP, group))
        return found

    def _own(self, tree: Tree, formula: Formula) -> None:
        """Make *formula* the owner of the branches of *tree*."""
        for branch in _branches(tree):
            self._owners[branch] = formula


class _RestrictedFamilies:
    """A :class:`FamilyView` of a problem in which everything but some groups is *on*.

    A group with *outsiders* has no family: see :meth:`DecidingFinder._record_outsiders`.
    """

    def __init__(self, families: FamilyView, on: _On, outsiders: AbstractSet[Identifier]) -> None:
        self._all = families
        self._on = on
        self._outsiders = outsiders
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

    def block_of(self, group: GroupName) -> str | None:
        """Return the block of all members of a family."""
        return self._all.block_of(group)

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


def _easy_witness(
    view: _View, preferred: Sequence[Container[Identifier]], budget: Budget
) -> dict[Identifier, None] | None:
    """Return a set that meets all of *view*, or None if a walk that takes nothing back finds none.

    Candidates of a choice in the first of *preferred* are tried first, then those in the second, and so on.
    """
    selection = Selection([root for root in view.roots if isinstance(root, AtMost)])
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
