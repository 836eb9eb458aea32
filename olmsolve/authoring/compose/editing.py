"""Edits: add or promote bundles, set edges or a default channel, deprecate a package, channel or bundle.

An edit that would make a valid catalog invalid is refused, with the first fault that the catalog would have.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_text_or_none, must_be
from olmsolve.authoring.compose.entries import chain_of, with_entries
from olmsolve.authoring.compose.refusals import (
    channel_of,
    entry_of,
    package_of,
    refuse,
    refuse_bundle,
    refuse_new_faults,
)
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Package
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.predicates import published
from olmsolve.semver import Key, reading_by

_SKIP_RANGE: Final = "olm.skipRange"


def _tuple_or_none(names: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if names is None else every(names, str, "skips")


@attrs.frozen
class EntryEdges:
    """The update edges of an entry: the bundle that it *replaces*, the bundles that it *skips*, and its *skip_range*.

    None leaves a field as it is, and "" or () leaves it empty.
    """

    replaces: str | None = attrs.field(default=None, validator=is_text_or_none)
    skips: tuple[str, ...] | None = attrs.field(default=None, converter=_tuple_or_none)
    skip_range: str | None = attrs.field(default=None, validator=is_text_or_none)

    def on(self, entry: ChannelEntry) -> ChannelEntry:
        """Return *entry* with these edges."""
        given = {name: value for name, value in attrs.asdict(self).items() if value is not None}
        return attrs.evolve(entry, **given)

    def over(self, other: EntryEdges) -> EntryEdges:
        """Return these edges, with the edges of *other* for fields that are None here."""
        return EntryEdges(
            other.replaces if self.replaces is None else self.replaces,
            other.skips if self.skips is None else self.skips,
            other.skip_range if self.skip_range is None else self.skip_range,
        )


@attrs.frozen
class Addition:
    """A *bundle* that comes into *channel*, with its edges there; the entries *skipped_by* skip it from then on."""

    bundle: Bundle
    channel: str
    edges: EntryEdges = EntryEdges()
    skipped_by: tuple[str, ...] = attrs.field(default=(), converter=tuple[str, ...])


def add_bundle(
    catalog: Catalog,
    bundle: Bundle,
    channel: str,
    *,
    replaces: str = "",
    skips: Iterable[str] = (),
    skip_range: str = "",
    skipped_by: Iterable[str] = (),
) -> Catalog:
    """Return *catalog* with *bundle* as an entry of *channel* in its package.

    The entries *skipped_by* of the channel skip the new one from then on. So a patch release of an older minor version
    comes in: the head stays the only head, and whoever has the patch installed is updated to it::

        v4.1 <- v4.2                           add v4.1.1, replaces v4.1, skipped by v4.2:
        v4.1 <- v4.1.1, v4.1 <- v4.2 skips v4.1.1

    The channel is made if it does not exist. So is the package, with *channel* as its default. The bundle may be in the
    catalog already, in other channels.

    Raises:
        CatalogError: *channel* has an entry for the bundle; the package has another bundle of that name or version; or
            the channel would have two heads, because the entry does not replace or skip the old one.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> newest = orchard.packages["storefront"].bundles["storefront.v2.1.0"]
    >>> after = olmsolve.add_bundle(orchard, newest, "1.x", replaces="storefront.v1.4.1")
    >>> [entry.name for entry in after.packages["storefront"].channels["1.x"].entries]
    ['storefront.v1.4.0', 'storefront.v1.4.1', 'storefront.v2.1.0']
    """
    must_be(catalog, "Catalog", "catalog")
    must_be(bundle, "Bundle", "bundle")
    must_be(channel, "str", "channel")
    edges = EntryEdges(replaces, every(skips, str, "skips"), skip_range)
    return add_all(catalog, [Addition(bundle, channel, edges, every(skipped_by, str, "skipped_by"))])


def add_all(catalog: Catalog, additions: Iterable[Addition]) -> Catalog:
    """Return *catalog* with all *additions*, which are judged together: their order does not matter to their edges.

    Each is added as :func:`add_bundle` does it; entries and bundles come from the lowest version up. A new package gets
    the channel of the first one as its default.

    Raises:
        CatalogError: as :func:`add_bundle` raises it.
    """
    changed: dict[str, Package] = {}
    with reading_by(catalog.scheme):
        ordered = sorted(additions, key=_version_key)
    for addition in ordered:
        name = addition.bundle.package
        package = changed.get(name) or catalog.packages.get(name) or Package(name, addition.channel, {}, {})
        changed[name] = _with_addition(package, addition)
    for name, package in changed.items():
        before = catalog.packages.get(name)
        refuse_new_faults(package, *([before] if before is not None else []))
    return Catalog({**catalog.packages, **changed}, catalog.others, catalog.origin, scheme=catalog.scheme)


def _version_key(addition: Addition) -> tuple[Key, ...]:
    """Return a sort key: no version comes before every version."""
    version = published(addition.bundle.package, addition.bundle.properties).version
    return () if version is None else (version.key,)


def _with_addition(package: Package, addition: Addition) -> Package:
    bundle, channel = addition.bundle, addition.channel
    present = package.bundles.get(bundle.name)
    if present is not None and present != bundle:
        where = f" at {present.origin}" if present.origin is not None else ""
        refuse(f"the package has another bundle of this name{where}", package=package.name, bundle=bundle.name)
    joined = package.channels.get(channel) or Channel(package.name, channel, ())
    if any(entry.name == bundle.name for entry in joined.entries):
        refuse("the channel has an entry for it", package=package.name, channel=channel, bundle=bundle.name)
    entry = addition.edges.on(ChannelEntry(bundle.name))
    for name in addition.skipped_by:
        entry_of(joined, name)
    present_entries = tuple(
        attrs.evolve(entry, skips=tuple(dict.fromkeys((*entry.skips, bundle.name))))
        if entry.name in addition.skipped_by
        else entry
        for entry in joined.entries
    )
    return attrs.evolve(
        package,
        bundles={**package.bundles, bundle.name: present or bundle},
        channels={**package.channels, channel: attrs.evolve(joined, entries=(*present_entries, entry))},
    )


def set_edges(catalog: Catalog, package: str, channel: str, bundle: str, edges: EntryEdges) -> Catalog:
    """Return *catalog* with *edges* on the entry of *bundle* in *channel*; fields that are None stay as they are.

    Raises:
        CatalogError: there is no such entry, or the channel would not be valid with these edges.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> edges = olmsolve.EntryEdges(skip_range=">=2.0.0 <2.1.0")
    >>> after = olmsolve.set_edges(orchard, "storefront", "2.x", "storefront.v2.1.0", edges)
    >>> [entry.skip_range for entry in after.packages["storefront"].channels["2.x"].entries]
    ['', '>=2.0.0 <2.1.0']
    """
    must_be(edges, "EntryEdges", "edges")
    must_be(bundle, "str", "bundle")
    target = package_of(catalog, package)
    edited = channel_of(target, channel)
    entry_of(edited, bundle)
    entries = tuple(edges.on(entry) if entry.name == bundle else entry for entry in edited.entries)
    changed = attrs.evolve(target, channels={**target.channels, channel: attrs.evolve(edited, entries=entries)})
    refuse_new_faults(changed, target)
    return with_package(catalog, changed)


def promote(
    catalog: Catalog, package: str, bundle: str, source: str, target: str, edges: EntryEdges | None = None
) -> Catalog:
    """Return *catalog* with the entry of *bundle* in channel *source* copied to *target*; "" stands for the head.

    The entries below it on the chain of *source* are copied too, down to the first one that *target* has, because
    updates must pass through them in *target* as well; so are the entries that they skip. All keep their edges. A
    *target* that does not exist is made, with the whole chain.

    With *edges*, the entry gets other edges in *target*: if it replaces an entry that *target* has, no other entry is
    copied.

    Raises:
        CatalogError: *source* has no such entry on its chain; *target* has the entry already; or *target* would not be
            valid with it, because it has a head that the chain of *source* does not lead to.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> after = olmsolve.promote(orchard, "storefront", "storefront.v2.0.0", "2.x", "1.x")
    >>> [entry.name for entry in after.packages["storefront"].channels["1.x"].entries]
    ['storefront.v1.4.0', 'storefront.v1.4.1', 'storefront.v2.0.0']
    """
    must_be(bundle, "str", "bundle")
    must_be(target, "str", "target")
    if edges is not None:
        must_be(edges, "EntryEdges", "edges")
    existing = package_of(catalog, package)
    source_ = channel_of(existing, source, "source")
    source_entries = {entry.name: entry for entry in source_.entries}
    to = existing.channels.get(target) or Channel(package, target, ())
    target_names = {entry.name for entry in to.entries}
    chain = chain_of(source_entries)
    name = bundle or (chain[0] if chain else "")
    location: Any = {"package": package, "channel": source, "bundle": name}
    if not name:
        refuse("the channel has no head to promote", **location)
    promoted_entry = (edges or EntryEdges()).on(entry_of(source_, name))
    if name in target_names:
        refuse(f"channel {target} has it already", **location)
    if name not in chain:
        refuse("the entry is not on the channel's chain of replacements", **location)
    newcomers = _newcomers(promoted_entry, source_entries, chain, target_names)
    listed = [newcomers[entry] for entry in source_entries if entry in newcomers]
    promoted = with_entries(to, (*to.entries, *listed), source_)
    changed = attrs.evolve(existing, channels={**existing.channels, target: promoted})
    refuse_new_faults(changed, existing)
    return with_package(catalog, changed)


def _newcomers(
    promoted: ChannelEntry, entries: Mapping[str, ChannelEntry], chain: Sequence[str], present: Container[str]
) -> dict[str, ChannelEntry]:
    """Return *promoted* and the *entries* that come along, by name: down to the first that is *present*."""
    newcomers = {promoted.name: promoted}
    below = promoted.replaces
    while below in chain and below not in present and below not in newcomers:
        newcomers[below] = entries[below]
        below = entries[below].replaces if below != chain[-1] else ""
    # Entries that the newcomers skip come along: clusters that have such a bundle installed can change channels.
    waiting = list(newcomers.values())
    while waiting:
        for skipped in waiting.pop().skips:
            if skipped in entries and skipped not in present and skipped not in newcomers and skipped not in chain:
                newcomers[skipped] = entries[skipped]
                waiting.append(entries[skipped])
    return newcomers


def set_default_channel(catalog: Catalog, package: str, channel: str) -> Catalog:
    """Return *catalog* with *channel* as the default of *package*.

    Raises:
        CatalogError: *package* or *channel* does not exist.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> olmsolve.set_default_channel(orchard, "storefront", "1.x").packages["storefront"].default_channel
    '1.x'
    """
    target = package_of(catalog, package)
    channel_of(target, channel)
    return with_package(catalog, attrs.evolve(target, default_channel=channel))


def deprecate(catalog: Catalog, package: str, message: str, *, channel: str = "", bundle: str = "") -> Catalog:
    """Return *catalog* with *package*, or one *channel* or *bundle* of it, deprecated (as by ``olm.deprecations``).

    *message* replaces an earlier one; an empty *message* removes the deprecation.

    Raises:
        CatalogError: the object does not exist, or both *channel* and *bundle* are given, or there is no deprecation to
            remove.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> after = olmsolve.deprecate(orchard, "storefront", "moved to 2.x", channel="1.x")
    >>> [(entry.schema, entry.name) for entry in after.packages["storefront"].deprecations]
    [('olm.channel', '1.x')]
    """
    for field, value in (("message", message), ("channel", channel), ("bundle", bundle)):
        must_be(value, "str", field)
    target = package_of(catalog, package)
    if channel and bundle:
        refuse("deprecate one package, channel or bundle at a time", package=package, channel=channel, bundle=bundle)
    if channel:
        channel_of(target, channel)
    if bundle and bundle not in target.bundles:
        refuse_bundle(target, bundle)
    schema = "olm.channel" if channel else "olm.bundle" if bundle else "olm.package"
    name = channel or bundle
    deprecations = {(deprecation.schema, deprecation.name): deprecation for deprecation in target.deprecations}
    if message:
        deprecations[schema, name] = Deprecation(schema, name, message)
    elif deprecations.pop((schema, name), None) is None:
        refuse("it is not deprecated", package=package, channel=channel, bundle=bundle)
    return with_package(catalog, attrs.evolve(target, deprecations=tuple(deprecations.values())))


def with_package(catalog: Catalog, package: Package) -> Catalog:
    """Return *catalog* with *package* instead of its package of that name."""
    return Catalog({**catalog.packages, package.name: package}, catalog.others, catalog.origin, scheme=catalog.scheme)


def stated_edges(bundle: Bundle) -> EntryEdges:
    """Return the edges in the ClusterServiceVersion of *bundle*; a field that it does not state is None.

    The manifest is looked for among the properties ``olm.bundle.object``: ``spec.replaces``, ``spec.skips`` and the
    annotation ``olm.skipRange``. An ``olm.csv.metadata`` keeps the annotation alone.

    Raises:
        CatalogError: such a field has the wrong type.
    """
    for property_ in bundle.properties:
        if property_.type == BUNDLE_OBJECT:
            manifest = object_manifest(property_.value)
            if manifest is not None and manifest.get("kind") == "ClusterServiceVersion":
                spec, metadata = manifest.get("spec"), manifest.get("metadata")
                return _edges(bundle, spec, metadata.get("annotations") if isinstance(metadata, Mapping) else None)
    metadata = next((property_.value for property_ in bundle.properties if property_.type == "olm.csv.metadata"), None)
    return _edges(bundle, None, metadata.get("annotations") if isinstance(metadata, Mapping) else None)


def _edges(bundle: Bundle, spec: Any, annotations: Any) -> EntryEdges:
    spec = spec if isinstance(spec, Mapping) else {}
    annotations = annotations if isinstance(annotations, Mapping) else {}
    replaces, skips = spec.get("replaces") or None, spec.get("skips") or None
    skip_range = annotations.get(_SKIP_RANGE) or None
    texts = (("spec.replaces", replaces), (f"the annotation {_SKIP_RANGE}", skip_range))
    for field, value in texts:
        if value is not None and not isinstance(value, str):
            refuse(f"{field} of its ClusterServiceVersion must be text", package=bundle.package, bundle=bundle.name)
    if skips is not None and not (isinstance(skips, list) and all(isinstance(skip, str) for skip in skips)):
        reason = "spec.skips of its ClusterServiceVersion must be a list of texts"
        refuse(reason, package=bundle.package, bundle=bundle.name)
    return EntryEdges(replaces, skips, skip_range)
