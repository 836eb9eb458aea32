"""Text as Go's ``%q`` writes it, so that reasons read as they do in OLM's own messages."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["quote"]

_NAMED: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_PLAIN: Final = re.compile(r"[ !#-\[\]-~]*")


def quote(text: str) -> str:
    """*text* in double quotes, with Go's escapes for what cannot be printed.

    >>> quote("1.2.3\\t")
    '"1.2.3\\\\t"'
    """
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    if (named := _NAMED.get(character)) is not None:
        return named
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    # A lone surrogate cannot be encoded; Go shows its replacement character instead.
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
