"""A part of a catalog that is a catalog: packages, channels, versions, heads, and what they require."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import attrs

from olmsolve.authoring.compose.refusals import channel_of, package_of, refuse
from olmsolve.authoring.compose.requiring import OpenRequirements
from olmsolve.authoring.compose.thinning import chain_of, thinned
from olmsolve.catalog import Bundle, Catalog, Channel, Package
from olmsolve.predicates import published
from olmsolve.semver import BlangRange

__all__ = ["Keep", "subset"]

_Wanted: TypeAlias = dict[tuple[str, str], dict[str, None]]
"""By package and channel the names of entries, as an ordered set."""

_EVERYTHING: Final = ""


@attrs.frozen
class Keep:
    """What is to stay of *package*: of *channels* (empty: of all) the versions in the range *versions* ("": all).

    With *heads_only*, of each channel only the entry nearest to its head is wanted. *versions* is read as ranges of
    OLM classic are (``>=1.2.0 <2.0.0``, ``1.x``).
    """

    package: str
    channels: tuple[str, ...] = attrs.field(default=(), converter=tuple[str, ...])
    versions: str = _EVERYTHING
    heads_only: bool = False


def subset(catalog: Catalog, keep: Iterable[Keep | str], *, dependencies: bool = False) -> Catalog:
    """The part of *catalog* that *keep* asks for; a text stands for the whole package of that name.

    The result is valid (as :func:`olmsolve.validate` judges) wherever *catalog* is, and offers no update that
    *catalog* does not: :mod:`olmsolve.authoring.compose.thinning` says which other entries of a channel therefore stay
    or go. Channels of which nothing is asked for go, and with them bundles in no channel,
    deprecations of what went, and blobs of other schemas that belong to a package that went. If the default channel
    goes, the channel whose head has the highest version becomes the default (of several the first by name).

    With *dependencies*, what the bundles that stay require stays as well: for each requirement that none of them
    meets, the bundle that OLM classic prefers, in its channel, and so on. A requirement that nothing in *catalog*
    meets is left as it is.

    Raises:
        CatalogError: *keep* names a package or channel that does not exist, or nothing of a package is in the range.
        RangeError: a range does not parse.
    """
    wanted: _Wanted = {}
    for wish in keep:
        _want(catalog, Keep(wish) if isinstance(wish, str) else wish, wanted)
    heights = _Heights()
    thin: dict[tuple[str, str], Channel] = {}

    def settle(key: tuple[str, str]) -> Channel | None:
        """The channel with what is wanted of it so far, None where that is nothing."""
        channel = catalog.packages[key[0]].channels[key[1]]
        entries = thinned(channel.entries, wanted[key], heights.of(catalog.packages[key[0]]))
        if not entries:
            return None
        return channel if entries == channel.entries else attrs.evolve(channel, entries=entries)

    for key in wanted:
        settled = settle(key)
        if settled is not None:
            thin[key] = settled
    if dependencies:
        requiring = OpenRequirements(catalog)
        waiting = [(name, entry.name) for (name, _), channel in thin.items() for entry in channel.entries]
        requiring.select(waiting)
        # Each round adds an entry to some channel, so that there are no more rounds than entries.
        while (found := requiring.next_missing()) is not None:
            key, entry_name = (found.channel.package, found.channel.name), found.entry.name
            wanted.setdefault(key, {})[entry_name] = None
            settled = settle(key)
            if settled is not None:
                thin[key] = settled
                requiring.select((key[0], entry.name) for entry in settled.entries)
            requiring.select([(key[0], entry_name)])
    packages = {
        package.name: made for package in catalog if (made := _package(package, thin, heights.of(package))) is not None
    }
    others = tuple(
        blob
        for blob in catalog.others
        if blob.value.get("package") not in catalog.packages or blob.value.get("package") in packages
    )
    return Catalog(packages, others, catalog.origin)


def _want(catalog: Catalog, wish: Keep, wanted: _Wanted) -> None:
    package = package_of(catalog, wish.package)
    versions = BlangRange.parse(wish.versions) if wish.versions else None
    channels = [channel_of(package, name) for name in wish.channels] or list(package.channels.values())
    found = False
    for channel in channels:
        names = list(_in_range(package, channel, versions))
        if wish.heads_only and names:
            names = [_nearest(channel, names, _Heights().of(package))]
        found = found or bool(names)
        if names:
            wanted.setdefault((package.name, channel.name), {}).update(dict.fromkeys(names))
    if not found:
        what = f"in {wish.versions}" if wish.versions else "to keep"
        refuse(f"no bundle of the package is {what}", package=package.name, origin=package.origin)


def _in_range(package: Package, channel: Channel, versions: BlangRange | None) -> Iterator[str]:
    for entry in channel.entries:
        bundle = package.bundles.get(entry.name)
        if versions is None:
            yield entry.name
        elif bundle is not None:
            version = published(package.name, bundle.properties).version
            if version is not None and version in versions:
                yield entry.name


def _nearest(channel: Channel, names: list[str], height: Any) -> str:
    """The first of *names* on the chain from the head down; if none is on it, the highest."""
    among = set(names)
    for name in chain_of({entry.name: entry for entry in channel.entries}):
        if name in among:
            return name
    return max(names, key=lambda name: (height(name), name))


class _Heights:
    """Versions of bundles as keys; bundles without one are the lowest."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Any, ...]] = {}

    def of(self, package: Package) -> Any:
        def height(name: str) -> tuple[Any, ...]:
            key = package.name, name
            if key not in self._known:
                bundle = package.bundles.get(name)
                version = None if bundle is None else published(package.name, bundle.properties).version
                self._known[key] = () if version is None else (version.key,)
            return self._known[key]

        return height


def _package(package: Package, thin: Mapping[tuple[str, str], Channel], height: Any) -> Package | None:
    channels = {name: thin[package.name, name] for name in package.channels if (package.name, name) in thin}
    if not channels:
        return None
    listed = {entry.name for channel in channels.values() for entry in channel.entries}
    bundles: dict[str, Bundle] = {name: bundle for name, bundle in package.bundles.items() if name in listed}
    default = package.default_channel
    if default not in channels and default in package.channels:
        default = _highest_channel(channels, height)
    deprecations = tuple(
        each
        for each in package.deprecations
        if not (each.schema == "olm.bundle" and each.name in package.bundles and each.name not in bundles)
        and not (each.schema == "olm.channel" and each.name in package.channels and each.name not in channels)
    )
    changed = attrs.evolve(
        package, channels=channels, bundles=bundles, default_channel=default, deprecations=deprecations
    )
    return package if changed == package else changed


def _highest_channel(channels: Mapping[str, Channel], height: Any) -> str:
    def head(name: str) -> tuple[Any, ...]:
        chain = chain_of({entry.name: entry for entry in channels[name].entries})
        top: tuple[Any, ...] = height(chain[0]) if chain else ()
        return top

    # max() takes the first of equals.
    return max(sorted(channels), key=head)
