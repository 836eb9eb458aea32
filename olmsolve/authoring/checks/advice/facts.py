"""The facts that bundles publish, read once for all advice."""

from __future__ import annotations

from functools import partial

from olmsolve._limits import checked
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Catalog, Package
from olmsolve.predicates import Published, published
from olmsolve.semver import Version
from olmsolve.v1 import PackageOffers, offers_of


class PublishedFacts:
    """The facts that the bundles of one catalog publish, by package and bundle."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._published = {
            (package.name, bundle.name): published(package.name, bundle.properties)
            for package in catalog
            for bundle in checked(package.bundles.values(), every=16)
        }

    def offers(self, package: Package) -> PackageOffers | None:
        """Return *package* as OLM v1 sees it."""
        return offers_of(self._catalog, package.name, release_support=False)

    def facts_of(self, package: str, bundle: str) -> Published:
        """Return the facts of *bundle*, which must exist."""
        return self._published[package, bundle]

    def version(self, package: str, bundle: str) -> Version | None:
        """Return the version of *bundle*; None if it has no readable version, or does not exist."""
        facts = self._published.get((package, bundle))
        return None if facts is None else facts.version

    def version_key(self, package: Package) -> VersionKey:
        """Return the sort key of the bundles of *package*."""
        return VersionKey(partial(self.version, package.name))
