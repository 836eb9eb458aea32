"""Whether units of a problem can hold together, asked of a SAT solver.

A constraint of the problem gets clauses, guarded by a selector of its own, only when a model selects its subject.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from olmsolve.solver.constraints import Branch, Constraint, Dependency, GroupName, Identifier
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.session import Session
from olmsolve.solver.units import GROUP, Rank, UnitTable

__all__ = ["Finder"]


class Finder:
    """A lazily encoded problem of the units that are *allowed*, with one selector for each *key* of units."""

    def __init__(
        self,
        reader: UnitTable,
        session: Session,
        key: Callable[[Rank], Rank],
        allowed: Callable[[Rank], bool],
    ) -> None:
        self.needed: AbstractSet[Rank] = frozenset()
        self._reader = reader
        self._session = session
        self._key = key
        self._allowed = allowed
        self._encoding = Encoding(session.add_clause)
        self._selectors: dict[Rank, int] = {}
        self._encoded: set[Rank] = set()
        for unit, root in reader.roots:
            if allowed(unit):
                self._encode(unit, root)

    def conflict(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Keys among those before *last* (None: all) and *found* that cannot hold together; None if all of them can."""

        def enabled(name: Rank) -> bool:
            return last is None or name < last or name in found

        while True:
            chosen = {selector: name for name, selector in self._selectors.items() if enabled(name)}
            if not self._session.ask(list(chosen)):
                return {chosen[literal] for literal in self._session.core()}
            if not self._refine(enabled):
                return None

    def close(self) -> None:
        """Free what the SAT solver holds."""
        self._session.close()

    def _refine(self, enabled: Callable[[Rank], bool]) -> bool:
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

    def _break_groups(self, selected: Sequence[Identifier], enabled: Callable[[Rank], bool]) -> bool:
        """Encode the memberships of groups of which the model selects several members."""
        added = False
        holders: dict[GroupName, Identifier] = {}
        for identifier in selected:
            for group in self._reader.units(identifier)[1]:
                holder = holders.setdefault(group, identifier)
                unit = (GROUP, group)
                if holder != identifier and self._allowed(unit) and enabled(self._key(unit)):
                    unless = (-self._selector(unit),)
                    for member in (holder, identifier):
                        added |= self._encoding.join(group, member, unless)
        return added

    def _selector(self, unit: Rank) -> int:
        name = self._key(unit)
        selector = self._selectors.get(name)
        if selector is None:
            selector = self._selectors[name] = self._encoding.helper()
        return selector

    def _encode(self, unit: Rank, constraint: Constraint) -> None:
        self._encoded.add(unit)
        self._encoding.add(constraint, (-self._selector(unit),))
