"""Results of a benchmark, as values. All times are CPU seconds of one process, which other programs disturb least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final, Literal

from olmsolve._records import Record, documented, field, record
from olmsolve.resolution import SEMANTICS

SCHEMA: Final = "olmsolve.bench"
SCHEMA_VERSION: Final = 1

PERCENTILES: Final = (50, 90, 99, 100)
"""The percentiles of a table; 100 is the slowest request."""

_POSITIVE: Final = {"exclusiveMinimum": 0}
_SECONDS: Final = {"minItems": 1, "items": {"type": "number", **_POSITIVE}}


@record
class PhaseTimes(Record):
    """The seconds of one phase, for all its calls together."""

    phase: str = field(
        "The phase of resolution.",
        schema={"enum": ["load", "index", "first", "repeated", "verdict", "core", "explanation"]},
    )
    backend: str = field("The backend; empty where none is asked.")
    count: int = field("The number of calls.", schema={"minimum": 1})
    seconds: tuple[float, ...] = field("Of all calls, for each process.", schema=_SECONDS)

    @property
    def typical(self) -> float:
        """The median of the processes."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """The median distance of the processes from the median, relative to it: 0.02 is 2 %."""
        middle = self.typical
        return median(abs(each - middle) for each in self.seconds) / middle if middle else 0.0


@record
class BackendCounts(Record):
    """The work of one backend over all requests, which does not vary between processes."""

    backend: str = field("The backend.")
    candidates: int = field("Candidates looked at.")
    conflicts: int = field("Conflicts learned from.")
    calls: int = field("Calls of a SAT solver.")
    clauses: int = field("Clauses given to SAT solvers.")


@record
class RequestTimes(Record):
    """The time that one request takes."""

    name: str = field("The name of the request.")
    outcome: str = field(
        "What the answer is: broken where a fault of a catalog decides it.",
        schema={"enum": ["plan", "unsatisfiable", "broken"]},
    )
    seconds: Mapping[str, float] = field(
        "The median seconds of a repeated answer, by backend.",
        schema={"additionalProperties": {"type": "number", **_POSITIVE}},
    )


@record
class TimedCatalog(Record):
    """A catalog that was measured, by the *path* or document that names it."""

    path: str = field("Where it was read.")
    packages: int = field("How many packages it has.")
    bundles: int = field("How many bundles it has.")


@record
class PhaseChange(Record):
    """The change of a phase of a backend since the baseline."""

    phase: str = field("The phase that was compared.")
    backend: str = field("The backend that was compared.")
    ratio: float = field("How many times as long it takes: 1.3 for 30 % more.", schema=_POSITIVE)
    certain: bool = field("Whether this is no noise.")

    @property
    def is_slower(self) -> bool:
        """Whether the phase has become slower."""
        return self.certain and self.ratio > 1

    @property
    @documented("Whether the change is more than noise.")
    def verdict(self) -> Literal["no change", "slower", "faster"]:
        return "no change" if not self.certain else "slower" if self.ratio > 1 else "faster"


@record(
    definition=SCHEMA,
    title="How long each phase of resolution took",
    about="docs/bench.md gives the meaning of the fields. All times are CPU seconds.",
)
class BenchReport(Record):
    """The figures of one benchmark.

    *yardstick* is a fixed piece of work: a run on a busier or slower machine takes longer for it as well, so it is the
    unit in which reports are compared.
    """

    version: str = field("The version of olmsolve.")
    python: str = field("The version of Python.")
    semantics: str = field("The semantics of compound constraints.", schema=SEMANTICS)
    catalogs: tuple[TimedCatalog, ...] = field("The catalogs that were measured.")
    yardstick: tuple[float, ...] = field("The seconds of a fixed piece of work, for each process.", schema=_SECONDS)
    phases: tuple[PhaseTimes, ...] = field("The seconds of each phase, by backend.")
    counts: tuple[BackendCounts, ...] = field("The work of each backend over all requests.")
    requests: tuple[RequestTimes, ...] = field("The requests that were measured.")
    changes: tuple[PhaseChange, ...] = field(
        "How each phase compares with the baseline, where there is one.", empty="absent", default=()
    )

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


def percentiles(seconds: Sequence[float]) -> tuple[float, ...]:
    """Return :data:`PERCENTILES` of *seconds*: of 200, the 99th is the third longest; () of none.

    The nearest rank is taken, so that each figure is one that was measured.
    """
    ordered = sorted(seconds)
    if not ordered:
        return ()
    return tuple(ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in PERCENTILES)
