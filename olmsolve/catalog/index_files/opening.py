"""A catalog from its index: the columns are there at once, its packages are read when they are first asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from olmsolve._limits import held
from olmsolve.catalog import Blob, Catalog, Origin, Package, fbc
from olmsolve.catalog.index import NONE, CatalogIndex, Packed, Stored, read_chunk, read_stored
from olmsolve.catalog.index_files.content import content_digest, prefix_of_origins
from olmsolve.catalog.model import blob_of
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property, decoded, encoded

T = TypeVar("T")

_MOST_TEXT: Final = 1 << 30  # bytes of one package's properties, decompressed: a damaged chunk may grow much more
_REMEMBERED_CHUNKS: Final = 16


def catalog_from_index(
    path: str, file: Path, digest: bytes, *, is_named: bool = True, note: Callable[[str], None] = lambda _: None
) -> Catalog:
    """Return the catalog at *path*, whose content has this *digest*, from its index *file* (see :func:`read_stored`).

    Where damage is found only later, the index is made of the catalog, and *note* gets a sentence that says why.

    Raises :class:`~olmsolve.errors.CatalogError`, which says why, for a file that cannot be used.
    """
    stored = read_stored(file, digest, is_named=is_named)
    assert stored.parts is not None, "it was read"

    def mended(reason: str) -> Mapping[str, bytes]:
        from olmsolve.catalog.index_files.storing import stored_of
        from olmsolve.catalog.index_files.writing import with_segments

        note(f"the index is no longer used: {file}: {reason}")
        catalog = with_segments(path)
        if content_digest(path) != digest:
            raise CatalogError("changed after its index was read; load it again", origin=path)
        return stored_of(path, catalog, digest)[0].part_bytes()

    stored.parts.mended = mended
    packages = _LazyPackages(path, digest, stored.columns)
    prefix = prefix_of_origins(path)
    try:
        notes = json.loads(stored.notes)
        files = [prefix + name for name in notes["files"]]
        others = tuple(
            blob_of(Blob, schema, value, *((None, 0) if number == NONE else (files[number], position)))
            for schema, value, number, position in notes["others"]
        )
    except (ValueError, TypeError, LookupError, RecursionError):
        raise CatalogError("a damaged index: its list of files cannot be read", origin=str(file)) from None
    catalog = Catalog(packages, others, path)
    index = CatalogIndex(catalog, stored.columns, _FileOriginals(file, stored, files, packages))
    catalog.derived(CatalogIndex, lambda: index)
    return catalog


class _LazyPackages(Mapping[str, Package]):
    """The packages of a catalog, which is read when the first of them is asked for.

    The index has their names. The first package is read alone, as OLM v1 needs no other; the second time, everything
    is.
    """

    def __init__(self, path: str, digest: bytes, columns: Packed) -> None:
        self._path = path
        self._digest = digest
        self._columns = columns
        # The handler of a signal, or a finaliser, may ask for a package while its own thread reads them.
        self._lock = threading.RLock()
        self._first: dict[str, Package] = {}
        self._loaded: Mapping[str, Package] | None = None

    def __repr__(self) -> str:
        read = f"only {', '.join(self._first)} read" if self._first else "not read yet"
        return repr(self._loaded) if self._loaded is not None else f"<packages of {self._path}, {read}>"

    @property
    def is_read(self) -> bool:
        """Whether the catalog of the index was read, so that its packages are in memory."""
        return self._loaded is not None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and 0 <= self._columns.name(name) < self._columns.packages

    def __getitem__(self, name: str) -> Package:
        if name not in self:
            raise KeyError(name)
        if self._loaded is None:
            with self._lock:
                if self._loaded is None and not self._first:
                    package = self._read_index(lambda: fbc.load_package(self._path, name))
                    self._first = {} if package is None else {name: package}
        return self._first[name] if name in self._first else self.loaded()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.loaded())

    def __len__(self) -> int:
        return self._columns.packages

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Package]], dict[str, Package]], tuple[Mapping[str, Package]]]:
        return dict, (self.loaded(),)

    def loaded(self) -> Mapping[str, Package]:
        """Return all packages. Raises :class:`~olmsolve.errors.CatalogError` if the files changed since the index."""
        if self._loaded is None:
            with held(self._lock):
                if self._loaded is None:
                    every = self._read_index(lambda: fbc.load(self._path).packages)
                    # A package that was read alone stays the one object of its name.
                    self._loaded = {**every, **self._first}
        return self._loaded

    def _read_index(self, read: Callable[[], T]) -> T:
        """Return what *read* reads. Raises :class:`~olmsolve.errors.CatalogError` if the files changed since."""
        content = read()
        if content_digest(self._path) != self._digest:
            raise CatalogError("changed after its index was read; load it again", origin=self._path)
        return content


class _FileOriginals:
    """The originals of an index from a file: from the file, or from the catalog if the file was replaced or damaged."""

    def __init__(self, file: Path, stored: Stored, files: list[str], packages: _LazyPackages) -> None:
        self._file = file
        self._stored = stored
        self._files = files
        self._packages = packages
        self._chunks: dict[int, list[tuple[Property, ...]]] = {}

    def properties(self, package: str, bundle: str, number: int) -> tuple[Property, ...]:
        columns = self._stored.columns
        name = columns.name(package)
        try:
            return self._chunk(name)[number - columns.package_bundles[name]]
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            # The file was replaced or damaged since it was read.
            package_read = self._packages.loaded().get(package)
            if package_read is None or bundle not in package_read.bundles:
                raise CatalogError("an index that does not fit its catalog", origin=str(self._file)) from None
            return package_read.bundles[bundle].properties

    def origin(self, package: str, channel: str, bundle: str | None, number: int) -> str:
        stored = self._stored
        files, positions = stored.channel_files, stored.channel_positions
        if bundle is not None:
            files, positions = stored.bundle_files, stored.bundle_positions
        file = files[number]
        return "" if file >= len(self._files) else str(Origin.at(self._files[file], positions[number]))

    def _chunk(self, package: int) -> list[tuple[Property, ...]]:
        """Return the properties of all bundles of a numbered package."""
        properties = self._chunks.get(package)
        if properties is None:
            bundles: list[list[tuple[str, Any]]] = decoded(
                read_chunk(self._file, self._stored, package, most=_MOST_TEXT)
            )
            properties = [
                tuple(Property.from_text(type_, encoded(value)) for type_, value in bundle) for bundle in bundles
            ]
            # Rules ask for all bundles of a package, package by package: a few chunks are enough.
            if len(self._chunks) >= _REMEMBERED_CHUNKS:
                self._chunks.clear()
            self._chunks[package] = properties
        return properties
