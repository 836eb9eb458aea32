"""What readers of files hand to the linker: one JSON object, and where it stands."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, NoReturn

from olmsolve.catalog import Origin
from olmsolve.errors import CatalogError

__all__ = ["Document", "refuse", "shown"]


class Document(NamedTuple):
    """One document of a file: its *value* (plain JSON, always an object) and where it stands."""

    value: dict[str, Any]
    origin: Origin


def refuse(reason: str, file: str, number: int = 1, line: int | None = None) -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of document *number* of *file*, at *line*."""
    raise CatalogError(reason, origin=str(Origin(file, number, line)))


def shown(path: str | os.PathLike[str]) -> str:
    """*path* as text that can be printed: bytes of a name that are no UTF-8 are replaced."""
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
