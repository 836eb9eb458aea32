"""The time that resolutions took: the one metric that no value holds, because values do not change with time."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from olmsolve.lifecycle.metrics.families import MetricFamily, MetricKind, Sample

P = ParamSpec("P")
T = TypeVar("T")

_SUCCEEDED: Final = "succeeded"
_FAILED: Final = "failed"


class ResolutionTimes:
    """A clock around calls, for ``olm_resolution_duration_seconds`` by outcome. Safe to share between threads.

    *clock* gives seconds; only differences count.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = Lock()
        self._counts = {_FAILED: 0, _SUCCEEDED: 0}
        self._seconds = {_FAILED: 0.0, _SUCCEEDED: 0.0}

    def __repr__(self) -> str:
        return f"<ResolutionTimes: {self._counts[_SUCCEEDED]} succeeded, {self._counts[_FAILED]} failed>"

    def measured(self, resolve: Callable[P, T]) -> Callable[P, T]:
        """Return *resolve* with a clock around each call; a call that raises counts as failed."""

        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            outcome, begun = _FAILED, self._clock()
            try:
                answer = resolve(*args, **kwargs)
                outcome = _SUCCEEDED
                return answer
            finally:
                self._note(outcome, self._clock() - begun)

        return run

    def families(self) -> tuple[MetricFamily, ...]:
        """Return the metric with the counts and the seconds so far."""
        with self._lock:
            samples = [
                Sample(value, {"outcome": outcome}, suffix)
                for outcome in (_FAILED, _SUCCEEDED)
                for value, suffix in ((float(self._counts[outcome]), "_count"), (self._seconds[outcome], "_sum"))
            ]
        purpose = "How long attempts at dependency resolution took."
        return (MetricFamily("olm_resolution_duration_seconds", MetricKind.SUMMARY, purpose, tuple(samples)),)

    def _note(self, outcome: str, seconds: float) -> None:
        with self._lock:
            self._counts[outcome] += 1
            self._seconds[outcome] += seconds
