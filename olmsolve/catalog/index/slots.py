"""The slots of a channel, the ones that take a slot out of its update graph, and slots as objects for callers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Catalog, Channel, ChannelEntry
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.model import entry_of
from olmsolve.catalog.update_graph import skip_range
from olmsolve.semver import Version


class ChannelSlots(NamedTuple):
    """The slots of a channel: *ordered* from the head down, *all* with the entries outside of the order behind them.

    *fault* is the slot that stands for a channel without an order, -1 for a channel that has one.
    """

    ordered: range
    all: range
    fault: int


class Slot(NamedTuple):
    """A bundle seen through one channel; *bundle* is its number in the index, -1 for a channel without an order."""

    channel: Channel
    entry: ChannelEntry
    bundle: int


class Slots(Sequence[Slot]):
    """The slots by number, with the catalog's own channels; a catalog behind an index file is read for them."""

    def __init__(self, catalog: Catalog, columns: Packed) -> None:
        self._catalog = catalog
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns.slot_bundle)

    @overload
    def __getitem__(self, number: int) -> Slot: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Slot]: ...

    def __getitem__(self, number: int | slice) -> Slot | Sequence[Slot]:
        if isinstance(number, slice):
            return [self[number_of_slot] for number_of_slot in range(*number.indices(len(self)))]
        columns = self._columns
        channel_number, bundle = columns.slot_channel[number], columns.slot_bundle[number]
        package = self._catalog.packages[columns.string(columns.name_string[columns.channel_package[channel_number]])]
        channel = package.channels[columns.string(columns.channel_name[channel_number])]
        return Slot(channel, ChannelEntry(""), -1) if bundle == NONE else Slot(channel, self.entry(number), bundle)

    def entry(self, number: int) -> ChannelEntry:
        """Return the entry of a slot that has a bundle; the index alone says what is in it."""
        columns = self._columns
        return entry_of(
            ChannelEntry,
            columns.string(columns.bundle_name[columns.slot_bundle[number]]),
            columns.string(columns.slot_replaces[number]),
            tuple(columns.texts(columns.slot_skips[number])),
            columns.string(columns.slot_range[number]),
        )


def removing(columns: Packed, slots: range, slot: int, version: Version | None) -> list[int]:
    """Return the slots among *slots*, all of one channel, whose ``skipRange`` takes *slot* out of the update graph.

    A range takes out the versions that it contains, unless their entry stays on purpose: an entry replaces it
    ("olm.channel schema" of the documentation). The caller has seen to it that *slot* is not the head::

        v1.2.0, skipRange <1.2.0, replaces v1.1.0      the head
        v1.1.0                                         stays: it is replaced
        v1.0.0                                         taken out by v1.2.0
    """
    package = columns.channel_package[columns.slot_channel[slot]]
    names = columns.scoped(package, columns.string(columns.bundle_name[columns.slot_bundle[slot]]))
    others = [listed_slot for listed_slot in slots if listed_slot != slot]
    if version is None or any(columns.slot_replaces[other] in names for other in others):
        return []
    slots_left = []
    for other in others:
        versions = skip_range(columns.string(columns.slot_range[other])) if columns.slot_range[other] else None
        if versions is not None and version in versions:
            slots_left.append(other)
    return slots_left
