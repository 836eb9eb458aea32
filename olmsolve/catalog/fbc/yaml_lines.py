"""YAML text cut into documents, as Kubernetes' decoder cuts it, and single lines of block YAML.

The rules for documents, as recorded from ``opm``:

* a line that begins with three dashes is a separator, wherever it is (in a block of text too); only white space or a
  comment may follow the dashes;
* a separator ends the document before it and belongs to neither. At the beginning of a document it belongs to the
  document::

      a: 1          document 1 is "a: 1"
      ---
      ---           document 2 is "---", "b: 2"
      b: 2
      ---           ends document 2; nothing follows, so there is no document 3

* everything else belongs to a document, comments and blank lines as well: a comment before the first separator is a
  document of its own, which is empty;
* a carriage return before the end of a line is dropped, and the last line gets an end if it has none.

A line is parsed without looking at other lines. Its forms are the ones in which machines write catalogs; a line in any
other form is UNUSUAL, and so is a flow collection that is not on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import DOCUMENT, WHITE_SPACE, OutsideJsonError, read_ahead, refuse
from olmsolve.catalog.fbc.yaml_scalars import NUMBER_STARTS, is_beyond, plain_scalar

_DASHES: Final = "---"
_LINE_OF_DASHES: Final = "\n---"


class YamlPart(NamedTuple):
    """The text of one document, with its *number* in the file and the *line* on which it begins, both from 1."""

    text: str
    number: int
    line: int


def yaml_parts(pieces: Iterator[str], file: str, *, number: int = 1, line: int = 1) -> Iterator[YamlPart]:
    """Yield the documents of the YAML text in *pieces* as text, counted from *number* and *line*.

    Raises :class:`~olmsolve.errors.CatalogError` for a separator with something behind it, and for a document that is
    too long.
    """
    return _Splitter(pieces, file, number, line).parts()


class _Splitter:
    """A window on a text, which holds at least the document at hand: a file of gigabytes need not be in memory."""

    def __init__(self, pieces: Iterator[str], file: str, number: int, line: int) -> None:
        self._pieces = pieces
        self._file = file
        self._number = number
        self._line = line
        self._text = ""
        self._begin = 0
        self._ended = False

    def parts(self) -> Iterator[YamlPart]:
        while True:
            while len(self._text) - self._begin < len(_DASHES) and not self._ended:
                self._grow()
            if self._text.startswith(_DASHES, self._begin):
                self._check_separator(self._begin, self._line)
            end = self._document_end()
            text = self._text[self._begin : end]
            if not text:
                return
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            if text[-1] != "\n":
                text += "\n"
            line, self._line = self._line, self._line + text.count("\n")
            self._begin = end
            if end < len(self._text):
                self._check_separator(end, self._line)
                line_end = self._text.find("\n", self._begin)
                self._begin = line_end + 1 if line_end >= 0 else len(self._text)
                self._line += 1
            yield YamlPart(text, self._number, line)
            self._number += 1

    def _document_end(self) -> int:
        """Return the position at which the document that begins here ends: its separator, or the end of the text."""
        start = self._begin
        while (dashes := self._text.find(_LINE_OF_DASHES, start)) < 0 and not self._ended:
            ahead = len(self._text) - self._begin
            start = max(0, ahead - len(_LINE_OF_DASHES))
            self._grow()
        end = dashes + 1 if dashes >= 0 else len(self._text)
        if end - self._begin > DOCUMENT:
            self._refuse_length()
        return end

    def _check_separator(self, begin: int, line: int) -> None:
        """Refuse the separator at *begin* if anything but white space or a comment follows its dashes."""
        ahead = begin - self._begin
        while (end := self._text.find("\n", self._begin + ahead)) < 0 and not self._ended:
            self._grow()
        begin = self._begin + ahead + len(_DASHES)
        behind = self._text[begin : end if end >= 0 else None].strip(WHITE_SPACE)
        if behind and behind[0] != "#":
            reason = f"{behind[:40]!r} follows a separator (---), where only a comment is allowed"
            refuse(reason, self._file, self._number, line)

    def _grow(self) -> None:
        """Drop the text behind, and read on."""
        if len(self._text) - self._begin > DOCUMENT:
            self._refuse_length()
        self._text, self._ended = read_ahead(self._text[self._begin :], self._pieces)
        self._begin = 0

    def _refuse_length(self) -> NoReturn:
        refuse(f"a document of more than {DOCUMENT:,} characters", self._file, self._number, self._line)


# The kinds of a line's value, ordered so that one comparison tests for a group of kinds: up to PLAIN the value is
# there, from BLANK on the line has none.
DONE: Final = 0  # the value is there
PLAIN: Final = 1  # the value is there, unless the next line is deeper and goes on with it; *text* is as written
NESTED: Final = 2  # the lines that follow deeper, or null if there are none
LITERAL: Final = 3  # the lines that follow deeper; *text* is "", "-" or "+", for the line ends at its end
SINGLE: Final = 4  # text in single quotes that goes on; *text* is as written
MORE: Final = 5  # something else that goes on, for the careful reader; *text* is as written
LIST: Final = 6  # an empty list
MAPPING: Final = 7  # an empty mapping
BLANK: Final = 8
COMMENT: Final = 9
UNUSUAL: Final = 10


class YamlLine(NamedTuple):
    """A line: *indent* in columns, whether a dash begins it, its *key* if it has one, and its value.

    *simple* is the indent for a line that is a key and a complete value, and -1 for all others: the reader's fast path
    compares it alone. ``  kind: Db`` is ``(2, 2, False, "kind", PLAIN, "Db", "Db")``.
    """

    simple: int
    indent: int
    is_element: bool
    key: str | None
    kind: int
    value: Any
    text: str


# YAML lets a key have 1,024 characters up to its colon. A limit below keeps the look for a colon short in long lines.
_LINE: Final = pattern(
    r"(?P<indent> *)(?P<dash>- )?"
    r"(?:(?P<key>[A-Za-z_][A-Za-z0-9_./-]{0,1000}):(?: +(?P<value>.*)|(?P<end>))|(?P<alone>.*))"
)
# Repeats are possessive: what they took is not given back, so nothing is kept for each of millions of characters.
SINGLE_QUOTED: Final = pattern(r"'((?:[^']|'')*+)'")
_DOUBLE: Final = pattern(r'"(?:[^"\\]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*+"')
_OTHER_DOUBLE: Final = pattern(r'"(?:[^"\\]|\\.)*+(?:\\|")?')  # with other escapes, or continued on the next line
_OPEN_SINGLE: Final = pattern(r"'(?:[^']|'')*+")
_LITERAL: Final = {"|": "", "|-": "-", "|+": "+"}
# Characters that begin no plain scalar; a dash, colon or question mark may begin one, but hardly ever does.
_INDICATORS: Final = frozenset("&*!%@`#,[]{}|>'\"-?:")
_NUMBER: Final = pattern(r"-[0-9.][0-9.eE]*")

_UNUSUAL: Final = YamlLine(-1, 0, False, None, UNUSUAL, None, "")

_LONGEST_FLOW: Final = 1000  # characters: YAML allows a key and its colon no more than 1,024 on one line
_DEEPEST_FLOW: Final = 10  # levels: each takes two frames of the stack

_OPENED: Final = pattern(r"([\[{]) *")
_KEY: Final = pattern(r"([A-Za-z_][A-Za-z0-9_./-]*): +")
_SCALAR: Final = pattern(r"""([A-Za-z0-9_][A-Za-z0-9_./+-]*)|"([^"\\]*)"|'([^']*)'""")
_BEHIND: Final = pattern(r" *([],}]) *")


