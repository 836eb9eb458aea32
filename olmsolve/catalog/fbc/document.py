"""One document of a file: what readers of text give and the linker takes."""

from __future__ import annotations

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
