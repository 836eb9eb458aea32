"""Write files that are whole: whoever looks, and whenever the writer dies, finds the old content or the new.

Three things can end a writer: an error (a full disk), a signal, and a machine that loses its power. Against them, a
file is written where nobody looks, synced, and only then given its name in one step; then its folder is synced.

Where nobody looks is best a file without any name, which Linux has (``O_TMPFILE``): a killed process leaves nothing
behind. A leftover matters here, because every file in the folder of a catalog is part of the catalog. A file that
replaces another one has a hidden name for a moment, once it is whole; elsewhere it has that name from the start.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from olmsolve._waiting import write_waiting

_BUFFER = 1 << 20
"""Bytes gathered before they are written: a catalog comes in thousands of small pieces."""

_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux shows each open file of a process as a link: the way to name a file that has no name yet."""

_STATUS = Path("/proc/self/status")
"""Where Linux writes about a process, its umask included."""

_IMMOVABLE = frozenset({errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM})
"""What renaming onto a folder says that is mounted, or whose parent may not be changed."""


def write_whole(
    path: str | os.PathLike[str], pieces: Iterable[bytes], *, is_own: bool = False, is_named: bool = True
) -> None:
    """Write *pieces* to the file *path*, which appears, or changes, in one step once all are on the disk.

    A file that is replaced keeps its permissions, and a symbolic link stays one: the file that it leads to is replaced.
    With *is_own*, only the user may write the file from then on.
    Without *is_named*, the program chose the name, as in a folder that it fills: a link there, which others may have
    made, is replaced itself, and nothing is written to the file that it leads to.
    A device or a pipe, such as ``/dev/stdout``, is simply written to; the reader of a named pipe is waited for.

    Raises OSError if *path* cannot be written; what was there stays, and nothing is left beside it. Raises Incomplete
    where nobody reads the pipe before a limit is met.
    """
    given = Path(path)
    mode = _mode_of(given)
    if not is_named:
        given = Path(os.path.realpath(given.parent), given.name)
        mode = mode if given.is_file() and not given.is_symlink() else None
    if mode is not None and stat.S_ISFIFO(mode) and given.parts[:2] != ("/", "dev"):
        write_waiting(given, pieces)
        return
    # /dev/stdout may lead to a file too, to which something else may have been written, or will be.
    if given.parts[:2] == ("/", "dev") or (mode is not None and not stat.S_ISREG(mode)):
        with given.open("wb") as stream:
            stream.writelines(pieces)
        return
    target = Path(os.path.realpath(given)) if is_named else given
    descriptor, name = _unseen(target)
    try:
        try:
            _write_all(descriptor, pieces)
            given_mode = _mode_of_new_files(target.parent) if mode is None else stat.S_IMODE(mode)
            # Windows has no such permissions; its Python has this function from 3.13 on.
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, given_mode & ~(stat.S_IWGRP | stat.S_IWOTH) if is_own else given_mode)
            os.fsync(descriptor)
            if name is None:
                name = _link_or_hide(descriptor, target)
        finally:
            os.close(descriptor)
        if name is not None:
            name.replace(target)
    except BaseException:
        if name is not None:
            with suppress(OSError):
                name.unlink()
        raise
    sync_folder(target.parent)


def write_whole_folder(folder: str | os.PathLike[str], write: Callable[[Path], None]) -> None:
    """Let *write* fill a folder, which becomes *folder* in one step; *folder* is empty or missing until then.

    A folder whose place cannot be taken by another one, such as one that a container mounts, is filled where it is.

    Raises OSError if that fails, and whatever *write* raises; *folder* is empty or missing then, as it was.
    """
    target = Path(os.path.realpath(folder))
    hidden = _hidden(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        hidden.mkdir()
    except OSError:
        _fill_in_place(target, write)
        return
    try:
        write(hidden)
        for name, _, _ in os.walk(hidden):
            sync_folder(Path(name))
        if target.is_dir():
            import shutil  # slow to load, and most commands write no file

            shutil.copymode(target, hidden)
        try:
            hidden.replace(target)
        except OSError as error:
            if error.errno not in _IMMOVABLE:
                raise
            _fill_in_place(target, write)
    finally:
        import shutil  # slow to load, and most commands write no file

        shutil.rmtree(hidden, ignore_errors=True)
    sync_folder(target.parent)


def _fill_in_place(folder: Path, write: Callable[[Path], None]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        write(folder)
    except BaseException:
        for entry in list(folder.iterdir()):
            if entry.is_dir():
                import shutil  # slow to load, and most commands write no file

                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make sure that the names in *folder* survive a loss of power, as far as the system can."""
    # Not every system opens folders, and not every file system syncs them; the content is safe in any case.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _mode_of_new_files(folder: Path) -> int:
    """Return the permissions that a new file in *folder* gets.

    A umask is read by setting it, and for that moment files of other threads would have none. Linux reports it;
    elsewhere, an empty file is made, looked at and removed.
    """
    with suppress(OSError, ValueError):
        for line in _STATUS.read_text("ascii", "replace").splitlines():
            if line.startswith("Umask:"):
                return 0o666 & ~int(line.split()[1], 8)
    probe = _hidden(folder / "umask")
    descriptor = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return stat.S_IMODE(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)
        probe.unlink()


def _unseen(target: Path) -> tuple[int, Path | None]:
    """Open a new file in the folder of *target*: nameless where the system supports it, else hidden."""
    if hasattr(os, "O_TMPFILE") and _OPEN_FILES.is_dir():
        # Some file systems have none, such as overlays of old kernels: their errors differ.
        with suppress(OSError):
            # Until it is whole, nobody else reads it; the mode of the file that it replaces, or the umask's, comes
            # after writing.
            return os.open(target.parent, os.O_TMPFILE | os.O_RDWR, 0o600), None
    name = _hidden(target)
    # Without O_BINARY, Windows would write two bytes for each line end.
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600), name


def _hidden(target: Path) -> Path:
    # A name may have 255 bytes; the start of a longer one is enough to see whose file this is.
    return target.with_name(f".{target.name[:40]}.{os.urandom(8).hex()}")


def _link_or_hide(descriptor: int, target: Path) -> Path | None:
    """Give the file without a name the name of *target*; return a hidden name instead if *target* is there already."""
    try:
        _link(descriptor, target)
    except FileExistsError:
        hidden = _hidden(target)
        _link(descriptor, hidden)
        return hidden
    return None


def _link(descriptor: int, name: Path) -> None:
    # Only with a folder's descriptor does Python follow the link that the open file has there. The system does not
    # look at that descriptor, because the path is absolute.
    os.link(_OPEN_FILES / str(descriptor), name, src_dir_fd=descriptor, follow_symlinks=True)


def _write_all(descriptor: int, pieces: Iterable[bytes]) -> None:
    with open(descriptor, "wb", buffering=_BUFFER, closefd=False) as file:
        file.writelines(pieces)
