"""The facts that bundles publish, read once for all advice."""

from __future__ import annotations

from itertools import chain

from olmsolve._limits import checked
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Bundle, Catalog, Package, PerList
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.predicates import GVK, published
from olmsolve.semver import Version
from olmsolve.v1 import PackageOffers, offers_of


class PublishedFacts:
    """The versions and APIs that the bundles of one catalog publish."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._versions: dict[str, dict[str, Version | None]] = {}
        self._apis: dict[str, frozenset[GVK]] = {}
        apis_of = PerList(_apis)
        for package in catalog:
            versions = self._versions[package.name] = {}
            apis: dict[int, tuple[GVK, ...]] = {}
            for name, bundle in checked(package.bundles.items(), every=16):
                versions[name] = bundle_version(package, name, catalog.scheme)
                of_list = apis_of(bundle)
                apis[id(of_list)] = of_list
            self._apis[package.name] = frozenset(chain.from_iterable(apis.values()))

    def offers(self, package: Package) -> PackageOffers | None:
        """Return *package* as OLM v1 sees it."""
        return offers_of(self._catalog, package.name, release_support=False)

    def apis(self, package: str) -> frozenset[GVK]:
        """Return the APIs that bundles of *package* provide."""
        return self._apis[package]

    def version(self, package: str, bundle: str) -> Version | None:
        """Return the version of *bundle*; None if it has no readable version, or does not exist."""
        return self._versions.get(package, {}).get(bundle)

    def version_key(self, package: Package) -> VersionKey:
        """Return the sort key of the bundles of *package*."""
        return VersionKey(self._versions.get(package.name, {}).get)


def _apis(bundle: Bundle) -> tuple[GVK, ...]:
    return published(bundle.package, bundle.properties).gvks
