"""An index as a file: the same columns, under a checksum, for one content of a catalog.

The file is a head of fixed size, then parts whose lengths are in the head::

    magic, format, byte order, version of olmsolve      an index that this process can use?
    checksum                                            of the three parts that follow
    digest of the catalog's content                     an index of this content?
    lengths of the parts
    digests of the pages                                of all parts that follow but the chunks
    the columns, the text, origins, notes, segments
    chunks                                              the properties of each package's bundles, compressed

Chunks are most of the file, and only rules that look at raw properties read them, one package at a time. Short files
are checked whole when they are opened, the parts of others page by page when they are read
(:mod:`olmsolve.catalog.index.paged`).

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
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve._paths import is_there
from olmsolve._version import __version__
from olmsolve.catalog.index.packed import Packed
from olmsolve.catalog.index.paged import (
    DIGEST_BYTES,
    PAGE,
    FileParts,
    RowCounts,
    StoredColumns,
    open_file,
    page_digests,
)
from olmsolve.catalog.index.schema import COLUMNS
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError

_WRITABLE: Final = stat.S_IWGRP | stat.S_IWOTH

_PIECE: Final = 1 << 20  # bytes that are decompressed between two looks at the limits
_SHORT: Final = 1 << 20  # bytes of the parts of a file that is checked whole when it is opened, in 4 milliseconds

_FORMAT: Final = 7
# Read on a machine with the other byte order, this is 0x04030201, and so would be every number of the columns.
_ORDER: Final = 0x01020304
# Magic and format in one byte order everywhere, so that every machine recognises the file.
_START: Final = struct.Struct("<8sI")
_NATIVE: Final = struct.Struct("=I")
# The version of olmsolve, filled up with zeros: columns mean what this very version packed into them.
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
    "chunk_digests",
    "segments",
)
_LENGTHS: Final = struct.Struct(f"<{len(_PARTS) + 1}Q")
_HEAD: Final = _BEFORE_CHECKSUM + DIGEST_BYTES + DIGEST_BYTES + _LENGTHS.size


@attrs.frozen
class Stored:
    """The content of a file that holds an index.

    *bundle_files* and *channel_files* are numbers of the files that *notes* (JSON) names, NONE where the origin is not
    known; *bundle_positions* and *channel_positions* are :attr:`olmsolve.catalog.Origin.position` in them. *chunks*
    says where, after all other parts, the chunk of each package begins; its last number is the end.

    *chunk_digests* (the SHA-256 of each chunk) and *segments* (:mod:`olmsolve.catalog.fbc.segments`) serve the index of
    a later version of the catalog, which copies what did not change; where the file was read, *parts* has the two. The
    other fields are about the file that was read, for :func:`read_chunk`.
    """

    digest: bytes
    columns: Packed
    bundle_files: Sequence[int]
    bundle_positions: Sequence[int]
    channel_files: Sequence[int]
    channel_positions: Sequence[int]
    notes: bytes
    chunks: Sequence[int]
    chunk_digests: bytes = b""
    segments: bytes = b""
    head: bytes = b""
    chunks_start: int = 0
    parts: FileParts | None = None

    def part_bytes(self) -> dict[str, bytes]:
        """Return the bytes of each part, by name."""
        packed = {*COLUMNS, "text"}
        parts = {name: getattr(self.columns if name in packed else self, name) for name in _PARTS}
        return {name: part if isinstance(part, bytes) else part.tobytes() for name, part in parts.items()}


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


def stored_bytes(stored: Stored, chunks: Sequence[bytes], before: FileParts | None = None) -> list[bytes]:
    """Return the pieces of the file for *stored*, followed by the compressed *chunks*.

    The digests of pages that are the same in the file *before* are copied from there.
    """
    from hashlib import sha256  # 2.5 ms with OpenSSL, for files alone; the same below

    parts = stored.part_bytes()
    pieces = [*parts.values()]
    lengths = _LENGTHS.pack(*map(len, pieces), sum(map(len, chunks)))
    if before is None:
        digests = b"".join(map(page_digests, pieces))
    else:
        digests = b"".join([before.digests_of(name, part) for name, part in parts.items()])
    checksum = sha256(stored.digest + lengths + digests).digest()
    version = __version__.encode("utf-8")[:_VERSION_BYTES].ljust(_VERSION_BYTES, b"\0")
    head = _START.pack(INDEX_MARK, _FORMAT) + _NATIVE.pack(_ORDER) + version
    return [head, checksum, stored.digest, lengths, digests, *pieces, *chunks]


def read_stored(file: Path, digest: bytes | None, *, is_named: bool = True) -> Stored:
    """Open the index *file* of the catalog whose content has this *digest*; None for any content.

    With *is_named*, the caller has named the file. One that was found beside a catalog, or in the folder of indexes,
    must belong to the user or root, and nobody else may be able to write it: whoever makes an index can make its
    digests right.

    Raises :class:`~olmsolve.errors.CatalogError`, which says why, for a file that cannot be used. In a long file,
    damage is found when a part is read (:class:`~olmsolve.catalog.index.paged.FileParts`).
    """
    from hashlib import sha256

    def refuse(reason: str) -> NoReturn:
        raise CatalogError(reason, origin=str(file))

    try:
        descriptor = open_file(file)
    except OSError as error:
        refuse(f"cannot be read: {error.strerror}")
    parts: FileParts | None = None
    try:
        head = os.read(descriptor, _HEAD)
        # The mark first, so that any other file is reported as such; then the owner, before anything in the file is
        # used.
        if not head.startswith(INDEX_MARK):
            refuse("not an index of olmsolve")
        status = os.fstat(descriptor)
        if not is_named and (fault := _foreign(status)):
            refuse(fault)
        if len(head) < _HEAD:
            refuse("a damaged index: it ends too early")
        _check_kind(head, refuse)
        *sizes, chunked = _LENGTHS.unpack_from(head, _HEAD - _LENGTHS.size)
        lengths = dict(zip(_PARTS, sizes, strict=True))
        digests_size = DIGEST_BYTES * sum(-(-length // PAGE) for length in sizes)
        body = _HEAD + digests_size
        if status.st_size != body + sum(sizes) + chunked:
            refuse("a damaged index: it has the wrong size")
        digests = os.read(descriptor, digests_size)
        covered = head[_BEFORE_CHECKSUM + DIGEST_BYTES :]
        checksum = sha256(covered + digests).digest()
        if checksum != head[_BEFORE_CHECKSUM : _BEFORE_CHECKSUM + DIGEST_BYTES]:
            refuse("a damaged index: its checksum does not match")
        if digest is not None and covered[:DIGEST_BYTES] != digest:
            refuse("an index of another content: the catalog has changed since")
        starts = dict(zip(_PARTS, accumulate(sizes, initial=body), strict=False))
        try:
            _check_lengths(lengths)
        except ValueError:
            refuse("a damaged index: its numbers contradict each other")
        parts = FileParts(descriptor, starts, lengths, digests, str(file))
    except OSError as error:
        refuse(f"cannot be read: {error.strerror}")
    finally:
        if parts is None:
            os.close(descriptor)
    parts.limit("chunks", chunked + 1)
    if sum(sizes) <= _SHORT:
        parts.check()
    return Stored(
        digest=covered[:DIGEST_BYTES],
        columns=StoredColumns(parts),
        bundle_files=parts.numbers("bundle_files"),
        bundle_positions=parts.numbers("bundle_positions", "Q"),
        channel_files=parts.numbers("channel_files"),
        channel_positions=parts.numbers("channel_positions", "Q"),
        notes=parts.whole("notes"),
        chunks=parts.numbers("chunks", "Q"),
        head=head,
        chunks_start=body + sum(sizes),
        parts=parts,
    )


def _foreign(status: os.stat_result) -> str:
    """Return why a file with this *status* may be somebody else's work; "" where it is the user's own, or root's."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return "it belongs to another user; olmsolve index writes your own"
    return (
        "other users may change it; olmsolve index writes one that only you may change"
        if status.st_mode & _WRITABLE
        else ""
    )


