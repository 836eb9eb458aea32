"""The documents of a file's text: JSON or YAML, which the beginning of the text tells, as in ``opm``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from olmsolve.catalog.fbc import json_text
from olmsolve.catalog.fbc.document import Document, refuse
from olmsolve.catalog.fbc.limits import DOCUMENT
from olmsolve.catalog.fbc.text_source import Meter, Readable, TextSource
from olmsolve.errors import CatalogError


def read_documents(file: Readable, name: str, meter: Meter | None = None) -> Iterator[Document]:
    """Read the JSON or YAML documents of the open *file*, which errors and origins call *name*.

    *meter* counts what is read over several files. Raises :class:`~olmsolve.errors.CatalogError`.
    """
    return text_documents(TextSource(file, name, meter), name)


def text_documents(source: TextSource, file: str) -> Iterator[Document]:
    """Yield the documents of *source*, whose errors and origins name *file*; an empty file has none.

    Text that begins with a brace or bracket is JSON. Anything else is YAML, and so is a text whose first
    document begins with a brace and is not JSON (YAML's flow style).
    """
    if b"\0" in source.head[:1024]:
        raise CatalogError("a binary file, not JSON or YAML", origin=file)
    pieces = source.text()
    begin = _begin(pieces, file)
    if not begin.lstrip(" \t\r\n").startswith(("{", "[")):
        if begin:
            yield from _yaml(chain([begin], pieces), file)
        return
    try:
        yield from json_text.documents(chain([begin], pieces), file)
    except json_text.NotJsonError as failure:
        yield from _flow_style(failure, pieces, file)


def _begin(pieces: Iterator[str], file: str) -> str:
    """Return the text up to the first piece that holds more than white space."""
    begin = ""
    for piece in pieces:
        begin += piece
        if not piece.isspace():
            break
        if len(begin) > DOCUMENT:
            refuse(f"more than {DOCUMENT:,} characters of white space", file)
    return begin


def _flow_style(failure: json_text.NotJsonError, pieces: Iterator[str], file: str) -> Iterator[Document]:
    try:
        yield from _yaml(chain([failure.text], pieces), file)
    except CatalogError:
        # A text that begins with a brace is more often wrong JSON than wrong YAML.
        refuse(failure.reason, file, 1, failure.line)


def _yaml(pieces: Iterable[str], file: str) -> Iterator[Document]:
    # Imported on first use: readers of JSON need no YAML.
    from olmsolve.catalog.fbc import yaml_fast

    return yaml_fast.documents(iter(pieces), file)
