"""Paths that somebody typed, the files below a folder, and the project files around one.

The methods of :class:`pathlib.Path` raise OSError for a name that is longer than the system allows, or for a loop of
links. Nothing can be there, and opening the path then says why.

Files below a folder are found within the limits, with the links that lead out of it: whoever sends a folder chooses its
links, and a link to ``~/.kube/config`` would be read under a name inside.

Project files are found without loading anything: most folders have none, and no command waits for that. They are looked
for in the working folder and above it, no further than the folder that holds ``.git``: a file in a shared folder such
as ``/tmp`` must not decide what somebody's command in a repository reads. For the same reason, a file of another user
counts for nothing, unless the working folder is that user's as well, as in containers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from olmsolve._limits import check, checked


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a file that can be looked at."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a folder that can be looked at."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether something is at *path* that can be looked at."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the plain files at and below *folder* whose names end with one of *suffixes*, by path.

    Links to folders are not followed, and unreadable folders are left out. Raises OSError for *folder* itself.
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

    Links to folders are not followed: the links are among the names. Folders may lie in each other so deep that
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


PROJECT_FILE: Final = "olmsolve.toml"
_PYPROJECT: Final = "pyproject.toml"


def project_files(start: Path) -> Iterator[Path]:
    """Yield the files that may be the project's of folder *start*, the nearest first."""
    here = start.absolute()
    for shown, folder in ((start, here), *((above, above) for above in here.parents)):
        for name in (PROJECT_FILE, _PYPROJECT):
            if is_file(folder / name) and _is_trusted(folder / name, here):
                yield shown / name
        if is_there(folder / ".git"):
            return


def _is_trusted(file: Path, here: Path) -> bool:
    """Return whether *file* belongs to the user, to root, or to the owner of the folder *here*."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        return file.stat().st_uid in (0, os.geteuid(), here.stat().st_uid)
    except OSError:
        return False
