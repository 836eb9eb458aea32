"""Images from registries, by the distribution API: manifests and blobs, checked by their digests, kept in a cache.

The cache is a folder of the user in the form of an OCI layout's blobs, so a blob that is there is not fetched again.
Files appear in it whole or not at all, so several processes may share it, and any of them can be deleted at any time.

:mod:`olmsolve.catalog.hosts` decides what a registry is sent, credentials above all. The user's credentials come from
the files that container tools share, and from their helpers.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from olmsolve._limits import check
from olmsolve._patterns import pattern
from olmsolve._whole_files import write_whole
from olmsolve.catalog.archives import TOTAL_BYTES, open_plain, reason_of
from olmsolve.catalog.hosts import Credentials, HostVisit, address_of, is_this_machine
from olmsolve.catalog.images.blobs import (
    MANIFEST_BYTES,
    ClosableStream,
    LayoutFolder,
    VerifiedStream,
    document_of,
    object_of,
)
from olmsolve.catalog.images.image import Image, image_from_manifest, platform_manifest
from olmsolve.catalog.images.reference import ImageReference
from olmsolve.errors import CatalogError

CACHE_VARIABLE: Final = "OLMSOLVE_IMAGE_CACHE"
"""The environment variable that may name the folder; "" for none, so that nothing is kept."""


@contextmanager
def blob_folder() -> Iterator[Path]:
    """Yield the folder for blobs; a temporary one where nothing is to be kept or the user has no home."""
    setting = os.environ.get(CACHE_VARIABLE)
    root = Path(setting) if setting else _users_folder() if setting is None else None
    if root is not None:
        yield root
        return
    with tempfile.TemporaryDirectory(prefix="olmsolve-") as name:
        yield Path(name)


def is_cached(path: Path, digest: str) -> bool:
    """Return whether the file *path* has the bytes that *digest* names. A damaged one is removed."""
    if not path.is_file():
        return False
    try:
        with open_plain(path) as file:
            stream = VerifiedStream(file, digest, None, "")
            while stream.read(1 << 20):
                pass
    except (CatalogError, OSError):
        path.unlink(missing_ok=True)
        return False
    return True


def keep(path: Path, pieces: Iterable[bytes], origin: str) -> None:
    """Write *pieces* to the file *path*, in one step. Raises CatalogError naming *origin*."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, pieces, is_named=False)
    except OSError as error:
        reason = f"the image cannot be kept in {path.parent}: {reason_of(error)}"
        raise CatalogError(f"{reason} ({CACHE_VARIABLE} names another folder)", origin=origin) from None


