"""Results of a benchmark, as values, as text and as JSON, and the comparison of two reports.

All times are CPU seconds of one process, which other programs disturb least.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

from olmsolve._arguments import first_of
from olmsolve._patterns import pattern
from olmsolve._record_reading import from_dict
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve._waiting import read_whole
from olmsolve.catalog.fbc import DOCUMENT
from olmsolve.errors import RequestError
from olmsolve.render import Style, counted, paragraph, plain
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
    seconds: tuple[float, ...] = field("The seconds of all calls, for each process.", schema=_SECONDS)

    @property
    def typical(self) -> float:
        """The median of the processes."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """The median distance of the processes from the median, relative to it: 0.02 is 2 %."""
        middle = self.typical
        return median(abs(second - middle) for second in self.seconds) / middle if middle else 0.0


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
    certain: bool = field("Whether the change is more than noise.")

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
    busy: tuple[float, ...] = field(
        "Seconds of wall-clock time for each second of CPU time, for each process: 1 on a machine that is idle.",
        empty="absent",
        default=(),
        schema={"items": {"type": "number", **_POSITIVE}},
    )
    baseline: str = field("The version that measured in turn with this one, where one did.", empty="absent", default="")

    @property
    def disturbed(self) -> str:
        """A clause that says why the figures are worth less than others; "" where nothing else ran on the machine."""
        times = median(self.busy) if self.busy else 1.0
        if times <= BUSY:
            return ""
        return f"the machine was busy: a second of CPU time took {times:.1f} seconds"

    @property
    def backends(self) -> tuple[str, ...]:
        """The names of the backends, in the order in which they were named."""
        return tuple(count.backend for count in self.counts)

    def percentiles(self, backend: str) -> tuple[float, ...]:
        """Return the seconds within which :data:`PERCENTILES` of the requests were answered again."""
        return percentiles([request.seconds[backend] for request in self.requests])

    def hardest(self, most: int = 5) -> tuple[RequestTimes, ...]:
        """Return the *most* requests that took longest, by the first backend, longest first."""
        first = self.backends[0] if self.counts else ""
        return tuple(sorted(self.requests, key=lambda timed: (-timed.seconds[first], timed.name))[:most])


def percentiles(seconds: Sequence[float]) -> tuple[float, ...]:
    """Return :data:`PERCENTILES` of *seconds*: of 200, the 99th is the third longest; () of none.

    The nearest rank is taken, so that each figure is one that was measured.
    """
    ordered = sorted(seconds)
    if not ordered:
        return ()
    return tuple(ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in PERCENTILES)


TOLERANCE: Final = 0.05
"""The least change of a median that counts: 5 %."""

TOLERANCE_WHEN_BUSY: Final = 0.12
"""The least change that counts where one of the reports is from a busy machine: 12 %. Programs that share the caches
slow down each phase in its own way, which the yardstick cannot show."""

BUSY: Final = 1.25
"""Seconds of wall-clock time for a second of CPU time from which a machine counts as busy."""

LARGE: Final = 0.15
"""The change of a median from which one process of each report may be left out: 15 %."""

_FEWEST: Final = 5  # processes of which one may be left out
_SHOWN: Final = 3


def changes(report: BenchReport, baseline: BenchReport) -> tuple[PhaseChange, ...]:
    """Return how each phase that both reports have compares with the *baseline*, in the order of *report*.

    Seconds are compared in units of each process's yardstick, so that a slower or busier machine is no regression. A
    phase counts as changed if two things hold. Every process of one report was slower than every process of the other
    one: with seven each, chance alone does that once in 1,716 comparisons. And the medians differ by more than
    :data:`TOLERANCE` (of a busy machine :data:`TOLERANCE_WHEN_BUSY`), since a difference that is certain may still be
    too small to matter.

    A busy machine disturbs a process now and then. So where the medians differ by more than :data:`LARGE`, one process
    of each report may be left out::

        before  22.1 21.8 22.0 22.2 22.2     after  27.9 27.1 21.9 28.9 27.8     slower: 21.9 is left out

    Raises:
        RequestError: the reports are about different requests, or have no phase in common.
    """
    _refuse_other_requests(report, baseline)
    before = {(phase.phase, phase.backend): phase for phase in baseline.phases}
    tolerance = TOLERANCE_WHEN_BUSY if report.disturbed or baseline.disturbed else TOLERANCE
    changes_found = tuple(
        _change(phase, report.yardstick, before[phase.phase, phase.backend], baseline.yardstick, tolerance)
        for phase in report.phases
        if (phase.phase, phase.backend) in before
    )
    if not changes_found:
        raise RequestError("measured no phase of this report", field="the baseline", hint="measure a new baseline")
    return changes_found


def _change(
    now: PhaseTimes, unit: Sequence[float], then: PhaseTimes, unit_then: Sequence[float], tolerance: float
) -> PhaseChange:
    """Compare the phase *now* with *then*, in the units of their processes; changes below *tolerance* do not count."""
    after = [seconds / seconds_of_unit for seconds, seconds_of_unit in zip(now.seconds, unit, strict=True)]
    before = [seconds / seconds_of_unit for seconds, seconds_of_unit in zip(then.seconds, unit_then, strict=True)]
    ratio = median(after) / median(before) if median(before) else 1.0
    difference = abs(ratio - 1)
    aside = 1 if difference > LARGE and min(len(after), len(before)) >= _FEWEST else 0
    is_certain = difference > tolerance and (_is_above(after, before, aside) or _is_above(before, after, aside))
    return PhaseChange(now.phase, now.backend, ratio, is_certain)


def _is_above(figures: Sequence[float], others: Sequence[float], aside: int) -> bool:
    """Return whether all *figures* but the *aside* lowest are above all *others* but the *aside* highest."""
    return sorted(figures)[aside] > sorted(others)[-1 - aside]


def _refuse_other_requests(report: BenchReport, baseline: BenchReport) -> None:
    """Raise RequestError unless both reports are about the same requests with the same outcomes."""
    now = {request.name: request.outcome for request in report.requests}
    then = {request.name: request.outcome for request in baseline.requests}
    different = sorted(now.items() ^ then.items())
    if different:
        names = list(dict.fromkeys(name for name, _ in different))
        raise RequestError(
            f"is about other requests or outcomes: {first_of(names, _SHOWN)}",
            field="the baseline",
            hint="measure a new baseline",
        )


_GAP: Final = "  "
_FIGURE: Final = pattern(r"[\d,.%]*")


def bench_text(
    report: BenchReport, changes: Sequence[PhaseChange] = (), *, width: int = 80, colour: bool = False
) -> str:
    """Return the tables of *report*; with *changes*, the phases have a column with what became of them."""
    style = Style(width, colour)
    changes = changes or report.changes
    lines = [style.bold(line) for line in paragraph(_summary(report), width)]
    lines += ["", *_phases(report, changes, style)]
    lines += ["", *_percentiles(report, style)]
    if any(count.calls or count.conflicts or count.candidates for count in report.counts):
        lines += ["", *_counts(report, style)]
    lines += ["", style.bold("The requests that took longest, in milliseconds:"), ""]
    lines += _columns(
        ("request", "outcome", *report.backends),
        (
            (request.name, request.outcome, *(_milliseconds(request.seconds[b]) for b in report.backends))
            for request in report.hardest()
        ),
    )
    return "\n".join(lines)


def bench_json(report: BenchReport, changes: Sequence[PhaseChange] | None = None) -> dict[str, Any]:
    """Return the report's ``to_dict()``, with *changes* where it was compared with a baseline."""
    return evolve(report, changes=tuple(changes or report.changes)).to_dict()


