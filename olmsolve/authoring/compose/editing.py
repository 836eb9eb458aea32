"""Edits: add or promote a bundle, set a default channel, deprecate a package, channel or bundle.

An edit that would make a valid catalog invalid is refused, with the first fault that the catalog would have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from olmsolve.authoring.compose.refusals import channel_of, package_of, refuse, refuse_new_faults
from olmsolve.authoring.compose.thinning import chain_of
from olmsolve.authoring.compose.written import with_entries
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Package


def add(
    catalog: Catalog,
    bundle: Bundle,
    channel: str,
    *,
    replaces: str = "",
    skips: Iterable[str] = (),
    skip_range: str = "",
) -> Catalog:
    """Return *catalog* with *bundle* as an entry of *channel* in its package.

    The channel is made if it does not exist. So is the package, with *channel* as its default. The bundle may be in the
    catalog already, in other channels.

    Raises:
        CatalogError: *channel* has an entry for the bundle; the package has another bundle of that name or version; or
            the channel would have two heads, because the entry does not replace or skip the old one.
    """
    before = catalog.packages.get(bundle.package)
    package = before or Package(bundle.package, channel, {}, {})
    present = package.bundles.get(bundle.name)
    if present is not None and present != bundle:
        where = f" at {present.origin}" if present.origin is not None else ""
        refuse(f"the package has another bundle of this name{where}", package=package.name, bundle=bundle.name)
    joined = package.channels.get(channel) or Channel(package.name, channel, ())
    if any(entry.name == bundle.name for entry in joined.entries):
        refuse("the channel has an entry for it", package=package.name, channel=channel, bundle=bundle.name)
    entry = ChannelEntry(bundle.name, replaces, tuple(skips), skip_range)
    changed = attrs.evolve(
        package,
        bundles={**package.bundles, bundle.name: present or bundle},
        channels={**package.channels, channel: attrs.evolve(joined, entries=(*joined.entries, entry))},
    )
    refuse_new_faults(changed, *([before] if before is not None else []))
    return _with_package(catalog, changed)


def promote(catalog: Catalog, package: str, bundle: str, source: str, target: str) -> Catalog:
    """Return *catalog* with the entry of *bundle* in channel *source* copied to *target*; "" stands for the head.

    The entries below it on the chain of *source* come along, down to the first that *target* has, because updates must
    pass through them in *target* too; so do the entries that they skip. All keep their edges. A *target* that does not
    exist is made, with the whole chain.

    Raises:
        CatalogError: *source* has no such entry on its chain; *target* has the entry already; or *target* would not be
            valid with it, because it has a head that the chain of *source* does not lead to.
    """
    found = package_of(catalog, package)
    source_ = channel_of(found, source)
    source_entries = {entry.name: entry for entry in source_.entries}
    to = found.channels.get(target) or Channel(package, target, ())
    target_names = {entry.name for entry in to.entries}
    chain = chain_of(source_entries)
    name = bundle or (chain[0] if chain else "")
    location: Any = {"package": package, "channel": source, "bundle": name}
    if name not in source_entries:
        reason = "the channel has no such entry" if name else "the channel has no head to promote"
        refuse(reason, **location)
    if name in target_names:
        refuse(f"channel {target} has it already", **location)
    if name not in chain:
        refuse("the entry is not on the channel's chain of replacements", **location)
    newcomers: dict[str, ChannelEntry] = {}
    for each in chain[chain.index(name) :]:
        if each in target_names:
            break
        newcomers[each] = source_entries[each]
    # Entries that the newcomers skip come along: clusters that have such a bundle installed can change channels.
    waiting = list(newcomers)
    while waiting:
        for skipped in source_entries[waiting.pop()].skips:
            if (
                skipped in source_entries
                and skipped not in target_names
                and skipped not in newcomers
                and skipped not in chain
            ):
                newcomers[skipped] = source_entries[skipped]
                waiting.append(skipped)
    listed = [entry for entry in source_entries.values() if entry.name in newcomers]
    promoted = with_entries(to, (*to.entries, *listed), source_)
    changed = attrs.evolve(found, channels={**found.channels, target: promoted})
    refuse_new_faults(changed, found)
    return _with_package(catalog, changed)


def set_default_channel(catalog: Catalog, package: str, channel: str) -> Catalog:
    """Return *catalog* with *channel* as the default of *package*.

    Raises:
        CatalogError: *package* or *channel* does not exist.
    """
    found = package_of(catalog, package)
    channel_of(found, channel)
    return _with_package(catalog, attrs.evolve(found, default_channel=channel))


def deprecate(catalog: Catalog, package: str, message: str, *, channel: str = "", bundle: str = "") -> Catalog:
    """Return *catalog* with *package*, or one *channel* or *bundle* of it, deprecated (as by ``olm.deprecations``).

    *message* replaces an earlier one; an empty *message* takes the deprecation back.

    Raises:
        CatalogError: the object does not exist, or both *channel* and *bundle* are given, or there is no deprecation to
            take back.
    """
    found = package_of(catalog, package)
    if channel and bundle:
        refuse("deprecate one thing at a time", package=package, channel=channel, bundle=bundle)
    if channel:
        channel_of(found, channel)
    if bundle and bundle not in found.bundles:
        refuse("the package has no such bundle", package=package, bundle=bundle)
    schema = "olm.channel" if channel else "olm.bundle" if bundle else "olm.package"
    name = channel or bundle
    deprecations = {(each.schema, each.name): each for each in found.deprecations}
    if message:
        deprecations[schema, name] = Deprecation(schema, name, message)
    elif deprecations.pop((schema, name), None) is None:
        refuse("it is not deprecated", package=package, channel=channel, bundle=bundle)
    return _with_package(catalog, attrs.evolve(found, deprecations=tuple(deprecations.values())))


def _with_package(catalog: Catalog, package: Package) -> Catalog:
    """Return *catalog* with *package* instead of its package of that name."""
    return Catalog({**catalog.packages, package.name: package}, catalog.others, catalog.origin)
