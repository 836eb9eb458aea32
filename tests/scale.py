"""How much of each random law is tried: a third whenever the suite runs, everything with ``OLMSOLVE_TESTS=long``.

The laws are the same; only their samples are smaller. Recorded vectors are never sampled on the default engine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ["LONG", "sampled", "scaled"]

T = TypeVar("T")

LONG: Final = os.environ.get("OLMSOLVE_TESTS") == "long"
"""Whether everything is tried, however long that takes."""


def scaled(count: int) -> int:
    """*count* seeds, or as many of them as the short run tries."""
    return count if LONG else count // 3


def sampled(values: Sequence[T], every: int, offset: int = 0) -> Sequence[T]:
    """All *values*, or in the short run one in *every*, from *offset* on: several offsets share the values."""
    return values if LONG else values[offset % every :: every]
