"""One document of a file, which readers of text give and the linker takes, and limits on what is read.

The limits are above any real catalog, and below what harms a process.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, NoReturn

from olmsolve.catalog import Origin
from olmsolve.errors import CatalogError

DEPTH: Final = 250
"""Levels of lists and objects in one document. Copying, pickling and printing a value take up to three frames
per level, and Python allows 1,000 frames by default; real catalogs have about 15 levels."""

DOCUMENT: Final = 64 << 20
"""Characters of one document. What a cluster stores as one object has at most 1.5 MiB."""

ALIASED: Final = 4 << 20
"""Characters and values that the aliases of one YAML file may repeat. Walking, comparing and writing a value
visit a shared part each time that it is mentioned, so a small file could keep them busy for hours."""

IGNORE_BYTES: Final = 1 << 20
"""Bytes of one ``.indexignore`` file."""

IGNORE_RULES: Final = 10_000
"""Rules in all ``.indexignore`` files of a catalog; every file's path is compared with each."""


class Document(NamedTuple):
    """A document: its *value* (plain JSON, always an object) and where it was read."""

    value: dict[str, Any]
    origin: Origin


def refuse(reason: str, file: str, number: int = 1, line: int | None = None, excerpt: str = "") -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of document *number* of *file*, at *line*."""
    raise CatalogError(reason, origin=str(Origin(file, number, line)), excerpt=excerpt)
