"""A file's bytes become text, and its text becomes documents, in the format and with the cuts that ``opm`` finds.

Bytes are decompressed, counted for the caller's progress, and held to the limits. ``opm`` decodes as
Kubernetes' tools do: the beginning of the text shows its format, JSON if the first sign after white space is a brace,
else YAML. Braces also begin YAML in flow style, so a text that stops being JSON at its first or second object is read
as YAML from the end of the last good object on. From the third object on it is JSON for good, and a fault is a fault::

    {"schema": ...}        {schema: ...}          {"schema": ...}
    {"schema": ...}        ---                    {"schema": ...}
    {"schema": ...}        schema: ...            ---
    JSON                   YAML                   refused: ``---`` is no JSON
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from olmsolve._limits import check, checked
from olmsolve._waiting import read_some
from olmsolve.catalog.archives import GZIP_MARK, TOTAL_BYTES
from olmsolve.catalog.fbc.document import DOCUMENT, WHITE_SPACE, Document, refuse
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.json_fast import PropertyTable
    from olmsolve.catalog.fbc.json_text import NotJsonError
    from olmsolve.catalog.fbc.yaml_cursor import Note

_PIECE: Final = 1 << 18  # bytes that are read and decoded between two looks at the limits
_HEAD: Final = 1 << 13  # bytes that decide the format of a file
_REPORT_EVERY: Final = 1 << 18  # bytes between two reports of progress


class Readable(Protocol):
    """A file that is open for reading, in binary or text mode."""

    def read(self, size: int, /) -> bytes | str:
        """Return at most *size* bytes or characters, and an empty result only at the end."""


class Meter:
    """The bytes and the text that one load has read so far, over all of its files, for progress and limits."""

    def __init__(self, total: int = 0, progress: Callable[[int, int], None] | None = None) -> None:
        self._total = total
        self._progress = progress
        self._done = 0
        self._reported = 0
        self._text = 0

    def count_input(self, size: int) -> None:
        """Count *size* bytes of input, compressed or not."""
        self._done += size
        if self._progress is not None and self._done - self._reported >= _REPORT_EVERY:
            self._reported = self._done
            self._progress(self._done, max(self._total, self._done) if self._total else 0)

    def count_text(self, size: int, origin: str) -> None:
        """Count *size* bytes of text, and refuse more than a catalog may have, or than the limits allow."""
        check()
        self._text += size
        if self._text > TOTAL_BYTES:
            raise CatalogError(f"a catalog of more than {TOTAL_BYTES:,} bytes of text", origin=origin)

    def finish(self) -> None:
        """Report that all is read."""
        if self._progress is not None:
            self._progress(self._done, self._done)


class TextSource:
    """The bytes of one file, decompressed if they begin as gzip does, or their text.

    With *in_folder*, the file is one of a catalog's folder or archive, in which ``opm`` takes no compressed files.
    """

    def __init__(self, file: Readable, origin: str, meter: Meter | None = None, *, in_folder: bool = False) -> None:
        self._file = file
        self._origin = origin
        self._meter = meter or Meter()
        head = self._read_input(_HEAD)
        if in_folder and head.startswith(GZIP_MARK):
            raise CatalogError("gzip data, which opm does not read in a catalog's folder: decompress it", origin=origin)
        self._pieces = self._decompressed_pieces(head) if head.startswith(GZIP_MARK) else self._plain_pieces(head)
        self._head = next(self._pieces, b"")

    @property
    def head(self) -> bytes:
        """The beginning of the text: at least 512 bytes, or all of it."""
        while len(self._head) < 512:
            piece = next(self._pieces, b"")
            if not piece:
                break
            self._head += piece
        return self._head

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes that were not read yet."""
        if self._head:
            head, self._head = self._head, b""
            yield head
        yield from self._pieces

    def read(self, size: int) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""
        data = self._head or next(self._pieces, b"")
        self._head = data[size:]
        return data[:size]

    def text(self) -> Iterator[str]:
        """Yield all bytes that were not read yet as text, a byte-order mark at its beginning included."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        position, line = 0, 1
        for piece in self.pieces():
            waiting = len(decoder.getstate()[0])
            try:
                text = decoder.decode(piece)
            except UnicodeDecodeError as error:
                self._refuse_encoding(error, position - waiting, line)
            position += len(piece)
            line += text.count("\n")
            if text:
                yield text
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            self._refuse_encoding(error, position - len(error.object), line)

    def _refuse_encoding(self, error: UnicodeDecodeError, position: int, line: int) -> None:
        line += error.object.count(b"\n", 0, error.start)
        byte = error.object[error.start]
        reason = f"not UTF-8: byte 0x{byte:02x} at offset {position + error.start}"
        raise CatalogError(reason, origin=f"{self._origin}:{line}") from None

    def _read_input(self, size: int) -> bytes:
        try:
            data = read_some(self._file, size)
        except (OSError, ValueError) as error:
            raise CatalogError(f"cannot be read: {error}", origin=self._origin) from error
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")
        elif not isinstance(data, (bytes, bytearray)):
            raise CatalogError("cannot be read: the file gave neither bytes nor text", origin=self._origin)
        self._meter.count_input(len(data))
        return bytes(data)

    def _plain_pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            self._meter.count_text(len(data), self._origin)
            yield data
            data = self._read_input(_PIECE)

    def _decompressed_pieces(self, data: bytes) -> Iterator[bytes]:
        from olmsolve.catalog.archives import gzip_pieces  # loads zlib

        for piece in gzip_pieces(self._read_input, data, self._origin):
            self._meter.count_text(len(piece), self._origin)
            yield piece


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
    archive (:class:`~olmsolve.catalog.fbc.text.TextSource`). With *skip_empty*, empty YAML documents are passed
    over, as ``kubectl`` does and ``opm`` does not. *note* is called with the places where YAML's specification reads
    something else than ``opm``, and where text is ignored because it follows the end of a YAML document.

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

    With a table of *properties*, the properties of a usual bundle are a tuple from this table, which only a linker
    understands.
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
    from olmsolve.catalog.fbc import json_text  # readers of YAML need no JSON

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
    failure: NotJsonError, pieces: Iterator[str], file: str, yaml: Callable[..., Iterator[Document]]
) -> Iterator[Document]:
    """Yield the YAML documents from where the text stopped being JSON.

    If the first of them is no YAML document either, the fault of the JSON is reported: a text that begins with a brace
    is more often wrong JSON than wrong YAML.
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
