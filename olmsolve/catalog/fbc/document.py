"""One document of a file: what readers of text give and the linker takes."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, NoReturn

from olmsolve.catalog import Origin
from olmsolve.errors import CatalogError


class Document(NamedTuple):
    """A document: its *value* (plain JSON, always an object) and where it was read."""

    value: dict[str, Any]
    origin: Origin


def refuse(reason: str, file: str, number: int = 1, line: int | None = None, excerpt: str = "") -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of document *number* of *file*, at *line*."""
    raise CatalogError(reason, origin=str(Origin(file, number, line)), excerpt=excerpt)


def reason_of(error: Exception) -> str:
    """Return why a file could not be opened, read or written, in the words of the system."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shown(path: str | os.PathLike[str]) -> str:
    """Return *path* as text that can be printed: bytes of a name that are not UTF-8 are replaced."""
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
