"""Model rotation in sets of bits: from the one group that a walk's selections break to other parts of every core.

:mod:`olmsolve.solver.rotation` says why a set that breaks one unit alone proves that every core has this unit. Here the
set is what a :class:`~olmsolve.solver.glancing.MaskedWalk` has selected with a single at-most-one group off. Removing a
selected member breaks the needs of its users and nothing else; so does removing these, up to the roots. And where a
member breaks a need, another member of its family may break one of its own instead::

    root: a;  a.v1 and a.v2 need b.v1;  root: c.v1, which needs b.v2;  the group of package b is off
    {a.v1, b.v1, b.v2, c.v1}   breaks the group
    {a.v1, b.v2, c.v1}         breaks the need of a.v1 instead, and {a.v2, b.v2, c.v1} that of a.v2
    {b.v2, c.v1}               breaks the root

General rotation reads constraints, and takes several times as long for a core of eighty needs: without this, cores of
1,000 bundles take a quarter longer, and two to three times as long at 20,000 bundles without glances as well.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import Dependency, GroupName
from olmsolve.solver.glancing import MaskedWalk, bits_of
from olmsolve.solver.problem import FamilyView, MaskedNeeds
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank, UnitTable

_Taken: TypeAlias = dict[GroupName, int]
"""The selected members of each family that removals have changed, as a set of bits by the group of the family."""

_DEPENDENCY: Final = Dependency.place
# The member of families in blocks that no walk has ranked; nobody wants it.
_UNRANKED: Final[Rank] = (BLOCK, -1, _DEPENDENCY)


class _FamilyUser(NamedTuple):
    """A need for a member in *mask*: need *number* of the member *bit* of *family*, or the root *number* (None)."""

    family: GroupName | None
    bit: int
    number: int
    mask: int


class _Rivals(NamedTuple):
    """Two selected members of one *family*, by their bits, that alone break the group *name*."""

    name: GroupName
    family: GroupName
    bits: tuple[int, int]


class FamilyRotation:
    """A rotation of what *walk* selected, which breaks the group of *last* and nothing else of the whole problem.

    All blocks were on in the walk: see *blocks_on* in :class:`olmsolve.solver.views.UnitView`.
    """

    def __init__(self, table: UnitTable, walk: MaskedWalk, last: Rank) -> None:
        self._table = table
        self._walk = walk
        self._last = last
        self._keys = _FamilyKeys(table)
        self._rivals: _Rivals | None = self._find_rivals()

    def members(self, wanted: AbstractSet[Rank]) -> set[Rank]:
        """Return the members among *wanted* that every core of the problem up to *last* contains."""
        if self._rivals is None:
            return set()
        part = _Removals(self._walk, self._keys, self._rivals, None)
        return {self._keys.of_user(broken[0]) for _, broken in part.states()} & wanted

    def units(self, members: AbstractSet[Rank], wanted: AbstractSet[Rank]) -> set[Rank]:
        """Return the units among *wanted* that every core of the units of *members* contains.

        The result is empty unless *members* are roots, dependencies and the group of *last*.
        """
        if self._rivals is None or any(len(key) > 3 or (key[0] == GROUP and key != self._last) for key in members):
            return set()
        part = _Removals(self._walk, self._keys, self._rivals, members)
        by_family = self._by_family(wanted)
        needed = {self._last}
        for taken, broken in part.states():
            family = broken[0].family
            if family is None:
                needed.add((ROOT, broken[0].number))
                continue
            units = by_family.get(family, {})
            if len(broken) == 1:
                needed.add(units.get((broken[0].bit, broken[0].number), _UNRANKED))
            # Without the subjects of what is broken: 0b1110 & ~0b0100 == 0b1010.
            left = part.taken(taken, family) & ~_subjects(broken)
            if left and family == self._rivals.family:
                continue
            # Other members can replace the removed ones, if the members that need a removed one accept them.
            allowed = part.accepted(taken, family, left)
            for (bit, number), unit in units.items():
                if bit & allowed and unit not in needed and part.unmet(taken, family, bit) == [number]:
                    needed.add(unit)
        return needed & wanted

    def _find_rivals(self) -> _Rivals | None:
        """Return the two members that break the group of *last*; None if more do, or if it is of several families."""
        name = self._last[1]
        # A group of members of several families is among the masked groups of each.
        if name in self._walk.holders:
            return None
        for group in self._walk.groups.values():
            if group.taken.bit_count() > 1:
                holders = [
                    bit for bit in bits_of(group.taken) if name in self._table.groups_of_member(group.member(bit))
                ]
                if holders:
                    return _Rivals(name, group.name, (holders[0], holders[1])) if len(holders) == 2 else None
        return None

    def _by_family(self, units: AbstractSet[Rank]) -> dict[GroupName, dict[tuple[int, int], Rank]]:
        """Return the needs among *units* by their family, and by the bit of the subject and the number of the need."""
        by_family: defaultdict[GroupName, dict[tuple[int, int], Rank]] = defaultdict(dict)
        families = self._keys.families
        for unit in units:
            member = families.family_of(unit[3]) if unit[0] == BLOCK and unit[2] == _DEPENDENCY else None
            if member is not None:
                needs = [own for own, _ in self._table.units_of(unit[3])[0] if own[2] == _DEPENDENCY]
                by_family[member[0]][2 << member[1], needs.index(unit)] = unit
        return by_family


class _FamilyKeys:
    """The members of cores that families belong to, looked up once."""

    def __init__(self, table: UnitTable) -> None:
        assert table.families is not None, "the walk has read masked needs"
        self.families: FamilyView = table.families
        self._ranks = table.ranks
        self._by_family: dict[GroupName, Rank | None] = {}

    def member_of(self, family: GroupName) -> Rank | None:
        """Return the member of a core that has the needs of *family*; None if the family is in several blocks."""
        if family not in self._by_family:
            key: Rank | None = None
            block = self.families.block_of(family)
            if block is not None:
                rank = self._ranks.of_block(block)
                key = _UNRANKED if rank is None else (BLOCK, rank, _DEPENDENCY)
            self._by_family[family] = key
        return self._by_family[family]

    def masked_needs(self, family: GroupName, bit: int) -> MaskedNeeds | None:
        """Return the masked needs of the member *bit* of *family*."""
        members = self.families.family(family)
        assert members is not None, "masked needs name families only"
        return self.families.masked_needs(members[bit.bit_length() - 2])

    def of_user(self, user: _FamilyUser) -> Rank:
        """Return the member that the need or root of *user* belongs to."""
        return (ROOT, user.number) if user.family is None else self.member_of(user.family) or _UNRANKED


class _Removals:
    """The selections of *walk* in the families that *members* of cores are about (None: in all families).

    Where neither the group nor the needs of a family are on, any of its members will do, so it can be left out.
    """

    def __init__(self, walk: MaskedWalk, keys: _FamilyKeys, rivals: _Rivals, members: AbstractSet[Rank] | None) -> None:
        self._groups = walk.groups
        self._keys = keys
        self._rivals = rivals
        self._members = members

    def states(self) -> Iterator[tuple[_Taken, list[_FamilyUser]]]:
        """Yield what the selections become by removals, each with all that it breaks: one root, or needs of one family.

        One of the rivals is removed first, then the members that needed it, then the members that needed these.
        """
        for bits in self._rivals.bits:
            family, removed = self._rivals.family, bits
            taken: _Taken = {}
            while True:
                taken = {**taken, family: self.taken(taken, family) & ~removed}
                broken = [user for user in self._users_of(family) if self._is_broken(taken, family, user)]
                families = {user.family for user in broken}
                if len(families) != 1 or (None in families and len(broken) > 1):
                    break
                yield taken, broken
                subject = broken[0].family
                if subject is None or self._keys.member_of(subject) is None:
                    break
                family, removed = subject, _subjects(broken)

    def taken(self, changed: _Taken, family: GroupName) -> int:
        """Return the selected members of *family*: as *changed*, or as in the walk if the family counts."""
        bits = changed.get(family)
        if bits is None:
            group = self._groups.get(family)
            bits = group.taken if group is not None and self._counts(family) else 0
        return bits

    def _users_of(self, family: GroupName) -> Iterator[_FamilyUser]:
        """Yield who needs *family*: roots that are on, and selected members with needs that are on."""
        group = self._groups.get(family)
        if group is not None and self._counts(family):
            for user in itertools.starmap(_FamilyUser, group.users):
                if self._members is None or (
                    (ROOT, user.number) in self._members if user.family is None else self._has_needs(user.family)
                ):
                    yield user

    def accepted(self, taken: _Taken, family: GroupName, left: int) -> int:
        """Return the bits of *family* that meet each need of the selections that none of the members *left* meets."""
        accepted = -1  # all bits, of members that no user refuses
        for user in self._users_of(family):
            if not user.mask & left and (user.family is None or self.taken(taken, user.family) & user.bit):
                accepted &= user.mask
        return accepted

    def unmet(self, taken: _Taken, family: GroupName, bit: int) -> list[int] | None:
        """Return the needs of a member that the selections do not meet; None if it may break more than needs."""
        masked = self._keys.masked_needs(family, bit)
        if masked is None or self._rivals.name in masked.groups:
            return None
        return [number for number, need in enumerate(masked.needs) if not self._is_met(taken, *need)]

    def _is_met(self, taken: _Taken, family: GroupName, mask: int) -> bool:
        if self._counts(family):
            return bool(self.taken(taken, family) & mask)
        # The most wanted candidate stands for all; it must not be in the way of the rivals.
        masked = self._keys.masked_needs(family, mask & -mask) if mask else None
        return masked is not None and self._rivals.name not in masked.groups

    def _is_broken(self, taken: _Taken, family: GroupName, user: _FamilyUser) -> bool:
        """Return True if no selected member of *family* is one that *user*, a root or selected itself, needs."""
        return not user.mask & self.taken(taken, family) and (
            user.family is None or bool(self.taken(taken, user.family) & user.bit)
        )

    def _counts(self, family: GroupName) -> bool:
        return family == self._rivals.family or self._has_needs(family)

    def _has_needs(self, family: GroupName) -> bool:
        """Return True if needs of members of *family* are on, or may be."""
        if self._members is None:
            return True
        key = self._keys.member_of(family)
        return key is None or key in self._members


def _subjects(users: Iterable[_FamilyUser]) -> int:
    """Return the bits of *users*, who are members of one family."""
    bits = 0
    for user in users:
        bits |= user.bit
    return bits
