"""Catalogs that are packed in an image, an archive or a database, as names and bytes of files.

A tar archive is a folder that somebody packed; links and devices in it are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias

from olmsolve._limits import checked
from olmsolve._paths import is_directory, is_file, is_there
from olmsolve.catalog.archives import (
    ARCHIVE_BYTES,
    GZIP_MARK,
    ByteStream,
    EntryKind,
    KeptNames,
    TarHeader,
    checked_path,
    is_tar,
    open_plain,
    shown,
    tar_entries,
)
from olmsolve.catalog.fbc.document import IGNORE_BYTES, IGNORE_RULES
from olmsolve.catalog.fbc.folder import IGNORE_FILE, LAYOUT, IgnoreRules
from olmsolve.catalog.fbc.text import TextSource
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.catalog.images import ImageContent


def archive_members(stream: ByteStream, origin: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of each catalog file in the archive, in the order of :func:`.catalog_files`.

    Raises :class:`~olmsolve.errors.CatalogError` naming *origin*.
    """
    files: dict[tuple[str, ...], bytes] = {}
    names = KeptNames("an archive", origin)
    total = 0
    for header, data in tar_entries(stream, origin, lambda header: _is_plain(header, origin)):
        if header.kind is EntryKind.FOLDER:
            continue
        if header.kind is not EntryKind.FILE:
            reason = f"the archive's {header.name} is a link or a device; unpack the archive to load it"
            raise CatalogError(reason, origin=origin)
        path = names.keep(checked_path(header.name, origin))
        total += len(data)
        if total > ARCHIVE_BYTES:
            raise CatalogError(f"an archive of more than {ARCHIVE_BYTES:,} bytes of files", origin=origin)
        if path in files:
            raise CatalogError(f"the archive holds {header.name} twice", origin=origin)
        files[path] = data
    return not_ignored(files, origin)


def not_ignored(files: Mapping[tuple[str, ...], bytes], origin: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of each of *files*, by path, without those that the ``.indexignore`` files exclude.

    Raises :class:`~olmsolve.errors.CatalogError` naming *origin*.
    """
    ignoring = [path for path in files if path[-1] == IGNORE_FILE]
    if sum(len(files[path]) for path in ignoring) > IGNORE_BYTES:
        raise CatalogError(f"more than {IGNORE_BYTES:,} bytes of {IGNORE_FILE} files", origin=origin)
    rules = IgnoreRules((path[:-1], files[path].decode(errors="surrogateescape")) for path in ignoring)
    if len(rules) > IGNORE_RULES:
        raise CatalogError(f"more than {IGNORE_RULES:,} rules in {IGNORE_FILE} files", origin=origin)
    return [
        ("/".join(path), files[path])
        for path in checked(sorted(files), every=64)
        if path[-1] != IGNORE_FILE and not rules.ignore(path)
    ]


def chosen_members(stream: ByteStream, origin: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file whose name *is_wanted*, in the archive's order; links and devices are left out.

    Unwanted files pass by in pieces, so an archive may be larger than the memory.

    Raises :class:`~olmsolve.errors.CatalogError` naming *origin*.
    """

    def is_taken(header: TarHeader) -> bool:
        return is_wanted(header.name) and _is_plain(header, origin)

    for header, data in tar_entries(stream, origin, is_taken):
        if header.kind is EntryKind.FILE and is_wanted(header.name):
            yield header.name, data


def _is_plain(header: TarHeader, origin: str) -> bool:
    """Return True for a file that may be read. Raises CatalogError for a bad name, and for too large a file."""
    checked_path(header.name, origin)
    if header.size > ARCHIVE_BYTES:
        raise CatalogError(f"an archive of more than {ARCHIVE_BYTES:,} bytes of files", origin=origin)
    return True


DATABASE_MARK: Final = b"SQLite format 3\0"
_HEAD: Final = 512  # bytes: the mark of a tar archive is in its first block
_IN_MEMORY: Final = 64 << 20  # bytes of an archive that are kept in memory; a larger one goes to a temporary file
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
        return _image_members(given) if (Path(given) / LAYOUT).is_file() else None
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
    return is_directory(given) and (Path(given) / LAYOUT).is_file()


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
        raise CatalogError("a bundle's image, not a catalog: olmsolve render makes its blob", origin=content.origin)
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
    from olmsolve.catalog.fbc.database import database_members

    return database_members(path, origin)


def _refuse_half_a_name(given: str) -> None:
    """Raise CatalogError for a path that does not exist, but reads like an image without its tag or digest."""
    from olmsolve.catalog.images import image_reference

    if image_reference(f"docker://{given}") is not None:
        reason = "cannot be read: No such file or directory (an image needs a tag, a digest or docker:// in front)"
        raise CatalogError(reason, origin=given)
