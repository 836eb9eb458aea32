"""One image of several: by its tag, and then by the platform of this machine."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from olmsolve.catalog.images.blob_stores import BlobStore, blob_document
from olmsolve.catalog.images.descriptor import Descriptor, descriptor_of, list_of
from olmsolve.catalog.images.image import Image, image_from_manifest
from olmsolve.errors import CatalogError

_DEPTH: Final = 4
"""Indexes inside of indexes. One of platforms inside a layout's own is usual."""

_MANIFESTS: Final = 1_000
_SHOWN: Final = 10
_NAMES: Final = ("org.opencontainers.image.ref.name", "io.containerd.image.name")
_ATTACHED: Final = "vnd.docker.reference.type"
"""The annotation of what build tools attach to an image, such as the record of how it was built."""

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
    """Return what an *index* lists, without what is attached to images."""
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