def read_chunk(file: Path, stored: Stored, number: int, *, most: int) -> bytes:
    """Return the bytes of a chunk of the file that *stored* was read from, decompressed; at most *most* of them.

    Raises ValueError or OSError where the file was replaced since, or the chunk is damaged.
    """
    start, end = stored.chunks[number], stored.chunks[number + 1]
    with file.open("rb") as opened:
        # The head has the digest of the content and of all pages: equal heads are one content.
        if opened.read(len(stored.head)) != stored.head:
            raise ValueError("the file was replaced")
        opened.seek(stored.chunks_start + start)
        data = opened.read(max(0, end - start))
    unpacking = zlib.decompressobj()
    pieces: list[bytes] = []
    room = most
    try:
        while room > 0 and not unpacking.eof and (data or not pieces):
            check()
            pieces.append(unpacking.decompress(data, min(room, _PIECE)))
            data, room = unpacking.unconsumed_tail, room - len(pieces[-1])
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("damaged")
    return b"".join(pieces)


def copied_chunks(stored: Stored, first: int, end: int) -> tuple[bytes, array[int], bytes]:
    """Return the compressed chunks of the packages from *first* to *end*, as they are in the file of *stored*.

    They come in one piece, with the end of each (counted as in :attr:`Stored.chunks`) and the digests of all.

    Raises :class:`~olmsolve.errors.CatalogError` where one is damaged.
    """
    from hashlib import sha256

    parts = stored.parts
    assert parts is not None, "it was read"
    bounds = array("Q", stored.chunks[first : end + 1])
    piece = parts.bytes_at(stored.chunks_start + bounds[0], max(0, bounds[-1] - bounds[0]))
    digests = parts.whole("chunk_digests")[DIGEST_BYTES * first : DIGEST_BYTES * end]
    view, starts = memoryview(piece), [bound - bounds[0] for bound in bounds]
    hashed = [sha256(view[start:stop]).digest() for start, stop in checked(pairwise(starts), every=64)]
    # Bounds that do not ascend would give chunks that overlap.
    if b"".join(hashed) != digests or starts != sorted(starts):
        parts.refuse("its checksum does not match")
    return piece, bounds[1:], digests


