"""The contents of a cluster's catalogs, each loaded when a question first touches it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._reader import for_reader
from olmsolve.catalog import Catalog
from olmsolve.errors import CatalogError, ManifestError, RequestError

if TYPE_CHECKING:
    # Documents have contents as well, and do not wait for the objects of clusters to load.
    from olmsolve.cluster import ClusterState
    from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject
    from olmsolve.semver import VersionScheme

Deferred: TypeAlias = Callable[[], Catalog]
"""Loads a catalog when a question first touches it. Raises CatalogError or MissingContentError."""


@attrs.frozen
class SpareContent:
    """The content of a catalog that a cluster may have or lack: a *path* that a project names for all its clusters."""

    path: Path


Contents: TypeAlias = Mapping[str, Catalog | CatalogError]
"""The contents of catalogs, by ``namespace/name`` (by name alone for OLM v1), or why that cannot be read."""


@attrs.frozen
class MissingContentError(ManifestError):
    """A visible catalog whose content was not given; everything else about its cluster can still be reported."""

    def as_fault(self) -> CatalogError:
        """Return the same as a fault of the catalog, for whoever resolves without it."""
        return CatalogError(self.reason)


def scheme_in(contents: Contents, key: str) -> VersionScheme | None:
    """Return the scheme of the versions in the catalog *key*; None for semantic ones, and for a catalog not known."""
    content = contents.get(key)
    return content.scheme if isinstance(content, Catalog) else None


class CatalogFiles(Contents):
    """Contents that are read from files: each file once, when its catalog is first looked up.

    *given* maps the keys of :data:`Contents` to paths, to catalogs that are there already, or to functions that load
    one. Names are known without loading, so that ``in``, ``len`` and iteration cost nothing. With *strict*, a file that
    cannot be read raises its CatalogError on every lookup, and a function its MissingContentError; otherwise the error
    stands for the content, as an error in *given* always does.
    """

    def __init__(
        self,
        given: Mapping[str, Path | Catalog | CatalogError | Deferred],
        load: Callable[[Path], Catalog],
        *,
        strict: bool = True,
    ) -> None:
        self._given = dict(given)
        self._load = load
        self._strict = strict
        # By path, so that two catalogs of one file share it; by the catalog's key for a function.
        self._loaded: dict[Path | str, Catalog | CatalogError | MissingContentError] = {}

    def __getitem__(self, key: str) -> Catalog | CatalogError:
        given = self._given[key]
        if isinstance(given, Catalog | CatalogError):
            return given
        content = (
            self._content(given, partial(self._load, given)) if isinstance(given, Path) else self._content(key, given)
        )
        if self._strict and not isinstance(content, Catalog):
            raise content
        return content.as_fault() if isinstance(content, MissingContentError) else content

    def __contains__(self, key: object) -> bool:
        # The inherited test looks the key up, which would load the catalog.
        return key in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        return f"<CatalogFiles: {', '.join(self._given) or 'none'}>"

    def known(self, key: str) -> Path | Catalog | None:
        """Return the path of the content *key*, or the catalog if it is there; None where neither is known yet."""
        given = self._given[key]
        content = given if isinstance(given, Path | Catalog) else self._loaded.get(key)
        return content if isinstance(content, Path | Catalog) else None

    def _content(self, key: Path | str, load: Deferred) -> Catalog | CatalogError | MissingContentError:
        """Return what *load* gives or raises; two catalogs at one path share the content, a function has its own."""
        if key not in self._loaded:
            try:
                self._loaded[key] = load()
            except (CatalogError, MissingContentError) as error:
                # Errors are kept as well: every question would read the broken file once more.
                self._loaded[key] = error
        return self._loaded[key]


def known_paths(contents: Contents) -> Iterator[tuple[str, str]]:
    """Yield the name of each catalog of *contents*, and the path that its content is read from, if it has one.

    No content is read for that.
    """
    for key in contents:
        content = contents.known(key) if isinstance(contents, CatalogFiles) else contents[key]
        path = content.origin if isinstance(content, Catalog) else content
        if path is not None and not isinstance(path, CatalogError):
            yield key, str(path)


def _catalog_keys(state: ClusterState) -> set[str]:
    from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject

    keys = {catalog.key for catalog in state.all(CatalogSource)}
    return keys.union(catalog.name for catalog in state.all(ClusterCatalogObject))


def catalogs_named(state: ClusterState, name: str) -> list[str]:
    """Return the keys of the catalogs of *state* that *name* means."""
    return keys_named(sorted(_catalog_keys(state)), name)


def keys_named(keys: Iterable[str], name: str) -> list[str]:
    """Return the *keys* of catalogs that *name* means: without a namespace, each catalog of this name.

    >>> keys_named(["olm/community", "shop/community", "community"], "community")
    ['olm/community', 'shop/community', 'community']
    >>> keys_named(["olm/community", "shop/community", "community"], "shop/community")
    ['shop/community']
    """
    return [key for key in keys if name in (key, key.rpartition("/")[2])]


def refuse_unknown_contents(contents: Iterable[str], state: ClusterState) -> None:
    """Raise a RequestError for a name in *contents* that no catalog of *state* has, of either generation of OLM."""
    keys = _catalog_keys(state)
    for key in contents:
        if key not in keys:
            from olmsolve._near_names import did_you_mean, similar_keys

            near = did_you_mean(similar_keys(key, sorted(keys)))
            hint = near or f"there are: {', '.join(sorted(keys)[:10]) or 'none'}"
            reason = "no catalog among the cluster's objects has this name"
            raise RequestError(reason, field=f"catalog {key}", hint=hint)


def missing_content(catalog: CatalogSource | ClusterCatalogObject, key: str) -> MissingContentError:
    """Return the error of a visible *catalog* without content; *key* is its name among contents."""
    given = for_reader(python=f"catalogs={{{key!r}: PATH}}", option=f"--catalog {key}=PATH")
    image = f" of its image {catalog.image}" if catalog.image else ""
    return MissingContentError(
        "its content was not given",
        hint=f"{given}, the file-based catalog{image}",
        source=str(catalog.origin or ""),
        kind=catalog.KIND,
        object=catalog.key,
    )
