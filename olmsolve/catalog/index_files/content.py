"""The file of an index, and the digest that ties it to the content of its catalog."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from olmsolve._limits import check
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError

_PIECE: Final = 1 << 20  # bytes that are hashed between two looks at the limits, in about a millisecond

SUFFIX: Final = ".olmindex"
"""An index beside its catalog is called as the catalog, with this at the end."""


def beside(path: str) -> Path:
    """Return the file beside the catalog at *path* that holds its index, if there is one."""
    root = Path(path)
    # The folders "." and ".." have no name of their own to add the suffix to.
    root = root if root.name and root.name != ".." else Path(os.path.abspath(root))  # noqa: PTH100 (links stay)
    return root.with_name(root.name + SUFFIX) if root.name else root / SUFFIX


def can_have_index(path: str) -> bool:
    """Return whether :func:`content_digest` gives a digest of the catalog at *path*, unless it cannot be read."""
    root = Path(path)
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(mode):
        with open_plain(root) as opened:
            return opened.read(len(INDEX_MARK)) != INDEX_MARK
    return stat.S_ISDIR(mode)


def content_digest(path: str) -> bytes | None:
    """Return the SHA-256 of a catalog's content: of a file's bytes, or of all names and bytes in a folder.

    Files that ``.indexignore`` excludes do not count, and neither do indexes. None if *path* cannot be read twice, such
    as a pipe, and if it is an index itself.

    Raises :class:`~olmsolve.errors.CatalogError` for a catalog that :func:`olmsolve.load` would refuse as well.
    """
    from hashlib import sha256

    def digest_of(file: Path) -> tuple[bytes, int] | None:
        with open_plain(file) as opened:
            try:
                if opened.read(len(INDEX_MARK)) == INDEX_MARK:
                    return None
                opened.seek(0)
                hashed = sha256()
                while piece := opened.read(_PIECE):
                    check()
                    hashed.update(piece)
                return hashed.digest(), opened.tell()
            except OSError as error:
                raise CatalogError(f"cannot be read: {error.strerror}", origin=shown(file)) from None

    root = Path(path)
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode):
        content = digest_of(root)
        return None if content is None else content[0]
    if not stat.S_ISDIR(mode):
        return None
    from olmsolve.catalog.fbc import catalog_files

    contents = {file.path: digest_of(file.path) for file in catalog_files(root)}
    return digest_of_contents(root, {path: content for path, content in contents.items() if content is not None})


def digest_of_contents(root: Path, contents: Mapping[Path, tuple[bytes, int]]) -> bytes:
    """Return the :func:`content_digest` of the catalog at *root* by the *contents* of its files.

    The contents are the SHA-256 and the size of *root* itself, or of each file of the folder except indexes, in order.
    """
    from hashlib import sha256

    if root in contents:
        return contents[root][0]
    total = sha256(b"folder\0")
    for file, (digest, size) in contents.items():
        name = os.fsencode(file.relative_to(root).as_posix())
        # With the lengths, no other names and contents give the same bytes.
        total.update(b"%d %d\0" % (len(name), size) + name + digest)
    return total.digest()


def prefix_of_origins(path: str) -> str:
    """Return the text with which names of files in origins begin, for a catalog loaded from *path*.

    Indexes keep names without it, so that a catalog can be moved together with its index.
    """
    root = Path(path)
    return shown(root / "x").removesuffix("x") if root.is_dir() else path
