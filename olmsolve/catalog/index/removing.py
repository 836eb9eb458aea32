"""Entries that a ``skipRange`` takes out of the update graph of their channel, as OLM's documentation has it."""

from __future__ import annotations

from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.update_graph import skip_range
from olmsolve.semver import Version


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
    others = [each for each in slots if each != slot]
    if version is None or any(columns.slot_replaces[each] in names for each in others):
        return []
    found = []
    for each in others:
        versions = skip_range(columns.string(columns.slot_range[each])) if columns.slot_range[each] else None
        if versions is not None and version in versions:
            found.append(each)
    return found
