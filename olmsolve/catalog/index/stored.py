"""An index as a file: the same columns, under a checksum, for one content of a catalog.

The file is a head of fixed size, then the parts whose lengths the head tells::

    magic, format, byte order, version of olmsolve      an index that this process can use?
    checksum                                            of all that follows but the chunks
    digest of the catalog's content                     an index of this content?
    lengths of the parts
    the columns, the text, origins, notes
    chunks                                              the properties of each package's bundles, compressed

Chunks are most of the file, and only rules that look at raw properties read them, one package at a time.

A file is read, not mapped: a mapped file that somebody shortens takes the process with it, and one that somebody
changes is no longer the one that was checked. Nothing in it is run, and every number in it is checked to be within its
bounds (requirements' intervals when they are used: :mod:`olmsolve.catalog.index.families`). So a file made to harm can
give wrong answers at worst, as a wrong catalog could.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final, NoReturn

import attrs

from olmsolve._frozen import shared_methods
from olmsolve._limits import check, checked
from olmsolve._typed_paths import is_there
from olmsolve._version import __version__
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.schema import COLUMNS, NONE, Column
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError

DIGEST_BYTES: Final = 32

_WRITABLE: Final = stat.S_IWGRP | stat.S_IWOTH

_PIECE: Final = 1 << 20  # bytes that are read or hashed between two looks at the limits

_FORMAT: Final = 5
_ORDER: Final = 0x01020304
# Magic and format in one byte order everywhere, so that every machine can tell what the file is.
_START: Final = struct.Struct("<8sI")
_NATIVE: Final = struct.Struct("=I")
_VERSION_BYTES: Final = 32
_BEFORE_CHECKSUM: Final = _START.size + _NATIVE.size + _VERSION_BYTES
_PARTS: Final = (
    *COLUMNS,
    "text",
    "bundle_files",
    "bundle_positions",
    "channel_files",
    "channel_positions",
    "notes",
    "chunks",
)
_LENGTHS: Final = struct.Struct(f"<{len(_PARTS) + 1}Q")
_HEAD: Final = _BEFORE_CHECKSUM + DIGEST_BYTES + DIGEST_BYTES + _LENGTHS.size


@attrs.frozen
@shared_methods
class Stored:
    """The content of a file that holds an index.

    *bundle_files* and *channel_files* are numbers of the files that *notes* (JSON) names, NONE where the origin is not
    known; *bundle_positions* and *channel_positions* are :attr:`olmsolve.catalog.Origin.position` in them. *chunks*
    says where, behind all other parts, the chunk of each package begins; its last number is the end. The other fields
    are about the file that was read, for :func:`read_chunk`.
    """

    digest: bytes
    columns: Packed
    bundle_files: Column
    bundle_positions: array[int]
    channel_files: Column
    channel_positions: array[int]
    notes: bytes
    chunks: array[int]
    head: bytes = b""
    chunks_start: int = 0
    chunks_end: int = 0


def is_something_else(file: Path) -> bool:
    """Return whether *file* is there and is no index, usable or not.

    Another process may remove or replace an index at any moment, so this looks once.
    """
    try:
        # Opening a FIFO would wait for its writer.
        if not stat.S_ISREG(file.stat().st_mode):
            return True
        with file.open("rb") as opened:
            return opened.read(len(INDEX_MARK)) != INDEX_MARK
    except FileNotFoundError:
        # A link that leads nowhere would have the index written wherever it points.
        return file.is_symlink()
    except OSError:
        return is_there(file)


def stored_bytes(stored: Stored, chunks: Sequence[bytes]) -> list[bytes]:
    """Return the pieces of the file for *stored*, with the compressed *chunks* behind it."""
    from hashlib import sha256

    packed = {*COLUMNS, "text"}
    parts: list[array[int] | bytes] = [getattr(stored.columns if name in packed else stored, name) for name in _PARTS]
    pieces = [part if isinstance(part, bytes) else part.tobytes() for part in parts]
    lengths = _LENGTHS.pack(*map(len, pieces), sum(map(len, chunks)))
    checksum = sha256(stored.digest + lengths)
    for piece in pieces:
        checksum.update(piece)
    version = __version__.encode("utf-8")[:_VERSION_BYTES].ljust(_VERSION_BYTES, b"\0")
    head = _START.pack(INDEX_MARK, _FORMAT) + _NATIVE.pack(_ORDER) + version
    return [head, checksum.digest(), stored.digest, lengths, *pieces, *chunks]


def read_stored(file: Path, digest: bytes, *, is_named: bool = True) -> Stored:
    """Read the index *file* of the catalog whose content has this *digest*.

    One that is not *named* by the caller, but lies where catalogs or indexes are, must belong to the user or root, and
    nobody else may be able to write it: its digests are right in whatever hands it was made.

    Raises :class:`~olmsolve.errors.CatalogError`, which says why, for a file that cannot be used.
    """
    from hashlib import sha256

    def refuse(reason: str) -> NoReturn:
        raise CatalogError(reason, origin=str(file))

    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
            if not head.startswith(INDEX_MARK):
                refuse("not an index of olmsolve")
            if not is_named and (fault := _foreign(os.fstat(opened.fileno()))):
                refuse(fault)
            if len(head) < _HEAD:
                refuse("a damaged index: it ends too early")
            _check_kind(head, refuse)
            *lengths, chunked = _LENGTHS.unpack_from(head, _HEAD - _LENGTHS.size)
            if os.fstat(opened.fileno()).st_size != _HEAD + sum(lengths) + chunked:
                refuse("a damaged index: it does not have the size that it should have")
            body = _read_pieces(opened, sum(lengths))
    except OSError as error:
        refuse(f"cannot be read: {error.strerror}")
    covered = head[_BEFORE_CHECKSUM + DIGEST_BYTES :]
    checksum = sha256(covered)
    view = memoryview(body)
    for start in checked(range(0, len(body), _PIECE)):
        checksum.update(view[start : start + _PIECE])
    if checksum.digest() != head[_BEFORE_CHECKSUM : _BEFORE_CHECKSUM + DIGEST_BYTES]:
        refuse("a damaged index: its checksum does not fit")
    if covered[:DIGEST_BYTES] != digest:
        refuse("an index of another content: the catalog has changed since")
    try:
        stored = _parts_of(body, [*lengths, chunked], head)
        _check_bounds(stored)
    except ValueError:
        refuse("a damaged index: its numbers do not fit together")
    return stored


def _foreign(status: os.stat_result) -> str:
    """Return why a file with this *status* may be somebody else's work; "" where it is the user's own, or root's."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return "it belongs to another user; olmsolve index writes one of your own"
    return "others may write it; olmsolve index writes one that they may not" if status.st_mode & _WRITABLE else ""


