"""Blobs by their digests: in the folder of an OCI layout, or in an archive of one. What comes out is what was named."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, Protocol

from olmsolve._limits import check
from olmsolve.catalog.archives import ArchiveMembers, ByteStream, open_plain
from olmsolve.catalog.images.descriptor import Descriptor, document_of, object_of, read_document
from olmsolve.errors import CatalogError

INDEX: Final = "index.json"
LAYOUT: Final = "oci-layout"


class ClosableStream(ByteStream, Protocol):
    """Bytes in order, from something that is open."""

    def close(self) -> None:
        """Give back what is open."""


class BlobStore(Protocol):
    """Blobs by their digests. *origin* names the store in errors."""

    @property
    def origin(self) -> str:
        """The name of the store in errors."""

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*. Raises CatalogError if there is none."""


class LayoutFolder:
    """The blobs of an OCI layout in the folder *root*; a symbolic link that leaves the folder is refused."""

    def __init__(self, root: Path, origin: str) -> None:
        self._root = root
        self.origin = origin

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*. Raises CatalogError if there is none."""
        return self._open("blobs", *digest.split(":", 1))

    def index(self) -> ClosableStream:
        """Open the document that lists the images."""
        return self._open(INDEX)

    def _open(self, *parts: str) -> ClosableStream:
        path = self._root.joinpath(*parts)
        try:
            is_inside = path.resolve(strict=True).is_relative_to(self._root.resolve())
        except (OSError, RuntimeError):
            raise CatalogError(f"the image is not complete: {'/'.join(parts)} is missing", origin=self.origin) from None
        if not is_inside:
            raise CatalogError(f"{'/'.join(parts)} is a symbolic link that leaves the layout", origin=self.origin)
        return open_plain(path)


class LayoutArchive:
    """The blobs of an OCI layout that is packed in an archive."""

    def __init__(self, members: ArchiveMembers, origin: str) -> None:
        self._members = members
        self.origin = origin

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*. Raises CatalogError if there is none."""
        return self._open(f"blobs/{digest.replace(':', '/', 1)}")

    def index(self) -> ClosableStream:
        """Open the document that lists the images."""
        return self._open(INDEX)

    def _open(self, name: str) -> ClosableStream:
        if name not in self._members:
            raise CatalogError(f"the image is not complete: {name} is missing", origin=self.origin)
        return self._members.open(name)


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
    stream = store.open_blob(descriptor.digest)
    try:
        verified = VerifiedStream(stream, descriptor.digest, descriptor.size, store.origin)
        return object_of(document_of(read_document(verified, store.origin), store.origin), store.origin)
    finally:
        stream.close()
