"""Shell patterns for one name of a path, with the grammar of Go's ``path/filepath.Match``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_Ranges = tuple[bool, tuple[tuple[str, str], ...]]
_STAR: Final = "*"


class _MalformedError(ValueError):
    pass


def compiled(pattern: str) -> Callable[[str], bool]:
    """Make a test from *pattern*: ``*``, ``?``, ``[a-z]``, ``[^a-z]`` and backslash escapes.

    At worst it takes time in proportion to the name's length times the pattern's. A malformed pattern matches nothing.
    """
    if not any(character in pattern for character in "*?[\\"):
        return pattern.__eq__
    try:
        tokens = _tokens(pattern)
    except _MalformedError:
        return lambda name: False
    return lambda name: _matches(tokens, name)


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


def _matches(tokens: list[_Ranges | None], name: str) -> bool:
    # Where a match fails, only the last star takes one more character: if an earlier star could help, the last one can
    # as well. So the time is bounded by name times pattern, where trying all stars would be exponential.
    position = token = 0
    star, resume = -1, 0
    while position < len(name):
        if token < len(tokens):
            wanted = tokens[token]
            if wanted is None:
                star, resume = token, position
                token += 1
                continue
            negated, ranges = wanted
            if any(low <= name[position] <= high for low, high in ranges) != negated:
                position += 1
                token += 1
                continue
        if star < 0:
            return False
        resume += 1
        token, position = star + 1, resume
    return all(rest is None for rest in tokens[token:])
