"""A position in YAML text, the characters that mean something in YAML, and the error for text that is not YAML.

The content of a catalog is what ``opm`` makes of it, because ``opm`` serves it. Where its YAML (goyaml's) differs from
YAML's specification, an author who knows YAML, or another tool, reads something else. So the cursor notes each use of
such a dialect.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeAlias

from olmsolve._limits import check
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin


class Dialect(enum.StrEnum):
    """The readings that differ."""

    MERGE_LATE = "merge-late"
    """A merge key (``<<``) after a field that it brings too: the merged field wins."""
    MERGE_TWICE = "merge-twice"
    """Two merge keys in one mapping: both count, in their order."""
    MERGE_TAGGED = "merge-tagged"
    """A merge key with the tag ``!``, which elsewhere makes a text of the scalar after it."""
    KEY_TWICE = "key-twice"
    """A key that occurs twice in one mapping: the last one wins."""
    KEYS_ALIKE = "keys-alike"
    """Keys of two types that become one text, such as 1 and "1": which one wins is chance."""
    KEY_NUMBER = "key-number"
    """A number as a key whose text is not what is written: 1.0 becomes "1"."""
    NUMBER_ROUNDED = "number-rounded"
    """An integer beyond 64 bits, which becomes a double."""
    NUMBER_TEXT = "number-text"
    """A number that opm does not hold, and keeps as text: ``0x`` beyond 64 bits, or 1e400."""
    TAG_DROPPED = "tag-dropped"
    """A tag without effect: an unknown one, or one of a list or mapping."""
    BINARY = "binary"
    """Base64 under ``!!binary``, which becomes the text that it holds."""
    ESCAPE = "escape"
    """The escape of a single quote in double quotes, which YAML has not."""
    MARK = "mark"
    """A byte-order mark in the middle of a text, where it is part of what follows."""
    FLOW_COLON = "flow-colon"
    """A colon before a comma or a bracket: it is part of the text before it."""
    COMMENT = "comment"
    """A comment without a blank before it."""


class DialectUse(NamedTuple):
    """A place where a document uses the *dialect*: what is *written* there, and how ``opm`` has *read* it."""

    origin: Origin
    dialect: Dialect
    written: str
    read: str


class TextBehind(NamedTuple):
    """The position of text after the end of a document, which is not read."""

    origin: Origin


Note: TypeAlias = Callable[[DialectUse | TextBehind], None] | None
"""The function that a reader calls for each use of the dialect, and for text after a document; None for no calls."""

_TAG: Final = "tag:yaml.org,2002:"
_OF_SCALARS: Final = frozenset(f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "timestamp")) | {"!"}


def tag_use(tag: str, value: Any) -> Dialect | None:
    """Return how goyaml reads *tag* on a node of *value*; None if YAML's specification reads it in the same way."""
    if isinstance(value, dict | list):
        expected = f"{_TAG}{'map' if isinstance(value, dict) else 'seq'}"
        return None if tag in (expected, "!") else Dialect.TAG_DROPPED
    if tag == f"{_TAG}binary":
        return Dialect.BINARY
    return None if tag in _OF_SCALARS else Dialect.TAG_DROPPED


_LINES_PER_CHECK: Final = 4096
"""Lines between two looks at the limits: one scalar may have millions of lines, and is one token."""
BLANKS: Final = " \t"
BREAKS: Final = "\n\r\x85\u2028\u2029"
END: Final = "\0"
"""The character after the end of a text, which cannot be a part of it: there is always a next character to look at."""

ENDS_WORD: Final = frozenset(BLANKS + BREAKS + END)
"""The characters that end a word: blanks, line breaks and the end."""

NAME: Final = pattern("[0-9A-Za-z_-]*")
"""The name of an anchor or a directive."""

NOT_IN_LINE: Final = re.escape(BREAKS + END)
_BREAK: Final = pattern("\r\n|[\n\r\x85\u2028\u2029]")
_BLANK_RUN: Final = pattern(r"[ \t]*")
_SPACES: Final = pattern(" *")
_REST_OF_LINE: Final = pattern(f"[^{NOT_IN_LINE}]*")
_DOCUMENT_MARK: Final = pattern(rf"(?:---|\.\.\.)[{re.escape(BLANKS)}{NOT_IN_LINE}]")

_NOT_ALLOWED: Final = pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ALLOWED_ASCII: Final = bytes([0x09, 0x0A, 0x0D, *range(0x20, 0x7F)])
_CHUNK: Final = 512
"""Bytes that goyaml takes from a text at a time: a character that is not allowed counts once its chunk is taken."""


class YamlSyntaxError(Exception):
    """Text that is not YAML: the *problem*, what was being read (*context*), and the *line*, from 0."""

    def __init__(self, problem: str, context: str, line: int) -> None:
        super().__init__(problem, context, line)
        self.problem = problem
        self.context = context
        self.line = line


