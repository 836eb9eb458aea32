"""Images from registries, by the distribution API: manifests and blobs, checked by their digests, kept in the cache.

The library oras answers the challenges of registries (the extra ``images``). Requests are sent here, because oras sets
no time limit and waits for two minutes before it reports a registry that is not there.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from olmsolve._limits import check, current
from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.catalog.images.blob_cache import is_cached, keep
from olmsolve.catalog.images.blob_stores import ClosableStream, LayoutFolder
from olmsolve.catalog.images.choosing import platform_manifest
from olmsolve.catalog.images.credentials import Credentials, credentials_for
from olmsolve.catalog.images.descriptor import MANIFEST_BYTES, document_of, object_of
from olmsolve.catalog.images.image import Image, image_from_manifest
from olmsolve.catalog.images.reference import ImageReference
from olmsolve.errors import CatalogError

_SECONDS: Final = 30.0
"""Seconds to wait for a connection, and for the next bytes of an answer."""

_PIECE: Final = 1 << 16
_ACCEPTED: Final = (
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.docker.distribution.manifest.v2+json, */*"
)
_NUMBER: Final = re.compile(r"^\[Errno -?[0-9]+\] ")
_DOCKER_HUB: Final = "registry-1.docker.io"


def image_from_registry(reference: ImageReference, folder: Path) -> Image:
    """Return the image that *reference* names; its blobs are fetched into *folder* when they are opened.

    A tag is looked up each time. A digest whose blobs are all in *folder* needs no registry.

    Raises:
        CatalogError: the registry cannot be reached, refuses, has no such image, or sends other bytes than it names;
            or the extra ``images`` is missing.
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
            each["digest"]
            for each in document.get("manifests") or ()
            if isinstance(each, dict) and isinstance(each.get("digest"), str)
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
    """A session with the registry of *reference*, which answers the challenges that it gets."""

    def __init__(self, reference: ImageReference) -> None:
        self._reference = reference
        self._libraries = _Libraries(str(reference))
        host = _DOCKER_HUB if reference.host == "docker.io" else reference.host
        repository = reference.repository
        if host == _DOCKER_HUB and "/" not in repository:
            repository = f"library/{repository}"
        scheme = "http" if _is_this_machine(host) else "https"
        self._base = f"{scheme}://{host}/v2/{repository}/"
        self._session = self._libraries.session()
        self._authorization: dict[str, str] = {}

    def pieces(self, path: str, most: int) -> Iterator[bytes]:
        """Yield the bytes at *path* below the repository. Raises CatalogError, also for more than *most* bytes."""
        origin = str(self._reference)
        response = self._answer(self._base + path)
        size = 0
        try:
            with response:
                while piece := response.raw.read1(_PIECE):
                    check()
                    size += len(piece)
                    if size > most:
                        raise CatalogError(f"the registry sends more than {most:,} bytes", origin=origin)
                    yield piece
        except self._libraries.failures as error:
            # A wait that ends with the caller's time is no fault of the registry.
            check()
            raise CatalogError(f"the registry broke off: {_words(error)}", origin=origin) from None

    def _answer(self, url: str) -> Any:
        origin = str(self._reference)
        try:
            response = self._get(url)
            if response.status_code == 401:
                self._authorize(response)
                response.close()
                response = self._get(url)
        except self._libraries.failures as error:
            # A wait that ends with the caller's time is no fault of the registry.
            check()
            raise CatalogError(f"the registry cannot be reached: {_words(error)}", origin=origin) from None
        if response.status_code == 200:
            return response
        response.close()
        reasons = {
            401: "the registry asks for other credentials: log in with podman login or docker login",
            403: "the registry refuses: these credentials may not read the image",
            404: "the registry has no such image",
            429: "the registry has had too many requests; try again later",
        }
        reason = reasons.get(response.status_code, f"the registry answers with status {response.status_code}")
        raise CatalogError(reason, origin=origin)

    def _get(self, url: str) -> Any:
        headers = {"Accept": _ACCEPTED, "Accept-Encoding": "identity", **self._authorization}
        return self._session.get(url, headers=headers, stream=True)

    def _authorize(self, response: Any) -> None:
        """Get what the challenge in *response* asks for, with the user's credentials if there are any."""
        challenge = response.headers.get("Www-Authenticate", "")
        credentials = credentials_for(self._reference)
        is_basic = challenge[:6].lower() == "basic "
        if is_basic and credentials is None:
            return
        headers = self._libraries.authorization(
            self._session, self._reference, response, credentials, is_basic=is_basic
        )
        found = headers.get("Authorization")
        self._authorization = {"Authorization": found} if isinstance(found, str) else {}


