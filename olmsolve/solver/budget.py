"""The limits of one question to the solver, cut into slices for SAT solvers, which cannot be interrupted."""

from __future__ import annotations

from typing import Final

from olmsolve._limits import Cancellation, Limits, current
from olmsolve.solver.trace import Trace

# Conflicts in the first run of a SAT solver, and in the longest.
_FIRST_SLICE: Final = 50
_LARGEST_SLICE: Final = 50_000
# Seconds that a slice should take: a deadline or a cancellation is noticed between two slices only.
_SLICE_SECONDS: Final = 0.05


class Budget(Limits):
    """Limits on the work for one answer, within the limits of the current scope (:func:`olmsolve.limited`).

    A SAT solver runs in *slices*: so many conflicts, then a look at the limits. The size of the next slice follows the
    speed of the last ones.

    Raises:
        RequestError: a limit is not a positive number.
    """

    __slots__ = ("_slice", "trace")

    def __init__(
        self,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
    ) -> None:
        super().__init__(timeout, conflicts, cancel)
        self.narrow(current())
        self._slice = _FIRST_SLICE
        self.trace: Trace = Trace()
        """Where the work is counted."""

    def slice(self, spent: int) -> int:
        """Return the conflicts that the next run may take for a question that has *spent* some.

        Raises:
            Incomplete: none is left, the time is over, or the caller has cancelled.
        """
        self.check()
        if self.conflicts is None:
            return self._slice
        if spent >= self.conflicts:
            from olmsolve.errors import Incomplete

            raise Incomplete("conflicts")
        return min(self._slice, self.conflicts - spent)

    def learn(self, seconds: float) -> None:
        """Fit the next slices to the *seconds* that a slice without an answer took."""
        if seconds < _SLICE_SECONDS:
            self._slice = min(self._slice * 2, _LARGEST_SLICE)
        elif seconds > 2 * _SLICE_SECONDS:
            self._slice = max(self._slice // 2, 1)
