"""Propagation: the conclusions from the decisions so far.

Propagation is lazy. A candidate is compiled when it has to be selected, or when it is the *support* of a variable that
must not stay empty: the most wanted value that is left. So which candidates it rules out depends on where it has
looked; but it finds every broken constraint of the candidates that must be selected.

Where laziness has led to conflicts, it also *looks ahead*: a candidate is ruled out before the queue decides for it if
all candidates of one of its needs are impossible. Two steps ahead, a chain of three requirements is seen at once::

    a.v2 needs b.v2 or b.v1, each of which needs c.v2, which needs d.v2, and d.v1 is selected
    not ahead    a.v2 is decided for, then b.v2: a conflict, which rules out b.v2; then b.v1: a conflict; back to a.v2
    two ahead    c.v2 is looked at for b.v2, which is looked at for a.v2: a.v2 is ruled out without a decision

It also draws *unions* then: what all values of a domain rule out is ruled out before one of them is decided for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Branch, Constraint, Exclusion, GroupName, Identifier, Limit
from olmsolve.solver.deciding.compiling import CompiledCandidate, Need, compile_constraints, compile_masks
from olmsolve.solver.deciding.domains import Condition, Domains, Reason
from olmsolve.solver.deciding.nogoods import Nogood, Nogoods
from olmsolve.solver.deciding.unions import Unions
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.solver.problem import FamilyView

# Candidates that are compiled between two looks at the limits.
_COMPILED_PER_CHECK: Final = 64
# The domains of a variable for which the unmet needs are remembered.
_MOST_REMEMBERED: Final = 64


class Propagation:
    """The propagation on *domains*: it selects candidates that must be selected, and rules out impossible ones.

    *constraints_of* returns the constraints of a candidate or branch. Candidates in *families* have masked needs in
    their place. *limits* hold whatever is decided.
    """

    def __init__(
        self,
        domains: Domains,
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        limits: Sequence[Limit],
        families: FamilyView | None,
        budget: Budget,
    ) -> None:
        self.variables: VariableTable = VariableTable(domains, families)
        self.nogoods: Nogoods = Nogoods(domains)
        self.compiled: dict[Identifier, CompiledCandidate] = {}
        self.steps_ahead: int = 0
        """How many steps the propagation looks ahead."""
        self.drawing_unions: bool = False
        """Whether the values of a domain rule out what all of them exclude."""
        self._unions = Unions(domains, self.variables, families, budget)
        self._domains = domains
        self._constraints_of = constraints_of
        self._limits = limits
        self._families = families
        self._budget = budget
        self._unchecked = 0
        # By variable: the needs on it, each by its mask, after the variable and bit of its subject. When no value of a
        # need is left, its subject is ruled out.
        self._needs_on: dict[int, list[tuple[int, tuple[int, int, Need]]]] = {}
        # By variable, then by domain: the needs of which no value is left, each after the variable and bit of its
        # subject. After a conflict, most domains come up once more.
        self._unmet: dict[int, dict[int, list[tuple[int, int, Need]]]] = {}
        # By variable: the bits of the candidates that are compiled. One that is left has a candidate left for each
        # need, or it would have been ruled out, so a need that it meets has no other one looked at.
        self._compiled_bits: dict[int, int] = {}
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
        self._unions.waiting.clear()
        self._domains.backtrack(level)

    def require(self, candidates: Sequence[Identifier], group: GroupName | None, root: Constraint) -> None:
        """Require one of *candidates*, members of *group* if that is given, because of *root*."""
        if group is None and len(candidates) == 1:
            # Compiling it puts it at the variable of its group.
            self.compile(candidates[0])
        conditions = self.variables.conditions_of(candidates, group)
        if len(conditions) == 1:
            variable, mask = conditions[0]
            self._wanted.setdefault(variable, (mask, candidates))
            self._domains.narrow(variable, mask, ((), root))
        else:
            self.nogoods.add(Nogood([(variable, ~mask) for variable, mask in conditions], root))

    def possible(self, identifier: Identifier, variable: int, bit: int) -> bool:
        """Return False, and rule *identifier* out, if it breaks something at once; it is *bit* of *variable*."""
        compiled = self.compiled.get(identifier) or self._compile(identifier, (variable, bit))
        objection = self._objection(identifier, compiled)
        if objection is None:
            return True
        self._domains.narrow(variable, ~bit, objection)
        return False

    def compile(self, identifier: Identifier) -> CompiledCandidate:
        """Return the compiled constraints of *identifier*, made on first use."""
        return self.compiled.get(identifier) or self._compile(identifier, None)

    def run(self) -> int | None:
        """Draw conclusions until there are no more; return a variable with an empty domain if there is a conflict."""
        domains = self._domains
        values, pending, members = domains.domains, domains.pending, domains.members
        watched, unmet, narrow = self.nogoods.watched, self._unmet, domains.narrow
        # A variable is pending once for each event, but nothing is taken back in here, so a second look at the same
        # domain finds nothing new. Of 44,625 looks on the hard problem of 100,000 bundles, 10,537 are skipped. Events
        # stay in the list, since that keeps the order of the looks: the last event's turn comes first.
        looked_at: dict[int, int] = {}
        drawing, waiting = self.drawing_unions, self._unions.waiting
        while pending or waiting:
            if not pending:
                # Last, because a union that is drawn after more narrowing rules out more.
                variable, _ = waiting.popitem(last=False)
                self._unions.draw(variable)
                continue
            variable = pending.pop()
            value = values[variable]
            if looked_at.get(variable) == value:
                continue
            looked_at[variable] = value
            if not value:
                return variable
            by_domain = unmet.get(variable)
            if by_domain is not None:
                # A domain takes the same values again and again, as decisions are made and taken back: of
                # 33,165 look-ups on the hard problem of 100,000 bundles, 17,751 find who cannot be met with one.
                entry = by_domain.get(value)
                for other, bit, need in self._find_unmet(variable, value) if entry is None else entry:
                    # The reason is `need.unmet`, which is made here without a call.
                    if values[other] & bit and not narrow(other, ~bit, (((variable, ~need[1]),), need)):
                        return other
            # A nogood has each variable once, so what it concludes leaves the domain of this one as it is.
            if variable in watched:
                for outside, _ in watched[variable]:
                    # Of 2,475 looks on the hard problem of 100,000 bundles, 1,637 reach no nogood and need no call.
                    if not value & outside:
                        conflict = self.nogoods.propagate(variable)
                        if conflict is not None:
                            return conflict
                        break
            # A single bit, above "none": that candidate must be selected. 0b0100 & 0b0011 is 0, 0b0110 & 0b0101 is not.
            if value > 1:
                if not value & (value - 1):
                    identifier = members[variable][value.bit_length() - 1]
                    if identifier not in self._selected and not self._select(identifier, variable, value):
                        return variable
                elif not value & 1:
                    if not value & self._supports.get(variable, 0):
                        self._support(variable)
                    if drawing:
                        waiting[variable] = None
        return None

    def _compile(self, identifier: Identifier, where: Condition | None) -> CompiledCandidate:
        """Compile *identifier*; *where* is its variable and bit, or None if somebody has to look them up."""
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
            compiled = compile_masks(
                identifier, where or self.variables.variable_of(identifier), masked, self.variables
            )
        self.add(identifier, compiled)
        return compiled

    def add(self, identifier: Identifier, compiled: CompiledCandidate) -> None:
        """Add the *compiled* constraints of *identifier*."""
        self.compiled[identifier] = compiled
        self._compiled_bits[compiled.variable] = self._compiled_bits.get(compiled.variable, 0) | compiled.bit
        needs_on, unmet = self._needs_on, self._unmet
        variable, bit = compiled.variable, compiled.bit
        for target, mask, need in compiled.needs_by_mask:
            by_subject = variable, bit, need
            here = needs_on.get(target)
            if here is None:
                needs_on[target], unmet[target] = [(mask, by_subject)], {}
            else:
                here.append((mask, by_subject))
                for domain, needs in unmet[target].items():
                    if not domain & mask:
                        needs.append(by_subject)
        for conditions, source in compiled.spread:
            self.nogoods.add(Nogood(list(conditions), source))

    def _objection(self, identifier: Identifier, compiled: CompiledCandidate) -> Reason | None:
        """Return the reason why *identifier* breaks something beside the selected candidates; None if it does not."""
        if compiled.impossible is not None:
            return compiled.impossible
        values, looking_ahead, compiled_bits = self._domains.domains, self.steps_ahead, self._compiled_bits
        for variable, mask, need in compiled.needs_by_mask:
            left = values[variable] & mask
            if not left:
                return need.unmet
            if looking_ahead and not left & compiled_bits.get(variable, 0) and not self._some_possible(variable, mask):
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
            others = limit.crowd(identifier, self._selected)
            if others is not None:
                return tuple([self._selected[other].chosen[0] for other in others]), limit
        return None

    def _some_possible(self, variable: int, mask: int) -> bool:
        """Return True if a value of *variable* in *mask* is possible one step ahead; rule out the values before it."""
        values, members = self._domains.domains, self._domains.members[variable]
        self.steps_ahead -= 1
        while left := values[variable] & mask:
            bit = left & -left  # the lowest one, which is the most wanted: 0b0100 of 0b1100
            if self.possible(members[bit.bit_length() - 1], variable, bit):
                break
        self.steps_ahead += 1
        return left != 0

    def _find_unmet(self, variable: int, domain: int) -> list[tuple[int, int, Need]]:
        """Find the needs on *variable* of which no value is left in *domain*, and remember them."""
        by_domain = self._unmet[variable]
        if len(by_domain) == _MOST_REMEMBERED:
            by_domain.clear()
        needs = self._needs_on[variable]
        unmet_needs = by_domain[domain] = [by_subject for mask, by_subject in needs if not domain & mask]
        return unmet_needs

    def _select(self, identifier: Identifier, variable: int, bit: int) -> bool:
        """Draw the conclusions of selecting *identifier*, *bit* of *variable*; return False if it is impossible."""
        domains = self._domains
        # If the last event is the decision for it, nothing has changed since the engine found it possible.
        is_last_event = bool(domains.starts) and domains.starts[-1] == len(domains.variables) - 1
        if not is_last_event and not self.possible(identifier, variable, bit):
            return False
        compiled = self.compiled[identifier]
        self._selected[identifier] = compiled
        for group in compiled.groups:
            self._holders[group] = compiled
            self._held.append(group)
            other = self.variables.excluded_by(group)
            if other is not None and other != variable:
                domains.narrow(other, 1, (compiled.chosen, group))
        for pair in compiled.incompatible:
            other, excluded = self.variables.variable_of(pair.other)
            domains.narrow(other, ~excluded, (compiled.chosen, pair))
        for exclusion, source in compiled.exclusions:
            self._exclusions.append((compiled, exclusion, source))
        wanted, values = self._wanted, domains.domains
        for target, mask, need in compiled.needs_by_mask:
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
        of = self.variables.variable_of
        for candidate in candidates:
            where, bit = of(candidate)
            if where == variable and values[variable] & bit and self.possible(candidate, variable, bit):
                self._supports[variable] = bit
                return
