"""Propagation: the conclusions from the decisions so far.

Propagation is lazy. A candidate is compiled when it has to be selected, or when it is the *support* of a variable that
must not stay empty: the most wanted value that is left. So which candidates it rules out depends on where it has
looked; but it finds every broken constraint of the candidates that must be selected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import AtMost, Branch, Constraint, Exclusion, GroupName, Identifier
from olmsolve.solver.deciding.compiling import CompiledCandidate, Need, compile_constraints, compile_masks
from olmsolve.solver.deciding.domains import Domains, Reason
from olmsolve.solver.deciding.nogoods import Nogood, Nogoods
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import FamilyView

# Candidates that are compiled between two looks at the limits.
_COMPILED_PER_CHECK: Final = 64


class Propagation:
    """The propagation on *domains*: it selects candidates that must be selected, and rules out impossible ones.

    *constraints_of* gives the constraints of a candidate or branch, *families* the masked needs of others; *limits*
    hold whatever is decided.
    """

    def __init__(
        self,
        domains: Domains,
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        limits: Sequence[AtMost],
        families: FamilyView | None,
        budget: Budget,
    ) -> None:
        self.variables: VariableTable = VariableTable(domains, families)
        self.nogoods: Nogoods = Nogoods(domains)
        self.compiled: dict[Identifier, CompiledCandidate] = {}
        self._domains = domains
        self._constraints_of = constraints_of
        self._limits = limits
        self._families = families
        self._budget = budget
        self._unchecked = 0
        # By variable: the needs on it. When no value of a need is left, its subject is ruled out.
        self._needs_on: dict[int, list[Need]] = {}
        # By variable: the mask that some choice wants, and its order (None: the order of the bits).
        self._wanted: dict[int, tuple[int, Sequence[Identifier] | None]] = {}
        # By variable: the bit of its support. As long as that is left, the variable needs no second look.
        self._supports: dict[int, int] = {}
        # The candidates that must be selected and have been looked at, in order, and what they hold and exclude.
        self._selected: dict[Identifier, CompiledCandidate] = {}
        self._holders: dict[GroupName, CompiledCandidate] = {}
        self._held: list[GroupName] = []
        self._exclusions: list[tuple[CompiledCandidate, Exclusion, Constraint]] = []
        # For each decision: how many were selected, held and excluded before it.
        self._marks: list[tuple[int, int, int]] = []

    def decide(self, variable: int, bit: int) -> None:
        """Open a level with the decision that *variable* has the value of *bit*."""
        self._marks.append((len(self._selected), len(self._held), len(self._exclusions)))
        self._domains.decide(variable, bit)

    def backtrack(self, level: int) -> None:
        """Take back the decisions above *level*."""
        selected, held, exclusions = self._marks[level]
        del self._marks[level:]
        while len(self._selected) > selected:
            self._selected.popitem()
        for group in self._held[held:]:
            del self._holders[group]
        del self._held[held:], self._exclusions[exclusions:]
        self._domains.backtrack(level)

    def require(self, candidates: Sequence[Identifier], group: GroupName | None, root: Constraint) -> None:
        """Require one of *candidates*, members of *group* if that is given, because of *root*."""
        if group is None and len(candidates) == 1:
            # Compiling it puts it at the variable of its group.
            self.compile(candidates[0])
        masks = self.variables.masks(candidates, group)
        if len(masks) == 1:
            variable, mask = masks[0]
            self._wanted.setdefault(variable, (mask, candidates))
            self._domains.narrow(variable, mask, ((), root))
        else:
            self.nogoods.add(Nogood([(variable, ~mask) for variable, mask in masks], root))

    def possible(self, identifier: Identifier, variable: int, bit: int) -> bool:
        """Return False, and rule *identifier* out, if it breaks something at once; it is *bit* of *variable*."""
        compiled = self.compiled.get(identifier) or self._compile(identifier, variable, bit)
        objection = self._objection(identifier, compiled)
        if objection is None:
            return True
        self._domains.narrow(variable, ~bit, objection)
        return False

    def compile(self, identifier: Identifier) -> CompiledCandidate:
        """Return the compiled constraints of *identifier*, made on first use."""
        return self.compiled.get(identifier) or self._compile(identifier, -1, 0)

    def run(self) -> int | None:
        """Draw conclusions until there are no more; return a variable with an empty domain if there is a conflict."""
        domains = self._domains
        values, pending, members = domains.domains, domains.pending, domains.members
        watched = self.nogoods.watched
        while pending:
            variable = pending.pop()
            value = values[variable]
            if not value:
                return variable
            for need in self._needs_on.get(variable, ()):
                # Fields by number: this is the innermost loop, and a name takes longer.
                if not value & need[1]:
                    other, bit = need[2][0]
                    if values[other] & bit and not domains.narrow(other, ~bit, need.unmet):
                        return other
            if variable in watched:
                conflict = self.nogoods.propagate(variable)
                if conflict is not None:
                    return conflict
                if values[variable] != value:
                    # The variable is pending, so it is looked at once more.
                    continue
            # A single bit, above "none": that candidate must be selected. 0b0100 & 0b0011 is 0, 0b0110 & 0b0101 is not.
            if value > 1:
                if not value & (value - 1):
                    identifier = members[variable][value.bit_length() - 1]
                    if identifier not in self._selected and not self._select(identifier, variable, value):
                        return variable
                elif not value & 1 and not value & self._supports.get(variable, 0):
                    self._support(variable)
        return None

    def _compile(self, identifier: Identifier, variable: int, bit: int) -> CompiledCandidate:
        """Compile *identifier*; it has *bit* of *variable*, if that is not negative."""
        # The first look at a large problem compiles all of it, which takes longer than anything else here.
        if self._budget.limited:
            self._unchecked += 1
            if self._unchecked == _COMPILED_PER_CHECK:
                self._unchecked = 0
                self._budget.check()
        families = self._families
        masked = None if families is None or isinstance(identifier, Branch) else families.masked_needs(identifier)
        if masked is None:
            compiled = compile_constraints(identifier, self._constraints_of(identifier), self.variables)
        else:
            if variable < 0:
                variable, bit = self.variables.of(identifier)
            compiled = compile_masks(identifier, variable, bit, masked, self.variables)
        self.add(identifier, compiled)
        return compiled

    def add(self, identifier: Identifier, compiled: CompiledCandidate) -> None:
        """Add the *compiled* constraints of *identifier*."""
        self.compiled[identifier] = compiled
        needs_on = self._needs_on
        for need in compiled.needs:
            here = needs_on.get(need[0])
            if here is None:
                needs_on[need[0]] = [need]
            else:
                here.append(need)
        for conditions, source in compiled.spread:
            self.nogoods.add(Nogood(list(conditions), source))

    def _objection(self, identifier: Identifier, compiled: CompiledCandidate) -> Reason | None:
        """Return the reason why *identifier* breaks something beside the selected candidates; None if it does not."""
        if compiled.impossible is not None:
            return compiled.impossible
        values = self._domains.domains
        for need in compiled.needs:
            if not values[need[0]] & need[1]:
                return need.unmet
        for group in compiled.groups:
            holder = self._holders.get(group)
            if holder is not None and holder is not compiled:
                return holder.chosen, group
        for pair in compiled.incompatible:
            other = self._selected.get(pair.other)
            if other is not None:
                return other.chosen, pair
        if self._exclusions and not isinstance(identifier, Branch):
            for guard, exclusion, source in self._exclusions:
                if identifier in exclusion.excluded:
                    return guard.chosen, source
        for exclusion, source in compiled.exclusions:
            if not isinstance(identifier, Branch) and identifier in exclusion.excluded:
                return (), source
            for excluded, its_compiled in self._selected.items():
                if not isinstance(excluded, Branch) and excluded in exclusion.excluded:
                    return its_compiled.chosen, source
        for limit in self._limits:
            if identifier in limit.identifiers:
                others = [self._selected[i].chosen[0] for i in limit.identifiers if i in self._selected]
                if len(others) >= limit.limit:
                    return tuple(others), limit
        return None

    def _select(self, identifier: Identifier, variable: int, bit: int) -> bool:
        """Draw the conclusions of selecting *identifier*, *bit* of *variable*; return False if it is impossible."""
        if not self.possible(identifier, variable, bit):
            return False
        domains = self._domains
        compiled = self.compiled[identifier]
        self._selected[identifier] = compiled
        for group in compiled.groups:
            self._holders[group] = compiled
            self._held.append(group)
            other = self.variables.excluded_by(group)
            if other is not None and other != variable:
                domains.narrow(other, 1, (compiled.chosen, group))
        for pair in compiled.incompatible:
            other, excluded = self.variables.of(pair.other)
            domains.narrow(other, ~excluded, (compiled.chosen, pair))
        for exclusion, source in compiled.exclusions:
            self._exclusions.append((compiled, exclusion, source))
        wanted, values = self._wanted, domains.domains
        for need in compiled.needs:
            target, mask = need[0], need[1]
            wanted[target] = mask, need[5]
            if values[target] & ~mask:
                domains.narrow(target, mask, need.met)
        return True

    def _support(self, variable: int) -> None:
        """Find the support of a variable that must not stay empty, and rule out the more wanted candidates.

        This looks ahead by one candidate: a dead end is seen before the queue decides for it.
        """
        wanted = self._wanted.get(variable)
        if wanted is None:
            return
        values = self._domains.domains
        mask, candidates = wanted
        if candidates is None:
            # A family: the lowest bit is the most wanted member, and ``left & -left`` gives it: 0b0100 of 0b1100.
            members = self._domains.members[variable]
            while left := values[variable] & mask:
                bit = left & -left
                if self.possible(members[bit.bit_length() - 1], variable, bit):
                    self._supports[variable] = bit
                    return
            return
        of = self.variables.of
        for candidate in candidates:
            where, bit = of(candidate)
            if where == variable and values[variable] & bit and self.possible(candidate, variable, bit):
                self._supports[variable] = bit
                return
