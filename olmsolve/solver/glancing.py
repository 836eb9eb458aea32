"""A glance at a problem with some members off: a walk of the queue in sets of bits, which takes nothing back.

It reads masked needs alone, which takes a tenth of the time of :func:`olmsolve.solver.views.easy_witness`. Only dense
problems need it: cores of 1,000 and 20,000 bundles take a fifth longer without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Dependency, GroupName, Identifier
from olmsolve.solver.problem import Root
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable

_On = Callable[[Rank], bool]
User: TypeAlias = tuple[GroupName | None, int, int, int]
"""Who needs a family: the family and the bit of a selected member, the number of its need, and the mask of that need.
For a root: None, 0, its number, and its mask."""


def masked_walk(table: UnitTable, on: _On, blocks_on: bool, budget: Budget) -> MaskedWalk:
    """Return a walk to meet the members of cores that are *on*: a witness, unless it came to a dead end.

    *blocks_on* says what :class:`olmsolve.solver.views.UnitView` says. The walk passes over candidates without masked
    needs, and ends at a root that is no choice in one family.
    """
    walk = MaskedWalk(table, on, blocks_on)
    if not all(walk.require(root) for unit, root in table.roots if on(unit)):
        walk.has_met_unmasked = True
        return walk
    walk.is_witness = all(walk.meet(group, mask) for group, mask in budget.checked(walk.queue, every=64))
    return walk


def replayed(table: UnitTable, selected: Iterable[Identifier]) -> MaskedWalk | None:
    """Return the walk of the whole problem that selects what another search has *selected*, which meets all roots.

    None if masked needs do not say all about them.
    """
    walk = MaskedWalk(table, lambda _: True, True)
    if not all(walk.require(root) for _, root in table.roots) or not all(map(walk.take, selected)):
        return None
    return walk


class WalkedGroup:
    """The family of the group *name* in a walk: its *members*, and the bits of the *taken* ones.

    *on* says whether the group is on; *allowed* are then the bits that meet every need so far. *is_free* says for all
    members that their needs are off, or None where that differs between them. *users* are the needs that the walk has
    met, of all selections and roots.
    """

    __slots__ = ("allowed", "is_free", "members", "name", "on", "taken", "users")

    def __init__(self, name: GroupName, members: Sequence[Identifier], on: bool, is_free: bool | None) -> None:
        self.name: GroupName = name
        self.members: Sequence[Identifier] = members
        self.on: bool = on
        self.is_free: bool | None = is_free
        self.allowed: int = -1
        self.taken: int = 0
        self.users: list[User] = []

    def member(self, bit: int) -> Identifier:
        """Return the member of *bit*: bit 0 is left free, so 0b0010 is the first one."""
        return self.members[bit.bit_length() - 2]


class MaskedWalk:
    """The selections of a walk in sets of bits; *queue* holds its needs, to which each selection adds.

    *is_witness* says whether they meet everything that is on, *has_met_unmasked* whether the walk has passed over
    candidates without masked needs, or ended at such a root: then a walk by constraints may get further.
    """

    def __init__(self, table: UnitTable, on: _On, blocks_on: bool) -> None:
        assert table.families is not None, "masked needs come from a view of families"
        self.selected: dict[Identifier, None] = {}
        self.queue: list[tuple[WalkedGroup, int]] = []
        self.is_witness: bool = False
        self.has_met_unmasked: bool = False
        # The groups of selected members, without the groups of their own families.
        self.holders: set[GroupName] = set()
        self._table = table
        self._families = table.families
        self._ranks = table.ranks
        self._on = on
        self._blocks_on = blocks_on
        self._groups: dict[GroupName, WalkedGroup] = {}

    @property
    def groups(self) -> Mapping[GroupName, WalkedGroup]:
        """The families that the walk has met, by their groups."""
        return self._groups

    def require(self, root: Root) -> bool:
        """Add the need of *root* to the queue; return False if it is no choice among the members of one family."""
        if not isinstance(root, Dependency):
            return False
        mask = 0
        groups: set[GroupName] = set()
        for candidate in root.candidates:
            member = self._families.family_of(candidate)
            if member is None:
                return False
            groups.add(member[0])
            # As in domains, bit 0 is "none of them": members 0 and 2 make the mask 0b1010.
            mask |= 2 << member[1]
        if len(groups) != 1:
            return False
        self._add(groups.pop(), mask, None, 0, len(self.queue))
        return True

    def take(self, identifier: Identifier) -> bool:
        """Select *identifier*, whatever it breaks; return False if it has no masked needs, or is in no family."""
        member = self._families.family_of(identifier)
        masked = None if member is None else self._families.masked_needs(identifier)
        if member is None or masked is None:
            return False
        group = self._groups.get(member[0]) or self._met(member[0])
        self.selected[identifier] = None
        bit = 2 << member[1]
        group.taken |= bit
        self.holders.update(masked.groups)
        for number, (other, needed) in enumerate(masked.needs):
            (self._groups.get(other) or self._met(other)).users.append((group.name, bit, number, needed))
        return True

    def meet(self, group: WalkedGroup, mask: int) -> bool:
        """Select the first possible member in *mask* unless one is selected; return False if none is possible."""
        if group.taken & mask:
            return True
        # A selected member of another family may hold the group.
        left = 0 if group.on and group.name in self.holders else mask & group.allowed
        while left:
            bit = left & -left
            left ^= bit
            member = group.member(bit)
            masked = self._families.masked_needs(member)
            if masked is None:
                self.has_met_unmasked = True
                continue
            needs = () if group.is_free or (group.is_free is None and self._is_free(member)) else masked.needs
            if group.taken and not group.on and self._is_excluded(member, group):
                continue
            if self._is_possible(needs, masked.groups):
                self.selected[member] = None
                group.taken |= bit
                self.holders.update(masked.groups)
                for number, (other, needed) in enumerate(needs):
                    self._add(other, needed, group.name, bit, number)
                return True
        return False

    def _add(self, name: GroupName, mask: int, family: GroupName | None, bit: int, number: int) -> None:
        """Add a need for the family of *name* to the queue, and its user: see :data:`User`."""
        group = self._groups.get(name) or self._met(name)
        self.queue.append((group, mask))
        group.users.append((family, bit, number, mask))
        if group.on:
            group.allowed &= mask

    def _met(self, name: GroupName) -> WalkedGroup:
        members = self._families.family(name)
        assert members is not None, "masked needs name families only"
        is_free: bool | None = None
        if self._blocks_on:
            is_free = False
        elif members and self._families.block_of(name) is not None:
            is_free = self._is_free(members[0])
        group = self._groups[name] = WalkedGroup(name, members, self._on((GROUP, name)), is_free)
        return group

    def _is_free(self, member: Identifier) -> bool:
        """Return True if the needs of *member* are off: its block has no rank, or the needs of its block are off."""
        rank = self._ranks.explored(member)
        return rank is None or not self._on((BLOCK, rank, Dependency.place))

    def _is_excluded(self, member: Identifier, family: WalkedGroup) -> bool:
        """Return True if *member* shares a group that is on with a selected member of its *family*.

        Masked needs leave out groups that only members of the family hold. As long as the family's own group is on,
        nobody misses them; but with ``package b`` off, ``api b`` may still let only one version of b be selected.
        """
        groups = {group for group in self._table.groups_of_member(member) if self._on((GROUP, group))}
        taken = map(family.member, bits_of(family.taken))
        return bool(groups) and any(not groups.isdisjoint(self._table.groups_of_member(other)) for other in taken)

    def _is_possible(self, needs: Sequence[tuple[GroupName, int]], groups: Sequence[GroupName]) -> bool:
        """Return True if a member with these *needs* and other *groups* breaks nothing beside the selected members."""
        groups_walked = self._groups
        for name in groups:
            group = groups_walked.get(name)
            if (name in self.holders or (group is not None and group.taken)) and self._on((GROUP, name)):
                return False
        for name, mask in needs:
            group = groups_walked.get(name)
            # A selected member is the only one that can meet the need; without one (0), any of the allowed can: -1 is
            # all bits. With 0b0100 taken, the mask 0b1010 has no candidate left, though 0b1110 is allowed.
            if group is not None and group.on and not mask & group.allowed & (group.taken or -1):
                return False
        return True


def bits_of(mask: int) -> Iterator[int]:
    """Yield the bits of *mask*, the lowest first: 0b0100 and 0b1000 of 0b1100."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit
