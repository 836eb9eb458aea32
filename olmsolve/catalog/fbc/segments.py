"""Segments of a catalog's files: documents of one package that follow each other, known by their bytes.

A new version of a catalog repeats nearly all segments of the version before. A segment whose bytes are the same holds
the same documents, so nothing of it is decoded::

    {"schema":"olm.package","name":"a"}      }  segment of package a: 3 documents, 812 bytes, and their SHA-256
    {"schema":"olm.channel","package":"a"}   }
    {"schema":"olm.bundle","package":"a"}    }
    {"schema":"olm.package","name":"b"}      }  segment of package b

Only JSON is cut so, where each segment begins at the margin of a line. Any other file is one segment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.fbc.document import name_of, package_named_by, schema_of
from olmsolve.catalog.fbc.json_fast import PropertyTable, usual_object, usual_objects

_OF_PACKAGES: Final = frozenset({"olm.package", "olm.channel", "olm.bundle", "olm.deprecations"})
_KEY: Final = 96  # bytes by which a segment is looked up; two with the same beginning are told apart by their digest
_TRIES: Final = 8  # segments with one key that are hashed: of any number, comparing would take the square of it
_PIECE: Final = 1 << 22  # bytes that are hashed or passed over between two looks at the limits
_LARGE: Final = 1 << 20  # bytes of a changed document that is left to the careful reader, which has limits for it
_SPACE: Final = b" \t\r\n"
_BRACE: Final = ord("{")
_END: Final = ord("}")
_AMBIGUOUS: Final = 2  # documents: where one of these is not JSON, the text is YAML from there on


class UncutError(Exception):
    """A file cannot be compared by its segments; the whole catalog is read then."""


@attrs.frozen
class Segment:
    """*size* bytes with this *digest*, which hold *documents* on *lines*; all of them are about *packages*.

    A file that is cut has one package for each segment, "" for blobs of other schemas, which are no part of a package.
    """

    packages: tuple[str, ...]
    key: bytes
    size: int
    digest: bytes
    documents: int
    lines: int


@attrs.frozen
class SegmentedFile:
    """The segments of one file, in their order; *is_cut* is False for a file that is one segment."""

    segments: tuple[Segment, ...]
    is_cut: bool


def segments_text(files: Mapping[str, SegmentedFile], prefix: str) -> bytes:
    """Return the segments of *files* as JSON; the names of the files are cut where they begin with *prefix*."""

    def as_json(segment: Segment) -> list[Any]:
        return [
            segment.packages,
            segment.key.decode("latin-1"),
            segment.size,
            segment.digest.hex(),
            segment.documents,
            segment.lines,
        ]

    named = {
        name.removeprefix(prefix): [file.is_cut, list(map(as_json, file.segments))] for name, file in files.items()
    }
    return json.dumps(named, separators=(",", ":")).encode("ascii")


def segments_from(text: bytes, prefix: str) -> dict[str, SegmentedFile]:
    """Return the segments of files as :func:`segments_text` wrote them. Raises UncutError for any other text."""

    def segment(packages: list[str], key: str, size: int, digest: str, documents: int, lines: int) -> Segment:
        about = tuple(map(str, packages))
        made = Segment(about, key.encode("latin-1"), int(size), bytes.fromhex(digest), int(documents), int(lines))
        # A segment without bytes would be found at one position for ever.
        if made.size <= 0 or made.documents < 0 or made.lines < 0 or not about:
            raise ValueError
        return made

    def file(is_cut: object, segments: list[Any]) -> SegmentedFile:
        made = SegmentedFile(tuple(segment(*fields) for fields in checked(segments, every=64)), bool(is_cut))
        if not made.is_cut and len(made.segments) != 1:
            raise ValueError
        return made

    try:
        return {prefix + name: file(*fields) for name, fields in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        raise UncutError from None


class KnownSegment(NamedTuple):
    """A segment that was there before: *begin* in bytes, *document* and *line* (from 0) say where it is now.

    *moved* says by how many documents and lines that is further down.
    """

    segment: Segment
    begin: int
    document: int
    line: int
    moved: tuple[int, int]


class ChangedDocument(NamedTuple):
    """A document that was not there before, of *package*, "" if it is a part of none.

    *begin* in bytes, *document* and *line* (from 0) say where it is.
    """

    package: str
    value: dict[str, Any]
    begin: int
    document: int
    line: int


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


def segmented(data: bytes, documents: Iterable[tuple[str, int]]) -> SegmentedFile:
    """Cut a file's *data* by its *documents*, given by package and line from 1."""
    starts = list(documents)
    cut = _cut(data, starts)
    if cut is not None:
        return SegmentedFile(tuple(cut), is_cut=True)
    packages = tuple(dict.fromkeys(package for package, _ in starts))
    whole = Segment(packages, _key(data, 0), len(data), _digest(memoryview(data)), len(starts), data.count(b"\n"))
    return SegmentedFile((whole,), is_cut=False)


