"""A catalog that is served: its answers as they are now, a changed catalog taken in its place, and requests counted."""

from __future__ import annotations

import tempfile
import threading
import time
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from olmsolve._limits import check, held
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, catalog_files
from olmsolve.errors import CatalogError
from olmsolve.predicates import encoded
from olmsolve.serving.registry import Registry

# Bytes of one read, under the lock that all connections share: a hundredth of a millisecond.
_PIECE = 1 << 18


class _Section(NamedTuple):
    """Bytes of the file: where they begin, and how many they are."""

    offset: int
    length: int


class Metas:
    """The blobs of a *catalog*, in the order in which they were read; the file goes with the object."""

    def __init__(self, catalog: Catalog) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as it is served
        # A changed catalog takes the place of this one while requests still read it; the file is closed after the last
        # of them.
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self._by: dict[tuple[str, str], set[_Section]] = defaultdict(set)
        self._all: list[_Section] = []
        offset = 0
        for blob in blobs(catalog):
            check()
            line = encoded(blob) + b"\n"
            section = _Section(offset, len(line))
            self._file.write(line)
            offset += len(line)
            self._all.append(section)
            for field in ("schema", "package", "name"):
                value = blob.get(field)
                if isinstance(value, str) and value:
                    self._by[field, value].add(section)
        self._file.flush()

    def sections(self, *, schema: str = "", package: str = "", name: str = "") -> list[_Section]:
        """Return the blobs that have these fields; "" is any. A package's own blob names it as *name*, not *package*.

        This is catalogd's rule, as documented and in its code.
        """
        wanted = [(field, text) for field, text in (("schema", schema), ("package", package), ("name", name)) if text]
        if not wanted:
            return list(self._all)
        return sorted(set.intersection(*(self._by.get(key, set()) for key in wanted)))

    def pieces(self, sections: list[_Section]) -> Iterator[bytes]:
        """Yield the lines of *sections* in pieces; threads may read at the same time."""
        # Neighbours are read together: all of a catalog of 10,000 blobs is a few large reads, not one for each line.
        for offset, end in _merged_spans(sections):
            start = offset
            while start < end:
                with held(self._lock):
                    self._file.seek(start)
                    piece = self._file.read(min(_PIECE, end - start))
                start += len(piece)
                yield piece


def _merged_spans(sections: list[_Section]) -> Iterator[tuple[int, int]]:
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


Fingerprint = tuple[tuple[str, int, int, int], ...]


class Snapshot(NamedTuple):
    """The answers of a catalog at one time; *loaded* is the time in seconds since 1970."""

    registry: Registry
    metas: Metas
    loaded: float


class RequestCounts:
    """Counters of requests, by API, call and status."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, api: str, call: str, status: str) -> None:
        """Count one request of *api* (grpc or http)."""
        with held(self._lock):
            self._counts[api, call, status] += 1

    def items(self) -> list[tuple[tuple[str, str, str], int]]:
        """Return the counts, sorted by API, call and status."""
        with held(self._lock):
            return sorted(self._counts.items())

    def exposition(self) -> str:
        """Return the counts in the text format of Prometheus."""
        name = "olmsolve_served_requests_total"
        lines = [f"# HELP {name} Requests by API, call and status.", f"# TYPE {name} counter"]
        for (api, call, status), number in self.items():
            lines.append(f'{name}{{api="{api}",call="{call}",status="{status}"}} {number}')
        return "\n".join(lines) + "\n"


class ServedCatalog:
    """The catalog at *path*, which *load* reads; every request is answered by the newest one that could be read.

    Raises what *load* raises, and :class:`~olmsolve.errors.CatalogError` for a bundle that ``opm`` does not serve.
    """

    def __init__(self, path: str, load: Callable[[str], Catalog]) -> None:
        self.path = path
        self.counts: RequestCounts = RequestCounts()
        self._load = load
        self._seen = self._adopted = fingerprint(path)
        self._now = self._snapshot()

    @property
    def now(self) -> Snapshot:
        """The answers at present. A request keeps what it began with: old answers go once nobody uses them."""
        return self._now

    def reload_if_changed(self) -> bool | None:
        """Load the catalog again if its files have changed; return whether it was loaded, None if nothing has changed.

        A change is taken at the second look that sees the same files: the first may see half of what is being written.

        Raises:
            CatalogError: the changed catalog cannot be served. The old one stays until the files change once more.
        """
        seen = fingerprint(self.path)
        is_at_rest, self._seen = seen == self._seen, seen
        if seen is None or seen == self._adopted:
            return None
        if not is_at_rest:
            return False
        self._adopted = seen
        self._now = self._snapshot()
        return True

    def _snapshot(self) -> Snapshot:
        catalog = self._load(self.path)
        return Snapshot(Registry(catalog), Metas(catalog), time.time())


def fingerprint(path: str) -> Fingerprint | None:
    """Return the names, sizes and times of the files of the catalog at *path*; None where nothing on disk can change.

    A catalog that is gone, or cannot be listed just now, has no files.
    """
    root = Path(path)
    try:
        if root.is_dir():
            files = [catalog_file.path for catalog_file in catalog_files(root)]
        elif root.exists():
            files = [root]
        else:
            return None
        return tuple((str(file), *_facts(file)) for file in files)
    except (OSError, CatalogError):
        return ()


def _facts(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    # With the inode, since a file that is moved into the place may have the time and the size of the one before.
    return status.st_mtime_ns, status.st_size, status.st_ino