def _check_kind(head: bytes, refuse: Callable[[str], NoReturn]) -> None:
    """Refuse the index of another version of olmsolve, or of a machine with another byte order."""
    _, format_ = _START.unpack_from(head)
    (order,) = _NATIVE.unpack_from(head, _START.size)
    version = head[_START.size + _NATIVE.size : _BEFORE_CHECKSUM].rstrip(b"\0")
    if format_ != _FORMAT or version != __version__.encode("utf-8")[:_VERSION_BYTES]:
        refuse("an index of another version of olmsolve")
    if order != _ORDER:
        refuse("an index of a machine with another byte order")


def _check_lengths(lengths: Mapping[str, int]) -> None:
    """Raise ValueError for columns of wrong length."""
    counts = RowCounts(lengths)
    for name, rule in COLUMNS.items():
        if lengths[name] % 4 or (rule.along and counts.length(name) != counts.length(rule.along) + rule.one_more):
            raise ValueError(name)
        if name.endswith("_starts") and not lengths[name]:
            raise ValueError(name)
    for part in ("bundle", "channel"):
        count = counts.row_count(part)
        if lengths[f"{part}_files"] != 4 * count or lengths[f"{part}_positions"] != 8 * count:
            raise ValueError(f"origins of {part}")
    packages = counts.row_count("package")
    if lengths["chunks"] != 8 * (packages + 1) or packages > counts.row_count("name"):
        raise ValueError("packages")