def _cut(data: bytes, starts: list[tuple[str, int]]) -> list[Segment] | None:
    """Return the segments of JSON documents, None where they cannot be cut at the margins of lines."""
    if not usual_objects() or not starts or not data.startswith(b"{"):
        return None
    firsts = [0]
    firsts += [number for number in range(1, len(starts)) if starts[number][0] != starts[number - 1][0]]
    # Two packages on one line would be cut into one segment of the whole line, and one of nothing.
    if any(starts[number][1] == starts[number - 1][1] for number in firsts[1:]):
        return None
    first_lines = {starts[number][1] for number in (*firsts, *range(min(len(starts), _AMBIGUOUS + 1)))}
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
    for number in range(min(len(starts), _AMBIGUOUS)):
        end = offset_of[starts[number + 1][1]] if number + 1 < len(starts) else len(data)
        if end - offset_of[starts[number][1]] > _LARGE:
            return None
        if usual_object(data[offset_of[starts[number][1]] : end].decode()) is None:
            return None
    segments: list[Segment] = []
    view = memoryview(data)
    ends = [*firsts[1:], len(starts)]
    for first, end in checked(zip(firsts, ends, strict=True)):
        begin = offset_of[starts[first][1]]
        until = offset_of[starts[end][1]] if end < len(starts) else len(data)
        last = starts[end][1] if end < len(starts) else starts[first][1] + data.count(b"\n", begin, until)
        digest = _digest(view[begin:until])
        lines = last - starts[first][1]
        segments.append(Segment((starts[first][0],), _key(data, begin), until - begin, digest, end - first, lines))
    return segments


def _is_behind_document(data: bytes, begin: int) -> bool:
    """Return whether the brace here begins a document: inside of one, no brace follows the end of another."""
    size = 1
    while begin > 0:
        check()
        size = min(2 * size, _PIECE)
        before = data[max(begin - size, 0) : begin]
        kept = before.rstrip(_SPACE)
        if kept:
            return kept[-1] == _END
        begin -= len(before)
    return True


def compared(data: bytes, before: SegmentedFile, properties: PropertyTable) -> Iterator[KnownSegment | ChangedDocument]:
    """Compare a file's *data* with its segments *before*, and yield what it holds now, in its order.

    Raises :class:`UncutError` where something needs the careful reader, wrong JSON among it.
    """
    if not before.is_cut:
        (whole,) = before.segments
        if len(data) != whole.size or _digest(memoryview(data)) != whole.digest:
            raise UncutError
        yield KnownSegment(whole, 0, 0, 0, (0, 0))
        return
    if not usual_objects():
        raise UncutError
    by_key: dict[bytes, list[int]] = {}
    first_document, first_line = [0], [0]
    for number, segment in checked(enumerate(before.segments), every=64):
        by_key.setdefault(segment.key, []).append(number)
        first_document.append(first_document[-1] + segment.documents)
        first_line.append(first_line[-1] + segment.lines)
    view = memoryview(data)
    segments, count = before.segments, len(before.segments)
    position, document, line, expected = 0, 0, 0, 0
    while position < len(data):
        check()
        same: int | None = expected
        # Mostly the one behind the segment before. Hashing comes last, so that few bytes are hashed for nothing.
        if (
            expected == count
            or not data.startswith(segments[expected].key, position)
            or not _fits(view, position, segments[expected])
        ):
            same = _other(view, position, segments, by_key, expected)
        if same is not None:
            segment = segments[same]
            moved = document - first_document[same], line - first_line[same]
            yield KnownSegment(segment, position, document, line, moved)
            position, expected = position + segment.size, same + 1
            document, line = document + segment.documents, line + segment.lines
            continue
        value, end, lines = _read_document(data, position, len(data), properties)
        yield ChangedDocument(package_name_of(value), value, position, document, line)
        position, document, line = end, document + 1, line + lines