def parsed(line: str) -> YamlLine:
    """Return *line*, given without its line end, as its parts."""
    text = line.rstrip(" ")
    if not text:
        return YamlLine(-1, 0, False, None, BLANK, None, "")
    match = _LINE.fullmatch(text)
    if match is None or "\t" in text or (text[-1] == "\\" and text != line):
        # In double quotes, the space behind a backslash counts.
        return _UNUSUAL
    indent, is_element, key = len(match["indent"]), match["dash"] is not None, match["key"]
    if key is not None and plain_scalar(key) is not key:
        # A word for true, false or null, which becomes another key.
        return _UNUSUAL
    if key is None:
        value = match["alone"]
        if not is_element:
            return YamlLine(-1, indent, False, None, COMMENT if value.startswith("#") else UNUSUAL, None, text)
        if not value or value.startswith(" "):
            return _UNUSUAL
    else:
        value = match["value"] or ""
    kind, content, written = _value(value)
    if kind == NESTED and key is None:
        return _UNUSUAL
    simple = indent if key is not None and not is_element and kind <= PLAIN else -1
    return YamlLine(simple, indent, is_element, key, kind, content, written)


def _value(text: str) -> tuple[int, Any, str]:
    """Return kind, value and text of what follows a key or a dash."""
    if not text:
        return NESTED, None, ""
    first = text[0]
    if first == '"':
        return _double(text)
    if first == "'":
        match = SINGLE_QUOTED.fullmatch(text)
        if match is not None:
            return DONE, match[1].replace("''", "'"), ""
        return (SINGLE, None, text) if _OPEN_SINGLE.fullmatch(text) else (UNUSUAL, None, "")
    if first in "|>":
        return (LITERAL, None, _LITERAL[text]) if text in _LITERAL else (MORE, None, text)
    if text in ("[]", "{}"):
        return (LIST if text == "[]" else MAPPING), None, ""
    if first in "[{" and not any(sign in text for sign in "&*!"):
        return MORE, None, text
    if first in _INDICATORS and not _NUMBER.fullmatch(text):
        return UNUSUAL, None, ""
    # Behind a colon a mapping would begin, behind a # a comment: both are for the careful reader.
    if ": " in text or " #" in text or text[-1] == ":":
        return UNUSUAL, None, ""
    try:
        value = plain_scalar(text)
    except OutsideJsonError:
        return UNUSUAL, None, ""
    if first in NUMBER_STARTS and is_beyond(text, value):
        return UNUSUAL, None, ""
    return PLAIN, value, text


