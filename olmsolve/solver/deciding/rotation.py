"""Model rotation: from one unit that every core needs to others, without asking anybody.

A set of identifiers that breaks exactly one of some units, or units of one name only, shows that each core within
them has that name: it is a *witness* of it. Often a witness of one name becomes that of another by a single choice
made differently (A. Belov and J. Marques-Silva, 2011): another candidate in place of a subject, a candidate for a
need that is not met, or a subject less. If that leaves one more need open, it may be met by a second. Only what such
a change can touch is looked at, so that trying it costs far less than a question. Formulas are not rotated through:
where one is on, nothing is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Constraint,
    Dependency,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
)
from olmsolve.solver.units import BLOCK, GROUP, KINDS, Rank, UnitTable

__all__ = ["Rotation", "Scope"]

# How often each candidate is tried, and then each candidate of a need to put right: a question costs little more.
_TRIES: Final = 6
_REPAIRS: Final = 6
# How many changes are looked at in all for each name that is looked for, so that large witnesses cost no more.
_CHANGES: Final = 12


class Scope(NamedTuple):
    """The units that rotation is about: those that are *on*, and, if *rest*, all of blocks that have no rank yet."""

    on: Callable[[Rank], bool]
    rest: bool


class _Located(NamedTuple):
    """A constraint, where it stands: *subject* is None for roots, whose *position* is that among the roots."""

    subject: Identifier | None
    position: int
    constraint: Constraint


class _Breach(NamedTuple):
    """What a set breaks: a constraint, or an at-most-one group."""

    name: Rank
    broken: Constraint | GroupName


class _UnclearError(Exception):
    """More than two names are broken, or a formula is in the way, or enough was looked at."""


# The name of units in blocks without a rank.
_UNRANKED: Final[Rank] = ()


class Rotation:
    """Rotates witnesses for *reader*'s units, which are named by their *key*, as long as *budget* lasts."""

    def __init__(self, reader: UnitTable, key: Callable[[Rank], Rank], budget: Budget) -> None:
        self._reader = reader
        self._budget = budget
        self._key = key
        self._within = Scope(lambda _: False, False)
        # By identifier: the needs that it is a candidate for, and conflicts that name it, of all that was looked at.
        self._needs: defaultdict[Identifier, list[_Located]] = defaultdict(list)
        self._opposed: dict[Identifier, list[_Located]] = {}
        self._noted: set[Identifier] = set()
        self._groups: dict[Identifier, tuple[GroupName, ...]] = {}
        self._ranks: dict[Identifier, int] = {}
        self._tried: dict[Identifier, int] = {}
        self._left = 0
        self._limits: list[_Located] = []
        for position, root in enumerate(reader.problem.roots):
            part = _Located(None, position, root)
            if isinstance(root, AtMost):
                self._limits.append(part)
            else:
                for candidate in (root.subject,) if isinstance(root, Mandatory) else root.candidates:
                    self._needs[candidate].append(part)

    def needed(self, witness: Iterable[Identifier], within: Scope, targets: Iterable[Rank]) -> set[Rank]:
        """Names, among those of the units *targets*, that every core *within* has, as found from *witness*.

        Raises Incomplete when the budget runs out.
        """
        self._within = within
        selected = set(witness)
        try:
            faults = self._faults(selected)
        except _UnclearError:
            return set()
        if len({fault.name for fault in faults}) != 1:
            return set()
        wanted: dict[Identifier, set[Rank]] = {}
        names: set[Rank] = set()
        for unit in targets:
            name = self._key(unit)
            if name != faults[0].name and within.on(unit):
                names.add(name)
                if unit[0] == BLOCK:
                    wanted.setdefault(unit[3], set()).add(name)
        found: set[Rank] = set()
        self._left = _CHANGES * len(names)
        stack = [(selected, faults)]
        while stack and names and self._left:
            self._budget.check()
            selected, faults = stack.pop()
            for incoming, outgoing in self._changes(selected, faults, names, wanted):
                if not self._left:
                    break
                for changed, after in self._changed(selected, faults, incoming, outgoing, names):
                    name = after[0].name
                    if name in names:
                        names.discard(name)
                        found.add(name)
                        for identifier in changed - selected:
                            self._note(identifier)
                        stack.append((changed, after))
        return found

    def _changed(
        self,
        selected: set[Identifier],
        faults: list[_Breach],
        incoming: Identifier | None,
        outgoing: set[Identifier],
        names: AbstractSet[Rank],
    ) -> Iterator[tuple[set[Identifier], list[_Breach]]]:
        """What *selected* becomes with one change, and what that breaks, of one name.

        If it breaks a need besides one of *names*, that may be put right with a second change.
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
            after = self._after(changed, faults, incoming, outgoing)
        except _UnclearError:
            return
        if len({fault.name for fault in after}) == 1:
            yield changed, after
        elif incoming is not None and len(after) == 2:
            self._note(incoming)
            for need, other in (after, after[::-1]):
                if other.name in names and isinstance(need.broken, Dependency):
                    yield from self._repaired(changed, after, need.broken, other)

    def _repaired(
        self, selected: set[Identifier], faults: list[_Breach], need: Dependency, other: _Breach
    ) -> Iterator[tuple[set[Identifier], list[_Breach]]]:
        """What *selected* becomes with a candidate for *need*, one of two *faults*, where only the *other* is left."""
        for candidate in need.candidates[:_REPAIRS]:
            outgoing = self._beside(candidate, selected)
            changed = selected - outgoing
            changed.add(candidate)
            try:
                after = self._after(changed, faults, candidate, outgoing)
            except _UnclearError:
                continue
            if after == [other]:
                yield changed, after
                return

    def _changes(
        self,
        selected: set[Identifier],
        faults: list[_Breach],
        names: AbstractSet[Rank],
        wanted: dict[Identifier, set[Rank]],
    ) -> Iterator[tuple[Identifier | None, set[Identifier]]]:
        """What may be selected, and what not be any more, so that one of *names* is broken instead of *faults*."""

        def promising(candidates: Iterable[Identifier]) -> Iterator[Identifier]:
            for candidate in candidates:
                if candidate in wanted and candidate not in selected and not names.isdisjoint(wanted[candidate]):
                    yield candidate

        for fault in faults:
            for candidate in promising(_candidates(fault.broken)):
                yield candidate, self._beside(candidate, selected)
            for subject in self._subjects(fault.broken, selected):
                leaves = False
                for part in self._needs.get(subject, ()):
                    if part.subject is None or part.subject in selected:
                        leaves = leaves or self._name(part) in names
                        for candidate in promising(_candidates(part.constraint)):
                            yield candidate, {subject, *self._beside(candidate, selected)}
                if leaves:
                    yield None, {subject}

    def _subjects(self, broken: Constraint | GroupName, selected: set[Identifier]) -> list[Identifier]:
        """Of what is selected, what a constraint that is broken is about: without it, it is not."""
        if isinstance(broken, (str, tuple)):
            return [identifier for identifier in selected if broken in self._groups_of(identifier)]
        if isinstance(broken, AtMost):
            return [identifier for identifier in broken.identifiers if identifier in selected]
        if isinstance(broken, Incompatible):
            return [broken.subject, broken.other]
        if isinstance(broken, Mandatory) or broken.subject is None:
            return []
        return [broken.subject]

    def _beside(self, candidate: Identifier, selected: set[Identifier]) -> set[Identifier]:
        """What is selected and shares a group with *candidate*."""
        on = self._within.on
        groups = {group for group in self._groups_of(candidate) if on((GROUP, group))}
        return {other for other in selected if not groups.isdisjoint(self._groups_of(other))} if groups else set()

    def _faults(self, selected: set[Identifier]) -> list[_Breach]:
        """What *selected* breaks."""
        faults: list[_Breach] = []
        for position, root in enumerate(self._reader.problem.roots):
            if _breaks(root, selected):
                self._add(faults, _Located(None, position, root))
        holders: set[GroupName] = set()
        for identifier in selected:
            self._note(identifier)
            self._own(faults, identifier, selected)
            for group in self._groups_of(identifier):
                if group in holders:
                    self._add_group(faults, group)
                holders.add(group)
        return faults

    def _after(
        self, changed: set[Identifier], faults: list[_Breach], incoming: Identifier | None, outgoing: set[Identifier]
    ) -> list[_Breach]:
        """What *changed*, which broke *faults* before, breaks now."""
        if not self._left:
            raise _UnclearError
        self._left -= 1
        after: list[_Breach] = []
        if incoming is not None:
            self._own(after, incoming, changed)
            # Nothing is left that shares a group with it.
            for part in self._opposed.get(incoming, ()):
                if part.subject in changed:
                    self._add(after, part)
            for part in self._limits:
                if _breaks(part.constraint, changed):
                    self._add(after, part)
        for identifier in outgoing:
            for part in self._needs.get(identifier, ()):
                if (part.subject is None or part.subject in changed) and _breaks(part.constraint, changed):
                    self._add(after, part)
        for fault in faults:
            if isinstance(fault.broken, (str, tuple)):
                still = sum(fault.broken in self._groups_of(identifier) for identifier in changed) > 1
            else:
                still = _breaks(fault.broken, changed)
            if still:
                _append(after, fault)
        return after

    def _own(self, faults: list[_Breach], identifier: Identifier, selected: set[Identifier]) -> None:
        """Add what *identifier*, which is in *selected*, breaks of its own."""
        if isinstance(identifier, Branch):
            raise _UnclearError
        for position, constraint in enumerate(self._reader.problem.constraints(identifier)):
            if isinstance(constraint, Dependency):
                if selected.isdisjoint(constraint.candidates):
                    self._add(faults, _Located(identifier, position, constraint))
            elif isinstance(constraint, Formula):
                if self._name(_Located(identifier, position, constraint)) is not None:
                    raise _UnclearError
            elif not isinstance(constraint, Exclusive) and _breaks(constraint, selected):
                self._add(faults, _Located(identifier, position, constraint))

    def _add(self, faults: list[_Breach], part: _Located) -> None:
        name = self._name(part)
        if name is not None:
            _append(faults, _Breach(name, part.constraint))

    def _add_group(self, faults: list[_Breach], group: GroupName) -> None:
        if self._within.on((GROUP, group)):
            _append(faults, _Breach(self._key((GROUP, group)), group))

    def _name(self, part: _Located) -> Rank | None:
        """The name of a constraint; None if it is off."""
        unit: Rank
        if part.subject is None:
            unit = self._reader.roots[part.position][0]
        else:
            rank = self._ranks.get(part.subject)
            if rank is None:
                rank = self._reader.ranks.known(part.subject)
                if rank is None:
                    return _UNRANKED if self._within.rest else None
                self._ranks[part.subject] = rank
            unit = BLOCK, rank, KINDS[type(part.constraint)], part.subject, part.position
        return self._key(unit) if self._within.on(unit) else None

    def _groups_of(self, identifier: Identifier) -> tuple[GroupName, ...]:
        groups = self._groups.get(identifier)
        if groups is None:
            groups = self._groups[identifier] = tuple(dict.fromkeys(self._reader.groups(identifier)))
        return groups

    def _note(self, identifier: Identifier) -> None:
        """Know whom *identifier*, which is going to be selected, needs and opposes."""
        if identifier in self._noted or isinstance(identifier, Branch):
            return
        self._noted.add(identifier)
        needs = self._needs
        for position, constraint in enumerate(self._reader.problem.constraints(identifier)):
            if isinstance(constraint, Dependency):
                part = _Located(identifier, position, constraint)
                for candidate in constraint.candidates:
                    needs[candidate].append(part)
            elif isinstance(constraint, Incompatible):
                self._opposed.setdefault(constraint.other, []).append(_Located(identifier, position, constraint))


def _append(faults: list[_Breach], fault: _Breach) -> None:
    """Add *fault* unless it is there; what is there has at most one other name."""
    if faults:
        if any(other.broken is fault.broken for other in faults):
            return
        if len({fault.name, *(other.name for other in faults)}) > 2:
            raise _UnclearError
    faults.append(fault)


def _candidates(broken: Constraint | GroupName) -> tuple[Identifier, ...]:
    if isinstance(broken, Dependency):
        return broken.candidates
    return (broken.subject,) if isinstance(broken, Mandatory) else ()


def _breaks(constraint: Constraint, selected: set[Identifier]) -> bool:
    """Whether *selected* breaks *constraint*, whose subject is unset or may be missing from it."""
    if isinstance(constraint, Dependency):
        absent = constraint.subject is not None and constraint.subject not in selected
        return not absent and selected.isdisjoint(constraint.candidates)
    if isinstance(constraint, Mandatory):
        return constraint.subject not in selected
    if isinstance(constraint, AtMost):
        return sum(identifier in selected for identifier in constraint.identifiers) > constraint.limit
    if isinstance(constraint, Incompatible):
        return constraint.subject in selected and constraint.other in selected
    return isinstance(constraint, Prohibited) and constraint.subject in selected
