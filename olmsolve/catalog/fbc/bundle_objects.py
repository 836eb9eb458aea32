"""Manifests inside a catalog: the base64 data of ``olm.bundle.object`` properties, read and added."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.catalog.model import Bundle, Catalog, Package
from olmsolve.predicates import Property

BUNDLE_OBJECT: Final = "olm.bundle.object"
"""The type of properties that hold a manifest each."""


def object_data(manifest: Mapping[str, Any]) -> str:
    """Return *manifest* as the ``data`` of an ``olm.bundle.object``: base64 of its JSON as ``opm`` writes it."""
    # Imported on first use: most commands read manifests, and few write them.
    import base64

    from olmsolve.catalog.fbc.opm_json import escaped_text

    return base64.b64encode(escaped_text(manifest).encode("utf-8", "replace")).decode("ascii")


def object_content(value: object) -> bytes:
    """Decode the bytes (JSON or YAML) of the manifest in *value*, the value of an ``olm.bundle.object`` property.

    Line ends inside the base64 do not count, as in Go.

    Raises:
        ValueError: there is no data, or it is not base64; the message says which.
    """
    data = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(data, str):
        raise ValueError("has no data")
    import base64  # few catalogs of today have such properties

    try:
        return base64.b64decode(data.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        raise ValueError("is not base64") from None


def object_manifest(value: object) -> Mapping[str, Any] | None:
    """Return the JSON manifest in *value*, an ``olm.bundle.object`` property's value; None where it holds none."""
    try:
        manifest = json.loads(object_content(value))
    except (ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None


def with_manifests(catalog: Catalog, bundles: Iterable[Mapping[str, Any]]) -> Catalog:
    """Return *catalog* with the manifests of *bundles*, blobs of :func:`read_bundle` with objects, in its own bundles.

    A bundle is found by its package and its name; one that the catalog does not have is left out, and one that
    has its manifests already keeps them.

    >>> import olmsolve
    >>> from olmsolve.catalog import read_bundle, with_manifests
    >>> bundle = read_bundle("olmsolve/examples/authoring/bundles/keyring-1.1.0", with_objects=True)
    >>> commons = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> with_manifests(commons, [bundle]) == commons  # it has no keyring.v1.1.0
    True
    """
    changed: dict[str, dict[str, Bundle]] = {}
    for blob in bundles:
        package = catalog.packages.get(blob["package"])
        bundle = None if package is None else package.bundles.get(blob["name"])
        if bundle is None or any(published.type == BUNDLE_OBJECT for published in bundle.properties):
            continue
        objects = [
            Property(given["type"], given["value"]) for given in blob["properties"] if given["type"] == BUNDLE_OBJECT
        ]
        whole = attrs.evolve(bundle, properties=(*bundle.properties, *objects))
        changed.setdefault(bundle.package, {})[bundle.name] = whole
    if not changed:
        return catalog
    packages: dict[str, Package] = {}
    for name, manifests in changed.items():
        package = catalog.packages[name]
        packages[name] = attrs.evolve(package, bundles={**package.bundles, **manifests})
    # A catalog with an index reads a package when it is looked at: the others stay unread, in their order.
    unchanged: Any = catalog.packages  # a ChainMap writes into its first mapping alone
    return attrs.evolve(catalog, packages=ChainMap(packages, unchanged))
