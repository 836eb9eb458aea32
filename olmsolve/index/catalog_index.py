"""The index of one catalog, built once and shared by every request.

Each place that a bundle can be selected from is a *slot*: a channel entry, and one slot for each channel
without an order. Slots are numbered in the order in which OLM prefers them as candidates for a dependency:
default channels first, then by package, then by channel, then from the head of the channel down. So a list
of candidates is a sorted list of numbers, and the number says everything about preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import attrs

from olmsolve.catalog import GVK, Bundle, Catalog, Channel, ChannelEntry, Published, published
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.index.by_version import ByVersion
from olmsolve.predicates import AllOf, AnyOf, InPackage, Predicate, ProvidesGVK, Requirement, requirements
from olmsolve.semver import blang
from olmsolve.update_graph import channel_order

__all__ = ["CatalogIndex", "ChannelSlots", "Fault", "Slot", "groups_of", "index_of"]


@attrs.frozen
class Fault:
    """What is broken: a channel without an order (*bundle* is ""), or a bundle's requirements.

    *property* names the offending property and the place in it.
    """

    package: str
    channel: str
    bundle: str
    property: str
    reason: str
    origin: str

    def __str__(self) -> str:
        return f"{self.property}: {self.reason}" if self.property else self.reason


class Slot(NamedTuple):
    """A bundle seen through one channel; *bundle* is its position in :attr:`CatalogIndex.bundles`, -1 for a fault."""

    channel: Channel
    entry: ChannelEntry
    bundle: int


@attrs.frozen
class ChannelSlots:
    """Where a channel's slots are: *ordered* from the head down, *all* with those that are not in the order."""

    ordered: range
    all: range
    fault: int


_NO_CHANNEL = ChannelSlots(range(0), range(0), -1)


MOST_REMEMBERED: Final = 200_000
"""How many predicates have their candidates remembered; requests bring their own, and a catalog may live long."""


def groups_of(facts: Published) -> tuple[str, ...]:
    """The groups of which at most one selected bundle can be a member: ``package NAME`` and ``api GROUP/VERSION/KIND``.

    A bundle is in the group of each of its ``olm.package`` properties and of each API that it provides.
    """
    packages = dict.fromkeys(name for name, _ in facts.packages)
    return (*(f"package {name}" for name in packages), *(f"api {gvk}" for gvk in facts.gvks))


def index_of(catalog: Catalog) -> CatalogIndex:
    """The index of *catalog*: built by whoever asks first, then the same for all, threads included."""
    return catalog.derived(CatalogIndex, lambda: CatalogIndex(catalog))


