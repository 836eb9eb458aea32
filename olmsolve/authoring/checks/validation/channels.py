"""One channel at a time: its entries, and the chain of replacements that leads through them.

The rules follow ``opm`` and differ from a resolver's (:mod:`olmsolve.catalog.update_graph`). The chain leads from the
head down along ``replaces`` and ends at the first skipped entry; every entry must be on the chain or skipped::

    v3 replaces v2, skips v1      head v3, chain v3 -> v2 -> v1 (skipped: the chain ends here)
    v2 replaces v1
    v1 replaces v0
    v0                            stranded: neither on the chain nor skipped
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.authoring.checks.findings import (
    Edit,
    FieldFix,
    Finding,
    Severity,
    error_finding,
    listed_names,
    path_steps,
    placed,
    shortened,
)
from olmsolve.authoring.checks.validation.blobs import CheckedBlob
from olmsolve.authoring.checks.validation.spelling import nearest
from olmsolve.catalog import Origin
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange

# `>=1.0.0 || || <2.0.0`: opm accepts it, Operator Lifecycle Manager does not.
_EMPTY_PARTS: Final = pattern(r"\|\|(?: +\|\|)+")
_MOST_COMPARED: Final = 100  # misspelt names of entries


class WrittenEntry(NamedTuple):
    """An entry of a channel as its blob has it; fields that it leaves out are empty."""

    name: str
    replaces: str
    skips: tuple[str, ...]
    skip_range: str
    position: int = 0
    """Its position in the list of entries."""


@attrs.frozen
class CheckedChannel:
    """A channel, its *entries* (names, with their positions in the list), and the findings on the channel alone."""

    name: str
    origin: Origin
    entries: Mapping[str, int]
    findings: tuple[Finding, ...]


def checked_channel(blob: CheckedBlob) -> CheckedChannel:
    """Check the channel in *blob*. No content makes this raise."""
    name = blob.value.get("name") or ""
    findings: list[Finding] = []
    entries: dict[str, WrittenEntry] = {}
    for index, element in enumerate(checked(blob.value.get("entries") or (), every=16)):
        entry = _entry(element or {}, index)
        if entry.name in entries:
            reason, path = "a second entry of this name", f"entries[{index}]"
            findings.append(error_finding("entry-duplicate", reason, "merge the two", bundle=entry.name, property=path))
            continue
        entries[entry.name] = entry
        if not entry.name:
            path = f"entries[{index}]"
            findings.append(error_finding("entry-name-missing", "the entry has no name", property=path))
        if entry.skips or entry.skip_range:
            findings.extend(_field_findings(entry, f"entries[{index}]"))
    if not entries:
        hint = "list its bundles as entries, or remove the channel"
        findings.append(error_finding("channel-empty", "the channel has no entries", hint))
    else:
        findings.extend(_chain_findings(entries))
    located = (placed(finding, blob.origin, package=blob.package, channel=name) for finding in findings)
    positions = {entry.name: entry.position for entry in entries.values()}
    return CheckedChannel(name, blob.origin, positions, tuple(located))


def _entry(element: dict[str, Any], position: int) -> WrittenEntry:
    get = element.get
    skips = get("skips")
    skipped = tuple([name or "" for name in skips]) if skips else ()
    return WrittenEntry(get("name") or "", get("replaces") or "", skipped, get("skipRange") or "", position)


def _field_findings(entry: WrittenEntry, path: str) -> Iterator[Finding]:
    for number, skipped in enumerate(entry.skips):
        if not skipped:
            location = {"bundle": entry.name, "property": f"{path}.skips[{number}]"}
            yield error_finding("skip-empty", "an empty name is skipped", "remove it", **location)
    text = entry.skip_range
    if not text:
        return
    path = f"{path}.skipRange"
    try:
        BlangRange.parse(text)
    except RangeError as error:
        if _is_range(_EMPTY_PARTS.sub("||", text)):
            reason = f"{shortened(text)!r} has nothing between two ||"
            hint = "opm accepts it, but Operator Lifecycle Manager crashes or skips nothing"
            yield Finding(Severity.WARNING, "skip-range-empty-part", reason, hint, bundle=entry.name, property=path)
            return
        reason = f"{shortened(text)!r} is not a version range: {shortened(error.reason)}"
        hint = "separate comparisons with spaces: >=1.0.0 <1.2.0"
        yield error_finding("skip-range-invalid", reason, hint, bundle=entry.name, property=path)


def _is_range(text: str) -> bool:
    try:
        BlangRange.parse(text)
    except RangeError:
        return False
    return True


def _misspelt_references(entries: Mapping[str, WrittenEntry], heads: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield path, name and meant name of what ``replaces`` and ``skips`` name, is no entry, and is nearly a head."""
    for entry in checked(entries.values(), every=16):
        named = [("replaces", entry.replaces)] if entry.replaces else []
        named += [(f"skips[{index}]", skipped) for index, skipped in enumerate(entry.skips)]
        for field, name in named:
            others = [head for head in heads if head != entry.name]
            meant = nearest(name, others) if name not in entries else ""
            if meant:
                yield f"entries[{entry.position}].{field}", name, meant


