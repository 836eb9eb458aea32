"""Tar archives: their records as they come in a stream, and their members by name where it can be read anywhere.

Read here and not by ``tarfile``, because a hostile archive must not cost more than its length: memory is taken only for
data that is there, whatever size a header says, and names are bounded.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import IO, Final, Protocol

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.archives.plain_files import PATH_LENGTH, is_tar
from olmsolve.errors import CatalogError

ARCHIVE_BYTES: Final = 512 << 20
"""Catalog files of one tar archive or image, which are in memory until all of its entries are known."""

PATH_DEPTH: Final = 256
"""Levels of folders in a path inside an archive. The deepest of real images have about 30."""

NAME_BYTES: Final = 64 << 20
"""Bytes in memory of the paths of one archive that are kept. A catalog of 10,000 files takes about 4 MB."""

HEADER_BYTES: Final = 64 << 10
"""Bytes of one extended header, which holds long names and the attributes of a file."""

ENTRIES: Final = 1 << 20
"""Entries of one archive. Images of whole distributions have about 100,000."""

# By POSIX (pax, ustar), headers and contents fill whole blocks of so many bytes.
_BLOCK: Final = 512
_PART_BYTES: Final = 64  # that Python takes for a text or a tuple, beside its content
_PIECE: Final = 1 << 20  # bytes that are passed over at a time, so that a file of gigabytes takes no memory
_LONG_NAME: Final = b"L"
_LONG_LINK: Final = b"K"
_EXTENDED: Final = b"x"
_GLOBAL: Final = b"g"


class ByteStream(Protocol):
    """Bytes in order."""

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""


class EntryKind(enum.Enum):
    """The kind of an archive's entry."""

    FILE = "a file"
    FOLDER = "a folder"
    HARD_LINK = "a hard link"
    SYMLINK = "a symbolic link"
    OTHER = "a device or a special file"


_KINDS: Final = {
    **dict.fromkeys((b"0", b"\0", b"7"), EntryKind.FILE),
    b"1": EntryKind.HARD_LINK,
    b"2": EntryKind.SYMLINK,
    b"5": EntryKind.FOLDER,
}
_WITHOUT_DATA: Final = (b"1", b"2", b"3", b"4", b"5", b"6")


class TarHeader(NamedTuple):
    """The header of one entry: its *name* and *kind*, the *size* of its data, and the target of a link."""

    name: str
    kind: EntryKind
    size: int
    target: str