def segments_now(data: bytes, parts: list[KnownSegment | ChangedDocument]) -> SegmentedFile:
    """Return the segments of a file that is cut, whose *data* holds the *parts* that :func:`compared` has found."""
    segments: list[Segment] = []
    view = memoryview(data)
    number = 0
    while number < len(parts):
        check()
        first, stop = parts[number], number + 1
        package = _package(first)
        # A package whose text has grown is a known segment and documents behind it: one segment from now on.
        while stop < len(parts) and _package(parts[stop]) == package:
            stop += 1
        if isinstance(first, KnownSegment) and stop == number + 1:
            segments.append(first.segment)
        else:
            end = parts[stop].begin if stop < len(parts) else len(data)
            digest = _digest(view[first.begin : end])
            documents = sum(map(_documents, parts[number:stop]))
            lines = data.count(b"\n", first.begin, end)
            key = _key(data, first.begin)
            segments.append(Segment((package,), key, end - first.begin, digest, documents, lines))
        number = stop
    return SegmentedFile(tuple(segments), is_cut=True)


def _package(part: KnownSegment | ChangedDocument) -> str:
    """Return the one package of a part of a file that is cut."""
    return part.segment.packages[0] if isinstance(part, KnownSegment) else part.package


def _documents(part: KnownSegment | ChangedDocument) -> int:
    return part.segment.documents if isinstance(part, KnownSegment) else 1


def documents_of(known: KnownSegment, data: bytes, properties: PropertyTable) -> Iterator[ChangedDocument]:
    """Read the documents of a *known* segment of the new *data* all the same.

    Raises :class:`UncutError` where they are not laid out as usual.
    """
    segment, position, document, line, _ = known
    end = position + segment.size
    while position < end:
        value, behind, lines = _read_document(data, position, end, properties)
        yield ChangedDocument(package_name_of(value), value, position, document, line)
        position, document, line = behind, document + 1, line + lines
    if document != known.document + segment.documents:
        raise UncutError


def _fits(view: memoryview, position: int, segment: Segment) -> bool:
    """Return whether the bytes of *segment* stand at *position*."""
    end = position + segment.size
    # White space behind the last bytes that a file had belongs to no segment yet.
    if end < len(view) and view[end] != _BRACE:
        return False
    return _digest(view[position:end]) == segment.digest


def _other(
    view: memoryview, position: int, segments: tuple[Segment, ...], by_key: dict[bytes, list[int]], tried: int
) -> int | None:
    """Return the number of the segment whose bytes stand at *position*, other than *tried*; None without one."""
    # A segment that is missed here is read from its text, which gives the same package.
    numbers = by_key.get(_key(view, position), ())[:_TRIES]
    return next((number for number in numbers if number != tried and _fits(view, position, segments[number])), None)


def _digest(view: memoryview) -> bytes:
    """Return the digest of the bytes of *view*, looking at the limits."""
    if len(view) <= _PIECE:
        return sha256(view).digest()
    total = sha256()
    for begin in checked(range(0, len(view), _PIECE)):
        total.update(view[begin : begin + _PIECE])
    return total.digest()


def _read_document(data: bytes, begin: int, end: int, properties: PropertyTable) -> tuple[dict[str, Any], int, int]:
    """Return the document that begins here, where the next one begins, and how many lines there are between the two."""
    if data[begin : begin + 1] != b"{":
        raise UncutError
    if data.startswith((b"{\n", b"{\r\n"), begin):
        until = data.find(b"\n}", begin, end)
        until = until + 2 if until >= 0 else end
    else:
        until = data.find(b"\n", begin, end)
        until = until if until >= 0 else end
    value = usual_object(data[begin:until].decode(), properties) if until - begin <= _LARGE else None
    if value is None:
        raise UncutError
    after = until
    size = 1
    while after < end and data[after] in _SPACE:
        check()
        # Mostly one line break; of megabytes, larger and larger pieces.
        size = min(2 * size, _PIECE)
        space = data[after : min(after + size, end)]
        after += len(space) - len(space.lstrip(_SPACE))
    return value, after, data.count(b"\n", begin, after)


def _key(data: bytes | memoryview, begin: int) -> bytes:
    """Return the first bytes of the segment here, no more than its first document has on one line or on several."""
    text = bytes(data[begin : begin + _KEY])
    return text.partition(b"\n}" if text.startswith((b"{\n", b"{\r\n")) else b"\n")[0]
