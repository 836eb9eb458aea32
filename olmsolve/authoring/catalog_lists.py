"""Short lists of what is in a catalog: its packages, its channels, or its entries with their bundles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve.authoring.compose import chain_of
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import CatalogError

Listed: TypeAlias = Literal["packages", "channels", "bundles"]
"""What can be listed."""


def listing(catalog: Catalog, what: Listed, package: str = "", channel: str = "") -> list[dict[str, Any]]:
    """Return the *what* of *catalog* as JSON data, sorted by name; docs/authoring.md describes the fields.

    A bundle is listed once for each channel that has it, in the channel's order from the head down, and then what is
    beside the chain. *package* and *channel* choose a part.

    Raises:
        CatalogError: *package* or *channel* does not exist.
    """
    if package and package not in catalog.packages:
        near = did_you_mean(similar_names(package, sorted(catalog.packages)))
        reason = f"the catalog has no such package{f' ({near})' if near else ''}"
        raise CatalogError(reason, origin=catalog.origin, package=package)
    chosen = [each for name, each in sorted(catalog.packages.items()) if package in ("", name)]
    names = sorted({name for each in chosen for name in each.channels})
    if channel and channel not in names:
        near = did_you_mean(near_names(channel, names))
        reason = f"there is no such channel{f' ({near})' if near else ''}"
        raise CatalogError(reason, origin=catalog.origin, package=package, channel=channel)
    found: list[dict[str, Any]] = []
    for each in checked(chosen):
        if what == "packages":
            found.append(_package(each))
            continue
        channels = [own for name, own in sorted(each.channels.items()) if channel in ("", name)]
        for own in channels:
            found.extend([_channel(each, own)] if what == "channels" else _bundles(each, own))
    return found


def _package(package: Package) -> dict[str, Any]:
    default = package.channels.get(package.default_channel)
    return {
        "name": package.name,
        "displayName": _display_name(package),
        "defaultChannel": package.default_channel,
        "head": _head(default) if default is not None else "",
        "channels": len(package.channels),
        "bundles": len(package.bundles),
        "deprecated": _message(package, "olm.package", ""),
    }


def _channel(package: Package, channel: Channel) -> dict[str, Any]:
    return {
        "package": package.name,
        "name": channel.name,
        "head": _head(channel),
        "entries": len(channel.entries),
        "isDefault": channel.name == package.default_channel,
        "deprecated": _message(package, "olm.channel", channel.name),
    }


def _bundles(package: Package, channel: Channel) -> Iterator[dict[str, Any]]:
    entries = {entry.name: entry for entry in channel.entries}
    for name in dict.fromkeys((*chain_of(entries), *entries)):
        entry, bundle = entries[name], package.bundles.get(name)
        yield {
            "package": package.name,
            "channel": channel.name,
            "name": name,
            "version": str(bundle_version(package, name) or ""),
            "replaces": entry.replaces,
            "skips": list(entry.skips),
            "skipRange": entry.skip_range,
            "image": bundle.image if bundle is not None else "",
            "deprecated": _message(package, "olm.bundle", name),
        }


def _head(channel: Channel) -> str:
    return next(iter(chain_of({entry.name: entry for entry in channel.entries})), "")


def _display_name(package: Package) -> str:
    """Return the name that consoles show, which the head of the default channel states; "" without one."""
    channel = package.channels.get(package.default_channel)
    bundle = package.bundles.get(_head(channel)) if channel is not None else None
    for each in bundle.properties if bundle is not None else ():
        if each.type == "olm.csv.metadata" and isinstance(each.value, Mapping):
            name = each.value.get("displayName")
            return name if isinstance(name, str) else ""
    return ""


def _message(package: Package, schema: str, name: str) -> str:
    return next((each.message for each in package.deprecations if (each.schema, each.name) == (schema, name)), "")
