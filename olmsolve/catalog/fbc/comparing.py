"""The comparison of a file's new version with the segments of its version before: only changed text is parsed.

The file is read in pieces as large as the segments that are expected next. Nearly everywhere, segments follow each
other as before, so neighbours are compared and reported together, as runs::

    segments before    a b c d e f      runs     0 to 2 (a b) where they were
    now                a b C x d e f    changed  the documents of C and x
                                        run      3 to 6 (d e f), further down
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate, islice
from typing import Any, Final, Protocol

from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.fbc.json_fast import PropertyTable, usual_object, usual_objects
from olmsolve.catalog.fbc.segments import (
    AMBIGUOUS,
    KEY_BYTES,
    LARGE_DOCUMENT,
    PIECE,
    SPACE,
    Cuts,
    DigestFunction,
    SegmentedFile,
    UncutError,
    key_of,
    package_name_of,
    segmented,
)

_DOCUMENT: Final = 32  # bits of a position that hold the line; the document's number is above
_AHEAD: Final = 1 << 16  # bytes that are read at least where somebody looks ahead
_TRIES: Final = 8  # segments with one key that are hashed: of any number, comparing would take the square of it
_LINE: Final = 1 << 12  # bytes in which the end of a changed document is looked for first
_AT_BRACE: Final = (b"{", b"")  # where a document begins, or the file has ended


class ByteReader(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes:
        """Return the next *size* bytes, fewer only at the end."""


class HashedReader:
    """A *file* that is read through this reader, which has the SHA-256 and the *size* in bytes of all that was read."""

    __slots__ = ("_hashed", "_read", "size")

    def __init__(self, file: ByteReader) -> None:
        self._read = file.read
        self._hashed = sha256()
        self.size: int = 0

    def read(self, size: int, /) -> bytes:
        """Return the next *size* bytes, fewer only at the end."""
        piece = self._read(size)
        if len(piece) <= PIECE:
            self._hashed.update(piece)
        else:
            view = memoryview(piece)
            for begin in checked(range(0, len(view), PIECE)):
                self._hashed.update(view[begin : begin + PIECE])
        self.size += len(piece)
        return piece

    def digest(self) -> bytes:
        """Return the SHA-256 of what was read so far."""
        return self._hashed.digest()


class TextAhead:
    """The text of *file* from its current position, in pieces of any size, with a look at what comes next.

    A new version is read once, and nearly all pieces are thrown away at once, so no more is held than what somebody
    looks at. With 62 MB of text in one piece of memory, reading alone took as long as hashing, because the system gives
    fresh memory page by page.
    """

    __slots__ = ("_begin", "_held", "_read")

    def __init__(self, file: ByteReader) -> None:
        self._read = file.read
        self._held = b""  # read already, of which the bytes from _begin on were not taken
        self._begin = 0

    def take(self, size: int) -> bytes:
        """Return the next *size* bytes, fewer where the file ends, and move past them."""
        if not self._held:
            return self._read(size)
        begin, end = self._begin, self._begin + size
        if end < len(self._held):
            self._begin = end
            return self._held[begin:end]
        piece = self._held[begin:]
        self._held, self._begin = b"", 0
        return piece + self._read(end - begin - len(piece)) if len(piece) < size else piece

    def look(self, size: int) -> bytes:
        """Return the next *size* bytes, fewer where the file ends, and stay before them."""
        left = len(self._held) - self._begin
        if left < size:
            self._held, self._begin = self._held[self._begin :] + self._read(max(size - left, _AHEAD)), 0
        return self._held[self._begin : self._begin + size]

    def give_back(self, piece: bytes) -> None:
        """Go back before a *piece* that was taken last."""
        self._held, self._begin = piece + self._held[self._begin :], 0


def position_of(documents: int, lines: int) -> int:
    """Return both as the one number of :attr:`olmsolve.catalog.Origin.position`, so that one addition moves both."""
    # 2 documents and 17 lines are 2 << 32 | 17; added to 3 << 32 | 4, they make document 5 on line 21.
    return (documents << _DOCUMENT) + lines


class KnownRun(NamedTuple):
    """Segments *first* to *end* (exclusive) of the version before, which the new version has in the same order.

    *begin* in bytes, *document* and *line* (from 0) say where the first one is now; *moved* says by how
    many documents and lines they all are further down, in one number as in :attr:`olmsolve.catalog.Origin.position`.
    """

    first: int
    end: int
    begin: int
    document: int
    line: int
    moved: int


class ChangedDocument(NamedTuple):
    """A document that was not there before, of *package*, "" if it is a part of none.

    *document* and *line* (from 0) say where it is. *text* is its own text and the white space after it, on *lines*
    lines.
    """

    package: str
    value: dict[str, Any]
    document: int
    line: int
    text: bytes = b""
    lines: int = 0


def compared(
    file: ByteReader, before: SegmentedFile, digest_of: DigestFunction, properties: PropertyTable
) -> Iterator[KnownRun | ChangedDocument]:
    """Compare the text of *file* with its segments *before*, and yield what it holds now, in its order.

    Raises :class:`UncutError` where something needs the careful reader, wrong JSON among it.
    """
    if not before.is_cut:
        data = file.read(before.sizes[0] + 1)
        if len(data) != before.sizes[0] or digest_of(data) != before.digests[0]:
            raise UncutError
        yield KnownRun(0, 1, 0, 0, 0, 0)
        return
    if not usual_objects():
        raise UncutError
    text = TextAhead(file)
    numbers_of = _numbers_by_key(before.keys)
    first_documents, first_lines = [*accumulate(before.documents, initial=0)], [*accumulate(before.lines, initial=0)]
    sizes, digests = before.sizes, before.digests
    begin, document, line, first, expected = 0, 0, 0, 0, 0
    piece, is_at_margin = b"", True
    while True:
        # Mostly the next segments in the old order: then only their bytes are compared.
        tried = -1
        for size, digest in checked(
            zip(islice(sizes, expected, None), islice(digests, expected, None), strict=True), 64
        ):
            following = text.take(size)
            if digest_of(following) != digest or len(following) != size:
                text.give_back(following)
                tried = expected
                break
            piece = following
            expected += 1
        if expected > first and text.look(1) not in _AT_BRACE:
            # White space after the last bytes that the file had belongs to no segment yet.
            text.give_back(piece)
            expected -= 1
            tried = expected
        elif expected > first:
            is_at_margin = piece.endswith(b"\n")
        if expected > first:
            moved = position_of(document - first_documents[first], line - first_lines[first])
            yield KnownRun(first, expected, begin, document, line, moved)
            begin += sum(sizes[first:expected])
            document += first_documents[expected] - first_documents[first]
            line += first_lines[expected] - first_lines[first]
        while text.look(1):
            check()
            if not is_at_margin:
                # A file that is read whole is not cut here either, so that its index is the same.
                raise UncutError
            number = _number_here(text, before, digest_of, numbers_of, expected, tried)
            if number is not None:
                first, expected, piece = number, number + 1, text.take(sizes[number])
                break
            value, document_text, lines = _read_document(text, properties)
            yield ChangedDocument(package_name_of(value), value, document, line, document_text, lines)
            begin, document, line = begin + len(document_text), document + 1, line + lines
            is_at_margin = document_text.endswith(b"\n")
            tried = -1
        else:
            return


def segments_now(
    before: SegmentedFile,
    parts: Sequence[KnownRun | ChangedDocument],
    digest_of: DigestFunction,
    text_of: Callable[[KnownRun, int], bytes],
) -> SegmentedFile:
    """Return the segments of a file that is cut now, of the *parts* that :func:`compared` has found.

    *text_of* gives the text of a segment of a run, by its number. Raises :class:`UncutError` where the file is cut no
    longer.
    """
    _check_first_documents(before, parts, text_of)
    cuts = Cuts()
    firsts = [before.packages[part.first] if isinstance(part, KnownRun) else part.package for part in parts]
    lasts = [before.packages[part.end - 1] if isinstance(part, KnownRun) else part.package for part in parts]
    # A package whose text has grown is a known segment followed by documents: one segment from now on.
    joins = [last == following for last, following in zip(lasts, firsts[1:], strict=False)]
    rows: list[tuple[bytes, int, int]] = []

    def close(package: str) -> None:
        if rows:
            texts, documents, lines = zip(*rows, strict=True)
            text = b"".join(texts)
            cuts.append(package, key_of(text), len(text), digest_of(text), sum(documents), sum(lines))
            rows.clear()

    def add(run: KnownRun, number: int) -> None:
        rows.append((text_of(run, number), before.documents[number], before.lines[number]))

    ways = zip(parts, firsts, lasts, [False, *joins], [*joins, False], strict=False)
    for part, package, last, joins_before, joins_behind in checked(ways, every=64):
        if isinstance(part, ChangedDocument):
            rows.append((part.text, 1, part.lines))
        else:
            first = part.first
            if joins_before:
                add(part, first)
                first += 1
            if first < part.end:
                close(package)
                cuts.extend(before, first, part.end - joins_behind)
                if joins_behind:
                    add(part, part.end - 1)
        if not joins_behind:
            close(last)
    # An empty file is not JSON, so it is not cut.
    return cuts.file() if cuts.sizes else segmented(b"", (), digest_of)


def documents_of(
    data: bytes, document: int, line: int, count: int, properties: PropertyTable
) -> Iterator[ChangedDocument]:
    """Read the *count* documents of a known segment all the same: of *data*, which begins with this one on this line.

    Raises :class:`UncutError` where they are not laid out as usual.
    """
    text, end = TextAhead(io.BytesIO(data)), document + count
    while text.look(1):
        value, document_text, lines = _read_document(text, properties)
        yield ChangedDocument(package_name_of(value), value, document, line, document_text, lines)
        document, line = document + 1, line + lines
    if document != end:
        raise UncutError


def _check_first_documents(
    before: SegmentedFile, parts: Sequence[KnownRun | ChangedDocument], text_of: Callable[[KnownRun, int], bytes]
) -> None:
    """Read the documents that have become the first ones of a file, which tell whether it is cut.

    Raises :class:`UncutError` where the file is not.
    """
    for run in parts[:AMBIGUOUS]:
        if not isinstance(run, KnownRun) or run.document >= AMBIGUOUS or run.moved >= 0:
            continue
        document = run.document
        for number in range(run.first, run.end):
            if document >= AMBIGUOUS:
                break
            count = before.documents[number]
            list(documents_of(text_of(run, number), document, run.line, count, PropertyTable()))
            document += count


def _numbers_by_key(keys: Sequence[bytes]) -> Mapping[bytes, Sequence[int]]:
    """Return the numbers of the segments with each key, in their order."""
    numbers: dict[bytes, list[int]] = {}
    for number, key in checked(enumerate(keys), every=64):
        numbers.setdefault(key, []).append(number)
    return numbers


def _number_here(
    text: TextAhead,
    before: SegmentedFile,
    digest_of: DigestFunction,
    numbers_of: Mapping[bytes, Sequence[int]],
    expected: int,
    tried: int,
) -> int | None:
    """Return the number of the segment that begins here, trying *expected* first and not *tried*; None without one."""
    # A segment that is missed here is read from its text, which gives the same package.
    numbers = numbers_of.get(key_of(text.look(KEY_BYTES)), ())
    if not numbers:
        return None
    # Hashing comes last, so that few bytes are hashed for nothing.
    for number in sorted(numbers[:_TRIES], key=lambda number: number != expected):
        size = before.sizes[number]
        if number != tried:
            ahead = text.look(size + 1)
            if ahead[size:] in _AT_BRACE and len(ahead) >= size and digest_of(ahead[:size]) == before.digests[number]:
                return number
    return None


def _read_document(text: TextAhead, properties: PropertyTable) -> tuple[dict[str, Any], bytes, int]:
    """Return the document that begins here, its text up to the next one, and its number of lines; pass over it."""
    size = _LINE
    while True:
        ahead = text.look(size)
        if ahead[:1] != b"{":
            raise UncutError
        is_indented = ahead.startswith((b"{\n", b"{\r\n"))
        end = ahead.find(b"\n}" if is_indented else b"\n")
        if end >= 0 or len(ahead) < size:
            break
        check()
        if size > LARGE_DOCUMENT:
            raise UncutError
        size *= 2
    end = len(ahead) if end < 0 else end + 2 if is_indented else end
    value = usual_object(ahead[:end].decode(), properties) if end <= LARGE_DOCUMENT else None
    if value is None:
        raise UncutError
    behind = ahead[end:]
    space = len(behind) - len(behind.lstrip(SPACE))
    whole = text.take(end + space)
    if space == len(behind):
        # Mostly one line break; of megabytes, larger and larger pieces.
        texts, size = [whole], 1
        while (ahead := text.look(size)) and ahead[0] in SPACE:
            check()
            texts.append(text.take(len(ahead) - len(ahead.lstrip(SPACE))))
            size = min(2 * size, PIECE)
        whole = b"".join(texts)
    return value, whole, whole.count(b"\n")
