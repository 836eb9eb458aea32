"""Regular expressions of ``matches``: RE2, which takes time in proportion to the text.

OLM uses Go's ``regexp``, whose syntax is nearly RE2's: this module refuses expressions that RE2 alone accepts, and
docs/parsing.md lists the Unicode classes that Go alone knows. google-re2 is imported with the first pattern.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cel.operations import shown
from olmsolve.cel.values import Failure
from olmsolve.semver import well_formed


@attrs.frozen
class Pattern:
    """A compiled expression, or the fault of a wrong one; *size* is the length of RE2's program for it."""

    size: int
    _search: Callable[[str], object] | None = None
    _fault: str = ""

    def found_in(self, text: str, spend: Callable[[int], None]) -> bool:
        """Return True if *text* contains a match; pass the work to *spend*. Raises :class:`.values.Failure`."""
        if self._search is None:
            raise Failure(self._fault)
        # At worst, RE2 falls back from a deterministic automaton to one that walks the whole program for every
        # character, in quick steps: 128 of them count as one.
        spend(1 + (len(text) * self.size >> 7))
        try:
            return self._search(text) is not None
        except UnicodeEncodeError:
            return self._search(well_formed(text)) is not None


def compiled_pattern(expression: Any) -> Pattern:
    """Return the pattern for *expression*; a pattern that is not valid fails when it is used, not here."""
    if not isinstance(expression, str):
        return Pattern(0, None, "a regular expression is a string")
    return _remembered(expression) if len(expression) < 1024 else _compiled(expression)


# Quoted text, escapes, character classes and the beginning of named groups, from left to right: a group's beginning
# inside of quoted text or of a class is plain text.
_PART: Final = pattern(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<(?P<name>[^>]*)>", re.DOTALL
)
_GROUP_NAME: Final = pattern(r"[A-Za-z0-9_]+")


def _refused_by_go(expression: str) -> str:
    """Return the reason why Go refuses *expression* although RE2 accepts it, "" if Go accepts it too."""
    names: set[str] = set()
    for part in _PART.finditer(expression):
        name = part["name"]
        if part[0] == r"\C":
            return r"\C, a single byte, is not supported"
        if name is not None and not _GROUP_NAME.fullmatch(name):
            return "a group's name has letters, digits and underscores"
        if name is not None and name in names:
            return f"two groups are named {name}"
        if name is not None:
            names.add(name)
    return ""


def _compiled(expression: str) -> Pattern:
    """Compile *expression* with RE2, or say why Go or RE2 refuses it."""
    fault = _refused_by_go(expression)
    if fault:
        return Pattern(0, None, f"{shown(expression)} is not a regular expression: {fault}"[:300])
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        pattern = re2.compile(expression, options)
    except (re2.error, UnicodeEncodeError) as error:
        return Pattern(0, None, f"{shown(expression)} is not a regular expression: {error}"[:300])
    return Pattern(pattern.programsize, pattern.search)


_remembered = lru_cache(maxsize=256)(_compiled)
