"""Differences of catalogs: changed objects and edges, and the changed next upgrades of installed bundles."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias, TypeVar

from olmsolve import _records
from olmsolve._limits import checked
from olmsolve._records import Record, record
from olmsolve.authoring.upgrades import GENERATIONS, Generation, PackageUpgrades, UpdateSource, update_sources
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package

T = TypeVar("T")

ChangeType: TypeAlias = Literal["added", "removed", "changed"]

_FIELDS: Final = {"name": "name", "replaces": "replaces", "skips": "skips", "skip_range": "skipRange"}


# One of the fields is called field.
@record
class CatalogChange(Record):
    """An object or field that was added, removed or changed.

    An object that was removed may be described in *before*, one that was added in *after*: "2 channels, 5 bundles".
    """

    what: ChangeType = _records.field("Whether the object was added, removed or changed.")
    kind: str = _records.field(
        "The kind of the object.",
        schema={"enum": ["package", "default", "field", "channel", "entry", "bundle", "deprecation", "blob"]},
    )
    package: str = _records.field("Its package.")
    name: str = _records.field("The name of the object, inside its package and channel.")
    channel: str = _records.field("The channel of the object, if it is in one.", empty="absent", default="")
    field: str = _records.field("The field that changed.", empty="absent", default="")
    before: str = _records.field("The old text of the field.", empty="absent", default="")
    after: str = _records.field("The new text of the field.", empty="absent", default="")


@record
class UpgradeChange(Record):
    """The next upgrade of bundles in a channel that changed."""

    package: str = _records.field("The package.")
    channel: str = _records.field("The channel.")
    generation: Generation = _records.field("Whose update edges count: OLM classic's or OLM v1's.")
    installed: tuple[str, ...] = _records.field("The installed bundles, from the lowest version up.")
    before: str = _records.field("The bundle that they were upgraded to next, before; null for none.", empty="null")
    after: str = _records.field("The bundle that they are upgraded to next, afterwards; null for none.", empty="null")
    is_gone: bool = _records.field("Whether the channel or its package no longer exists.", default=False)


@record
class StrandedUsers(Record):
    """The users of a bundle whom updates no longer reach: what they have installed stays as it is.

    The bundle is gone; or it *is_kept* in other channels, from which clusters get no update in *channels*.
    """

    package: str = _records.field("The package.")
    bundle: str = _records.field("The bundle, which the catalog no longer has, or has only in other channels.")
    channels: tuple[str, ...] = _records.field("The channels in which no update reaches the users, by name.")
    generation: Generation = _records.field("Whose update edges count: OLM classic's or OLM v1's.")
    is_gone: bool = _records.field("Whether these channels no longer exist.", default=False)
    is_kept: bool = _records.field("Whether the catalog has the bundle, in other channels.", default=False)


@record(
    definition="olmsolve.catalog.diff",
    title="What differs between two catalogs",
    about="docs/compose.md gives the meaning of the fields.",
)
class CatalogDiff(Record):
    """The differences of two catalogs; false for equal catalogs.

    *changes* are sorted by package, then in the order default, fields, channels with their entries, bundles,
    deprecations; blobs of other schemas come last. *upgrades* are sorted by package, channel and generation, then from
    the lowest version up. *stranded* are sorted by package, then from the lowest version up; packages
    that are gone as a whole are not among them.
    """

    changes: tuple[CatalogChange, ...] = _records.field("The changes, by package.")
    upgrades: tuple[UpgradeChange, ...] = _records.field("The next upgrades of installed bundles that change.")
    stranded: tuple[StrandedUsers, ...] = _records.field(
        "The bundles, removed or of other channels, whose users no update reaches.", empty="absent", default=()
    )

    def __bool__(self) -> bool:
        return bool(self.changes or self.upgrades)

    @property
    def republished(self) -> tuple[CatalogChange, ...]:
        """The changes of bundles that both catalogs have: published bundles should not change."""
        return tuple(change for change in self.changes if change.kind == "bundle" and change.what == "changed")

    @property
    def withdrawn(self) -> tuple[CatalogChange, ...]:
        """The removed bundles, and removed packages with all their bundles: clusters may have them installed."""
        return tuple(
            change for change in self.changes if change.kind in ("bundle", "package") and change.what == "removed"
        )


def diff_catalogs(old: Catalog, new: Catalog) -> CatalogDiff:
    """Return the changes from *old* to *new*, and the changed next upgrades of the bundles of *old*, by channel.

    Bundles are compared by content. Locations in files do not count, nor does the order of properties or of skipped
    names. Installed bundles with equal changes that are neighbours in the order of versions are one upgrade change.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> after = olmsolve.set_default_channel(orchard, "storefront", "1.x")
    >>> [change.package for change in olmsolve.diff_catalogs(orchard, after).changes]
    ['storefront']
    """
    changes: list[CatalogChange] = []
    upgrades: list[UpgradeChange] = []
    stranded: list[StrandedUsers] = []
    for name, before, after in checked(_pairs(old.packages, new.packages)):
        # Catalogs made from one another share packages; equal ones are not compared field by field.
        if before is after:
            continue
        changes += _changes(name, before, after)
        if before is not None and (after is None or before != after):
            upgrades += _upgrades(before, after)
        if before is not None and after is not None:
            stranded += _stranded(before, after)
    return CatalogDiff((*changes, *_other_blob_changes(old, new)), tuple(upgrades), tuple(stranded))


def _pairs(before: Mapping[Any, T], after: Mapping[Any, T]) -> Iterator[tuple[Any, T | None, T | None]]:
    """Yield each key of *before* and *after*, sorted, with its two values."""
    for key in sorted({*before, *after}):
        yield key, before.get(key), after.get(key)


def _whole(
    kind: str, package: str, name: str, channel: str, before: T | None, after: T | None, describe: Callable[[T], str]
) -> CatalogChange:
    """Return the change of an object that was added or removed: *before* or *after* is None."""
    if after is None:
        assert before is not None
        return CatalogChange("removed", kind, package, name, channel, before=describe(before))
    return CatalogChange("added", kind, package, name, channel, after=describe(after))


def _changes(name: str, before: Package | None, after: Package | None) -> Iterator[CatalogChange]:
    if before is None or after is None:
        yield _whole("package", name, name, "", before, after, _counted)
        return
    if before.default_channel != after.default_channel:
        yield CatalogChange("changed", "default", name, name, "", "", before.default_channel, after.default_channel)
    if before.description != after.description:
        yield _field(name, name, "", "description", before.description, after.description)
    for field, one, other in _changed_extras(before.extra, after.extra):
        yield _field(name, name, "", field, one, other)
    yield from _channels(name, before.channels, after.channels)
    yield from _bundles(name, before.bundles, after.bundles)
    yield from _deprecations(name, before, after)


def _counted(package: Package) -> str:
    return ", ".join((_plural(len(package.channels), "channel"), _plural(len(package.bundles), "bundle")))


def _plural(count: int, noun: str) -> str:
    plural = "entries" if noun == "entry" else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def _field(package: str, name: str, channel: str, field: str, before: Any, after: Any) -> CatalogChange:
    what: ChangeType = "changed" if before and after else "added" if after else "removed"
    return CatalogChange(what, "field", package, name, channel, field, _text(before), _text(after))


# A description or an icon may have megabytes, and the difference is reported in one line.
def _text(value: Any, longest: int = 200) -> str:
    if not value:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= longest else f"{text[:longest]}..."


def _changed_extras(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(field, one, other) for field, one, other in _pairs(before, after) if one != other]


def _channels(package: str, before: Mapping[str, Channel], after: Mapping[str, Channel]) -> Iterator[CatalogChange]:
    for name, one, other in checked(_pairs(before, after)):
        if one is None or other is None:
            yield _whole(
                "channel", package, name, name, one, other, lambda channel: _plural(len(channel.entries), "entry")
            )
        elif one != other:
            yield from _entries(package, name, one.entries, other.entries)
            if _properties(one) != _properties(other):
                yield CatalogChange("changed", "field", package, name, name, "properties")
            for field, was, is_ in _changed_extras(one.extra, other.extra):
                yield _field(package, name, name, field, was, is_)


def _entries(
    package: str, channel: str, before: Iterable[ChannelEntry], after: Iterable[ChannelEntry]
) -> Iterator[CatalogChange]:
    was, are = {entry.name: entry for entry in before}, {entry.name: entry for entry in after}
    for name, one, other in checked(_pairs(was, are), every=16):
        if one is None or other is None:
            yield _whole("entry", package, name, channel, one, other, _edges)
        elif one != other:
            for field, document_field in _FIELDS.items():
                first, second = getattr(one, field), getattr(other, field)
                if field == "skips":
                    # The order of skipped names has no meaning.
                    first, second = ", ".join(sorted(set(first))), ", ".join(sorted(set(second)))
                if first != second:
                    yield CatalogChange("changed", "entry", package, name, channel, document_field, first, second)


def _edges(entry: ChannelEntry) -> str:
    parts = [
        f"replaces {entry.replaces}" if entry.replaces else "",
        f"skips {', '.join(sorted(set(entry.skips)))}" if entry.skips else "",
        f"skipRange {entry.skip_range}" if entry.skip_range else "",
    ]
    return "; ".join(filter(None, parts))


def _bundles(package: str, before: Mapping[str, Bundle], after: Mapping[str, Bundle]) -> Iterator[CatalogChange]:
    for name, one, other in checked(_pairs(before, after), every=16):
        if one is None or other is None:
            yield _whole("bundle", package, name, "", one, other, lambda bundle: bundle.image)
        elif one != other:
            if one.image != other.image:
                yield CatalogChange("changed", "bundle", package, name, "", "image", one.image, other.image)
            for type_ in _changed_types(one, other):
                yield CatalogChange("changed", "bundle", package, name, "", f"properties of type {type_}")
            for field, _, _ in _changed_extras(one.extra, other.extra):
                yield CatalogChange("changed", "bundle", package, name, "", field)


def _properties(holder: Bundle | Channel) -> list[tuple[str, str]]:
    """Return the properties, sorted: their order in a document has no meaning."""
    return sorted((property_.type, json.dumps(property_.value, sort_keys=True)) for property_ in holder.properties)


def _changed_types(one: Bundle, other: Bundle) -> list[str]:
    if one.properties == other.properties:
        return []
    was, are = _properties(one), _properties(other)
    if was == are:
        return []
    types = {type_ for type_, _ in (*was, *are)}
    return sorted(type_ for type_ in types if [p for p in was if p[0] == type_] != [p for p in are if p[0] == type_])


def _deprecations(package: str, before: Package, after: Package) -> Iterator[CatalogChange]:
    was = {(deprecation.schema, deprecation.name): deprecation.message for deprecation in before.deprecations}
    are = {(deprecation.schema, deprecation.name): deprecation.message for deprecation in after.deprecations}
    for (schema, name), one, other in _pairs(was, are):
        if one != other:
            what: ChangeType = "added" if one is None else "removed" if other is None else "changed"
            yield CatalogChange(what, "deprecation", package, name or package, "", schema, one or "", other or "")


def _other_blob_changes(old: Catalog, new: Catalog) -> Iterator[CatalogChange]:
    # Blobs of other schemas may be repeated, so their numbers are compared.
    def counted(catalog: Catalog) -> Counter[tuple[str, str, str, str]]:
        values = ((blob.schema, dict(blob.value)) for blob in catalog.others)
        return Counter(
            (str(value.get("package", "")), schema, str(value.get("name", "")), json.dumps(value, sort_keys=True))
            for schema, value in values
        )

    was, are = counted(old), counted(new)
    for key in sorted({*was, *are}):
        for _ in range(abs(was[key] - are[key])):
            yield CatalogChange("added" if are[key] > was[key] else "removed", "blob", key[0], key[2], "", key[1])


def _upgrades(before: Package, after: Package | None) -> Iterator[UpgradeChange]:
    was = PackageUpgrades(before)
    are = PackageUpgrades(after) if after is not None else None
    sources = update_sources(before)
    for name, channel in sorted(before.channels.items()):
        is_gone = after is None or name not in after.channels
        listed = {entry.name for entry in channel.entries}
        bundles = [source for source in sources if source.name in listed]
        for generation in GENERATIONS:
            pairs = []
            for bundle in checked(bundles, every=8):
                next_ = "" if is_gone or are is None else are.following(generation, name, bundle)
                pairs.append((bundle, was.following(generation, name, bundle), next_))
            yield from _runs(before.name, name, generation, pairs, is_gone=is_gone)


def _stranded(before: Package, after: Package) -> Iterator[StrandedUsers]:
    removed = [update_source for update_source in update_sources(before) if update_source.name not in after.bundles]
    are = PackageUpgrades(after)
    for bundle in checked(removed):
        had = [
            name
            for name, channel in sorted(before.channels.items())
            if any(entry.name == bundle.name for entry in channel.entries)
        ]
        for generation in GENERATIONS:
            gone = tuple(name for name in had if name not in after.channels)
            stranded = tuple(name for name in had if name not in gone and not are.following(generation, name, bundle))
            if gone:
                yield StrandedUsers(before.name, bundle.name, gone, generation, is_gone=True)
            if stranded:
                yield StrandedUsers(before.name, bundle.name, stranded, generation)
    yield from _cut_off(before, after, are)


def _cut_off(before: Package, after: Package, are: PackageUpgrades) -> Iterator[StrandedUsers]:
    """Yield the bundles that had an update into a channel without being in it, and have lost this update.

    For example, the first entry of a channel is removed, and no update leads from the channel before to this one::

        1.x: v1.4.1    2.x: v2.0.0 replaces v1.4.1, v2.1.0 replaces v2.0.0    without v2.0.0, v1.4.1 stays for ever
    """
    was = PackageUpgrades(before)
    listed = {name: {entry.name for entry in channel.entries} for name, channel in before.channels.items()}
    for source in checked(update_sources(before)):
        others = [name for name in sorted(before.channels.keys() & after.channels) if source.name not in listed[name]]
        if source.name not in after.bundles or not others:
            continue
        for generation in GENERATIONS:
            lost = tuple(
                name
                for name in others
                if was.following(generation, name, source) and not are.following(generation, name, source)
            )
            if lost:
                yield StrandedUsers(before.name, source.name, lost, generation, is_kept=True)


def _runs(
    package: str, channel: str, generation: Generation, pairs: Iterable[tuple[UpdateSource, str, str]], *, is_gone: bool
) -> Iterator[UpgradeChange]:
    """Merge neighbours with equal changes; in a channel that is gone, all bundles have the same change: no upgrade.

    *pairs* are bundles in order of versions, with their next upgrades before and after.
    """
    run: list[str] = []
    change: tuple[str, str] | None = None
    for entry, before, after in pairs:
        now = ("", "") if is_gone else (before, after) if before != after else None
        if now != change and run:
            assert change is not None
            yield UpgradeChange(package, channel, generation, tuple(run), *change, is_gone=is_gone)
            run = []
        change = now
        if now is not None:
            run.append(entry.name)
    if run and change is not None:
        yield UpgradeChange(package, channel, generation, tuple(run), *change, is_gone=is_gone)
