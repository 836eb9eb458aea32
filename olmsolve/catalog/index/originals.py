"""What a catalog holds that the columns of its index do not."""

from __future__ import annotations

from typing import Protocol

import attrs

from olmsolve.catalog import Catalog
from olmsolve.predicates import Property

__all__ = ["CatalogObjects", "Fault", "Originals"]


@attrs.frozen
class Fault:
    """What is broken: a channel without an order (*bundle* is ""), or a bundle's requirements.

    *property* names the offending property and the place in it.
    """

    package: str
    channel: str
    bundle: str
    property: str
    reason: str
    origin: str

    def __str__(self) -> str:
        return f"{self.property}: {self.reason}" if self.property else self.reason


class Originals(Protocol):
    """What the columns of an index do not hold, by the names of packages, bundles and channels."""

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        """All properties of a bundle, which is the one of this *number* in the index."""

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        """Where the bundle of this *number*, or the channel of this one where *bundle* is None, was read."""


class CatalogObjects:
    """The originals of an index that was built from its catalog: the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        return self._catalog.packages[package].bundles[bundle].properties

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        found = self._catalog.packages[package]
        return str((found.channels[channel] if bundle is None else found.bundles[bundle]).origin or "")