def read_bench(path: str) -> BenchReport:
    """Return the report that *path* holds as JSON.

    Raises:
        RequestError: the file cannot be read, or is no report of this version.
    """
    try:
        data = json.loads(read_whole(Path(path), DOCUMENT))
    except OSError as error:
        raise RequestError(f"cannot be read: {error.strerror}", field=path) from None
    except (ValueError, RecursionError):
        raise RequestError("is not JSON", field=path, hint="olmsolve bench writes a report") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or data.get("schemaVersion") != SCHEMA_VERSION:
        raise RequestError("is not a report of a benchmark", field=path, hint="olmsolve bench writes one")
    try:
        report = from_dict(BenchReport, data)
    except RequestError as error:
        raise RequestError(error.reason, field=error.field, hint=error.hint, source=path) from None
    for path_in_report, reason in _faults(report):
        raise RequestError(reason, field=path_in_report, source=path)
    return report


def _faults(report: BenchReport) -> Iterator[tuple[str, str]]:
    """Yield the fields of *report* whose figures cannot be compared, each with the reason."""
    processes = len(report.yardstick)
    lists = {"yardstick": report.yardstick}
    lists |= {f"phases[{position}].seconds": phase.seconds for position, phase in enumerate(report.phases)}
    for name, seconds in lists.items():
        if not seconds or not all(map(_is_seconds, seconds)):
            yield name, "must be a list of seconds"
        if len(seconds) != processes:
            yield name, "must have a figure for each process"
    for position, request in enumerate(report.requests):
        for backend in report.backends:
            if not _is_seconds(request.seconds.get(backend, 0)):
                yield f"requests[{position}].seconds", f"must have the seconds of {backend}"


