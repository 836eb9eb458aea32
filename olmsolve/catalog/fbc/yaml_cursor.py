"""A position in YAML text, the characters that YAML tells apart, and the error for text that is no YAML."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from olmsolve._limits import check
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.yaml_dialect import Dialect

_LINES_PER_CHECK: Final = 4096
"""Lines between two looks at the limits: one scalar may have millions of lines, and is one step to whoever reads."""
BLANKS: Final = " \t"
BREAKS: Final = "\n\r\x85\u2028\u2029"
END: Final = "\0"
"""The sign behind the end of a text, which may not hold it: every look at the next sign finds one."""

ENDS_WORD: Final = frozenset(BLANKS + BREAKS + END)
"""The signs between which words stand: blanks, line breaks and the end."""

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
"""Bytes that goyaml takes from a text at a time: a sign that is not allowed counts once its chunk is taken."""


class YamlSyntaxError(Exception):
    """Text that is no YAML: the *problem*, what was being read (*context*), and the *line*, from 0."""

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
        """Begin at the first sign of *text*, before which stand *offset* bytes that are read already."""
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
        """Refuse text that has a sign that is not allowed within the chunks up to *ahead* characters from here."""
        if self._limit is not None and self.position + ahead > self._limit:
            raise YamlSyntaxError("control characters are not allowed", "", self.line)
        if self.position + ahead > self._mark_end:
            self._mark_end = 0

    def skip_mark(self) -> None:
        """Go past the sign at the beginning of a line, if the text begins with a byte-order mark of its own.

        goyaml means to skip a mark at the beginning of each line, and looks at the beginning of its chunk instead. So
        as long as a first chunk with a mark lasts, each line but a continued one loses a sign.
        """
        if self.position == self.line_start and self.position < self._mark_end:
            self.position += 1

    def at_document_mark(self) -> bool:
        """Return whether a line of ``---`` or ``...`` begins here."""
        # Most lines begin with another sign, and most questions are about the middle of a line.
        is_begin = self.position == self.line_start and self.text[self.position] in "-."
        return is_begin and _DOCUMENT_MARK.match(self.text, self.position) is not None

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
    """Return how many characters of *text* come in chunks before the first one with a sign that is not allowed.

    None: all signs are allowed.
    """
    if text.isascii() and not text.encode("ascii").translate(None, _ALLOWED_ASCII):
        return None
    forbidden = _NOT_ALLOWED.search(text)
    return None if forbidden is None else _chunk_begin(text[: forbidden.end()], offset)


def _chunk_begin(text: str, offset: int) -> int:
    """Return the position in *text*, behind *offset* bytes, at which the chunk begins that holds its last character."""
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