class Cursor:
    """A *position* in *text*, which ends with :data:`END`; its *line*, from 0, begins at *line_start*.

    *uses* lists where the text uses the dialect of goyaml: which, the line, what is written, and what is read.
    """

    __slots__ = ("_limit", "_mark_end", "line", "line_start", "position", "text", "uses")

    def __init__(self, text: str, offset: int = 0) -> None:
        """Begin at the first character of *text*; *offset* bytes before it have been read already."""
        self.text: str = text + END * 4  # the longest look ahead
        self.position: int = 0
        self.line: int = 0
        self.line_start: int = 0
        self.uses: list[tuple[Dialect, int, str, str]] = []
        self._limit = _readable_length(text, offset)
        self._mark_end = _first_chunk_end(text, offset) if text.startswith("\ufeff") else 0

    @property
    def column(self) -> int:
        """The number of characters between the beginning of the line and the position."""
        return self.position - self.line_start

    def check_readable(self, ahead: int) -> None:
        """Refuse text with a forbidden character in the chunks up to *ahead* characters from here."""
        if self._limit is not None and self.position + ahead > self._limit:
            raise YamlSyntaxError("control characters are not allowed", "", self.line)
        if self.position + ahead > self._mark_end:
            self._mark_end = 0

    def skip_mark(self) -> None:
        """Go past the first character of a line, if the text begins with a byte-order mark of its own.

        goyaml means to skip a mark at the beginning of each line, and looks at the beginning of its chunk instead. So
        in a first chunk with a mark, each line except a continued one loses a character.
        """
        if self.position == self.line_start and self.position < self._mark_end:
            self.position += 1

    def at_document_mark(self) -> bool:
        """Return whether a line of ``---`` or ``...`` begins here."""
        return self.position == self.line_start and _DOCUMENT_MARK.match(self.text, self.position) is not None

    def skip_blanks(self) -> None:
        """Go past spaces and tabs."""
        if self.text[self.position] in BLANKS:
            self.position = _end(_BLANK_RUN, self.text, self.position)

    def skip_spaces(self) -> None:
        """Go past spaces."""
        if self.text[self.position] == " ":
            self.position = _end(_SPACES, self.text, self.position)

    def skip_comment(self) -> None:
        """Go past a comment that begins here, up to the end of its line."""
        if self.text[self.position] == "#":
            begin = self.position
            comment = self.take_line()
            if begin > self.line_start and self.text[begin - 1] not in BLANKS:
                self.uses.append((Dialect.COMMENT, self.line, comment, ""))

    def take_line(self) -> str:
        """Go to the end of the line, and return the text up to there."""
        begin = self.position
        self.position = _end(_REST_OF_LINE, self.text, begin)
        return self.text[begin : self.position]

    def take_break(self) -> str:
        """Go past the line break here, if any, and return what it becomes in a text.

        Unicode's separators of lines and paragraphs stay; the other breaks become line feeds.
        """
        if self.text[self.position] not in BREAKS:
            return ""
        match = _BREAK.match(self.text, self.position)
        assert match is not None
        self.position = self.line_start = match.end()
        self.line += 1
        if not self.line % _LINES_PER_CHECK:
            check()
        return match[0] if match[0] in "\u2028\u2029" else "\n"

    def end_line(self, context: str) -> None:
        """Go past blanks, a comment and the line break; refuse anything else."""
        self.skip_blanks()
        self.skip_comment()
        if self.text[self.position] not in BREAKS + END:
            self.fail("did not find expected comment or line break", context)
        self.take_break()

    def fail(self, problem: str, context: str) -> NoReturn:
        """Raise :class:`YamlSyntaxError` for the line here."""
        raise YamlSyntaxError(problem, context, self.line)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match is not None else position


def _readable_length(text: str, offset: int) -> int | None:
    """Return how many characters of *text* are in chunks before the first one with a forbidden character, None without
    any.
    """
    # One pass in C: 2 ms for 7 MB of ASCII, where the expression below takes 19.
    if text.isascii() and not text.encode("ascii").translate(None, _ALLOWED_ASCII):
        return None
    forbidden = _NOT_ALLOWED.search(text)
    return None if forbidden is None else _chunk_begin(text[: forbidden.end()], offset)


def _chunk_begin(text: str, offset: int) -> int:
    """Return the position in *text*, which follows *offset* bytes, where the chunk with its last character begins."""
    data = text.encode("utf-8", "surrogatepass")
    begin = -offset
    while begin + _CHUNK < len(data):
        begin += _CHUNK
        while data[begin] & 0xC0 == 0x80:  # half a character waits for the next chunk
            begin -= 1
    return len(data[: max(begin, 0)].decode("utf-8", "surrogatepass"))


def _first_chunk_end(text: str, offset: int) -> int:
    data = text[:_CHUNK].encode("utf-8", "surrogatepass")[: _CHUNK - offset]
    return len(data.decode("utf-8", "ignore"))
