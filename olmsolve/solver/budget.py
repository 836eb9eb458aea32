"""How much work a resolution may do before it ends with :class:`~olmsolve.errors.Incomplete`."""

from __future__ import annotations

import time
from typing import Final, Protocol

from olmsolve.errors import Incomplete, RequestError

__all__ = ["Budget", "Cancellation"]

_FIRST_SLICE: Final = 200
_LARGEST_SLICE: Final = 50_000
# A slice should take about this long (seconds), so that a deadline or a cancellation is noticed soon.
_SLICE_SECONDS: Final = 0.05


class Cancellation(Protocol):
    """What a caller cancels with; a :class:`threading.Event` is one."""

    def is_set(self) -> bool: ...


class Budget:
    """Limits on wall-clock *timeout* (seconds), SAT *conflicts* of one question, and a *cancel* flag; None is none.

    SAT solvers that cannot be interrupted are run in slices of conflicts, whose size follows the speed that
    the last slices had.

    Raises:
        RequestError: a limit is no positive number.
    """

    __slots__ = ("_cancel", "_conflicts", "_deadline", "_slice", "limited")

    def __init__(
        self,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
    ) -> None:
        self._deadline: float | None = None
        if timeout is not None:
            _check_positive("timeout", timeout)
            self._deadline = time.monotonic() + timeout
        if conflicts is not None:
            _check_positive("conflicts", conflicts)
        self._conflicts = conflicts
        self._cancel = cancel
        self._slice = _FIRST_SLICE
        self.limited: Final = timeout is not None or conflicts is not None or cancel is not None
        """Whether anything can end the work early."""

    def check(self) -> None:
        """Raise Incomplete when the time is over or the caller cancelled."""
        if self._cancel is not None and self._cancel.is_set():
            raise Incomplete("cancelled")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Incomplete("timeout")

    def slice(self, spent: int) -> int:
        """How many conflicts the next run may take of a question that took *spent*; raises Incomplete if none."""
        self.check()
        if self._conflicts is None:
            return self._slice
        if spent >= self._conflicts:
            raise Incomplete("conflicts")
        return min(self._slice, self._conflicts - spent)

    def learn(self, seconds: float) -> None:
        """Fit the next slices to how long one took that ended without an answer."""
        if seconds < _SLICE_SECONDS:
            self._slice = min(self._slice * 2, _LARGEST_SLICE)
        elif seconds > 2 * _SLICE_SECONDS:
            self._slice = max(self._slice // 2, 1)


def _check_positive(name: str, limit: float) -> None:
    if not (isinstance(limit, int | float) and limit > 0):
        raise RequestError(f"{limit!r} is no positive number", field=name)
