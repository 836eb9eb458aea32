"""The preferred minimal core of a problem without a solution.

A core is made of *members*: a root, the dependencies of one block together, a Prohibited, a Conflict, a
Formula, an at-most-one group. Members are ordered by the problem alone: roots as given; then block after
block in the order in which a breadth-first walk from the roots reaches them (the dependencies first, then
what is prohibited, conflicts, formulas, by identifier); then the at-most-one groups by name. Of all minimal
cores the one is taken whose last member comes earliest, then its last but one, and so on: the core that
QuickXplain (U. Junker, 2004) finds for this order. So it is the same on every backend.

It is found by descending on cores. With F the members known to be in it and M any core: let h be the last
member of M outside F. If F and everything before h can be met, every core within reach needs h, and it joins
F; otherwise the solver's answer is a core without h, and becomes M. When M is F, it is the one. A backend's
cores save solves and cannot change the result. The same descent then reduces the dependencies inside the
members that were found.

Satisfiability of a set of members is decided lazily: a constraint of the problem gets clauses, guarded by a
selector of its own, only when a model selects its subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Conflict,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
    candidates_of,
)
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.problem import Problem, reachable
from olmsolve.solver.session import Session

__all__ = ["preferred_core"]

# A rank sorts members and units: roots, then blocks, then groups.
_Rank: TypeAlias = tuple[Any, ...]
_ROOT: Final = 0
_BLOCK: Final = 1
_GROUP: Final = 2
# Inside a block:
_KINDS: Final = {Dependency: 0, Prohibited: 1, Conflict: 2, Formula: 3}


def preferred_core(problem: Problem, *, backend: str, budget: Budget) -> tuple[Constraint, ...]:
    """The core described above, in the order of its members; groups appear as ``AtMost(1, ...)``.

    The problem must be unsatisfiable. Raises Incomplete when the budget runs out.
    """
    reader = _Reader(problem)
    members = _descend(reader, Session(backend, budget), _member, lambda _: True)
    units = _descend(reader, Session(backend, budget), lambda unit: unit, lambda unit: _member(unit) in members)
    return reader.constraints(units)


def _member(unit: _Rank) -> _Rank:
    """The member that *unit* belongs to: the dependencies of a block are one."""
    return unit[:3] if unit[0] == _BLOCK and unit[2] == 0 else unit


def _descend(
    reader: _Reader, session: Session, key: Callable[[_Rank], _Rank], allowed: Callable[[_Rank], bool]
) -> set[_Rank]:
    """The preferred core, as keys, of the units that are *allowed*; units of one key stand together."""
    finder = _Finder(reader, session, key, allowed)
    found: set[_Rank] = set()
    try:
        core = finder.conflict(lambda _: True)
        if core is None:
            raise ValueError("the problem has a solution, so it has no core")
        while core - found:
            last = max(core - found)

            def before(name: _Rank, last: _Rank = last) -> bool:
                return name < last or name in found

            smaller = finder.conflict(before)
            if smaller is None:
                found.add(last)
            else:
                core = smaller
        return found
    finally:
        session.close()


class _Ranks:
    """The order of blocks, explored only as far as it is asked for."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._walk = reachable(problem)
        self._ranks: dict[str, int] = {}

    def of(self, identifier: Identifier) -> int:
        block = self._problem.block(identifier)
        while block not in self._ranks:
            reached, _ = next(self._walk)
            self._ranks.setdefault(self._problem.block(reached), len(self._ranks))
        return self._ranks[block]


