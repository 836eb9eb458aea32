"""The numbers that rows of the version before have in the tables of a new version.

A table gives its rows numbers in the order in which packages first need them. Rows of packages that did not change keep
their order, so that whole stretches of them rise or fall by one number. :class:`NewNumbers` notes it::

    before   strings 0  1..40  41..60  61..90      package b (41..60) changed, and now has three strings more
    now              0  1..40          64..93      put(1, 41, 1), put(61, 91, 64): now[61] == 64
                                                   now[41] is UNNUMBERED, until b, packed anew, asks for that string

Whoever adds a row that was there before looks its number up, or gives it one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve.catalog.index.lanes import is_all, shifted
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.tables import numbers

UNNUMBERED: Final = NONE
"""Stands in the place of a new number for an old row without one."""


class Ascending:
    """The numbers from 0 on, of which parts are copied."""

    # To copy 10,000 numbers takes 20 µs, to make them 150. Lists of them hold the same objects.

    def __init__(self, count: int) -> None:
        self._numbers = list(range(count))

    def __call__(self, first: int, end: int) -> list[int]:
        """Return the numbers from *first* to *end*."""
        return self._numbers[first:end] if end <= len(self._numbers) else list(range(first, end))


class NewNumbers:
    """The new numbers of the old rows of a table: *now* has the number of each, UNNUMBERED for a row without one (yet).

    *is_same* is True if every row with a number kept its old one: then columns of numbers are copied as they are.
    *moves* are stretches of rows that got their numbers together: the first, the end, and the number of the first.
    The first rows up to *fixed* have the same number in every index.
    """

    __slots__ = ("_ascending", "is_same", "moves", "now")

    def __init__(self, count: int, ascending: Ascending, fixed: int = 0) -> None:
        # Looks into a list take half of the time of looks into a column, which makes an object of each number.
        self.now: list[int] = [*range(fixed), *[UNNUMBERED] * (count - fixed)]
        self.is_same: bool = True
        self.moves: list[tuple[int, int, int]] = []
        self._ascending = ascending

    def put(self, first: int, end: int, number: int) -> None:
        """Give the old rows from *first* to *end* the numbers from *number*."""
        self.now[first:end] = self._ascending(number, number + end - first)
        self.is_same &= first == number
        self.moves.append((first, end, number))

    def new_rows(self, rows: array[int]) -> array[int]:
        """Return the number now of each of the old *rows*; all have one."""
        if self.is_same or not rows:
            return rows
        now = self.now
        # Ranges that no entry skips and texts that no requirement has are all the empty string.
        if is_all(rows, rows[0]):
            return numbers([now[rows[0]]]) * len(rows)
        return numbers([now[row] for row in rows])

    def fresh(self, first: int, end: int) -> Sequence[int]:
        """Return the rows from *first* to *end* that have no new number yet."""
        # Mostly no row has one. Number by number, the index of a new version of community-prod takes 10.4 ms, not 9.2.
        rows = self.now[first:end]
        if rows.count(UNNUMBERED) == len(rows):
            return range(first, end)
        return [row for row, number in enumerate(rows, first) if number == UNNUMBERED]


def stretches(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each stretch of *rows* without a gap: 3, 4, 5, 8 are (3, 6) and (8, 9)."""
    if not rows:
        return
    if isinstance(rows, range):
        yield rows[0], rows[-1] + 1
        return
    first = before = rows[0]
    for row in rows[1:]:
        if row != before + 1:
            yield first, before + 1
            first = row
        before = row
    yield first, before + 1


def moved_marks(marks: array[int], length: int, fresh: Sequence[int] | None) -> Sequence[int]:
    """Return where the rows of each package end now, if they began at *marks* and the table had *length* rows."""
    if fresh is None or len(fresh) == marks[-1] - marks[0]:
        return shifted(marks[1:], length - marks[0])
    return [length + bisect_left(fresh, mark) for mark in marks[1:]]
