"""Tags and directives of YAML, as goyaml takes them."""

from __future__ import annotations

from typing import Final

from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.yaml_cursor import BLANKS, ENDS_WORD, NAME, Cursor

_TAG: Final = "while parsing a tag"
_DIRECTIVE: Final = "while scanning a directive"
_VERSION: Final = "while scanning a %YAML directive"
_TAG_DIRECTIVE: Final = "while parsing a %TAG directive"

_HANDLE: Final = pattern("![0-9A-Za-z_-]*!?")
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
