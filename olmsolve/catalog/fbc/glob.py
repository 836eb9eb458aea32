"""Shell patterns for one name of a path, with the grammar of Go's ``path/filepath.Match``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from olmsolve.catalog.archives import PATH_LENGTH

_Ranges = tuple[bool, tuple[tuple[str, str], ...]]
_STAR: Final = "*"
_LONGEST: Final = 4 * PATH_LENGTH  # the four characters of a class stand for one


class _MalformedError(ValueError):
    pass


def compiled(pattern: str) -> Callable[[str], bool]:
    """Make a test from *pattern*: ``*``, ``?``, ``[a-z]``, ``[^a-z]`` and backslash escapes.

    At worst it takes time in proportion to the name's length times the pattern's. A malformed pattern matches nothing,
    and so does one that is longer than any name can be.
    """
    if not any(character in pattern for character in "*?[\\"):
        return pattern.__eq__
    if len(pattern) > _LONGEST:
        return lambda name: False
    return _Lazily(pattern)


class _Lazily:
    """The test of a *pattern*, which is made when it is first asked: most rules never are."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._made: Callable[[str], bool] | None = None

    def __call__(self, name: str) -> bool:
        """Return whether the pattern matches *name*."""
        if self._made is None:
            try:
                self._made = _test(_tokens(self._pattern))
            except _MalformedError:
                self._made = _nothing
        return self._made(name)


def _nothing(_: str) -> bool:
    return False


def _tokens(pattern: str) -> list[_Ranges | None]:
    """Return None for each star, and for anything else its characters as ranges, which may be negated.

    ``a*[^x-z]`` is ``(False, (("a", "a"),))``, ``None``, ``(True, (("x", "z"),))``.
    """
    tokens: list[_Ranges | None] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == _STAR:
            if not tokens or tokens[-1] is not None:
                tokens.append(None)
            position += 1
        elif character == "?":
            tokens.append((True, ()))
            position += 1
        elif character == "[":
            token, position = _class(pattern, position + 1)
            tokens.append(token)
        else:
            character, position = _literal(pattern, position)
            tokens.append((False, ((character, character),)))
    return tokens


def _class(pattern: str, position: int) -> tuple[_Ranges, int]:
    negated = pattern.startswith("^", position)
    position += negated
    ranges: list[tuple[str, str]] = []
    while not (ranges and pattern.startswith("]", position)):
        if pattern[position : position + 1] in ("", "-", "]"):
            raise _MalformedError
        low, position = _literal(pattern, position)
        high = low
        if pattern.startswith("-", position):
            position += 1
            if pattern[position : position + 1] in ("", "-", "]"):
                raise _MalformedError
            high, position = _literal(pattern, position)
        ranges.append((low, high))
    return (negated, tuple(ranges)), position + 1


def _literal(pattern: str, position: int) -> tuple[str, int]:
    if pattern[position] == "\\":
        position += 1
        if position == len(pattern):
            raise _MalformedError
    return pattern[position], position + 1


def _test(tokens: list[_Ranges | None]) -> Callable[[str], bool]:
    """Return the test of a pattern with *tokens*.

    What stands between two stars has a length of its own, so it is looked for from the left, and the first place where
    it is found is the best: ``a*b*c`` is "begins with a", then the first b, then "ends with c". Each is an expression
    without repeats, which the standard library finds in the time of name times pattern, in C.
    """
    pieces: list[list[_Ranges]] = [[]]
    for token in tokens:
        if token is None:
            pieces.append([])
        else:
            pieces[-1].append(token)
    first, *rest = [re.compile("".join(map(_expression, piece)), re.DOTALL) for piece in pieces]
    if not rest:
        return lambda name: first.fullmatch(name) is not None
    *middle, last = rest
    end = len(pieces[-1])

    def test(name: str) -> bool:
        found = first.match(name)
        for piece in middle:
            if found is None:
                return False
            found = piece.search(name, found.end())
        return found is not None and len(name) - end >= found.end() and last.match(name, len(name) - end) is not None

    return test


def _expression(token: _Ranges) -> str:
    """Return the regular expression of one *token*."""
    negated, ranges = token
    if not ranges:
        return "." if negated else "(?!)"
    # A range that ends before it begins holds nothing.
    inside = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges if low <= high)
    if not inside:
        return "." if negated else "(?!)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and not negated:
        return re.escape(ranges[0][0])
    return f"[{'^' if negated else ''}{inside}]"
