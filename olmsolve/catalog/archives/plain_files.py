"""Plain files: opening the file at a path, recognising an archive by its first bytes, and refusing all else.

A catalog with an index is one file to hash, and then nothing that searches folders or unpacks is loaded.
"""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Final, NoReturn

from olmsolve.errors import CatalogError

TOTAL_BYTES: Final = 4 << 30
"""All bytes of one catalog, or of one image's layers, after decompression."""

PATH_LENGTH: Final = 4096
"""Bytes of a path inside an archive, as file systems have it."""

# Not to wait for a FIFO's writer, and to get bytes as they are, on systems that have these flags.
_FLAGS: Final[int] = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


GZIP_MARK: Final = b"\x1f\x8b"
ZSTD_MARK: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed files."""


def is_tar(head: bytes) -> bool:
    """Return whether a file that begins with *head* is a tar archive (POSIX or GNU)."""
    return head[257:262] == b"ustar"


def open_plain(path: Path, buffer: int | None = None) -> io.BufferedReader:
    """Open the plain file *path* for reading bytes, through a *buffer* of so many bytes or one as usual.

    Raises :class:`~olmsolve.errors.CatalogError` for anything else, such as a FIFO, without waiting for its writer.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        refuse_file(path, unreadable(error))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        refuse_file(path, "not a plain file")
    return os.fdopen(descriptor, "rb") if buffer is None else io.BufferedReader(io.FileIO(descriptor), buffer)


def is_folder(given: str) -> bool:
    """Return whether the path *given* is a folder.

    Raises :class:`~olmsolve.errors.CatalogError` for an empty path, and where nothing is.
    """
    if not given:
        raise CatalogError("the path of a catalog is empty")
    try:
        return stat.S_ISDIR(Path(given).stat().st_mode)
    except (OSError, ValueError) as error:
        raise CatalogError(unreadable(error), origin=given) from None


def unreadable(error: Exception) -> str:
    """Return that a file or folder cannot be read, and why, in the words of the system."""
    return f"cannot be read: {reason_of(error)}"


def refuse_file(path: Path, reason: str) -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of the file or folder at *path*."""
    raise CatalogError(reason, origin=shown(path))


def reason_of(error: Exception) -> str:
    """Return why a file could not be opened, read or written, in the words of the system."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shown(path: str | os.PathLike[str]) -> str:
    """Return *path* as text that can be printed: bytes of a name that are not UTF-8 are replaced."""
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
