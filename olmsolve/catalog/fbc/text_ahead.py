"""The text of a file that is read forward, in pieces of any size, with a look at what comes next.

To compare a new version of a catalog with the one before takes its text once, piece by piece, and nearly all pieces are
thrown away at once. So no more is held than what somebody looks at. With 62 MB of text in one piece of memory, reading
alone took as long as hashing, because the system gives fresh memory page by page.
"""

from __future__ import annotations

import io
from typing import Final

_AHEAD: Final = 1 << 16  # bytes that are read at least where somebody looks ahead


class TextAhead:
    """The text of *file* from where it stands."""

    __slots__ = ("_begin", "_held", "_read")

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._read = file.read
        self._held = b""  # read already, of which the bytes from _begin on were not taken
        self._begin = 0

    def take(self, size: int) -> bytes:
        """Return the next *size* bytes, fewer where the file ends, and go behind them."""
        if not self._held:
            return self._read(size)
        begin, end = self._begin, self._begin + size
        if end < len(self._held):
            self._begin = end
            return self._held[begin:end]
        piece = self._held[begin:]
        self._held, self._begin = b"", 0
        return piece + self._read(end - begin - len(piece)) if len(piece) < size else piece

    def look(self, size: int) -> bytes:
        """Return the next *size* bytes, fewer where the file ends, and stay before them."""
        left = len(self._held) - self._begin
        if left < size:
            self._held, self._begin = self._held[self._begin :] + self._read(max(size - left, _AHEAD)), 0
        return self._held[self._begin : self._begin + size]

    def give_back(self, piece: bytes) -> None:
        """Go back before a *piece* that was taken last."""
        self._held, self._begin = piece + self._held[self._begin :], 0
