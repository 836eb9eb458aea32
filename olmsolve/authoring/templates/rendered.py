"""Renderers, which resolve images, and the result of rendering a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import attrs

from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.fbc import from_blobs, plain
from olmsolve.errors import CatalogError, raise_all
from olmsolve.semver import quote

Blob: TypeAlias = dict[str, Any]

Renderer: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]
"""A function from an image to the blobs of its bundles, which raises CatalogError for an image unknown to it."""


@attrs.frozen
class Rendered:
    """The blobs of a rendered template, by schema. Iterating yields all of them, in the order of the fields."""

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
        """Return the blobs as a catalog. Raises :class:`~olmsolve.errors.CatalogError` if they cannot be linked."""
        return from_blobs(self)


def bundles_of_all(images: Iterable[str], renderer: Renderer) -> dict[str, list[Blob]]:
    """Map each of *images* to its bundles, as :func:`bundles_of` gives them.

    Raises:
        CatalogError: *renderer* knows no bundle for an image, or has an error for it; the errors of all images at once.
    """
    found: dict[str, list[Blob]] = {}
    errors: list[CatalogError] = []
    for image in dict.fromkeys(images):
        try:
            found[image] = bundles_of(image, renderer)
        except CatalogError as error:
            errors.append(error)
    raise_all(errors)
    return found


def bundles_of(image: str, renderer: Renderer) -> list[Blob]:
    """Return copies of the bundles that *renderer* has for *image*; other blobs are dropped."""
    origin = Origin(f"image {quote(image)}")
    blobs = [plain(blob, origin) for blob in renderer(image)]
    bundles = [blob for blob in blobs if blob.get("schema") == "olm.bundle"]
    for bundle in bundles:
        for field in ("name", "package", "image"):
            if not isinstance(bundle.get(field, ""), str):
                raise CatalogError(f"{field} of the bundle must be a string", origin=origin.file)
    return bundles
