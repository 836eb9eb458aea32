"""The reader of a text: a Python program, which passes arguments, or a person at the command line.

Hints name arguments for the one and options for the other. Texts of the package name a page of the documentation by its
file in the repository, ``docs/limits.md``. Who installed the package has no such file, so what commands print has the
page's address on the site in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from olmsolve._patterns import pattern

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


SITE: Final = "https://olmsolve.github.io/olmsolve/"
"""Where the documentation is published."""

_FILE: Final = pattern(r"\bdocs/([\w/-]+)\.md\b(?P<anchor>#[\w-]+)?")


def with_addresses(text: str) -> str:
    """Return *text* with the address of each page in place of its file.

    ::

        with_addresses("see docs/limits.md")    "see https://olmsolve.github.io/olmsolve/limits/"
    """
    return _FILE.sub(lambda link: f"{SITE}{link[1]}/{link['anchor'] or ''}", text)
