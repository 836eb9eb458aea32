"""Families as a walk sees them: the domain of each as one integer, and what its members need.

Where every candidate is a member of a family with masked needs, no other part of the problem has to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Dependency, GroupName, Identifier
from olmsolve.solver.ladders import Ladder
from olmsolve.solver.problem import FamilyView, Root, Run


class OutsideFamiliesError(Exception):
    """The walk has met a root or candidate that families do not describe."""


class FamilyDomain:
    """A family of the problem and its domain; member *n* is bit ``2 << n``.

    *allowed* are the members left, *taken* is the bit of the selected one (0: none), *taker* the position of its
    choice. *wanted* counts the selections that need a member, and *support* is a member that none of its needs rules
    out. *users* are families whose support may need this one. *rejected* counts selections that the solver blamed
    last. *encoded* are the members with clauses, *ladder* has the variables.
    """

    __slots__ = (
        "allowed",
        "encoded",
        "group",
        "ladder",
        "members",
        "needs",
        "nogoods",
        "rejected",
        "support",
        "taken",
        "taker",
        "users",
        "wanted",
    )

    def __init__(self, group: GroupName, members: Sequence[Identifier]) -> None:
        self.group: GroupName = group
        self.members: Sequence[Identifier] = members
        # All members, and not bit 0, which says "none": three members give 0b10000 - 2 == 0b1110.
        self.allowed: int = (2 << len(members)) - 2
        self.taken: int = 0
        self.taker: int = 0
        self.wanted: int = 0
        self.support: int = 0
        self.encoded: int = 0
        self.rejected: int = 0
        self.users: dict[FamilyDomain, None] = {}
        # By bit: the needs of the member, and its at-most-one groups, which say whom else it excludes.
        self.needs: dict[int, MemberNeeds] = {}
        # The nogoods about this family: the members that each is about, and all of its conditions.
        self.nogoods: list[tuple[int, list[FamilyCondition]]] = []
        self.ladder: Ladder | None = None

    def member(self, bit: int) -> Identifier:
        """Return the member of *bit*."""
        return self.members[bit.bit_length() - 2]

    def is_refuted(self, bit: int) -> bool:
        """Return True if a nogood rules out the member of *bit*, because all its other conditions hold."""
        # The condition that does not hold is moved to the front, where it often saves the next member too: 1,942 looks
        # in place of 2,270 on the hard problem of 20,000 bundles, which is less than its clock can measure.
        for mask, conditions in self.nogoods:
            if not mask & bit:
                continue
            for number, (other, its) in enumerate(conditions):
                # It holds if the domain lies within the mask, and "none" (bit 0) does too or is no longer possible.
                if other is not self and (other.allowed & ~its or not (other.wanted or its & 1)):
                    if number:
                        conditions[0], conditions[number] = conditions[number], conditions[0]
                    break
            else:
                return True
        return False


MemberNeeds: TypeAlias = tuple[list[tuple[FamilyDomain, int]], tuple[GroupName, ...]]
"""The needs of a member, as families with the masks that meet them, and its at-most-one groups beside its family's."""

FamilyCondition: TypeAlias = tuple[FamilyDomain, int]
"""A family and a mask: its value, a member or none (bit 0), is in the mask."""


class FamilyDomains:
    """The families of *view* that a walk has *met*, each with its domain; *budget* counts the members looked at."""

    def __init__(self, view: FamilyView, budget: Budget) -> None:
        self.met: list[FamilyDomain] = []
        """The families in the order in which they were met."""
        self.members: int = 0
        """How many members these families have."""
        self._view = view
        self._trace = budget.trace
        self._by_group: dict[GroupName, FamilyDomain] = {}

    def family(self, group: GroupName) -> FamilyDomain:
        """Return the family of *group*.

        Raises:
            OutsideFamiliesError: the group has no family.
        """
        family = self._by_group.get(group)
        if family is None:
            members = self._view.family(group)
            if members is None:
                raise OutsideFamiliesError
            family = self._by_group[group] = FamilyDomain(group, members)
            self.met.append(family)
            self.members += len(members)
        return family

    def needs(self, family: FamilyDomain, bit: int) -> MemberNeeds:
        """Return what the member of *bit* needs.

        Raises:
            OutsideFamiliesError: it has constraints that are no masked needs, a need is for no family, or it is in the
                group of another family, whose value does not say whether somebody else holds the group.
        """
        needs = family.needs.get(bit)
        if needs is None:
            masked = self._view.masked_needs(family.member(bit))
            if masked is None:
                raise OutsideFamiliesError
            for group in masked.groups:
                if self._view.family(group) is not None:
                    raise OutsideFamiliesError
            family_of = self.family
            needs = family.needs[bit] = [(family_of(group), mask) for group, mask in masked.needs], masked.groups
            self._trace.candidates += 1
        return needs

    def needs_in_runs(self, family: FamilyDomain) -> Sequence[Sequence[Run] | None] | None:
        """Return what all members of *family* need as runs, as :meth:`.FamilyView.needs_in_runs` does."""
        return self._view.needs_in_runs(family.group)

    def of_root(self, root: Root) -> FamilyCondition:
        """Return the family of *root*, and the mask of its candidates.

        Raises:
            OutsideFamiliesError: the root is no choice in one family, or prefers its members in another order.
        """
        member = None
        mask = 0
        if isinstance(root, Dependency):
            for candidate in root.candidates:
                family = self._view.family_of(candidate)
                # A root may have an order of its own; only that of the family is the order of the bits.
                if family is None or (member is not None and (family[0] != member[0] or family[1] <= member[1])):
                    raise OutsideFamiliesError
                member = family
                mask |= 2 << family[1]
        if member is None:
            raise OutsideFamiliesError
        return self.family(member[0]), mask
