"""What is written beside the model comes along: fields of entries that only whoever wrote them has a use for.

A channel or ``olm.deprecations`` blob that was read remembers how it was written
(:data:`olmsolve.catalog.Written`), and entries are found there by what they are about. So an entry that moves needs
its text in the blob that it moves to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs

from olmsolve.catalog import Blob, Channel, ChannelEntry, Written
from olmsolve.predicates import JsonObject, encoded

__all__ = ["joined_deprecations", "with_entries"]


def with_entries(channel: Channel, entries: Iterable[ChannelEntry], source: Channel) -> Channel:
    """*channel* with *entries*, of which those that it did not have are as they were written in *source*."""
    known = {entry.name for entry in channel.entries}
    coming = _elements(source.written, lambda element: (element.get("name") or "") not in known)
    written = channel.written
    if coming:
        own = written.decoded() if isinstance(written, JsonObject) else _plain(channel)
        written = JsonObject(encoded(own | {"entries": [*(own.get("entries") or ()), *coming]}))
    return attrs.evolve(channel, entries=tuple(entries), written=written)


def joined_deprecations(one: Blob | None, other: Blob | None) -> Blob | None:
    """The blob *one* that also remembers how *other* was written."""
    if one is None or other is None:
        return one or other
    own = one.value.decoded() if isinstance(one.value, JsonObject) else dict(one.value)
    known = {_about(element) for element in own.get("entries") or ()}
    written = other.value if isinstance(other.value, JsonObject) else None
    coming = _elements(written, lambda element: _about(element) not in known)
    beside = {key: value for key, value in (other.value if written is not None else {}).items() if key not in own}
    if not coming and not beside:
        return one
    joined = own | beside | {"entries": [*(own.get("entries") or ()), *coming]}
    return attrs.evolve(one, value=JsonObject(encoded(joined)))


def _elements(written: Written, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    if not isinstance(written, JsonObject):
        return []
    return [element for element in written.decoded().get("entries") or () if wanted(element)]


def _about(element: dict[str, Any]) -> tuple[str, str]:
    reference = element.get("reference") or {}
    return reference.get("schema") or "", reference.get("name") or ""


def _plain(channel: Channel) -> dict[str, Any]:
    """The blob of a channel of which the model says all: for the order of fields, and for what is empty in it."""
    empty = {"schema": "olm.channel", "name": channel.name, "package": channel.package, "entries": []}
    layout = channel.written if isinstance(channel.written, tuple) else tuple(empty)
    beside: dict[str, Any] = {"properties": [], **channel.extra}
    return {key: empty.get(key, beside.get(key)) for key in layout}
