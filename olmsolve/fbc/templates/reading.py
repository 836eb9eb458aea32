"""A template's document, from wherever it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from olmsolve.catalog import Origin
from olmsolve.fbc import text, tree
from olmsolve.fbc.document import Document, shown
from olmsolve.fbc.plain import plain
from olmsolve.fbc.source import Meter, Readable, Source

__all__ = ["TemplateSource", "field", "read"]

TemplateSource: TypeAlias = "str | os.PathLike[str] | Readable | Mapping[str, Any]"
"""A path, a file that is open for reading, or the document itself."""


def read(source: TemplateSource) -> Document | None:
    """The first document of *source*, None where there is none; further documents are ignored, as by ``opm``.

    Raises :class:`~olmsolve.errors.CatalogError`.
    """
    if isinstance(source, Mapping):
        origin = Origin("template in memory")
        return Document(plain(source, origin), origin)
    if isinstance(source, (str, os.PathLike)):
        with os.fdopen(tree.open_plain(Path(source)), "rb") as file:
            return _first(cast(Readable, file), shown(source))
    name = getattr(source, "name", None)
    return _first(source, name if isinstance(name, str) else "<stream>")


def _first(file: Readable, name: str) -> Document | None:
    return next(text.documents(Source(file, name, Meter(0, None)), name), None)


def field(value: Mapping[str, Any], name: str) -> Any:
    """The field *name* of *value*, whatever its letters' case: templates are read as Go reads JSON."""
    found = [each for key, each in value.items() if key == name or key.casefold() == name.casefold()]
    return found[-1] if found else None
