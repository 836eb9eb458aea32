"""Requirements, candidates and groups as numbers and sets of bits, for packages of which versions say everything.

The slots of such a package are its *family*: at most one of them can be selected, and what requires the package in a
range requires one of an interval of them, in the order of their versions.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import lt, or_
from typing import Final, NamedTuple, TypeAlias

from olmsolve.catalog.index.candidates import MOST_REMEMBERED
from olmsolve.catalog.index.groups import Group
from olmsolve.catalog.index.packed import DEPRECATED, HELD, NONE, Packed

__all__ = ["MOST_MEMBERS", "Family", "FamilyTable", "Need"]

MOST_MEMBERS: Final = 2048
"""How many slots a family can have: the bits of its prefixes are the square of it."""

Need: TypeAlias = tuple[int, int, int]
"""A requirement of a package: the number of its name, and the interval of positions in its order of versions."""


class Family(NamedTuple):
    """The slots of a package, of which at most one can be selected, and their order by version.

    *group* is their at-most-one group, *slots* they are, ascending. ``prefixes[i]`` is the set of the first *i* of them
    by version, an integer in which ``slots[j]`` is bit ``1 << (j + 1)``; bit 0 is left free. So the slots of an
    interval of positions are ``prefixes[end] ^ prefixes[first]``. *own_channels* says that they are all of channels of
    the package itself.
    """

    group: Group
    slots: tuple[int, ...]
    prefixes: tuple[int, ...]
    own_channels: bool


class FamilyTable:
    """What :class:`~olmsolve.catalog.index.CatalogIndex` tells of families, each part worked out when it is asked for.

    A file may hold any numbers, so what is used as a place is checked here.
    """

    def __init__(
        self, columns: Packed, group: Callable[[int], Group], groups: Callable[[int], tuple[Group, ...]]
    ) -> None:
        self._columns = columns
        self._group = group
        self._groups = groups
        self._needs: dict[int, tuple[Need, ...] | None] = {}
        self._families: dict[int, Family | None] = {}
        self._homes: dict[int, int] = {}
        self._others: dict[int, tuple[Group, ...]] = {}
        self._meeting: dict[Need, tuple[int, ...]] = {}

    def needs(self, number: int) -> tuple[Need, ...] | None:
        """See :meth:`CatalogIndex.needs`."""
        columns = self._columns
        place = columns.slot_bundle[number]
        if place == NONE or columns.bundle_flags[place] & (DEPRECATED | HELD):
            return None
        listed = columns.bundle_requires[place]
        try:
            return self._needs[listed]
        except KeyError:
            found = self._needs[listed] = self._list(listed)
            return found

    def _list(self, listed: int) -> tuple[Need, ...] | None:
        columns = self._columns
        starts, ranked, names = columns.name_starts, columns.name_ranked, len(columns.name_string)
        found = []
        for what in columns.requires_what[columns.requires_starts[listed] : columns.requires_starts[listed + 1]]:
            name, first, end = (
                columns.requirement_name[what],
                columns.requirement_first[what],
                columns.requirement_end[what],
            )
            # NONE is more than all names.
            if name >= names or not ranked[name] or not first <= end <= starts[name + 1] - starts[name]:
                return None
            found.append((name, first, end))
        return tuple(found)

    def slots_meeting(self, name: int, first: int, end: int) -> tuple[int, ...]:
        """See :meth:`CatalogIndex.slots_meeting`."""
        key = name, first, end
        known = self._meeting.get(key)
        if known is None:
            if len(self._meeting) >= MOST_REMEMBERED:
                self._meeting.clear()
            columns = self._columns
            start = columns.name_starts[name]
            known = self._meeting[key] = tuple(sorted(columns.name_ranked_slots[start + first : start + end]))
        return known

    def family(self, name: int) -> Family | None:
        """See :meth:`CatalogIndex.family`."""
        try:
            return self._families[name]
        except KeyError:
            found = self._families[name] = self._family(name)
            return found

    def _family(self, name: int) -> Family | None:
        columns = self._columns
        if not columns.name_ranked[name] or (name < columns.packages and columns.package_undeclared[name]):
            return None
        start, stop = columns.name_starts[name], columns.name_starts[name + 1]
        if stop - start > MOST_MEMBERS:
            return None
        slots = columns.name_slots[start:stop]
        by_version = columns.name_ranked_slots[start:stop]
        bundles = [columns.slot_bundle[slot] for slot in slots]
        # That the bundles are of this package alone, and that the slots ascend, follows from what was asked already,
        # but not in a file made to lie.
        if NONE in bundles or any(
            self._package(listed) != name for listed in {columns.bundle_groups[b] for b in bundles}
        ):
            return None
        if not all(map(lt, slots, slots[1:])):
            return None
        size = len(slots)
        if by_version == slots[::-1]:
            # One channel in the order of its versions, as nearly all are.
            prefixes = [((1 << count) - 1) << (size - count + 1) for count in range(size + 1)]
        elif sorted(set(by_version)) == slots.tolist():
            bits = {slot: 2 << place for place, slot in enumerate(slots)}
            prefixes = [0, *accumulate((bits[slot] for slot in by_version), or_)]
        else:
            return None
        channels = {columns.slot_channel[slot] for slot in slots}
        own_channels = all(columns.channel_package[channel] == name for channel in channels)
        return Family(self._group(name), tuple(slots), tuple(prefixes), own_channels)

    def _package(self, listed: int) -> int:
        """The one package in a list of groups, -1 if there is none or are several."""
        packages = [group for group in self._columns.groups(listed) if group < len(self._columns.name_string)]
        return packages[0] if len(packages) == 1 else -1

    def family_of(self, number: int) -> int:
        """See :meth:`CatalogIndex.family_of`."""
        found = self._homes.get(number)
        if found is None:
            place = self._columns.slot_bundle[number]
            name = -1 if place == NONE else self._package(self._columns.bundle_groups[place])
            family = self.family(name) if name >= 0 else None
            if family is not None:
                self._homes.update(dict.fromkeys(family.slots, name))
            found = self._homes.setdefault(number, -1)
        return found

    def other_groups(self, number: int) -> tuple[Group, ...]:
        """See :meth:`CatalogIndex.other_groups`."""
        place = self._columns.slot_bundle[number]
        if place == NONE:
            return ()
        listed = self._columns.bundle_groups[place]
        home = self.family_of(number)
        if home < 0:
            return self._groups(number)
        known = self._others.get(listed)
        if known is None:
            # A list of groups names one package here, so it has one home.
            names, packages = len(self._columns.name_string), self._columns.gvk_package
            known = self._others[listed] = tuple(
                self._group(group)
                for group in self._columns.groups(listed)
                if group != home and (group < names or packages[group - names] != home)
            )
        return known
