"""Segments of a catalog's files: documents of one package that follow each other, known by their bytes.

A new version of a catalog repeats nearly all segments of the version before. A segment whose bytes are the same holds
the same documents, so nothing of it is decoded::

    {"schema":"olm.package","name":"a"}      }  segment of package a: 3 documents, 812 bytes, and their digest
    {"schema":"olm.channel","package":"a"}   }
    {"schema":"olm.bundle","package":"a"}    }
    {"schema":"olm.package","name":"b"}      }  segment of package b

Only JSON is cut so, where each segment begins at the margin of a line. Any other file is one segment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve.catalog.fbc.document import name_of, package_named_by, schema_of
from olmsolve.catalog.fbc.json_fast import usual_object, usual_objects

Digest: TypeAlias = bytes | int
"""What identifies the bytes of a segment: their SHA-256, or Python's hash of them."""

DigestFunction: TypeAlias = Callable[[bytes], Digest]

_OF_PACKAGES: Final = frozenset({"olm.package", "olm.channel", "olm.bundle", "olm.deprecations"})
KEY_BYTES: Final = 96  # bytes by which a segment is looked up; digests distinguish equal beginnings
MOST_TEXT: Final = 1 << 29  # bytes of files that are compared
_DIGEST_BYTES: Final = 32  # of SHA-256
PIECE: Final = 1 << 22  # bytes that are hashed or passed over between two looks at the limits
LARGE_DOCUMENT: Final = (
    1 << 20
)  # bytes of a changed document that is left to the careful reader, which has limits for it
SPACE: Final = b" \t\r\n"
_END: Final = ord("}")
AMBIGUOUS: Final = 2  # documents: where one of these is not JSON, the text is YAML from there on


class UncutError(Exception):
    """A file cannot be compared by its segments; the whole catalog is read then."""


@attrs.frozen
class SegmentedFile:
    """The segments of one file, in their order; *is_cut* is False for a file that is one segment.

    Segment n has *sizes[n]* bytes with a digest and a key, which hold *documents[n]* documents on *lines[n]* lines. A
    file that is cut has one of *packages* for each segment, "" for blobs of other schemas, which are a part of no
    package; the one segment of any other file is about all of its *packages*.
    """

    packages: tuple[str, ...]
    keys: tuple[bytes, ...]
    sizes: tuple[int, ...]
    digests: tuple[Digest, ...]
    documents: tuple[int, ...]
    lines: tuple[int, ...]
    is_cut: bool


def sha256_digest(data: bytes) -> bytes:
    """Return the SHA-256 of *data*, looking at the limits."""
    if len(data) <= PIECE:
        return sha256(data).digest()
    total, view = sha256(), memoryview(data)
    for begin in checked(range(0, len(view), PIECE)):
        total.update(view[begin : begin + PIECE])
    return total.digest()


def hash_digest(data: bytes) -> int:
    """Return Python's hash of *data*, which means nothing in another process; looks at the limits."""
    if len(data) <= PIECE:
        return hash(data)
    return hash(tuple([hash(data[begin : begin + PIECE]) for begin in checked(range(0, len(data), PIECE))]))


def digest_within_process() -> DigestFunction:
    """Return the fastest digest that tells all texts apart in this process: a hash with a secret key, or SHA-256."""
    # SipHash with a key of 128 bits that each process draws: two texts of one size have one hash once in 2**64 times,
    # and nobody can write such a pair without the key. It takes two fifths of the time of SHA-256. A key that follows
    # from PYTHONHASHSEED is known to everyone.
    is_secret = os.environ.get("PYTHONHASHSEED", "") in ("", "random")
    is_siphash = sys.hash_info.algorithm.startswith("siphash") and sys.hash_info.width == 64
    return hash_digest if is_secret and is_siphash else sha256_digest


PROCESS_DIGEST: Final[DigestFunction] = digest_within_process()
"""The digest for comparing versions that one process loads."""


def segments_text(files: Mapping[str, SegmentedFile], prefix: str) -> bytes:
    """Return the segments of *files* as JSON; the names of the files are cut where they begin with *prefix*.

    Their digests are SHA-256.
    """

    # Columns, because the segments of community-prod are read and written in 1.0 ms so, and in 1.4 as a list each.
    def as_json(file: SegmentedFile) -> list[Any]:
        digests = b"".join([digest for digest in file.digests if isinstance(digest, bytes)]).hex()
        keys = [key.decode("latin-1") for key in file.keys]
        return [file.is_cut, file.packages, keys, file.sizes, digests, file.documents, file.lines]

    named = {name.removeprefix(prefix): as_json(file) for name, file in files.items()}
    return json.dumps(named, separators=(",", ":")).encode("ascii")


def segments_from(text: bytes, prefix: str) -> dict[str, SegmentedFile]:
    """Return the segments of files as :func:`segments_text` wrote them. Raises UncutError for any other text."""

    def file(
        is_cut: bool,
        packages: list[str],
        keys: list[str],
        sizes: list[int],
        digests: str,
        documents: list[int],
        lines: list[int],
    ) -> SegmentedFile:
        check()
        joined, count = bytes.fromhex(digests), len(sizes)
        # A segment without bytes would be found at one position for ever; a file may be empty. None that is compared is
        # larger.
        if (
            type(is_cut) is not bool
            or {*map(type, (*sizes, *documents, *lines))} != {int}
            or not {*map(type, packages)} <= {str}
            or min(min(sizes) - is_cut, *documents, *lines) < 0
            or not max(sum(documents), sum(lines)) <= sum(sizes) <= MOST_TEXT
            or {len(keys), len(documents), len(lines), len(joined) / _DIGEST_BYTES} != {count}
            or (len(packages) != count if is_cut else count != 1)
        ):
            raise ValueError
        return SegmentedFile(
            tuple(packages),
            tuple([key.encode("latin-1") for key in keys]),
            tuple(sizes),
            tuple([joined[begin : begin + _DIGEST_BYTES] for begin in range(0, len(joined), _DIGEST_BYTES)]),
            tuple(documents),
            tuple(lines),
            is_cut,
        )

    try:
        return {prefix + name: file(*fields) for name, fields in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError):
        raise UncutError from None


