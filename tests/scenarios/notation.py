"""The short notation of scenario files, written out as request documents (see README.md beside this file)."""

from __future__ import annotations

from typing import Any

__all__ = ["catalog_blobs", "request_document"]


def request_document(scenario: dict[str, Any]) -> dict[str, Any]:
    """The request document that *scenario* describes."""
    packages = {
        name: package
        for catalog in scenario.get("catalogs", {}).values()
        for name, package in catalog.get("packages", {}).items()
    }
    return {
        "namespaces": scenario.get("namespaces", ["team", "olm"]),
        "catalogs": [_catalog(key, value) for key, value in scenario.get("catalogs", {}).items()],
        "installed": [_installed(operator, packages) for operator in scenario.get("installed", [])],
        "subscriptions": [_subscription(wish) for wish in scenario.get("subscriptions", [])],
    }


def _catalog(key: str, catalog: dict[str, Any]) -> dict[str, Any]:
    namespace, name = key.split("/")
    blobs = catalog_blobs(catalog["packages"])
    return {"name": name, "namespace": namespace, "priority": catalog.get("priority", 0), "blobs": blobs}


def catalog_blobs(packages: dict[str, Any]) -> list[dict[str, Any]]:
    """The blobs of a file-based catalog with these *packages*."""
    blobs: list[dict[str, Any]] = []
    for package, content in packages.items():
        default = content.get("default", next(iter(content["channels"])))
        blobs.append({"schema": "olm.package", "name": package, "defaultChannel": default})
        names: dict[str, None] = {}
        for channel, entries in content["channels"].items():
            written = _chain(entries) if isinstance(entries, str) else entries
            blobs.append({"schema": "olm.channel", "package": package, "name": channel, "entries": written})
            names.update(dict.fromkeys(entry["name"] for entry in written))
        bundles = content.get("bundles", {})
        for bundle in names:
            properties = _published(package, bundle, bundles.get(bundle, []))
            blobs.append({"schema": "olm.bundle", "package": package, "name": bundle, "properties": properties})
        if "deprecated" in content:
            blobs.append({"schema": "olm.deprecations", "package": package, "entries": content["deprecated"]})
    return blobs


def _chain(text: str) -> list[dict[str, Any]]:
    names = text.split(" > ")
    entries: list[dict[str, Any]] = [{"name": name} for name in names]
    for entry, replaced in zip(entries, names[1:], strict=False):
        entry["replaces"] = replaced
    return entries


def _installed(operator: dict[str, Any], packages: dict[str, Any]) -> dict[str, Any]:
    name = operator["name"]
    package = operator.get("package", name.split(".v")[0])
    published = operator.get("publishes")
    if published is None:
        published = packages[package].get("bundles", {}).get(name, [])
    written = {
        "name": name,
        "version": operator.get("version", _version(name)),
        "properties": _published(package, name, published),
    }
    return written | ({"subscription": operator["owner"]} if "owner" in operator else {})


def _subscription(wish: dict[str, Any]) -> dict[str, Any]:
    return {"name": wish["package"], "source": "main", "sourceNamespace": "olm"} | wish


def _version(bundle: str) -> str:
    return bundle.partition(".v")[2]


def _published(package: str, bundle: str, short: list[dict[str, Any]]) -> list[dict[str, Any]]:
    own = {"type": "olm.package", "value": {"packageName": package, "version": _version(bundle)}}
    return [own, *map(_property, short)]


def _property(short: dict[str, Any]) -> dict[str, Any]:
    if "type" in short:
        return short
    ((key, value),) = short.items()
    if key in {"provides", "needs"}:
        group, version, kind = value.split("/")
        suffix = ".required" if key == "needs" else ""
        return {"type": f"olm.gvk{suffix}", "value": {"group": group, "version": version, "kind": kind}}
    if key == "needs-package":
        name, _, versions = value.partition(" ")
        return {"type": "olm.package.required", "value": {"packageName": name, "versionRange": versions}}
    if key in {"label", "needs-label"}:
        suffix = ".required" if key == "needs-label" else ""
        return {"type": f"olm.label{suffix}", "value": {"label": value}}
    assert key == "constraint", f"unknown short form of a property: {key}"
    return {"type": "olm.constraint", "value": value}
