"""The reader of a message: a Python program, which passes arguments, or a person at the command line (options)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

# A context variable, as limits are: a program may run a command in one thread and call the library in another.
_TYPES_OPTIONS: Final[ContextVar[bool]] = ContextVar("types_options", default=False)


@contextmanager
def naming_options() -> Iterator[None]:
    """Let the messages of a block name options: the command line runs in such a block."""
    before = _TYPES_OPTIONS.set(True)
    try:
        yield
    finally:
        _TYPES_OPTIONS.reset(before)


def for_reader(*, python: str, option: str) -> str:
    """Return the hint for whoever reads it: *python* names arguments and functions, *option* what can be typed.

    >>> for_reader(python="leave out anonymise", option="leave out --anonymise")
    'leave out anonymise'
    """
    return option if _TYPES_OPTIONS.get() else python
