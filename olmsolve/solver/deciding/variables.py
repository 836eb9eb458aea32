"""The variable table: for each candidate, its variable and its bit there."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from olmsolve.solver.constraints import Branch, GroupName, Identifier
from olmsolve.solver.deciding.domains import Condition, Domains
from olmsolve.solver.problem import FamilyView


class VariableTable:
    """The variables of *domains* and the bits of candidates, given out when a candidate is first met.

    The members of a family get their bits all together and in their order, so that masked needs are masks here too:
    mask 1 stands for "none", member *n* has mask ``2 << n``, and the lowest member bit left is the most wanted one.
    """

    def __init__(self, domains: Domains, families: FamilyView | None) -> None:
        self._domains = domains
        self._families = families
        self._conditions: dict[Identifier, Condition] = {}
        self.by_group: dict[GroupName, int] = {}
        """The variables of the groups that have been met."""
        # The masks of candidates, by the identity of their tuple: bundles with the same requirement share a tuple,
        # so its masks are worked out once. The tuple is kept beside them, so that no other object gets its id.
        self._masks: dict[int, tuple[Sequence[Identifier], tuple[Condition, ...]]] = {}

    def variable_of(self, identifier: Identifier, group: GroupName | None = None) -> Condition:
        """Return the variable and bit of *identifier*, a member of *group* if that is given."""
        condition = self._conditions.get(identifier)
        if condition is None:
            member = None
            if self._families is not None and not isinstance(identifier, Branch):
                member = self._families.family_of(identifier)
            if member is not None:
                known = self.by_group.get(member[0])
                # Bit 0 says "none of them", so member 0 has bit 1: `2 << 0 == 0b10`.
                condition = self.of_group(member[0]) if known is None else known, 2 << member[1]
            else:
                variable = self._domains.new(None) if group is None else self.of_group(group)
                members = self._domains.members[variable]
                condition = variable, 1 << len(members)
                members.append(identifier)
            self._conditions[identifier] = condition
        return condition

    def of_group(self, group: GroupName) -> int:
        """Return the variable of *group*; make it on first use, with its members if they are a family."""
        variable = self.by_group.get(group)
        if variable is None:
            variable = self.by_group[group] = self._domains.new(group)
            family = None if self._families is None else self._families.family(group)
            if family is not None:
                self._domains.members[variable] += family
        return variable

    def existing(self, group: GroupName) -> int | None:
        """Return the variable of *group*, or None if no candidate has been met there."""
        return self.by_group.get(group)

    def excluded_by(self, group: GroupName) -> int | None:
        """Return the variable of *group* if selecting a candidate outside it can force it empty, else None.

        The variable of a family is made now: its members come later without naming their group.
        """
        variable = self.by_group.get(group)
        if variable is None and self._families is not None and self._families.family(group) is not None:
            return self.of_group(group)
        return variable

    def group_of(self, variable: int) -> GroupName | None:
        """Return the group of *variable*, or None if it stands for a single candidate."""
        return self._domains.groups[variable]

    def copy_from(self, other: VariableTable, dropped: AbstractSet[int]) -> None:
        """Copy the variables and bits of *other* into this empty table; variables in *dropped* stay without candidates.

        Variables keep their numbers, so nogoods can be copied as they are.
        """
        domains, theirs = self._domains, other._domains
        for variable, group in enumerate(theirs.groups):
            domains.new(None if variable in dropped else group)
            if variable not in dropped:
                domains.members[variable] = list(theirs.members[variable])
        self._conditions = {
            identifier: condition for identifier, condition in other._conditions.items() if condition[0] not in dropped
        }
        self.by_group = {group: variable for group, variable in other.by_group.items() if variable not in dropped}

    def conditions_of(self, candidates: Sequence[Identifier], group: GroupName | None) -> tuple[Condition, ...]:
        """Return *candidates* as variables, each with one mask; they are members of *group* if that is given.

        Three candidates, members 0 and 2 of variable 7 and member 1 of variable 9, are ``((7, 0b1010), (9, 0b100))``.
        """
        kept = self._masks.get(id(candidates))
        if kept is None:
            masks: dict[int, int] = {}
            current, mask, conditions = -1, 0, self._conditions
            for candidate in candidates:
                variable, bit = conditions.get(candidate) or self.variable_of(candidate, group)
                if variable != current:
                    # Nearly all candidates of a list are members of one variable. So the mask is gathered in a local,
                    # and the dictionary is written once for a variable instead of once for each candidate.
                    if mask:
                        masks[current] = mask
                    current, mask = variable, masks.get(variable, 0)
                mask |= bit
            if mask:
                masks[current] = mask
            kept = self._masks[id(candidates)] = candidates, tuple(masks.items())
        return kept[1]
