"""The user's credentials for a registry, from the files that container tools share."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from olmsolve.catalog.archives import open_plain
from olmsolve.catalog.images.reference import ImageReference
from olmsolve.errors import CatalogError

_BYTES: Final = 4 << 20
_DOCKER_HUB: Final = ("docker.io", "index.docker.io", "registry-1.docker.io")


class Credentials(NamedTuple):
    """A *user* and a *password*; or the *file* whose credential helper knows them."""

    user: str = ""
    password: str = ""
    file: str = ""


def credentials_for(image: ImageReference) -> Credentials | None:
    """Return the credentials for *image*: of its repository, of a path above it, or of its host; None without any.

    The files are those of podman and docker, in podman's order: ``$REGISTRY_AUTH_FILE`` alone where it is set, else
    ``containers/auth.json`` in ``$XDG_RUNTIME_DIR`` and in the user's configuration, then docker's ``config.json``. The
    first that has something for the image counts.

    Raises:
        CatalogError: a file cannot be read. The message holds nothing of its content.
    """
    for path in _files():
        if not path.is_file():
            continue
        document = _document(path)
        found = _entry(document.get("auths"), image)
        if found:
            return _decoded(found, path)
        if _has_helper(document, image.host):
            return Credentials(file=str(path))
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
        raise CatalogError("credentials that are no JSON object", origin=str(path))
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
            found = by_name.get("/".join([host, *parts[:length]]))
            if found is not None:
                return found
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
        raise CatalogError("credentials for the registry that are no user and password", origin=str(path))
    return Credentials(name, secret.rstrip("\0"))


def _has_helper(document: Mapping[str, Any], host: str) -> bool:
    helpers = document.get("credHelpers")
    return bool(document.get("credsStore")) or (isinstance(helpers, dict) and host in helpers)
