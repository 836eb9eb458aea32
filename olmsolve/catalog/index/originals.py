"""The raw properties and origins of a catalog, which the columns of its index do not hold."""

from __future__ import annotations

from typing import Protocol

import olmsolve._attrs as attrs
from olmsolve.catalog import Catalog
from olmsolve.errors import pointed
from olmsolve.predicates import Property


@attrs.frozen
class Fault:
    """A broken channel or bundle: a channel without an order (*bundle* is ""), or requirements that do not parse.

    *property* is the path to the offending property and in it. *excerpt* shows the fault inside a range or a CEL rule:
    see :class:`~olmsolve.errors.ConstraintError`.
    """

    package: str
    channel: str
    bundle: str
    property: str
    reason: str
    origin: str
    excerpt: str = ""

    def __str__(self) -> str:
        reason = pointed(self.reason, self.excerpt)
        return f"{self.property}: {reason}" if self.property else reason


class Originals(Protocol):
    """The values that the columns of an index do not hold, by the names of packages, bundles and channels."""

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        """Return all properties of a bundle, whose number in the index is *number*."""

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        """Return where the bundle of this *number* was read; with *bundle* None, the channel of this number."""


class CatalogObjects:
    """The originals of an index that was built from its catalog: the catalog's own objects."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        return self._catalog.packages[package].bundles[bundle].properties

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        original = self._catalog.packages[package]
        return str((original.channels[channel] if bundle is None else original.bundles[bundle]).origin or "")
