"""Results of a benchmark, as values. All times are CPU seconds of one process, which other programs disturb least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

import attrs

SCHEMA: Final = "olmsolve.bench"
SCHEMA_VERSION: Final = 1

PERCENTILES: Final = (50, 90, 99, 100)
"""The percentiles of a table; 100 is the slowest request."""


@attrs.frozen
class PhaseTimes:
    """The *seconds* of one *phase*, one figure from each process, for all its *count* calls together.

    *backend* is "" for the phases that ask no solver.
    """

    phase: str
    backend: str
    count: int
    seconds: tuple[float, ...]

    @property
    def typical(self) -> float:
        """The median of the processes."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """The median distance of the processes from the median, relative to it: 0.02 is 2 %."""
        middle = self.typical
        return median(abs(each - middle) for each in self.seconds) / middle if middle else 0.0

    def to_dict(self) -> dict[str, Any]:
        return attrs.asdict(self)


@attrs.frozen
class BackendCounts:
    """The work of one *backend* over all requests, which does not vary between processes.

    *candidates* were looked at, *conflicts* learned from, *calls* made to a SAT solver with *clauses* in all.
    """

    backend: str
    candidates: int
    conflicts: int
    calls: int
    clauses: int

    def to_dict(self) -> dict[str, Any]:
        return attrs.asdict(self)


@attrs.frozen
class RequestTimes:
    """One request by *name*: its *outcome*, and the median *seconds* of a repeated answer by backend.

    *outcome* is "plan", "unsatisfiable", or "broken" where a fault of a catalog decides it.
    """

    name: str
    outcome: str
    seconds: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "outcome": self.outcome, "seconds": dict(self.seconds)}


@attrs.frozen
class TimedCatalog:
    """A catalog that was measured, by the *path* or document that names it."""

    path: str
    packages: int
    bundles: int

    def to_dict(self) -> dict[str, Any]:
        return attrs.asdict(self)


@attrs.frozen
class BenchReport:
    """The figures of one benchmark.

    *yardstick* are the seconds that a fixed piece of work took, one figure from each process: a run on a busier or
    slower machine takes longer for it as well, so reports are compared in these units. *python* and *version* (of
    olmsolve) say what ran, *semantics* how compound constraints were meant.
    """

    version: str
    python: str
    semantics: str
    catalogs: tuple[TimedCatalog, ...]
    yardstick: tuple[float, ...]
    phases: tuple[PhaseTimes, ...]
    counts: tuple[BackendCounts, ...]
    requests: tuple[RequestTimes, ...]

    @property
    def backends(self) -> tuple[str, ...]:
        """The names of the backends, in the order in which they were named."""
        return tuple(each.backend for each in self.counts)

    def percentiles(self, backend: str) -> tuple[float, ...]:
        """Return the seconds within which :data:`PERCENTILES` of the requests were answered again."""
        return percentiles([each.seconds[backend] for each in self.requests])

    def hardest(self, most: int = 5) -> tuple[RequestTimes, ...]:
        """Return the *most* requests that took longest, by the first backend, longest first."""
        first = self.backends[0] if self.counts else ""
        return tuple(sorted(self.requests, key=lambda each: (-each.seconds[first], each.name))[:most])

    def to_dict(self) -> dict[str, Any]:
        """Return the report for tools; docs/bench.md gives the meaning of the fields."""
        return {
            "schema": SCHEMA,
            "schemaVersion": SCHEMA_VERSION,
            "version": self.version,
            "python": self.python,
            "semantics": self.semantics,
            "catalogs": [each.to_dict() for each in self.catalogs],
            "yardstick": list(self.yardstick),
            "phases": [{**each.to_dict(), "seconds": list(each.seconds)} for each in self.phases],
            "counts": [each.to_dict() for each in self.counts],
            "requests": [each.to_dict() for each in self.requests],
        }


def percentiles(seconds: Sequence[float]) -> tuple[float, ...]:
    """Return :data:`PERCENTILES` of *seconds*: of 200, the 99th is the third longest; () of none.

    The nearest rank is taken, so that each figure is one that was measured.
    """
    ordered = sorted(seconds)
    if not ordered:
        return ()
    return tuple(ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in PERCENTILES)
