"""The texts of YAML's tokens: scalars (plain, quoted and block), tags and directives, as goyaml takes them."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from olmsolve._limits import check
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.yaml_cursor import (
    BLANKS,
    BREAKS,
    END,
    ENDS_WORD,
    NAME,
    NOT_IN_LINE,
    Cursor,
    Dialect,
    YamlSyntaxError,
)

_BLOCK: Final = "while scanning a block scalar"
_QUOTED: Final = "while scanning a quoted scalar"
_ESCAPE: Final = "while parsing a quoted scalar"
_PLAIN: Final = "while scanning a plain scalar"

_HEADER: Final = pattern(r"[|>](?:([+-])([0-9]?)|([0-9])([+-]?))?")
_SINGLE_RUN: Final = pattern(f"[^'{NOT_IN_LINE}]*")
_DOUBLE_RUN: Final = pattern(rf'[^"\\{NOT_IN_LINE}]*')
_ESCAPES: Final = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
"""The escapes of goyaml: it has ``\\'``, which YAML has not, and has no ``\\/``, which YAML 1.2 has."""

_CODES: Final = {
    "x": re.compile("[0-9a-fA-F]{2}"),
    "u": re.compile("[0-9a-fA-F]{4}"),
    "U": re.compile("[0-9a-fA-F]{8}"),
}

# A word of a plain scalar ends where a blank follows its colon; in flow style, brackets, commas and question marks
# end it too.
_ENDS: Final = re.escape(BLANKS) + NOT_IN_LINE
# Nothing is given back once it matched, so a scalar of a million words takes no memory beside its text.
_WORD: Final = rf"(?:[^{_ENDS}:]++|:(?![{_ENDS}]))++"
_FLOW_WORD: Final = rf"(?:[^{_ENDS}:,?\[\]{{}}]++|:(?![{_ENDS}]))++"
_WORDS: Final = pattern(rf"{_WORD}(?:[ \t]++(?!#){_WORD})*+")
_FLOW_WORDS: Final = pattern(rf"{_FLOW_WORD}(?:[ \t]++(?!#){_FLOW_WORD})*+")


def block_scalar(cursor: Cursor, parent: int) -> str:
    """Take the literal (``|``) or folded (``>``) scalar here, whose block is in column *parent*; return its text."""
    is_literal = cursor.text[cursor.position] == "|"
    header = _HEADER.match(cursor.text, cursor.position)
    assert header is not None
    cursor.position = header.end()
    chomping, digit = header[1] or header[4] or "", header[2] or header[3] or ""
    if digit == "0":
        cursor.fail("found an indentation indicator equal to 0", _BLOCK)
    cursor.end_line(_BLOCK)
    indent = max(parent, 0) + int(digit) if digit else 0
    trailing, indent = _block_breaks(cursor, indent, parent)
    parts: list[str] = []
    leading, was_deeper = "", False
    while cursor.column == indent and (first := cursor.text[cursor.position]) != END:
        is_deeper = first in BLANKS
        if is_literal or was_deeper or is_deeper or leading != "\n":
            parts.append(leading)
        elif not trailing:
            parts.append(" ")
        was_deeper = is_deeper
        parts += trailing, cursor.take_line()
        leading = cursor.take_break()
        trailing, indent = _block_breaks(cursor, indent, parent)
    if chomping != "-":
        parts.append(leading)
    if chomping == "+":
        parts.append(trailing)
    return "".join(parts)


def _block_breaks(cursor: Cursor, indent: int, parent: int) -> tuple[str, int]:
    """Go past blank lines, and the indent of the line behind them; return the line breaks, and *indent* if it was 0."""
    deepest = 0
    breaks: list[str] = []  # a text would be copied for each of them
    while True:
        if indent:
            end = cursor.line_start + indent
            while cursor.position < end and cursor.text[cursor.position] == " ":
                cursor.position += 1
        else:
            cursor.skip_spaces()
        deepest = max(deepest, cursor.column)
        if cursor.text[cursor.position] == "\t" and (not indent or cursor.column < indent):
            cursor.fail("found a tab character where an indentation space is expected", _BLOCK)
        if cursor.text[cursor.position] not in BREAKS:
            return "".join(breaks), indent or max(deepest, parent + 1, 1)
        breaks.append(cursor.take_break())


