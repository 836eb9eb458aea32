"""What follows from what is decided.

Propagation is lazy: a candidate's constraints are asked for when it has to be selected, or when it is the most wanted
one that is left for a place that must not stay empty (its *support*). So what it finds out depends on what has
been looked at; that it finds every broken constraint of what is selected does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve.solver.constraints import AtMost, Branch, Constraint, Exclusion, GroupName, Identifier
from olmsolve.solver.deciding.compiling import CompiledCandidate, Need, compile_constraints, sketched
from olmsolve.solver.deciding.domains import Domains, Reason
from olmsolve.solver.deciding.nogoods import Nogood, Nogoods
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import FamilyView

__all__ = ["Propagation"]


class Propagation:
    """Selects what must be selected, and rules out what cannot be, on the *domains*.

    *constraints_of* gives the constraints of a candidate or branch, *families* what is known besides; *limits* hold
    throughout.
    """

    def __init__(
        self,
        domains: Domains,
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        limits: Sequence[AtMost],
        families: FamilyView | None = None,
    ) -> None:
        self.variables = VariableTable(domains, families)
        self.nogoods = Nogoods(domains)
        self._domains = domains
        self._constraints_of = constraints_of
        self._limits = limits
        self._families = families
        # What candidates ask for.
        self.known: dict[Identifier, CompiledCandidate] = {}
        # By place: choices among its candidates; without any that is left, their subjects are ruled out.
        self._supported: dict[int, list[Need]] = {}
        # By place: the candidates that some choice wants, as a mask, and in its order (None: that of the bits).
        self._wanted: dict[int, tuple[int, Sequence[Identifier] | None]] = {}
        # By place: the candidate (its bit) that was possible when the place was last looked at.
        self._supports: dict[int, int] = {}
        # What has to be selected and has been looked at, in order, and what it holds.
        self._selected: dict[Identifier, CompiledCandidate] = {}
        self._holders: dict[GroupName, CompiledCandidate] = {}
        self._held: list[GroupName] = []
        self._exclusions: list[tuple[CompiledCandidate, Exclusion, Constraint]] = []
        # Their lengths before each decision.
        self._marks: list[tuple[int, int, int]] = []

    def decide(self, place: int, bit: int) -> None:
        """Open a level with a decision."""
        self._marks.append((len(self._selected), len(self._held), len(self._exclusions)))
        self._domains.decide(place, bit)

    def take_back(self, level: int) -> None:
        """Undo the decisions above *level*."""
        selected, held, exclusions = self._marks[level]
        del self._marks[level:]
        while len(self._selected) > selected:
            self._selected.popitem()
        for group in self._held[held:]:
            del self._holders[group]
        del self._held[held:], self._exclusions[exclusions:]
        self._domains.take_back(level)

    def require(self, candidates: Sequence[Identifier], group: GroupName | None, root: Constraint) -> None:
        """One of *candidates* must be selected, whatever else is."""
        if group is None and len(candidates) == 1:
            # What it asks for says which group it belongs to.
            self.rules(candidates[0])
        masks = self.variables.masks(candidates, group)
        if len(masks) == 1:
            place, mask = masks[0]
            self._wanted.setdefault(place, (mask, candidates))
            self._domains.narrow(place, mask, ((), root))
        else:
            self.nogoods.add(Nogood([(place, ~mask) for place, mask in masks], root))

    def possible(self, identifier: Identifier, place: int, bit: int) -> bool:
        """Whether *identifier*, *bit* of *place*, could be selected, as far as can be seen at once.

        If not, it is ruled out.
        """
        rules = self.known.get(identifier) or self._made(identifier, place, bit)
        objection = self._objection(identifier, rules)
        if objection is None:
            return True
        self._domains.narrow(place, ~bit, objection)
        return False

    def rules(self, identifier: Identifier) -> CompiledCandidate:
        """What *identifier* asks for."""
        return self.known.get(identifier) or self._made(identifier, -1, 0)

    def run(self) -> int | None:
        """Draw conclusions until there are no more; a place that is left without values if there is a conflict."""
        domains = self._domains
        values, pending, members = domains.domains, domains.pending, domains.members
        watched = self.nogoods.watched
        while pending:
            place = pending.pop()
            value = values[place]
            if not value:
                return place
            for need in self._supported.get(place, ()):
                if not value & need[1]:
                    other, bit = need[2][0]
                    if values[other] & bit and not domains.narrow(other, ~bit, need.unmet):
                        return other
            if place in watched:
                conflict = self.nogoods.wake(place)
                if conflict is not None:
                    return conflict
                if values[place] != value:
                    continue
            if value > 1:
                if not value & (value - 1):
                    identifier = members[place][value.bit_length() - 1]
                    if identifier not in self._selected and not self._select(identifier, place, value):
                        return place
                elif not value & 1 and not value & self._supports.get(place, 0):
                    self._support(place)
        return None

    def _made(self, identifier: Identifier, place: int, bit: int) -> CompiledCandidate:
        """The rules of *identifier*, which is *bit* of *place* if that is known (not negative)."""
        families = self._families
        sketch = None if families is None or isinstance(identifier, Branch) else families.masked_needs(identifier)
        if sketch is None:
            rules = compile_constraints(identifier, self._constraints_of(identifier), self.variables)
        else:
            if place < 0:
                place, bit = self.variables.of(identifier)
            rules = sketched(identifier, place, bit, sketch, self.variables)
        self.learn(identifier, rules)
        return rules

    def learn(self, identifier: Identifier, rules: CompiledCandidate) -> None:
        """Take note of what *identifier* asks for."""
        self.known[identifier] = rules
        supported = self._supported
        for need in rules.needs:
            here = supported.get(need[0])
            if here is None:
                supported[need[0]] = [need]
            else:
                here.append(need)
        for conditions, origin in rules.spread:
            self.nogoods.add(Nogood(list(conditions), origin))

    def _objection(self, identifier: Identifier, rules: CompiledCandidate) -> Reason | None:
        """Why *identifier* cannot be selected beside what is, as far as can be seen at once."""
        if rules.impossible is not None:
            return rules.impossible
        values = self._domains.domains
        for need in rules.needs:
            if not values[need[0]] & need[1]:
                return need.unmet
        for group in rules.groups:
            holder = self._holders.get(group)
            if holder is not None and holder is not rules:
                return holder.chosen, group
        for conflict in rules.conflicts:
            other = self._selected.get(conflict.other)
            if other is not None:
                return other.chosen, conflict
        if self._exclusions and not isinstance(identifier, Branch):
            for guard, exclusion, origin in self._exclusions:
                if identifier in exclusion.excluded:
                    return guard.chosen, origin
        for exclusion, origin in rules.exclusions:
            if not isinstance(identifier, Branch) and identifier in exclusion.excluded:
                return (), origin
            for excluded, its_rules in self._selected.items():
                if not isinstance(excluded, Branch) and excluded in exclusion.excluded:
                    return its_rules.chosen, origin
        for limit in self._limits:
            if identifier in limit.identifiers:
                others = [self._selected[i].chosen[0] for i in limit.identifiers if i in self._selected]
                if len(others) >= limit.limit:
                    return tuple(others), limit
        return None

    def _select(self, identifier: Identifier, place: int, bit: int) -> bool:
        """Draw the conclusions of having to select *identifier*, *bit* of *place*; False if it cannot be."""
        if not self.possible(identifier, place, bit):
            return False
        domains = self._domains
        rules = self.known[identifier]
        self._selected[identifier] = rules
        for group in rules.groups:
            self._holders[group] = rules
            self._held.append(group)
            other = self.variables.place_beside(group)
            if other is not None and other != place:
                domains.narrow(other, 1, (rules.chosen, group))
        for conflict in rules.conflicts:
            other, excluded = self.variables.of(conflict.other)
            domains.narrow(other, ~excluded, (rules.chosen, conflict))
        for exclusion, origin in rules.exclusions:
            self._exclusions.append((rules, exclusion, origin))
        wanted, values = self._wanted, domains.domains
        for need in rules.needs:
            target, mask = need[0], need[1]
            wanted[target] = mask, need[5]
            if values[target] & ~mask:
                domains.narrow(target, mask, need.met)
        return True

    def _support(self, place: int) -> None:
        """Rule out candidates of a place that must not stay empty, until the most wanted is possible."""
        wanted = self._wanted.get(place)
        if wanted is None:
            return
        values = self._domains.domains
        mask, candidates = wanted
        if candidates is None:
            members = self._domains.members[place]
            while left := values[place] & mask:
                bit = left & -left
                if self.possible(members[bit.bit_length() - 1], place, bit):
                    self._supports[place] = bit
                    return
            return
        of = self.variables.of
        for candidate in candidates:
            where, bit = of(candidate)
            if where == place and values[place] & bit and self.possible(candidate, place, bit):
                self._supports[place] = bit
                return
