"""The content of an index file beside its columns: origins in the catalog's files, and the compressed properties."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve.catalog import Blob, Catalog, Origin, Package, fbc
from olmsolve.catalog.index import NONE, Stored, index_of
from olmsolve.catalog.index_files.content import prefix_of_origins
from olmsolve.catalog.versions import made_of
from olmsolve.predicates import Property, encoded

_PIECE: Final = 1 << 19  # bytes that are compressed between two looks at the limits, in about 15 milliseconds


class OriginTable:
    """The files that origins name, numbered in the order in which they come; names are cut of *prefix*."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.files: dict[str, int] = {}

    def number(self, file: str) -> int:
        """Return the number of a file, by its name without the prefix."""
        return self.files.setdefault(file, len(self.files))

    def add(self, numbers: array[int], positions: array[int], origin: Origin | None) -> None:
        """Append the number of the file, and the position in it, of *origin*."""
        if origin is not None and origin.file.startswith(self._prefix):
            numbers.append(self.number(origin.file.removeprefix(self._prefix)))
            positions.append(origin.position)
        else:
            numbers.append(NONE)
            positions.append(0)

    def columns_of(self, origins: Iterable[Origin | None]) -> tuple[array[int], array[int]]:
        """Return what :meth:`add` appends for all *origins*."""
        columns = array("I"), array("Q")
        for origin in checked(origins, every=256):
            self.add(*columns, origin)
        return columns


def notes_of(others: Iterable[Blob], table: OriginTable) -> bytes:
    """Return the notes of an index: the blobs that are a part of no package, and all files that origins name."""
    listed: list[Any] = []
    for blob in others:
        ((number,), (position,)) = table.columns_of([blob.origin])
        listed.append([blob.schema, dict(blob.value), number, position])
    return json.dumps({"files": list(table.files), "others": listed}).encode("ascii")


def stored_of(path: str, catalog: Catalog, digest: bytes) -> tuple[Stored, list[bytes]]:
    """Return the index of *catalog* as a file holds it, and the compressed properties of each package."""
    columns = index_of(catalog).columns
    table = OriginTable(prefix_of_origins(path))
    packages = [catalog.packages[columns.string(name)] for name in columns.name_string[: columns.packages]]
    owners = [packages[number] for number in columns.channel_package]
    names = map(columns.string, columns.channel_name)
    channels = table.columns_of(owner.channels[name].origin for owner, name in zip(owners, names, strict=True))
    bundles = table.columns_of(bundle.origin for package in packages for bundle in package.bundles.values())
    notes = notes_of(catalog.others, table)
    chunks = [compressed_properties(package) for package in checked(packages)]
    parts = made_of(catalog, fbc.CatalogParts)
    stored = Stored(
        digest,
        columns,
        *bundles,
        *channels,
        notes=notes,
        chunks=array("Q", accumulate(map(len, chunks), initial=0)),
        chunk_digests=chunk_digests(chunks),
        segments=b"" if parts is None else fbc.segments_text(parts.files, prefix_of_origins(path)),
    )
    return stored, chunks


def chunk_digests(chunks: Iterable[bytes]) -> bytes:
    """Return the SHA-256 of each of *chunks*, one after the other."""
    from hashlib import sha256

    return b"".join([sha256(chunk).digest() for chunk in chunks])


def compressed_properties(package: Package) -> bytes:
    """Return the properties of all bundles of *package*, as JSON and compressed."""
    data = _properties(package)
    packing = zlib.compressobj(6)
    starts = checked(range(0, len(data), _PIECE))
    return b"".join([*(packing.compress(data[start : start + _PIECE]) for start in starts), packing.flush()])


def _properties(package: Package) -> bytes:
    """Return the properties of all bundles as JSON: for each bundle a list of pairs of type and value."""

    def pair(property_: Property) -> bytes:
        return b"[%b,%b]" % (encoded(property_.type), property_.text)

    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(pair, bundle.properties)) for bundle in package.bundles.values())
