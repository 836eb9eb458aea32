"""Members of a tar archive by their names, for archives that are read in another order than they were written."""

from __future__ import annotations

from typing import IO, Final

from olmsolve.catalog.archives.tar import EntryKind, KeptNames, TarHeader, checked_path, tar_entries
from olmsolve.errors import CatalogError

_BLOCK: Final = 512
_MOST_LINKS: Final = 8


class MemberStream:
    """The bytes of *file* from *start* on, *size* of them. Several may read one file in turns."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._position = start
        self._left = size

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""
        self._file.seek(self._position)
        data = self._file.read(min(size, self._left))
        self._position += len(data)
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Leave the archive open: it belongs to whoever opened it."""


class ArchiveMembers:
    """The files of the tar archive *file*, a seekable one: names and offsets in memory, the bytes where they are.

    A symbolic or hard link to another member stands for it, as ``docker save`` writes layers that repeat.

    Raises:
        CatalogError: the archive is damaged; it names *origin*.
    """

    def __init__(self, file: IO[bytes], origin: str) -> None:
        self._file = file
        self._members: dict[str, tuple[int, int]] = {}
        self._links: dict[str, str] = {}
        file.seek(0)
        names = KeptNames("an archive", origin)
        for header, _ in tar_entries(file, origin, _nothing):
            name = _normal(header.name)
            names.keep((name, header.target))
            if header.kind is EntryKind.FILE:
                self._members[name] = (file.tell() + -header.size // _BLOCK * _BLOCK, header.size)
            elif header.kind is EntryKind.HARD_LINK:
                self._links[name] = _normal(header.target)
            elif header.kind is EntryKind.SYMLINK:
                self._links[name] = _link_target(name, header.target)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._position_of(name) is not None

    def size(self, name: str) -> int:
        """Return the size of the member *name* in bytes. Raises KeyError if there is none."""
        position = self._position_of(name)
        if position is None:
            raise KeyError(name)
        return position[1]

    def open(self, name: str) -> MemberStream:
        """Open the member *name*. Raises KeyError if there is none."""
        position = self._position_of(name)
        if position is None:
            raise KeyError(name)
        return MemberStream(self._file, *position)

    def _position_of(self, name: str) -> tuple[int, int] | None:
        name = _normal(name)
        for _ in range(_MOST_LINKS):
            if name in self._members:
                return self._members[name]
            if name not in self._links:
                return None
            name = self._links[name]
        return None


def _nothing(_: TarHeader) -> bool:
    return False


def _normal(name: str) -> str:
    """Return *name* without empty parts, "." and ".."; a name that leaves the archive is none of its members."""
    try:
        return "/".join(checked_path(name.lstrip("/"), ""))
    except CatalogError:
        return ""


def _link_target(name: str, target: str) -> str:
    """Return the member that the symbolic link *name* leads to by *target*; "" where it leaves the archive."""
    parts = name.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
