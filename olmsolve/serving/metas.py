"""The blobs of a catalog for catalogd's API: JSON on a line each, found by schema, package and name.

The lines lie in a file without a name, as catalogd keeps them in one: a large catalog has hundreds of megabytes.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from olmsolve._limits import check, held
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs
from olmsolve.predicates import encoded

_PIECE = 1 << 18


class Section(NamedTuple):
    """Bytes of the file: where they begin, and how many they are."""

    offset: int
    length: int


class Metas:
    """The blobs of a *catalog*, in the order in which they were read; the file goes with the object."""

    def __init__(self, catalog: Catalog) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as it is served
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self._by: dict[tuple[str, str], set[Section]] = defaultdict(set)
        self._all: list[Section] = []
        offset = 0
        for blob in blobs(catalog):
            check()
            line = encoded(blob) + b"\n"
            section = Section(offset, len(line))
            self._file.write(line)
            offset += len(line)
            self._all.append(section)
            for field in ("schema", "package", "name"):
                value = blob.get(field)
                if isinstance(value, str) and value:
                    self._by[field, value].add(section)
        self._file.flush()

    def sections(self, *, schema: str = "", package: str = "", name: str = "") -> list[Section]:
        """Return the blobs that have these fields; "" is any. A package's own blob names it as *name*, not *package*.

        This is catalogd's rule, as documented and in its code.
        """
        wanted = [(field, text) for field, text in (("schema", schema), ("package", package), ("name", name)) if text]
        if not wanted:
            return list(self._all)
        return sorted(set.intersection(*(self._by.get(key, set()) for key in wanted)))

    def pieces(self, sections: list[Section]) -> Iterator[bytes]:
        """Yield the lines of *sections* in pieces; threads may read at the same time."""
        for offset, end in _merged_spans(sections):
            start = offset
            while start < end:
                with held(self._lock):
                    self._file.seek(start)
                    piece = self._file.read(min(_PIECE, end - start))
                start += len(piece)
                yield piece


def _merged_spans(sections: list[Section]) -> Iterator[tuple[int, int]]:
    """Yield beginnings and ends of *sections*, neighbours as one."""
    start = end = 0
    for offset, length in sections:
        if offset != end:
            if end > start:
                yield start, end
            start = offset
        end = offset + length
    if end > start:
        yield start, end
