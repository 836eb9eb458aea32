"""Short lists of what is in a catalog: its packages, its channels, or its entries with their bundles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, starmap
from typing import Any, Final, Literal, TypeAlias

from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve._records import Record, field, record
from olmsolve.authoring.compose import chain_of
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import CatalogError
from olmsolve.semver import VersionScheme

Listed: TypeAlias = Literal["packages", "channels", "bundles"]
"""The kinds of objects that can be listed."""

_DEPRECATED: Final = "The message of its deprecation, empty without one."


@record
class ListedPackage(Record):
    """A package of a catalog, in short."""

    name: str = field("The name of the package.")
    display_name: str = field("The name that consoles show.")
    default_channel: str = field("The default channel.")
    head: str = field("The head of the default channel.")
    channels: int = field("How many channels it has.")
    bundles: int = field("How many bundles it has.")
    deprecated: str = field(_DEPRECATED)


@record
class ListedChannel(Record):
    """A channel of a catalog, in short."""

    package: str = field("The package of the channel.")
    name: str = field("The name of the channel.")
    head: str = field("Its head: the entry that a first installation gets.")
    entries: int = field("How many entries it has.")
    is_default: bool = field("Whether it is the default channel.")
    deprecated: str = field(_DEPRECATED)


@record
class ListedBundle(Record):
    """An entry of a channel with its bundle, in short."""

    package: str = field("The package of the bundle.")
    channel: str = field("The channel of the entry.")
    name: str = field("The name of the bundle.")
    version: str = field("Its version.")
    replaces: str = field("The bundle that the entry replaces.")
    skips: tuple[str, ...] = field("The bundles that the entry skips.")
    skip_range: str = field("The range of versions that the entry skips.")
    image: str = field("The image of the bundle.")
    deprecated: str = field(_DEPRECATED)


@record(
    definition="olmsolve.catalog.list",
    title="What is in a catalog",
    about="docs/authoring.md gives the meaning of the fields. It has one of the three lists.",
)
class CatalogList(Record):
    """The packages, the channels or the bundles of a catalog; the other two lists are None."""

    packages: tuple[ListedPackage, ...] | None = field("The packages, by name.", empty="optional", default=None)
    channels: tuple[ListedChannel, ...] | None = field(
        "The channels, by package and name.", empty="optional", default=None
    )
    bundles: tuple[ListedBundle, ...] | None = field(
        "The entries of channels with their bundles, from the head down.", empty="optional", default=None
    )


def listing(catalog: Catalog, what: Listed, package: str = "", channel: str = "") -> list[dict[str, Any]]:
    """Return the *what* of *catalog* as JSON data, sorted by name; docs/authoring.md describes the fields.

    A bundle is listed once for each channel that has it, in the channel's order from the head down, and then what is
    beside the chain. *package* and *channel* choose a part.

    Raises:
        CatalogError: *package* or *channel* does not exist.
    """
    rows: list[dict[str, Any]] = catalog_list(catalog, what, package, channel).to_dict()[what]
    return rows


def catalog_list(catalog: Catalog, what: Listed, package: str, channel: str) -> CatalogList:
    """Return the list of *what* is in *catalog*, as :func:`listing` chooses and sorts it; it raises the same errors."""
    if package and package not in catalog.packages:
        near = did_you_mean(similar_names(package, sorted(catalog.packages)))
        reason = f"the catalog has no such package{f' ({near})' if near else ''}"
        raise CatalogError(reason, origin=catalog.origin, package=package)
    packages = [content for name, content in sorted(catalog.packages.items()) if package in ("", name)]
    names = sorted({name for package in packages for name in package.channels})
    if channel and channel not in names:
        near = did_you_mean(near_names(channel, names))
        reason = f"the package has no such channel{f' ({near})' if near else ''}"
        raise CatalogError(reason, origin=catalog.origin, package=package, channel=channel)
    if what == "packages":
        return CatalogList(packages=tuple(map(_listed_package, checked(packages))))
    channels = [
        (item, item.channels[name])
        for item in checked(packages)
        for name in sorted(item.channels)
        if channel in ("", name)
    ]
    if what == "channels":
        return CatalogList(channels=tuple(starmap(_listed_channel, checked(channels))))
    rows = chain.from_iterable(_listed_bundles(*item, catalog.scheme) for item in checked(channels))
    return CatalogList(bundles=tuple(checked(rows, every=64)))


def _listed_package(package: Package) -> ListedPackage:
    default = package.channels.get(package.default_channel)
    return ListedPackage(
        package.name,
        _display_name(package),
        package.default_channel,
        _head(default) if default is not None else "",
        len(package.channels),
        len(package.bundles),
        _message(package, "olm.package", ""),
    )


def _listed_channel(package: Package, channel: Channel) -> ListedChannel:
    return ListedChannel(
        package.name,
        channel.name,
        _head(channel),
        len(channel.entries),
        channel.name == package.default_channel,
        _message(package, "olm.channel", channel.name),
    )


def _listed_bundles(package: Package, channel: Channel, scheme: VersionScheme | None) -> Iterator[ListedBundle]:
    entries = {entry.name: entry for entry in channel.entries}
    for name in dict.fromkeys((*chain_of(entries), *entries)):
        entry, bundle = entries[name], package.bundles.get(name)
        yield ListedBundle(
            package.name,
            channel.name,
            name,
            str(bundle_version(package, name, scheme) or ""),
            entry.replaces,
            entry.skips,
            entry.skip_range,
            bundle.image if bundle is not None else "",
            _message(package, "olm.bundle", name),
        )


def _head(channel: Channel) -> str:
    return next(iter(chain_of({entry.name: entry for entry in channel.entries})), "")


def _display_name(package: Package) -> str:
    """Return the name that consoles show, which the head of the default channel states; "" without one."""
    channel = package.channels.get(package.default_channel)
    bundle = package.bundles.get(_head(channel)) if channel is not None else None
    for property_ in bundle.properties if bundle is not None else ():
        if property_.type == "olm.csv.metadata" and isinstance(property_.value, Mapping):
            name = property_.value.get("displayName")
            return name if isinstance(name, str) else ""
    return ""


def _message(package: Package, schema: str, name: str) -> str:
    return next(
        (
            deprecation.message
            for deprecation in package.deprecations
            if (deprecation.schema, deprecation.name) == (schema, name)
        ),
        "",
    )
