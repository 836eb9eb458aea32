"""The portable finder: asks a SAT solver whether units of a problem can hold together.

It starts with the roots. Each model may ignore constraints of what it selects; these get clauses, guarded by a
selector of their own, and the solver is asked a second time. So only constraints near a model are ever encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from olmsolve.solver.constraints import Branch, Constraint, Dependency, GroupName, Identifier
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.session import Session
from olmsolve.solver.units import GROUP, Rank, UnitTable


class PortableFinder:
    """A lazily encoded problem: the *allowed* units of a table, with one selector for each *key* of units.

    A key is the rank of a unit or of its member. *session* holds the SAT solver.
    """

    def __init__(
        self,
        table: UnitTable,
        session: Session,
        key: Callable[[Rank], Rank],
        allowed: Callable[[Rank], bool],
    ) -> None:
        self.needed: AbstractSet[Rank] = frozenset()
        self._table = table
        self._session = session
        self._key = key
        self._allowed = allowed
        self._encoding = Encoding(session.add_clause)
        self._selectors: dict[Rank, int] = {}
        self._encoded: set[Rank] = set()
        for unit, root in table.roots:
            if allowed(unit):
                self._encode(unit, root)

    def conflict(self, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Return keys that cannot hold together, or None if all can; see :class:`olmsolve.solver.core.Finder`."""

        def enabled(key: Rank) -> bool:
            return last is None or key < last or key in found

        while True:
            assumed = {selector: key for key, selector in self._selectors.items() if enabled(key)}
            if not self._session.solve(list(assumed)):
                return {assumed[literal] for literal in self._session.core()}
            if not self._refine(enabled):
                return None

    def probe(self, last: Rank, found: AbstractSet[Rank]) -> set[Rank] | None:
        """Return what :meth:`conflict` does; it never searches for needed keys."""
        return self.conflict(last, found)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        self._session.close()

    def _refine(self, enabled: Callable[[Rank], bool]) -> bool:
        """Encode the enabled constraints that the model ignores; return False if there are none."""
        identifiers = self._encoding.identifiers
        selected = [
            identifier
            for variable in self._session.model()
            if 0 < variable < len(identifiers)
            and (identifier := identifiers[variable]) is not None
            and not isinstance(identifier, Branch)
        ]
        added = self._break_groups(selected, enabled)
        visited = set(selected)
        for identifier in self._session.budget.checked(selected, every=16):
            for unit, constraint in self._table.of(identifier)[0]:
                if unit not in self._encoded and self._allowed(unit) and enabled(self._key(unit)):
                    self._encode(unit, constraint)
                    added = True
                    if isinstance(constraint, Dependency) and visited.isdisjoint(constraint.candidates[:1]):
                        # The next model needs one of the candidates. Encoding the first one's constraints now
                        # saves a round for each step of a chain of requirements.
                        visited.update(constraint.candidates[:1])
                        selected.extend(constraint.candidates[:1])
        return added

    def _break_groups(self, selected: Sequence[Identifier], enabled: Callable[[Rank], bool]) -> bool:
        """Encode the memberships of groups from which the model selects several members; return False if none."""
        added = False
        holders: dict[GroupName, Identifier] = {}
        for identifier in self._session.budget.checked(selected, every=64):
            for group in self._table.of(identifier)[1]:
                holder = holders.setdefault(group, identifier)
                unit = (GROUP, group)
                if holder != identifier and self._allowed(unit) and enabled(self._key(unit)):
                    unless = (-self._selector(unit),)
                    for member in (holder, identifier):
                        added |= self._encoding.join(group, member, unless)
        return added

    def _selector(self, unit: Rank) -> int:
        key = self._key(unit)
        selector = self._selectors.get(key)
        if selector is None:
            selector = self._selectors[key] = self._encoding.helper()
        return selector

    def _encode(self, unit: Rank, constraint: Constraint) -> None:
        self._encoded.add(unit)
        self._encoding.add(constraint, (-self._selector(unit),))
