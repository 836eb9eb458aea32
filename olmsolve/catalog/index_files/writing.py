"""Write the index of a catalog to a file."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from olmsolve import events
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._typed_paths import is_there
from olmsolve._whole_files import write_whole
from olmsolve.catalog import Catalog, Origin, Package, fbc
from olmsolve.catalog.index import NONE, Stored, index_of, is_something_else, stored_bytes
from olmsolve.catalog.index_files.content import beside, content_digest, prefix_of_origins
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property, encoded

_PIECE: Final = 1 << 19  # bytes that are compressed between two looks at the limits, in about 15 milliseconds


def write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Path:
    """Write the index of the catalog at *path* to *file*, by default beside it, and return the file's path.

    The file appears whole or not at all, so several processes may write it at once. *progress* is as in
    :func:`olmsolve.load`, and so are the limits *timeout* and *cancel*.

    Raises:
        CatalogError: the catalog cannot be read or changes meanwhile; *file* cannot be written, or exists and is no
            index.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return _write_index(path, file, progress)


def _write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None,
) -> Path:
    given = os.fspath(path)
    target = Path(file) if file is not None else beside(given)
    # Hashed before and after reading (50 ms for 100 MB of text), because an index of a content that was replaced
    # meanwhile would be taken for one of the new content.
    digest = content_digest(given) if given and given != "-" else None
    if digest is None:
        # In "layout#v1", "v1" is one of several images in the layout: the file to look for is "layout".
        if given and given != "-" and not is_there(given.partition("#")[0]) and not fbc.is_remote(given):
            raise CatalogError("cannot be read: No such file or directory", origin=given)
        raise CatalogError("has no index: only a file or a folder, which can be read again, has one", origin=given)
    store(given, fbc.load(given, progress=progress), digest, target)
    return target


def store(path: str, catalog: Catalog, digest: bytes, file: Path) -> None:
    """Write the index of *catalog*, which was loaded from *path* when its content had this *digest*."""
    if is_something_else(file):
        raise CatalogError("is there already and is not an index, so it is not overwritten", origin=str(file))
    pieces = stored_bytes(*stored_of(path, catalog, digest))
    if content_digest(path) != digest:
        raise CatalogError("changed while its index was made", origin=path)
    try:
        write_whole(file, pieces, is_own=True)
    except OSError as error:
        raise CatalogError(f"cannot be written: {error.strerror}", origin=str(file)) from None


def stored_of(path: str, catalog: Catalog, digest: bytes) -> tuple[Stored, list[bytes]]:
    """Return the index of *catalog* as a file holds it, and the compressed properties of each package."""
    columns = index_of(catalog).columns
    prefix = prefix_of_origins(path)
    files: dict[str, int] = {}

    def origins(every: Iterable[Origin | None]) -> tuple[array[int], array[int]]:
        """Return the number of the file, and the position in it, of each origin."""
        numbers, positions = array("I"), array("Q")
        for origin in checked(every, every=256):
            if origin is not None and origin.file.startswith(prefix):
                numbers.append(files.setdefault(origin.file.removeprefix(prefix), len(files)))
                positions.append(origin.position)
            else:
                numbers.append(NONE)
                positions.append(0)
        return numbers, positions

    packages = [catalog.packages[columns.string(name)] for name in columns.name_string[: columns.packages]]
    owners = [packages[number] for number in columns.channel_package]
    names = map(columns.string, columns.channel_name)
    channel_files, channel_positions = origins(
        owner.channels[name].origin for owner, name in zip(owners, names, strict=True)
    )
    bundle_files, bundle_positions = origins(
        bundle.origin for package in packages for bundle in package.bundles.values()
    )
    others: list[Any] = []
    for blob in catalog.others:
        ((number,), (position,)) = origins([blob.origin])
        others.append([blob.schema, dict(blob.value), number, position])
    chunks = [_compressed(_properties(package)) for package in checked(packages)]
    stored = Stored(
        digest=digest,
        columns=columns,
        bundle_files=bundle_files,
        bundle_positions=bundle_positions,
        channel_files=channel_files,
        channel_positions=channel_positions,
        notes=json.dumps({"files": list(files), "others": others}).encode("ascii"),
        chunks=array("Q", accumulate(map(len, chunks), initial=0)),
    )
    return stored, chunks


def _compressed(data: bytes) -> bytes:
    packing = zlib.compressobj(6)
    starts = checked(range(0, len(data), _PIECE))
    return b"".join([*(packing.compress(data[start : start + _PIECE]) for start in starts), packing.flush()])


def _properties(package: Package) -> bytes:
    """Return the properties of all bundles as JSON: for each bundle a list of pairs of type and value."""

    def pair(item: Property) -> bytes:
        return b"[%b,%b]" % (encoded(item.type), item.text)

    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(pair, bundle.properties)) for bundle in package.bundles.values())
