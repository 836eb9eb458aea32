"""Next upgrades by their definitions, written anew and slowly: nothing of the update graph's code is used."""

from __future__ import annotations

import functools

from olmsolve.catalog import Channel, ChannelEntry, Package
from olmsolve.semver import BlangRange, Version

__all__ = ["classic_next", "ends", "head_of", "is_round", "v1_best", "v1_next", "version_of"]


# These definitions ask about few texts again and again.
_version = functools.cache(Version.parse)
_range = functools.cache(BlangRange.parse)


def version_of(package: Package, name: str) -> Version:
    (own,) = [item.value for item in package.bundles[name].properties if item.type == "olm.package"]
    return _version(own["version"])


def follows(entry: ChannelEntry, name: str, version: Version) -> bool:
    in_range = bool(entry.skip_range) and version in _range(entry.skip_range)
    return name in (entry.replaces, *entry.skips) or in_range


def head_of(channel: Channel) -> str:
    names = {entry.name for entry in channel.entries}
    (head,) = names - {name for entry in channel.entries for name in (entry.replaces, *entry.skips)}
    return head


def is_round(channel: Channel) -> bool:
    """Return whether ``replaces`` lead from the head into a circle, with which classic finds the channel broken."""
    replaces = {entry.name: entry.replaces for entry in channel.entries}
    here = head_of(channel)
    for _ in replaces:
        here = replaces.get(here, "")
    return here in replaces


def classic_next(channel: Channel, name: str, version: Version) -> str:
    """Return the entry nearest to the head that follows, not a skipped one; "" for none, or for *name* itself."""
    if is_round(channel):
        return ""
    entries = {entry.name: entry for entry in channel.entries}
    skipped = {skip for entry in channel.entries for skip in entry.skips}
    here = head_of(channel)
    while here in entries:
        if here not in skipped and follows(entries[here], name, version):
            return "" if here == name else here
        here = entries[here].replaces
    return ""


def v1_best(package: Package, names: list[str]) -> str:
    """Return a sort key: deprecated bundles last, then the highest version first (no two are equal here)."""
    deprecated = {deprecation.name for deprecation in package.deprecations if deprecation.schema == "olm.bundle"}
    return max(names, key=lambda name: (name not in deprecated, version_of(package, name).key))


def v1_next(package: Package, channel: Channel, name: str, version: Version) -> str:
    """Return the best of the updates and of all bundles with the installed version; "" for the installed one."""
    names = [
        entry.name
        for entry in channel.entries
        if follows(entry, name, version) or version_of(package, entry.name) == version
    ]
    best = v1_best(package, names) if names else name
    return "" if best == name else best


def ends(following: dict[str, str], name: str) -> str | None:
    """Return the bundle where updates from *name* end; None if they go round in a circle."""
    for _ in range(len(following) + 1):
        if not following.get(name):
            return name
        name = following[name]
    return None
