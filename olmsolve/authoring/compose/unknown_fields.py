"""Fields of entries that the model does not know, and that move with the entries from blob to blob.

A channel or ``olm.deprecations`` blob that was read remembers how it was written (:data:`olmsolve.catalog.Written`),
so that writing it again loses nothing. The writer looks an entry up there: a channel's entry by its name, a
deprecation by its reference. So an entry that moves to another blob needs its text there::

    {"name": "a.v2", "replaces": "a.v1", "owner": "team-a"}     "owner" is in the text alone
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.catalog import Blob, Channel, ChannelEntry, Written
from olmsolve.predicates import JsonObject, encoded


def with_entries(channel: Channel, entries: Iterable[ChannelEntry], source: Channel) -> Channel:
    """Return *channel* with *entries*; the new ones among them keep the text that they have in *source*."""
    present = {entry.name for entry in channel.entries}
    coming = _elements(source.written, lambda element: (element.get("name") or "") not in present)
    original = channel.written
    if coming:
        fields = original.decoded() if isinstance(original, JsonObject) else _plain(channel)
        original = JsonObject(encoded(fields | {"entries": [*(fields.get("entries") or ()), *coming]}))
    return evolve(channel, entries=tuple(entries), _written=original)


def joined_deprecations(one: Blob | None, other: Blob | None) -> Blob | None:
    """Return the blob *one*, with the further entries and fields of *other* as they were written."""
    if one is None or other is None:
        return one or other
    fields = one.value.decoded() if isinstance(one.value, JsonObject) else dict(one.value)
    present = {_reference(element) for element in fields.get("entries") or ()}
    other_document = other.value if isinstance(other.value, JsonObject) else None
    coming = _elements(other_document, lambda element: _reference(element) not in present)
    beside = {
        key: value for key, value in (other.value if other_document is not None else {}).items() if key not in fields
    }
    if not coming and not beside:
        return one
    joined = fields | beside | {"entries": [*(fields.get("entries") or ()), *coming]}
    return attrs.evolve(one, value=JsonObject(encoded(joined)))


def _elements(original: Written, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    if not isinstance(original, JsonObject):
        return []
    return [element for element in original.decoded().get("entries") or () if wanted(element)]


def _reference(element: dict[str, Any]) -> tuple[str, str]:
    reference = element.get("reference") or {}
    return reference.get("schema") or "", reference.get("name") or ""


def _plain(channel: Channel) -> dict[str, Any]:
    """Return the blob of a channel without unknown fields: it says the order of fields, and which ones are empty."""
    empty = {"schema": "olm.channel", "name": channel.name, "package": channel.package, "entries": []}
    layout = channel.written if isinstance(channel.written, tuple) else tuple(empty)
    beside: dict[str, Any] = {"properties": [], **channel.extra}
    return {key: empty.get(key, beside.get(key)) for key in layout}