class KeptNames:
    """The paths of an archive that are kept in memory, held to :data:`NAME_BYTES`; *kind* and *origin* name it."""

    def __init__(self, kind: str, origin: str) -> None:
        self._kind = kind
        self._origin = origin
        self._bytes_left = NAME_BYTES

    def keep(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return *path*. Raises CatalogError where all paths together are too long."""
        # A part is an object of its own, whatever its length.
        self._bytes_left -= _PART_BYTES * (len(path) + 2) + sum(map(len, path))
        if self._bytes_left < 0:
            raise CatalogError(f"{self._kind} whose paths take more than {NAME_BYTES:,} bytes", origin=self._origin)
        return path


def tar_entries(
    stream: ByteStream, origin: str, is_wanted: Callable[[TarHeader], bool]
) -> Iterator[tuple[TarHeader, bytes]]:
    """Yield the header of each entry, in the archive's order, and the bytes of the files that *is_wanted* chooses.

    Unwanted files pass by in pieces, so an archive may be larger than the memory. *is_wanted* bounds the sizes of
    files, by raising.

    Raises :class:`~olmsolve.errors.CatalogError` naming *origin*.
    """
    overrides: dict[str, str] = {}
    count = 0
    while True:
        block = _read_exactly(stream, _BLOCK, origin, end_is_fine=True)
        if not block.strip(b"\0"):
            return
        count += 1
        if count > ENTRIES:
            raise CatalogError(f"a tar archive of more than {ENTRIES:,} entries", origin=origin)
        if not is_tar(block):
            raise CatalogError("a damaged tar archive: a header was expected", origin=origin)
        kind, size = block[156:157], _header_number(block[124:136], origin)
        if kind in (_LONG_NAME, _LONG_LINK, _EXTENDED, _GLOBAL):
            if size > HEADER_BYTES:
                raise CatalogError("a tar archive with a name or header that is too long", origin=origin)
            data = _read_exactly(stream, _padded(size), origin)[:size]
            if kind == _EXTENDED:
                overrides |= _extended_fields(data)
            elif kind != _GLOBAL:
                text = data.rstrip(b"\0").decode(errors="surrogateescape")
                overrides["path" if kind == _LONG_NAME else "linkpath"] = text
            continue
        header = _header(block, kind, overrides, size, origin)
        overrides = {}
        if header.kind is EntryKind.FILE and is_wanted(header):
            yield header, _read_exactly(stream, _padded(header.size), origin)[: header.size]
        else:
            _pass_over(stream, _padded(header.size), origin)
            yield header, b""


def checked_path(name: str, origin: str) -> tuple[str, ...]:
    """Return the parts of the path *name* inside an archive.

    Raises:
        CatalogError: the name is too long, absolute, or leads out of the archive; it names *origin*.
    """
    parts = name.split("/")
    if len(name) > PATH_LENGTH:
        raise CatalogError("the archive holds a name that is too long", origin=origin)
    if len(parts) > PATH_DEPTH:
        raise CatalogError(f"the archive holds a name of more than {PATH_DEPTH} levels", origin=origin)
    if name.startswith("/") or ".." in parts or not any(part not in ("", ".") for part in parts):
        raise CatalogError(f"the archive holds the name {name!r}, which leaves it", origin=origin)
    return tuple(part for part in parts if part not in ("", "."))


def _header(block: bytes, kind: bytes, overrides: dict[str, str], size: int, origin: str) -> TarHeader:
    name = overrides.get("path") or _short_name(block)
    target = overrides.get("linkpath") or block[157:257].split(b"\0")[0].decode(errors="surrogateescape")
    sort = _KINDS.get(kind, EntryKind.OTHER)
    if sort is EntryKind.FILE and name.endswith("/"):
        sort = EntryKind.FOLDER
    if "size" in overrides:
        digits = overrides["size"]
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
            raise CatalogError("a damaged tar archive: a size that is not a number", origin=origin)
        size = int(digits)
    # Links, folders and devices have no data, whatever size they state, as in Go's reader.
    return TarHeader(name, sort, 0 if kind in _WITHOUT_DATA else size, target)


def _pass_over(stream: ByteStream, size: int, origin: str) -> None:
    while size:
        size -= len(_read_exactly(stream, min(size, _PIECE), origin))


def _read_exactly(stream: ByteStream, size: int, origin: str, *, end_is_fine: bool = False) -> bytes:
    """Read *size* bytes; b"" at the end of the stream with *end_is_fine*, which is refused otherwise."""
    parts: list[bytes] = []
    missing = size
    while missing:
        part = stream.read(min(missing, _PIECE))
        if not part:
            if end_is_fine and missing == size:
                return b""
            raise CatalogError("a tar archive that ends too early", origin=origin)
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _padded(size: int) -> int:
    # Rounded up to whole blocks: 513 bytes take -(-513 // 512) * 512 == 1024.
    return -(-size // _BLOCK) * _BLOCK


def _header_number(field: bytes, origin: str) -> int:
    """Return a header's number: octal digits, or binary if the first bit is set (an extension of GNU)."""
    # b"\x80\0...\x02\0" is 512: eleven octal digits end at 8 GiB.
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    try:
        return int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        raise CatalogError("a damaged tar archive: a size that is not a number", origin=origin) from None


def _short_name(header: bytes) -> str:
    name, prefix = header[:100].split(b"\0")[0], header[345:500].split(b"\0")[0]
    # In GNU archives, other fields are where POSIX has the prefix.
    if prefix and header[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return name.decode(errors="surrogateescape")


def _extended_fields(data: bytes) -> dict[str, str]:
    """Return path, linkpath and size of a POSIX extended header; a line is ``20 path=folder/name``."""
    fields: dict[str, str] = {}
    while data:
        digits, space, _ = data.partition(b" ")
        if not space or not digits.isdigit() or len(digits) > 5 or not 0 < int(digits) <= len(data):
            break
        key, _, value = data[len(digits) + 1 : int(digits) - 1].partition(b"=")
        if key in (b"path", b"linkpath", b"size"):
            fields[key.decode()] = value.decode(errors="surrogateescape")
        data = data[int(digits) :]
    return fields


_MOST_LINKS: Final = 8  # links in a row that are followed: a circle of links leads to no file


class MemberStream:
    """The bytes of *file* from *start* on, *size* of them. Several may read one file in turns."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._position = start
        self._bytes_left = size

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""
        self._file.seek(self._position)
        data = self._file.read(min(size, self._bytes_left))
        self._position += len(data)
        self._bytes_left -= len(data)
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
                self._members[name] = (file.tell() - _padded(header.size), header.size)
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
    """Return *name* without empty parts and "."; "" for a name with "..", which none of the members has."""
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
