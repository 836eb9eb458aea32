"""The catalog files of a folder, in a fixed order, without opening anything that is not a plain file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve.catalog.archives import open_plain, refuse_file, unreadable
from olmsolve.catalog.fbc.document import IGNORE_BYTES, IGNORE_RULES
from olmsolve.catalog.fbc.ignore import IGNORE_FILE, IgnoreRules


@attrs.frozen
class FoundFile:
    """A plain file: *path* as given plus the way below it, *size* in bytes when it was found."""

    path: Path
    size: int


def catalog_files(root: Path) -> list[FoundFile]:
    """Return the files below the folder *root*, without those that its ``.indexignore`` files exclude.

    They come by name, folder by folder. Every file is a catalog file, whatever its name. A symbolic link to a file
    inside *root* is read under its own name, as ``opm`` does. Raises :class:`~olmsolve.errors.CatalogError` for a link
    that leaves *root*, a link to a folder, and for anything but a plain file.
    """
    files: list[tuple[tuple[str, ...], Path]] = []
    ignore_files: list[tuple[tuple[str, ...], Path]] = []
    pending: list[tuple[tuple[str, ...], Path]] = [((), root)]
    while pending:
        check()
        names, path = pending.pop()
        if path is not root and not _is_folder(path):
            (ignore_files if names[-1] == IGNORE_FILE else files).append((names, path))
            continue
        children = sorted(_children(path), reverse=True)
        pending.extend(((*names, name), path / name) for name in children)
    rules = IgnoreRules((names[:-1], _ignore_text(path, root)) for names, path in ignore_files)
    if len(rules) > IGNORE_RULES:
        refuse_file(root, f"more than {IGNORE_RULES:,} rules in its {IGNORE_FILE} files")
    kept = (path for names, path in checked(files, every=64) if not rules.ignore(names))
    return [FoundFile(path, _plain_size(path, root)) for path in kept]


def _children(folder: Path) -> list[str]:
    try:
        return [child.name for child in folder.iterdir()]
    except OSError as error:
        refuse_file(folder, unreadable(error))


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError as error:
        refuse_file(path, unreadable(error))


def _plain_size(path: Path, root: Path) -> int:
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            if not path.resolve(strict=True).is_relative_to(root.resolve()):
                refuse_file(path, "a symbolic link that leaves the catalog's folder")
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                refuse_file(path, "a symbolic link to a folder; only links to files are followed")
    except (OSError, RuntimeError) as error:
        refuse_file(path, unreadable(error))
    if not stat.S_ISREG(status.st_mode):
        refuse_file(path, f"{_kind(status.st_mode)}, not a plain file")
    return status.st_size


def _ignore_text(path: Path, root: Path) -> str:
    if _plain_size(path, root) > IGNORE_BYTES:
        refuse_file(path, f"larger than {IGNORE_BYTES:,} bytes")
    with open_plain(path) as file:
        return os.fsdecode(file.read(IGNORE_BYTES))


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "something else"
