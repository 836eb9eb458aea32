"""What has been selected so far, and whether a candidate breaks a constraint together with it alone.

A candidate that does is rejected without asking a SAT solver: the selections before it and the violated
constraints are the proof. Besides what is broken at once this sees one step ahead: of an at-most-one group
from which something selected already needs a member, only members that meet every such need are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import attrs

from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Prohibited,
    Tree,
)

__all__ = ["Excludes", "Hopeless", "Inconsistent", "Needs", "Selection", "SharedGroup", "Violation"]


@attrs.frozen
class SharedGroup:
    """*candidate* and the selected *holder* are both members of the at-most-one *group*."""

    group: GroupName
    candidate: Identifier
    holder: Identifier


@attrs.frozen
class Needs:
    """The *dependencies*, all on members of *group*, cannot be met by one member; *candidate* brings or breaks one.

    Those that are not its own belong to selected subjects; *members* are other members of the group in play.
    """

    group: GroupName
    candidate: Identifier
    dependencies: tuple[Dependency, ...]
    members: tuple[Identifier, ...]


@attrs.frozen
class Excludes:
    """The exclusion that *guard* (a subject or a branch) asserts rules out *identifier*."""

    guard: Identifier
    identifier: Identifier


@attrs.frozen
class Inconsistent:
    """A set that a SAT solver has found to be inconsistent: it says what it knows already."""

    identifiers: frozenset[Identifier]


@attrs.frozen
class Hopeless:
    """*candidate* brings *dependency*, each of whose candidates would break something: *violations*, in order."""

    candidate: Identifier
    dependency: Dependency
    violations: tuple[Violation, ...]


Violation: TypeAlias = Hopeless | SharedGroup | Needs | Excludes | Inconsistent | Prohibited | Incompatible | AtMost


class _Undo:
    """How to take back one selection."""

    __slots__ = ("barred", "domains", "exclusions", "groups")

    def __init__(self) -> None:
        self.groups: tuple[GroupName, ...] = ()
        self.barred: list[Identifier] = []
        self.exclusions = 0
        self.domains: list[tuple[GroupName, frozenset[Identifier] | None]] = []


class Selection:
    """Identifiers in the order of their selection, with what they exclude; the last can be taken back."""

    def __init__(self, at_most: Sequence[AtMost] = ()) -> None:
        self.selected: dict[Identifier, None] = {}
        self._undo: list[_Undo] = []
        self._holders: dict[GroupName, Identifier] = {}
        self._barred: dict[Identifier, Incompatible] = {}
        self._exclusions: list[tuple[Identifier, Exclusion]] = []
        self._at_most = at_most
        # By group: the members that meet every need of it so far, and these needs.
        self._domains: dict[GroupName, frozenset[Identifier]] = {}
        self._needs: dict[GroupName, list[Dependency]] = {}
        # Candidates as a set, by the identity of their tuple, which is kept alive beside it.
        self._sets: dict[int, tuple[Sequence[Identifier], frozenset[Identifier]]] = {}
        self._nogoods: dict[Identifier, list[frozenset[Identifier]]] = {}

    def forbid(self, identifiers: frozenset[Identifier]) -> None:
        """Never select all of *identifiers*, which are inconsistent."""
        for identifier in identifiers:
            self._nogoods.setdefault(identifier, []).append(identifiers)

    def require(self, dependency: Dependency) -> None:
        """Take note of a need that no selection brings: a root."""
        if dependency.group is not None:
            self._narrow(dependency, dependency.group)

    def violation(self, candidate: Identifier, constraints: Sequence[Constraint]) -> Violation | None:
        """The first constraint that selecting *candidate*, with its *constraints*, would break."""
        selected = self.selected
        if self._barred and candidate in self._barred:
            return self._barred[candidate]
        groups: tuple[GroupName, ...] = ()
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                groups = constraint.groups
                if not self._holders.keys().isdisjoint(groups):
                    group = next(group for group in groups if group in self._holders)
                    return SharedGroup(group, candidate, self._holders[group])
                if not self._domains.keys().isdisjoint(groups):
                    for group in groups:
                        domain = self._domains.get(group)
                        if domain is not None and candidate not in domain:
                            return self._outside(group, candidate)
            elif isinstance(constraint, Dependency):
                if constraint.group is not None:
                    violation = self._need(constraint, constraint.group, candidate, groups)
                    if violation is not None:
                        return violation
            elif isinstance(constraint, Prohibited):
                return constraint
            elif isinstance(constraint, Incompatible):
                if constraint.other in selected or constraint.other == candidate:
                    return constraint
            elif isinstance(constraint, Formula):
                for exclusion in exclusions(constraint.tree):
                    for identifier in (*selected, candidate):
                        if not isinstance(identifier, Branch) and identifier in exclusion.excluded:
                            return Excludes(candidate, identifier)
        if self._exclusions and not isinstance(candidate, Branch):
            for guard, exclusion in self._exclusions:
                if candidate in exclusion.excluded:
                    return Excludes(guard, candidate)
        return self._counted(candidate) if self._at_most or self._nogoods else None

    def hopeless(
        self,
        candidate: Identifier,
        constraints: Sequence[Constraint],
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        known: dict[int, tuple[Violation, ...]],
    ) -> Hopeless | None:
        """A dependency that *candidate*, which breaks nothing itself, would bring and that nothing could meet.

        *known* remembers what was found, by the identity of the candidates' tuple (no violations: one of them
        breaks nothing); it must be new whenever the selection has changed.
        """
        for constraint in constraints:
            if isinstance(constraint, Dependency) and self.selected.keys().isdisjoint(constraint.candidates):
                violations = known.get(id(constraint.candidates))
                if violations is None:
                    violations = self._violations(constraint.candidates, constraints_of)
                    known[id(constraint.candidates)] = violations
                if (violations or not constraint.candidates) and candidate not in constraint.candidates:
                    return Hopeless(candidate, constraint, violations)
        return None

    def _violations(
        self, candidates: Sequence[Identifier], constraints_of: Callable[[Identifier], Sequence[Constraint]]
    ) -> tuple[Violation, ...]:
        """What each of *candidates* would break; nothing if one of them breaks nothing."""
        found: list[Violation] = []
        for candidate in candidates:
            violation = self.violation(candidate, constraints_of(candidate))
            if violation is None:
                return ()
            found.append(violation)
        return tuple(found)

    def select(self, identifier: Identifier, constraints: Sequence[Constraint]) -> None:
        """Select *identifier*, which breaks nothing (see :meth:`violation`)."""
        undo = _Undo()
        self.selected[identifier] = None
        self._undo.append(undo)
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                undo.groups = constraint.groups
                self._holders.update(dict.fromkeys(constraint.groups, identifier))
            elif isinstance(constraint, Dependency):
                if constraint.group is not None:
                    undo.domains.append((constraint.group, self._narrow(constraint, constraint.group)))
            elif isinstance(constraint, Incompatible):
                if constraint.other not in self._barred:
                    self._barred[constraint.other] = constraint
                    undo.barred.append(constraint.other)
            elif isinstance(constraint, Formula):
                for exclusion in exclusions(constraint.tree):
                    self._exclusions.append((identifier, exclusion))
                    undo.exclusions += 1

    def take_back(self) -> Identifier:
        """Undo the last selection; returns it."""
        identifier, _ = self.selected.popitem()
        undo = self._undo.pop()
        for group in undo.groups:
            del self._holders[group]
        for other in undo.barred:
            del self._barred[other]
        if undo.exclusions:
            del self._exclusions[-undo.exclusions :]
        for group, before in reversed(undo.domains):
            self._needs[group].pop()
            if before is None:
                del self._domains[group]
            else:
                self._domains[group] = before
        return identifier

    def _counted(self, candidate: Identifier) -> Violation | None:
        for constraint in self._at_most:
            if candidate in constraint.identifiers:
                count = sum(identifier in self.selected for identifier in constraint.identifiers)
                if count >= constraint.limit:
                    return constraint
        if candidate in self._nogoods:
            for nogood in self._nogoods[candidate]:
                if all(other in self.selected or other == candidate for other in nogood):
                    return Inconsistent(nogood)
        return None

    def _members(self, candidates: Sequence[Identifier]) -> frozenset[Identifier]:
        known = self._sets.get(id(candidates))
        if known is None:
            known = self._sets[id(candidates)] = (candidates, frozenset(candidates))
        return known[1]

    def _need(
        self, dependency: Dependency, group: GroupName, candidate: Identifier, own: tuple[GroupName, ...]
    ) -> Violation | None:
        """Whether *candidate*'s own *dependency* on a member of *group* cannot be met beside what is selected."""
        holder = self._holders.get(group)
        if holder is None and group in own:
            holder = candidate
        members = self._members(dependency.candidates)
        if holder is not None:
            return None if holder in members else Needs(group, candidate, (dependency,), (holder,))
        domain = self._domains.get(group)
        if domain is None or not domain.isdisjoint(members):
            return None
        return Needs(group, candidate, (*self._needs[group], dependency), ())

    def _outside(self, group: GroupName, candidate: Identifier) -> Needs:
        """A need of *group* that *candidate*, a member, does not meet."""
        need = next(need for need in self._needs[group] if candidate not in self._members(need.candidates))
        return Needs(group, candidate, (need,), (candidate,))

    def _narrow(self, dependency: Dependency, group: GroupName) -> frozenset[Identifier] | None:
        """Leave to the domain of *group* what meets *dependency*; the domain before, None if there was no need yet."""
        members = self._members(dependency.candidates)
        before = self._domains.get(group)
        self._domains[group] = members if before is None else before & members
        self._needs.setdefault(group, []).append(dependency)
        return before


def exclusions(tree: Tree) -> Iterator[Exclusion]:
    """The exclusions that hold as soon as *tree* does (those inside a disjunction wait for their branch)."""
    if isinstance(tree, Exclusion):
        yield tree
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from exclusions(part)
