"""The tables of strings and of lists while a catalog is packed."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final, NoReturn

from olmsolve.catalog.index.schema import NONE
from olmsolve.errors import CatalogError

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
# Characters and parts of a requirement's value; a larger one stays in the catalog (see `HELD`).
_LARGE: Final = 1 << 14


def numbers(values: Iterable[int] = ()) -> array[int]:
    """Return *values* as a column: 4 bytes a number."""
    made = array("I", values)
    assert made.itemsize == 4
    return made


class Strings:
    """The table of strings, each kept once in its scope and known by its number.

    Names of packages, types, versions and ranges are shared by all packages. Names of bundles live in the scope of
    their package, so that they are together in the text, where :meth:`Strings.scoped` searches them, and the dict of
    names can be forgotten with the package.
    """

    def __init__(self) -> None:
        self.text: bytearray = bytearray()
        self.starts: array[int] = numbers([0])
        self._shared: dict[str, int] = {}
        self._scoped: dict[str, int] = {}
        self.number_of("")

    def number_of(self, text: str) -> int:
        """Return the number of a string that all packages share."""
        number = self._shared.get(text)
        if number is None:
            number = self._shared[text] = self._add(text)
        return number

    def scoped(self, text: str) -> int:
        """Return the number of a string in the scope of the package at hand."""
        if not text:
            return 0
        number = self._scoped.get(text)
        if number is None:
            number = self._scoped[text] = self._add(text)
        return number

    def find(self, text: str) -> int:
        """Return the number of a shared string, NONE if it was never added."""
        return self._shared.get(text, NONE)

    def text_of(self, number: int) -> str:
        """Return the string of this number."""
        return self.text[self.starts[number] : self.starts[number + 1]].decode("utf-8", "surrogatepass")

    def end_scope(self) -> None:
        """Forget the scope: a name that comes again is another string."""
        self._scoped.clear()

    def _add(self, text: str) -> int:
        self.text += text.encode("utf-8", "surrogatepass")
        if len(self.text) >= NONE:
            _refuse_size()
        self.starts.append(len(self.text))
        return len(self.starts) - 2


class Lists:
    """A table of lists, known by their numbers; equal ones are kept once until :meth:`forget`."""

    def __init__(self) -> None:
        self.starts: array[int] = numbers([0, 0])
        self.items: array[int] = numbers()
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def number_of(self, items: tuple[int, ...]) -> int:
        """Return the number of the list *items*, which is added if it is new."""
        number = self._numbers.get(items)
        if number is None:
            number = self._numbers[items] = len(self.starts) - 1
            self.items.extend(items)
            self.starts.append(len(self.items))
        return number

    def new(self, items: Iterable[int]) -> int:
        """Return the number of the list *items*, which is equal to hardly any other, and so is not looked up."""
        before = len(self.items)
        self.items.extend(items)
        if len(self.items) == before:
            return 0
        self.starts.append(len(self.items))
        return len(self.starts) - 2

    def at(self, number: int) -> array[int]:
        """Return the list of this number."""
        return self.items[self.starts[number] : self.starts[number + 1]]

    def forget(self) -> None:
        """Stop comparing with the lists so far, to save memory: lists of other packages are hardly ever equal."""
        self._numbers = {(): 0}


def starts(lists: Sequence[array[int]]) -> array[int]:
    """Return the positions at which *lists* begin in :func:`joined`, and the end of the last one."""
    beginnings, total = numbers([0]), 0
    for items in lists:
        total += len(items)
        beginnings.append(total)
    return beginnings


def joined(lists: Sequence[array[int]]) -> array[int]:
    """Return all *lists*, one after the other."""
    every = numbers()
    for items in lists:
        every.extend(items)
    return every


def json_text(value: Any) -> str | None:
    """Return *value* as JSON; None for a large value, and where reading the JSON would not give it back."""
    if not _is_small_json(value):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except ValueError:  # an integer of thousands of digits
        return None


def _is_small_json(value: Any) -> bool:
    """Return whether *value* consists of the types that JSON is read as, and of at most 16,384 characters and parts.

    Parts may be shared (aliases of YAML), so a value that is small in memory can be exponentially large as text.
    """
    size, pending = 0, [value]
    while pending:
        part = pending.pop()
        size += len(part) if type(part) is str else 1
        if size > _LARGE:
            return False
        if type(part) is dict:
            pending.extend(part.values())
            pending.extend(part)
            if any(type(key) is not str for key in part):
                return False
        elif type(part) is list:
            pending.extend(part)
        elif type(part) not in _SCALARS or (type(part) is float and not isfinite(part)):
            return False
    return True


def _refuse_size() -> NoReturn:
    raise CatalogError("its names take more than 4 GiB, too much for an index")
