"""A catalog as a request sees it."""

from __future__ import annotations

import attrs

from olmsolve.catalog.model import Catalog

__all__ = ["Source"]


@attrs.frozen
class Source:
    """A catalog under the name, namespace and priority that a cluster gives it (OLM's ``CatalogSource``).

    Name and priority belong to the request, not to the catalog: one :class:`Catalog` can serve many sources.
    Higher priorities come first.
    """

    name: str
    namespace: str
    priority: int
    catalog: Catalog

    @property
    def key(self) -> str:
        """``name/namespace``, as resolutions name catalogs."""
        return f"{self.name}/{self.namespace}"
