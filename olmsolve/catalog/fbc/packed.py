"""Catalogs that are packed in an image, an archive or a database, as names and bytes of files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NoReturn, TypeAlias

from olmsolve._typed_paths import is_directory, is_file, is_there
from olmsolve.catalog.archives import GZIP_MARK, is_tar, open_plain, shown
from olmsolve.catalog.fbc.archive import archive_members, not_ignored
from olmsolve.catalog.fbc.text_source import TextSource
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.images import ImageContent

DATABASE_MARK: Final = b"SQLite format 3\0"
_HEAD: Final = 512
_IN_MEMORY: Final = 64 << 20  # bytes of an archive that are kept in memory; a larger one goes to a temporary file
_LAYOUT: Final = "oci-layout"

Members: TypeAlias = list[tuple[str, bytes]]
"""Names and bytes of files. A name is the path from the top of what they are packed in."""


def packed_members(given: str) -> Members | None:
    """Return name and bytes of each catalog file in the image, archive or database at the path *given*.

    None for a catalog that is not packed: a folder of files, or one file. A compressed archive counts as a file, which
    :func:`stream_members` unpacks.

    Raises:
        CatalogError: something is packed there that holds no catalog, or cannot be read.
    """
    if is_file(given):
        with open_plain(Path(given)) as file:
            head = file.read(_HEAD)
        if head.startswith(DATABASE_MARK):
            return _database_members(given, shown(given))
        return _image_members(given) if is_tar(head) else None
    if is_directory(given):
        return _image_members(given) if (Path(given) / _LAYOUT).is_file() else None
    # Something else may be there, such as a pipe, or nothing: then it may be the name of an image.
    if is_there(given):
        return None
    members = _image_members(given)
    if members is None:
        _refuse_half_a_name(given)
    return members


def is_packed(given: str | os.PathLike[str]) -> bool:
    """Return whether the file or folder *given* has its catalog inside of something: an archive, image or database."""
    if is_file(given):
        with open_plain(Path(given)) as file:
            head = file.read(_HEAD)
        return is_tar(head) or head.startswith((GZIP_MARK, DATABASE_MARK))
    return is_directory(given) and (Path(given) / _LAYOUT).is_file()


def may_be_image(given: str) -> bool:
    """Return False where the path *given* certainly is no image: a cheap look, before modules are loaded."""
    return is_packed(given) or not is_there(given)


def stream_members(source: TextSource, name: str) -> Members | None:
    """Return name and bytes of each catalog file in the archive or database that *source* holds; None for plain text.

    Raises :class:`~olmsolve.errors.CatalogError` naming *name*.
    """
    is_database = source.head.startswith(DATABASE_MARK)
    if not is_database and not is_tar(source.head):
        return None
    import tempfile  # most catalogs are neither, and need not wait for it

    if is_database:
        with tempfile.NamedTemporaryFile(prefix="olmsolve-", suffix=".db") as copy:
            _fill(copy.file, source)
            return _database_members(copy.name, name)
    # The images in an archive are found at its end, or anywhere; so it is read twice.
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="olmsolve-") as spool:
        _fill(spool, source)
        from olmsolve.catalog.images import archived_content

        content = archived_content(spool, name)
        if content is not None:
            return _members_of(content)
        spool.seek(0)
        return archive_members(spool, name)


def _fill(copy: IO[bytes], source: TextSource) -> None:
    for piece in source.pieces():
        copy.write(piece)
    copy.flush()
    copy.seek(0)


def _image_members(given: str) -> Members | None:
    from olmsolve.catalog.images import image_content

    content = image_content(given)
    return None if content is None else _members_of(content)


def _members_of(content: ImageContent) -> Members:
    from olmsolve.catalog.images import ContentKind

    folder = f"{content.folder}/" if content.folder else ""
    if content.kind is ContentKind.BUNDLE:
        _refuse_bundle(content.origin)
    if content.kind is ContentKind.CATALOG:
        return [(folder + name, data) for name, data in not_ignored(content.files, content.origin)]
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="olmsolve-", suffix=".db") as copy:
        (data,) = content.files.values()
        copy.write(data)
        copy.flush()
        return _database_members(copy.name, f"{content.origin}/{content.folder}")


def _database_members(path: str, origin: str) -> Members:
    # Old indexes are seldom, and sqlite3 takes its time to load.
    from olmsolve.catalog.fbc.database_blobs import database_members

    return database_members(path, origin)


def _refuse_half_a_name(given: str) -> None:
    """Raise CatalogError for a path to nothing that would be an image if it said so."""
    from olmsolve.catalog.images import image_reference

    if image_reference(f"docker://{given}") is not None:
        reason = "cannot be read: No such file or directory (an image needs a tag, a digest or docker:// in front)"
        raise CatalogError(reason, origin=given)


def _refuse_bundle(origin: str) -> NoReturn:
    raise CatalogError("a bundle's image, not a catalog: olmsolve render makes its blob", origin=origin)