def read_chunk(file: Path, stored: Stored, number: int, *, most: int) -> bytes:
    """Return the bytes of a chunk of the file that *stored* was read from, decompressed; at most *most* of them.

    Raises ValueError or OSError where the file was replaced since, or the chunk is damaged.
    """
    start, end = stored.chunks[number], stored.chunks[number + 1]
    with file.open("rb") as opened:
        if opened.read(len(stored.head)) != stored.head:
            raise ValueError("another file by now")
        opened.seek(stored.chunks_start + start)
        data = opened.read(max(0, end - start))
    unpacking = zlib.decompressobj()
    pieces: list[bytes] = []
    left = most
    try:
        while left > 0 and not unpacking.eof and (data or not pieces):
            check()
            pieces.append(unpacking.decompress(data, min(left, _PIECE)))
            data, left = unpacking.unconsumed_tail, left - len(pieces[-1])
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("damaged")
    return b"".join(pieces)


def _read_pieces(opened: IO[bytes], size: int) -> bytes:
    return b"".join(opened.read(min(_PIECE, size - start)) for start in checked(range(0, size, _PIECE)))


def _check_kind(head: bytes, refuse: Callable[[str], NoReturn]) -> None:
    """Refuse the index of another version of olmsolve, or of a machine with another byte order."""
    _, format_ = _START.unpack_from(head)
    (order,) = _NATIVE.unpack_from(head, _START.size)
    version = head[_START.size + _NATIVE.size : _BEFORE_CHECKSUM].rstrip(b"\0")
    if format_ != _FORMAT or version != __version__.encode("utf-8")[:_VERSION_BYTES]:
        refuse("an index of another version of olmsolve")
    if order != _ORDER:
        refuse("an index of a machine with another byte order")


def _parts_of(body: bytes, lengths: Sequence[int], head: bytes) -> Stored:
    """Cut *body* into its parts. Raises ValueError for a length that ends inside a number."""
    parts: dict[str, bytes] = {}
    start = 0
    for name, length in zip(_PARTS, lengths[:-1], strict=True):
        parts[name] = body[start : start + length]
        start += length
    columns = {name: array("I", parts[name]) for name in COLUMNS}
    return Stored(
        digest=head[_HEAD - _LENGTHS.size - DIGEST_BYTES : _HEAD - _LENGTHS.size],
        columns=Packed(columns, parts["text"]),
        bundle_files=array("I", parts["bundle_files"]),
        bundle_positions=array("Q", parts["bundle_positions"]),
        channel_files=array("I", parts["channel_files"]),
        channel_positions=array("Q", parts["channel_positions"]),
        notes=parts["notes"],
        chunks=array("Q", parts["chunks"]),
        head=head,
        chunks_start=_HEAD + start,
        chunks_end=lengths[-1],
    )


def _check_bounds(stored: Stored) -> None:
    """Raise ValueError for columns of wrong length, and for numbers beyond the rows that they refer to."""
    columns = stored.columns
    for name, rule in COLUMNS.items():
        if rule.along and len(getattr(columns, name)) != len(getattr(columns, rule.along)) + rule.one_more:
            raise ValueError(name)
        if name.endswith("_starts") and not getattr(columns, name):
            raise ValueError(name)
    for name, rule in checked(COLUMNS.items()):
        column = getattr(columns, name)
        if not rule.row_of or not column:
            continue
        if name == "name_ranks" and not columns.rank_string and not any(columns.name_ranked):
            # No version has a rank, so these are no ranks and nobody looks at them.
            continue
        limit = columns.row_count(rule.row_of) + rule.or_end
        # The maximum of all numbers is found fast; only where that is NONE, the others are looked at one by one.
        if max(column) >= limit and not (rule.or_none and _greatest(column) < limit):
            raise ValueError(name)
    for part, count in (("bundle", len(columns.bundle_name)), ("channel", len(columns.channel_name))):
        if {len(getattr(stored, f"{part}_files")), len(getattr(stored, f"{part}_positions"))} != {count}:
            raise ValueError(f"origins of {part}")
    if len(stored.chunks) != columns.packages + 1 or max(stored.chunks) > stored.chunks_end:
        raise ValueError("chunks")
    if columns.packages > len(columns.name_string):
        raise ValueError("packages")


def _greatest(column: Column) -> int:
    """Return the greatest number other than NONE, -1 if there is no other."""
    return max((number for number in column if number != NONE), default=-1)
