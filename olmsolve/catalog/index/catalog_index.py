"""The index of one catalog, built once and shared by every request.

Each place that a bundle can be selected from is a *slot*: a channel entry, and one slot for each channel
without an order. Slots are numbered in the order in which OLM prefers them as candidates for a dependency:
default channels first, then by package, then by channel, then from the head of the channel down. So a list
of candidates is a sorted list of numbers, and the number says everything about preference.

Versions have numbers as well: the *rank* of a version is its place among the distinct versions of the catalog,
ascending, so a range of versions is a few spans of ranks (:meth:`CatalogIndex.spans`), and the candidates of a
requirement for a package are its slots with ranks in them. At-most-one groups are numbers below
:attr:`CatalogIndex.group_count`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from olmsolve.catalog import Catalog
from olmsolve.catalog.index.candidates import MOST_REMEMBERED, CandidateTable
from olmsolve.catalog.index.facts import FactTable
from olmsolve.catalog.index.families import Family, FamilyTable, Need
from olmsolve.catalog.index.groups import Group
from olmsolve.catalog.index.originals import CatalogObjects, Fault, Originals
from olmsolve.catalog.index.packed import DEPRECATED, HELD, NONE, PLAIN, Packed, encoded
from olmsolve.catalog.index.packing import packed
from olmsolve.catalog.index.requirements import RequirementTable
from olmsolve.catalog.index.slots import Slots
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.predicates import Predicate, Published, Requirement
from olmsolve.semver import BlangRange, Version

__all__ = ["CatalogIndex", "ChannelSlots", "index_of"]


class ChannelSlots(NamedTuple):
    """Where a channel's slots are: *ordered* from the head down, *all* with those that are not in the order.

    *fault* is the slot that stands for a channel without an order, -1 where there is one.
    """

    ordered: range
    all: range
    fault: int


# A catalog is dense from one requirement of its own for so many bundles on. Real ones have one for forty and more.
_DENSE: Final = 4

_NO_CHANNEL = ChannelSlots(range(0), range(0), -1)


def index_of(catalog: Catalog) -> CatalogIndex:
    """The index of *catalog*: built by whoever asks first, then the same for all, threads included."""
    return catalog.derived(CatalogIndex, lambda: CatalogIndex(catalog))


class CatalogIndex:
    """See the module. Everything that the columns do not hold is worked out once, when asked for.

    Work that is remembered is only ever replaced by equal work, so threads need no lock.

    *columns* and *originals*, where given, are those of *catalog* already.
    """

    def __init__(self, catalog: Catalog, columns: Packed | None = None, originals: Originals | None = None) -> None:
        self.catalog = catalog
        self.columns = packed(catalog) if columns is None else columns
        self._originals = CatalogObjects(catalog) if originals is None else originals
        self._requirements = RequirementTable(self.columns)
        self._facts = FactTable(self.columns, self._originals)
        self._candidates = CandidateTable(self.columns, self._facts)
        self._families = FamilyTable(self.columns, self.group, self.groups)
        self.slots = Slots(catalog, self.columns)
        self.dense = len(self.columns.requirement_type) * _DENSE > len(self.columns.bundle_name)
        """Whether bundles require so many different things that requests are likely to come to dead ends."""
        self._names: dict[str, int] = {}
        self._rules: dict[int, tuple[tuple[Requirement, ...] | Fault, bool, tuple[Group, ...]]] = {}
        self._groups: dict[int, tuple[Group, ...]] = {}
        self._numbered_groups: dict[int, Group] = {}
        self._channels: dict[tuple[str, str], tuple[ChannelSlots, ...]] = {}
        self._skip_ranges: dict[str, BlangRange | None] = {}

    def __repr__(self) -> str:
        slots, bundles = len(self.columns.slot_bundle), len(self.columns.bundle_name)
        return f"<CatalogIndex: {self.columns.packages} packages, {slots} slots, {bundles} bundles>"

    def __len__(self) -> int:
        """How many slots there are."""
        return len(self.columns.slot_bundle)

    # -- one slot

    def package(self, number: int) -> str:
        """The package of a slot."""
        columns = self.columns
        return columns.string(columns.name_string[columns.channel_package[columns.slot_channel[number]]])

    def channel_name(self, number: int) -> str:
        """The channel of a slot."""
        columns = self.columns
        return columns.string(columns.channel_name[columns.slot_channel[number]])

    def bundle(self, number: int) -> str:
        """The name of a slot's bundle, "" for a channel without an order."""
        place = self.columns.slot_bundle[number]
        return "" if place == NONE else self.columns.string(self.columns.bundle_name[place])

    def replaces(self, number: int) -> str:
        """What the slot's entry says that it replaces."""
        return self.columns.string(self.columns.slot_replaces[number])

    def version(self, number: int) -> Version | None:
        """The version of the slot's bundle, read tolerantly; None if it has none."""
        place = self.columns.slot_bundle[number]
        return None if place == NONE else self._facts.version(self.columns.bundle_version[place])

    def version_text(self, number: int) -> str:
        """:meth:`version` as text, "" if there is none."""
        columns = self.columns
        place = columns.slot_bundle[number]
        # A strict version is written as it is printed.
        if place != NONE and columns.bundle_flags[place] & PLAIN and columns.bundle_version[place] != NONE:
            return columns.string(columns.bundle_version[place])
        return str(self.version(number) or "")

    def fault(self, number: int) -> Fault | None:
        """Why the slot can never be selected, None if it can: its channel has no order, or see :meth:`requires`."""
        requires = self.requires(number)
        return requires if isinstance(requires, Fault) else None

    def has_bundle(self, number: int) -> bool:
        """Whether the slot has a bundle; it has none where it stands for a channel without an order."""
        return self.columns.slot_bundle[number] != NONE

    def published(self, number: int) -> Published:
        """What the slot's bundle publishes; the slot must have one."""
        return self._facts.published(self.columns.slot_bundle[number], self.columns.slot_channel[number])

    def origin(self, number: int) -> str:
        """Where the slot's bundle was read, or its channel where it has none."""
        package, channel, place = self.package(number), self.channel_name(number), self.columns.slot_bundle[number]
        if place == NONE:
            return self._originals.origin(package, channel, None, self.columns.slot_channel[number])
        return self._originals.origin(package, channel, self.bundle(number), place)

    def deprecated(self, number: int) -> bool:
        """Whether the slot's bundle has an ``olm.deprecated`` property; the slot must have a bundle."""
        return self.columns.bundle_flags[self.columns.slot_bundle[number]] & DEPRECATED != 0

    def requires(self, number: int) -> tuple[Requirement, ...] | Fault:
        """The requirements of the slot's bundle in the order of its properties, or why there are none to speak of.

        They do not parse, or the slot stands for a channel without an order.
        """
        columns = self.columns
        place = columns.slot_bundle[number]
        if place == NONE:
            reason = columns.string(columns.channel_fault[columns.slot_channel[number]])
            return self._fault(number, "", reason)
        try:
            if columns.bundle_flags[place] & HELD:
                properties = self._originals.properties(self.package(number), self.bundle(number), place)
                return self._requirements.held(place, properties)
            return self._requirements.parsed(columns.bundle_requires[place])
        except ConstraintError as error:
            return self._fault(number, error.path, error.reason)

    def _fault(self, number: int, path: str, reason: str) -> Fault:
        package, channel, bundle = self.package(number), self.channel_name(number), self.bundle(number)
        return Fault(package, channel, bundle, path, reason, self.origin(number))

    def rules(self, number: int) -> tuple[tuple[Requirement, ...] | Fault, bool, tuple[Group, ...]]:
        """:meth:`requires`, :meth:`deprecated` and :meth:`groups` at once, for those who ask often."""
        known = self._rules.get(number)
        if known is None:
            requires = self.requires(number)
            if isinstance(requires, Fault):
                known = requires, False, ()
            else:
                known = requires, self.deprecated(number), self.groups(number)
            self._rules[number] = known
        return known

    def groups(self, number: int) -> tuple[Group, ...]:
        """The at-most-one groups of the slot's bundle: see :func:`groups_of`."""
        place = self.columns.bundle_groups[self.columns.slot_bundle[number]]
        known = self._groups.get(place)
        if known is None:
            known = self._groups[place] = tuple(map(self.group, self.columns.groups(place)))
        return known

    def skip_range(self, text: str) -> BlangRange | None:
        """The range of a ``skipRange``; None for one that does not parse, which contains nothing."""
        if text not in self._skip_ranges:
            try:
                self._skip_ranges[text] = BlangRange.parse(text)
            except RangeError:
                self._skip_ranges[text] = None
        return self._skip_ranges[text]

    # -- numbers for those who count instead of comparing

    @property
    def group_count(self) -> int:
        """How many at-most-one groups there are."""
        return len(self.columns.name_string) + len(self.columns.gvk_text)

    def group_numbers(self, number: int) -> Sequence[int]:
        """The at-most-one groups of the slot's bundle as numbers, in the order of :meth:`groups`."""
        return self.columns.groups(self.columns.bundle_groups[self.columns.slot_bundle[number]])

    def group(self, group: int) -> Group:
        """Return the group of this number in :meth:`group_numbers`; the value is the same in all catalogs."""
        known = self._numbered_groups.get(group)
        if known is None:
            columns = self.columns
            names = len(columns.name_string)
            if group < names:
                known = Group("package", columns.string(columns.name_string[group]))
            else:
                known = Group("api", columns.string(columns.gvk_text[group - names]))
            self._numbered_groups[group] = known
        return known

    def rank(self, number: int) -> int:
        """The rank of the version of the slot's bundle, -1 if it has no version that counts alone."""
        place = self.columns.slot_bundle[number]
        rank = NONE if place == NONE else self.columns.bundle_rank[place]
        return -1 if rank == NONE else rank

    def spans(self, versions: BlangRange) -> tuple[tuple[int, int], ...]:
        """The ranks in *versions* as spans (first, one after the last), ascending, none of them empty.

        Where :meth:`ranked` says so for a package, the candidates of ``InPackage(package, versions)`` are
        exactly those of its candidates that have a rank in a span.
        """
        return self._candidates.spans(versions)

    def ranked(self, package: str) -> bool:
        """Whether every candidate of *package* has a rank."""
        name = self._name(package)
        return name < 0 or self.columns.name_ranked[name] == 1

    # -- packages of which versions say everything

    def needs(self, number: int) -> tuple[Need, ...] | None:
        """The requirements of the slot's bundle as numbers, in the order of :meth:`requires`; nothing is parsed.

        Of each the number of the package's name and the interval (first, one after the last) of its positions in the
        order of versions: the candidates are :meth:`slots_meeting` of them. None where not all requirements are of this
        kind, and for a bundle that is deprecated or a slot without one.
        """
        return self._families.needs(number)

    def slots_meeting(self, name: int, first: int, end: int) -> tuple[int, ...]:
        """The slots of an interval of :meth:`needs`, ascending; the same tuple again while it is remembered."""
        return self._families.slots_meeting(name, first, end)

    def family(self, name: int) -> Family | None:
        """The slots that can be candidates of a numbered name as sets of bits.

        None where versions do not say everything: some candidate has no rank or no order, some bundle of the package
        does not declare itself, or there are more than a few thousand slots.
        """
        return self._families.family(name)

    def family_of(self, number: int) -> int:
        """The number of the name in whose :meth:`family` the slot is, -1 if it is in none."""
        return self._families.family_of(number)

    def other_groups(self, number: int) -> tuple[Group, ...]:
        """Those of :meth:`groups` that exclude more than the group of the slot's family does.

        An API that only bundles of this package provide, in this catalog, is none of them. A slot in no family has all
        its groups, and one without a bundle none.
        """
        return self._families.other_groups(number)

    # -- channels

    def package_names(self) -> list[str]:
        """The packages of the catalog, by name."""
        return [self.columns.string(name) for name in self.columns.name_string[: self.columns.packages]]

    def __contains__(self, package: str) -> bool:
        """Whether the catalog has this package."""
        return 0 <= self._name(package) < self.columns.packages

    def channel(self, package: str, channel: str) -> ChannelSlots:
        """The slots of a channel; an empty set of them if there is no such channel."""
        found = self.offered(package, channel) if channel else None
        return found[0] if found else _NO_CHANNEL

    def offered(self, package: str, channel: str = "") -> tuple[ChannelSlots, ...] | None:
        """The slots of each channel of a package, or of the one *channel*; None if there is no such package.

        The default channel comes first, then they come by name.
        """
        key = package, channel
        if key in self._channels:
            return self._channels[key]
        name, columns = self._name(package), self.columns
        if not 0 <= name < columns.packages:
            return None
        places = self._channels_of(name)
        if channel:
            sought, names, starts, text = encoded(channel), columns.channel_name, columns.string_starts, columns.text
            places = [p for p in places if text[starts[names[p]] : starts[names[p] + 1]] == sought]
        if not places:
            return ()
        found = self._channels[key] = tuple(map(self._slots_of, places))
        return found

    def _slots_of(self, place: int) -> ChannelSlots:
        columns = self.columns
        start, first = columns.channel_start[place], columns.channel_first[place]
        ordered, every = range(first, columns.channel_end[place]), range(first, columns.channel_stop[place])
        return ChannelSlots(ordered, every, start if start < first else -1)

    def channel_names(self, package: str) -> list[str]:
        """The channels of a package, the default one first, then by name."""
        name, columns = self._name(package), self.columns
        if not 0 <= name < columns.packages:
            return []
        return [columns.string(columns.channel_name[place]) for place in self._channels_of(name)]

    def _channels_of(self, name: int) -> Sequence[int]:
        columns = self.columns
        default = columns.package_default[name]
        others = range(columns.package_channels[name], columns.package_channels[name + 1])
        return others if default == NONE else (default, *others)

    def named(self, slots: range, bundle: str) -> list[int]:
        """Those of *slots*, which are of one channel, whose bundle has this name."""
        if not slots:
            return []
        columns = self.columns
        names, bundles = self._scoped(slots, bundle), columns.slot_bundle
        # The common case first: no bundle of the package has the name.
        return [n for n in slots if (b := bundles[n]) != NONE and columns.bundle_name[b] in names] if names else []

    def updates(self, slots: range, name: str, version: Version | None) -> Iterator[int]:
        """Those of *slots*, which are of one channel, that can follow the installed bundle *name* at *version*.

        By ``replaces``, ``skips`` or ``skipRange``, as :func:`olmsolve.catalog.update_graph.follows` has it.
        """
        if not slots:
            return
        columns = self.columns
        names = self._scoped(slots, name)
        replaces, skips, ranges = columns.slot_replaces, columns.slot_skips, columns.slot_range
        for number in slots:
            if replaces[number] in names or (skips[number] and not names.isdisjoint(self._skips(skips[number]))):
                yield number
            elif version is not None and ranges[number]:
                contained = self.skip_range(columns.string(ranges[number]))
                if contained is not None and version in contained:
                    yield number

    def _scoped(self, slots: range, text: str) -> set[int]:
        """The places of strings that are *text* among those of the slots' package."""
        columns = self.columns
        return columns.scoped(columns.channel_package[columns.slot_channel[slots[0]]], text)

    def _skips(self, number: int) -> Sequence[int]:
        columns = self.columns
        return columns.texts_string[columns.texts_starts[number] : columns.texts_starts[number + 1]]

    # -- candidates

    def declares(self, package: str) -> bool:
        """Whether every bundle that counts as one of *package* has an ``olm.package`` property that says so."""
        name = self._name(package)
        return not (0 <= name < self.columns.packages and self.columns.package_undeclared[name])

    def candidates(self, predicate: Predicate) -> tuple[int, ...]:
        """The slots that meet *predicate* as candidates for a dependency, most wanted first.

        Skipped entries are none. A channel without an order in which some bundle meets it counts as one.
        """
        return self._candidates.of(predicate)

    def name_number(self, package: str) -> int:
        """The place of a package's name among the names, -1 if it is the name of no package and in no property."""
        return self._name(package)

    def offers(self, package: str) -> bool:
        """Whether a candidate can be of *package*."""
        name = self._name(package)
        return name >= 0 and self.columns.name_starts[name] < self.columns.name_starts[name + 1]

    def _name(self, package: str) -> int:
        """The place of a package's name, -1 if nothing has it."""
        known = self._names.get(package)
        if known is None:
            if len(self._names) >= MOST_REMEMBERED:
                self._names.clear()
            known = self._names[package] = self.columns.name(package)
        return known
