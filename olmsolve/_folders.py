"""The files below a folder that somebody named, found within the limits, and links that lead out of it.

Whoever sends a folder chooses its links, and a link to ``~/.kube/config`` would be read under a name inside.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from olmsolve._limits import check, checked


def files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the plain files at and below *folder* whose names end with one of *suffixes*, by path.

    Folders behind links are not entered, nor those that may not be looked into. Raises OSError for *folder* itself.
    """
    pending = [(folder, True)]
    while pending:
        check()
        path, is_folder = pending.pop()
        if not is_folder:
            # Opening a FIFO or a device would wait, or do something.
            if path.is_file():
                yield path
            continue
        try:
            with os.scandir(path) as entries:
                entries_kept = [
                    (path / entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in checked(entries, every=256)
                    if entry.name.endswith(suffixes) or entry.is_dir(follow_symlinks=False)
                ]
        except PermissionError:
            if path is folder:
                raise
            continue
        pending += sorted(entries_kept, reverse=True)


def folders_at_and_below(folder: Path, *, without: frozenset[str] = frozenset()) -> Iterator[tuple[Path, list[str]]]:
    """Yield *folder* and each folder below it with the names of its files; folders called *without* are left out.

    Folders behind links are not entered: the links are among the names. Folders may lie in each other so deep that
    ``os.walk`` of Python 3.11 and ``Path.rglob``, which call themselves for each, end in a RecursionError.

    Raises OSError.
    """
    pending = [folder]
    while pending:
        check()
        path = pending.pop()
        names: list[str] = []
        inner: list[str] = []
        with os.scandir(path) as entries:
            for entry in checked(entries, every=256):
                is_folder = entry.is_dir(follow_symlinks=False)
                if not (is_folder and entry.name in without):
                    (inner if is_folder else names).append(entry.name)
        yield path, sorted(names)
        pending += (path / name for name in sorted(inner, reverse=True))


def leaves(path: Path, folder: Path) -> bool:
    """Return whether *path*, which is below *folder*, is or goes through a link that leads out of it. Raises OSError.

    >>> leaves(Path("/proc/self/exe"), Path("/proc"))
    True
    """
    return not path.resolve().is_relative_to(folder.resolve())
