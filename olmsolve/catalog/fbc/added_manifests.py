"""Catalogs with the manifests of bundles that their blobs do not have: what the images of the bundles hold."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import Any

import olmsolve._attrs as attrs
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT
from olmsolve.catalog.model import Bundle, Catalog, Package
from olmsolve.predicates import Property


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
