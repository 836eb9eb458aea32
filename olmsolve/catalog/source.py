"""A catalog as a request sees it: with the name, namespace and priority that a cluster gives it."""

from __future__ import annotations

import olmsolve._attrs as attrs
from olmsolve._arguments import is_a, is_name, is_number, is_text
from olmsolve.catalog.model import Catalog
from olmsolve.errors import CatalogError


@attrs.frozen
class _NamedSource:
    """The names and the priority that a cluster gives a catalog, readable or not."""

    name: str = attrs.field(validator=is_name)
    # A ClusterCatalog that stands for a source has no namespace.
    namespace: str = attrs.field(validator=is_text)
    priority: int = attrs.field(validator=is_number)

    @property
    def key(self) -> str:
        """``namespace/name``, as resolutions name catalogs and ``kubectl`` names objects."""
        return f"{self.namespace}/{self.name}"

    def rank(self, target: str) -> tuple[int, bool, str, str]:
        """Return the key that sorts the sources visible in the namespace *target*, the preferred first."""
        return -self.priority, self.namespace != target, self.name, self.namespace


@attrs.frozen
class Source(_NamedSource):
    """A catalog under the name, namespace and priority that a cluster gives it (OLM's ``CatalogSource``).

    Name and priority belong to the request, not to the catalog: one :class:`Catalog` can serve many sources.
    Higher priorities come first.

    Raises:
        RequestError: a field has the wrong type.
    """

    catalog: Catalog = attrs.field(validator=is_a(Catalog))


def _catalog_error(value: CatalogError | str) -> CatalogError:
    return CatalogError(value) if isinstance(value, str) else value


@attrs.frozen
class UnreadableSource(_NamedSource):
    """A catalog of the cluster whose content is not available; *error* is the reason, as an error or a text."""

    # Exceptions are equal by identity only.
    error: CatalogError = attrs.field(converter=_catalog_error, validator=is_a(CatalogError), eq=str)


def namespace_and_name(key: str) -> tuple[str, str]:
    """Return the two parts of the *key* of a source; a key without a slash, as ClusterCatalogs have it, is a name."""
    namespace, _, name = key.rpartition("/")
    return namespace, name
