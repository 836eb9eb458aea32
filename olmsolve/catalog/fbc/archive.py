"""The catalog files of a tar archive, read from a stream: the few record kinds that a folder of files needs.

Read here and not by ``tarfile``, because a hostile archive must not cost more than its length: memory is taken only for
data that is there, whatever size a header says, names are bounded, and links and devices are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from olmsolve.catalog.fbc.ignore import IGNORE_FILE, IgnoreRules
from olmsolve.catalog.fbc.limits import ARCHIVE_BYTES, IGNORE_BYTES, IGNORE_RULES, PATH_LENGTH
from olmsolve.errors import CatalogError

_BLOCK: Final = 512
_FILES: Final = (b"0", b"\0", b"7")
_FOLDER: Final = b"5"
_LONG_NAME: Final = b"L"
_EXTENDED: Final = b"x"
_GLOBAL: Final = b"g"


class ByteStream(Protocol):
    """Bytes in order."""

    def read(self, size: int) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""


def is_tar(head: bytes) -> bool:
    """Return whether a file that begins with *head* is a tar archive (POSIX or GNU)."""
    return head[257:262] == b"ustar"


def archive_members(stream: ByteStream, origin: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of each catalog file in the archive, in the order of :func:`.catalog_files`.

    Raises :class:`~olmsolve.errors.CatalogError` naming *origin*.
    """
    files: dict[tuple[str, ...], bytes] = {}
    total = 0
    for name, data in _records(stream, origin):
        path = tuple(part for part in name.split("/") if part not in ("", "."))
        total += len(data)
        if total > ARCHIVE_BYTES:
            raise CatalogError(f"an archive of more than {ARCHIVE_BYTES:,} bytes of files", origin=origin)
        if path in files:
            raise CatalogError(f"the archive holds {name} twice", origin=origin)
        files[path] = data
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
    yield from _records(stream, origin, is_wanted)


def _records(
    stream: ByteStream, origin: str, is_wanted: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file; records before a file's own may give it a longer name."""
    name = ""
    while True:
        header = _read_exactly(stream, _BLOCK, origin, end_is_fine=True)
        if not header.strip(b"\0"):
            return
        if not is_tar(header):
            raise CatalogError("a damaged tar archive: a header was expected", origin=origin)
        kind, size = header[156:157], _header_number(header[124:136], origin)
        if kind in (_LONG_NAME, _EXTENDED, _GLOBAL):
            if size > 2 * PATH_LENGTH + _BLOCK:
                raise CatalogError("a tar archive with a name or header that is too long", origin=origin)
            data = _read_exactly(stream, _padded(size), origin)[:size]
            if kind == _LONG_NAME:
                name = data.rstrip(b"\0").decode(errors="surrogateescape")
            elif kind == _EXTENDED:
                name = _extended_path(data) or name
            continue
        name = name or _short_name(header)
        if is_wanted is not None and (kind not in _FILES or name.endswith("/") or not is_wanted(name)):
            _pass_over(stream, _padded(size), origin)
        elif kind in _FILES and not name.endswith("/"):
            _check_name(name, origin)
            if size > ARCHIVE_BYTES:
                raise CatalogError(f"an archive of more than {ARCHIVE_BYTES:,} bytes of files", origin=origin)
            yield name, _read_exactly(stream, _padded(size), origin)[:size]
        elif kind != _FOLDER and kind not in _FILES:
            reason = f"the archive's {name} is a link or a device; unpack the archive to load it"
            raise CatalogError(reason, origin=origin)
        name = ""


def _pass_over(stream: ByteStream, size: int, origin: str) -> None:
    while size:
        size -= len(_read_exactly(stream, min(size, 1 << 20), origin))


def _read_exactly(stream: ByteStream, size: int, origin: str, *, end_is_fine: bool = False) -> bytes:
    """Read *size* bytes; b"" at the end of the stream with *end_is_fine*, which is refused otherwise."""
    parts: list[bytes] = []
    missing = size
    while missing:
        part = stream.read(min(missing, 1 << 20))
        if not part:
            if end_is_fine and missing == size:
                return b""
            raise CatalogError("a tar archive that ends too early", origin=origin)
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _header_number(field: bytes, origin: str) -> int:
    """Return a header's number: octal digits, or binary if the first bit is set (an extension of GNU)."""
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    try:
        return int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        raise CatalogError("a damaged tar archive: a size that is no number", origin=origin) from None


def _short_name(header: bytes) -> str:
    name, prefix = header[:100].split(b"\0")[0], header[345:500].split(b"\0")[0]
    # In GNU archives, other fields are where POSIX has the prefix.
    if prefix and header[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return name.decode(errors="surrogateescape")


def _extended_path(data: bytes) -> str:
    """Return the ``path`` of a POSIX extended header, "" if it has none; a line is ``20 path=folder/name``."""
    path = b""
    while data:
        digits, space, _ = data.partition(b" ")
        if not space or not digits.isdigit() or len(digits) > 5 or not 0 < int(digits) <= len(data):
            break
        key, _, value = data[len(digits) + 1 : int(digits) - 1].partition(b"=")
        if key == b"path":
            path = value
        data = data[int(digits) :]
    return path.decode(errors="surrogateescape")


def _check_name(name: str, origin: str) -> None:
    parts = name.split("/")
    if len(name) > PATH_LENGTH:
        raise CatalogError("the archive holds a name that is too long", origin=origin)
    if name.startswith("/") or ".." in parts or not any(part not in ("", ".") for part in parts):
        raise CatalogError(f"the archive holds the name {name!r}, which leaves it", origin=origin)
