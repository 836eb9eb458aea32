"""Images from registries, by the distribution API: manifests and blobs, checked by their digests, kept in the cache.

:mod:`olmsolve.catalog.hosts` decides what a registry is sent, credentials above all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.catalog.hosts import HostVisit, address_of, is_this_machine
from olmsolve.catalog.images.blob_cache import is_cached, keep
from olmsolve.catalog.images.blob_stores import ClosableStream, LayoutFolder
from olmsolve.catalog.images.choosing import platform_manifest
from olmsolve.catalog.images.credentials import credentials_for
from olmsolve.catalog.images.descriptor import MANIFEST_BYTES, document_of, object_of
from olmsolve.catalog.images.image import Image, image_from_manifest
from olmsolve.catalog.images.reference import ImageReference
from olmsolve.errors import CatalogError

_PIECE: Final = 1 << 16
_ACCEPTED: Final = (
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.docker.distribution.manifest.v2+json, */*"
)
_DOCKER_HUB: Final = "registry-1.docker.io"


def image_from_registry(reference: ImageReference, folder: Path) -> Image:
    """Return the image that *reference* names; its blobs are fetched into *folder* when they are opened.

    A tag is looked up each time. A digest whose blobs are all in *folder* needs no registry.

    Raises:
        CatalogError: the registry cannot be reached, refuses, has no such image, or sends other bytes than it names.
    """
    store = _RegistryStore(reference, folder)
    return image_from_manifest(store, platform_manifest(store, store.manifest()))._replace(reference=str(reference))


class _RegistryStore:
    """The blobs of one repository: from the folder of the cache, and from the registry what is missing there."""

    def __init__(self, reference: ImageReference, folder: Path) -> None:
        self.origin = str(reference)
        self._reference = reference
        self._folder = folder
        self._connection: _Connection | None = None
        self._manifests: set[str] = set()

    def manifest(self) -> Mapping[str, Any]:
        """Return the manifest or the index that the reference names."""
        digest = self._reference.digest
        if digest:
            self._manifests.add(digest)
            with_digest = self.open_blob(digest)
            try:
                data = b"".join(iter(partial(with_digest.read, _PIECE), b""))
            finally:
                with_digest.close()
        else:
            data = b"".join(self._connected().pieces(f"manifests/{self._reference.tag}", MANIFEST_BYTES))
            self._keep_manifest(data)
        document = object_of(document_of(data, self.origin), self.origin)
        self._manifests.update(
            entry["digest"]
            for entry in document.get("manifests") or ()
            if isinstance(entry, dict) and isinstance(entry.get("digest"), str)
        )
        return document

    def open_blob(self, digest: str) -> ClosableStream:
        """Open the blob with this *digest*, fetched where it is missing. Raises CatalogError."""
        path = self._folder.joinpath("blobs", *digest.split(":", 1))
        if not is_cached(path, digest):
            kind, most = ("manifests", MANIFEST_BYTES) if digest in self._manifests else ("blobs", TOTAL_BYTES)
            pieces = self._connected().pieces(f"{kind}/{digest}", most)
            keep(path, _verified(pieces, digest, self.origin), self.origin)
        return LayoutFolder(self._folder, self.origin).open_blob(digest)

    def _keep_manifest(self, data: bytes) -> None:
        digest = hashlib.sha256(data).hexdigest()
        path = self._folder / "blobs" / "sha256" / digest
        if not path.is_file():
            keep(path, [data], self.origin)

    def _connected(self) -> _Connection:
        if self._connection is None:
            self._connection = _Connection(self._reference)
        return self._connection


class _Connection:
    """A visit to the registry of *reference*, which is asked for nothing but what its repository has."""

    def __init__(self, reference: ImageReference) -> None:
        self._origin = str(reference)
        host = _DOCKER_HUB if reference.host == "docker.io" else reference.host
        repository = reference.repository
        if host == _DOCKER_HUB and "/" not in repository:
            repository = f"library/{repository}"
        scheme = "http" if is_this_machine(host) else "https"
        self._base = f"/v2/{repository}/"
        try:
            named = address_of(f"{scheme}://{host}")
        except ValueError as error:
            raise CatalogError(f"the registry cannot be reached: {error}", origin=self._origin) from None
        self._visit = HostVisit(
            named,
            "the registry",
            self._origin,
            credentials=partial(credentials_for, reference),
            scope=f"repository:{repository}:pull",
        )

    def pieces(self, path: str, most: int) -> Iterator[bytes]:
        """Yield the bytes at *path* below the repository. Raises CatalogError, also for more than *most* bytes."""
        size = 0
        with self._visit.get(self._base + path, {"Accept": _ACCEPTED}, most) as answer:
            if answer.status != 200:
                self._refuse(answer.status)
            while piece := answer.read(_PIECE):
                size += len(piece)
                if size > most:
                    raise CatalogError(f"the registry sends more than {most:,} bytes", origin=self._origin)
                yield piece

    def _refuse(self, status: int) -> NoReturn:
        reasons = {
            401: "the registry asks for other credentials: log in with podman login or docker login",
            403: "the registry refuses: these credentials may not read the image",
            404: "the registry has no such image",
            429: "the registry has had too many requests; try again later",
        }
        reason = reasons.get(status, f"the registry answers with status {status}")
        hint = f" ({self._visit.hint})" if self._visit.hint and status in (401, 403) else ""
        raise CatalogError(reason + hint, origin=self._origin)


def _verified(pieces: Iterator[bytes], digest: str, origin: str) -> Iterator[bytes]:
    """Yield *pieces*. Raises CatalogError at their end if they are not what *digest* names."""
    hashed = hashlib.new(digest.partition(":")[0])
    for piece in pieces:
        hashed.update(piece)
        yield piece
    if hashed.hexdigest() != digest.partition(":")[2]:
        raise CatalogError(f"the registry sends content that does not match {digest}", origin=origin)
