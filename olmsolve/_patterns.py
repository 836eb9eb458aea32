"""Regular expressions that are compiled when they are first used.

Python compiles one in 30 to 500 us. A short command loads 70 of them with the modules that have them, and uses 20.
A module writes ``_DIGITS: Final = pattern("[0-9]+")`` in place of ``re.compile``, and uses it in the same way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _LazyPattern:
    """A pattern that is compiled when it is first used, and has the methods of the compiled pattern from then on."""

    def __init__(self, text: Any, flags: int) -> None:
        self._said = text, flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._said)
        for method in _METHODS:
            # Later calls find the method on the value, and are as quick as the pattern's own. `re.compile`, asked each
            # time, would look its text up for 2.6 µs.
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


if TYPE_CHECKING:

    def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """Return the pattern that ``re.compile`` makes, compiled when it is first used."""
else:

    def pattern(text, flags=0):
        """Return the pattern that ``re.compile`` makes, compiled when it is first used."""
        return _LazyPattern(text, flags)