class CatalogIndex:
    """See the module. Everything that is not known after the first pass is worked out once, when asked for.

    Work that is remembered is only ever replaced by equal work, so threads need no lock.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.bundles: list[Bundle] = []
        self.slots: list[Slot] = []
        self._published: list[Published] = []
        self._requirements: dict[int, tuple[Requirement, ...] | Fault] = {}
        self._groups: dict[int, tuple[str, ...]] = {}
        self._channels: dict[tuple[str, str], ChannelSlots] = {}
        self._faults: dict[int, Fault] = {}
        # Slots that can be candidates for a dependency (a fault's slot among them), ascending.
        self._eligible: list[int] = []
        self._by_package: dict[str, list[int]] = {}
        self._by_gvk: dict[GVK, list[int]] = {}
        # Packages with a bundle that does not say in its properties that it is theirs.
        self._undeclared: set[str] = set()
        self._versions: dict[str, ByVersion | None] = {}
        self._candidates: dict[Predicate, tuple[int, ...]] = {}
        self._skip_ranges: dict[str, blang.Range | None] = {}
        self._number_slots(catalog)
        self._map_facts()

    def __repr__(self) -> str:
        return f"<CatalogIndex of {self.catalog!r}>"

    def _number_slots(self, catalog: Catalog) -> None:
        places: dict[tuple[str, str], int] = {}
        channels: list[tuple[bool, str, str, Channel]] = []
        for package in catalog:
            for name, bundle in package.bundles.items():
                places[package.name, name] = len(self.bundles)
                self.bundles.append(bundle)
                self._published.append(published(package.name, bundle.properties))
            for channel in package.channels.values():
                other = channel.name != package.default_channel
                channels.append((other, package.name, channel.name, channel))
        channels.sort(key=lambda item: item[:3])
        slots = self.slots
        for _, package_name, channel_name, channel in channels:
            entries = {e.name: e for e in channel.entries if (package_name, e.name) in places}
            order = channel_order(entries.values())
            start = len(slots)
            fault = -1
            if order.fault:
                fault = start
                origin = str(channel.origin or "")
                self._faults[start] = Fault(package_name, channel_name, "", "", order.fault, origin)
                slots.append(Slot(channel, ChannelEntry(""), -1))
                self._eligible.append(start)
            first = len(slots)
            for name in order.chain:
                slots.append(Slot(channel, entries[name], places[package_name, name]))
            end = len(slots)
            if fault < 0:
                self._eligible.extend(range(first, end))
            for name in sorted(entries.keys() - set(order.chain)):
                slots.append(Slot(channel, entries[name], places[package_name, name]))
            key = package_name, channel_name
            self._channels[key] = ChannelSlots(range(first, end), range(first, len(slots)), fault)

    def _map_facts(self) -> None:
        for facts in self._published:
            if all(name != facts.package for name, _ in facts.packages):
                self._undeclared.add(facts.package)
        for number in self._eligible:
            for member in self._members(number):
                facts = self._published[member]
                for name in {facts.package, *(name for name, _ in facts.packages)}:
                    _append(self._by_package.setdefault(name, []), number)
                for gvk in facts.gvks:
                    _append(self._by_gvk.setdefault(gvk, []), number)

    def _members(self, number: int) -> Sequence[int]:
        """The bundles that a slot stands for: its own, or all of a channel without an order."""
        slot = self.slots[number]
        if slot.bundle >= 0:
            return (slot.bundle,)
        channel = slot.channel
        return [self.slots[i].bundle for i in self._channels[channel.package, channel.name].all]

    # -- one slot

    def fault(self, number: int) -> Fault | None:
        """Why the slot can never be selected, None if it can: its channel has no order, or see :meth:`requires`."""
        slot = self.slots[number]
        if slot.bundle < 0:
            return self._faults[number]
        requires = self.requires(number)
        return requires if isinstance(requires, Fault) else None

    def published(self, number: int) -> Published:
        """What the slot's bundle publishes; the slot must have one."""
        return self._published[self.slots[number].bundle]

    def requires(self, number: int) -> tuple[Requirement, ...] | Fault:
        """The requirements of the slot's bundle in the order of its properties, or why they do not parse."""
        place = self.slots[number].bundle
        known = self._requirements.get(place)
        if known is None:
            known = self._requirements[place] = self._parse(self.bundles[place], self.slots[number].channel.name)
        return known

    def _parse(self, bundle: Bundle, channel: str) -> tuple[Requirement, ...] | Fault:
        try:
            return requirements(bundle.properties)
        except ConstraintError as error:
            origin = str(bundle.origin or "")
            return Fault(bundle.package, channel, bundle.name, error.path, error.reason, origin)

    def groups(self, number: int) -> tuple[str, ...]:
        """The at-most-one groups of the slot's bundle: see :func:`groups_of`."""
        place = self.slots[number].bundle
        known = self._groups.get(place)
        if known is None:
            known = self._groups[place] = groups_of(self._published[place])
        return known

    def skip_range(self, text: str) -> blang.Range | None:
        """The range of a ``skipRange``; None for one that does not parse, which contains nothing."""
        if text not in self._skip_ranges:
            try:
                self._skip_ranges[text] = blang.Range.parse(text)
            except RangeError:
                self._skip_ranges[text] = None
        return self._skip_ranges[text]

    # -- channels

    def channel(self, package: str, channel: str) -> ChannelSlots:
        """The slots of a channel; an empty set of them if there is no such channel."""
        return self._channels.get((package, channel), _NO_CHANNEL)

    def channel_names(self, package: str) -> list[str]:
        """The channels of a package, the default one first, then by name."""
        found = self.catalog.packages.get(package)
        if found is None:
            return []
        return sorted(found.channels, key=lambda name: (name != found.default_channel, name))

    # -- candidates

    def declares(self, package: str) -> bool:
        """Whether every bundle that counts as one of *package* has an ``olm.package`` property that says so."""
        return package not in self._undeclared

    def candidates(self, predicate: Predicate) -> tuple[int, ...]:
        """The slots that meet *predicate* as candidates for a dependency, most wanted first.

        Skipped entries are none. A channel without an order in which some bundle meets it counts as one.
        """
        known = self._candidates.get(predicate)
        if known is None:
            if len(self._candidates) >= MOST_REMEMBERED:
                self._candidates.clear()
            known = self._candidates[predicate] = tuple(self._find(predicate))
        return known

    def _find(self, predicate: Predicate) -> Iterable[int]:
        if isinstance(predicate, ProvidesGVK):
            return self._by_gvk.get(predicate.gvk, ())
        if isinstance(predicate, InPackage):
            ordered = self._by_version(predicate.package)
            if ordered is not None:
                return ordered.within(predicate.versions)
        verdicts: dict[int, bool] = {}

        def meets(member: int) -> bool:
            verdict = verdicts.get(member)
            if verdict is None:
                verdict = verdicts[member] = predicate.test(self._published[member])
            return verdict

        return [
            number for number in self._narrowed(predicate) if any(meets(member) for member in self._members(number))
        ]

    def _by_version(self, package: str) -> ByVersion | None:
        if package not in self._versions:
            numbers = self._by_package.get(package, ())
            slots = ((n, None if self.slots[n].bundle < 0 else self.published(n)) for n in numbers)
            self._versions[package] = ByVersion.of(slots)
        return self._versions[package]

    def _narrowed(self, predicate: Predicate) -> Sequence[int]:
        """Slots among which all that meet *predicate* are, ascending; the fewer, the better."""
        if isinstance(predicate, ProvidesGVK):
            return self._by_gvk.get(predicate.gvk, ())
        if isinstance(predicate, InPackage):
            return self._by_package.get(predicate.package, ())
        if isinstance(predicate, AllOf) and predicate.parts:
            return min((self._narrowed(part) for part in predicate.parts), key=len)
        if isinstance(predicate, AnyOf):
            parts = [self._narrowed(part) for part in predicate.parts]
            if not any(part is self._eligible for part in parts):
                return sorted({number for part in parts for number in part})
        return self._eligible


def _append(numbers: list[int], number: int) -> None:
    if not numbers or numbers[-1] != number:
        numbers.append(number)
