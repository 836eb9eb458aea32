"""Catalogs and requests of extensions in short notation."""

from __future__ import annotations

from typing import Any

import olmsolve
from olmsolve import v1
from olmsolve.catalog import Catalog, fbc

Blob = dict[str, Any]


def bundle(version: str, *requirements: str) -> Blob:
    properties: list[Blob] = [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]
    properties += [{"type": kind, "value": {}} for kind in requirements]
    return {"schema": "olm.bundle", "package": "p", "name": f"p.v{version}", "properties": properties}


def channel(name: str, *entries: Blob) -> Blob:
    return {"schema": "olm.channel", "package": "p", "name": name, "entries": list(entries)}


def entry(version: str, replaces: str = "", skip_range: str = "") -> Blob:
    return {"name": f"p.v{version}", "replaces": f"p.v{replaces}" if replaces else "", "skipRange": skip_range}


def catalog(*blobs: Blob) -> Catalog:
    return fbc.from_blobs([{"schema": "olm.package", "name": "p", "defaultChannel": "c"}, *blobs])


def bundles(*versions: str) -> list[Blob]:
    return [bundle(version) for version in versions]


def request(
    *catalogs: Catalog | v1.ClusterCatalog, installed: str = "", package: str = "p", **wish: Any
) -> v1.ExtensionRequest:
    named = [
        catalog if isinstance(catalog, v1.ClusterCatalog) else v1.ClusterCatalog(name, catalog)
        for name, catalog in zip("abcdef", catalogs, strict=False)
    ]
    before = v1.InstalledBundle(f"p.v{installed}", installed) if installed else None
    return v1.ExtensionRequest(v1.Extension(package, **wish), named, before)


def answer(extension_request: v1.ExtensionRequest) -> v1.ExtensionResolution | v1.ResolutionError:
    try:
        return v1.resolve(extension_request)
    except v1.ResolutionError as failure:
        return failure


def ways(extension_request: v1.ExtensionRequest, version: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(str(fix), fix.bundles) for fix in olmsolve.why_not(extension_request, version=version).fixes]