def _is_seconds(value: float) -> bool:
    return 0 < value < float("inf")


def _summary(report: BenchReport) -> str:
    failing = sum(request.outcome != "plan" for request in report.requests)
    catalogs = "; ".join(
        f"{catalog.path}: {counted(catalog.packages, 'package')}, {counted(catalog.bundles, 'bundle')}"
        for catalog in report.catalogs
    )
    subject = f"{counted(len(report.requests), 'request')}, {failing:,} without a plan"
    count = len(report.yardstick)
    beside = f" in turn with {report.baseline}" if report.baseline else ""
    disturbed = f"; {report.disturbed}" if report.disturbed else ""
    processes = "1 process" if count == 1 else f"{count:,} processes"
    about = f"{catalogs}. " if catalogs else ""
    return (
        f"{about}{subject}; {processes}, CPU time, {report.semantics} semantics,"
        f" olmsolve {report.version}{beside}, Python {report.python}{disturbed}."
    )


def _phases(report: BenchReport, changes: Sequence[PhaseChange], style: Style) -> Iterator[str]:
    verdicts = {(listed_change.phase, listed_change.backend): listed_change for listed_change in changes}
    rows = []
    for phase in report.phases:
        change = verdicts.get((phase.phase, phase.backend))
        said = () if not changes else ("" if change is None else f"{change.ratio:.2f} times, {change.verdict}",)
        typical = _milliseconds(phase.typical)
        rows.append((phase.phase, phase.backend, f"{phase.count:,}", typical, f"{phase.spread:.1%}", *said))
    yield style.bold("Milliseconds of each phase, for all calls: the median of the processes, and how far they spread:")
    yield ""
    yield from _columns(
        ("phase", "backend", "calls", "median", "spread", *(("against the baseline",) if changes else ())), rows
    )


def _percentiles(report: BenchReport, style: Style) -> Iterator[str]:
    names = [f"{percent} %" if percent < 100 else "longest" for percent in PERCENTILES]
    yield style.bold("Milliseconds within which a request was answered again:")
    yield ""
    yield from _columns(
        ("backend", *names),
        ((backend, *map(_milliseconds, report.percentiles(backend))) for backend in report.backends),
    )


def _counts(report: BenchReport, style: Style) -> Iterator[str]:
    yield style.bold("What the backends did for all requests:")
    yield ""
    yield from _columns(
        ("backend", "candidates", "conflicts", "SAT calls", "clauses"),
        (
            (count.backend, f"{count.candidates:,}", f"{count.conflicts:,}", f"{count.calls:,}", f"{count.clauses:,}")
            for count in report.counts
        ),
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.3f}"


def _columns(headings: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> list[str]:
    """Return columns: texts to the left, figures to the right."""
    every = [tuple(headings), *(tuple(map(plain, row)) for row in rows)]
    widths = [max(len(row[column]) for row in every) for column in range(len(headings))]
    is_figure = [all(_FIGURE.fullmatch(row[column]) for row in every[1:]) for column in range(len(headings))]
    return [
        _GAP.join(
            cell.rjust(width) if figure else cell.ljust(width)
            for cell, width, figure in zip(row, widths, is_figure, strict=True)
        ).rstrip()
        for row in every
    ]
