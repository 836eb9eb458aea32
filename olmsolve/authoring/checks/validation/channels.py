"""One channel at a time: its entries, and the way that updates take through them.

The rules are those of ``opm``. They differ from a resolver's (:mod:`olmsolve.catalog.update_graph`): a chain ends at
the first skipped entry, and every entry must be on the chain or skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.checks.validation.blobs import CheckedBlob
from olmsolve.authoring.checks.validation.field_types import field
from olmsolve.catalog import Origin
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange

__all__ = ["CheckedChannel", "checked_channel"]

_EMPTY_PARTS: Final = re.compile(r"\|\|(?: +\|\|)+")
_SHOWN: Final = 10


@attrs.frozen
class WrittenEntry:
    """An entry of a channel; empty where it says nothing."""

    name: str
    replaces: str
    skips: tuple[str, ...]
    skip_range: str


@attrs.frozen
class CheckedChannel:
    """A channel, the names of its entries, and what is wrong with it alone."""

    name: str
    origin: Origin
    entries: tuple[str, ...]
    findings: tuple[Finding, ...]


def checked_channel(blob: CheckedBlob) -> CheckedChannel:
    """Check the channel that *blob* is. Never raises for what it holds."""
    name = field(blob.value, "name") or ""
    found: list[Finding] = []
    entries: dict[str, WrittenEntry] = {}
    for index, item in enumerate(field(blob.value, "entries") or ()):
        entry = _entry(item or {})
        place = f"entries[{index}]"
        if entry.name in entries:
            reason = "a second entry of this name"
            found.append(_error("entry-duplicate", reason, "merge the two", bundle=entry.name, where=place))
            continue
        entries[entry.name] = entry
        if not entry.name:
            found.append(_error("entry-name-missing", "the entry has no name", where=place))
        found.extend(_fields(entry, place))
    if not entries:
        hint = "list its bundles as entries, or remove the channel"
        found.append(_error("channel-empty", "the channel has no entries", hint))
    else:
        found.extend(_chain(entries))
    placed = (attrs.evolve(finding, package=blob.package, channel=name, origin=blob.origin) for finding in found)
    return CheckedChannel(name, blob.origin, tuple(entries), tuple(placed))


def _entry(item: dict[str, Any]) -> WrittenEntry:
    return WrittenEntry(
        field(item, "name") or "",
        field(item, "replaces") or "",
        tuple(skipped or "" for skipped in field(item, "skips") or ()),
        field(item, "skipRange") or "",
    )


def _fields(entry: WrittenEntry, place: str) -> Iterator[Finding]:
    for number, skipped in enumerate(entry.skips):
        if not skipped:
            where = f"{place}.skips[{number}]"
            yield _error("skip-empty", "an empty name is skipped", "remove it", entry.name, where)
    text = entry.skip_range
    if not text:
        return
    where = f"{place}.skipRange"
    try:
        BlangRange.parse(text)
    except RangeError as error:
        if _is_range(_EMPTY_PARTS.sub("||", text)):
            reason = f"{shortened(text)!r} has nothing between two ||"
            hint = "opm accepts it, but Operator Lifecycle Manager crashes or skips nothing"
            yield Finding(Severity.WARNING, "skip-range-empty-part", reason, hint, bundle=entry.name, property=where)
            return
        reason = f"{shortened(text)!r} is no version range: {shortened(error.reason)}"
        hint = "comparisons stand between spaces: >=1.0.0 <1.2.0"
        yield _error("skip-range-invalid", reason, hint, entry.name, where)


def _is_range(text: str) -> bool:
    try:
        BlangRange.parse(text)
    except RangeError:
        return False
    return True


def _chain(entries: Mapping[str, WrittenEntry]) -> Iterator[Finding]:
    """Whether one chain of replacements leads through all that is not skipped."""
    skipped = {name for entry in entries.values() for name in entry.skips}
    followed = {entry.replaces for entry in entries.values() if entry.replaces} | skipped
    heads = sorted(name for name in entries if name not in followed)
    if not heads:
        reason = "the channel has no head: each entry is replaced or skipped by another, or by itself"
        yield _error("channel-heads", reason, "the newest entry must not be named by replaces or skips")
        return
    if len(heads) > 1:
        reason = f"the channel has {len(heads)} heads: {_listed(heads)}"
        yield _error("channel-heads", reason, "all but the newest must be replaced or skipped by another entry")
        return
    chain = [heads[0]]
    reached = set(chain)
    entry: WrittenEntry | None = entries[heads[0]]
    while entry is not None:
        following = entry.replaces
        if following in reached:
            around = [*chain[chain.index(following) :], following]
            reason = f"its entries replace each other in a circle: {_listed(around, ' -> ')}"
            yield _error("channel-cycle", reason, "an entry replaces an older one")
            return
        reached.add(following)
        chain.append(following)
        entry = None if following in skipped else entries.get(following)
    stranded = sorted(entries.keys() - reached - skipped)
    if stranded:
        reason = f"no way leads from {_listed(stranded)} to the head {heads[0]}"
        hint = "let the head or what it leads to replace or skip them; a way ends where it reaches a skipped entry"
        yield _error("channel-stranded", reason, hint)


def _listed(names: list[str], separator: str = ", ") -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return separator.join(map(shortened, names[:_SHOWN])) + more


def _error(code: str, message: str, hint: str = "", bundle: str = "", where: str = "") -> Finding:
    return Finding(Severity.ERROR, code, message, hint, bundle=bundle, property=where)
