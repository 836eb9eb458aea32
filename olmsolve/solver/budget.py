"""The work for one answer: its limits, cut into slices for SAT solvers, which cannot be interrupted, and its trace.

A trace counts the work, and sends events to an observer.
"""

from __future__ import annotations

import time
from typing import Any, Final

from olmsolve import events
from olmsolve._limits import Cancellation, Limits, current
from olmsolve.solver.constraints import Identifier


class Trace:
    """Counts of *candidates* looked at, *conflicts*, *calls* of SAT solvers and their *clauses*, with the time.

    The methods that take note of something do nothing here: a caller asks *observed* first, which saves the call.
    """

    __slots__ = ("_began", "_ended", "_searched", "_started", "calls", "candidates", "clauses", "conflicts")

    observed = False

    def __init__(self) -> None:
        self.candidates: int = 0
        self.conflicts: int = 0
        self.calls: int = 0
        self.clauses: int = 0
        # By time.perf_counter: when the question was posed, when the search began and
        # ended, and when the solver was done.
        self._started = self._began = self._searched = self._ended = time.perf_counter()

    def note_problem(self, problem: object) -> None:
        """Note the problem that is posed."""

    def begin_search(self) -> None:
        """Note that the problem is stated, and the search begins."""
        self._began = time.perf_counter()

    def end_search(self) -> None:
        """Note that a solution was found, or that there is none."""
        self._searched = time.perf_counter()

    def end(self) -> None:
        """Note that the solver is done, with a core if there is no solution."""
        self._ended = time.perf_counter()

    def statistics(self) -> events.Statistics:
        """Return the work until now."""
        now = time.perf_counter()
        # Phases that were not reached end where the last one began.
        began = max(self._began, self._started)
        searched = max(self._searched, began)
        ended = max(self._ended, searched)
        seconds = events.PhaseSeconds(began - self._started, searched - began, ended - searched, now - ended)
        return events.Statistics(self.candidates, self.conflicts, self.calls, self.clauses, seconds)

    def passed_over(self, identifier: Identifier, cause: Any) -> None:
        """Take note that *identifier* is passed over because of *cause*.

        *cause* is a :class:`~olmsolve.solver.selection.Violation`, a constraint, the name of an at-most-one group, or
        None where a search learned it.
        """

    def learnt(self, conditions: int) -> None:
        """Take note of a conflict: so many *conditions* cannot hold together."""

    def asked(self, backend: str, assumptions: int) -> None:
        """Take note of a question to a SAT solver."""

    def answered(self, backend: str, answer: bool | None, seconds: float) -> None:
        """Take note of the answer of a SAT solver."""


class ToldTrace(Trace):
    """A trace that also sends events about conflicts and SAT solvers to *observer*."""

    __slots__ = ("_observer",)

    observed = True

    def __init__(self, observer: events.Observer) -> None:
        super().__init__()
        self._observer = observer

    def learnt(self, conditions: int) -> None:
        """Tell of a conflict."""
        self._observer.learnt(events.ConflictLearnt(self.conflicts, conditions, events.now()))

    def asked(self, backend: str, assumptions: int) -> None:
        """Tell of a question to a SAT solver."""
        self._observer.backend_asked(events.BackendAsked(backend, self.clauses, assumptions, events.now()))

    def answered(self, backend: str, answer: bool | None, seconds: float) -> None:
        """Tell of the answer of a SAT solver."""
        self._observer.backend_answered(events.BackendAnswered(backend, answer, events.now(), seconds))


def current_trace() -> Trace:
    """Return a new trace, which sends events to the current observer, if there is one."""
    observer = events.current()
    return Trace() if observer is None else ToldTrace(observer)


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
        """Return how many conflicts the next run may take for a question that has taken *spent* conflicts so far.

        Raises:
            Incomplete: no conflict is left, the time is over, or the caller has cancelled.
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
