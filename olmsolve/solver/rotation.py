"""Model rotation: from one unit that every core needs to other such units, without any question to an engine.

A *witness* is a set of identifiers that breaks units of a single key only. Every core contains that key, because
without it the witness meets everything. One choice made differently often turns a witness of one key into a witness of
another (A. Belov and J. Marques-Silva, 2011):

    c.v1 needs b.v1, but b.v1 is prohibited
    {c.v1}          breaks the need and nothing else, so the need is in every core
    {c.v1, b.v1}    with b.v1 added, breaks the prohibition and nothing else, so that is in every core too

The changes are: another candidate in place of a selected one, a candidate for an unmet need, or one identifier less.
If a change leaves a second need open, a candidate for it may be added as well. Only constraints that a change can touch
are looked at, so a try costs far less than a question.

How a formula is met is not in the witness, so rotation stops at candidates with a formula that is on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    Branch,
    Constraint,
    Dependency,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Limit,
)
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable

# The most tries for one candidate, and the most candidates that are tried for a second need: this many tries cost
# nearly as much as a question to the engine.
_TRIES: Final = 6
_REPAIRS: Final = 6
# The most changes that are examined for each wanted key. It bounds the work on large witnesses: cores of 1,000 bundles
# take as long with 3 and with 48.
_CHANGES: Final = 12


class Scope(NamedTuple):
    """The units of a question: the units that are *on* and, if *blocks_on* is set, every unit of an unranked block."""

    on: Callable[[Rank], bool]
    blocks_on: bool


class _Located(NamedTuple):
    """A *constraint* and its *position* among the constraints of *subject*, or among the roots without a subject."""

    subject: Identifier | None
    position: int
    constraint: Constraint


class _Breach(NamedTuple):
    """A constraint or at-most-one group that a set of identifiers breaks, with the key of its unit."""

    key: Rank
    broken: Constraint | GroupName


class _UnclearError(Exception):
    """A set is of no use: it breaks more than two keys, a formula is in the way, or no changes are left."""


# The key of all units in blocks without a rank; it is never wanted.
_UNRANKED: Final[Rank] = ()


class Rotation:
    """A rotation of witnesses for the units of *table*, by their *key*.

    It keeps the needs, groups and ranks that it has looked up from one witness to the next.
    """

    def __init__(self, table: UnitTable, key: Callable[[Rank], Rank], budget: Budget) -> None:
        self._table = table
        self._budget = budget
        self._key = key
        # The question at hand, and how many changes of its witness may still be examined.
        self._scope: Scope
        self._changes_left: int
        # By identifier: the needs that it is a candidate for, and the incompatible pairs in which it is the other, of
        # all subjects in *noted*.
        self._needs: defaultdict[Identifier, list[_Located]] = defaultdict(list)
        self._opponents: dict[Identifier, list[_Located]] = {}
        self._mapped: set[Identifier] = set()
        self._groups: dict[Identifier, tuple[GroupName, ...]] = {}
        self._ranks: dict[Identifier, int] = {}
        self._tried: dict[Identifier, int] = {}
        self._limits: list[_Located] = []
        for position, root in enumerate(table.problem.roots):
            located = _Located(None, position, root)
            if isinstance(root, Limit):
                self._limits.append(located)
            for candidate in root.candidates:
                self._needs[candidate].append(located)

    def needed(self, witness: Iterable[Identifier], scope: Scope, targets: Iterable[Rank]) -> set[Rank]:
        """Return keys of the units *targets* that are in every core of *scope*, found by rotating *witness*.

        The result is empty if *witness* breaks units of several keys, or if a formula is in the way.

        Raises:
            Incomplete: the budget ran out.
        """
        self._scope = scope
        selected = set(witness)
        try:
            breaches = self._breaches_of(selected)
        except _UnclearError:
            return set()
        if len({breach.key for breach in breaches}) != 1:
            return set()
        wanted: dict[Identifier, set[Rank]] = {}
        keys: set[Rank] = set()
        for unit in targets:
            key = self._key(unit)
            if key != breaches[0].key and scope.on(unit):
                keys.add(key)
                if unit[0] == BLOCK:
                    wanted.setdefault(unit[3], set()).add(key)
        needed: set[Rank] = set()
        self._changes_left = _CHANGES * len(keys)
        stack = [(selected, breaches)]
        while stack and keys and self._changes_left:
            selected, breaches = stack.pop()
            changes = self._changes(selected, breaches, keys, wanted)
            for incoming, outgoing in self._budget.checked(changes, every=8):
                if not self._changes_left:
                    break
                for changed, after in self._changed(selected, breaches, incoming, outgoing, keys):
                    key = after[0].key
                    if key in keys:
                        keys.discard(key)
                        needed.add(key)
                        for identifier in changed - selected:
                            self._note(identifier)
                        stack.append((changed, after))
        return needed

    def _changed(
        self,
        selected: set[Identifier],
        breaches: list[_Breach],
        incoming: Identifier | None,
        outgoing: set[Identifier],
        keys: AbstractSet[Rank],
    ) -> Iterator[tuple[set[Identifier], list[_Breach]]]:
        """Yield the witness that *selected* becomes by one change, and its breaches, which have one key.

        If the change breaks a need besides one of *keys*, a second change may meet that need.
        """
        if incoming is not None:
            tried = self._tried.get(incoming, 0)
            if tried == _TRIES:
                return
            self._tried[incoming] = tried + 1
        changed = selected - outgoing
        if incoming is not None:
            changed.add(incoming)
        try:
            after = self._breaches_after(changed, breaches, incoming, outgoing)
        except _UnclearError:
            return
        if len({breach.key for breach in after}) == 1:
            yield changed, after
        elif incoming is not None and len(after) == 2:
            self._note(incoming)
            for need, other in (after, after[::-1]):
                if other.key in keys and isinstance(need.broken, Dependency):
                    yield from self._repaired(changed, after, need.broken, other)

    def _repaired(
        self, selected: set[Identifier], breaches: list[_Breach], need: Dependency, other: _Breach
    ) -> Iterator[tuple[set[Identifier], list[_Breach]]]:
        """Yield the witness that *selected* becomes with a candidate for *need*, with the *other* breach left."""
        for candidate in need.candidates[:_REPAIRS]:
            outgoing = self._beside(candidate, selected)
            changed = selected - outgoing
            changed.add(candidate)
            try:
                after = self._breaches_after(changed, breaches, candidate, outgoing)
            except _UnclearError:
                continue
            if after == [other]:
                yield changed, after
                return

    def _changes(
        self,
        selected: set[Identifier],
        breaches: list[_Breach],
        keys: AbstractSet[Rank],
        wanted: dict[Identifier, set[Rank]],
    ) -> Iterator[tuple[Identifier | None, set[Identifier]]]:
        """Yield changes that may break one of *keys* instead of *breaches*: an identifier to add, and some to remove.

        *wanted* has the keys of each subject that are still looked for.
        """

        def promising(candidates: Iterable[Identifier]) -> Iterator[Identifier]:
            for candidate in candidates:
                if candidate in wanted and candidate not in selected and not keys.isdisjoint(wanted[candidate]):
                    yield candidate

        for breach in breaches:
            for candidate in promising(_candidates(breach.broken)):
                yield candidate, self._beside(candidate, selected)
            for subject in self._removable(breach.broken, selected):
                leaves = False
                for located in self._needs.get(subject, ()):
                    if located.subject is None or located.subject in selected:
                        leaves = leaves or self._key_of(located) in keys
                        for candidate in promising(_candidates(located.constraint)):
                            yield candidate, {subject, *self._beside(candidate, selected)}
                if leaves:
                    yield None, {subject}

    def _removable(self, broken: Constraint | GroupName, selected: set[Identifier]) -> list[Identifier]:
        """Return selected identifiers such that *broken* holds if one of them is removed."""
        if isinstance(broken, (str, tuple)):
            return [identifier for identifier in selected if broken in self._groups_of(identifier)]
        return broken.relieved_by(selected)

    def _beside(self, candidate: Identifier, selected: set[Identifier]) -> set[Identifier]:
        """Return the selected identifiers that share a group with *candidate*."""
        on = self._scope.on
        groups = {group for group in self._groups_of(candidate) if on((GROUP, group))}
        return {other for other in selected if not groups.isdisjoint(self._groups_of(other))} if groups else set()

    def _breaches_of(self, selected: set[Identifier]) -> list[_Breach]:
        """Return everything that *selected* breaks."""
        breaches: list[_Breach] = []
        for position, root in enumerate(self._table.problem.roots):
            if root.broken_by(selected):
                self._add(breaches, _Located(None, position, root))
        holders: set[GroupName] = set()
        for identifier in selected:
            self._add_own(breaches, identifier, selected)
            self._note(identifier)
            for group in self._groups_of(identifier):
                if group in holders:
                    self._add_group(breaches, group)
                holders.add(group)
        return breaches

    def _breaches_after(
        self, changed: set[Identifier], breaches: list[_Breach], incoming: Identifier | None, outgoing: set[Identifier]
    ) -> list[_Breach]:
        """Return everything that *changed* breaks; before the change it broke *breaches*.

        Only constraints that mention *incoming* or *outgoing* identifiers can be broken now and not before.
        """
        if not self._changes_left:
            raise _UnclearError
        self._changes_left -= 1
        after: list[_Breach] = []
        if incoming is not None:
            self._add_own(after, incoming, changed)
            # Groups hold: everything that shares one with the incoming identifier is outgoing.
            for located in self._opponents.get(incoming, ()):
                if located.subject in changed:
                    self._add(after, located)
            for located in self._limits:
                if located.constraint.broken_by(changed):
                    self._add(after, located)
        for identifier in outgoing:
            for located in self._needs.get(identifier, ()):
                if (located.subject is None or located.subject in changed) and located.constraint.broken_by(changed):
                    self._add(after, located)
        for breach in breaches:
            if isinstance(breach.broken, (str, tuple)):
                still = sum(breach.broken in self._groups_of(identifier) for identifier in changed) > 1
            else:
                still = breach.broken.broken_by(changed)
            if still:
                _append(after, breach)
        return after

    def _add_own(self, breaches: list[_Breach], identifier: Identifier, selected: set[Identifier]) -> None:
        """Add the constraints of *identifier*, one of *selected*, that are broken."""
        if isinstance(identifier, Branch):
            raise _UnclearError
        for position, constraint in enumerate(self._table.problem.constraints(identifier)):
            if isinstance(constraint, Formula):
                if self._key_of(_Located(identifier, position, constraint)) is not None:
                    raise _UnclearError
            elif constraint.broken_by(selected):
                self._add(breaches, _Located(identifier, position, constraint))

    def _add(self, breaches: list[_Breach], located: _Located) -> None:
        key = self._key_of(located)
        if key is not None:
            _append(breaches, _Breach(key, located.constraint))

    def _add_group(self, breaches: list[_Breach], group: GroupName) -> None:
        if self._scope.on((GROUP, group)):
            _append(breaches, _Breach(self._key((GROUP, group)), group))

    def _key_of(self, located: _Located) -> Rank | None:
        """Return the key of a constraint, or None if it is off."""
        unit: Rank
        if located.subject is None:
            unit = self._table.roots[located.position][0]
        else:
            rank = self._ranks.get(located.subject)
            if rank is None:
                rank = self._table.ranks.explored(located.subject)
                if rank is None:
                    return _UNRANKED if self._scope.blocks_on else None
                self._ranks[located.subject] = rank
            unit = BLOCK, rank, located.constraint.place, located.subject, located.position
        return self._key(unit) if self._scope.on(unit) else None

    def _groups_of(self, identifier: Identifier) -> tuple[GroupName, ...]:
        groups = self._groups.get(identifier)
        if groups is None:
            groups = self._groups[identifier] = tuple(dict.fromkeys(self._table.groups_of(identifier)))
        return groups

    def _note(self, identifier: Identifier) -> None:
        """Add the needs and incompatible pairs of *identifier*, about to be selected, to the maps by candidate."""
        if identifier in self._mapped:
            return
        self._mapped.add(identifier)
        needs = self._needs
        for position, constraint in enumerate(self._table.problem.constraints(identifier)):
            if constraint.candidates:
                located = _Located(identifier, position, constraint)
                for candidate in constraint.candidates:
                    needs[candidate].append(located)
            elif isinstance(constraint, Incompatible):
                self._opponents.setdefault(constraint.other, []).append(_Located(identifier, position, constraint))


def _append(breaches: list[_Breach], breach: _Breach) -> None:
    """Add *breach* unless it is there; raise _UnclearError if that makes more than two keys."""
    if breaches:
        if any(other.broken is breach.broken for other in breaches):
            return
        if len({breach.key, *(other.key for other in breaches)}) > 2:
            raise _UnclearError
    breaches.append(breach)


def _candidates(broken: Constraint | GroupName) -> tuple[Identifier, ...]:
    return () if isinstance(broken, (str, tuple)) else broken.candidates
