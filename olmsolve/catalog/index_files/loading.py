"""Load a catalog, through its index where there is one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, Literal

from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve._paths import is_file
from olmsolve.catalog import Catalog, fbc
from olmsolve.catalog.fbc import Readable
from olmsolve.catalog.index_files.content import SUFFIX, beside, content_digest
from olmsolve.errors import CatalogError

CACHE_VARIABLE: Final = "OLMSOLVE_INDEX_CACHE"
"""The environment variable that may name a folder, made if need be: missing indexes are then written there."""


def load(
    path: str | os.PathLike[str] | Readable,
    *,
    progress: Callable[[int, int], None] | None = None,
    drop: Collection[str] = (),
    index: str | os.PathLike[str] | Literal[False] | None = None,
    note: Callable[[str], None] | None = None,
    before: Catalog | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Catalog:
    """Load the file-based catalog at *path*.

    *path* is a folder (all files below it, in any layout, but for files that ``.indexignore`` files exclude), one file
    of any name, a tar archive of such a folder, ``-`` for standard input, or a file that is open for reading. Files
    hold JSON objects one after the other or YAML documents; a single file, and an archive, may be gzip. It may also be
    an image in a registry, in an OCI layout or in an archive, an index database in SQLite, or a URL (docs/images.md).

    *progress* is called now and then with the bytes read so far and in all (0 if unknown). An exception that it raises
    ends the load.

    *drop* names types of properties to leave out, such as ``olm.csv.metadata`` and ``olm.bundle.object``, which make up
    most of a catalog; ``icon`` leaves out the icons of packages.

    *index* is a file for the catalog's index (docs/index-files.md): it is used if it belongs to this content, and
    written otherwise. By default, an index next to the catalog is used, or one in the folder that the environment
    variable ``OLMSOLVE_INDEX_CACHE`` names, where a missing one is written. Such an index must belong to the user or
    root, and nobody else may be able to write it. With False, no index is used.

    With an index, the catalog's files are only hashed. They are read when the catalog's packages are first needed,
    which resolving does not do. An index that cannot be used counts as missing, and *note* is called with a sentence
    that says why. A catalog from which something is dropped has no index.

    *before* is the catalog that was loaded from *path* earlier: unchanged packages are reused, and their part of the
    index is copied, so that a new version with few changes takes a tenth of the time. The result is the same as
    without it. Only JSON and folders of files are compared, and only with a catalog that was loaded with *before*
    itself, for which an empty one will do: ``load(path, before=Catalog({}))``. Index files are then ignored.

    *timeout*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        CatalogError: something cannot be read as a catalog (the error names the file and the line), or *index* cannot
            be written. Contents that can be read but make no sense are kept.
        Incomplete: a limit was met, or the caller cancelled.
    """
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "read"):
        raise wrong_type(path, "a path or an open file", "path")
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        observer = events.current()
        started = time.perf_counter()
        if before is not None and isinstance(path, (str, os.PathLike)) and path != "-":
            catalog, indexed = _reloaded(os.fspath(path), before, progress, drop), False
        else:
            catalog, indexed = _load(path, progress, drop, index, note)
        if observer is not None:
            seconds = time.perf_counter() - started
            name = str(getattr(path, "name", path))
            observer.loaded(events.CatalogLoaded(name, len(catalog.packages), indexed, events.now(), seconds))
        return catalog


def _reloaded(
    path: str, before: Catalog, progress: Callable[[int, int], None] | None, drop: Collection[str]
) -> Catalog:
    if not isinstance(before, Catalog):
        raise wrong_type(before, "a catalog", "before")
    return fbc.reload(path, before, progress=progress, drop=drop)


def _load(
    path: str | os.PathLike[str] | Readable,
    progress: Callable[[int, int], None] | None,
    drop: Collection[str],
    index: str | os.PathLike[str] | Literal[False] | None,
    note: Callable[[str], None] | None,
) -> tuple[Catalog, bool]:
    """Return the catalog at *path*, and whether its index was used; see :func:`load`."""
    if drop or index is False or not isinstance(path, (str, os.PathLike)) or not (given := os.fspath(path)):
        return fbc.load(path, progress=progress, drop=drop), False
    cache = os.environ.get(CACHE_VARIABLE, "")
    file, writes = (beside(given), False) if index is None else (Path(index), True)
    if given == "-" or not (writes or cache or is_file(file)):
        return fbc.load(path, progress=progress), False
    digest = content_digest(given)
    if digest is None:
        return fbc.load(path, progress=progress), False
    notify = note or (lambda _: None)
    loaded = _used(given, file, digest, notify, is_named=index is not None)
    if loaded is None and cache and not writes:
        # The name is the digest of the content, so an index in the cache is never stale.
        file, writes = Path(cache, digest.hex() + SUFFIX), True
        loaded = _used(given, file, digest, notify, is_named=False)
        with contextlib.suppress(OSError):  # writing into it will say what is wrong with the folder
            file.parent.mkdir(parents=True, exist_ok=True)
    if loaded is not None:
        return loaded, True
    if not writes:
        return fbc.load(path, progress=progress), False
    # Here and below: without an index file nothing of this is needed, and it takes 25 ms to load on a busy machine.
    from olmsolve.catalog.index_files.writing import store, with_segments

    catalog = with_segments(given, progress)
    try:
        store(given, catalog, digest, file)
    except CatalogError as error:
        if index is not None:
            raise
        notify(f"no index was kept: {error}")
    return catalog, False


def _used(path: str, file: Path, digest: bytes, notify: Callable[[str], None], *, is_named: bool) -> Catalog | None:
    """Return the catalog from its index *file*; None, with a note, if the index cannot be used."""
    if not is_file(file):
        return None
    from olmsolve.catalog.index_files.opening import catalog_from_index

    try:
        return catalog_from_index(path, file, digest, is_named=is_named, note=notify)
    except CatalogError as error:
        notify(f"the index is not used: {error}")
        return None
