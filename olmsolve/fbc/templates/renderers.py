"""Renderers for bundles that are at hand, in memory or in files: no image is pulled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from olmsolve.catalog import Bundle, Catalog
from olmsolve.errors import CatalogError
from olmsolve.fbc.document import shown
from olmsolve.fbc.linking import from_blobs
from olmsolve.fbc.loading import load
from olmsolve.fbc.templates.rendered import Blob, Renderer
from olmsolve.semver.quoting import quote

__all__ = ["by_image", "in_folder"]


def by_image(bundles: Catalog | Iterable[Mapping[str, Any]]) -> Renderer:
    """A renderer that knows *bundles*, the blobs themselves or those of a catalog, by their ``image``."""
    catalog = bundles if isinstance(bundles, Catalog) else from_blobs(bundles)
    known: dict[str, list[Blob]] = {}
    for package in catalog:
        for bundle in package.bundles.values():
            if bundle.image:
                known.setdefault(bundle.image, []).append(_blob(bundle))

    def rendered(image: str) -> list[Blob]:
        if image not in known:
            raise CatalogError(f"no bundle with the image {quote(image)}", origin=catalog.origin)
        return known[image]

    return rendered


def in_folder(root: str | os.PathLike[str]) -> Renderer:
    """A renderer that reads an image as a path below *root*, to a file or folder with the blobs of its bundles.

    Paths that leave *root*, by ``..`` or by symbolic links, are refused.
    """
    folder = Path(root)

    def rendered(image: str) -> list[Blob]:
        path = folder / image
        try:
            inside = bool(image) and path.resolve(strict=True).is_relative_to(folder.resolve())
        except (OSError, RuntimeError, ValueError):
            raise CatalogError(f"no bundle {quote(image)}", origin=shown(folder)) from None
        if not inside:
            raise CatalogError(f"the bundle {quote(image)} is not in this folder", origin=shown(folder))
        return [_blob(bundle) for package in load(path) for bundle in package.bundles.values()]

    return rendered


def _blob(bundle: Bundle) -> Blob:
    blob: Blob = {"schema": "olm.bundle", "name": bundle.name, "package": bundle.package}
    if bundle.image:
        blob["image"] = bundle.image
    blob["properties"] = [{"type": item.type, "value": item.value} for item in bundle.properties]
    return {**blob, **bundle.extra}
