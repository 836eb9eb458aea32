"""The content of an image for OLM, by its labels: the files of a catalog, the database of one, or a bundle."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.archives import checked_path
from olmsolve.catalog.images.image import Image
from olmsolve.catalog.images.layers import Parts, image_files
from olmsolve.errors import CatalogError

CONFIGS_LABEL: Final = "operators.operatorframework.io.index.configs.v1"
DATABASE_LABEL: Final = "operators.operatorframework.io.index.database.v1"
_BUNDLE: Final = "operators.operatorframework.io.bundle."
PACKAGE_LABEL: Final = f"{_BUNDLE}package.v1"
_MANIFESTS_LABEL: Final = f"{_BUNDLE}manifests.v1"
_METADATA_LABEL: Final = f"{_BUNDLE}metadata.v1"
_SHOWN: Final = 10


class ContentKind(enum.Enum):
    """The use of an image in OLM."""

    CATALOG = "a catalog's image"
    DATABASE = "an image with an index database"
    BUNDLE = "a bundle's image"


class ImageContent(NamedTuple):
    """The files of an image that count for OLM, by their paths from *folder*, which is in the image.

    *reference* is the name under which the image was pulled, "" for one that came as files.
    """

    kind: ContentKind
    origin: str
    folder: str
    files: Mapping[Parts, bytes]
    reference: str = ""


def kind_of(image: Image) -> ContentKind:
    """Return what *image* is, in the order in which ``opm`` looks at its labels.

    Raises:
        CatalogError: no label says that it is for OLM.
    """
    labels = image.labels
    if DATABASE_LABEL in labels:
        return ContentKind.DATABASE
    if CONFIGS_LABEL in labels:
        return ContentKind.CATALOG
    if PACKAGE_LABEL in labels:
        return ContentKind.BUNDLE
    known = ", ".join(sorted(labels)[:_SHOWN])
    reason = f"an image of neither a catalog nor a bundle: it has no label {CONFIGS_LABEL} or {PACKAGE_LABEL}"
    raise CatalogError(f"{reason}; its labels: {known}" if known else f"{reason}, nor any other", origin=image.origin)


def content_of(image: Image) -> ImageContent:
    """Return the files of *image* that count for OLM.

    Raises:
        CatalogError: no label says that the image is for OLM, or it is damaged, or nothing is where the label says.
    """
    kind = kind_of(image)
    if kind is ContentKind.BUNDLE:
        # Where the manifests are, the annotations in the metadata say once more, from the root.
        folders = [_folder(image, _MANIFESTS_LABEL, "manifests"), _folder(image, _METADATA_LABEL, "metadata")]
        folders += [("manifests",), ("metadata",)]
        files = image_files(image, folders)
        return ImageContent(kind, image.origin, "", _refuse_empty(files, image, "manifests"), image.reference)
    label = CONFIGS_LABEL if kind is ContentKind.CATALOG else DATABASE_LABEL
    root = _folder(image, label, "")
    files = _refuse_empty(image_files(image, [root]), image, "/".join(root))
    if kind is ContentKind.DATABASE and root not in files:
        raise CatalogError(f"the image has no file /{'/'.join(root)}, which its label names", origin=image.origin)
    inner = {path[len(root) :] if kind is ContentKind.CATALOG else path[-1:]: data for path, data in files.items()}
    return ImageContent(kind, image.origin, "/".join(root), inner, image.reference)


def _folder(image: Image, label: str, otherwise: str) -> Parts:
    """Return the path that a *label* of *image* has. Raises CatalogError for one that leads out of the image."""
    named = image.labels.get(label, otherwise)
    path = named.lstrip("/")
    if not path.strip("/."):
        # The root of an image is no folder of files for OLM: it holds a whole system.
        raise CatalogError(f"the label {label} must name a folder, not {named!r}", origin=image.origin)
    try:
        return checked_path(path, image.origin)
    except CatalogError:
        raise CatalogError(f"the label {label} leads out of the image: {named!r}", origin=image.origin) from None


def _refuse_empty(files: Mapping[Parts, bytes], image: Image, folder: str) -> Mapping[Parts, bytes]:
    if not files:
        raise CatalogError(f"the image has no file in /{folder}, where its labels say", origin=image.origin)
    return files
