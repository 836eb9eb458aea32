"""Reading a template: the first document of a path, a file or a mapping."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Origin
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.fbc import DOCUMENT, Readable, TextSource, plain, read_documents, refuse, repeated_key

TemplateSource: TypeAlias = "str | os.PathLike[str] | Readable | Mapping[str, Any]"
"""A path, a file that is open for reading, or the document itself."""


class TemplateDocument(NamedTuple):
    """A template as it was read, and its *text*, "" if it was no text."""

    value: Mapping[str, Any]
    origin: Origin
    text: str = ""

    def repeated_key(self) -> str:
        """Return the first key that a mapping has twice, by merges too; "" if there is none.

        Reading loses repeats, because the last one wins; so the text is parsed once more.
        """
        return repeated_key(self.text, self.origin.file) if self.text else ""


def read(source: TemplateSource) -> TemplateDocument | None:
    """Return the first document of *source*, None if it is empty; like ``opm``, ignore further documents.

    Raises:
        CatalogError: *source* cannot be opened or read, or is too large.
    """
    if isinstance(source, Mapping):
        origin = Origin("template in memory")
        return TemplateDocument(plain(source, origin), origin)
    if isinstance(source, (str, os.PathLike)):
        with open_plain(Path(source)) as file:
            return _first_document(file, shown(source))
    name = getattr(source, "name", None)
    return _first_document(source, name if isinstance(name, str) else "<stream>")


def _first_document(file: Readable, name: str) -> TemplateDocument | None:
    content = "".join(_bounded(TextSource(file, name).text(), name))
    document = next(read_documents(io.BytesIO(content.encode()), name), None)
    if document is None:
        return None
    value = document.value
    if not content.lstrip().startswith("{"):
        # Go sorts the keys of YAML: "entries" comes after "Entries", in whatever order they are written.
        value = {key: value[key] for key in sorted(value)}
        for key in value:
            if key.casefold() == "substitutions" and isinstance(value[key], list):
                value[key] = [dict(sorted(blob.items())) if isinstance(blob, dict) else blob for blob in value[key]]
    return TemplateDocument(value, document.origin, content)


def _bounded(pieces: Iterator[str], name: str) -> Iterator[str]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > DOCUMENT:
            refuse(f"a template of more than {DOCUMENT:,} characters", name)
        yield piece


def field(value: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return the field *name* of *value*, written in any case: of several the last, as Go reads JSON.

    A null empties a list, and leaves a text as it is. A value of another type than *kind* is returned before others.
    """
    spelled = [content for key, content in value.items() if key == name or key.casefold() == name.casefold()]
    wrong = [content for content in spelled if not isinstance(content, kind | None)]
    if wrong:
        return wrong[0]
    # Go's decoder leaves a text as it is at null, and empties a list or an object.
    texts = [content for content in spelled if content is not None] if kind is str else spelled
    return texts[-1] if texts else None
