"""The user's credentials for a registry, from the files that container tools share, and from their helpers."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from olmsolve._limits import check
from olmsolve._patterns import pattern
from olmsolve.catalog.archives import open_plain, reason_of
from olmsolve.catalog.hosts import Credentials
from olmsolve.catalog.images.reference import ImageReference
from olmsolve.errors import CatalogError

_BYTES: Final = 4 << 20
_HELPER: Final = pattern(r"[A-Za-z0-9._-]+")
_HELPER_SECONDS: Final = 30.0  # a helper may ask its user to unlock a key ring
_PAUSE: Final = 0.05
_DOCKER_HUB: Final = ("docker.io", "index.docker.io", "registry-1.docker.io")


def credentials_for(image: ImageReference) -> Credentials | None:
    """Return the credentials for *image*: of its repository, of a path above it, or of its host; None without any.

    The files are those of podman and docker, in podman's order: ``$REGISTRY_AUTH_FILE`` alone where it is set, else
    ``containers/auth.json`` in ``$XDG_RUNTIME_DIR`` and in the user's configuration, then docker's ``config.json``. The
    first that has something for the image counts.

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
    hosts = _DOCKER_HUB if image.host in _DOCKER_HUB else (image.host,)
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
    """Return what the helper knows about *host*, in the protocol of docker's helpers; None where it knows nothing."""
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
        known = json.loads(text)
        user, password = known["Username"], known["Secret"]
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
