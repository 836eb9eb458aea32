"""The time limit of one question, shared by everything that a command does for it."""

from __future__ import annotations

import time
from typing import Final

# Budgets must be positive numbers. This one is over at once.
_MOMENT: Final = 1e-9


class TimeLimit:
    """The *seconds* that ``--timeout`` allows for a question, counted from now; None sets no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds that are left, always above 0; None without a limit."""
        return None if self._end is None else max(self._end - time.monotonic(), _MOMENT)