def _double(text: str) -> tuple[int, Any, str]:
    if _DOUBLE.fullmatch(text):
        # These escapes mean the same in JSON.
        return DONE, json.loads(text) if "\\" in text else text[1:-1], ""
    return (MORE, None, text) if _OTHER_DOUBLE.fullmatch(text) else (UNUSUAL, None, "")


def folded(lines: list[str]) -> str:
    """Join *lines* to one scalar: a line end becomes a space, and each blank line a line end."""
    parts = [lines[0].rstrip(" ")]
    blank = 0
    for line in lines[1:]:
        stripped = line.strip(" ")
        if not stripped:
            blank += 1
            continue
        parts.append("\n" * blank or " ")
        parts.append(stripped)
        blank = 0
    return "".join(parts)


class _UnusualError(Exception):
    """The text has something that the careful reader must look at."""


def usual_flow(text: str) -> Any:
    """Return the list or mapping in *text*, new each time; None where the careful reader must look at it.

    People write them so: ``{group: a.b, kind: Db}``, ``[shop, "1.0"]``. Only words, numbers and text in quotes without
    escapes are taken; these mean the same in flow style as behind a key.
    """
    if len(text) > _LONGEST_FLOW:
        return None
    try:
        value, end = _flow_value(text, 0, 1)
    except (_UnusualError, OutsideJsonError):
        return None
    return value if end == len(text) else None


def _flow_value(text: str, begin: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at *begin*, and where it ends."""
    opened = _OPENED.match(text, begin)
    if opened is not None:
        return _flow_collection(text, opened, depth)
    scalar = _SCALAR.match(text, begin)
    if scalar is None:
        raise _UnusualError
    plain, double, single = scalar.groups()
    if plain is not None:
        number = plain_scalar(plain)
        if is_beyond(plain, number):
            raise _UnusualError
        return number, scalar.end()
    return (single if double is None else double), scalar.end()


def _flow_collection(text: str, opened: re.Match[str], depth: int) -> tuple[Any, int]:
    """Return the list or mapping that is *opened*, and where it ends; *depth* counts it and the ones around it."""
    if depth > _DEEPEST_FLOW:
        raise _UnusualError
    is_list, position = opened[1] == "[", opened.end()
    closing = "]" if is_list else "}"
    elements: list[Any] = []
    fields: dict[str, Any] = {}
    if text.startswith(closing, position):
        return elements if is_list else fields, position + 1
    while True:
        if is_list:
            value, position = _flow_value(text, position, depth + 1)
            elements.append(value)
        else:
            key = _KEY.match(text, position)
            if key is None:
                raise _UnusualError
            name: str = key[1]
            # A word for true, false or null becomes another key; a key twice is for the careful reader to remark.
            if plain_scalar(name) is not name or name in fields:
                raise _UnusualError
            value, position = _flow_value(text, key.end(), depth + 1)
            fields[name] = value
        behind = _BEHIND.match(text, position)
        if behind is None or behind[1] not in (",", closing):
            raise _UnusualError
        position = behind.end()
        if behind[1] == closing:
            return elements if is_list else fields, position
