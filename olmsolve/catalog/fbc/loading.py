"""Load a catalog from wherever it is: a folder, a file, an archive, standard input or an open file."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from olmsolve._limits import Cancellation, limited
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc.archive import archive_members, is_tar
from olmsolve.catalog.fbc.document import Document, shown
from olmsolve.catalog.fbc.folder import FoundFile, catalog_files, is_folder, open_plain
from olmsolve.catalog.fbc.linking import link
from olmsolve.catalog.fbc.text import text_documents
from olmsolve.catalog.fbc.text_source import Meter, Readable, TextSource
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError


def load(
    path: str | os.PathLike[str] | Readable,
    *,
    progress: Callable[[int, int], None] | None = None,
    drop: Collection[str] = (),
    timeout: float | None = None,
    cancel: Cancellation | None = None,
) -> Catalog:
    """Load the file-based catalog at *path*.

    The arguments, and what is refused, are as in :func:`olmsolve.load`, but no index is used: indexes in a folder or an
    archive (docs/index-files.md) are passed over.
    """
    with limited(timeout=timeout, cancel=cancel):
        if not isinstance(path, (str, os.PathLike)):
            name = getattr(path, "name", None)
            return _load_open(path, name if isinstance(name, str) else "<stream>", progress, drop)
        if path == "-":
            return _load_open(sys.stdin.buffer, "<stdin>", progress, drop)
        return _load_path(os.fspath(path), progress, drop)


def _load_path(given: str, progress: Callable[[int, int], None] | None, drop: Collection[str]) -> Catalog:
    if not is_folder(given):
        with open_plain(Path(given)) as file:
            return _load_open(file, given, progress, drop)
    files = catalog_files(Path(given))
    meter = Meter(sum(found.size for found in files), progress)
    return _linked(_folder_documents(files, meter), given, meter, drop)


def _load_open(
    file: Readable, name: str, progress: Callable[[int, int], None] | None, drop: Collection[str]
) -> Catalog:
    meter = Meter(_size_of(file), progress)
    source = TextSource(file, name, meter)
    if not is_tar(source.head):
        return _linked(text_documents(source, name), name, meter, drop)
    return _linked(_archive_documents(archive_members(source, name), name), name, meter, drop)


def _size_of(file: Readable) -> int:
    """Return the size of *file* in bytes, 0 if it is unknown."""
    try:
        status = os.fstat(file.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _folder_documents(files: list[FoundFile], meter: Meter) -> Iterator[Document]:
    for found in files:
        name = shown(found.path)
        with open_plain(found.path) as file:
            yield from _file_documents(TextSource(file, name, meter, is_part=True), name)


def _archive_documents(members: list[tuple[str, bytes]], name: str) -> Iterator[Document]:
    # The meter of the load counted the archive when it was read; this one holds its members to the limits.
    meter = Meter()
    for member, data in members:
        path = f"{name}/{shown(member)}"
        yield from _file_documents(TextSource(io.BytesIO(data), path, meter, is_part=True), path)


def _file_documents(source: TextSource, name: str) -> Iterator[Document]:
    """Return the documents of one file of several; an index among them has none."""
    return iter(()) if source.head.startswith(INDEX_MARK) else text_documents(source, name)


def _linked(documents: Iterator[Document], origin: str, meter: Meter, drop: Collection[str]) -> Catalog:
    catalog = link(documents, origin=origin, drop=drop)
    if not catalog.packages and not catalog.others:
        raise CatalogError("there is no catalog here: no document in any file", origin=origin)
    meter.finish()
    return catalog
