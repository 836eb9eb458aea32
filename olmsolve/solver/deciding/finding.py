"""Whether units of a problem can hold together, asked of the deciding engine.

Most questions are close to one that was answered before. So they are first tried with what satisfied the last
one (a *witness*): the choices are taken without looking ahead, its candidates first. If that breaks nothing, it
is an answer. If it does, the engine tells.
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
from olmsolve.solver.deciding.rotation import Rotation, Scope
from olmsolve.solver.problem import FamilyView, MaskedNeeds, Root
from olmsolve.solver.queue import choices, met, roots
from olmsolve.solver.selection import Selection
from olmsolve.solver.units import BLOCK, GROUP, KINDS, Rank, UnitTable

__all__ = ["DecidingFinder"]

_On = Callable[[Rank], bool]


class DecidingFinder:
    """Tells whether those of *reader*'s units that are *allowed* (None: all) can hold together, by their *key*."""

    def __init__(
        self, reader: UnitTable, budget: Budget, key: Callable[[Rank], Rank], allowed: Callable[[Rank], bool] | None
    ) -> None:
        self._reader = reader
        self._budget = budget
        self._key = key
        self._allowed = allowed
        # Keys that every core has that the last question left, and what finds them.
        self.needed: set[Rank] = set()
        self._rotation: Rotation | None = None
        # The units of the last refutation.
        self.blamed: set[Rank] = set()
        self._witness: dict[Identifier, None] = {}
        # The groups of all that the last refutation was about.
        self._near: set[GroupName] = set()
        # The run that refuted the problem itself.
        self._first: Engine | None = None

    def conflict(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Keys among those before *last* (None: all) and *found* that cannot hold together; None if all of them can."""
        self._budget.check()
        smaller = self._asked(last, found)
        if smaller is None and last is not None:
            self._rotate(last, found)
        return smaller

    def _asked(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        key, allowed = self._key, self._allowed

        def on(unit: Rank) -> bool:
            if allowed is not None and not allowed(unit):
                return False
            name = key(unit)
            return last is None or name < last or name in found

        rest = allowed is None and (last is None or last[0] == GROUP)
        if last is not None and self._known_to_hold(_View(self._reader, on, rest), last):
            return None
        if last is not None and rest:
            # More than is asked for, but closer to the problem itself: no package loses its group without need.
            def most(unit: Rank) -> bool:
                return unit[0] != GROUP or unit[1] not in self._near or on(unit)

            # With outsiders there are fewer families than the first run knew, so its places are others.
            first = None if self._reader.outsiders else self._first
            if self._refuted(_View(self._reader, most, rest), first, self._near) is None:
                return None
        while True:
            view = _View(self._reader, on, rest)
            engine = self._refuted(view)
            if engine is None:
                return None
            blamed = engine.blamed()
            if not self._new_outsiders(blamed):
                self.blamed = set(self._units(blamed, view, on))
                return set(map(key, self.blamed))

    def adopt(self, engine: Engine) -> set[Rank] | None:
        """What :meth:`conflict` says of all units, from a run over the problem itself that found no solution."""
        self._first = engine
        blamed = engine.blamed()
        if any(isinstance(constraint, Formula) for constraint in blamed.constraints) or self._new_outsiders(blamed):
            # The problem does not say whose formula a branch belongs to.
            return self.conflict(None, frozenset())
        view = _View(self._reader, _always, True)
        self.blamed = set(self._units(blamed, view, _always))
        return set(map(self._key, self.blamed))

    def close(self) -> None:
        """Nothing is held."""

    def _rotate(self, last: Rank, found: AbstractSet[Rank]) -> None:
        """See what else is needed of what the question about *last* left; the witness breaks nothing but *last*.

        Questions to come are about less. So what breaks one unit only of all these answers that for it.
        """
        key, allowed = self._key, self._allowed

        def on(unit: Rank) -> bool:
            if allowed is not None and not allowed(unit):
                return False
            name = key(unit)
            return name <= last or name in found

        within = Scope(on, allowed is None and last[0] == GROUP)
        targets = [unit for unit in self.blamed if key(unit) not in found]
        if targets:
            self._rotation = self._rotation or Rotation(self._reader, key, self._budget)
            self.needed |= self._rotation.needed(self._witness, within, targets)

    def _known_to_hold(self, view: _View, last: Rank) -> bool:
        # What is now free of a constraint is a way out.
        witness = _settled(view, [_Freed(self._reader, last), self._witness])
        if witness is not None:
            self._witness = witness
        return witness is not None

    def _refuted(
        self, view: _View, first: Engine | None = None, lost: AbstractSet[GroupName] = frozenset()
    ) -> Engine | None:
        """A run that refutes *view*, None if none can; *first* was one over the same without the loss of *lost*."""
        # What makes an exclusion idle may be a constraint that is off.
        engine = Engine(view, self._budget, idle=False, families=view.families)
        if first is not None:
            engine.inherit(first, lost)
        if not engine.run():
            return engine
        self._witness = {identifier: None for identifier in engine.selected if not isinstance(identifier, Branch)}
        return None

    def _new_outsiders(self, blamed: Blamed) -> bool:
        """Whether a refutation takes candidates for members of a group that are none: only what prohibits them says so.

        From then on views do not name their group, nor is it a family for them.
        """
        reader = self._reader
        found = {
            member
            for group, members in (*blamed.groups.items(), *blamed.broken.items())
            for member in members
            if not isinstance(member, Branch) and group not in reader.groups(member)
        }
        assert found.isdisjoint(reader.outsiders), "no view has a group for them"
        reader.outsiders |= found
        return bool(found)

    def _units(self, blamed: Blamed, view: _View, on: _On) -> Iterator[Rank]:
        constraints, groups, broken = blamed
        for constraint in constraints:
            yield view.unit(constraint)
        self._near = set(broken)
        for group in broken:
            yield GROUP, group
        for group, members in groups.items():
            shared = [self._reader.groups(member) for member in members]
            self._near.update(*shared, (group,))
            # The first group that holds the same members says the same about them.
            same = set(shared[0]).intersection(*shared[1:])
            yield min((GROUP, other) for other in {group, *same} if on((GROUP, other)))


class _Freed:
    """The identifiers that lose a constraint with a unit or member."""

    def __init__(self, reader: UnitTable, name: Rank) -> None:
        self._reader = reader
        self._name = name

    def __contains__(self, identifier: object) -> bool:
        name = self._name
        if name[0] != BLOCK:
            return False
        if len(name) > 3:
            return bool(identifier == name[3])
        return not isinstance(identifier, Branch) and self._reader.ranks.known(identifier) == name[1]


def _always(_: Rank) -> bool:
    return True


class _View:
    """The units that are *on* as a problem; *rest* says whether blocks are on that have no rank yet."""

    def __init__(self, reader: UnitTable, on: _On, rest: bool) -> None:
        self._reader = reader
        self._on = on
        self._rest = rest
        self._units: dict[int, Rank] = {id(root): unit for unit, root in reader.roots}
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        # What stands for a constraint of the problem here, by identity.
        self._copies: dict[int, tuple[Constraint, Constraint]] = {}
        # The formula that a branch belongs to.
        self._owners: dict[Branch, Formula] = {}
        # Where all blocks are on, only groups can be missing from what is known in numbers.
        self.families = (
            _RestrictedFamilies(reader.families, on, reader.outsiders) if rest and reader.families is not None else None
        )
        self.roots: list[Root] = []
        for unit, root in reader.roots:
            if on(unit):
                self.roots.append(self._named(root) if isinstance(root, Dependency) else root)

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                owner = self._owners[identifier]
                self._own(identifier.tree, owner)
                formula = Formula(identifier, identifier.tree)
                self._copies[id(formula)] = formula, owner
                constraints = (formula,)
            else:
                constraints = list(self._of(identifier))
            self._constraints[identifier] = constraints
        return constraints

    def block(self, identifier: Identifier) -> str:
        return self._reader.problem.block(identifier)

    def unit(self, constraint: object) -> Rank:
        """The unit that a constraint of this view stands for."""
        _, original = self._copies.get(id(constraint), (None, constraint))
        unit = self._units.get(id(original))
        return self._reader.unit(original) if unit is None else unit

    def _of(self, identifier: Identifier) -> Iterator[Constraint]:
        rank = self._reader.ranks.known(identifier)
        for position, constraint in enumerate(self._reader.problem.constraints(identifier)):
            if isinstance(constraint, Exclusive):
                groups = tuple(group for group in constraint.groups if self._on((GROUP, group)))
                if groups:
                    yield constraint if len(groups) == len(constraint.groups) else Exclusive(identifier, groups)
            elif self._rest if rank is None else self._on((BLOCK, rank, KINDS[type(constraint)], identifier, position)):
                if isinstance(constraint, Dependency):
                    constraint = self._named(constraint)
                elif isinstance(constraint, Formula):
                    self._own(constraint.tree, constraint)
                yield constraint

    def _named(self, dependency: Dependency) -> Dependency:
        """*dependency* without the name of a group that is off, or that not all candidates are known to belong to."""
        if dependency.group is None:
            return dependency
        if self._on((GROUP, dependency.group)) and self._reader.outsiders.isdisjoint(dependency.candidates):
            return dependency
        copy = Dependency(dependency.subject, dependency.candidates, dependency.origin)
        self._copies[id(copy)] = copy, dependency
        return copy

    def _own(self, tree: Tree, formula: Formula) -> None:
        for branch in _branches(tree):
            self._owners[branch] = formula


class _RestrictedFamilies:
    """What is known in numbers of a problem of which everything but some groups is *on*.

    Groups that hold *outsiders* are no families: see :meth:`DecidingFinder._new_outsiders`.
    """

    def __init__(self, unrestricted: FamilyView, on: _On, outsiders: AbstractSet[Identifier]) -> None:
        self._unrestricted = unrestricted
        self._on = on
        self._guests = outsiders
        self._cached: dict[GroupName, Sequence[Identifier] | None] = {}

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        if group not in self._cached:
            family = self._unrestricted.family(group) if self._on((GROUP, group)) else None
            if family is not None and self._guests and not self._guests.isdisjoint(family):
                family = None
            self._cached[group] = family
        return self._cached[group]

    def family_of(self, identifier: Identifier) -> tuple[GroupName, int] | None:
        home = self._unrestricted.family_of(identifier)
        return home if home is not None and self.family(home[0]) is not None else None

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        sketch = self._unrestricted.masked_needs(identifier)
        if sketch is None or self.family_of(identifier) is None:
            return None
        if any(self.family(group) is None for group, _ in sketch.needs):
            return None
        groups = tuple(group for group in sketch.groups if self._on((GROUP, group)))
        return sketch if len(groups) == len(sketch.groups) else MaskedNeeds(sketch.needs, groups)

    def block_of(self, group: GroupName) -> str | None:
        return self._unrestricted.block_of(group)

    def origin(self, identifier: Identifier, number: int) -> object:
        return self._unrestricted.origin(identifier, number)


def _branches(tree: Tree) -> Iterator[Branch]:
    """The branches of *tree*, without those inside of them."""
    if isinstance(tree, FirstOf):
        yield from tree.branches
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _branches(part)


def _settled(view: _View, wanted: Sequence[Container[Identifier]]) -> dict[Identifier, None] | None:
    """A set that meets all of *view*, found without going back; None if it was not found.

    Of the candidates of a choice, those in the first of *wanted* are tried first, and so on.
    """
    selection = Selection([root for root in view.roots if isinstance(root, AtMost)])
    queue = deque(roots(view.roots))
    while queue:
        item = queue.popleft()
        if met(item, selection.selected, idle=False) is not None:
            continue
        for candidate in _ordered(item.candidates, wanted):
            constraints = view.constraints(candidate)
            if selection.violation(candidate, constraints) is None:
                selection.select(candidate, constraints)
                queue.extend(choices(candidate, constraints, item))
                break
        else:
            return None
    return selection.selected


def _ordered(candidates: Sequence[Identifier], wanted: Sequence[Container[Identifier]]) -> Iterator[Identifier]:
    """*candidates*, those that are wanted first and again at the end."""
    for some in wanted:
        for candidate in candidates:
            if candidate in some:
                yield candidate
    yield from candidates
