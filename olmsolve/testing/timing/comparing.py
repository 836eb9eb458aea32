"""The comparison of two reports: changes told from noise.

Seconds are compared in units of each process's yardstick, so that a slower or busier machine is no regression. A phase
counts as changed if two things hold. Every process of one report was slower than every process of the other one: with
five each, chance alone does that once in 126 comparisons. And the medians differ by more than :data:`TOLERANCE`, since
a difference that is certain may still be too small to matter.

A busy machine disturbs a process now and then. So where the medians differ by more than :data:`LARGE`, one process of
each report may stand aside::

    before  22.1 21.8 22.0 22.2 22.2     after  27.9 27.1 21.9 28.9 27.8     slower: 21.9 stands aside
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from olmsolve.errors import RequestError
from olmsolve.testing.timing.report import BenchReport, PhaseChange, PhaseTimes

TOLERANCE: Final = 0.05
"""The least change of a median that counts: 5 %."""

LARGE: Final = 0.15
"""The change of a median from which one process of each report may stand aside: 15 %."""

_FEWEST: Final = 5  # processes of which one may stand aside
_SHOWN: Final = 3


def changes(report: BenchReport, baseline: BenchReport) -> tuple[PhaseChange, ...]:
    """Return how each phase that both reports have compares with the *baseline*, in the order of *report*.

    Raises:
        RequestError: the reports are about different requests, or have no phase in common.
    """
    _refuse_other_requests(report, baseline)
    before = {(each.phase, each.backend): each for each in baseline.phases}
    found = tuple(
        _change(each, report.yardstick, before[each.phase, each.backend], baseline.yardstick)
        for each in report.phases
        if (each.phase, each.backend) in before
    )
    if not found:
        raise RequestError("measured no phase of this report", field="the baseline", hint="measure a new baseline")
    return found


def _change(now: PhaseTimes, unit: Sequence[float], then: PhaseTimes, unit_then: Sequence[float]) -> PhaseChange:
    """Compare the phase *now* with *then*, each in the units of its processes."""
    after = [seconds / each for seconds, each in zip(now.seconds, unit, strict=True)]
    before = [seconds / each for seconds, each in zip(then.seconds, unit_then, strict=True)]
    ratio = median(after) / median(before) if median(before) else 1.0
    difference = abs(ratio - 1)
    aside = 1 if difference > LARGE and min(len(after), len(before)) >= _FEWEST else 0
    is_certain = difference > TOLERANCE and (_is_above(after, before, aside) or _is_above(before, after, aside))
    return PhaseChange(now.phase, now.backend, ratio, is_certain)


def _is_above(figures: Sequence[float], others: Sequence[float], aside: int) -> bool:
    """Return whether all *figures* are above all *others*, but for the *aside* nearest of each."""
    return sorted(figures)[aside] > sorted(others)[-1 - aside]


def _refuse_other_requests(report: BenchReport, baseline: BenchReport) -> None:
    """Raise RequestError unless both reports are about the same requests with the same outcomes."""
    now = {each.name: each.outcome for each in report.requests}
    then = {each.name: each.outcome for each in baseline.requests}
    different = sorted(now.items() ^ then.items())
    if different:
        names = list(dict.fromkeys(name for name, _ in different))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise RequestError(
            f"is about other requests or outcomes: {', '.join(names[:_SHOWN])}{more}",
            field="the baseline",
            hint="measure a new baseline",
        )
