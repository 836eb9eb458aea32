"""An image: the labels of its configuration, and its layers from the lowest up; and the choice of one of several.

A tag chooses among the images of a layout, and then the platform of this machine among the platforms of the image.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.images.blobs import (
    BlobStore,
    ClosableStream,
    Descriptor,
    blob_document,
    descriptor_of,
    is_digest,
    list_of,
    object_of,
    texts_of,
)
from olmsolve.errors import CatalogError

LAYERS: Final = 1_000
"""Layers of one image. Container runtimes take about 127."""


class Layer(NamedTuple):
    """One layer: a function that opens its bytes, compressed or not, and the digests that they have.

    *digest* is of the bytes as they are and *size* their number, *unpacked* is of the tar archive inside; "" and None
    where nothing is known.
    """

    open: Callable[[], ClosableStream]
    digest: str = ""
    size: int | None = None
    unpacked: str = ""


class Image(NamedTuple):
    """An image: what errors call it, its labels, its layers from the lowest up, and its name if a registry has it."""

    origin: str
    labels: Mapping[str, str]
    layers: tuple[Layer, ...]
    reference: str = ""


def image_from_manifest(store: BlobStore, manifest: Mapping[str, Any]) -> Image:
    """Return the image of a *manifest* whose blobs are in *store*. Raises CatalogError, which names the store."""
    config = descriptor_of(manifest.get("config"), store.origin)
    configuration = blob_document(store, config)
    described = list_of(manifest, "layers", store.origin)
    check_count(len(described), store.origin)
    unpacked = unpacked_digests(configuration, len(described), store.origin)
    layers = []
    for described_layer, contents in zip(described, unpacked, strict=True):
        digest, size, *_ = descriptor_of(described_layer, store.origin)
        layers.append(Layer(partial(store.open_blob, digest), digest, size, contents))
    return Image(store.origin, labels_of(configuration, store.origin), tuple(layers))


def unpacked_digests(configuration: Mapping[str, Any], layers: int, origin: str) -> list[str]:
    """Return the digest of the tar archive in each of the *layers*, as the *configuration* of the image names them.

    The manifest names the blobs, and the configuration what is in them: runtimes run no image in which the two differ,
    so that a blob which decompresses to something else in other hands is refused.

    Raises:
        CatalogError: there are more or fewer digests than layers, or one that is none; it names *origin*.
    """
    digests = list_of(object_of(configuration.get("rootfs") or {}, origin), "diff_ids", origin)
    if len(digests) != layers:
        raise CatalogError("a damaged image: it does not have the layers that its configuration names", origin=origin)
    if not all(isinstance(digest, str) and is_digest(digest) for digest in digests):
        raise CatalogError("a damaged image: a layer without a SHA-256 or SHA-512 digest", origin=origin)
    return digests


def labels_of(configuration: Mapping[str, Any], origin: str) -> Mapping[str, str]:
    """Return the labels of an image by its *configuration*. Raises CatalogError naming *origin*."""
    return texts_of(object_of(configuration.get("config") or {}, origin), "Labels")


def check_count(layers: int, origin: str) -> None:
    """Raise CatalogError for an image with more *layers* than :data:`LAYERS`."""
    if layers > LAYERS:
        raise CatalogError(f"an image of more than {LAYERS:,} layers", origin=origin)


_DEPTH: Final = 4
"""Indexes inside of indexes. One of platforms inside a layout's own is usual."""

_MANIFESTS: Final = 1_000  # images in one list
_SHOWN: Final = 10  # names of images in a message
_NAMES: Final = ("org.opencontainers.image.ref.name", "io.containerd.image.name")
_ATTACHED: Final = "vnd.docker.reference.type"
"""The annotation of an attachment: build tools add one to an image, to record how it was built."""

_ARCHITECTURES: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def chosen_image(store: BlobStore, index: Mapping[str, Any], tag: str) -> Image:
    """Return the image called *tag* in the *index* of a layout; the only one if *tag* is "".

    Raises:
        CatalogError: there is no image of this name, or several without one, or the image is damaged.
    """
    return image_from_manifest(
        store, _manifest(store, _tagged(_listed(index, store.origin), tag, store.origin), _DEPTH)
    )


def platform_manifest(store: BlobStore, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the manifest that *document* is, or lists for this platform. Raises CatalogError."""
    if "manifests" not in document:
        return document
    return _manifest(store, _listed(document, store.origin), _DEPTH)


def chosen_name(names: Sequence[Sequence[str]], tag: str, origin: str) -> int:
    """Return the position of the image that *tag* names, among images with these *names* each.

    A name is given whole, or by the tag at its end. Raises CatalogError where none fits, or several.
    """
    positions = [
        position
        for position, listed_name in enumerate(names)
        if not tag or any(_fits(name, tag) for name in listed_name)
    ]
    if len(positions) == 1:
        return positions[0]
    if not names:
        raise CatalogError("there is no image", origin=origin)
    if not positions:
        raise CatalogError(f"there is no image called {tag}; there {_listing(names)}", origin=origin)
    reason = f"{len(positions)} images: name one with #TAG after the path; there {_listing(names)}"
    raise CatalogError(reason, origin=origin)


def _fits(name: str, tag: str) -> bool:
    return name == tag or name.endswith((f":{tag}", f"@{tag}"))


def _listing(names: Iterable[Iterable[str]]) -> str:
    every = sorted({name for listed_name in names for name in listed_name})
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return f"are {', '.join(every[:_SHOWN])}{more}" if every else "are none with a name"


def _listed(index: Mapping[str, Any], origin: str) -> list[Descriptor]:
    """Return the images that an *index* lists, without the attachments of build tools."""
    entries = list_of(index, "manifests", origin)
    if len(entries) > _MANIFESTS:
        raise CatalogError(f"a list of more than {_MANIFESTS:,} images", origin=origin)
    listed = [descriptor_of(entry, origin) for entry in entries]
    return [entry for entry in listed if _ATTACHED not in entry.annotations]


def _tagged(listed: list[Descriptor], tag: str, origin: str) -> list[Descriptor]:
    """Return the image called *tag*, or all entries where they are the platforms of one image."""
    names = [[*filter(None, map(entry.annotations.get, _NAMES)), entry.digest] for entry in listed]
    platforms = {(entry.os, entry.architecture) for entry in listed}
    is_one_image = len(platforms) == len(listed) and not any(len(name) > 1 for name in names)
    if not tag and is_one_image and listed:
        return listed
    return [listed[chosen_name(names, tag, origin)]]


def _manifest(store: BlobStore, listed: list[Descriptor], depth: int) -> Mapping[str, Any]:
    """Return the manifest for this machine's platform among *listed*.

    The catalogs for all platforms are the same; so another platform's does where this one's is missing, Linux on amd64
    first.
    """
    if not listed:
        raise CatalogError("the image is for no platform", origin=store.origin)
    if not depth:
        raise CatalogError("a list of images inside of too many others", origin=store.origin)
    architecture = _ARCHITECTURES.get(platform.machine().lower(), platform.machine().lower())
    wanted = [("linux", architecture), ("linux", "amd64")]
    by_platform = {(entry.os, entry.architecture): entry for entry in reversed(listed)}
    chosen = next((by_platform[entry] for entry in wanted if entry in by_platform), listed[0])
    document = blob_document(store, chosen)
    if "manifests" in document:
        return _manifest(store, _listed(document, store.origin), depth - 1)
    return document