def quoted_scalar(cursor: Cursor) -> str:
    """Take the scalar in single or double quotes here, and return its text."""
    quote = cursor.text[cursor.position]
    run = _SINGLE_RUN if quote == "'" else _DOUBLE_RUN
    cursor.position += 1
    parts: list[str] = []
    while True:
        # Each step adds two parts or three; one text may have millions of escapes.
        if len(parts) % 4096 < 3:
            check()
        match = run.match(cursor.text, cursor.position)
        assert match is not None
        cursor.position = match.end()
        following = cursor.text[cursor.position]
        if following == quote:
            parts.append(match[0])
            cursor.position += 1
            if quote == '"' or cursor.text[cursor.position] != "'":
                return "".join(parts)
            parts.append("'")
            cursor.position += 1
        elif following == "\\":
            parts.append(match[0])
            cursor.position += 1
            if cursor.text[cursor.position] in BREAKS:
                cursor.take_break()
                parts.append(_quoted_break(cursor, ""))
            else:
                parts.append(_escape(cursor))
        elif following == END:
            cursor.fail("found unexpected end of stream", _QUOTED)
        else:
            parts += match[0].rstrip(BLANKS), _quoted_break(cursor, cursor.take_break())


def _quoted_break(cursor: Cursor, leading: str) -> str:
    """Go past blanks and line breaks behind the line break *leading* ("" if it is escaped); return what they become."""
    trailing: list[str] = []
    cursor.skip_blanks()
    while cursor.text[cursor.position] in BREAKS:
        trailing.append(cursor.take_break())
        cursor.skip_blanks()
    if cursor.at_document_mark():
        cursor.fail("found unexpected document indicator", _QUOTED)
    return _folded(leading, trailing)


def _folded(leading: str, trailing: list[str]) -> str:
    """Return the text for the line break *leading* and the line breaks after it: a line feed alone becomes a space."""
    if leading == "\n":
        return "".join(trailing) or " "
    return "".join([leading, *trailing])


def _escape(cursor: Cursor) -> str:
    """Take the escape whose backslash is before the position."""
    sign = cursor.text[cursor.position]
    if sign in _ESCAPES:
        if sign == "'":
            cursor.uses.append((Dialect.ESCAPE, cursor.line, "\\'", "'"))
        cursor.position += 1
        return _ESCAPES[sign]
    if sign not in _CODES:
        cursor.fail("found unknown escape character", _ESCAPE)
    match = _CODES[sign].match(cursor.text, cursor.position + 1)
    if match is None:
        _refuse_code(cursor, "did not find expected hexdecimal number")
    code = int(match[0], 16)
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        _refuse_code(cursor, "found invalid Unicode character escape code")
    cursor.position = match.end()
    return chr(code)


def _refuse_code(cursor: Cursor, problem: str) -> NoReturn:
    raise YamlSyntaxError(problem, _ESCAPE, cursor.line)


def plain_text(cursor: Cursor, indent: int, *, is_flow: bool) -> tuple[str, bool]:
    """Take the plain scalar here, whose lines begin in column *indent* or deeper; return its text.

    Also returns whether it ended with a line break, so that a key may follow.
    """
    words = _FLOW_WORDS if is_flow else _WORDS
    parts: list[str] = []
    joint = ""
    ended_line = False
    while not cursor.at_document_mark() and cursor.text[cursor.position] != "#":
        match = words.match(cursor.text, cursor.position)
        if match is not None:
            parts += joint, match[0]
            cursor.position = match.end()
            ended_line = False
            if is_flow and match[0][-1] == ":":
                cursor.uses.append((Dialect.FLOW_COLON, cursor.line, match[0], match[0]))
        if cursor.text[cursor.position] not in ENDS_WORD or cursor.text[cursor.position] == END:
            break
        begin = cursor.position
        cursor.skip_blanks()
        joint = cursor.text[begin : cursor.position]
        if cursor.text[cursor.position] in BREAKS:
            joint = _plain_break(cursor, indent)
            ended_line = True
        if not is_flow and cursor.column < indent:
            break
    return "".join(parts), ended_line


def _plain_break(cursor: Cursor, indent: int) -> str:
    """Go past the line breaks here and the blanks behind them; return what they become if the scalar goes on."""
    leading = cursor.take_break()
    trailing: list[str] = []
    while True:
        cursor.skip_spaces()
        if cursor.text[cursor.position] == "\t":
            if cursor.column < indent:
                cursor.fail("found a tab character that violates indentation", _PLAIN)
            cursor.skip_blanks()
        if cursor.text[cursor.position] not in BREAKS:
            return _folded(leading, trailing)
        trailing.append(cursor.take_break())


