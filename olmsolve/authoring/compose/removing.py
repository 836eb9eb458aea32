"""Removing a package, channels, or bundles: one, or a series of versions.

An entry in the middle of a chain holds the entries below it: without it, nothing leads from them to the head. So its
removal is refused unless the chain is to be *reconnected*: the entry above then replaces the one below, and skips what
went, because clusters may have it installed::

    v3 replaces v2, v2 replaces v1         without v2: v3 replaces v1, skips v2
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import olmsolve._attrs as attrs
from olmsolve._arguments import every, must_be
from olmsolve._limits import checked
from olmsolve._reader import for_reader
from olmsolve.authoring.compose.editing import with_package
from olmsolve.authoring.compose.entries import lasting_deprecations
from olmsolve.authoring.compose.refusals import (
    channel_of,
    new_faults,
    package_of,
    refuse,
    refuse_bundle,
    refuse_new_faults,
)
from olmsolve.catalog import Catalog, Channel, ChannelEntry, Package
from olmsolve.catalog.fbc import package_named_by
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.semver import read_range, reading_by


def remove_from_catalog(
    catalog: Catalog,
    package: str,
    *,
    channels: Iterable[str] = (),
    bundles: Iterable[str] = (),
    versions: str = "",
    reconnect: bool = False,
) -> Catalog:
    """Return *catalog* without *package*, or without a part of it.

    With only *channels*, these channels are removed. With *bundles*, or with *versions* (a range of OLM classic, or of
    the catalog's scheme), the entries of the bundles are removed, from *channels* or else from all. Bundles that are in
    no channel any more are removed too, and so are deprecations of removed objects. Names in ``replaces`` and ``skips``
    stay, for clusters that have the bundle installed. With *reconnect*, chains are closed where entries were removed
    (see this module).

    Raises:
        CatalogError: something does not exist; it is the default channel, or all that a channel has; or a channel would
            not be valid without it. The error says what would have to change.
        RangeError: *versions* does not parse.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> after = olmsolve.remove_from_catalog(orchard, "storefront", channels=["1.x"])
    >>> [*after.packages["storefront"].channels]
    ['2.x']
    """
    must_be(versions, "str", "versions")
    named = every(bundles, str, "bundles")
    target = package_of(catalog, package)
    chosen = dict.fromkeys(every(channels, str, "channels"))
    for name in chosen:
        channel_of(target, name)
    with reading_by(catalog.scheme):
        gone = _bundles(target, named, versions, chosen)
    if not chosen and not gone:
        packages = {name: content for name, content in catalog.packages.items() if name != package}
        others = tuple(blob for blob in catalog.others if package_named_by(blob.value) != package)
        return Catalog(packages, others, catalog.origin, scheme=catalog.scheme)
    if not gone:
        return with_package(catalog, _without_channels(target, chosen))
    changed = _without_entries(target, gone, chosen, reconnect=reconnect)
    if not reconnect and new_faults(changed, target):
        _refuse_with_the_way(target, changed, _without_entries(target, gone, chosen, reconnect=True))
    refuse_new_faults(changed, target)
    return with_package(catalog, changed)


def _bundles(package: Package, named: Collection[str], versions: str, channels: Collection[str]) -> dict[str, None]:
    """Return the names of the bundles to remove, as an ordered set."""
    gone: dict[str, None] = {}
    within = [package.channels[name] for name in channels] or list(package.channels.values())
    listed = {entry.name for channel in within for entry in channel.entries}
    for name in named:
        if name not in package.bundles and name not in listed:
            refuse_bundle(package, name)
        if name not in listed and channels:
            reason = f"it is not in {'channel' if len(channels) == 1 else 'channels'} {', '.join(channels)}"
            refuse(reason, package=package.name, bundle=name)
        gone[name] = None
    if versions:
        wanted = read_range(versions)
        matching = [
            name
            for name in package.bundles
            if (version := bundle_version(package, name)) is not None and version in wanted and name in listed
        ]
        if not matching:
            refuse(f"no bundle of the package is in {versions}", package=package.name, origin=package.origin)
        gone |= dict.fromkeys(matching)
    return gone


def _without_channels(package: Package, gone: Collection[str]) -> Package:
    if set(gone) == set(package.channels):
        refuse(f"{_its_channels(gone)} all that the package has: remove the package", package=package.name)
    if package.default_channel in gone:
        others = ", ".join(sorted(set(package.channels) - set(gone)))
        reason = f"it is the default channel: set another default first ({others})"
        refuse(reason, package=package.name, channel=package.default_channel)
    channels = {name: channel for name, channel in package.channels.items() if name not in gone}
    return _without_orphans(package, channels)


def _its_channels(gone: Collection[str]) -> str:
    return f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'}"


def _without_orphans(package: Package, channels: Mapping[str, Channel]) -> Package:
    """Return *package* with *channels* alone, without bundles that lose their last channel."""
    was = {entry.name for channel in package.channels.values() for entry in channel.entries}
    listed = {entry.name for channel in channels.values() for entry in channel.entries}
    bundles = {name: bundle for name, bundle in package.bundles.items() if name in listed or name not in was}
    deprecations = lasting_deprecations(package, channels, bundles)
    return attrs.evolve(package, channels=dict(channels), bundles=bundles, deprecations=deprecations)


def _without_entries(package: Package, gone: Collection[str], chosen: Collection[str], *, reconnect: bool) -> Package:
    channels = dict(package.channels)
    for name, channel in checked(package.channels.items()):
        if (chosen and name not in chosen) or all(entry.name not in gone for entry in channel.entries):
            continue
        entries = tuple(entry for entry in channel.entries if entry.name not in gone)
        if not entries:
            reason = "the channel would have no entries: remove the channel"
            refuse(reason, package=package.name, channel=name, origin=channel.origin)
        if reconnect:
            entries = _reconnected(channel, gone)
        channels[name] = attrs.evolve(channel, entries=entries)
    return _without_orphans(package, channels)


def _reconnected(channel: Channel, gone: Collection[str]) -> tuple[ChannelEntry, ...]:
    """Return the entries that stay, each with the edges of the removed entries that it replaced."""
    by_name = {entry.name: entry for entry in channel.entries}
    made = []
    for entry in checked(channel.entries, every=16):
        if entry.name in gone:
            continue
        skips = dict.fromkeys(entry.skips)
        replaces = entry.replaces
        while replaces in gone and replaces in by_name:
            removed = by_name[replaces]
            skips |= dict.fromkeys([removed.name, *removed.skips])
            replaces = removed.replaces if removed.replaces not in skips else ""
        # The last entry of a chain goes on replacing what went; of one that stays, both edges change.
        edges = replaces or entry.replaces
        made.append(attrs.evolve(entry, replaces=edges, skips=tuple(name for name in skips if name != edges)))
    return tuple(made)


def _refuse_with_the_way(before: Package, without: Package, reconnected: Package) -> None:
    """Raise the error of a removal that breaks a channel, with the edges that would keep it whole, if there are any."""
    if new_faults(reconnected, before):
        return
    needed = []
    channel_name = ""
    for name, channel in reconnected.channels.items():
        for entry, plain in zip(channel.entries, without.channels[name].entries, strict=True):
            if entry != plain:
                channel_name = channel_name or name
                replaced = f"replace {entry.replaces}" if entry.replaces != plain.replaces else ""
                skipped = [skip for skip in entry.skips if skip not in plain.skips]
                edges = " and ".join(filter(None, [replaced, f"skip {', '.join(skipped)}" if skipped else ""]))
                where = f" in {name}" if len(reconnected.channels) > 1 else ""
                needed.append(f"{entry.name} would have to {edges}{where}")
    hint = for_reader(python="reconnect=True does that", option="--reconnect does that")
    reason = f"entries below would have no way to the head: {'; '.join(needed)} ({hint})"
    refuse(reason, package=before.name, channel=channel_name, origin=before.channels[channel_name].origin)
