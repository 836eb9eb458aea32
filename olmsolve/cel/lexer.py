r"""The tokens of a rule, by cel-go's ``CEL.g4``: the longest match wins; text that matches nothing is an error.

celpy's grammar is not used: its string terminal backtracks exponentially (``"\a\a\a...`` without an end),
it takes ``"a\"`` for a string and ``if`` for a name, and refuses ``[1,]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cel.values import INT_MAX, INT_MIN, UINT_MAX, Scalar, Uint
from olmsolve.semver import GO_ESCAPES

_ESCAPE: Final = r"""\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7])"""
# The possessive and disjoint repetitions keep every attempt linear in the length of the text.
_STRING: Final = rf"""(?:
    \"\"\"(?:[^\\]|{_ESCAPE})*?\"\"\" | '''(?:[^\\]|{_ESCAPE})*?'''
  | [rR]\"\"\".*?\"\"\"               | [rR]'''.*?'''
  | \"(?:[^\\\"\n\r]|{_ESCAPE})*+\"   | '(?:[^\\'\n\r]|{_ESCAPE})*+'
  | [rR]\"[^\"\n\r]*+\"               | [rR]'[^'\n\r]*+'
)"""
# In this order: b"x" would also match as the name b before a string, and 1u as the int 1 before a name.
_TOKEN: Final = pattern(
    rf"""
    (?P<space>(?:[\t\ \r\n\f]|//[^\n]*)++)
  | (?P<bytes>[bB]{_STRING})
  | (?P<string>{_STRING})
  | (?P<double>[0-9]++(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|\.[0-9]++(?:[eE][+-]?[0-9]++)?)
  | (?P<uint>(?:0x[0-9a-fA-F]++|[0-9]++)[uU])
  | (?P<int>0x[0-9a-fA-F]++|[0-9]++)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*+)
  | (?P<symbol>==|!=|<=|>=|&&|\|\||[\[\]{{}}().,\-!?:+*/%<>])
    """,
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS: Final[dict[str, Scalar]] = {"true": True, "false": False, "null": None}
_ESCAPED: Final = pattern(r"\\(?:([xX])(..)|(u)(....)|(U)(.{8})|([0-3][0-7][0-7])|(.))", re.DOTALL)


class LexicalError(Exception):
    """Text that cannot be read as a token; *position* is 0-based."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


@attrs.frozen
class Token:
    """A piece of a rule. *kind* is ``literal``, ``int``, ``uint``, ``double``, ``name``, ``end``, or the symbol itself.

    Only a ``literal`` (a string, bytes, ``true``, ``false``, ``null``) has its *value* already.
    """

    kind: str
    text: str
    position: int
    value: Scalar = None


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of *text*, the last of kind ``end``. Raises :class:`LexicalError` on reaching a fault.

    Numbers are returned as written (``text``), because ``-9223372036854775808`` is one literal with its sign:
    the parser converts them with :func:`number`.
    """
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position]
            if character in "\"'":
                raise LexicalError("this string does not end, or holds an unknown escape sequence", position)
            raise LexicalError(f"unexpected character {character!r}", position)
        kind = match.lastgroup
        lexeme = match[0]
        if kind in ("string", "bytes"):
            yield Token("literal", lexeme, position, _decoded(lexeme, position, raw_bytes=kind == "bytes"))
        elif kind == "name":
            if lexeme in _CONSTANTS:
                yield Token("literal", lexeme, position, _CONSTANTS[lexeme])
            else:
                yield Token("in" if lexeme == "in" else "name", lexeme, position)
        elif kind == "symbol":
            yield Token(lexeme, lexeme, position)
        elif kind is not None and kind != "space":
            yield Token(kind, lexeme, position)
        position = match.end()
    yield Token("end", "", len(text))


def number(token: Token, negative: bool) -> int | Uint | float:
    """Return the value of an ``int``, ``uint`` or ``double`` token. Raises :class:`LexicalError` outside 64 bit."""
    digits = token.text
    if token.kind == "double":
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise LexicalError("this number is too large for a double", token.position)
        return -value if negative else value
    if token.kind == "uint":
        digits = digits[:-1]
    # A bound on the length first: int() of a long decimal text takes quadratic time.
    significant = digits[2:].lstrip("0") if digits.startswith("0x") else digits.lstrip("0")
    if len(significant) <= 20:
        whole = int(significant or "0", 16 if digits.startswith("0x") else 10)
        if token.kind == "uint":
            if whole <= UINT_MAX:
                return Uint(whole)
        else:
            whole = -whole if negative else whole
            if INT_MIN <= whole <= INT_MAX:
                return whole
    raise LexicalError(f"this number does not fit in 64 bits ({token.kind})", token.position)


def _decoded(lexeme: str, position: int, raw_bytes: bool) -> str | bytes:
    """Return the content of a string or bytes literal, its escapes replaced."""
    body = lexeme[1:] if raw_bytes else lexeme
    raw = body[0] in "rR"
    if raw:
        body = body[1:]
    fence = 3 if len(body) >= 6 and body[:3] in ('"""', "'''") else 1
    body = body[fence:-fence].replace("\r\n", "\n").replace("\r", "\n")
    if raw_bytes:
        return _bytes(body, position, raw)
    if raw or "\\" not in body:
        return body

    def character(match: re.Match[str]) -> str:
        code = _code(match)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise LexicalError("this string escapes something that is not a Unicode character", position)
        return chr(code)

    return _ESCAPED.sub(character, body)


def _bytes(body: str, position: int, raw: bool) -> bytes:
    pieces: list[bytes] = []
    end = 0
    for match in () if raw else _ESCAPED.finditer(body):
        if match[3] or match[5]:
            raise LexicalError("Unicode escapes are not allowed in bytes", position)
        pieces += [body[end : match.start()].encode(), bytes([_code(match)])]
        end = match.end()
    pieces.append(body[end:].encode())
    return b"".join(pieces)


def _code(match: re.Match[str]) -> int:
    """Return the number of the character, or byte, that an escape of ``_ESCAPED`` stands for."""
    hexadecimal = match[2] or match[4] or match[6]
    if hexadecimal:
        return int(hexadecimal, 16)
    if match[7]:
        return int(match[7], 8)
    return ord(GO_ESCAPES.get(match[8], match[8]))
