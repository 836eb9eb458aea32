"""The index of one catalog, built once and shared by every request.

A *slot* is one way to select a bundle: a channel entry with a bundle. A channel without an order has one more slot,
which stands for all of it. Slots are numbered in the order in which OLM prefers them as candidates for a dependency:
default channels first, then by package, then by channel, then from the head of the channel down. So a list of
candidates is a sorted list of numbers, and to compare two candidates is to compare two numbers::

    package a (default "stable": a2 replaces a1; "alpha": a2), package b (default "stable": b1)
    slots 0 and 1: a2, a1 in a/stable    slot 2: b1 in b/stable    slot 3: a2 in a/alpha

Versions have numbers as well: the *rank* of a version is its position among the distinct versions of the catalog,
ascending. A range of versions is a few spans of ranks (:meth:`.CandidateTable.spans`), and the candidates of a
requirement for a package are its slots with ranks in them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import starmap
from typing import Final

from olmsolve import events
from olmsolve._limits import checked
from olmsolve.catalog import Catalog, Deprecation
from olmsolve.catalog.index.candidates import MOST_REMEMBERED, CandidateTable, RequirementTable, UnparsedRequirements
from olmsolve.catalog.index.facts import CatalogObjects, ChannelSlots, FactTable, Fault, Group, Originals, Slots
from olmsolve.catalog.index.families import Family, FamilyTable, Need, NeedsByTarget, NeedsInBits, NewlyNeeded, Run
from olmsolve.catalog.index.packed import Packed, encoded
from olmsolve.catalog.index.schema import DEPRECATED, HELD, NONE, PLAIN
from olmsolve.catalog.versions import Predecessor, made_of
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Fact, Predicate, Published, Requirement
from olmsolve.semver import BlangRange, Version

# A catalog is dense with more than one distinct requirement for four bundles; real catalogs have one for forty.
_DENSE: Final = 4

_NO_CHANNEL = ChannelSlots(range(0), range(0), -1)


def index_of(catalog: Catalog) -> CatalogIndex:
    """Return the index of *catalog*, built on the first call and the same for all callers, threads included."""
    return catalog.derived(CatalogIndex, lambda: CatalogIndex(catalog))


def _packed(catalog: Catalog) -> Packed:
    # With an index file a catalog has its columns, and a short command need not load what makes them: 1 ms.
    predecessor = made_of(catalog, Predecessor)
    if predecessor is not None and (before := predecessor.now()) is not None:
        from olmsolve.catalog.index.repacking import repack

        predecessor.let_go()
        older = made_of(before[0], CatalogIndex)
        if older is not None and (columns := repack(catalog, older.columns, before[1])) is not None:
            return columns
    from olmsolve.catalog.index.packing import pack

    return pack(catalog)


class CatalogIndex:
    """The look-ups of a resolver in the columns of a catalog, by the numbers of slots and ranks.

    ``candidates``, ``narrowed``, ``spans`` and ``stating`` are methods of :class:`.CandidateTable`; ``needs``,
    ``slots_meeting``, ``family``, ``contradict`` and others are methods of :class:`.FamilyTable`.

    Objects are made when first asked for, then remembered; only an equal one replaces them, so threads need no lock.
    """

    # A remembered value takes 0.04 to 0.1 µs; to make the facts of a bundle takes 2.7, a skipRange 2.2, channels 2.1.

    def __init__(self, catalog: Catalog, columns: Packed | None = None, originals: Originals | None = None) -> None:
        """Take *columns* and *originals* of *catalog* from a file, or make them here."""
        started = time.perf_counter()
        self.catalog: Catalog = catalog
        self.columns: Packed = _packed(catalog) if columns is None else columns
        self.originals: Originals = CatalogObjects(catalog) if originals is None else originals
        self._requirements = RequirementTable(self.columns, catalog.scheme)
        self.unparsed: Callable[[Iterable[int]], dict[int, UnparsedRequirements]] = self._requirements.unparsed
        self._facts = FactTable(self.columns, self.originals, catalog.scheme)
        # Resolvers call these often, so they are the tables' own methods: passing a call on takes 0.03 µs more.
        candidates = CandidateTable(self.columns, self._facts)
        self.candidates: Callable[[Predicate], tuple[int, ...]] = candidates.slots_for
        self.spans: Callable[[BlangRange], tuple[tuple[int, int], ...]] = candidates.spans
        self.narrowed: Callable[[Predicate | None], Sequence[int]] = candidates.narrowed
        self.stating: Callable[[Fact], Sequence[int]] = candidates.stating
        families = FamilyTable(self.columns, self.group, self.groups)
        self.needs: Callable[[int], tuple[Need, ...] | None] = families.needs
        self.contradict: Callable[[Sequence[Sequence[int]], Callable[[], object]], bool] = families.contradict
        self.needs_in_bits: Callable[[int], NeedsInBits | None] = families.needs_in_bits
        self.needs_in_runs: Callable[[int], list[list[Run] | None]] = families.needs_in_runs
        self.newly_needed: NewlyNeeded = families.newly_needed
        self.needs_by_target: NeedsByTarget = families.needs_by_target
        self.slots_meeting: Callable[[int, int, int], tuple[int, ...]] = families.slots_meeting
        self.family: Callable[[int], Family | None] = families.family
        self.family_of: Callable[[int], int] = families.family_of
        self.other_groups: Callable[[int], tuple[Group, ...]] = families.other_groups
        self.slots: Slots = Slots(catalog, self.columns)
        self.dense: bool = len(self.columns.requirement_type) * _DENSE > len(self.columns.bundle_name)
        """Whether bundles state so many distinct requirements that requests are likely to come to dead ends."""
        self._names: dict[str, int] = {}
        self._rules: dict[int, tuple[tuple[Requirement, ...] | Fault, bool, tuple[Group, ...]]] = {}
        self._groups: dict[int, tuple[Group, ...]] = {}
        self._numbered_groups: dict[int, Group] = {}
        self._channels: dict[tuple[str, str], tuple[ChannelSlots, ...]] = {}
        self._skip_ranges: dict[str, BlangRange | None] = {}
        if columns is None and (observer := events.current()) is not None:
            seconds, bundles = time.perf_counter() - started, len(self.columns.bundle_name)
            observer.indexed(events.CatalogIndexed(self.columns.packages, bundles, len(self), events.now(), seconds))

    def __repr__(self) -> str:
        columns = self.columns
        return f"<CatalogIndex: {columns.packages} packages, {len(self)} slots, {len(columns.bundle_name)} bundles>"

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self.columns.slot_bundle)

    # -- one slot

    def package(self, slot: int) -> str:
        """Return the package of a slot."""
        channel = self.columns.slot_channel[slot]
        return self.columns.string(self.columns.name_string[self.columns.channel_package[channel]])

    def channel_name(self, slot: int) -> str:
        """Return the name of a slot's channel."""
        columns = self.columns
        return columns.string(columns.channel_name[columns.slot_channel[slot]])

    def bundle(self, slot: int) -> str:
        """Return the name of a slot's bundle, "" for a channel without an order."""
        bundle = self.columns.slot_bundle[slot]
        return "" if bundle == NONE else self.columns.string(self.columns.bundle_name[bundle])

    def replaces(self, slot: int) -> str:
        """Return the name that the slot's entry replaces, "" if none."""
        return self.columns.string(self.columns.slot_replaces[slot])

    def version(self, slot: int) -> Version | None:
        """Return the version of the slot's bundle, read tolerantly; None if it has none."""
        bundle = self.columns.slot_bundle[slot]
        return None if bundle == NONE else self._facts.version(self.columns.bundle_version[bundle])

    def version_text(self, slot: int) -> str:
        """Return :meth:`version` as text, "" if there is none."""
        columns, bundle = self.columns, self.columns.slot_bundle[slot]
        # A strict version is printed as it is written, so nothing is parsed and printed: 0.13 instead of 0.24 µs.
        if bundle != NONE and columns.bundle_flags[bundle] & PLAIN and columns.bundle_version[bundle] != NONE:
            return columns.string(columns.bundle_version[bundle])
        return str(self.version(slot) or "")

    def fault(self, slot: int) -> Fault | None:
        """Return why the slot can never be selected: the fault of :meth:`requires`, or None."""
        return requires if isinstance(requires := self.requires(slot), Fault) else None

    def in_default_channel(self, slot: int) -> bool:
        """Return whether the slot is in the default channel of its package."""
        channel = self.columns.slot_channel[slot]
        return self.columns.package_default[self.columns.channel_package[channel]] == channel

    def has_bundle(self, slot: int) -> bool:
        """Return whether the slot has a bundle; one that stands for a channel without an order has none."""
        return self.columns.slot_bundle[slot] != NONE

    def published(self, slot: int) -> Published:
        """Return the facts that the slot's bundle publishes; the slot must have one."""
        return self._facts.published(self.columns.slot_bundle[slot], self.columns.slot_channel[slot])

    def origin(self, slot: int) -> str:
        """Return the origin of the slot's bundle, or of its channel if it has no bundle."""
        package, channel, bundle = self.package(slot), self.channel_name(slot), self.columns.slot_bundle[slot]
        if bundle == NONE:
            return self.originals.origin(package, channel, None, self.columns.slot_channel[slot])
        return self.originals.origin(package, channel, self.bundle(slot), bundle)

    def deprecated(self, slot: int) -> bool:
        """Return whether the slot's bundle has an ``olm.deprecated`` property; the slot must have a bundle."""
        return self.columns.bundle_flags[self.columns.slot_bundle[slot]] & DEPRECATED != 0

    def requires(self, slot: int) -> tuple[Requirement, ...] | Fault:
        """Return the requirements of the slot's bundle, in the order of its properties.

        A :class:`Fault` says that they do not parse, or that the slot stands for a channel without an order.
        """
        columns, bundle = self.columns, self.columns.slot_bundle[slot]
        if bundle == NONE:
            return self._fault(slot, "", columns.string(columns.channel_fault[columns.slot_channel[slot]]))
        try:
            if columns.bundle_flags[bundle] & HELD:
                properties = self.originals.properties(self.package(slot), self.bundle(slot), bundle)
                return self._requirements.of_odd_bundle(bundle, properties)
            return self._requirements.parsed(columns.bundle_requires[bundle])
        except ConstraintError as error:
            return self._fault(slot, error.path, error.reason, error.excerpt)

    def _fault(self, slot: int, path: str, reason: str, excerpt: str = "") -> Fault:
        package, channel, bundle = self.package(slot), self.channel_name(slot), self.bundle(slot)
        return Fault(package, channel, bundle, path, reason, self.origin(slot), excerpt)

    def rules(self, slot: int) -> tuple[tuple[Requirement, ...] | Fault, bool, tuple[Group, ...]]:
        """Return :meth:`requires`, :meth:`deprecated` and :meth:`groups` at once.

        Resolvers state the constraints of the same slots in every request: one look-up then answers all three.
        """
        rules = self._rules.get(slot)
        if rules is None:
            requires = self.requires(slot)
            rules = requires, False, ()
            if not isinstance(requires, Fault):
                rules = requires, self.deprecated(slot), self.groups(slot)
            self._rules[slot] = rules
        return rules

    def groups(self, slot: int) -> tuple[Group, ...]:
        """Return the at-most-one groups of the slot's bundle: see :func:`groups_of`."""
        listed = self.columns.bundle_groups[self.columns.slot_bundle[slot]]
        groups = self._groups.get(listed)
        if groups is None:
            groups = self._groups[listed] = tuple(map(self.group, self.columns.groups(listed)))
        return groups

    def skip_range(self, text: str) -> BlangRange | None:
        """Return the range of a ``skipRange``, of semantic versions alone; None if it does not parse: it is empty."""
        if text not in self._skip_ranges:
            from olmsolve.catalog.update_graph import skip_range  # many catalogs have no range of skips

            self._skip_ranges[text] = skip_range(text) if self.catalog.scheme is None else None
        return self._skip_ranges[text]

    def warm(self, packages: Collection[str] | None = None) -> Iterator[Predicate]:
        """Make the objects that requests would make at first use, for the bundles of *packages* or for all.

        Yield what the bundles require, once for each distinct list of requirements. Candidates are left to the caller,
        who sees all catalogs.
        """
        columns = self.columns
        parsed: set[int] = set()
        for name in checked(range(columns.packages)):
            package = columns.string(columns.name_string[name])
            if packages is not None and package not in packages:
                continue
            self.offered(package)
            for channel in self._channels_of(name):
                self.offered(package, columns.string(columns.channel_name[channel]))
                slots = range(columns.channel_start[channel], columns.channel_stop[channel])
                for slot in checked(slots, every=16):
                    yield from self._warm_slot(slot, parsed)

    def _warm_slot(self, slot: int, parsed: set[int]) -> Iterator[Predicate]:
        """Make the objects of one slot; yield the requirements of its bundle, unless their list was *parsed* before."""
        columns = self.columns
        bundle = columns.slot_bundle[slot]
        self.bundle(slot), self.replaces(slot), self.version_text(slot)
        if columns.slot_range[slot]:
            self.skip_range(columns.string(columns.slot_range[slot]))
        in_bits = None if bundle == NONE else self.needs_in_bits(slot)
        if self.dense and in_bits is not None:
            # Searches look at the bits then; only the requirements of what a plan installs are shown.
            self.requires(slot)
            return
        requires, _, _ = self.rules(slot)
        if bundle == NONE or isinstance(requires, Fault):
            return
        listed = columns.bundle_requires[bundle]
        if listed not in parsed or columns.bundle_flags[bundle] & HELD:
            parsed.add(listed)
            for need in self.needs(slot) or ():
                self.slots_meeting(*need)
            for requirement in requires:
                yield requirement.predicate

    # -- groups and versions as numbers

    def group(self, number: int) -> Group:
        """Return the at-most-one group of this number: packages come first, then APIs."""
        group = self._numbered_groups.get(number)
        if group is None:
            columns = self.columns
            names = len(columns.name_string)
            if number < names:
                name = columns.string(columns.name_string[number])
                group = Group("package", name)
                # Who is given the group asks for the number of its name next.
                self._names.setdefault(name, number)
            else:
                group = Group.of_api(columns.gvk_parts(number - names))
            self._numbered_groups[number] = group
        return group

    def rank(self, slot: int) -> int:
        """Return the rank of the version of the slot's bundle; -1 for a bundle that is not PLAIN, and for no bundle."""
        bundle = self.columns.slot_bundle[slot]
        rank = NONE if bundle == NONE else self.columns.bundle_rank[bundle]
        return -1 if rank == NONE else rank

    # -- channels

    def package_names(self) -> list[str]:
        """Return the packages of the catalog, by name."""
        return [self.columns.string(name) for name in self.columns.name_string[: self.columns.packages]]

    def __contains__(self, package: str) -> bool:
        """Return whether the catalog has this package."""
        return 0 <= self.name_number(package) < self.columns.packages

    def bundle_version(self, package: str, bundle: str) -> Version | None:
        """Return the version of a bundle, in a channel or not, read tolerantly; None without a bundle or a version."""
        columns, name = self.columns, self.name_number(package)
        if not 0 <= name < columns.packages:
            return None
        bundles = range(columns.package_bundles[name], columns.package_bundles[name + 1])
        names = columns.scoped(name, bundle)
        slot = next((bundle for bundle in bundles if columns.bundle_name[bundle] in names), None)
        return None if slot is None else self._facts.version(columns.bundle_version[slot])

    def deprecations(self, package: str) -> tuple[Deprecation, ...]:
        """Return the deprecations of a package; () if there is no such package."""
        name, columns = self.name_number(package), self.columns
        if not 0 <= name < columns.packages:
            return ()
        # Each is three strings: ["olm.channel", "alpha", "use stable", "olm.bundle", ...]
        texts = iter(columns.texts(columns.package_deprecations[name]))
        return tuple(starmap(Deprecation, zip(texts, texts, texts, strict=False)))

    def entry_names(self, package: str, channel: str) -> list[str]:
        """Return the names of all entries of a channel, those without a bundle last; none without such a channel."""
        columns = self.columns
        names = [
            name
            for number in self._numbered(package, channel) or ()
            for name in (
                *map(self.bundle, self._slots_of(number).all),
                *columns.texts(columns.channel_empty_entries[number]),
            )
        ]
        return list(dict.fromkeys(names))

    def channel(self, package: str, channel: str) -> ChannelSlots:
        """Return the slots of a channel; empty ranges if there is no such channel."""
        slots = self.offered(package, channel) if channel else None
        return slots[0] if slots else _NO_CHANNEL

    def offered(self, package: str, channel: str = "") -> tuple[ChannelSlots, ...] | None:
        """Return the slots of each channel of a package, or of the one *channel*; None if there is no such package.

        The default channel comes first, then the others by name.
        """
        key = package, channel
        if key in self._channels:
            return self._channels[key]
        channels = self._numbered(package, channel)
        if not channels:
            return None if channels is None else ()
        slots = self._channels[key] = tuple(map(self._slots_of, channels))
        return slots

    def _numbered(self, package: str, channel: str) -> Sequence[int] | None:
        """Return the numbers of the channels of a package, or of the one *channel*; None without such a package."""
        name, columns = self.name_number(package), self.columns
        if not 0 <= name < columns.packages:
            return None
        channels = self._channels_of(name)
        if channel:
            # Compared as bytes: no strings are made of the names of all channels.
            wanted, names, starts, text = encoded(channel), columns.channel_name, columns.string_starts, columns.text
            channels = [row for row in channels if text[starts[names[row]] : starts[names[row] + 1]] == wanted]
        return channels

    def _slots_of(self, channel: int) -> ChannelSlots:
        columns = self.columns
        start, first = columns.channel_start[channel], columns.channel_first[channel]
        ordered, every = range(first, columns.channel_end[channel]), range(first, columns.channel_stop[channel])
        return ChannelSlots(ordered, every, start if start < first else -1)

    def channel_names(self, package: str) -> list[str]:
        """Return the names of a package's channels, the default one first, then by name."""
        name, columns = self.name_number(package), self.columns
        if not 0 <= name < columns.packages:
            return []
        return [columns.string(columns.channel_name[channel]) for channel in self._channels_of(name)]

    def _channels_of(self, name: int) -> Sequence[int]:
        columns = self.columns
        default = columns.package_default[name]
        others = range(columns.package_channels[name], columns.package_channels[name + 1])
        return others if default == NONE else (default, *others)

    def named(self, slots: range, bundle: str) -> list[int]:
        """Return the slots among *slots*, all of one channel, whose bundle has this name."""
        if not slots:
            return []
        columns = self.columns
        names, bundles = self._scoped(slots, bundle), columns.slot_bundle
        # Mostly no bundle of the package has the name, and then no slot is looked at.
        return [n for n in slots if (b := bundles[n]) != NONE and columns.bundle_name[b] in names] if names else []

    def removing(self, slots: ChannelSlots, slot: int) -> list[int]:
        """Return the slots of a channel whose ``skipRange`` takes the bundle of *slot* out of its update graph."""
        return [] if slot in slots.ordered[:1] else self.slots.removing(slots.all, slot, self.version(slot))

    def updates(self, slots: range, name: str, version: Version | None) -> Iterator[int]:
        """Yield the slots among *slots*, all of one channel, that can follow the installed bundle *name* at *version*.

        They do by ``replaces``, ``skips`` or ``skipRange``, as :func:`olmsolve.catalog.update_graph.follows` has it.
        The bundle itself is one of them if its own ``skipRange`` contains its version.
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
        """Return the numbers of the strings *text* of the slots' package: see :meth:`Packed.scoped`."""
        columns = self.columns
        return columns.scoped(columns.channel_package[columns.slot_channel[slots[0]]], text)

    def _skips(self, number: int) -> Sequence[int]:
        columns = self.columns
        return columns.texts_string[columns.texts_starts[number] : columns.texts_starts[number + 1]]

    # -- candidates

    def declares(self, package: str) -> bool:
        """Return whether every bundle that counts as one of *package* has an ``olm.package`` property that says so."""
        name = known if (known := self._names.get(package)) is not None else self.name_number(package)
        return not (0 <= name < self.columns.packages and self.columns.package_undeclared[name])

    def offers(self, package: str) -> bool:
        """Return whether a candidate can be of *package*."""
        name = self.name_number(package)
        return name >= 0 and self.columns.name_starts[name] < self.columns.name_starts[name + 1]

    def name_number(self, package: str) -> int:
        """Return the number of a package's name, -1 if it is the name of no package and in no property."""
        number = self._names.get(package)
        if number is None:
            if len(self._names) >= MOST_REMEMBERED:
                self._names.clear()
            number = self._names[package] = self.columns.name(package)
        return number
