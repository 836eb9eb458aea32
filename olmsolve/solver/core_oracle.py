"""The oracle for cores that asks a SAT solver whether units of a problem can hold together.

It starts with the roots. Each model may ignore constraints of what it selects; these get clauses, guarded by a
selector of their own, and the solver is asked a second time. So only constraints near a model are ever encoded.

Three cheaper ways come before a question about the whole problem: the last core alone, which may be contradictory
without the member too; a walk that takes nothing back (:mod:`.views`); and, where families say everything, the walk of
:mod:`.family_walk`.

A witness that answers "can the rest hold without this member?" breaks that member and nothing else. Rotating it
(:mod:`.rotation`) proves most other members to be needed, without a question for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from olmsolve.solver.constraints import Branch, Constraint, GroupName, Identifier
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.family_walk import walked_witness
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.session import Session
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable
from olmsolve.solver.views import FreedBy, PartedFamilies, UnitView, easy_witness

# Most questions end with the second model. A question that goes on after the widest look has met other needs than those
# of versions beside each other, and some questions take a hundred models.
_WIDE: Final = 4
_WIDEST: Final = 4096


class SatOracle:
    """A lazily encoded problem: the *allowed* units of a table (None: all), with one selector for each *key* of units.

    A key is the rank of a unit or of its member. *session* holds the SAT solver. The constraints of *refuted*
    identifiers get clauses from the start: a search has found that they cannot hold together. So do the *blamed* units
    of a refutation: without them, each of 200 versions that lack one provider would get its clauses after a model of
    its own. The keys in *core* may be a core, and are tried first.
    """

    def __init__(
        self,
        table: UnitTable,
        session: Session,
        key: Callable[[Rank], Rank],
        allowed: Callable[[Rank], bool] | None,
        refuted: Iterable[Identifier] = (),
        core: AbstractSet[Rank] = frozenset(),
        blamed: AbstractSet[Rank] = frozenset(),
    ) -> None:
        self.needed: set[Rank] = set()
        self._rotation: Rotation | None = None
        # The selection of the last question with the answer yes.
        self._witness: Iterable[Identifier] = ()
        # Identifiers that were given clauses for what a search has refuted.
        self._near = tuple(refuted)
        # By group: the members that have clauses for it.
        self._grouped: dict[GroupName, dict[Identifier, None]] = {}
        # The keys of the last core.
        self._core: set[Rank] = set(core)
        self._table = table
        self._session = session
        self._key = key
        self._is_whole = allowed is None
        self._allowed: Callable[[Rank], bool] = allowed or (lambda _: True)
        self._encoding = Encoding(session.add_clause)
        self._selectors: dict[Rank, int] = {}
        self._encoded: set[Rank] = set()
        # Identifiers whose constraints have clauses as far as they were enabled when one beside them was selected.
        self._widened: set[Identifier] = set()
        for unit, root in table.roots:
            if self._allowed(unit):
                self._encode(unit, root)
        for identifier in self._near:
            for unit, constraint in table.units_of(identifier)[0]:
                if self._allowed(unit):
                    self._encode(unit, constraint)
        for unit in sorted(blamed):
            if unit[0] == BLOCK and unit not in self._encoded and self._allowed(unit):
                self._encode(unit, table.constraint_of(unit))

    def conflict(self, last: Rank | None, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Return keys that cannot hold together, or None if all can; see :class:`olmsolve.solver.core.CoreOracle`."""
        core = self._answer(last, members)
        if core is None and last is not None:
            self._rotate(last, members)
        return core

    def probe(self, last: Rank, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Return what :meth:`conflict` does, without a search for needed keys: the model may break more than *last*."""
        return self._answer(last, members)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        self._session.close()

    def _answer(self, last: Rank | None, members: AbstractSet[Rank]) -> set[Rank] | None:
        """Return what :meth:`conflict` does; ask about the last core and the groups alone before everything."""

        def enabled(key: Rank) -> bool:
            return last is None or key < last or key in members

        core = self._core
        if core and self._refuted(lambda key: enabled(key) and (key in core or key[0] == GROUP)):
            return self._core
        if last is not None and self._is_whole and self._is_witnessed(last, enabled):
            return None
        return self._core if self._refuted(enabled) else None

    def _is_witnessed(self, last: Rank, enabled: Callable[[Rank], bool]) -> bool:
        """Return True if a walk finds a witness for the *enabled* keys of the whole problem."""
        key, table, budget = self._key, self._table, self._session.budget

        def on(unit: Rank) -> bool:
            return enabled(key(unit))

        blocks_on = last[0] == GROUP
        view = UnitView(table, on, blocks_on)
        witness: Iterable[Identifier] | None = easy_witness(view, [FreedBy(table, last), set(self._witness)], budget)
        if witness is None and blocks_on and self._near and table.families is not None:
            # Only groups near the last core are off: more than the question leaves on, so a witness answers it.
            broken = [
                member
                for constraint in self._core
                if constraint[0] == GROUP
                for member in self._grouped.get(constraint[1], ())
            ]
            near = {group for member in broken for group in table.groups_of(member) if not on((GROUP, group))}
            families = PartedFamilies(table, table.families, near)
            witness = walked_witness(table.problem.roots, families, self._session.backend, budget)
        if witness is not None:
            self._witness = witness
        return witness is not None

    def _refuted(self, enabled: Callable[[Rank], bool]) -> bool:
        """Return True if the *enabled* keys cannot hold together; keep the core."""
        width = 1
        while True:
            assumed = {selector: key for key, selector in self._selectors.items() if enabled(key)}
            if not self._session.solve(list(assumed)):
                self._core = {assumed[literal] for literal in self._session.core()}
                return True
            if not self._refine(enabled, width):
                self._witness = self._selected()
                return False
            width *= 2

    def _rotate(self, last: Rank, members: AbstractSet[Rank]) -> None:
        """Add the needed keys that rotation finds from the witness, which breaks *last* and nothing else up to it.

        Later questions leave fewer units on. A set that breaks one unit of this question breaks no more than that one
        in theirs, so it answers them as well.
        """
        allowed, key, core = self._allowed, self._key, self._core

        def on(unit: Rank) -> bool:
            unit_key = key(unit)
            return allowed(unit) and (unit_key <= last or unit_key in members)

        targets = [unit for unit in self._encoded if key(unit) in core and key(unit) not in members]
        if targets:
            self._rotation = self._rotation or Rotation(self._table, key, self._session.budget)
            # If groups alone are off, the blocks that no walk has met yet are on.
            scope = Scope(on, blocks_on=self._is_whole and last[0] == GROUP)
            self.needed |= self._rotation.needed(self._witness, scope, targets)

    def _refine(self, enabled: Callable[[Rank], bool], width: int) -> bool:
        """Encode the enabled constraints that the model ignores; return False if it ignores none.

        From the third model of a question on, and up to the widest look, the constraints of *width* candidates beside
        each selected one are encoded as well.
        """
        selected = self._selected()
        added = self._break_groups(selected, enabled)
        if added and self._near:
            # Refuted constraints have their clauses already; the groups may be all that was missing.
            return True
        if _WIDE <= width <= _WIDEST:
            selected += self._candidates_beside(selected, width)
        visited = set(selected)
        for identifier in self._session.budget.checked(selected, every=16):
            for unit, constraint in self._table.units_of(identifier)[0]:
                if unit not in self._encoded and self._allowed(unit) and enabled(self._key(unit)):
                    self._encode(unit, constraint)
                    added = True
                    if visited.isdisjoint(constraint.candidates[:1]):
                        # The next model needs one of the candidates. Encoding the first one's constraints now
                        # saves a round for each step of a chain of requirements.
                        visited.update(constraint.candidates[:1])
                        selected.extend(filter(self._table.ranks.reaches, constraint.candidates[:1]))
        return added

    def _candidates_beside(self, selected: Iterable[Identifier], width: int) -> list[Identifier]:
        """Return up to *width* candidates beside each *selected* one, in constraints that have clauses.

        Versions of one package often lack the same provider, and one model after another would select each of them::

            a root needs one of p.v199, p.v198, ... p.v0, which all need q: 9 models instead of 200
        """
        chosen, reaches = set(selected), self._table.ranks.reaches
        beside: dict[Identifier, None] = {}
        for unit in self._session.budget.checked(self._encoded, every=64):
            candidates = self._table.constraint_of(unit).candidates
            if not chosen.isdisjoint(candidates):
                others = (
                    candidate for candidate in candidates if candidate not in self._widened and reaches(candidate)
                )
                beside.update(dict.fromkeys(itertools.islice(others, width)))
        self._widened |= chosen
        self._widened.update(beside)
        return [candidate for candidate in beside if candidate not in chosen]

    def _selected(self) -> list[Identifier]:
        """Return the identifiers that the model selects, without branches.

        Members of a group have variables although no root may reach them. Nothing needs such members, so they are left
        out::

            a root needs p4; p9 gives the same API as p4, so it joins that group, and nothing requires p9
        """
        identifiers, ranks = self._encoding.identifiers, self._table.ranks
        return [
            identifier
            for variable in self._session.model()
            if 0 < variable < len(identifiers)
            and (identifier := identifiers[variable]) is not None
            and not isinstance(identifier, Branch)
            and ranks.reaches(identifier)
        ]

    def _break_groups(self, selected: Sequence[Identifier], enabled: Callable[[Rank], bool]) -> bool:
        """Encode the memberships of groups from which the model selects several members; return False if none."""
        added = False
        families = self._table.families
        holders: dict[GroupName, Identifier] = {}
        for identifier in self._session.budget.checked(selected, every=64):
            for group in self._table.units_of(identifier)[1]:
                holder = holders.setdefault(group, identifier)
                unit = (GROUP, group)
                if holder != identifier and self._allowed(unit) and enabled(self._key(unit)):
                    unless = (-self._selector(unit),)
                    # The next model would break the group with other members of the family, so all of them join. A
                    # family may also have prohibited candidates that no constraint puts in the group: these do not
                    # join.
                    family = () if families is None else families.family(group) or ()
                    members = [member for member in family if group in self._table.groups_of(member)]
                    joined = self._grouped.setdefault(group, {})
                    for member in (holder, identifier, *members):
                        added |= self._encoding.join(group, member, unless)
                        joined[member] = None
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
