"""Bytes of a catalog's files: decompressed, counted for the caller's progress, and held to the limits."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from olmsolve._limits import check
from olmsolve._waiting import read_some
from olmsolve.catalog.archives import GZIP_MARK, TOTAL_BYTES, gzip_pieces
from olmsolve.errors import CatalogError

_PIECE: Final = 1 << 18
_HEAD: Final = 1 << 13
_REPORT_EVERY: Final = 1 << 18


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
        for piece in gzip_pieces(self._read_input, data, self._origin):
            self._meter.count_text(len(piece), self._origin)
            yield piece
