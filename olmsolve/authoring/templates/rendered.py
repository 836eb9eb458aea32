"""Renderers, which resolve images, and the result of rendering a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

import olmsolve._attrs as attrs
from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.fbc import from_blobs, plain
from olmsolve.errors import CatalogError, raise_all
from olmsolve.semver import quote

Blob: TypeAlias = dict[str, Any]

Renderer: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]
"""A function from an image to the blobs of its bundles, which raises CatalogError for an image unknown to it."""


@attrs.frozen
class RenderedBundle:
    """The *blob* of a bundle, and its ClusterServiceVersion *csv* if the blob was made from its manifests."""

    blob: Blob
    csv: Mapping[str, Any] | None = None


class ImageRenderer:
    """A renderer that knows the manifests of the bundles that it reads, of which blobs keep only a part.

    *find* returns the bundles of an image, or None for an image that is unknown to it, which is left to *otherwise*.
    """

    def __init__(
        self,
        find: Callable[[str], list[RenderedBundle] | None],
        otherwise: Renderer | None,
        origin: str = "",
    ) -> None:
        self._find = find
        self._otherwise = otherwise
        self._origin = origin

    def __call__(self, image: str) -> Iterable[Mapping[str, Any]]:
        """Return the blobs of the bundles of *image*. Raises CatalogError for an unknown image."""
        return [bundle.blob for bundle in self.bundles(image)]

    def bundles(self, image: str) -> list[RenderedBundle]:
        """Return the bundles of *image* with their manifests. Raises CatalogError for an unknown image."""
        known = self._find(image)
        if known is not None:
            return known
        if self._otherwise is not None:
            return _from(self._otherwise, image)
        raise CatalogError(f"no bundle with the image {quote(image)}", origin=self._origin)


def _from(renderer: Renderer, image: str) -> list[RenderedBundle]:
    if isinstance(renderer, ImageRenderer):
        return renderer.bundles(image)
    # Blobs of strangers may be anything; whoever uses them copies them first, which refuses what is no blob.
    return [RenderedBundle(cast("Blob", blob)) for blob in renderer(image)]


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


def bundles_of_all(images: Iterable[str], renderer: Renderer) -> dict[str, list[RenderedBundle]]:
    """Map each of *images* to its bundles, as :func:`bundles_of` gives them.

    Raises:
        CatalogError: *renderer* knows no bundle for an image, or has an error for it; the errors of all images at once.
    """
    rendered: dict[str, list[RenderedBundle]] = {}
    errors: list[CatalogError] = []
    for image in dict.fromkeys(images):
        try:
            rendered[image] = bundles_of(image, renderer)
        except CatalogError as error:
            errors.append(error)
    raise_all(errors)
    return rendered


def bundles_of(image: str, renderer: Renderer) -> list[RenderedBundle]:
    """Return copies of the bundles that *renderer* has for *image*; other blobs are dropped."""
    origin = Origin(f"image {quote(image)}")
    copies = [attrs.evolve(copy, blob=plain(copy.blob, origin)) for copy in _from(renderer, image)]
    bundles = [copy for copy in copies if copy.blob.get("schema") == "olm.bundle"]
    for bundle in bundles:
        for field in ("name", "package", "image"):
            if not isinstance(bundle.blob.get(field, ""), str):
                raise CatalogError(f"{field} of the bundle must be a string", origin=origin.file)
    return bundles
