"""Blobs from registries in a folder of the user, each under its digest: a blob that is there is not fetched again.

The folder has the form of an OCI layout's blobs. Files appear in it whole or not at all, so several processes may share
it, and any of them can be deleted at any time.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from olmsolve._whole_files import write_whole
from olmsolve.catalog.archives import open_plain, reason_of
from olmsolve.catalog.images.blob_stores import VerifiedStream
from olmsolve.errors import CatalogError

CACHE_VARIABLE: Final = "OLMSOLVE_IMAGE_CACHE"
"""The environment variable that may name the folder; "" for none, so that nothing is kept."""


@contextmanager
def blob_folder() -> Iterator[Path]:
    """Yield the folder for blobs; a temporary one where nothing is to be kept or the user has no home."""
    named = os.environ.get(CACHE_VARIABLE)
    root = Path(named) if named else _users_folder() if named is None else None
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
