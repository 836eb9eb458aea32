"""The parts of an index file, read and checked page by page when somebody asks for them.

A catalog of a million bundles has 130 MB of columns, and one answer looks at some dozen places in them. So opening
reads the head of the file alone, which has the digest of each page::

    slot_bundle    page 0 | page 1 | ... | page 244        4,096 numbers each
    slot_bundle[5000] reads page 1, holds it against its digest, and looks at the bounds of its numbers: 50 microseconds

Columns of up to half a million numbers are read whole, at the first look, and are plain arrays from then on: a look
into an array takes a quarter of the time of one into pages.
"""

from __future__ import annotations

import os
import threading
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NoReturn, overload

from olmsolve._limits import check, checked, held
from olmsolve.catalog.index.lanes import reach
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import COLUMNS, Schema
from olmsolve.errors import CatalogError

# A smaller page costs less for one number, and more for all: each brings a digest of 32 bytes, which the head of the
# file holds and every opening reads.
PAGE: Final = 1 << 14
"""Bytes of a page."""

DIGEST_BYTES: Final = 32  # of SHA-256

_WHOLE: Final = 1 << 21  # bytes of a part that is read whole
_AT_ONCE: Final = 1 << 20  # bytes between two looks at the limits
_BINARY: Final = getattr(os, "O_BINARY", 0)  # without this flag, Windows reads text


def page_digests(part: bytes | memoryview) -> bytes:
    """Return the SHA-256 of each page of *part*, one after the other."""
    if len(part) <= PAGE:
        return sha256(part).digest() if part else b""
    view = memoryview(part)
    starts = checked(range(0, len(view), PAGE), every=64)
    return b"".join([sha256(view[start : start + PAGE]).digest() for start in starts])


def open_file(path: str | os.PathLike[str]) -> int:
    """Return the descriptor of the file at *path*, for reading. Raises OSError."""
    return os.open(path, os.O_RDONLY | _BINARY)


class RowCounts(Schema):
    """The numbers of rows of the tables of a file, by the *lengths* of its parts in bytes: no column is read for it."""

    __slots__ = ("_lengths",)

    def __init__(self, lengths: Mapping[str, int]) -> None:
        self._lengths = lengths

    def length(self, name: str) -> int:
        return self._lengths[name] // (1 if name == "text" else 4)


