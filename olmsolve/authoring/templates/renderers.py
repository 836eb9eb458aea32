"""Renderers for bundles: in memory, in files, and in the registries that their images name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from olmsolve._typed_paths import is_there
from olmsolve.authoring.templates.rendered import Blob, ImageRenderer, RenderedBundle, Renderer
from olmsolve.catalog import Bundle, Catalog
from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc import from_blobs, is_bundle, load, read_whole_bundle
from olmsolve.errors import CatalogError
from olmsolve.semver import quote


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
