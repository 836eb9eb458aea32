"""What a classic problem knows in numbers: see :class:`olmsolve.solver.FamilyView`.

The indexes of the catalogs know for most bundles which of another package's bundles they ask for, as a set of
bits. Where the bundles of a package are all in one catalog, and no installed operator is one of them, that is also
the order in which everybody wants them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Sequence
from typing import NamedTuple

from olmsolve.catalog.index import Fault, Group, InstalledIndex, Need, Visible
from olmsolve.solver import GroupName, Identifier, MaskedNeeds

__all__ = ["Families"]


class _Family(NamedTuple):
    """An :class:`olmsolve.catalog.index.Family` whose members are numbers of all catalogs together.

    *block* is the package whose channels hold them all, None if several do.
    """

    group: Group
    block: str | None
    members: Sequence[int]
    prefixes: Sequence[int]


class Families:
    """A :class:`olmsolve.solver.FamilyView` of the packages of *visible* catalogs, beside what is *installed*.

    *plain* says that requirements are all that a request asks of a bundle, but of the *updates* of what is installed.
    """

    def __init__(self, visible: Visible, installed: InstalledIndex, *, plain: bool, updates: Container[int]) -> None:
        self._visible = visible
        self._plain = plain
        self._updates = updates
        # Who is installed counts as a candidate too, and comes first.
        self._installed = {package for facts in installed.published for package, _ in facts.packages}
        # Then no catalog knows alone who provides an API.
        self._alone = len(visible.indexes) == 1 and not installed.published
        # By the position of a catalog: by the place of a name in it.
        self._families: list[dict[int, _Family | None]] = [{} for _ in visible.indexes]
        # By offset, name and interval.
        self._shifted: dict[tuple[int, int, int, int], tuple[int, ...]] = {}
        self._by_group: dict[Group, _Family | None] = {}
        self._masked: dict[int, MaskedNeeds | None] = {}

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        """The slots of the package whose group this is, None if they are no family."""
        family = self._family_with(group)
        return None if family is None else family.members

    def block_of(self, group: GroupName) -> str | None:
        """The package whose channels hold all members of a family, None if it is not one."""
        family = self._family_with(group)
        return None if family is None else family.block

    def _family_with(self, group: GroupName) -> _Family | None:
        assert isinstance(group, Group)
        if group not in self._by_group:
            indexes = self._visible.indexes if group.kind == "package" else ()
            names = [index.name_number(group.name) for index in indexes]
            found = (self._family(position, name) for position, name in enumerate(names) if name >= 0)
            self._by_group[group] = next((family for family in found if family is not None), None)
        return self._by_group[group]

    def family_of(self, identifier: Identifier) -> tuple[Group, int] | None:
        """The family of a slot and its number in it; None for what is installed."""
        number = _number(identifier)
        if number >= self._visible.size:
            return None
        position, index, slot = self._visible.locate(number)
        name = index.family_of(slot)
        family = self._family(position, name) if name >= 0 else None
        return None if family is None else (family.group, bisect_left(family.members, number))

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        """What a slot asks for; None if that is more than bundles of packages that are families."""
        number = _number(identifier)
        if number not in self._masked:
            self._masked[number] = self._masked_needs(number)
        return self._masked[number]

    def _masked_needs(self, number: int) -> MaskedNeeds | None:
        if number >= self._visible.size or not self._plain or number in self._updates:
            return None
        position, index, slot = self._visible.locate(number)
        needs, family = index.needs(slot), index.family_of(slot)
        own = self._family(position, family) if family >= 0 else None
        if needs is None or own is None:
            return None
        families = self._asked(position, needs)
        if families is None or own in families:
            return None
        masks = [
            (family.group, family.prefixes[end] ^ family.prefixes[first])
            for family, (_, first, end) in zip(families, needs, strict=True)
        ]
        if self._alone:
            return MaskedNeeds(tuple(masks), index.other_groups(slot))
        return MaskedNeeds(tuple(masks), tuple([group for group in index.groups(slot) if group != own.group]))

    def asked(self, number: int) -> Sequence[tuple[tuple[int, ...], Group]] | None:
        """The candidates of each requirement of a slot, and their family; None if they are not all in families."""
        if number >= self._visible.size:
            return None
        position, index, slot = self._visible.locate(number)
        offset = self._visible.offsets[position]
        needs = index.needs(slot)
        families = None if needs is None else self._asked(position, needs)
        if needs is None or families is None:
            return None
        found: list[tuple[tuple[int, ...], Group]] = []
        for family, need in zip(families, needs, strict=True):
            candidates = index.slots_meeting(*need)
            if offset:
                shifted = tuple([offset + candidate for candidate in candidates])
                candidates = self._shifted.setdefault((offset, *need), shifted)
            found.append((candidates, family.group))
        return found

    def _asked(self, position: int, needs: Sequence[Need]) -> list[_Family] | None:
        """The families that *needs* of the catalog at *position* are about, None if one of them is none."""
        known = self._families[position]
        families: list[_Family] = []
        for name, _, _ in needs:
            family = known.get(name) or self._family(position, name)
            if family is None:
                return None
            families.append(family)
        return families

    def origin(self, identifier: Identifier, number: int) -> object:
        """A requirement of a slot that has masked needs."""
        _, index, slot = self._visible.locate(_number(identifier))
        requires = index.requires(slot)
        # A file can be made to hold numbers of what does not parse.
        return requires if isinstance(requires, Fault) else requires[number]

    def _family(self, position: int, name: int) -> _Family | None:
        known = self._families[position]
        if name not in known:
            known[name] = family = self._made(position, name)
            if family is not None:
                self._by_group[family.group] = family
        return known[name]

    def _made(self, position: int, name: int) -> _Family | None:
        visible = self._visible
        index = visible.indexes[position]
        family = index.family(name)
        if family is None:
            return None
        package = family.group.name
        if package in self._installed or visible.package_group(package) is None:
            return None
        if any(other.offers(package) for place, other in enumerate(visible.indexes) if place != position):
            return None
        offset = visible.offsets[position]
        members = [offset + slot for slot in family.slots] if offset else family.slots
        return _Family(family.group, package if family.own_channels else None, members, family.prefixes)


def _number(identifier: Identifier) -> int:
    assert isinstance(identifier, int)
    return identifier
