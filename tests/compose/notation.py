"""Blobs of one package in short notation, which the tests of composing share."""

from __future__ import annotations

from typing import Any

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs

Blob = dict[str, Any]


def bundle(name: str, *properties: Blob, image: str = "quay.io/p/p:1") -> Blob:
    package, _, version = name.partition(".v")
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": [own, *properties]}


def channel(name: str, *entries: Blob, package: str = "p") -> Blob:
    return {"schema": "olm.channel", "package": package, "name": name, "entries": list(entries)}


def entry(name: str, replaces: str = "", *skips: str, skip_range: str = "") -> Blob:
    fields = {"name": name, "replaces": replaces, "skips": list(skips), "skipRange": skip_range}
    return {key: value for key, value in fields.items() if value}


def chain(name: str, *versions: str, package: str = "p") -> Blob:
    """Return a channel in which each of *versions* replaces the one before."""
    names = [f"{package}.v{version}" for version in versions]
    return channel(name, *map(entry, names, ["", *names]), package=package)


def package(name: str = "p", default: str = "stable", **fields: Any) -> Blob:
    return {"schema": "olm.package", "name": name, "defaultChannel": default} | fields


def bundles(*versions: str, of: str = "p") -> list[Blob]:
    return [bundle(f"{of}.v{version}") for version in versions]


def entries(catalog: Catalog, channel: str = "stable", package: str = "p") -> dict[str, tuple[str, tuple[str, ...]]]:
    """Map each entry to the names that it replaces and skips."""
    listed = catalog.packages[package].channels[channel].entries
    return {entry.name: (entry.replaces, entry.skips) for entry in listed}


LINE = from_blobs(
    [package(), chain("stable", "1.0.0", "1.1.0", "1.2.0", "2.0.0"), *bundles("1.0.0", "1.1.0", "1.2.0", "2.0.0")]
)
