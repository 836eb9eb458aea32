"""Blobs by their digests: documents that describe them, and the stores that hold them.

A store is the folder of an OCI layout, or an archive of one. Descriptors and other JSON documents about images are read
from strangers, so every field is checked; the bytes from a store match the digest that names them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol

from olmsolve._limits import check
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.archives import ArchiveMembers, ByteStream, open_plain
from olmsolve.errors import CatalogError

MANIFEST_BYTES: Final = 4 << 20
"""Bytes of one JSON document about an image: an index, a manifest or a configuration. Registries take no more."""

_DIGEST: Final = pattern("sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128}")


class Descriptor(NamedTuple):
    """The description of a blob by one document: *digest*, *size*, platform and annotations."""

    digest: str
    size: int
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


def read_object(stream: ByteStream, origin: str) -> dict[str, Any]:
    """Return the JSON object that *stream* holds. Raises CatalogError naming *origin*."""
    return object_of(document_of(read_document(stream, origin), origin), origin)


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


INDEX: Final = "index.json"
LAYOUT: Final = "oci-layout"


class ClosableStream(ByteStream, Protocol):
    """Bytes in order, from something that is open."""

    def close(self) -> None:
        """Close the files that are open."""


class BlobStore(Protocol):
    """Blobs by their digests. *origin* names the store in errors."""

    @property
    def origin(self) -> str:
        """The name of the store in errors."""

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*. Raises CatalogError if there is none."""


class _OciLayout(Protocol):
    """The blobs of an OCI layout, and the document that lists its images."""

    origin: str

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*. Raises CatalogError if there is none."""
        return self._open("blobs", *digest.split(":", 1))

    def index(self) -> dict[str, Any]:
        """Return the document that lists the images. Raises CatalogError."""
        with closing(self._open(INDEX)) as stream:
            return read_object(stream, self.origin)

    def _open(self, *parts: str) -> ClosableStream:
        """Open the file at the path of these *parts*. Raises CatalogError if there is none."""


class LayoutFolder(_OciLayout):
    """An OCI layout in the folder *root*; a symbolic link that leaves the folder is refused."""

    def __init__(self, root: Path, origin: str) -> None:
        self.origin = origin
        self._root = root

    def _open(self, *parts: str) -> ClosableStream:
        path = self._root.joinpath(*parts)
        try:
            is_inside = path.resolve(strict=True).is_relative_to(self._root.resolve())
        except (OSError, RuntimeError):
            refuse_incomplete("/".join(parts), self.origin)
        if not is_inside:
            raise CatalogError(f"{'/'.join(parts)} is a symbolic link that leaves the layout", origin=self.origin)
        return open_plain(path)


class LayoutArchive(_OciLayout):
    """An OCI layout that is packed in an archive."""

    def __init__(self, members: ArchiveMembers, origin: str) -> None:
        self.origin = origin
        self._members = members

    def _open(self, *parts: str) -> ClosableStream:
        name = "/".join(parts)
        return self._members.open(name) if name in self._members else refuse_incomplete(name, self.origin)


def refuse_incomplete(name: str, origin: str) -> NoReturn:
    """Raise the CatalogError of an image without its file *name*."""
    raise CatalogError(f"the image is not complete: {name} is missing", origin=origin) from None


class VerifiedStream:
    """The bytes of *stream*, which have a *digest*, and a *size* unless it is None.

    Reading to the end raises CatalogError, naming *origin*, where they have another one.
    """

    def __init__(self, stream: ByteStream, digest: str, size: int | None, origin: str) -> None:
        self._stream = stream
        self._digest = digest
        self._size = size
        self._origin = origin
        self._read = 0
        self._hash = hashlib.new(digest.partition(":")[0])

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end, where the digest is compared."""
        check()
        data = self._stream.read(size)
        self._read += len(data)
        self._hash.update(data)
        is_over = self._size is not None and self._read > self._size
        is_short = self._size is not None and not data and self._read < self._size
        is_other = not data and self._hash.hexdigest() != self._digest.partition(":")[2]
        if is_over or is_short or is_other:
            raise CatalogError(
                f"a damaged image: the content of {self._digest} does not match its digest and size",
                origin=self._origin,
            )
        return data


def blob_document(store: BlobStore, descriptor: Descriptor) -> dict[str, object]:
    """Return the JSON object in a blob. Raises CatalogError, which names the store."""
    with closing(store.open_blob(descriptor.digest)) as stream:
        return read_object(VerifiedStream(stream, descriptor.digest, descriptor.size, store.origin), store.origin)
