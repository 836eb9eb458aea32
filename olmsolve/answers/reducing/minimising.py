"""Delta debugging (A. Zeller, R. Hildebrandt, 2002): the fewest parts of a list with which a predicate still holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Deadline:
    """The end of the time for a reduction; without a *timeout* (seconds of wall-clock time) there is none."""

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout

    @property
    def is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end


def fewest(parts: Sequence[T], holds: Callable[[list[T]], bool], deadline: Deadline) -> list[T]:
    """Return parts of *parts*, in their order, with which *holds* is true and without any one of which it is not.

    *holds* is true for all *parts*. Chunks are left out, large ones first, so that hundreds of parts that do not matter
    take a few tries::

        8 parts, of which the third matters:  without 1-8 no, without 1-4 no, without 5-8 yes, without 1-2 yes, ...

    At the *deadline* the parts that are left then are returned.
    """
    left = list(parts)
    size = len(left)
    while size and left:
        position = 0
        is_smaller = False
        while position < len(left) and not deadline.is_over:
            rest = left[:position] + left[position + size :]
            if holds(rest):
                left = rest
                is_smaller = True
            else:
                position += size
        # Taking out a single part may make an earlier one superfluous.
        if size > 1:
            size = min(size // 2, len(left))
        elif not is_smaller:
            break
        if deadline.is_over:
            break
    return left
