"""What of a catalog's files decides whether an index is of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from olmsolve.errors import CatalogError
from olmsolve.fbc import tree
from olmsolve.fbc.document import shown

__all__ = ["content_digest", "prefix_of_origins"]


def content_digest(path: str) -> bytes | None:
    """The SHA-256 of a catalog's content: of the file's bytes as they are, or of all names and bytes in a folder.

    Files that ``.indexignore`` excludes do not count. None for what cannot be read twice, such as a pipe.
    Raises :class:`~olmsolve.errors.CatalogError` for what :func:`olmsolve.load` would refuse as well.
    """
    from hashlib import file_digest, sha256

    def digest_of(file: Path) -> tuple[bytes, int]:
        with os.fdopen(tree.open_plain(file), "rb") as opened:
            try:
                return file_digest(opened, "sha256").digest(), opened.tell()
            except OSError as error:
                raise CatalogError(f"cannot be read: {error.strerror}", origin=shown(file)) from None

    root = Path(path)
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode):
        return digest_of(root)[0]
    if not stat.S_ISDIR(mode):
        return None
    total = sha256(b"folder\0")
    for found in tree.catalog_files(root):
        digest, size = digest_of(found.path)
        name = os.fsencode(found.path.relative_to(root).as_posix())
        total.update(b"%d %d\0" % (len(name), size) + name + digest)
    return total.digest()


def prefix_of_origins(path: str) -> str:
    """What the names of files in origins begin with, for a catalog loaded from *path*."""
    root = Path(path)
    return shown(root / "x").removesuffix("x") if root.is_dir() else path
