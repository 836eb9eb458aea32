"""Archives of images in Docker's own format, which ``docker save``, ``podman save`` and skopeo write.

``manifest.json`` lists the images: the file of the configuration, the names, and the files of the layers. The
configuration has the digest of each layer, unpacked.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from olmsolve.catalog.archives import ArchiveMembers
from olmsolve.catalog.images.choosing import chosen_name
from olmsolve.catalog.images.descriptor import MANIFEST_BYTES, document_of, list_of, object_of, read_document, text_of
from olmsolve.catalog.images.image import Image, Layer, check_count, labels_of
from olmsolve.errors import CatalogError

MANIFEST: Final = "manifest.json"


def docker_images(members: ArchiveMembers, origin: str) -> list[dict[str, Any]] | None:
    """Return the images that the archive lists; None if it is no archive of images.

    A catalog may have a file with the name of the list, but no catalog is a list.
    """
    if MANIFEST not in members or members.size(MANIFEST) > MANIFEST_BYTES:
        return None
    try:
        listed = document_of(read_document(members.open(MANIFEST), origin), origin)
    except CatalogError:
        return None
    if not isinstance(listed, list) or not all(isinstance(each, dict) and "Layers" in each for each in listed):
        return None
    return listed


def image_from_docker(members: ArchiveMembers, listed: list[dict[str, Any]], tag: str, origin: str) -> Image:
    """Return the image called *tag* of those *listed*; the only one if *tag* is "".

    Raises:
        CatalogError: there is no image of this name, or several without one, or the archive is damaged.
    """
    names = [[each for each in list_of(image, "RepoTags", origin) if isinstance(each, str)] for image in listed]
    image = listed[chosen_name(names, tag, origin)]
    configuration = object_of(document_of(_read(members, text_of(image, "Config"), origin), origin), origin)
    digests = list_of(object_of(configuration.get("rootfs") or {}, origin), "diff_ids", origin)
    files = list_of(image, "Layers", origin)
    check_count(len(files), origin)
    if len(files) != len(digests):
        raise CatalogError("a damaged image: it does not have the layers that its configuration names", origin=origin)
    layers = []
    for name, digest in zip(files, digests, strict=True):
        if not isinstance(name, str) or name not in members:
            raise CatalogError(f"the image is not complete: {name} is missing", origin=origin)
        if not isinstance(digest, str) or not digest.startswith("sha256:"):
            raise CatalogError("a damaged image: a layer without a SHA-256 digest", origin=origin)
        layers.append(Layer(partial(members.open, name), unpacked=digest))
    return Image(origin, labels_of(configuration, origin), tuple(layers))


def _read(members: ArchiveMembers, name: str, origin: str) -> bytes:
    if name not in members:
        raise CatalogError(f"the image is not complete: {name or 'its configuration'} is missing", origin=origin)
    return read_document(members.open(name), origin)
