"""The entries of channels: which of them stay in a channel with fewer, and what moves with them to another blob.

In a valid channel (:mod:`olmsolve.authoring.checks.validation.channels`), the *chain* leads from the head down along
``replaces`` to the first skipped entry, and every other entry is skipped. A thinned channel is still valid and offers
no update that its author did not offer, by these rules:

1. Entries on the chain between two entries that stay, stay too. Without them, an update would have to jump.
2. A wanted entry beside the chain stays if an entry that stays skips it: there is no other way up from it.
3. If no entry of the chain is wanted, the wanted entry with the highest version becomes the head.
4. Edges from entries that go stay written, so that clusters with such a bundle still get an update. Only edges that
   would lead down from the new head go.

With the chain v4 -> v3 -> v2 -> v1, v3 skipping x and v1 skipping y, and v3, v1, x and y wanted::

    v3, v2 and v1 stay (rule 1); x and y stay, because v3 and v1 skip them (rule 2); v4 goes, v3 is the head

Entries may have fields that the model does not know. A channel or ``olm.deprecations`` blob that was read remembers how
it was written (:data:`olmsolve.catalog.Written`), so that writing it again loses nothing. The writer looks an entry up
there: a channel's entry by its name, a deprecation by its reference. So an entry that moves to another blob needs its
text there::

    {"name": "a.v2", "replaces": "a.v1", "owner": "team-a"}     "owner" is in the text alone
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import Any

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.catalog import Blob, Channel, ChannelEntry, Deprecation, Package, Written
from olmsolve.predicates import JsonObject, encoded


def lasting_deprecations(
    package: Package, channels: Container[str], bundles: Container[str]
) -> tuple[Deprecation, ...]:
    """Return the deprecations of *package* where only *channels* and *bundles* of it stay.

    A deprecation of something that *package* never had stays, as its author wrote it.
    """
    leaving = {("olm.channel", name) for name in package.channels if name not in channels}
    leaving |= {("olm.bundle", name) for name in package.bundles if name not in bundles}
    return tuple(item for item in package.deprecations if (item.schema, item.name) not in leaving)


def chain_of(entries: Mapping[str, ChannelEntry]) -> list[str]:
    """Return the names on the chain, from the head down; nothing unless there is exactly one head."""
    skipped = {name for entry in entries.values() for name in entry.skips}
    followed = {entry.replaces for entry in entries.values()} | skipped
    heads = [name for name in entries if name not in followed]
    if len(heads) != 1:
        return []
    chain: dict[str, None] = {}
    name = heads[0]
    while name in entries and name not in chain:
        chain[name] = None
        if name in skipped:
            break
        name = entries[name].replaces
    return list(chain)


def thinned(
    entries: Sequence[ChannelEntry], wanted: Collection[str], version_key: Callable[[str], Any]
) -> tuple[ChannelEntry, ...]:
    """Return the entries that stay if *wanted* are to stay, by the rules of this module; nothing if none exists.

    The entries keep their order. *version_key* is a sort key of names: the higher the version, the greater the key. The
    result is a valid channel if *entries* are.
    """
    by_name = {entry.name: entry for entry in entries}
    if all(name in wanted for name in by_name):
        return tuple(entries)
    chain = chain_of(by_name)
    positions = [position for position, name in enumerate(chain) if name in wanted]
    if positions:
        kept = chain[positions[0] : positions[-1] + 1]
    else:
        beside = [name for name in by_name if name in wanted]
        if not beside:
            return ()
        # Nothing on the chain is wanted: the highest of the others becomes a chain of its own.
        kept = [max(beside, key=version_key)]
    head = kept[0]
    below = {name for name in wanted if name in by_name} - set(chain)
    staying = set(kept)
    waiting = list(kept)
    while waiting:
        for name in by_name[waiting.pop()].skips:
            if name in below and name not in staying:
                staying.add(name)
                waiting.append(name)
    # The chain ends at its first skipped entry. If the entry that skipped it went, the chain would lead on along
    # `replaces` to an entry beside the chain: that `replaces` becomes a `skips`.
    end = by_name[kept[-1]]
    still_skipped = kept[-1] != head and any(kept[-1] in by_name[name].skips for name in staying)
    if end.replaces in staying and not still_skipped:
        beside_it = () if end.replaces in kept or end.replaces in end.skips else (end.replaces,)
        by_name[end.name] = attrs.evolve(end, replaces="", skips=(*end.skips, *beside_it))
    return tuple(_upward(entry, head) for name, entry in by_name.items() if name in staying)


def _upward(entry: ChannelEntry, head: str) -> ChannelEntry:
    """Return *entry* without edges that lead down from the *head*."""
    if entry.replaces != head and head not in entry.skips:
        return entry
    replaces = "" if entry.replaces == head else entry.replaces
    return attrs.evolve(entry, replaces=replaces, skips=tuple(name for name in entry.skips if name != head))


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
