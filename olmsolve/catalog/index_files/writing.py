"""Write the index of a catalog to a file."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

from olmsolve._typed_paths import is_there
from olmsolve._whole_files import write_whole
from olmsolve.catalog import Catalog, Origin, Package, fbc
from olmsolve.catalog.index import NONE, Stored, index_of, is_something_else, stored_bytes
from olmsolve.catalog.index_files.content import beside, content_digest, prefix_of_origins
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property, encoded


def write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the index of the catalog at *path* to *file*, by default beside it, and return the file's path.

    The file appears whole or not at all, so several processes may write it at once. *progress* is as in
    :func:`olmsolve.load`.

    Raises :class:`~olmsolve.errors.CatalogError` for a catalog that cannot be read, for one that changes meanwhile, and
    for a *file* that cannot be written, or that exists and is no index.
    """
    given = os.fspath(path)
    target = Path(file) if file is not None else beside(given)
    digest = content_digest(given) if given and given != "-" else None
    if digest is None:
        if given and given != "-" and not is_there(given):
            raise CatalogError("cannot be read: No such file or directory", origin=given)
        raise CatalogError("has no index: only a file or a folder has, which can be read again", origin=given)
    store(given, fbc.load(given, progress=progress), digest, target)
    return target


def store(path: str, catalog: Catalog, digest: bytes, file: Path) -> None:
    """Write the index of *catalog*, which was loaded from *path* when its content had this *digest*."""
    if is_something_else(file):
        raise CatalogError("is there already and is no index, so it is not overwritten", origin=str(file))
    pieces = _pieces(path, catalog, digest)
    if content_digest(path) != digest:
        raise CatalogError("changed while its index was made", origin=path)
    try:
        write_whole(file, pieces)
    except OSError as error:
        raise CatalogError(f"cannot be written: {error.strerror}", origin=str(file)) from None


def _pieces(path: str, catalog: Catalog, digest: bytes) -> list[bytes]:
    columns = index_of(catalog).columns
    prefix = prefix_of_origins(path)
    files: dict[str, int] = {}

    def origins(every: Iterable[Origin | None]) -> tuple[array[int], array[int]]:
        """Return the number of the file, and the position in it, of each origin."""
        numbers, positions = array("I"), array("Q")
        for origin in every:
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
    chunks = [zlib.compress(_properties(package), 6) for package in packages]
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
    return stored_bytes(stored, chunks)


def _properties(package: Package) -> bytes:
    """Return the properties of all bundles as JSON: for each bundle a list of pairs of type and value."""

    def pair(item: Property) -> bytes:
        return b"[%b,%b]" % (encoded(item.type), item.text)

    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(pair, each.properties)) for each in package.bundles.values())