class FileParts:
    """The parts of an index file, which stays open: whoever replaces it leaves this one as it was.

    *starts* and *lengths* say where each part is, and *digests* lists the digests of all pages, part by part. A page
    that was changed, and numbers beyond their rows, are damage: from then on, the parts come from *mended*, which
    makes them of the catalog. Without it, damage is a :class:`~olmsolve.errors.CatalogError`.
    """

    def __init__(
        self, descriptor: int, starts: Mapping[str, int], lengths: Mapping[str, int], digests: bytes, origin: str
    ) -> None:
        self._descriptor = descriptor
        weakref.finalize(self, os.close, descriptor)
        self._starts = starts
        self.lengths = lengths
        self._digests = digests
        self._origin = origin
        self._first_page: dict[str, int] = {}
        pages = 0
        for name, length in lengths.items():
            self._first_page[name] = pages
            pages += -(-length // PAGE)
        self.counts: RowCounts = RowCounts(lengths)
        self._limits: dict[str, tuple[int, bool]] = {
            name: (self.counts.row_count(rule.row_of) + rule.or_end, rule.or_none)
            for name, rule in COLUMNS.items()
            if rule.row_of
        }
        self.mended: Callable[[str], Mapping[str, bytes]] | None = None
        """Makes the parts anew, given what is wrong."""
        # All parts once they are known to be sound: read whole from a short file, or made of the catalog.
        self._sound: Mapping[str, bytes] | None = None
        # The handler of a signal may ask for a page while its own thread mends the parts.
        self._lock = threading.RLock()

    def limit(self, name: str, number: int) -> None:
        """Require all numbers of the part *name* to be less than *number*."""
        self._limits[name] = number, False

    def numbers(self, name: str, typecode: str = "I") -> Sequence[int]:
        """Return a part as a column: an array where it is short, else one that reads its pages when it is asked."""
        size = self.lengths[name] // array(typecode).itemsize
        if self.lengths[name] > _WHOLE:
            return PagedColumn(typecode, size, lambda number: self._page(name, typecode, number))
        return self.in_array(name, typecode)

    def in_array(self, name: str, typecode: str = "I") -> array[int]:
        """Return the numbers of a whole part."""
        made = array(typecode, self.whole(name))
        if self._sound is None and self._is_out_of_bounds(name, made):
            made = array(typecode, self._damaged(name, "its numbers contradict each other"))
        return made

    def text(self) -> bytes | PagedText:
        """Return the text of all strings."""
        length = self.lengths["text"]
        return PagedText(length, lambda number: self._read("text", number)) if length > _WHOLE else self.whole("text")

    def whole(self, name: str) -> bytes:
        """Return the bytes of a part."""
        if self._sound is not None:
            return self._sound[name]
        start, length = self._starts[name], self.lengths[name]
        if length <= _AT_ONCE:
            data = self.bytes_at(start, length)
        else:
            pieces = [
                self.bytes_at(begin, min(_AT_ONCE, start + length - begin))
                for begin in checked(range(start, start + length, _AT_ONCE))
            ]
            data = b"".join(pieces)
        first = DIGEST_BYTES * self._first_page[name]
        digests = page_digests(data)
        if len(data) != length or digests != self._digests[first : first + len(digests)]:
            return self._damaged(name, "its checksum does not match")
        return data

    def check(self) -> None:
        """Read all parts, look at all digests and bounds, and keep the parts."""
        sound: dict[str, bytes] = {}
        for name in self.lengths:
            sound[name] = self.whole(name)
            if name in self._limits:
                made = array("Q" if name == "chunks" else "I", sound[name])
                if self._is_out_of_bounds(name, made):
                    sound[name] = self._damaged(name, "its numbers contradict each other")
        self._sound = sound

    def digests_of(self, name: str, part: bytes) -> bytes:
        """Return the :func:`page_digests` of a new *part*; digests of pages that are the same here are copied."""
        before, first = self.whole(name), self._first_page[name]
        known = self._digests[DIGEST_BYTES * first : DIGEST_BYTES * (first + -(-len(before) // PAGE))]
        if part == before:
            return known
        digests: list[bytes] = []
        # Of a page that has changed, hardly a byte is compared; to hash one takes 8 µs.
        for begin in checked(range(0, len(part), PAGE), every=64):
            page, at = part[begin : begin + PAGE], begin // PAGE * DIGEST_BYTES
            is_same = page == before[begin : begin + PAGE]
            digests.append(known[at : at + DIGEST_BYTES] if is_same else sha256(page).digest())
        return b"".join(digests)

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error of a damaged file."""
        raise CatalogError(f"a damaged index: {reason}", origin=self._origin)

    def _page(self, name: str, typecode: str, number: int) -> array[int]:
        made = array(typecode, self._read(name, number))
        if self._sound is None and self._is_out_of_bounds(name, made):
            self._damaged(name, "its numbers contradict each other")
            made = array(typecode, self._read(name, number))
        return made

    def _read(self, name: str, number: int) -> bytes:
        """Return the page *number* of a part."""
        start = number * PAGE
        size = min(PAGE, self.lengths[name] - start)
        if self._sound is None:
            data = self.bytes_at(self._starts[name] + start, size)
            at = DIGEST_BYTES * (self._first_page[name] + number)
            if len(data) == size and sha256(data).digest() == self._digests[at : at + DIGEST_BYTES]:
                return data
            self._damaged(name, "its checksum does not match")
        assert self._sound is not None
        return self._sound[name][start : start + size]

    def bytes_at(self, start: int, size: int) -> bytes:
        """Return bytes of the file, fewer where it ends or cannot be read."""
        check()
        try:
            if hasattr(os, "pread"):
                return os.pread(self._descriptor, size, start)
            with held(self._lock):  # Windows
                os.lseek(self._descriptor, start, os.SEEK_SET)
                return os.read(self._descriptor, size)
        except OSError:
            return b""

    def _is_out_of_bounds(self, name: str, numbers: array[int]) -> bool:
        bound = self._limits.get(name)
        if bound is None or not numbers:
            return False
        limit, or_none = bound
        if name == "name_ranks" and not limit and not any(self.in_array("name_ranked")):
            # No version has a rank, so these are no ranks and nobody looks at them.
            return False
        return reach(numbers, limit, but_none=or_none)

    def _damaged(self, name: str, reason: str) -> bytes:
        """Return the part *name* of a new index, made from the catalog. Raises CatalogError if that is impossible."""
        if self.mended is None:
            self.refuse(reason)
        with held(self._lock):
            if self._sound is None:
                parts = self.mended(f"a damaged index: {reason}")
                # Parts that were read before fit the new ones only if the lengths are the same.
                if any(len(parts[part_name]) != self.lengths[part_name] for part_name in parts):
                    self.refuse("its numbers contradict each other")
                self._sound = parts
        return self._sound[name]


class StoredColumns(Packed):
    """The columns of an index file; each is read when it is first asked for."""

    __slots__ = ("_parts",)

    def __init__(self, parts: FileParts) -> None:
        self._parts = parts
        self.packages: int = parts.counts.row_count("package")
        self._strings = {}

    def __getattr__(self, name: str) -> Any:
        # Only columns that were not read yet come here: the others are attributes, which cost a look no call.
        if name not in COLUMNS and name != "text":
            raise AttributeError(name)
        value = self._parts.text() if name == "text" else self._parts.numbers(name)
        setattr(self, name, value)
        return value

    def length(self, name: str) -> int:
        return self._parts.counts.length(name)

    def copied(self) -> Packed:
        return StoredColumns(self._parts)

    def in_memory(self) -> Packed:
        """Return the same columns, all of them read."""
        return Packed({name: self._parts.in_array(name) for name in COLUMNS}, self._parts.whole("text"))


class _Pages(dict[int, Any]):
    """Pages by their number, each loaded when it is first asked for."""

    def __init__(self, count: int, load: Callable[[int], Any]) -> None:
        super().__init__()
        self._count = count
        self._load = load

    def __missing__(self, number: int) -> Any:
        if not 0 <= number < self._count:
            raise KeyError(number)
        page = self[number] = self._load(number)
        return page


class PagedColumn(Sequence[int]):
    """A column of *size* numbers, whose pages are loaded when they are first asked for; a slice of it is an array."""

    __slots__ = ("_mask", "_pages", "_shift", "_size", "typecode")

    def __init__(self, typecode: str, size: int, load: Callable[[int], array[int]]) -> None:
        self.typecode: str = typecode
        per_page = PAGE // array(typecode).itemsize
        # Number 5000 is in page 5000 >> 12 == 1, at 5000 & 4095 == 904: 0.04 µs for both, where divmod() takes 0.06.
        self._shift, self._mask = per_page.bit_length() - 1, per_page - 1
        self._pages = _Pages(-(-size // per_page), load)
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, number: int) -> int: ...

    @overload
    def __getitem__(self, number: slice) -> array[int]: ...

    def __getitem__(self, number: int | slice) -> int | array[int]:
        try:
            value: int = self._pages[number >> self._shift][number & self._mask]  # type: ignore[operator]
        except (TypeError, LookupError):
            pass
        else:
            return value
        if not isinstance(number, slice):
            if not -self._size <= number < 0:
                raise IndexError(number)
            return self[number + self._size]
        start, stop, step = number.indices(self._size)
        made = array(self.typecode)
        if step != 1:
            made.extend(self[position] for position in range(start, stop, step))
            return made
        while start < stop:
            page, first = start >> self._shift, start & self._mask
            taken = self._pages[page][first : first + stop - start]
            made.extend(taken)
            start += len(taken)
        return made

    def __iter__(self) -> Iterator[int]:
        for start in range(0, self._size, self._mask + 1):
            yield from self._pages[start >> self._shift]

    def tolist(self) -> list[int]:
        """Return all numbers."""
        return self[:].tolist()

    def tobytes(self) -> bytes:
        """Return the bytes of all numbers."""
        return self[:].tobytes()


class PagedText:
    """A text of *size* bytes, whose pages are loaded when they are first asked for."""

    __slots__ = ("_pages", "_size")

    def __init__(self, size: int, load: Callable[[int], bytes]) -> None:
        self._pages = _Pages(-(-size // PAGE), load)
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        pieces = []
        while start < stop:
            page, first = divmod(start, PAGE)
            piece = self._pages[page][first : first + stop - start]
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def find(self, wanted: bytes, start: int, end: int) -> int:
        """Return the position of *wanted* between *start* and *end*, -1 if it is not there."""
        offset = self[start:end].find(wanted)
        return offset if offset < 0 else start + offset