class Cuts:
    """The columns of a :class:`SegmentedFile` that is cut, while they are made."""

    def __init__(self) -> None:
        self.packages: list[str] = []
        self._keys: list[bytes] = []
        self.sizes: list[int] = []
        self._digests: list[Digest] = []
        self._documents: list[int] = []
        self._lines: list[int] = []

    def append(self, package: str, key: bytes, size: int, digest: Digest, documents: int, lines: int) -> None:
        """Append a segment."""
        self.packages.append(package)
        self._keys.append(key)
        self.sizes.append(size)
        self._digests.append(digest)
        self._documents.append(documents)
        self._lines.append(lines)

    def extend(self, file: SegmentedFile, first: int, end: int) -> None:
        """Append the segments of *file* from *first* to *end*."""
        part = slice(first, end)
        self.packages += file.packages[part]
        self._keys += file.keys[part]
        self.sizes += file.sizes[part]
        self._digests += file.digests[part]
        self._documents += file.documents[part]
        self._lines += file.lines[part]

    def file(self, packages: Collection[str] | None = None) -> SegmentedFile:
        """Return the file of all segments; with *packages*, a file that is not cut, whose segment is about these."""
        return SegmentedFile(
            tuple(self.packages if packages is None else packages),
            tuple(self._keys),
            tuple(self.sizes),
            tuple(self._digests),
            tuple(self._documents),
            tuple(self._lines),
            is_cut=packages is None,
        )


def package_name_of(value: dict[str, Any]) -> str:
    """Return the package that a blob is a part of, "" if it is of another schema.

    Raises :class:`UncutError` for a blob that the linker will refuse.
    """
    schema = schema_of(value)
    if schema not in _OF_PACKAGES:
        return ""
    name = name_of(value) if schema == "olm.package" else package_named_by(value)
    if not isinstance(name, str) or not name:
        raise UncutError
    return name


def segmented(data: bytes, documents: Iterable[tuple[str, int]], digest_of: DigestFunction) -> SegmentedFile:
    """Cut a file's *data* by its *documents*, given by package and line from 1."""
    starts = list(documents)
    cut = _cut(data, starts, digest_of)
    if cut is not None:
        return cut
    packages = tuple(dict.fromkeys(package for package, _ in starts))
    cuts = Cuts()
    cuts.append("", key_of(data), len(data), digest_of(data), len(starts), data.count(b"\n"))
    return cuts.file(packages)


def _cut(data: bytes, starts: list[tuple[str, int]], digest_of: DigestFunction) -> SegmentedFile | None:
    """Return the segments of JSON documents, None where they cannot be cut at the margins of lines."""
    if not usual_objects() or not starts or not data.startswith(b"{"):
        return None
    firsts = [0]
    firsts += [number for number in range(1, len(starts)) if starts[number][0] != starts[number - 1][0]]
    # Two packages on one line would be cut into one segment of the whole line, and one of nothing.
    if any(starts[number][1] == starts[number - 1][1] for number in firsts[1:]):
        return None
    first_lines = {starts[number][1] for number in (*firsts, *range(min(len(starts), AMBIGUOUS + 1)))}
    offset_of: dict[int, int] = {}
    offset, line = 0, 1
    for wanted in sorted(first_lines):
        for _ in checked(range(wanted - line), every=1024):
            offset = data.find(b"\n", offset) + 1
        line = wanted
        offset_of[wanted] = offset
        if data[offset : offset + 1] != b"{" or not _is_behind_document(data, offset):
            return None
    # If the first or second document is not JSON, the rest is read as YAML, whose documents may end elsewhere.
    for number in range(min(len(starts), AMBIGUOUS)):
        end = offset_of[starts[number + 1][1]] if number + 1 < len(starts) else len(data)
        text = data[offset_of[starts[number][1]] : end].rstrip(SPACE)
        if len(text) > LARGE_DOCUMENT or usual_object(text.decode()) is None:
            return None
    cuts = Cuts()
    ends = [*firsts[1:], len(starts)]
    for first, end in checked(zip(firsts, ends, strict=True)):
        begin = offset_of[starts[first][1]]
        until = offset_of[starts[end][1]] if end < len(starts) else len(data)
        last = starts[end][1] if end < len(starts) else starts[first][1] + data.count(b"\n", begin, until)
        text = data[begin:until]
        lines = last - starts[first][1]
        cuts.append(starts[first][0], key_of(text), len(text), digest_of(text), end - first, lines)
    return cuts.file()


def _is_behind_document(data: bytes, begin: int) -> bool:
    """Return whether the brace here begins a document: inside of one, no brace follows the end of another."""
    size = 1
    while begin > 0:
        check()
        size = min(2 * size, PIECE)
        before = data[max(begin - size, 0) : begin]
        kept = before.rstrip(SPACE)
        if kept:
            return kept[-1] == _END
        begin -= len(before)
    return True


def key_of(text: bytes) -> bytes:
    """Return the first bytes of a segment's *text*, no more than its first document has on one line or on several."""
    head = text[:KEY_BYTES]
    return head.partition(b"\n}" if head.startswith((b"{\n", b"{\r\n")) else b"\n")[0]
