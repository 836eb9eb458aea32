"""One line of block YAML at a time, where it says all that there is to know about itself.

The forms are those in which machines write catalogs; whatever else a line may be is called unusual here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from olmsolve.catalog.fbc.plain_values import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import plain_scalar

__all__ = [
    "BLANK",
    "COMMENT",
    "DONE",
    "LIST",
    "LITERAL",
    "MAPPING",
    "MORE",
    "NESTED",
    "PLAIN",
    "SINGLE",
    "SINGLE_QUOTED",
    "UNUSUAL",
    "YamlLine",
    "folded",
    "parsed",
]

# What a line's value is, in the order of how often it is asked for.
DONE: Final = 0  # the value is there
PLAIN: Final = 1  # the value is there, unless the next line is deeper and goes on with it; *text* is as written
NESTED: Final = 2  # nothing: what follows deeper, or null
LITERAL: Final = 3  # the lines that follow deeper; *text* says what becomes of the last line ends
SINGLE: Final = 4  # text in single quotes that goes on; *text* is as written
MORE: Final = 5  # something else that goes on, for the careful reader; *text* is as written
LIST: Final = 6  # an empty list
MAPPING: Final = 7  # an empty mapping
BLANK: Final = 8
COMMENT: Final = 9
UNUSUAL: Final = 10


class YamlLine(NamedTuple):
    """A line: *indent* in columns, whether a dash begins it, the *key* if it has one, and its value.

    *simple* is the indent once more where the line is a key with a value that is there, and -1 everywhere else.
    """

    simple: int
    indent: int
    is_element: bool
    key: str | None
    kind: int
    value: Any
    text: str


_LINE: Final = re.compile(
    r"(?P<indent> *)(?P<dash>- )?(?:(?P<key>[A-Za-z_][A-Za-z0-9_./-]*):(?: +(?P<value>.*)|(?P<end>))|(?P<alone>.*))"
)
SINGLE_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE: Final = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"')
_OTHER_DOUBLE: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:\\|")?')  # with other escapes, or going on
_OPEN_SINGLE: Final = re.compile(r"'(?:[^']|'')*")
_LITERAL: Final = {"|": "", "|-": "-", "|+": "+"}
# A plain scalar begins with none of these; a dash, colon or question mark may begin one, but hardly ever does.
_INDICATORS: Final = frozenset("&*!%@`#,[]{}|>'\"-?:")
_NUMBER: Final = re.compile(r"-[0-9.][0-9.eE]*")

_UNUSUAL: Final = YamlLine(-1, 0, False, None, UNUSUAL, None, "")


def parsed(line: str) -> YamlLine:
    """What *line*, without its end, says."""
    text = line.rstrip(" ")
    if not text:
        return YamlLine(-1, 0, False, None, BLANK, None, "")
    match = _LINE.fullmatch(text)
    if match is None or "\t" in text or (text[-1] == "\\" and text != line):
        # In double quotes, the space behind a backslash counts.
        return _UNUSUAL
    indent, is_element, key = len(match["indent"]), match["dash"] is not None, match["key"]
    if key is not None and plain_scalar(key) is not key:
        # A word for true, false or null.
        return _UNUSUAL
    if key is None:
        value = match["alone"]
        if not is_element:
            return YamlLine(-1, indent, False, None, COMMENT if value.startswith("#") else UNUSUAL, None, text)
        if not value or value.startswith(" "):
            return _UNUSUAL
    else:
        value = match["value"] or ""
    kind, found, written = _value(value)
    if kind == NESTED and key is None:
        return _UNUSUAL
    simple = indent if key is not None and not is_element and kind <= PLAIN else -1
    return YamlLine(simple, indent, is_element, key, kind, found, written)


def _value(text: str) -> tuple[int, Any, str]:
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
    if ": " in text or " #" in text or text[-1] == ":":
        return UNUSUAL, None, ""
    try:
        return PLAIN, plain_scalar(text), text
    except OutsideJsonError:
        return UNUSUAL, None, ""


def _double(text: str) -> tuple[int, Any, str]:
    if _DOUBLE.fullmatch(text):
        # What a backslash means here, it means in JSON.
        return DONE, json.loads(text) if "\\" in text else text[1:-1], ""
    return (MORE, None, text) if _OTHER_DOUBLE.fullmatch(text) else (UNUSUAL, None, "")


def folded(lines: list[str]) -> str:
    """One scalar of several *lines*: a line end becomes a space, and each blank line a line end."""
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
