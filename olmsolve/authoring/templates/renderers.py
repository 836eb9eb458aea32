"""Renderers for bundles: in memory, in files, and in the registries that their images name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from olmsolve._typed_paths import is_there
from olmsolve.authoring.templates.rendered import Blob, Renderer
from olmsolve.catalog import Bundle, Catalog
from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc import from_blobs, is_bundle, load, read_bundle
from olmsolve.errors import CatalogError
from olmsolve.semver import quote


def by_image(bundles: Catalog | Iterable[Mapping[str, Any]], otherwise: Renderer | None = None) -> Renderer:
    """Return a renderer that finds *bundles*, blobs or a whole catalog, by their ``image``.

    Other images are left to the renderer *otherwise*.
    """
    catalog = bundles if isinstance(bundles, Catalog) else from_blobs(bundles)
    bundles_of_image: dict[str, list[Blob]] = {}
    for package in catalog:
        for bundle in package.bundles.values():
            if bundle.image:
                bundles_of_image.setdefault(bundle.image, []).append(_blob(bundle))

    return _first_of(bundles_of_image.get, otherwise, catalog.origin)


def from_registries() -> Renderer:
    """Return a renderer that pulls each image from the registry in its name: of a bundle, or of a catalog.

    It needs the extra ``images``; docs/images.md says which credentials it uses and what it keeps.
    """
    return lambda image: _bundles_at(Path(f"docker://{image}"), image)


def in_folder(root: str | os.PathLike[str], otherwise: Renderer | None = None) -> Renderer:
    """Return a renderer that reads an image as a path below *root*.

    At the path is a file or folder with the blobs of bundles, or a bundle's own folder (``manifests/`` and
    ``metadata/``). Paths that leave *root*, by ``..`` or by symbolic links, are refused. Images without a path there
    are left to the renderer *otherwise*.
    """
    folder = Path(root)

    def rendered(image: str) -> Iterable[Mapping[str, Any]]:
        path = folder / image
        if otherwise is not None and not is_there(path):
            return otherwise(image)
        try:
            inside = bool(image) and path.resolve(strict=True).is_relative_to(folder.resolve())
        except (OSError, RuntimeError, ValueError):
            raise CatalogError(f"no bundle {quote(image)}", origin=shown(folder)) from None
        if not inside:
            raise CatalogError(f"the bundle {quote(image)} is not in this folder", origin=shown(folder))
        return _bundles_at(path, image)

    return rendered


def by_path(paths: Mapping[str, str | os.PathLike[str]], otherwise: Renderer | None = None) -> Renderer:
    """Return a renderer that finds the path of an image in *paths*: a file or folder of blobs, or a bundle.

    Other images are left to the renderer *otherwise*.
    """
    return _first_of(lambda image: _bundles_at(Path(paths[image]), image) if image in paths else None, otherwise)


def _first_of(find: Callable[[str], list[Blob] | None], otherwise: Renderer | None, origin: str = "") -> Renderer:
    def rendered(image: str) -> Iterable[Mapping[str, Any]]:
        found = find(image)
        if found is not None:
            return found
        if otherwise is not None:
            return otherwise(image)
        raise CatalogError(f"no bundle with the image {quote(image)}", origin=origin)

    return rendered


def _bundles_at(path: Path, image: str) -> list[Blob]:
    """Return the bundles at *path*; the folder of a bundle, or its image in a file, does not know the name *image*."""
    if is_bundle(path):
        return [read_bundle(path, image=image)]
    return [_blob(bundle) for package in load(path) for bundle in package.bundles.values()]


def _blob(bundle: Bundle) -> Blob:
    blob: Blob = {"schema": "olm.bundle", "name": bundle.name, "package": bundle.package}
    if bundle.image:
        blob["image"] = bundle.image
    blob["properties"] = [{"type": each.type, "value": each.value} for each in bundle.properties]
    return {**blob, **bundle.extra}