def _users_folder() -> Path | None:
    """Return the user's folder for caches, None without a home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return Path(base or Path.home() / ".cache") / "olmsolve" / "images"
    except RuntimeError:
        return None


_BYTES: Final = 4 << 20  # of a file of credentials, or of a helper's answer: what is cut there is no JSON
_HELPER: Final = pattern(r"[A-Za-z0-9._-]+")
_HELPER_SECONDS: Final = 30.0  # a helper may ask its user to unlock a key ring
_PAUSE: Final = 0.05
_DOCKER_HUB_NAMES: Final = ("docker.io", "index.docker.io", "registry-1.docker.io")


def credentials_for(image: ImageReference) -> Credentials | None:
    """Return the credentials for *image*: of its repository, of a path above it, or of its host; None without any.

    They are read from the files of podman and docker, in podman's order: ``$REGISTRY_AUTH_FILE`` alone where it is set,
    else ``containers/auth.json`` in ``$XDG_RUNTIME_DIR`` and in the user's configuration, then docker's
    ``config.json``. The first file with an entry for the image counts.

    Raises:
        CatalogError: a file cannot be read, or its helper fails. The message holds nothing of their content.
        Incomplete: a limit of the caller is met.
    """
    for path in _files():
        if not path.is_file():
            continue
        document = _document(path)
        entry = _entry(document.get("auths"), image)
        if entry:
            return _decoded(entry, path)
        if helper := _helper(document, image.host):
            return _from_helper(helper, image.host, path)
    return None


def _files() -> Iterator[Path]:
    if named := os.environ.get("REGISTRY_AUTH_FILE"):
        yield Path(named)
        return
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime, "containers", "auth.json")
    yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "containers", "auth.json")
    yield Path(os.environ.get("DOCKER_CONFIG") or home / ".docker", "config.json")


def _document(path: Path) -> Mapping[str, Any]:
    with open_plain(path) as file:
        try:
            document = json.loads(file.read(_BYTES))
        except (ValueError, OSError, RecursionError):
            document = None
    if not isinstance(document, dict):
        raise CatalogError("credentials that are not a JSON object", origin=str(path))
    return document


def _entry(auths: object, image: ImageReference) -> Mapping[str, Any] | None:
    """Return the entry for the repository of *image*, or for the nearest path above it, or for its host."""
    if not isinstance(auths, dict):
        return None
    by_name = {_plain(key): value for key, value in auths.items() if isinstance(value, dict) and value}
    hosts = _DOCKER_HUB_NAMES if image.host in _DOCKER_HUB_NAMES else (image.host,)
    parts = image.repository.split("/")
    for length in range(len(parts), -1, -1):
        for host in hosts:
            entry = by_name.get("/".join([host, *parts[:length]]))
            if entry is not None:
                return entry
    return None


def _plain(key: str) -> str:
    """Return the name in a *key* of the file, which docker may write as the URL of the registry."""
    return key.removeprefix("https://").removeprefix("http://").rstrip("/").removesuffix("/v1").removesuffix("/v2")


def _decoded(entry: Mapping[str, Any], path: Path) -> Credentials:
    user, password = entry.get("username"), entry.get("password")
    if isinstance(user, str) and isinstance(password, str):
        return Credentials(user, password)
    try:
        name, separator, secret = base64.b64decode(str(entry.get("auth") or "")).decode().partition(":")
    except ValueError:
        separator = ""
    if not separator:
        raise CatalogError("credentials for the registry that are not a user and a password", origin=str(path))
    return Credentials(name, secret.rstrip("\0"))


def _helper(document: Mapping[str, Any], host: str) -> str:
    """Return the name of the program that knows the password for *host*, "" where there is none."""
    helpers = document.get("credHelpers")
    helper = (helpers.get(host) if isinstance(helpers, dict) else None) or document.get("credsStore")
    return helper if isinstance(helper, str) and _HELPER.fullmatch(helper) else ""


def _from_helper(helper: str, host: str, path: Path) -> Credentials | None:
    """Return the credentials that *helper* has for *host*, by the protocol of docker's helpers; None for none."""
    program = f"docker-credential-{helper}"
    try:
        with tempfile.TemporaryFile() as host_file, tempfile.TemporaryFile() as answer:
            host_file.write(host.encode())
            host_file.seek(0)
            command = [program, "get"]
            with subprocess.Popen(command, stdin=host_file, stdout=answer, stderr=subprocess.DEVNULL) as process:  # noqa: S603
                try:
                    _wait_for(process, program, path)
                finally:
                    process.kill()
            answer.seek(0)
            text = answer.read(_BYTES)
    except OSError as error:
        raise CatalogError(f"{program} cannot be run: {reason_of(error)}", origin=str(path)) from None
    if process.returncode:
        return None
    try:
        credentials = json.loads(text)
        user, password = credentials["Username"], credentials["Secret"]
    except (ValueError, KeyError, TypeError, RecursionError):
        user = password = None
    if not (isinstance(user, str) and isinstance(password, str)):
        raise CatalogError(f"{program} answers without a user and a password", origin=str(path))
    return Credentials(user, password)


def _wait_for(process: subprocess.Popen[bytes], program: str, path: Path) -> None:
    end = time.monotonic() + _HELPER_SECONDS
    while True:
        try:
            process.wait(_PAUSE)
        except subprocess.TimeoutExpired:
            check()
            if time.monotonic() >= end:
                reason = f"{program} gave no answer within {_HELPER_SECONDS:.0f} seconds"
                raise CatalogError(reason, origin=str(path)) from None
        else:
            return


_PIECE: Final = 1 << 16  # bytes that are kept in memory of a blob on its way to the disk
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
    """The blobs of one repository, from the folder of the cache, or from the registry where the cache has none."""

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
            with closing(self.open_blob(digest)) as manifest:
                data = b"".join(iter(partial(manifest.read, _PIECE), b""))
        else:
            data = b"".join(self._connected().pieces(f"manifests/{self._reference.tag}", MANIFEST_BYTES))
            path = self._folder / "blobs" / "sha256" / hashlib.sha256(data).hexdigest()
            if not path.is_file():
                keep(path, [data], self.origin)
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

    def _connected(self) -> _Connection:
        if self._connection is None:
            self._connection = _Connection(self._reference)
        return self._connection


class _Connection:
    """A visit to the registry of *reference*, which fetches manifests and blobs of its repository alone."""

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