class _Libraries:
    """The seam to oras and requests, which ship no types. Raises CatalogError where they are not installed."""

    def __init__(self, origin: str) -> None:
        try:
            self._auth = import_module("oras.auth")
            self._container = import_module("oras.container")
            self._adapters = import_module("requests.adapters")
            requests = import_module("requests")
            urllib3 = import_module("urllib3.exceptions")
        except ImportError:
            reason = "images from registries need the extra images: pip install 'olmsolve[images]'"
            raise CatalogError(reason, origin=origin) from None
        self._requests: Any = requests
        self.failures: tuple[type[Exception], ...] = (
            requests.RequestException,
            urllib3.HTTPError,
            OSError,
            ValueError,
        )
        """What a request raises where the network or the registry fails."""

    def session(self) -> Any:
        """Return a session that waits for a bounded time, and speaks plain HTTP with this machine alone."""
        adapters: Any = self._adapters

        def send(adapter: Any, request: Any, **options: Any) -> Any:
            url = urlsplit(request.url)
            if url.scheme != "https" and not _is_this_machine(url.netloc):
                raise ValueError(f"{url.scheme}://{url.netloc} is not encrypted")
            left = current().seconds_left()
            options["timeout"] = _SECONDS if left is None else min(_SECONDS, left)
            return adapters.HTTPAdapter.send(adapter, request, **options)

        adapter = type("BoundedAdapter", (adapters.HTTPAdapter,), {"send": send})()
        session = self._requests.Session()
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        # Otherwise a .netrc would answer for the registry, and nobody expects that.
        session.auth = _no_netrc
        return session

    def authorization(
        self,
        session: Any,
        reference: ImageReference,
        response: Any,
        credentials: Credentials | None,
        *,
        is_basic: bool,
    ) -> Mapping[str, object]:
        """Return the headers that answer the challenge in *response*."""
        auth: Any = self._auth
        backend = auth.get_auth_backend("basic" if is_basic else "token", session=session)
        if credentials is not None and credentials.file:
            container: Any = self._container
            backend.load_configs(container.Container(str(reference)), [credentials.file])
        elif credentials is not None:
            backend.set_basic_auth(credentials.user, credentials.password)
        headers, _ = backend.authenticate_request(response, {})
        return dict(headers)


def _no_netrc(request: Any) -> Any:
    return request


def _verified(pieces: Iterator[bytes], digest: str, origin: str) -> Iterator[bytes]:
    """Yield *pieces*. Raises CatalogError at their end if they are not what *digest* names."""
    hashed = hashlib.new(digest.partition(":")[0])
    for piece in pieces:
        hashed.update(piece)
        yield piece
    if hashed.hexdigest() != digest.partition(":")[2]:
        raise CatalogError(f"the registry sends other bytes than {digest} names", origin=origin)


def _is_this_machine(host: str) -> bool:
    """Return whether *host*, perhaps with a port, is the loopback, to which registries speak plain HTTP."""
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _words(error: Exception) -> str:
    """Return the innermost reason of an *error* of the network, which libraries wrap several times."""
    reason: BaseException = error
    for _ in range(8):
        inside = [getattr(reason, "reason", None), *reason.args]
        inner = next((each for each in inside if isinstance(each, Exception)), None)
        if not isinstance(inner, Exception) or inner is reason:
            break
        reason = inner
    if isinstance(reason, OSError) and reason.errno:
        return os.strerror(reason.errno)
    return _NUMBER.sub("", str(reason).rpartition(": ")[2]) or type(reason).__name__
