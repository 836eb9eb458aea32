"""How much work a resolution may do before it ends with :class:`~olmsolve.errors.Incomplete`."""

from __future__ import annotations

import time
from types import UnionType
from typing import Final, Protocol

from olmsolve.errors import Incomplete, RequestError
from olmsolve.solver.trace import Trace

# Conflicts in the first run of a SAT solver, and in the longest.
_FIRST_SLICE: Final = 200
_LARGEST_SLICE: Final = 50_000
# Seconds that a slice should take: a deadline or a cancellation is noticed between two slices only.
_SLICE_SECONDS: Final = 0.05


class Cancellation(Protocol):
    """A flag with which a caller cancels work in another thread; a :class:`threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should stop."""
        ...


class Budget:
    """Limits on the work for one answer: *timeout* in seconds, *conflicts* of one question, a *cancel* flag.

    None sets no limit. A SAT solver cannot be interrupted, so it runs in *slices*: so many conflicts, then a look at
    the clock. The size of the next slice follows the speed of the last ones.

    Raises:
        RequestError: a limit is not a positive number.
    """

    __slots__ = ("_cancel", "_deadline", "_slice", "conflicts", "limited", "trace")

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
            _check_positive("conflicts", conflicts, int)
        if cancel is not None and not callable(getattr(cancel, "is_set", None)):
            reason = f"a {type(cancel).__name__} has no method is_set"
            raise RequestError(reason, field="cancel", hint="a threading.Event has one")
        self.conflicts = conflicts
        self._cancel = cancel
        self._slice = _FIRST_SLICE
        self.trace = Trace()
        """Where the work is counted."""
        self.limited: Final = timeout is not None or conflicts is not None or cancel is not None
        """Whether anything can end the work early."""

    def check(self) -> None:
        """Raise Incomplete if the time is over or the caller has cancelled."""
        if self._cancel is not None and self._cancel.is_set():
            raise Incomplete("cancelled")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Incomplete("timeout")

    def slice(self, spent: int) -> int:
        """Return the conflicts that the next run may take for a question that has *spent* some.

        Raises:
            Incomplete: none is left, the time is over, or the caller has cancelled.
        """
        self.check()
        if self.conflicts is None:
            return self._slice
        if spent >= self.conflicts:
            raise Incomplete("conflicts")
        return min(self._slice, self.conflicts - spent)

    def learn(self, seconds: float) -> None:
        """Fit the next slices to the *seconds* that a slice without an answer took."""
        if seconds < _SLICE_SECONDS:
            self._slice = min(self._slice * 2, _LARGEST_SLICE)
        elif seconds > 2 * _SLICE_SECONDS:
            self._slice = max(self._slice // 2, 1)


def _check_positive(name: str, limit: float, kind: type | UnionType = int | float) -> None:
    if isinstance(limit, bool) or not (isinstance(limit, kind) and limit > 0):
        raise RequestError(f"{limit!r} is not a positive number", field=name)