_TAG: Final = "while parsing a tag"
_DIRECTIVE: Final = "while scanning a directive"
_VERSION: Final = "while scanning a %YAML directive"
_TAG_DIRECTIVE: Final = "while parsing a %TAG directive"

_HANDLE: Final = pattern("![0-9A-Za-z_-]*!?")
# goyaml reads at most two digits of each number in %YAML, and refuses a third.
_NUMBERS: Final = pattern(r"([0-9]{1,2})\.([0-9]{1,2})(?![0-9])")
_URI_RUN: Final = pattern(r"[0-9A-Za-z_\-;/?:@&=+$,.!~*'()\[\]]*")
_OCTETS: Final = pattern("(?:%[0-9a-fA-F]{2})+")


def tag(cursor: Cursor) -> tuple[str, str]:
    """Take the tag here, and return its handle ("" if the tag is whole without one) and what follows the handle."""
    if cursor.text[cursor.position + 1] == "<":
        cursor.position += 2
        handle, suffix = "", _uri(cursor, _TAG)
        if cursor.text[cursor.position] != ">":
            cursor.fail("did not find the expected '>'", _TAG)
        cursor.position += 1
    else:
        handle = _handle(cursor)
        if len(handle) > 1 and handle[-1] == "!":
            suffix = _uri(cursor, _TAG)
        else:
            suffix = handle[1:] + _uri(cursor, _TAG, may_be_empty=True)
            handle, suffix = ("!", suffix) if suffix else ("", "!")
    if cursor.text[cursor.position] not in ENDS_WORD:
        cursor.fail("did not find expected whitespace or line break", _TAG)
    return handle, suffix


def directive(cursor: Cursor) -> tuple[str, str, str]:
    """Take the line of the directive here; return its name and both parts, the second one "" for a version."""
    match = NAME.match(cursor.text, cursor.position + 1)
    assert match is not None
    cursor.position = match.end()
    name, value, detail = match[0], "", ""
    if not name:
        cursor.fail("could not find expected directive name", _DIRECTIVE)
    if cursor.text[cursor.position] not in ENDS_WORD:
        cursor.fail("found unexpected non-alphabetical character", _DIRECTIVE)
    cursor.skip_blanks()
    if name == "YAML":
        numbers = _NUMBERS.match(cursor.text, cursor.position)
        if numbers is None:
            cursor.fail("did not find expected version number", _VERSION)
        cursor.position = numbers.end()
        value = f"{int(numbers[1])}.{int(numbers[2])}"
    elif name == "TAG":
        value, detail = _tag_directive(cursor)
    else:
        cursor.fail("found unknown directive name", _DIRECTIVE)
    cursor.end_line(_DIRECTIVE)
    return name, value, detail


def _tag_directive(cursor: Cursor) -> tuple[str, str]:
    handle = _handle(cursor)
    if handle[-1] != "!":
        cursor.fail("did not find expected '!'", _TAG_DIRECTIVE)
    if cursor.text[cursor.position] not in BLANKS:
        cursor.fail("did not find expected whitespace", _TAG_DIRECTIVE)
    cursor.skip_blanks()
    prefix = _uri(cursor, _TAG_DIRECTIVE)
    if cursor.text[cursor.position] not in ENDS_WORD:
        cursor.fail("did not find expected whitespace or line break", _TAG_DIRECTIVE)
    return handle, prefix


def _handle(cursor: Cursor) -> str:
    match = _HANDLE.match(cursor.text, cursor.position)
    if match is None:
        cursor.fail("did not find expected '!'", _TAG_DIRECTIVE)
    cursor.position = match.end()
    return match[0]


def _uri(cursor: Cursor, context: str, *, may_be_empty: bool = False) -> str:
    parts: list[str] = []
    while True:
        run = _URI_RUN.match(cursor.text, cursor.position)
        assert run is not None
        parts.append(run[0])
        cursor.position = run.end()
        if cursor.text[cursor.position] != "%":
            break
        octets = _OCTETS.match(cursor.text, cursor.position)
        if octets is None:
            cursor.fail("did not find URI escaped octet", context)
        try:
            parts.append(bytes.fromhex(octets[0].replace("%", "")).decode("utf-8"))
        except UnicodeDecodeError:
            cursor.fail("found an incorrect UTF-8 octet", context)
        cursor.position = octets.end()
    uri = "".join(parts)
    if not uri and not may_be_empty:
        cursor.fail("did not find expected tag URI", context)
    return uri
