"""Write the index of a catalog to a file: whole, or only what changed in the catalog since the old file was written.

An update gives the file that writing it whole gives (:mod:`.updating`). Only files and folders whose index has segments
can be updated; any other index is written whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve._paths import is_there
from olmsolve._whole_files import write_whole
from olmsolve.catalog import Catalog, fbc
from olmsolve.catalog.index import is_something_else, stored_bytes
from olmsolve.catalog.index_files.content import beside, can_have_index, content_digest
from olmsolve.catalog.index_files.storing import stored_of
from olmsolve.errors import CatalogError


def write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    *,
    update: bool = False,
    note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Path:
    """Write the index of the catalog at *path* to *file*, by default beside it, and return the file's path.

    The file appears whole or not at all, so several processes may write it at once. *progress* is as in
    :func:`olmsolve.load`, and so are the limits *timeout* and *cancel*.

    With *update*, the index is made of the one that is there and of what changed in the catalog since, which gives the
    same file in less time, and *note* is called with a line that says what changed. The file is written whole, which
    the line says, where there is no index yet, and where it is damaged, of another user or of another version; and
    where the catalog cannot be compared with it: an image, a database, or one with something unusual
    (docs/loading.md).

    Raises:
        CatalogError: the catalog cannot be read or changes meanwhile; *file* cannot be written, or exists and is no
            index.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return _write_index(path, file, progress, (note or (lambda _: None)) if update else None)


def _write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None,
    tell_changes: Callable[[str], None] | None,
) -> Path:
    given = os.fspath(path)
    target = Path(file) if file is not None else beside(given)
    why_whole = ""
    if tell_changes is not None and given and given != "-" and can_have_index(given):
        from olmsolve.catalog.index_files.updating import NoUpdateError, updated

        _refuse_something_else(target)
        try:
            pieces, changes = updated(given, target)
        except NoUpdateError as error:
            why_whole = str(error)
        else:
            if pieces is not None:
                _write(target, pieces)
            tell_changes(changes)
            return target
    # Hashed before and after reading (50 ms for 100 MB of text), because an index of a content that was replaced
    # meanwhile would be taken for one of the new content. An update hashes what it compares.
    digest = content_digest(given) if given and given != "-" else None
    if digest is None:
        # In "layout#v1", "v1" is one of several images in the layout: the file to look for is "layout".
        if given and given != "-" and not is_there(given.partition("#")[0]) and not fbc.is_remote(given):
            raise CatalogError("cannot be read: No such file or directory", origin=given)
        raise CatalogError(
            "cannot have an index: only a file or a folder can, because it can be read again", origin=given
        )
    _refuse_something_else(target)
    if tell_changes is not None:
        tell_changes(f"written whole: {why_whole}")
    store(given, with_segments(given, progress), digest, target)
    return target


def store(path: str, catalog: Catalog, digest: bytes, file: Path) -> None:
    """Write the index of *catalog*, loaded :func:`with_segments` from *path* when its content had this *digest*."""
    _refuse_something_else(file)
    stored, chunks = stored_of(path, catalog, digest)
    if content_digest(path) != digest:
        raise CatalogError("changed while its index was made", origin=path)
    _write(file, stored_bytes(stored, chunks))


def _refuse_something_else(file: Path) -> None:
    if is_something_else(file):
        raise CatalogError("exists and is not an index, so it is not overwritten", origin=str(file))


def _write(file: Path, pieces: Iterable[bytes]) -> None:
    try:
        write_whole(file, pieces, is_own=True)
    except OSError as error:
        raise CatalogError(f"cannot be written: {error.strerror}", origin=str(file)) from None


def with_segments(path: str, progress: Callable[[int, int], None] | None = None) -> Catalog:
    """Load the catalog at *path* so that its index shows what a later version did not change."""
    return fbc.reload(path, Catalog({}), progress=progress, drop=(), digest_of=fbc.sha256_digest)
