"""One change to a catalog: a bundle added or promoted, a default channel set, something deprecated.

What would make a valid catalog invalid is refused, with the first fault that it would have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from olmsolve.authoring.compose.refusals import channel_of, package_of, refuse, refuse_new_faults
from olmsolve.authoring.compose.thinning import chain_of
from olmsolve.authoring.compose.written import with_entries
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Package

__all__ = ["add", "deprecate", "promote", "set_default_channel"]


def add(
    catalog: Catalog,
    bundle: Bundle,
    channel: str,
    *,
    replaces: str = "",
    skips: Iterable[str] = (),
    skip_range: str = "",
) -> Catalog:
    """*catalog* with *bundle* in *channel* of its package; both may be there already, the entry may not.

    A channel that does not exist is made. So is the package, with *channel* as its default.

    Raises :class:`~olmsolve.errors.CatalogError` where the package has another bundle of that name or version, or
    the channel another head: see *replaces* and *skips*.
    """
    before = catalog.packages.get(bundle.package)
    package = before or Package(bundle.package, channel, {}, {})
    known = package.bundles.get(bundle.name)
    if known is not None and known != bundle:
        where = f" at {known.origin}" if known.origin is not None else ""
        refuse(f"the package has another bundle of this name{where}", package=package.name, bundle=bundle.name)
    there = package.channels.get(channel) or Channel(package.name, channel, ())
    if any(entry.name == bundle.name for entry in there.entries):
        refuse("the channel has an entry for it", package=package.name, channel=channel, bundle=bundle.name)
    entry = ChannelEntry(bundle.name, replaces, tuple(skips), skip_range)
    changed = attrs.evolve(
        package,
        bundles={**package.bundles, bundle.name: known or bundle},
        channels={**package.channels, channel: attrs.evolve(there, entries=(*there.entries, entry))},
    )
    refuse_new_faults(changed, *([before] if before is not None else []))
    return _with(catalog, changed)


def promote(catalog: Catalog, package: str, bundle: str, source: str, target: str) -> Catalog:
    """*catalog* with the entry of *bundle* in channel *source* in channel *target* too; "" stands for the head.

    Along come the entries below it on the chain of *source*, down to the first that *target* has: what lies between
    must be passed through there too. All keep their edges. A *target* that does not exist is made, with the whole
    chain, and what that skips.

    Raises :class:`~olmsolve.errors.CatalogError` where *source* has no such entry on its chain, *target* has it, or
    would not be valid with it (it has a head that *source* does not lead to).
    """
    found = package_of(catalog, package)
    source_ = channel_of(found, source)
    from_ = {entry.name: entry for entry in source_.entries}
    to = found.channels.get(target) or Channel(package, target, ())
    have = {entry.name for entry in to.entries}
    chain = chain_of(from_)
    name = bundle or (chain[0] if chain else "")
    place: Any = {"package": package, "channel": source, "bundle": name}
    if name not in from_:
        reason = "the channel has no such entry" if name else "the channel has no head to promote"
        refuse(reason, **place)
    if name in have:
        refuse(f"channel {target} has it already", **place)
    if name not in chain:
        refuse("the entry is not on the channel's chain of replacements", **place)
    coming: dict[str, ChannelEntry] = {}
    for each in chain[chain.index(name) :]:
        if each in have:
            break
        coming[each] = from_[each]
    # What the newcomers skip comes along, so that whoever has it there can stay in the channel.
    waiting = list(coming)
    while waiting:
        for skipped in from_[waiting.pop()].skips:
            if skipped in from_ and skipped not in have and skipped not in coming and skipped not in chain:
                coming[skipped] = from_[skipped]
                waiting.append(skipped)
    listed = [entry for entry in from_.values() if entry.name in coming]
    promoted = with_entries(to, (*to.entries, *listed), source_)
    changed = attrs.evolve(found, channels={**found.channels, target: promoted})
    refuse_new_faults(changed, found)
    return _with(catalog, changed)


def set_default_channel(catalog: Catalog, package: str, channel: str) -> Catalog:
    """*catalog* with *channel* as the default of *package*.

    Raises :class:`~olmsolve.errors.CatalogError` where there is no such package or channel.
    """
    found = package_of(catalog, package)
    channel_of(found, channel)
    return _with(catalog, attrs.evolve(found, default_channel=channel))


def deprecate(catalog: Catalog, package: str, message: str, *, channel: str = "", bundle: str = "") -> Catalog:
    """*catalog* with *package*, or one *channel* or *bundle* of it, deprecated with *message* (see olm.deprecations).

    A message that was there is replaced; an empty one takes the deprecation back.

    Raises :class:`~olmsolve.errors.CatalogError` where there is no such object, or both *channel* and *bundle* are
    given.
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
    known = {(each.schema, each.name): each for each in found.deprecations}
    if message:
        known[schema, name] = Deprecation(schema, name, message)
    elif known.pop((schema, name), None) is None:
        refuse("it is not deprecated", package=package, channel=channel, bundle=bundle)
    return _with(catalog, attrs.evolve(found, deprecations=tuple(known.values())))


def _with(catalog: Catalog, package: Package) -> Catalog:
    """*catalog* with *package* in the place of the one of its name."""
    return Catalog({**catalog.packages, package.name: package}, catalog.others, catalog.origin)
