"""Renderers, which resolve images in memory, in files and in registries, and the result of rendering a template."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import olmsolve._attrs as attrs
from olmsolve._paths import is_there
from olmsolve.catalog import Bundle, Catalog, Origin
from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc import from_blobs, is_bundle, load, plain, read_whole_bundle
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
        self, find: Callable[[str], list[RenderedBundle] | None], otherwise: Renderer | None, origin: str = ""
    ) -> None:
        self._find = find
        self._otherwise = otherwise
        self._origin = origin

    def __call__(self, image: str) -> Iterable[Mapping[str, Any]]:
        """Return the blobs of the bundles of *image*. Raises CatalogError for an unknown image."""
        return [bundle.blob for bundle in self.bundles(image)]

    def bundles(self, image: str) -> list[RenderedBundle]:
        """Return the bundles of *image* with their manifests. Raises CatalogError for an unknown image."""
        bundles = self._find(image)
        if bundles is not None:
            return bundles
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


def bundles_by_image(bundles: Catalog | Iterable[Mapping[str, Any]], otherwise: Renderer | None = None) -> Renderer:
    """Return a renderer that finds *bundles*, blobs or a whole catalog, by their ``image``.

    Other images go to the renderer *otherwise*.
    """
    catalog = bundles if isinstance(bundles, Catalog) else from_blobs(bundles)
    bundles_of_image: dict[str, list[RenderedBundle]] = {}
    for package in catalog:
        for bundle in package.bundles.values():
            if bundle.image:
                bundles_of_image.setdefault(bundle.image, []).append(RenderedBundle(_blob(bundle)))

    return ImageRenderer(bundles_of_image.get, otherwise, catalog.origin)


def bundles_from_registries(*, with_objects: bool = False) -> Renderer:
    """Return a renderer that pulls each image from the registry in its name: of a bundle, or of a catalog.

    It needs the extra ``images``; docs/images.md says which credentials it uses and what it keeps. *with_objects* keeps
    the manifests of bundles whole, as :func:`olmsolve.catalog.read_bundle` does.
    """
    return ImageRenderer(lambda image: _bundles_at(Path(f"docker://{image}"), image, with_objects=with_objects), None)


def bundles_in_folder(
    root: str | os.PathLike[str], otherwise: Renderer | None = None, *, with_objects: bool = False
) -> Renderer:
    """Return a renderer that reads an image as a path below *root*.

    At the path is a file or folder with the blobs of bundles, or a bundle's own folder (``manifests/`` and
    ``metadata/``). Paths that leave *root*, by ``..`` or by symbolic links, are refused. Images without a path there go
    to the renderer *otherwise*. *with_objects* keeps the manifests of bundles whole, as
    :func:`olmsolve.catalog.read_bundle` does.
    """
    folder = Path(root)

    def found(image: str) -> list[RenderedBundle] | None:
        path = folder / image
        if otherwise is not None and not is_there(path):
            return None
        try:
            inside = bool(image) and path.resolve(strict=True).is_relative_to(folder.resolve())
        except (OSError, RuntimeError, ValueError):
            raise CatalogError(f"no bundle {quote(image)}", origin=shown(folder)) from None
        if not inside:
            raise CatalogError(f"the bundle {quote(image)} is not in this folder", origin=shown(folder))
        return _bundles_at(path, image, with_objects=with_objects)

    return ImageRenderer(found, otherwise)


def bundles_by_path(
    paths: Mapping[str, str | os.PathLike[str]], otherwise: Renderer | None = None, *, with_objects: bool = False
) -> Renderer:
    """Return a renderer that finds the path of an image in *paths*: a file or folder of blobs, or a bundle.

    Other images go to the renderer *otherwise*. *with_objects* keeps the manifests of bundles whole, as
    :func:`olmsolve.catalog.read_bundle` does.
    """

    def found(image: str) -> list[RenderedBundle] | None:
        return _bundles_at(Path(paths[image]), image, with_objects=with_objects) if image in paths else None

    return ImageRenderer(found, otherwise)


def _bundles_at(path: Path, image: str, *, with_objects: bool) -> list[RenderedBundle]:
    """Return the bundles at *path*; the folder of a bundle, or its image in a file, does not know the name *image*."""
    if is_bundle(path):
        whole = read_whole_bundle(path, image=image, with_objects=with_objects)
        return [RenderedBundle(whole.blob, whole.csv)]
    return [RenderedBundle(_blob(bundle)) for package in load(path) for bundle in package.bundles.values()]


def _blob(bundle: Bundle) -> Blob:
    blob: Blob = {"schema": "olm.bundle", "name": bundle.name, "package": bundle.package}
    if bundle.image:
        blob["image"] = bundle.image
    blob["properties"] = [{"type": property_.type, "value": property_.value} for property_ in bundle.properties]
    return {**blob, **bundle.extra}
