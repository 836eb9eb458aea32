"""The selections so far, and the test whether a candidate breaks a constraint beside them.

Such a candidate is rejected without a SAT solver: the earlier selections and the violated constraints are the proof.

The test also sees one step ahead. Where selections need members of an at-most-one group, the *domain* of the group
is the set of members that meet every such need; a candidate outside it, or one that would empty it, is rejected:

    a.v1 needs one of b.v1, b.v2      domain of package b: {b.v1, b.v2}
    c.v1 needs one of b.v2, b.v3      domain of package b: {b.v2}
    d.v1 needs b.v1                   rejected: the domain would be empty
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.solver.constraints import (
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
    Limit,
    Prohibited,
    Tree,
)


@attrs.frozen
class SharedGroup:
    """A violation: *candidate* and the selected *holder* are both members of the at-most-one *group*."""

    group: GroupName
    candidate: Identifier
    holder: Identifier


@attrs.frozen
class Needs:
    """A violation: no member of the at-most-one *group* meets all *dependencies* if *candidate* is selected.

    A dependency belongs to the candidate or to a selected subject. *members* are the members that are selected, or
    would be.
    """

    group: GroupName
    candidate: Identifier
    dependencies: tuple[Dependency, ...]
    members: tuple[Identifier, ...]


@attrs.frozen
class Excludes:
    """A violation: an exclusion that *guard* (a subject or a branch) asserts rules out *identifier*."""

    guard: Identifier
    identifier: Identifier


@attrs.frozen
class Inconsistent:
    """A violation: a SAT solver has refuted *identifiers* before, so its clauses rule them out already."""

    identifiers: frozenset[Identifier]


@attrs.frozen
class Hopeless:
    """A violation one step ahead: every candidate of a *dependency* that *candidate* brings breaks something.

    *violations* has what each of them breaks, in order.
    """

    candidate: Identifier
    dependency: Dependency
    violations: tuple[Violation, ...]


Violation: TypeAlias = Hopeless | SharedGroup | Needs | Excludes | Inconsistent | Prohibited | Incompatible | Limit


class _Undo:
    """The record that takes back one selection."""

    __slots__ = ("barred", "domains", "exclusions", "groups")

    def __init__(self) -> None:
        self.groups: tuple[GroupName, ...] = ()
        self.barred: list[Identifier] = []
        self.exclusions = 0
        self.domains: list[tuple[GroupName, frozenset[Identifier] | None]] = []


class Selection:
    """Identifiers in the order of their selection, with everything that they exclude; the last can be taken back.

    *limits* are those among the roots.
    """

    def __init__(self, limits: Sequence[Limit] = ()) -> None:
        self.selected: dict[Identifier, None] = {}
        self._undo: list[_Undo] = []
        # By group: the selected member. By identifier: the incompatible pair with a selected subject.
        self._holders: dict[GroupName, Identifier] = {}
        self._barred: dict[Identifier, Incompatible] = {}
        self._exclusions: list[tuple[Identifier, Exclusion]] = []
        self._limits = limits
        # By group: the members that meet every need so far, and the needs.
        self._domains: dict[GroupName, frozenset[Identifier]] = {}
        self._needs: dict[GroupName, list[Dependency]] = {}
        # Candidates as a set, by the identity of their tuple: equal requirements share a tuple, so its set is made
        # once. The tuple is kept beside the set, so that no other object gets its id.
        self._sets: dict[int, tuple[Sequence[Identifier], frozenset[Identifier]]] = {}
        # By identifier: the sets with it that a SAT solver has refuted.
        self._refuted: dict[Identifier, list[frozenset[Identifier]]] = {}

    def forbid(self, identifiers: frozenset[Identifier]) -> None:
        """Remember that *identifiers* cannot all be selected."""
        for identifier in identifiers:
            self._refuted.setdefault(identifier, []).append(identifiers)

    def require(self, dependency: Dependency) -> None:
        """Narrow the domain of a group by a root, a *dependency* that no selection brings."""
        if dependency.group is not None:
            self._narrow(dependency, dependency.group)

    def violation(self, candidate: Identifier, constraints: Sequence[Constraint]) -> Violation | None:
        """Return the first constraint that selecting *candidate*, with its *constraints*, would break; None if none.

        This runs for every candidate that any search tries.
        """
        selected = self.selected
        if self._barred and candidate in self._barred:
            return self._barred[candidate]
        groups: tuple[GroupName, ...] = ()
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                groups = constraint.groups
                for group in groups:
                    if group in self._holders:
                        return SharedGroup(group, candidate, self._holders[group])
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
        return self._counted(candidate) if self._limits or self._refuted else None

    def hopeless(
        self,
        candidate: Identifier,
        constraints: Sequence[Constraint],
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        cache: dict[int, tuple[Violation, ...]],
    ) -> Hopeless | None:
        """Return the first dependency of *candidate* that nothing could meet, or None.

        *candidate* itself breaks nothing. *cache* holds the violations of lists of candidates, by the identity of the
        tuple (empty: some candidate breaks nothing). It must be new after each change of the selection.
        """
        for constraint in constraints:
            if isinstance(constraint, Dependency) and self.selected.keys().isdisjoint(constraint.candidates):
                violations = cache.get(id(constraint.candidates))
                if violations is None:
                    violations = self._violations(constraint.candidates, constraints_of)
                    cache[id(constraint.candidates)] = violations
                if (violations or not constraint.candidates) and candidate not in constraint.candidates:
                    return Hopeless(candidate, constraint, violations)
        return None

    def _violations(
        self, candidates: Sequence[Identifier], constraints_of: Callable[[Identifier], Sequence[Constraint]]
    ) -> tuple[Violation, ...]:
        """Return the violation of each of *candidates*, or nothing if one of them breaks nothing."""
        violations: list[Violation] = []
        for candidate in candidates:
            violation = self.violation(candidate, constraints_of(candidate))
            if violation is None:
                return ()
            violations.append(violation)
        return tuple(violations)

    def select(self, identifier: Identifier, constraints: Sequence[Constraint]) -> None:
        """Select *identifier*, which has no :meth:`violation`."""
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

    def unselect(self) -> None:
        """Take back the last selection."""
        self.selected.popitem()
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

    def _counted(self, candidate: Identifier) -> Violation | None:
        """Return the limit, or the refuted set, that *candidate* would complete."""
        for constraint in self._limits:
            if constraint.crowd(candidate, self.selected) is not None:
                return constraint
        if candidate in self._refuted:
            for refuted in self._refuted[candidate]:
                if all(other in self.selected or other == candidate for other in refuted):
                    return Inconsistent(refuted)
        return None

    def _members(self, candidates: Sequence[Identifier]) -> frozenset[Identifier]:
        kept = self._sets.get(id(candidates))
        if kept is None:
            kept = self._sets[id(candidates)] = (candidates, frozenset(candidates))
        return kept[1]

    def _need(
        self, dependency: Dependency, group: GroupName, candidate: Identifier, own_groups: tuple[GroupName, ...]
    ) -> Violation | None:
        """Return the violation if no member of *group* can meet *dependency*, which *candidate* brings.

        *own_groups* are the groups of the candidate itself.
        """
        holder = self._holders.get(group)
        if holder is None and group in own_groups:
            holder = candidate
        members = self._members(dependency.candidates)
        if holder is not None:
            return None if holder in members else Needs(group, candidate, (dependency,), (holder,))
        domain = self._domains.get(group)
        if domain is None or not domain.isdisjoint(members):
            return None
        return Needs(group, candidate, (*self._needs[group], dependency), ())

    def _outside(self, group: GroupName, candidate: Identifier) -> Needs:
        """Return the violation of *candidate*, a member of *group* outside its domain: the first need it fails."""
        need = next(need for need in self._needs[group] if candidate not in self._members(need.candidates))
        return Needs(group, candidate, (need,), (candidate,))

    def _narrow(self, dependency: Dependency, group: GroupName) -> frozenset[Identifier] | None:
        """Narrow the domain of *group* to the candidates of *dependency*; return the domain before (None: no need)."""
        members = self._members(dependency.candidates)
        before = self._domains.get(group)
        self._domains[group] = members if before is None else before & members
        self._needs.setdefault(group, []).append(dependency)
        return before


def exclusions(tree: Tree) -> Iterator[Exclusion]:
    """Yield the exclusions that hold as soon as *tree* does; an exclusion inside a disjunction waits for its branch."""
    if isinstance(tree, Exclusion):
        yield tree
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from exclusions(part)
