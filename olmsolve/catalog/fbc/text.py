"""The documents of a file's text, told apart and cut as ``opm`` does, whose decoder is that of Kubernetes' tools.

The beginning of the text shows its format: JSON if the first sign that is no white space is a brace, else YAML. Braces
also begin YAML in flow style, so a text that stops being JSON at its first or second object is read as YAML from the
end of the last good object on. From the third object on it is JSON for good, and a fault is a fault::

    {"schema": ...}        {schema: ...}          {"schema": ...}
    {"schema": ...}        ---                    {"schema": ...}
    {"schema": ...}        schema: ...            ---
    JSON                   YAML                   refused: ``---`` is no JSON
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from olmsolve._limits import checked
from olmsolve.catalog.fbc import json_text
from olmsolve.catalog.fbc.document import DOCUMENT, Document, refuse
from olmsolve.catalog.fbc.text_source import Meter, Readable, TextSource
from olmsolve.catalog.fbc.yaml_dialect import Note
from olmsolve.catalog.fbc.yaml_split import WHITE_SPACE
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.usual_bundles import PropertyTable

_LOOK_AHEAD: Final = 4096
"""Bytes in which the first sign is looked for; a text with more white space before it counts as YAML."""


def read_documents(
    file: Readable,
    name: str,
    meter: Meter | None = None,
    *,
    in_folder: bool = False,
    skip_empty: bool = False,
    note: Note = None,
) -> Iterator[Document]:
    """Read the JSON or YAML documents of the open *file*, which errors and origins call *name*.

    *meter* counts what is read over several files, and *in_folder* says that *file* is one of a catalog's folder or
    archive (:class:`~olmsolve.catalog.fbc.text_source.TextSource`). With *skip_empty*, empty YAML documents are passed
    over, as ``kubectl`` does and ``opm`` does not. *note* is called with the places where YAML's specification reads
    something else than ``opm``, and where text is passed over because it stands behind the end of a YAML document.

    Raises :class:`~olmsolve.errors.CatalogError` for everything that is no object.
    """
    return text_documents(TextSource(file, name, meter, in_folder=in_folder), name, skip_empty=skip_empty, note=note)


def text_documents(
    source: TextSource,
    file: str,
    *,
    skip_empty: bool = False,
    note: Note = None,
    properties: PropertyTable | None = None,
) -> Iterator[Document]:
    """Return the documents of *source*, whose errors and origins name *file*; an empty file has none.

    With a table of *properties*, those of usual bundles are a tuple from it, which only a linker understands.
    """
    return iter(checked(_text_documents(source, file, skip_empty=skip_empty, note=note, properties=properties)))


def _text_documents(
    source: TextSource, file: str, *, skip_empty: bool, note: Note, properties: PropertyTable | None
) -> Iterator[Document]:
    yaml = partial(_yaml, file=file, skip_empty=skip_empty, note=note)
    if b"\0" in source.head[:1024]:
        raise CatalogError("a binary file, not JSON or YAML", origin=file)
    pieces = source.text()
    begin = _begin(pieces, file)
    if not begin:
        return
    space = len(begin) - len(begin.lstrip(WHITE_SPACE))
    if begin[space : space + 1] != "{" or len(begin[:space].encode()) >= _LOOK_AHEAD:
        yield from yaml(chain([begin], pieces))
        return
    try:
        yield from json_text.documents(chain([begin], pieces), file, properties)
    except json_text.NotJsonError as failure:
        yield from _after_json(failure, pieces, file, yaml)


def _begin(pieces: Iterator[str], file: str) -> str:
    """Return the text up to the first piece that holds more than white space."""
    begin = ""
    for piece in pieces:
        begin += piece
        if piece.strip(WHITE_SPACE):
            break
        if len(begin) > DOCUMENT:
            refuse(f"more than {DOCUMENT:,} characters of white space", file)
    return begin


def _after_json(
    failure: json_text.NotJsonError, pieces: Iterator[str], file: str, yaml: Callable[..., Iterator[Document]]
) -> Iterator[Document]:
    """Yield the YAML documents from where the text stopped being JSON.

    If the first of them is none, the fault of the JSON is the one to tell: a text that begins with a brace is more
    often wrong JSON than wrong YAML.
    """
    text, line = failure.text, failure.text_line
    content = len(text) - len(text.lstrip(WHITE_SPACE))
    line_end = text.find("\n", 0, content)
    if line_end >= 0:
        content, line = line_end + 1, line + 1
    documents = yaml(chain([text[content:]], pieces), number=failure.number, line=line)
    try:
        first = next(documents, None)
    except CatalogError:
        first = None
    if first is None:
        refuse(failure.reason, file, failure.number, failure.line, failure.excerpt)
    yield first
    yield from documents


def _yaml(
    pieces: Iterable[str], file: str, skip_empty: bool, note: Note, number: int = 1, line: int = 1
) -> Iterator[Document]:
    # Imported on first use: readers of JSON need no YAML.
    from olmsolve.catalog.fbc import yaml_fast

    return yaml_fast.documents(iter(pieces), file, number=number, line=line, skip_empty=skip_empty, note=note)
