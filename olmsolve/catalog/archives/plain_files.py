"""Plain files: opened without waiting for a FIFO or touching a device, and named so that their names can be printed."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Final

from olmsolve.errors import CatalogError

# Not to wait for a FIFO's writer, and to get bytes as they are, on systems that have these flags.
_FLAGS: Final[int] = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_plain(path: Path) -> io.BufferedReader:
    """Open the plain file *path* for reading bytes.

    Raises :class:`~olmsolve.errors.CatalogError` for anything else, such as a FIFO, without waiting for its writer.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise CatalogError(f"cannot be read: {reason_of(error)}", origin=shown(path)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CatalogError("not a plain file", origin=shown(path))
    return os.fdopen(descriptor, "rb")


def reason_of(error: Exception) -> str:
    """Return why a file could not be opened, read or written, in the words of the system."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shown(path: str | os.PathLike[str]) -> str:
    """Return *path* as text that can be printed: bytes of a name that are not UTF-8 are replaced."""
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
