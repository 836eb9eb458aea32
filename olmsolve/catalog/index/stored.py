"""An index as a file: the same columns, under a checksum, for one content of a catalog.

The file begins with a head of fixed size: what it is, for which version of olmsolve and which byte order, the
digest of the catalog's content, the lengths of all parts, and a checksum of everything but the last part, which is
the properties of the bundles, compressed by package; these are looked at only for rules that ask for them.

A file is read, not mapped: a mapped file that somebody shortens takes the process with it, and one that somebody
changes is no longer what was checked. Nothing in it is run, and every number in it is checked to be in its bounds,
those of requirements' intervals when they are used (:mod:`olmsolve.catalog.index.families`). So a file made to harm
can give wrong answers at worst, as a wrong catalog could.
"""

from __future__ import annotations

import os
import struct
import zlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

import attrs

from olmsolve._version import __version__
from olmsolve.catalog.index.packed import COLUMNS, FREE, NONE, Column, Packed
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError

__all__ = ["DIGEST_BYTES", "Stored", "chunk", "is_index", "read_stored", "stored_bytes"]

DIGEST_BYTES: Final = 32

_FORMAT: Final = 2
_ORDER: Final = 0x01020304
# Magic; format; byte order, in that of the machine; version of olmsolve; checksum; then what the checksum covers
# besides the parts: the digest of the content, and the bytes of each part.
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

# Columns that have one number for each of the same things, and how many more.
_SIZES: Final[Mapping[str, tuple[str, int]]] = {
    **{name: ("bundle_name", 0) for name in COLUMNS if name.startswith("bundle_")},
    **{name: ("channel_name", 0) for name in COLUMNS if name.startswith("channel_")},
    **{name: ("slot_channel", 0) for name in COLUMNS if name.startswith("slot_")},
    **{name: ("requirement_type", 0) for name in COLUMNS if name.startswith("requirement_")},
    "packages_version": ("packages_name", 0),
    "requires_place": ("requires_what", 0),
    "name_starts": ("name_string", 1),
    "name_ranked": ("name_string", 0),
    "name_ranked_slots": ("name_slots", 0),
    "name_ranks": ("name_slots", 0),
    "package_undeclared": ("package_default", 0),
    "package_channels": ("package_default", 1),
    "package_bundles": ("package_default", 1),
    "gvk_group": ("gvk_text", 0),
    "gvk_version": ("gvk_text", 0),
    "gvk_package": ("gvk_text", 0),
    "gvk_starts": ("gvk_text", 1),
    "label_starts": ("label_string", 1),
}
# How many there are of what numbers are places in, by a column that has one number for each, and how many more.
_COUNTED: Final[Mapping[str, tuple[str, int]]] = {
    "string": ("string_starts", -1),
    "texts": ("texts_starts", -1),
    "groups": ("groups_starts", -1),
    "packages": ("packages_starts", -1),
    "requires": ("requires_starts", -1),
    "requirement": ("requirement_type", 0),
    "name": ("name_string", 0),
    "package": ("package_default", 0),
    "gvk": ("gvk_text", 0),
    "label": ("label_string", 0),
    "rank": ("rank_string", 0),
    "channel": ("channel_name", 0),
    "slot": ("slot_channel", 0),
    "bundle": ("bundle_name", 0),
}


