"""An image: the labels of its configuration, and its layers from the lowest up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.images.blob_stores import BlobStore, ClosableStream, blob_document
from olmsolve.catalog.images.descriptor import Descriptor, descriptor_of, is_digest, list_of, object_of, texts_of
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
    layers = [
        _layer(store, descriptor_of(layer, store.origin), digest)
        for layer, digest in zip(described, unpacked, strict=True)
    ]
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


def _layer(store: BlobStore, descriptor: Descriptor, unpacked: str) -> Layer:
    return Layer(partial(store.open_blob, descriptor.digest), descriptor.digest, descriptor.size, unpacked)
