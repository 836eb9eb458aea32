"""Descriptors of blobs, and JSON documents about images, read from strangers: every field is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.archives import ByteStream
from olmsolve.errors import CatalogError

MANIFEST_BYTES: Final = 4 << 20
"""Bytes of one JSON document about an image: an index, a manifest or a configuration. Registries take no more."""

_DIGEST: Final = pattern("sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128}")


class Descriptor(NamedTuple):
    """The description of a blob by one document: *digest*, *size*, *media_type*, platform and annotations."""

    digest: str
    size: int
    media_type: str = ""
    os: str = ""
    architecture: str = ""
    annotations: Mapping[str, str] = {}


def descriptor_of(value: object, origin: str) -> Descriptor:
    """Return the descriptor that *value* states. Raises CatalogError naming *origin*."""
    if not isinstance(value, dict):
        raise CatalogError("a damaged image: a descriptor that is not an object", origin=origin)
    digest, size = value.get("digest"), value.get("size")
    if not isinstance(digest, str) or not is_digest(digest):
        raise CatalogError("a damaged image: a digest that is neither SHA-256 nor SHA-512", origin=origin)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise CatalogError(f"a damaged image: no size of {digest}", origin=origin)
    platform = value.get("platform")
    platform = platform if isinstance(platform, dict) else {}
    return Descriptor(
        digest,
        size,
        text_of(value, "mediaType"),
        text_of(platform, "os"),
        text_of(platform, "architecture"),
        texts_of(value, "annotations"),
    )


def is_digest(text: str) -> bool:
    """Return whether *text* is the digest of a blob: SHA-256 or SHA-512."""
    return _DIGEST.fullmatch(text) is not None


def document_of(data: bytes, origin: str) -> Any:
    """Return the JSON in *data*. Raises CatalogError naming *origin*."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise CatalogError("a damaged image: a document that is not JSON", origin=origin) from None


def read_document(stream: ByteStream, origin: str) -> bytes:
    """Return all bytes of *stream*, which holds a JSON document. Raises CatalogError where it is too large."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(1 << 16):
        size += len(part)
        if size > MANIFEST_BYTES:
            raise CatalogError(f"a document about an image of more than {MANIFEST_BYTES:,} bytes", origin=origin)
        parts.append(part)
    return b"".join(parts)


def object_of(value: object, origin: str) -> dict[str, Any]:
    """Return *value*, which must be an object. Raises CatalogError naming *origin*."""
    if not isinstance(value, dict):
        raise CatalogError("a damaged image: a document that is not an object", origin=origin)
    return value


def list_of(value: Mapping[str, Any], field: str, origin: str) -> list[Any]:
    """Return the list *field* of *value*, empty where it is missing. Raises CatalogError naming *origin*."""
    elements = value.get(field)
    if elements is None:
        return []
    if not isinstance(elements, list):
        raise CatalogError(f"a damaged image: {field} is not a list", origin=origin)
    return elements


def text_of(value: Mapping[str, Any], field: str) -> str:
    """Return the text *field* of *value*, "" where there is none."""
    content = value.get(field)
    return content if isinstance(content, str) else ""


def texts_of(value: Mapping[str, Any], field: str) -> dict[str, str]:
    """Return the texts of the object *field* of *value*, such as labels; other values are left out."""
    content = value.get(field)
    items = content.items() if isinstance(content, dict) else ()
    return {key: text for key, text in items if isinstance(text, str)}