def _chain_findings(entries: Mapping[str, WrittenEntry]) -> Iterator[Finding]:
    """Check that the channel has one head, whose chain leads without a circle through all entries not skipped."""
    skipped = {name for entry in entries.values() if entry.skips for name in entry.skips}
    followed = {entry.replaces for entry in entries.values() if entry.replaces} | skipped
    heads = sorted(name for name in entries if name not in followed)
    if not heads:
        reason = "the channel has no head: each entry is replaced or skipped by another, or by itself"
        yield error_finding("channel-heads", reason, "the newest entry must not be named by replaces or skips")
        return
    if len(heads) > 1:
        reason = f"the channel has {len(heads)} heads: {listed_names(heads)}"
        misspelt = list(_misspelt_references(entries, heads))
        if misspelt:
            path, _, name = misspelt[0]
            fixes = [FieldFix(Edit.SET, path_steps(steps), meant) for steps, _, meant in misspelt]
            yield error_finding("channel-heads", reason, f"did you mean {shortened(name)}?", property=path, fixes=fixes)
            return
        yield error_finding("channel-heads", reason, "all but the newest must be replaced or skipped by another entry")
        return
    chain = [heads[0]]
    reached = set(chain)
    entry: WrittenEntry | None = entries[heads[0]]
    while entry is not None:
        following = entry.replaces
        if following in reached:
            around = [*chain[chain.index(following) :], following]
            reason = f"its entries replace each other in a circle: {listed_names(around, ' -> ')}"
            yield error_finding("channel-cycle", reason, "an entry replaces an older one")
            return
        reached.add(following)
        chain.append(following)
        # As recorded of opm validate: the walk along `replaces` stops at a skipped entry, so that entries below it are
        # stranded.
        entry = None if following in skipped else entries.get(following)
    stranded = sorted(entries.keys() - reached - skipped)
    if stranded:
        reason = f"no way leads from {listed_names(stranded)} to the head {heads[0]}"
        hint = "let the head, or an entry that it leads to, replace or skip them; a chain ends at a skipped entry"
        yield error_finding("channel-stranded", reason, hint)


def misspelt_entries(channels: Mapping[str, CheckedChannel], bundles: Collection[str]) -> dict[str, str]:
    """Map the entries without a bundle to the bundles without an entry, where their names are nearly equal.

    >>> from olmsolve.catalog import Origin
    >>> misspelt_entries({"c": CheckedChannel("c", Origin("f"), {"p.v1.0.O": 0}, ())}, ["p.v1.0.0"])
    {'p.v1.0.O': 'p.v1.0.0'}
    """
    listed = {name for channel in channels.values() for name in channel.entries}
    homeless = sorted(name for name in bundles if name and name not in listed)
    empty = sorted(name for name in listed if name and name not in bundles)
    if not homeless or not empty or len(empty) > _MOST_COMPARED:
        return {}
    corrections = {name: nearest(name, homeless) for name in empty}
    values = list(corrections.values())
    # Where two entries are near one bundle, it is unclear which of them is meant.
    return {entry: bundle for entry, bundle in corrections.items() if bundle and values.count(bundle) == 1}


def on_misspelt_entry(package: str, channels: Mapping[str, CheckedChannel], entry: str, bundle: str) -> Finding:
    """Return the finding on *bundle*, which all *channels* that have it call *entry*."""
    having = [channel for _, channel in sorted(channels.items()) if entry in channel.entries]
    index = having[0].entries[entry]
    fixes = [
        FieldFix(Edit.SET, path_steps(f"entries[{channel.entries[entry]}].name"), bundle, channel.origin)
        for channel in having
    ]
    reason = f"the bundle is in no channel, but the entry {shortened(entry)!r} has no bundle"
    location: dict[str, Any] = {"package": package, "channel": having[0].name, "bundle": bundle}
    location |= {"property": f"entries[{index}].name", "origin": having[0].origin, "fixes": tuple(fixes)}
    return error_finding("bundle-without-channel", reason, f"did you mean {shortened(bundle)}?", **location)