class _Reader:
    """A problem as units (one constraint, or one group), each named by its rank, which is unique."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._ranks = _Ranks(problem)
        self._units: dict[Identifier, tuple[list[tuple[_Rank, Constraint]], tuple[str, ...]]] = {}
        self._constraint: dict[_Rank, Constraint] = {}
        self.roots: list[tuple[_Rank, Constraint]] = [
            ((_ROOT, position), root) for position, root in enumerate(problem.roots)
        ]
        self._constraint.update(self.roots)

    def units(self, identifier: Identifier) -> tuple[list[tuple[_Rank, Constraint]], tuple[str, ...]]:
        """The units whose subject is *identifier*, and its at-most-one groups."""
        known = self._units.get(identifier)
        if known is None:
            rank = self._ranks.of(identifier)
            units: list[tuple[_Rank, Constraint]] = []
            groups: tuple[str, ...] = ()
            for position, constraint in enumerate(self._problem.constraints(identifier)):
                if isinstance(constraint, Exclusive):
                    groups += constraint.groups
                else:
                    kind = _KINDS[type(constraint)]
                    units.append(((_BLOCK, rank, kind, identifier, position), constraint))
            self._constraint.update(units)
            known = self._units[identifier] = (units, groups)
        return known

    def constraints(self, units: Iterable[_Rank]) -> tuple[Constraint, ...]:
        """The constraints of *units*, in order; groups and exclusions over what the others mention."""
        ordered = sorted(units)
        mentioned: dict[Identifier, None] = {}
        for unit in ordered:
            if unit[0] != _GROUP:
                mentioned.update(dict.fromkeys(_mentions(self._constraint[unit])))
        result: list[Constraint] = []
        for unit in ordered:
            if unit[0] == _GROUP:
                group: str = unit[1]
                members = tuple(identifier for identifier in mentioned if group in self.units(identifier)[1])
                result.append(AtMost(1, members, origin=group))
            else:
                result.append(_restricted(self._constraint[unit], mentioned))
        return tuple(result)


class _Finder:
    """A lazily encoded problem of the units that are *allowed*, with one selector for each *key* of units."""

    def __init__(
        self,
        reader: _Reader,
        session: Session,
        key: Callable[[_Rank], _Rank],
        allowed: Callable[[_Rank], bool],
    ) -> None:
        self._reader = reader
        self._session = session
        self._key = key
        self._allowed = allowed
        self._encoding = Encoding(session.add_clause)
        self._selectors: dict[_Rank, int] = {}
        self._encoded: set[_Rank] = set()
        for unit, root in reader.roots:
            if allowed(unit):
                self._encode(unit, root)

    def conflict(self, enabled: Callable[[_Rank], bool]) -> set[_Rank] | None:
        """Keys among the enabled ones that cannot hold together; None if all of them can."""
        while True:
            chosen = {selector: name for name, selector in self._selectors.items() if enabled(name)}
            if not self._session.ask(list(chosen)):
                return {chosen[literal] for literal in self._session.core()}
            if not self._refine(enabled):
                return None

    def _refine(self, enabled: Callable[[_Rank], bool]) -> bool:
        """Add the enabled constraints that the model ignores; whether there were any."""
        identifiers = self._encoding.identifiers
        selected = [
            identifier
            for variable in self._session.model()
            if 0 < variable < len(identifiers)
            and (identifier := identifiers[variable]) is not None
            and not isinstance(identifier, Branch)
        ]
        added = self._break_groups(selected, enabled)
        there = set(selected)
        for identifier in selected:
            for unit, constraint in self._reader.units(identifier)[0]:
                if unit not in self._encoded and self._allowed(unit) and enabled(self._key(unit)):
                    self._encode(unit, constraint)
                    added = True
                    if isinstance(constraint, Dependency) and there.isdisjoint(constraint.candidates[:1]):
                        # The next model will need one of these; with the first, its own come in already now.
                        there.update(constraint.candidates[:1])
                        selected.extend(constraint.candidates[:1])
        return added

    def _break_groups(self, selected: Sequence[Identifier], enabled: Callable[[_Rank], bool]) -> bool:
        """Encode the memberships of groups of which the model selects several members."""
        added = False
        holders: dict[str, Identifier] = {}
        for identifier in selected:
            for group in self._reader.units(identifier)[1]:
                holder = holders.setdefault(group, identifier)
                unit = (_GROUP, group)
                if holder != identifier and self._allowed(unit) and enabled(self._key(unit)):
                    unless = (-self._selector(unit),)
                    for member in (holder, identifier):
                        added |= self._encoding.join(group, member, unless)
        return added

    def _selector(self, unit: _Rank) -> int:
        name = self._key(unit)
        selector = self._selectors.get(name)
        if selector is None:
            selector = self._selectors[name] = self._encoding.helper()
        return selector

    def _encode(self, unit: _Rank, constraint: Constraint) -> None:
        self._encoded.add(unit)
        self._encoding.add(constraint, (-self._selector(unit),))


def _mentions(constraint: Constraint) -> Iterator[Identifier]:
    if isinstance(constraint, Mandatory | Prohibited):
        yield constraint.subject
    elif isinstance(constraint, Dependency):
        if constraint.subject is not None:
            yield constraint.subject
        yield from constraint.candidates
    elif isinstance(constraint, Conflict):
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
