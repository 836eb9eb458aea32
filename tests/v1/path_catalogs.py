"""Catalogs of one package in short notation, which the tests of paths share."""

from __future__ import annotations

from typing import Any

from olmsolve import v1
from olmsolve.catalog import Catalog, fbc

Entry = dict[str, Any]


def catalog(channels: dict[str, list[Entry]], deprecated: tuple[str, ...] = ()) -> Catalog:
    """A catalog of the package p, where each entry ``p.v1.0.0`` is a bundle of the version in its name."""
    blobs: list[dict[str, Any]] = [{"schema": "olm.package", "name": "p", "defaultChannel": min(channels)}]
    for name, entries in channels.items():
        blobs.append({"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
    for bundle in dict.fromkeys(entry["name"] for entries in channels.values() for entry in entries):
        version = bundle.removeprefix("p.v")
        properties = [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]
        blobs.append({"schema": "olm.bundle", "package": "p", "name": bundle, "properties": properties})
    entries = [{"reference": {"schema": "olm.bundle", "name": name}, "message": "gone"} for name in deprecated]
    blobs.append({"schema": "olm.deprecations", "package": "p", "entries": entries})
    return fbc.from_blobs(blobs)


def entry(version: str, replaces: str = "", skips: tuple[str, ...] = (), skip_range: str = "") -> Entry:
    return {
        "name": f"p.v{version}",
        "replaces": f"p.v{replaces}" if replaces else "",
        "skips": [f"p.v{skipped}" for skipped in skips],
        "skipRange": skip_range,
    }


def request(content: Catalog, installed: str, **wish: Any) -> v1.ExtensionRequest:
    extension = v1.Extension("p", **wish)
    return v1.ExtensionRequest(
        extension, [v1.ClusterCatalog("a", content)], v1.InstalledBundle(f"p.v{installed}", installed)
    )


def steps(path: v1.ExtensionPath) -> list[str]:
    return [step.bundle.removeprefix("p.v") for step in path.steps]
