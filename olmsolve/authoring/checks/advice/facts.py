"""What bundles publish, read once for all advice."""

from __future__ import annotations

from typing import Any

from olmsolve.catalog import Catalog, Package
from olmsolve.predicates import Published, published
from olmsolve.semver import Version

__all__ = ["Height", "PublishedFacts"]


class PublishedFacts:
    """The facts of the bundles of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._known = {
            (package.name, bundle.name): published(package.name, bundle.properties)
            for package in catalog
            for bundle in package.bundles.values()
        }

    def of(self, package: str, bundle: str) -> Published:
        """What *bundle* publishes, which must exist."""
        return self._known[package, bundle]

    def version(self, package: str, bundle: str) -> Version | None:
        """Its version; None where there is none to read, or no such bundle."""
        facts = self._known.get((package, bundle))
        return None if facts is None else facts.version

    def height(self, package: Package) -> Height:
        """The order of the bundles of *package*."""
        return Height(self, package.name)


class Height:
    """Called with the name of a bundle, a key by which the higher version is the greater; then the name decides."""

    def __init__(self, facts: PublishedFacts, package: str) -> None:
        self._facts = facts
        self._package = package

    def __call__(self, name: str) -> tuple[Any, ...]:
        version = self._facts.version(self._package, name)
        return ((), name) if version is None else ((version.key,), name)
