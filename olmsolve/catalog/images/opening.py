"""The image at a path: in a registry, in the folder of an OCI layout, or in an archive.

Archives may have Docker's own format, which ``docker save``, ``podman save`` and skopeo write: ``manifest.json`` lists
the images, with the file of the configuration, the names, and the files of the layers. The configuration has the digest
of each layer, unpacked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from olmsolve._limits import check
from olmsolve._paths import is_file, is_there
from olmsolve.catalog.archives import (
    GZIP_MARK,
    TOTAL_BYTES,
    ArchiveMembers,
    gzip_pieces,
    is_tar,
    open_plain,
    shown,
)
from olmsolve.catalog.images.blobs import (
    INDEX,
    LAYOUT,
    MANIFEST_BYTES,
    LayoutArchive,
    LayoutFolder,
    document_of,
    list_of,
    read_document,
    read_object,
    refuse_incomplete,
    text_of,
)
from olmsolve.catalog.images.contents import ContentKind, ImageContent, content_of, kind_of
from olmsolve.catalog.images.image import (
    Image,
    Layer,
    check_count,
    chosen_image,
    chosen_name,
    labels_of,
    unpacked_digests,
)
from olmsolve.catalog.images.reference import ImageReference, image_reference
from olmsolve.errors import CatalogError

_HEAD: Final = 512  # bytes: the first record of a tar archive, which has its mark
_IN_MEMORY: Final = 64 << 20  # bytes of an archive that are kept in memory; a larger one goes to a temporary file


def image_content(given: str) -> ImageContent | None:
    """Return the files of the image at *given* that count for OLM; None where no image is.

    *given* is the name of an image (:func:`image_reference`), the folder of an OCI layout, or an archive of images;
    after a path, ``#TAG`` chooses one of several images. If a file or folder has the whole text as its name, the text
    is a path.

    Raises:
        CatalogError: the image cannot be reached or read, or is none of OLM's.
    """
    with _image_at(given) as image:
        return None if image is None else content_of(image)


def image_kind(given: str) -> ContentKind | None:
    """Return the kind of the image at *given* by its labels alone; None where no image is. Raises CatalogError."""
    with _image_at(given) as image:
        return None if image is None else kind_of(image)


def archived_content(file: IO[bytes], origin: str) -> ImageContent | None:
    """Return what the only image in the tar archive *file* holds; None if no image is in it.

    Raises:
        CatalogError: there are several images, or the image cannot be read, or is none of OLM's.
    """
    image = _archived(ArchiveMembers(file, origin), "", origin)
    return None if image is None else content_of(image)


@contextmanager
def _image_at(given: str) -> Iterator[Image | None]:
    path, tag = _path_and_tag(given)
    if is_there(path):
        if (Path(path) / LAYOUT).is_file() and (Path(path) / INDEX).is_file():
            layout = LayoutFolder(Path(path), shown(given))
            yield chosen_image(layout, layout.index(), tag)
        elif is_file(path):
            with _opened_archive(Path(path), shown(given)) as archive:
                yield None if archive is None else _archived(ArchiveMembers(archive, shown(given)), tag, shown(given))
        else:
            yield None
        return
    reference = image_reference(given)
    if reference is None:
        yield None
        return
    with _from_registry(reference) as image:
        yield image


@contextmanager
def _opened_archive(path: Path, origin: str) -> Iterator[IO[bytes] | None]:
    """Open the tar archive *path*, decompressed if it is gzip; None where the file is no archive."""
    with open_plain(path) as file:
        head = file.read(_HEAD)
        if not head.startswith(GZIP_MARK):
            yield file if is_tar(head) else None
            return
        pieces = gzip_pieces(file.read, head, origin)
        first = next(pieces, b"")
        if not is_tar(first):
            yield None
            return
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="olmsolve-") as spool:
            size = 0
            for piece in chain([first], pieces):
                check()
                size += spool.write(piece)
                if size > TOTAL_BYTES:
                    raise CatalogError(f"an archive of more than {TOTAL_BYTES:,} bytes", origin=origin)
            yield spool


@contextmanager
def _from_registry(reference: ImageReference) -> Iterator[Image]:
    # Only images from registries pay for what these import.
    from olmsolve.catalog.images.registry import blob_folder, image_from_registry

    with blob_folder() as folder:
        yield image_from_registry(reference, folder)


def _path_and_tag(given: str) -> tuple[str, str]:
    path, separator, tag = given.rpartition("#")
    return (path, tag) if separator and path and not is_there(given) and is_there(path) else (given, "")


def _archived(members: ArchiveMembers, tag: str, origin: str) -> Image | None:
    """Return the image that is called *tag* among *members*; None if they are no images."""
    if LAYOUT in members and INDEX in members:
        layout = LayoutArchive(members, origin)
        return chosen_image(layout, layout.index(), tag)
    listed = _docker_images(members, origin)
    return None if listed is None else _image_from_docker(members, listed, tag, origin)


MANIFEST: Final = "manifest.json"


def _docker_images(members: ArchiveMembers, origin: str) -> list[dict[str, Any]] | None:
    """Return the images that the archive lists; None if it is no archive of images.

    A catalog may have a file with the name of the list, but no catalog is a list.
    """
    if MANIFEST not in members or members.size(MANIFEST) > MANIFEST_BYTES:
        return None
    try:
        listed = document_of(read_document(members.open(MANIFEST), origin), origin)
    except CatalogError:
        return None
    if not isinstance(listed, list) or not all(isinstance(image, dict) and "Layers" in image for image in listed):
        return None
    return listed


def _image_from_docker(members: ArchiveMembers, listed: list[dict[str, Any]], tag: str, origin: str) -> Image:
    """Return the image called *tag* in the images *listed*; the only one if *tag* is "".

    Raises:
        CatalogError: there is no image of this name, or several without one, or the archive is damaged.
    """
    names = [[tag for tag in list_of(image, "RepoTags", origin) if isinstance(tag, str)] for image in listed]
    image = listed[chosen_name(names, tag, origin)]
    configuration = _configuration(members, text_of(image, "Config"), origin)
    files = list_of(image, "Layers", origin)
    check_count(len(files), origin)
    digests = unpacked_digests(configuration, len(files), origin)
    layers = []
    for name, digest in zip(files, digests, strict=True):
        if not isinstance(name, str) or name not in members:
            refuse_incomplete(name, origin)
        layers.append(Layer(partial(members.open, name), unpacked=digest))
    return Image(origin, labels_of(configuration, origin), tuple(layers))


def _configuration(members: ArchiveMembers, name: str, origin: str) -> dict[str, Any]:
    if name not in members:
        refuse_incomplete(name or "its configuration", origin)
    return read_object(members.open(name), origin)
