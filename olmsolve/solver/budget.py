"""How much work a resolution may do before it ends with :class:`~olmsolve.errors.Incomplete`."""

from __future__ import annotations

import time
from typing import Final, Protocol

from olmsolve.errors import Incomplete

__all__ = ["Budget", "Cancellation"]

_FIRST_SLICE: Final = 200
_LARGEST_SLICE: Final = 50_000
# A slice should take about this long (seconds), so that a deadline or a cancellation is noticed soon.
_SLICE_SECONDS: Final = 0.05


class Cancellation(Protocol):
    """What a caller cancels with; a :class:`threading.Event` is one."""

    def is_set(self) -> bool: ...


class Budget:
    """Limits on wall-clock *timeout* (seconds), SAT *conflicts* in all, and a *cancel* flag; None is no limit.

    SAT solvers that cannot be interrupted are run in slices of conflicts, whose size follows the speed that
    the last slices had.
    """

    __slots__ = ("_cancel", "_conflicts", "_deadline", "_slice")

    def __init__(
        self,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
    ) -> None:
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._conflicts = conflicts
        self._cancel = cancel
        self._slice = _FIRST_SLICE

    @property
    def limited(self) -> bool:
        """Whether anything can end the work early."""
        return self._deadline is not None or self._conflicts is not None or self._cancel is not None

    def check(self) -> None:
        """Raise Incomplete when the time is over or the caller cancelled."""
        if self._cancel is not None and self._cancel.is_set():
            raise Incomplete("cancelled")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Incomplete("timeout")

    def slice(self) -> int:
        """How many conflicts the next run of a solver may take; raises Incomplete when there are none left."""
        self.check()
        if self._conflicts is None:
            return self._slice
        if self._conflicts <= 0:
            raise Incomplete("conflicts")
        return min(self._slice, self._conflicts)

    def spent(self, conflicts: int, seconds: float) -> None:
        """Account for a slice that took all its *conflicts* in *seconds* without an answer."""
        if self._conflicts is not None:
            self._conflicts -= conflicts
        if seconds < _SLICE_SECONDS:
            self._slice = min(self._slice * 2, _LARGEST_SLICE)
        elif seconds > 2 * _SLICE_SECONDS:
            self._slice = max(self._slice // 2, 1)
