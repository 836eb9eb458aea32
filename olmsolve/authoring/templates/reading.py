"""Reading a template: the first document of a path, a file or a mapping."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import yaml

from olmsolve.catalog import Origin
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.fbc import DOCUMENT, Readable, TextSource, plain, read_documents, refuse

TemplateSource: TypeAlias = "str | os.PathLike[str] | Readable | Mapping[str, Any]"
"""A path, a file that is open for reading, or the document itself."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class TemplateDocument(NamedTuple):
    """A template as it was read. *repeated* is the first key that a mapping has twice, "" if there is none."""

    value: Mapping[str, Any]
    origin: Origin
    repeated: str = ""


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
    return document and TemplateDocument(document.value, document.origin, _repeated(content))


def _bounded(pieces: Iterator[str], name: str) -> Iterator[str]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > DOCUMENT:
            refuse(f"a template of more than {DOCUMENT:,} characters", name)
        yield piece


def _repeated(content: str) -> str:
    """Return the first key that a mapping of the first document has twice, "" if there is none.

    Reading loses repeats, because the last one wins; so the text is parsed once more, as events.
    """
    loader = _LOADER(content)
    # Open collections, the innermost last: the keys of a mapping (None for a list), and whether a key comes next.
    open_: list[tuple[set[str] | None, bool]] = []
    try:
        while (event := loader.get_event()) is not None and not isinstance(event, yaml.DocumentEndEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                open_.pop()
            elif isinstance(event, yaml.NodeEvent):
                if open_:
                    keys, is_key = open_[-1]
                    if keys is not None and is_key and isinstance(event, yaml.ScalarEvent):
                        if event.value in keys:
                            return str(event.value)
                        keys.add(event.value)
                    open_[-1] = keys, not is_key
                if isinstance(event, yaml.CollectionStartEvent):
                    open_.append((set() if isinstance(event, yaml.MappingStartEvent) else None, True))
    except yaml.YAMLError:
        # Some JSON is invalid YAML, for example with tabs; there the reader itself has looked at the outermost keys.
        return ""
    finally:
        loader.dispose()
    return ""


def field(value: Mapping[str, Any], name: str) -> Any:
    """Return the field *name* of *value*, written in any case; of several the last, as Go reads JSON."""
    spellings = [content for key, content in value.items() if key == name or key.casefold() == name.casefold()]
    return spellings[-1] if spellings else None
