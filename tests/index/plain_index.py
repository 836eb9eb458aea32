"""An index worked out from the catalog's own objects, slot by slot and without haste: what the real one must answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry
from olmsolve.catalog.index import CatalogIndex, Fault, groups_of
from olmsolve.catalog.update_graph import channel_order, follows
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.predicates import Predicate, Published, Requirement, published, requirements
from olmsolve.semver import BlangRange, Version


@attrs.frozen
class PlainSlot:
    """A place to select from; *bundles* are all of a channel without an order, whose *fault* is its reason.

    *facts* are what the bundles publish: read once, because every requirement of a catalog is tested on all slots.
    """

    channel: Channel
    entry: ChannelEntry
    bundles: tuple[Bundle, ...]
    facts: tuple[Published, ...]
    eligible: bool
    fault: str = ""

    def requires(self) -> tuple[Requirement, ...] | Fault:
        if self.fault:
            origin = str(self.channel.origin or "")
            return Fault(self.channel.package, self.channel.name, "", "", self.fault, origin)
        (bundle,) = self.bundles
        try:
            return requirements(bundle.properties)
        except ConstraintError as error:
            origin = str(bundle.origin or "")
            return Fault(
                bundle.package, self.channel.name, bundle.name, error.path, error.reason, origin, error.excerpt
            )

    def meets(self, predicate: Predicate) -> bool:
        return any(map(predicate.test, self.facts))


def plain_slots(catalog: Catalog) -> list[PlainSlot]:
    """The slots: channels by (is another than the default one, package, name), each from the head down."""
    channels = [
        (channel.name != package.default_channel, package.name, channel.name, channel)
        for package in catalog
        for channel in package.channels.values()
    ]
    facts = {
        package.name: {name: published(package.name, bundle.properties) for name, bundle in package.bundles.items()}
        for package in catalog
    }
    return [
        slot
        for _, package, _, channel in sorted(channels, key=lambda item: item[:3])
        for slot in _slots(channel, catalog.packages[package].bundles, facts[package])
    ]


def _slots(channel: Channel, bundles: Mapping[str, Bundle], facts: Mapping[str, Published]) -> Iterator[PlainSlot]:
    entries = {entry.name: entry for entry in channel.entries if entry.name in bundles}
    order = channel_order(entries.values())
    if order.fault:
        every = tuple(bundles[name] for name in entries), tuple(facts[name] for name in entries)
        yield PlainSlot(channel, ChannelEntry(""), *every, True, order.fault)
    for name in order.chain:
        yield PlainSlot(channel, entries[name], (bundles[name],), (facts[name],), True)
    for name in sorted(entries.keys() - set(order.chain)):
        yield PlainSlot(channel, entries[name], (bundles[name],), (facts[name],), False)


def check_slots(index: CatalogIndex, catalog: Catalog) -> list[PlainSlot]:
    """Compare everything that is told of single slots; returns the slots."""
    slots = plain_slots(catalog)
    assert len(index) == len(slots)
    for number, slot in enumerate(slots):
        assert index.package(number) == slot.channel.package
        assert index.channel_name(number) == slot.channel.name
        assert index.bundle(number) == slot.entry.name
        requires = slot.requires()
        assert index.requires(number) == requires
        assert index.fault(number) == (requires if isinstance(requires, Fault) else None)
        if slot.fault:
            assert not index.has_bundle(number)
            assert index.origin(number) == str(slot.channel.origin or "")
            assert index.version_text(number) == index.replaces(number) == ""
            assert index.version(number) is None
            assert index.rules(number) == (requires, False, ())
            assert index.rank(number) == -1
            continue
        (facts,) = slot.facts
        assert index.has_bundle(number)
        assert index.origin(number) == str(slot.bundles[0].origin or "")
        assert index.published(number) == facts
        assert index.version(number) == facts.version
        assert index.version_text(number) == str(facts.version or "")
        assert index.deprecated(number) == facts.deprecated
        assert index.rules(number)[0] == requires
        if not isinstance(requires, Fault):
            assert index.rules(number)[1:] == (facts.deprecated, groups_of(facts))
        assert index.replaces(number) == slot.entry.replaces
        assert index.groups(number) == groups_of(facts)
    return slots


def check_objects(index: CatalogIndex, slots: list[PlainSlot]) -> None:
    """Compare the slots as objects of the catalog."""
    assert [(slot.channel, slot.entry) for slot in index.slots] == [(slot.channel, slot.entry) for slot in slots]
    assert [slot.bundle == -1 for slot in index.slots] == [slot.fault != "" for slot in slots]
    assert list(index.slots[1:-1]) == list(index.slots)[1:-1]


def check_channels(index: CatalogIndex, catalog: Catalog, slots: list[PlainSlot]) -> None:
    """Compare what is told of packages and channels."""
    assert index.package_names() == sorted(catalog.packages)
    for package in catalog:
        assert package.name in index
        names = sorted(package.channels, key=lambda name: (name != package.default_channel, name))
        assert index.channel_names(package.name) == names
        assert index.offered(package.name, "no such channel") == ()
        assert index.offered(package.name) == tuple(index.channel(package.name, name) for name in names)
        facts = [published(package.name, bundle.properties) for bundle in package.bundles.values()]
        assert index.deprecations(package.name) == package.deprecations
        assert [index.bundle_version(package.name, name) for name in package.bundles] == [
            fact.version for fact in facts
        ]
        assert index.bundle_version(package.name, "no such bundle") is None
        assert index.entry_names(package.name, "no such channel") == []
        assert index.declares(package.name) == all(package.name in dict(fact.packages) for fact in facts)
        for name in names:
            numbers = [n for n, slot in enumerate(slots) if slot.channel is package.channels[name]]
            assert {*index.entry_names(package.name, name)} == {entry.name for entry in package.channels[name].entries}
            assert all(index.in_default_channel(n) == (name == package.default_channel) for n in numbers)
            channel = index.channel(package.name, name)
            assert list(channel.ordered) == [n for n in numbers if slots[n].eligible and not slots[n].fault]
            assert list(channel.all) == [n for n in numbers if not slots[n].fault]
            assert channel.fault == next((n for n in numbers if slots[n].fault), -1)


def check_updates(index: CatalogIndex, slots: list[PlainSlot], name: str, version: Version | None) -> None:
    """Compare what can follow the installed bundle *name*."""

    def parse(text: str) -> BlangRange | None:
        try:
            return BlangRange.parse(text)
        except RangeError:
            return None

    for package in index.package_names():
        for channel in index.channel_names(package):
            every = index.channel(package, channel).all
            assert list(index.updates(every, name, version)) == [
                number for number in every if follows(slots[number].entry, name, version, parse)
            ]
            assert index.named(every, name) == [number for number in every if slots[number].entry.name == name]


def check_candidates(index: CatalogIndex, slots: list[PlainSlot], predicate: Predicate) -> None:
    """Compare the candidates for *predicate* with the candidates that a test of every bundle finds."""
    expected = [number for number, slot in enumerate(slots) if slot.eligible and slot.meets(predicate)]
    assert list(index.candidates(predicate)) == expected
