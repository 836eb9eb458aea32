"""The catalog files of a tar archive: a folder that somebody packed. Links and devices in it are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from olmsolve.catalog.archives import (
    ARCHIVE_BYTES,
    ByteStream,
    EntryKind,
    KeptNames,
    TarHeader,
    checked_path,
    tar_entries,
)
from olmsolve.catalog.fbc.document import IGNORE_BYTES, IGNORE_RULES
from olmsolve.catalog.fbc.ignore import IGNORE_FILE, IgnoreRules
from olmsolve.errors import CatalogError


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
        ("/".join(path), files[path]) for path in sorted(files) if path[-1] != IGNORE_FILE and not rules.ignore(path)
    ]


def chosen_members(stream: ByteStream, origin: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file whose name *is_wanted*, in the archive's order; links and devices are left out.

    What is not wanted passes by in pieces, so an archive may be larger than the memory.

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
