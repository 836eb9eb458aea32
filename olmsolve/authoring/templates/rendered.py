"""What templates are rendered with, and to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import attrs

from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.fbc import from_blobs, plain
from olmsolve.errors import CatalogError
from olmsolve.semver import quote

__all__ = ["Blob", "Rendered", "Renderer", "bundles_of"]

Blob: TypeAlias = dict[str, Any]

Renderer: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]
"""From an image to the blobs of its bundles. Raises :class:`~olmsolve.errors.CatalogError` for one unknown to it."""


@attrs.frozen
class Rendered:
    """The blobs of a rendered template, by schema; iterating gives all of them in the order of the fields."""

    packages: tuple[Blob, ...] = ()
    channels: tuple[Blob, ...] = ()
    bundles: tuple[Blob, ...] = ()
    deprecations: tuple[Blob, ...] = ()
    others: tuple[Blob, ...] = ()

    def __iter__(self) -> Iterator[Blob]:
        yield from self.packages
        yield from self.channels
        yield from self.bundles
        yield from self.deprecations
        yield from self.others

    def catalog(self) -> Catalog:
        """The blobs as a catalog. Raises :class:`~olmsolve.errors.CatalogError` where they cannot be linked."""
        return from_blobs(self)


def bundles_of(image: str, renderer: Renderer) -> list[Blob]:
    """What *renderer* gives for *image*, copied, without blobs that are no bundles."""
    place = Origin(f"image {quote(image)}")
    blobs = [plain(blob, place) for blob in renderer(image)]
    bundles = [blob for blob in blobs if blob.get("schema") == "olm.bundle"]
    for bundle in bundles:
        for field in ("name", "package", "image"):
            if not isinstance(bundle.get(field, ""), str):
                raise CatalogError(f"{field} of the bundle must be a string", origin=place.file)
    return bundles
