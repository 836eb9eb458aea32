"""The tables of strings and of lists while a catalog is packed."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from math import isfinite
from typing import Any, Final, NoReturn

from olmsolve.catalog.index.schema import NONE
from olmsolve.errors import CatalogError

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
# Characters and parts of a requirement's value; a larger one stays in the catalog (see `HELD`).
_LARGE: Final = 1 << 14
_TOP: Final = 1 << 31
_UTF_32: Final = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_MOST_KEPT: Final = 16  # bits of a number of lanes: 65,536 lanes of ones take 280 KB


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


def shifted(values: array[int], by: int, times: int = 1) -> array[int]:
    """Return each of *values* multiplied and raised *by* so much, none of which leaves 32 bits.

    All are lanes of one large integer, and one addition raises all: 10,000 numbers take 60 µs, one by one 250::

        values 3, 4 raised by 5     0x00000003_00000004 + 5 * 0x00000001_00000001 == 0x00000008_00000009
    """
    count, order = len(values), sys.byteorder
    if (not by and times == 1) or not count:
        return values
    lanes = int.from_bytes(values.tobytes(), order)
    raised = (lanes * times if times != 1 else lanes) + _ones(count) * by
    return array("I", raised.to_bytes(4 * count, order))


def shifted_apart(values: array[int], limit: int, below: int, above: int) -> array[int]:
    """Return each of *values* raised by *below* if it is less than *limit*, and by *above* otherwise.

    *limit* is at most 2**31, and so are all values, unless it is exactly that. Bit 31 of a lane then says whether its
    number reaches the limit: 10,000 numbers take 80 µs, one by one 210::

        values 3, 7, limit 5: lanes + (2**31 - 5) has bit 31 in the lane of 7 alone
    """
    if below == above:
        return shifted(values, below)
    count, order = len(values), sys.byteorder
    if not count:
        return values
    lanes, ones = int.from_bytes(values.tobytes(), order), _ones(count)
    reaching = (lanes + ones * (_TOP - limit)) >> 31 & ones
    raised = lanes + reaching * (above - below)
    return array("I", (raised + ones * below if below else raised).to_bytes(4 * count, order))


def halved(values: array[int]) -> array[int]:
    """Return half of each of *values*, all of which are even: no bit of one lane comes into the next."""
    # 0x00000006_00000004 >> 1 == 0x00000003_00000002: a seventh of the time of one number after the other.
    lanes = int.from_bytes(values.tobytes(), sys.byteorder) >> 1
    return array("I", lanes.to_bytes(4 * len(values), sys.byteorder))


def _ones(count: int) -> int:
    # 0x00000001_00000001 for 2: times 5, it is 5 in each lane. They are cut out of the ones for a power of two, which
    # are kept. Cutting takes a fifth of the time of making them, and so `shifted` takes three quarters of its time.
    bits = count.bit_length()
    return _ones_of(bits) >> 32 * ((1 << bits) - count) if bits <= _MOST_KEPT else _new_ones(count)


def _new_ones(count: int) -> int:
    return int.from_bytes((array("I", [1]) * count).tobytes(), sys.byteorder)


@cache
def _ones_of(bits: int) -> int:
    return _new_ones(1 << bits)


def is_all(values: array[int], number: int) -> bool:
    """Return whether each of *values* is this *number*."""
    # Two columns are compared in a tenth of the time in which one is walked.
    return values == array("I", [number]) * len(values)


def distinct(values: array[int]) -> set[int]:
    """Return the numbers in *values*, of which most are 0: 10,000 numbers take 30 µs and not 130."""
    # Lanes of 32 bits are the characters of a text in UTF-32, which loses its zeros at the speed of copying.
    try:
        text = values.tobytes().decode(_UTF_32, "surrogatepass")
    except UnicodeDecodeError:  # a number from 1,114,112 on
        return {*values}
    others = text.replace("\0", "")
    rest = array("I", others.encode(_UTF_32, "surrogatepass"))
    return {*rest, 0} if len(rest) < len(values) else {*rest}


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
