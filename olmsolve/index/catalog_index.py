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

from collections.abc import Iterable, Iterator, Sequence

import attrs

from olmsolve.catalog import Catalog, Published
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.index.candidates import MOST_REMEMBERED, CandidateTable
from olmsolve.index.facts import FactTable
from olmsolve.index.originals import CatalogObjects, Fault, Originals
from olmsolve.index.packed import DEPRECATED, HELD, NONE, PLAIN, Packed, encoded
from olmsolve.index.packing import packed
from olmsolve.index.requirements import RequirementTable
from olmsolve.index.slots import Slots
from olmsolve.predicates import Predicate, Requirement
from olmsolve.semver import Version, blang

__all__ = ["CatalogIndex", "ChannelSlots", "index_of"]


@attrs.frozen
class ChannelSlots:
    """Where a channel's slots are: *ordered* from the head down, *all* with those that are not in the order.

    *fault* is the slot that stands for a channel without an order, -1 where there is one.
    """

    ordered: range
    all: range
    fault: int


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
        self.slots = Slots(catalog, self.columns)
        self._names: dict[str, int] = {}
        self._faults: dict[int, Fault] = {}
        self._groups: dict[int, tuple[str, ...]] = {}
        self._group_names: dict[int, str] = {}
        self._channels: dict[tuple[str, str], ChannelSlots] = {}
        self._skip_ranges: dict[str, blang.Range | None] = {}

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
        known = self._faults.get(number)
        if known is None:
            package, channel, bundle = self.package(number), self.channel_name(number), self.bundle(number)
            known = self._faults[number] = Fault(package, channel, bundle, path, reason, self.origin(number))
        return known

    def groups(self, number: int) -> tuple[str, ...]:
        """The at-most-one groups of the slot's bundle: see :func:`groups_of`."""
        place = self.columns.bundle_groups[self.columns.slot_bundle[number]]
        known = self._groups.get(place)
        if known is None:
            known = self._groups[place] = tuple(map(self.group_name, self.columns.groups(place)))
        return known

    def skip_range(self, text: str) -> blang.Range | None:
        """The range of a ``skipRange``; None for one that does not parse, which contains nothing."""
        if text not in self._skip_ranges:
            try:
                self._skip_ranges[text] = blang.Range.parse(text)
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

    def group_name(self, group: int) -> str:
        """The name of a numbered group, which all catalogs share: ``package NAME`` or ``api GROUP/VERSION/KIND``."""
        known = self._group_names.get(group)
        if known is None:
            columns = self.columns
            names = len(columns.name_string)
            if group < names:
                known = f"package {columns.string(columns.name_string[group])}"
            else:
                known = f"api {columns.string(columns.gvk_text[group - names])}"
            self._group_names[group] = known
        return known

    def rank(self, number: int) -> int:
        """The rank of the version of the slot's bundle, -1 if it has no version that counts alone."""
        place = self.columns.slot_bundle[number]
        rank = NONE if place == NONE else self.columns.bundle_rank[place]
        return -1 if rank == NONE else rank

    def spans(self, versions: blang.Range) -> tuple[tuple[int, int], ...]:
        """The ranks in *versions* as spans (first, one after the last), ascending, none of them empty.

        Where :meth:`ranked` says so for a package, the candidates of ``InPackage(package, versions)`` are
        exactly those of its candidates that have a rank in a span.
        """
        return self._candidates.spans(versions)

    def ranked(self, package: str) -> bool:
        """Whether every candidate of *package* has a rank."""
        name = self._name(package)
        return name < 0 or self.columns.name_ranked[name] == 1

    # -- channels

    def package_names(self) -> list[str]:
        """The packages of the catalog, by name."""
        return [self.columns.string(name) for name in self.columns.name_string[: self.columns.packages]]

    def __contains__(self, package: str) -> bool:
        """Whether the catalog has this package."""
        return 0 <= self._name(package) < self.columns.packages

    def channel(self, package: str, channel: str) -> ChannelSlots:
        """The slots of a channel; an empty set of them if there is no such channel."""
        key = package, channel
        known = self._channels.get(key)
        if known is None:
            sought, columns = encoded(channel), self.columns
            found = (
                place for place in self._channels_of(package) if columns.is_string(columns.channel_name[place], sought)
            )
            place = next(found, -1)
            if place < 0:
                return _NO_CHANNEL
            start, first = columns.channel_start[place], columns.channel_first[place]
            ordered, every = range(first, columns.channel_end[place]), range(first, columns.channel_stop[place])
            known = self._channels[key] = ChannelSlots(ordered, every, start if start < first else -1)
        return known

    def channel_names(self, package: str, wanted: str = "") -> list[str]:
        """The channels of a package, the default one first, then by name; or only the one that is *wanted*."""
        columns = self.columns
        if wanted:
            return [wanted] if self.channel(package, wanted) is not _NO_CHANNEL else []
        return [columns.string(columns.channel_name[place]) for place in self._channels_of(package)]

    def _channels_of(self, package: str) -> list[int]:
        name = self._name(package)
        if not 0 <= name < self.columns.packages:
            return []
        default = self.columns.package_default[name]
        others = range(self.columns.package_channels[name], self.columns.package_channels[name + 1])
        return [*(() if default == NONE else (default,)), *others]

    def named(self, slots: Iterable[int], bundle: str) -> list[int]:
        """Those of *slots* whose bundle has this name."""
        columns = self.columns
        is_string, names, sought = columns.is_string, columns.bundle_name, encoded(bundle)
        return [n for n in slots if (b := columns.slot_bundle[n]) != NONE and is_string(names[b], sought)]

    def updates(self, slots: Iterable[int], name: str, version: Version | None) -> Iterator[int]:
        """Those of *slots* that can follow the installed bundle *name* at *version*.

        By ``replaces``, ``skips`` or ``skipRange``, as :func:`olmsolve.update_graph.follows` has it.
        """
        columns = self.columns
        replaces, skips, ranges = columns.slot_replaces, columns.slot_skips, columns.slot_range
        is_string, sought = columns.is_string, encoded(name)
        for number in slots:
            if is_string(replaces[number], sought) or (skips[number] and self._skips(skips[number], sought)):
                yield number
            elif version is not None and ranges[number]:
                contained = self.skip_range(columns.string(ranges[number]))
                if contained is not None and version in contained:
                    yield number

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

    def _name(self, package: str) -> int:
        """The place of a package's name, -1 if nothing has it."""
        known = self._names.get(package)
        if known is None:
            if len(self._names) >= MOST_REMEMBERED:
                self._names.clear()
            known = self._names[package] = self.columns.name(package)
        return known

    def _skips(self, texts: int, sought: bytes) -> bool:
        start, end = self.columns.texts_starts[texts], self.columns.texts_starts[texts + 1]
        return any(self.columns.is_string(place, sought) for place in self.columns.texts_string[start:end])
