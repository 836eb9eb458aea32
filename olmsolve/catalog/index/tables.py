"""Strings and lists on their way into columns."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final, NoReturn

from olmsolve.catalog.index.packed import encoded
from olmsolve.catalog.index.schema import NONE
from olmsolve.errors import CatalogError

__all__ = ["Lists", "Strings", "append", "joined", "json_text", "numbers", "starts"]

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
# Characters and parts of a requirement's value; what is larger stays in the catalog.
_LARGE: Final = 1 << 14


def numbers(values: Iterable[int] = ()) -> array[int]:
    """An array as columns have them: 4 bytes a number."""
    made = array("I", values)
    assert made.itemsize == 4
    return made


class Strings:
    """The table of strings. A string of one scope is kept once; bundles' names live in the scope of their package."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.starts = numbers([0])
        self._shared: dict[str, int] = {}
        self._scoped: dict[str, int] = {}
        self.of("")

    def of(self, text: str) -> int:
        place = self._shared.get(text)
        if place is None:
            place = self._shared[text] = self._add(text)
        return place

    def scoped(self, text: str) -> int:
        if not text:
            return 0
        place = self._scoped.get(text)
        if place is None:
            place = self._scoped[text] = self._add(text)
        return place

    def find(self, text: str) -> int:
        """The place of a string that is not of a scope, NONE if there is none."""
        return self._shared.get(text, NONE)

    def text_of(self, place: int) -> str:
        return self.text[self.starts[place] : self.starts[place + 1]].decode("utf-8", "surrogatepass")

    def end_scope(self) -> None:
        self._scoped.clear()

    def _add(self, text: str) -> int:
        self.text += encoded(text)
        if len(self.text) >= NONE:
            _refuse_size()
        self.starts.append(len(self.text))
        return len(self.starts) - 2


class Lists:
    """A table of lists; equal ones are kept once until :meth:`forget`."""

    def __init__(self) -> None:
        self.starts = numbers([0, 0])
        self.items = numbers()
        self._known: dict[tuple[int, ...], int] = {(): 0}

    def of(self, items: tuple[int, ...]) -> int:
        place = self._known.get(items)
        if place is None:
            place = self._known[items] = len(self.starts) - 1
            self.items.extend(items)
            self.starts.append(len(self.items))
        return place

    def at(self, place: int) -> array[int]:
        return self.items[self.starts[place] : self.starts[place + 1]]

    def forget(self) -> None:
        self._known = {(): 0}


def append(numbers: array[int], number: int) -> None:
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def starts(lists: Sequence[array[int]]) -> array[int]:
    found, total = numbers([0]), 0
    for items in lists:
        total += len(items)
        found.append(total)
    return found


def joined(lists: Sequence[array[int]]) -> array[int]:
    every = numbers()
    for items in lists:
        every.extend(items)
    return every


def json_text(value: Any) -> str | None:
    """*value* as JSON, None if reading that would not give it back, or for one that is large."""
    if not _is_small_json(value):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except ValueError:  # an integer of thousands of digits
        return None


def _is_small_json(value: Any) -> bool:
    """Whether *value* is made of what JSON is read as, and of little of it.

    Parts may be shared (aliases of YAML), so what is small in memory can be exponentially large as text.
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
