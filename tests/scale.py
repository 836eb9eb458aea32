"""How much of each random law is tried: an eighth whenever the suite runs, everything with ``OLMSOLVE_TESTS=long``.

The laws are the same; only their samples are smaller. Recorded vectors are never sampled on the default engine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ["LONG", "grouped", "sampled", "scaled"]

T = TypeVar("T")

LONG: Final = os.environ.get("OLMSOLVE_TESTS") == "long"
"""Whether everything is tried, however long that takes."""


def scaled(count: int, part: int = 8) -> int:
    """Return *count* seeds or examples, or in the short run an eighth of them and at least one.

    Laws about something rare take a larger *part*, such as 3 for a third, so that each run meets it often enough.
    """
    return count if LONG else max(1, count // part)


def sampled(values: Sequence[T], every: int, offset: int = 0) -> Sequence[T]:
    """Return all *values*, or in the short run one in *every*, from *offset* on: several offsets share the values."""
    return values if LONG else values[offset % every :: every]


def grouped(values: Sequence[T], size: int = 50) -> dict[str, Sequence[T]]:
    """Return *values* in groups, each by the numbers of its first and last.

    A test of some thousand recorded lines that takes a tenth of a millisecond each is one for each group: a test runner
    takes ten times as long for each test.
    """
    starts = range(0, len(values), size)
    return {f"{start}-{min(start + size, len(values)) - 1}": values[start : start + size] for start in starts}
