"""YAML text as tokens, cut as by goyaml (go.yaml.in/yaml/v2), which reads YAML for ``opm``.

Whether a scalar, an alias or a flow collection is a key shows at the colon behind it. So each may be one until the
line ends, or 1,024 characters are past; tokens wait until that is decided, and where a colon comes, the token of a key
is put before them::

    - name: db     waiting: "name"; the colon puts KEY before it: BLOCK_ENTRY BLOCK_MAPPING KEY "name" VALUE "db"

goyaml judges candidates late, and forgets the one of an empty flow collection; both are kept here, because they decide
what ``opm`` accepts.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import ClassVar, Final, NoReturn

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.fbc.yaml_cursor import END, ENDS_WORD, NAME, Cursor, Dialect, YamlSyntaxError
from olmsolve.catalog.fbc.yaml_token_texts import block_scalar, directive, plain_text, quoted_scalar, tag

_BEHIND_ANCHOR: Final = ENDS_WORD | frozenset("?:,]}%@`")
_KEY_LENGTH: Final = 1024  # characters up to the colon of a key, as the specification allows


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
    directive, or the first character of a scalar in quotes or block style ("" for a plain one).
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


_BRACKETS: Final = {
    "[": TokenKind.FLOW_SEQUENCE,
    "{": TokenKind.FLOW_MAPPING,
    "]": TokenKind.FLOW_SEQUENCE_END,
    "}": TokenKind.FLOW_MAPPING_END,
}


class TokenReader:
    """The tokens of *text*, one after the other; *offset* bytes before the text have been read already."""

    def __init__(self, text: str, offset: int = 0) -> None:
        self._cursor = Cursor(text, offset)
        self._tokens: list[YamlToken] = []
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
        while not self._is_decided:
            self._is_decided = bool(self._tokens) and not self._waits_for_colon()
            if not self._is_decided:
                self._take_token()
        return self._tokens[0]

    def skip(self) -> None:
        """Go past the token that :meth:`peek` returned."""
        self._is_decided = False
        self._taken += 1
        # Few tokens wait behind it: the queue is as long as a key may be, 1,024 characters.
        del self._tokens[0]

    def _waits_for_colon(self) -> bool:
        """Return whether the first waiting token may yet turn out to be a key, which a token comes before."""
        level = self._candidate_of.get(self._taken)
        return level is not None and self._may_be_key(self._candidates[level])

    def _take_token(self) -> None:
        """Take the token that begins at the next character, and the tokens of the blocks that it opens or closes."""
        cursor = self._cursor
        self._skip_to_token()
        self._close_blocks(cursor.column)
        cursor.check_readable(4)
        sign = cursor.text[cursor.position]
        self._TAKERS.get(sign, TokenReader._plain)(self, sign)

    def _put_scalar(self, value: str, style: str, line: int, begin: int) -> None:
        self._cursor.check_readable(2)
        self._tokens.append(YamlToken(TokenKind.SCALAR, value, style, line, begin, self._cursor.position))

    def _put_sign(self, kind: TokenKind, length: int = 1) -> None:
        """Add the token of an indicator of *length* characters, and go past it."""
        begin = self._cursor.position
        self._cursor.position += length
        self._tokens.append(YamlToken(kind, "", "", self._cursor.line, begin, begin + length))

    def _put_empty(self, kind: TokenKind, line: int, begin: int, number: int = -1) -> None:
        """Add a token without text: before the token *number* if it still waits, else as the last one."""
        token = YamlToken(kind, "", "", line, begin, begin)
        if number >= self._taken:
            self._tokens.insert(number - self._taken, token)
        else:
            self._tokens.append(token)

    def _number(self) -> int:
        """Return the number of the token that comes next."""
        return self._taken + len(self._tokens)

    def _begin_node(self) -> None:
        """Note that what begins here may be a key, and that no key begins right behind it."""
        self._note_candidate()
        self._key_allowed = False

    def _end_keys(self, *, allow: bool) -> None:
        """Note that what came before is no key, and whether one may begin after the indicator here."""
        self._drop_candidate()
        self._key_allowed = allow

    def _is_sign(self) -> bool:
        """Return whether the ``-``, ``?`` or ``:`` here is an indicator: a blank or the end of the line follows."""
        return self._cursor.text[self._cursor.position + 1] in ENDS_WORD

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

    def _note_candidate(self) -> None:
        """Note that what begins here may be a key, where one is allowed."""
        if not self._key_allowed:
            return
        cursor = self._cursor
        required = not self._flow_level and self._indent == cursor.column
        number = self._number()
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

    def _open_block(self, column: int, kind: TokenKind, line: int, begin: int, number: int = -1) -> None:
        """Open a block in *column*, if that is deeper than the block around it."""
        if not self._flow_level and self._indent < column:
            self._indents.append(self._indent)
            self._indent = column
            self._put_empty(kind, line, begin, number)

    def _close_blocks(self, column: int) -> None:
        """Close the blocks that are deeper than *column*."""
        if self._flow_level:
            return
        while self._indent > column:
            self._put_empty(TokenKind.BLOCK_END, self._cursor.line, self._cursor.position)
            self._indent = self._indents.pop()

    # Tokens

    def _skip_to_token(self) -> None:
        """Go past blanks, comments and line breaks. A tab is not allowed where a key may begin in block style."""
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

    def _end(self, _: str) -> None:
        cursor = self._cursor
        if cursor.column:
            cursor.line += 1
            cursor.line_start = cursor.position
        self._close_blocks(-1)
        self._end_keys(allow=False)
        self._put_empty(TokenKind.STREAM_END, cursor.line, cursor.position)

    def _dash(self, sign: str) -> None:
        cursor = self._cursor
        if cursor.at_document_mark():
            self._document_mark(TokenKind.DOCUMENT_START)
        elif self._is_sign():
            if not self._flow_level:
                self._begin_part(TokenKind.BLOCK_SEQUENCE, "block sequence entries are not allowed in this context")
            self._end_keys(allow=True)
            self._put_sign(TokenKind.BLOCK_ENTRY)
        else:
            self._plain(sign)

    def _dot(self, sign: str) -> None:
        if self._cursor.at_document_mark():
            self._document_mark(TokenKind.DOCUMENT_END)
        else:
            self._plain(sign)

    def _document_mark(self, kind: TokenKind) -> None:
        self._close_blocks(-1)
        self._end_keys(allow=False)
        self._put_sign(kind, 3)

    def _open_flow(self, sign: str) -> None:
        self._note_candidate()
        cursor = self._cursor
        self._candidates.append(
            _KeyCandidate(self._number(), cursor.position, cursor.line, cursor.column, possible=False, required=False)
        )
        self._flow_level += 1
        self._key_allowed = True
        self._put_sign(_BRACKETS[sign])

    def _close_flow(self, sign: str) -> None:
        self._end_keys(allow=False)
        if self._flow_level:
            self._flow_level -= 1
            # Without a key inside, this is the number of the opening bracket, which can begin no key any more.
            self._candidate_of.pop(self._candidates.pop().number, None)
        self._put_sign(_BRACKETS[sign])

    def _comma(self, _: str) -> None:
        self._end_keys(allow=True)
        self._put_sign(TokenKind.FLOW_ENTRY)

    def _begin_part(self, block: TokenKind, problem: str) -> None:
        """Open a *block* in this column, unless it is open; where no key is allowed, raise the *problem*."""
        cursor = self._cursor
        if not self._key_allowed:
            self._fail(problem)
        self._open_block(cursor.column, block, cursor.line, cursor.position)

    def _question_mark(self, sign: str) -> None:
        if not self._flow_level:
            if not self._is_sign():
                return self._plain(sign)
            self._begin_part(TokenKind.BLOCK_MAPPING, "mapping keys are not allowed in this context")
        self._end_keys(allow=not self._flow_level)
        return self._put_sign(TokenKind.KEY)

    def _colon(self, sign: str) -> None:
        if not self._flow_level and not self._is_sign():
            return self._plain(sign)
        candidate = self._candidates[-1]
        if self._may_be_key(candidate):
            self._put_empty(TokenKind.KEY, candidate.line, candidate.begin, candidate.number)
            self._open_block(
                candidate.column, TokenKind.BLOCK_MAPPING, candidate.line, candidate.begin, candidate.number
            )
            candidate.possible = False
            self._candidate_of.pop(candidate.number, None)
            self._key_allowed = False
        elif self._flow_level:
            self._key_allowed = False
        else:
            self._begin_part(TokenKind.BLOCK_MAPPING, "mapping values are not allowed in this context")
            self._key_allowed = True
        return self._put_sign(TokenKind.VALUE)

    def _anchor(self, sign: str) -> None:
        self._begin_node()
        cursor = self._cursor
        begin = cursor.position
        match = NAME.match(cursor.text, begin + 1)
        assert match is not None
        cursor.position = match.end()
        if not match[0] or cursor.text[cursor.position] not in _BEHIND_ANCHOR:
            context = "while scanning an alias" if sign == "*" else "while scanning an anchor"
            self._fail("did not find expected alphabetic or numeric character", context)
        kind = TokenKind.ALIAS if sign == "*" else TokenKind.ANCHOR
        self._tokens.append(YamlToken(kind, match[0], "", cursor.line, begin, cursor.position))

    def _tag(self, _: str) -> None:
        self._begin_node()
        cursor = self._cursor
        begin = cursor.position
        handle, suffix = tag(cursor)
        self._tokens.append(YamlToken(TokenKind.TAG, handle, suffix, cursor.line, begin, cursor.position))

    def _directive(self, sign: str) -> None:
        cursor = self._cursor
        if cursor.column:
            self._refuse_sign(sign)
        self._close_blocks(-1)
        self._end_keys(allow=False)
        begin, line = cursor.position, cursor.line
        name, value, detail = directive(cursor)
        kind = TokenKind.VERSION if name == "YAML" else TokenKind.TAG_DIRECTIVE
        self._tokens.append(YamlToken(kind, value, detail, line, begin, cursor.position))

    def _block_scalar(self, sign: str) -> None:
        if self._flow_level:
            self._refuse_sign(sign)
        self._end_keys(allow=True)
        line, begin = self._cursor.line, self._cursor.position
        self._put_scalar(block_scalar(self._cursor, self._indent), sign, line, begin)

    def _quoted(self, sign: str) -> None:
        self._begin_node()
        line, begin = self._cursor.line, self._cursor.position
        self._put_scalar(quoted_scalar(self._cursor), sign, line, begin)

    def _plain(self, _: str) -> None:
        self._begin_node()
        line, begin = self._cursor.line, self._cursor.position
        value, ended_line = plain_text(self._cursor, self._indent + 1, is_flow=self._flow_level > 0)
        self._put_scalar(value, "", line, begin)
        if ended_line:
            self._key_allowed = True

    def _refuse_sign(self, _: str) -> NoReturn:
        self._fail("found character that cannot start any token", "while scanning for the next token")

    def _fail(self, problem: str, context: str = "") -> NoReturn:
        raise YamlSyntaxError(problem, context, self._cursor.line)

    _TAKERS: ClassVar[Mapping[str, Callable[[TokenReader, str], None]]] = {
        **dict.fromkeys(ENDS_WORD | frozenset("#@`"), _refuse_sign),
        **dict.fromkeys("[{", _open_flow),
        **dict.fromkeys("]}", _close_flow),
        **dict.fromkeys("*&", _anchor),
        **dict.fromkeys("|>", _block_scalar),
        **dict.fromkeys("'\"", _quoted),
        END: _end,
        "%": _directive,
        "-": _dash,
        ".": _dot,
        ",": _comma,
        "?": _question_mark,
        ":": _colon,
        "!": _tag,
    }
    """The method for a token that begins with a character; any other character begins a plain scalar.

    A look-up takes the place of a dozen comparisons for the most frequent token, which is plain text.
    """
