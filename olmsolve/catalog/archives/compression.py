"""Compressed streams in pieces: never more than a piece ahead, and refused where they grow beyond measure.

The limits here, and those on archives, are above any real catalog and below what harms a process.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from olmsolve._limits import check
from olmsolve.errors import CatalogError

EXPANSION: Final = 200
"""Times that compressed data may grow. Catalogs grow 10 to 40 times; gzip's most is about 1,030."""

EXPANSION_FREE_BYTES: Final = 4 << 20
"""Decompressed bytes up to which growth is not limited, because a short text can compress to almost nothing."""

EMPTY_MEMBERS: Final = 100_000
"""Members of gzip data, or frames of zstd data, without a byte in them. Programs write one at the end of a file."""

_PIECE: Final = 1 << 18  # bytes of output between two looks at its growth
_COMPRESSED: Final = 1 << 13  # the rest of the input is copied at the end of each gzip member, so it is kept small

PieceReader = Callable[[int], bytes]
"""A function that takes a size and returns at most that many bytes of input, b"" only at the end."""


class GrowthLimit:
    """The bytes that went into a decompressor and came out of it, held to :data:`EXPANSION`.

    Output up to *free* bytes is not limited, because a short text can compress to almost nothing.
    """

    def __init__(self, kind: str, origin: str, free: int = EXPANSION_FREE_BYTES) -> None:
        self._kind = kind
        self._origin = origin
        self._free = free
        self._taken = 0
        self._given = 0
        self._empty = 0

    def take(self, size: int) -> None:
        """Count *size* bytes of input. Raises Incomplete where a limit of the caller is met."""
        check()
        self._taken += size

    def end_member(self, size: int) -> None:
        """Count a member or frame with *size* bytes of output. Raises CatalogError where too many have none."""
        self._empty += not size
        if self._empty > EMPTY_MEMBERS:
            raise CatalogError(f"{self._kind} data of more than {EMPTY_MEMBERS:,} empty members", origin=self._origin)

    def give(self, size: int) -> None:
        """Count *size* bytes of output. Raises CatalogError where it is too much for the input."""
        self._given += size
        if self._given > self._free and self._given > EXPANSION * self._taken:
            reason = f"{self._kind} data that grows to more than {EXPANSION} times its size"
            raise CatalogError(reason, origin=self._origin)


def gzip_pieces(read: PieceReader, head: bytes, origin: str, growth: GrowthLimit | None = None) -> Iterator[bytes]:
    """Decompress all members of the gzip data that begins with *head* and goes on with what *read* returns.

    Raises:
        CatalogError: the data is damaged, ends too early or grows too much; it names *origin*.
    """
    growth = growth or GrowthLimit("gzip", origin)
    growth.take(len(head))
    data, size = head, 0
    # 16 stands for the header of gzip, 15 for its largest window.
    member = zlib.decompressobj(wbits=16 + 15)
    while True:
        if member.eof:
            growth.end_member(size)
            size = 0
            data = member.unused_data.lstrip(b"\0")
            data = data or _more(read, growth).lstrip(b"\0")
            if not data:
                return
            member = zlib.decompressobj(wbits=16 + 15)
        elif not data:
            data = _more(read, growth)
            if not data:
                raise CatalogError("truncated gzip data: it ends too early", origin=origin)
        try:
            piece = member.decompress(data, _PIECE)
        except zlib.error as error:
            raise CatalogError(f"damaged gzip data: {error}", origin=origin) from None
        data = member.unconsumed_tail
        if piece:
            size += len(piece)
            growth.give(len(piece))
            yield piece


class _ZstdFrame(Protocol):
    """A decompressor of one zstd frame, as Python 3.14 has it in ``compression.zstd``."""

    eof: bool
    needs_input: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Return at most *max_length* bytes of output for *data* and what came before."""


def zstd_pieces(read: PieceReader, head: bytes, origin: str, growth: GrowthLimit | None = None) -> Iterator[bytes]:
    """Decompress all frames of the zstd data that begins with *head* and goes on with what *read* returns.

    Raises:
        CatalogError: the data is damaged, ends too early or grows too much, or no decompressor is installed; it names
            *origin*.
    """
    new_frame, failure = _zstd(origin)
    growth = growth or GrowthLimit("zstd", origin)
    growth.take(len(head))
    data, size = head, 0
    frame = new_frame()
    while True:
        if frame.eof:
            growth.end_member(size)
            size = 0
            data = frame.unused_data or _more(read, growth)
            if not data:
                return
            frame = new_frame()
        elif frame.needs_input and not data:
            data = _more(read, growth)
            if not data:
                raise CatalogError("truncated zstd data: it ends too early", origin=origin)
        try:
            piece = frame.decompress(data, _PIECE)
        except failure as error:
            raise CatalogError(f"damaged zstd data: {error}", origin=origin) from None
        data = b""
        if piece:
            size += len(piece)
            growth.give(len(piece))
            yield piece


def _zstd(origin: str) -> tuple[Callable[[], _ZstdFrame], type[Exception]]:
    """Return the class of zstd decompressors, and of their errors: of Python 3.14, or of its backport."""
    from importlib import import_module

    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module.ZstdDecompressor, module.ZstdError
    raise CatalogError("zstd data needs Python 3.14, or pip install 'olmsolve[images]'", origin=origin)


def _more(read: PieceReader, growth: GrowthLimit) -> bytes:
    data = read(_COMPRESSED)
    growth.take(len(data))
    return data