@attrs.frozen
class Stored:
    """What a file of an index holds.

    *bundle_files* and *channel_files* are numbers of files, which *notes* names, NONE where the origin is not known;
    *bundle_positions* and *channel_positions* the positions in them (see :attr:`olmsolve.catalog.Origin.position`).
    *chunks* says where, behind all other parts, the chunk of each package begins; its last number is the end.
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


def is_index(file: Path) -> bool:
    """Whether *file* begins as an index does, usable or not."""
    try:
        # A FIFO would keep who opens it waiting for its writer.
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return opened.read(len(INDEX_MARK)) == INDEX_MARK
    except OSError:
        return False


def stored_bytes(stored: Stored, chunks: Sequence[bytes]) -> list[bytes]:
    """The pieces of the file for *stored*, with the compressed *chunks* after it."""
    from hashlib import sha256

    numbers: dict[str, array[int] | bytes] = {name: getattr(stored.columns, name) for name in COLUMNS}
    numbers |= {name: getattr(stored, name) for name in _PARTS if name not in COLUMNS and name != "text"}
    parts = [(numbers | {"text": stored.columns.text})[name] for name in _PARTS]
    pieces = [part if isinstance(part, bytes) else part.tobytes() for part in parts]
    lengths = _LENGTHS.pack(*map(len, pieces), sum(map(len, chunks)))
    checksum = sha256(stored.digest + lengths)
    for piece in pieces:
        checksum.update(piece)
    version = __version__.encode("utf-8")[:_VERSION_BYTES].ljust(_VERSION_BYTES, b"\0")
    head = _START.pack(INDEX_MARK, _FORMAT) + _NATIVE.pack(_ORDER) + version
    return [head, checksum.digest(), stored.digest, lengths, *pieces, *chunks]


def read_stored(file: Path, digest: bytes) -> Stored:
    """Read the index *file* of the catalog whose content has this *digest*.

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
            if len(head) < _HEAD:
                refuse("a damaged index: it ends too early")
            _check_kind(head, refuse)
            *lengths, chunked = _LENGTHS.unpack_from(head, _HEAD - _LENGTHS.size)
            if os.fstat(opened.fileno()).st_size != _HEAD + sum(lengths) + chunked:
                refuse("a damaged index: it has not the size that it should have")
            body = opened.read(sum(lengths))
    except OSError as error:
        refuse(f"cannot be read: {error.strerror}")
    covered = head[_BEFORE_CHECKSUM + DIGEST_BYTES :]
    checksum = sha256(covered)
    checksum.update(body)
    if checksum.digest() != head[_BEFORE_CHECKSUM : _BEFORE_CHECKSUM + DIGEST_BYTES]:
        refuse("a damaged index: its checksum does not fit")
    if covered[:DIGEST_BYTES] != digest:
        refuse("an index of another content: the catalog has changed since")
    try:
        stored = _taken_apart(body, [*lengths, chunked], head)
        _check_bounds(stored)
    except ValueError:
        refuse("a damaged index: its numbers do not fit together")
    return stored


def chunk(file: Path, stored: Stored, number: int, *, most: int) -> bytes:
    """The bytes of a chunk of the file that *stored* was read from; at most *most* of them.

    Raises ValueError or OSError where the file is no longer that file, or the chunk is damaged.
    """
    start, end = stored.chunks[number], stored.chunks[number + 1]
    with file.open("rb") as opened:
        if opened.read(len(stored.head)) != stored.head:
            raise ValueError("another file by now")
        opened.seek(stored.chunks_start + start)
        data = opened.read(max(0, end - start))
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(data, most)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("damaged")
    return found


def _check_kind(head: bytes, refuse: Callable[[str], NoReturn]) -> None:
    _, format_ = _START.unpack_from(head)
    (order,) = _NATIVE.unpack_from(head, _START.size)
    version = head[_START.size + _NATIVE.size : _BEFORE_CHECKSUM].rstrip(b"\0")
    if format_ != _FORMAT or version != __version__.encode("utf-8")[:_VERSION_BYTES]:
        refuse("an index of another version of olmsolve")
    if order != _ORDER:
        refuse("an index of a machine with another byte order")


def _taken_apart(body: bytes, lengths: Sequence[int], head: bytes) -> Stored:
    """Raises ValueError for lengths that are no whole numbers of items."""
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
    """Raises ValueError for columns of different lengths, and for numbers that are no place in what they are of."""
    columns = stored.columns
    for name, (other, more) in _SIZES.items():
        if len(getattr(columns, name)) != len(getattr(columns, other)) + more:
            raise ValueError(name)
    for name in COLUMNS:
        if name.endswith("_starts") and not getattr(columns, name):
            raise ValueError(name)
    for name, places in COLUMNS.items():
        column = getattr(columns, name)
        if places == FREE or not column:
            continue
        if name == "name_ranks" and not columns.rank_string and not any(columns.name_ranked):
            # No version has a rank, so these are no places and nobody looks at them.
            continue
        if places == "group":
            limit = len(columns.name_string) + len(columns.gvk_text)
        elif places.rstrip("?.") in _COUNTED:
            counted, more = _COUNTED[places.rstrip("?.")]
            limit = len(getattr(columns, counted)) + more + places.endswith(".")
        else:
            limit = len(getattr(columns, places)) + 1
        if max(column) >= limit and not (places.endswith("?") and _most(column) < limit):
            raise ValueError(name)
    bundles, channels = len(columns.bundle_name), len(columns.channel_name)
    lengths = [len(stored.bundle_files), len(stored.bundle_positions)]
    if lengths != [bundles, bundles] or [len(stored.channel_files), len(stored.channel_positions)] != [
        channels,
        channels,
    ]:
        raise ValueError("origins")
    if len(stored.chunks) != columns.packages + 1 or max(stored.chunks) > stored.chunks_end:
        raise ValueError("chunks")
    if columns.packages > len(columns.name_string):
        raise ValueError("packages")


def _most(column: Column) -> int:
    """The greatest number besides NONE."""
    return max((number for number in column if number != NONE), default=-1)
