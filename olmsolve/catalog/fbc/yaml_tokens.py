"""YAML text as tokens, told apart as by goyaml (go.yaml.in/yaml/v2), which reads YAML for ``opm``.

Whether a scalar, an alias or a flow collection is a key shows at the colon behind it. So each may be one until the
line ends, or 1,024 characters are past; tokens wait until that is decided, and where a colon comes, the token of a key
is put before them::

    - name: db     waiting: "name"; the colon puts KEY before it: BLOCK_ENTRY BLOCK_MAPPING KEY "name" VALUE "db"

goyaml judges candidates late, and forgets the one of an empty flow collection; both are kept here, because they decide
what ``opm`` accepts.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple, NoReturn

from olmsolve.catalog.fbc.yaml_cursor import END, ENDS_WORD, NAME, Cursor, YamlSyntaxError
from olmsolve.catalog.fbc.yaml_dialect import Dialect
from olmsolve.catalog.fbc.yaml_token_scalars import block_scalar, plain_text, quoted_scalar
from olmsolve.catalog.fbc.yaml_token_tags import directive, tag

_BEHIND_ANCHOR: Final = ENDS_WORD | frozenset("?:,]}%@`")
_KEY_LENGTH: Final = 1024


class TokenKind(enum.IntEnum):
    """The kinds of tokens."""

    STREAM_END = enum.auto()
    VERSION = enum.auto()
    TAG_DIRECTIVE = enum.auto()
    DOCUMENT_START = enum.auto()
    DOCUMENT_END = enum.auto()
    BLOCK_SEQUENCE = enum.auto()
    BLOCK_MAPPING = enum.auto()
    BLOCK_END = enum.auto()
    FLOW_SEQUENCE = enum.auto()
    FLOW_SEQUENCE_END = enum.auto()
    FLOW_MAPPING = enum.auto()
    FLOW_MAPPING_END = enum.auto()
    BLOCK_ENTRY = enum.auto()
    FLOW_ENTRY = enum.auto()
    KEY = enum.auto()
    VALUE = enum.auto()
    ALIAS = enum.auto()
    ANCHOR = enum.auto()
    TAG = enum.auto()
    SCALAR = enum.auto()


class YamlToken(NamedTuple):
    """A token: *line* and *begin* are where it begins, *end* where it ends.

    *value* is text: of a scalar, an anchor, or the handle of a tag; *detail* is the suffix of a tag, the prefix of a
    directive, or the first sign of a scalar in quotes or block style ("" for a plain one).
    """

    kind: TokenKind
    value: str
    detail: str
    line: int
    begin: int
    end: int


class _KeyCandidate:
    """A possible beginning of a key, with the number of its first token; *required*: without a colon it is wrong."""

    __slots__ = ("begin", "column", "line", "number", "possible", "required")

    def __init__(self, number: int, begin: int, line: int, column: int, *, possible: bool, required: bool) -> None:
        self.number = number
        self.begin = begin
        self.line = line
        self.column = column
        self.possible = possible
        self.required = required


_INDICATORS: Final = {
    "[": TokenKind.FLOW_SEQUENCE,
    "{": TokenKind.FLOW_MAPPING,
    "]": TokenKind.FLOW_SEQUENCE_END,
    "}": TokenKind.FLOW_MAPPING_END,
    "*": TokenKind.ALIAS,
    "&": TokenKind.ANCHOR,
}
_NO_PLAIN: Final = frozenset(",[]{}#&*!|>'\"%@`")


class TokenReader:
    """The tokens of *text*, before which stand *offset* bytes that are read already, one after the other."""

    def __init__(self, text: str, offset: int = 0) -> None:
        self._cursor = Cursor(text, offset)
        self._tokens: list[YamlToken] = []
        self._head = 0
        self._taken = 0  # tokens that left the queue
        self._is_decided = False  # whether the first token of the queue can be given
        self._indent = -1
        self._indents: list[int] = []
        self._flow_level = 0
        self._key_allowed = True
        self._candidates = [_KeyCandidate(0, 0, 0, 0, possible=False, required=False)]
        self._candidate_of: dict[int, int] = {}  # the number of a token: the level whose candidate begins with it

    @property
    def uses(self) -> list[tuple[Dialect, int, str, str]]:
        """The places so far where the text uses the dialect of goyaml: which, the line, what is written and read."""
        return self._cursor.uses

    def peek(self) -> YamlToken:
        """Return the next token.

        Raises :class:`~olmsolve.catalog.fbc.yaml_cursor.YamlSyntaxError`.
        """
        if not self._is_decided:
            self._fetch()
        return self._tokens[self._head]

    def skip(self) -> None:
        """Go past the token that :meth:`peek` returned."""
        self._is_decided = False
        self._taken += 1
        self._head += 1
        if self._head == len(self._tokens):
            self._tokens.clear()
            self._head = 0

    def _fetch(self) -> None:
        """Read tokens until it is decided what the first one is."""
        while True:
            if self._head < len(self._tokens):
                level = self._candidate_of.get(self._taken)
                if level is None or not self._may_be_key(self._candidates[level]):
                    break
            self._fetch_next()
        self._is_decided = True

    def _fetch_next(self) -> None:
        cursor = self._cursor
        self._skip_to_token()
        self._unroll(cursor.column)
        cursor.check_readable(4)
        text, position = cursor.text, cursor.position
        sign = text[position]
        following_ends = text[position + 1] in ENDS_WORD
        if sign == END:
            self._end()
        elif sign == "%" and cursor.column == 0:
            self._directive()
        elif sign in "-." and cursor.at_document_mark():
            self._document_mark(sign)
        elif sign in "[{":
            self._open_flow(sign)
        elif sign in "]}":
            self._close_flow(sign)
        elif sign == ",":
            self._drop_candidate()
            self._key_allowed = True
            self._put_sign(TokenKind.FLOW_ENTRY)
        elif sign == "-" and following_ends:
            self._block_entry()
        elif sign == "?" and (self._flow_level or following_ends):
            self._key()
        elif sign == ":" and (self._flow_level or following_ends):
            self._value()
        elif sign in "*&":
            self._anchor(_INDICATORS[sign])
        elif sign == "!":
            self._tag()
        elif sign in "|>" and not self._flow_level:
            self._drop_candidate()
            self._key_allowed = True
            line = cursor.line
            self._put_scalar(block_scalar(cursor, self._indent), sign, line, position)
        elif sign in "'\"":
            self._save_candidate()
            self._key_allowed = False
            line = cursor.line
            self._put_scalar(quoted_scalar(cursor), sign, line, position)
        elif sign not in _NO_PLAIN and sign not in ENDS_WORD:
            # In flow style, a colon or question mark was taken above; a dash before a line break begins nothing.
            self._save_candidate()
            self._key_allowed = False
            line = cursor.line
            value, ended_line = plain_text(cursor, self._indent + 1, is_flow=self._flow_level > 0)
            self._put_scalar(value, "", line, position)
            if ended_line:
                self._key_allowed = True
        else:
            self._fail("found character that cannot start any token", "while scanning for the next token")

    def _put_scalar(self, value: str, style: str, line: int, begin: int) -> None:
        self._cursor.check_readable(2)
        self._tokens.append(YamlToken(TokenKind.SCALAR, value, style, line, begin, self._cursor.position))

    def _put_sign(self, kind: TokenKind, length: int = 1) -> None:
        """Add the token of a sign of *length* characters, and go past it."""
        begin = self._cursor.position
        self._cursor.position += length
        self._tokens.append(YamlToken(kind, "", "", self._cursor.line, begin, begin + length))

    def _put_empty(self, kind: TokenKind, line: int, begin: int, number: int = -1) -> None:
        """Add a token without text: before the token *number* if it still waits, else as the last one."""
        token = YamlToken(kind, "", "", line, begin, begin)
        if number >= self._taken:
            self._tokens.insert(self._head + number - self._taken, token)
        else:
            self._tokens.append(token)

    # Candidates for keys

    def _may_be_key(self, candidate: _KeyCandidate) -> bool:
        """Return whether *candidate* may still be a key; refuse one that must have been."""
        if not candidate.possible:
            return False
        cursor = self._cursor
        if candidate.line < cursor.line or candidate.begin + _KEY_LENGTH < cursor.position:
            if candidate.required:
                self._fail_key()
            candidate.possible = False
            return False
        return True

    def _save_candidate(self) -> None:
        """Note that what begins here may be a key."""
        if not self._key_allowed:
            return
        cursor = self._cursor
        required = not self._flow_level and self._indent == cursor.column
        number = self._taken + len(self._tokens) - self._head
        self._drop_candidate()
        self._candidates[-1] = _KeyCandidate(
            number, cursor.position, cursor.line, cursor.column, possible=True, required=required
        )
        self._candidate_of[number] = len(self._candidates) - 1

    def _drop_candidate(self) -> None:
        """Note that the candidate of this level is no key; refuse one that must have been."""
        candidate = self._candidates[-1]
        if candidate.possible:
            if candidate.required:
                self._fail_key()
            candidate.possible = False
            self._candidate_of.pop(candidate.number, None)

    def _fail_key(self) -> NoReturn:
        self._fail("could not find expected ':'", "while scanning a simple key")

    # Columns of blocks

    def _roll(self, column: int, kind: TokenKind, line: int, begin: int, number: int = -1) -> None:
        """Open a block in *column*, if that is deeper than the block around it."""
        if not self._flow_level and self._indent < column:
            self._indents.append(self._indent)
            self._indent = column
            self._put_empty(kind, line, begin, number)

    def _unroll(self, column: int) -> None:
        """Close the blocks that are deeper than *column*."""
        if self._flow_level:
            return
        while self._indent > column:
            self._put_empty(TokenKind.BLOCK_END, self._cursor.line, self._cursor.position)
            self._indent = self._indents.pop()

    # Tokens

    def _skip_to_token(self) -> None:
        """Go past blanks, comments and line breaks. A tab may not stand where a key may begin in block style."""
        cursor = self._cursor
        while True:
            cursor.skip_mark()
            if self._flow_level or not self._key_allowed:
                cursor.skip_blanks()
            else:
                cursor.skip_spaces()
            cursor.skip_comment()
            if not cursor.take_break():
                return
            if not self._flow_level:
                self._key_allowed = True

    def _end(self) -> None:
        cursor = self._cursor
        if cursor.column:
            cursor.line += 1
            cursor.line_start = cursor.position
        self._unroll(-1)
        self._drop_candidate()
        self._key_allowed = False
        self._put_empty(TokenKind.STREAM_END, cursor.line, cursor.position)

    def _document_mark(self, sign: str) -> None:
        self._unroll(-1)
        self._drop_candidate()
        self._key_allowed = False
        self._put_sign(TokenKind.DOCUMENT_START if sign == "-" else TokenKind.DOCUMENT_END, 3)

    def _open_flow(self, sign: str) -> None:
        self._save_candidate()
        number = self._taken + len(self._tokens) - self._head
        cursor = self._cursor
        self._candidates.append(
            _KeyCandidate(number, cursor.position, cursor.line, cursor.column, possible=False, required=False)
        )
        self._flow_level += 1
        self._key_allowed = True
        self._put_sign(_INDICATORS[sign])

    def _close_flow(self, sign: str) -> None:
        self._drop_candidate()
        if self._flow_level:
            self._flow_level -= 1
            # The number is that of the opening bracket if no key was seen inside: its candidate is forgotten as well.
            self._candidate_of.pop(self._candidates.pop().number, None)
        self._key_allowed = False
        self._put_sign(_INDICATORS[sign])

    def _block_entry(self) -> None:
        cursor = self._cursor
        if not self._flow_level:
            if not self._key_allowed:
                self._fail("block sequence entries are not allowed in this context")
            self._roll(cursor.column, TokenKind.BLOCK_SEQUENCE, cursor.line, cursor.position)
        self._drop_candidate()
        self._key_allowed = True
        self._put_sign(TokenKind.BLOCK_ENTRY)

    def _key(self) -> None:
        cursor = self._cursor
        if not self._flow_level:
            if not self._key_allowed:
                self._fail("mapping keys are not allowed in this context")
            self._roll(cursor.column, TokenKind.BLOCK_MAPPING, cursor.line, cursor.position)
        self._drop_candidate()
        self._key_allowed = not self._flow_level
        self._put_sign(TokenKind.KEY)

    def _value(self) -> None:
        cursor = self._cursor
        candidate = self._candidates[-1]
        if self._may_be_key(candidate):
            self._put_empty(TokenKind.KEY, candidate.line, candidate.begin, candidate.number)
            self._roll(candidate.column, TokenKind.BLOCK_MAPPING, candidate.line, candidate.begin, candidate.number)
            candidate.possible = False
            self._candidate_of.pop(candidate.number, None)
            self._key_allowed = False
        else:
            if not self._flow_level:
                if not self._key_allowed:
                    self._fail("mapping values are not allowed in this context")
                self._roll(cursor.column, TokenKind.BLOCK_MAPPING, cursor.line, cursor.position)
            self._key_allowed = not self._flow_level
        self._put_sign(TokenKind.VALUE)

    def _anchor(self, kind: TokenKind) -> None:
        self._save_candidate()
        self._key_allowed = False
        cursor = self._cursor
        begin = cursor.position
        match = NAME.match(cursor.text, begin + 1)
        assert match is not None
        cursor.position = match.end()
        if not match[0] or cursor.text[cursor.position] not in _BEHIND_ANCHOR:
            context = "while scanning an alias" if kind is TokenKind.ALIAS else "while scanning an anchor"
            self._fail("did not find expected alphabetic or numeric character", context)
        self._tokens.append(YamlToken(kind, match[0], "", cursor.line, begin, cursor.position))

    def _tag(self) -> None:
        self._save_candidate()
        self._key_allowed = False
        cursor = self._cursor
        begin = cursor.position
        handle, suffix = tag(cursor)
        self._tokens.append(YamlToken(TokenKind.TAG, handle, suffix, cursor.line, begin, cursor.position))

    def _directive(self) -> None:
        self._unroll(-1)
        self._drop_candidate()
        self._key_allowed = False
        cursor = self._cursor
        begin, line = cursor.position, cursor.line
        name, value, detail = directive(cursor)
        kind = TokenKind.VERSION if name == "YAML" else TokenKind.TAG_DIRECTIVE
        self._tokens.append(YamlToken(kind, value, detail, line, begin, cursor.position))

    def _fail(self, problem: str, context: str = "") -> NoReturn:
        raise YamlSyntaxError(problem, context, self._cursor.line)
