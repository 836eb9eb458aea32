"""Reports of benchmarks as text and as JSON, and JSON as a report again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from olmsolve._patterns import pattern
from olmsolve._record_reading import from_dict
from olmsolve._records import evolve
from olmsolve._waiting import read_whole
from olmsolve.catalog.fbc import DOCUMENT
from olmsolve.errors import RequestError
from olmsolve.render import Style, counted, paragraph, plain
from olmsolve.testing.timing.report import PERCENTILES, SCHEMA, SCHEMA_VERSION, BenchReport, PhaseChange

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
    for field, reason in _faults(report):
        raise RequestError(reason, field=field, source=path)
    return report


def _faults(report: BenchReport) -> Iterator[tuple[str, str]]:
    """Yield the fields of *report* whose figures cannot be compared, each with the reason."""
    processes = len(report.yardstick)
    lists = {"yardstick": report.yardstick}
    lists |= {f"phases[{position}].seconds": phase.seconds for position, phase in enumerate(report.phases)}
    for field, seconds in lists.items():
        if not seconds or not all(map(_is_seconds, seconds)):
            yield field, "must be a list of seconds"
        if len(seconds) != processes:
            yield field, "must have a figure for each process"
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
    asked = f"{counted(len(report.requests), 'request')}, {failing:,} without a plan"
    count = len(report.yardstick)
    beside = f" in turn with {report.baseline}" if report.baseline else ""
    disturbed = f"; {report.disturbed}" if report.disturbed else ""
    processes = "1 process" if count == 1 else f"{count:,} processes"
    about = f"{catalogs}. " if catalogs else ""
    return (
        f"{about}{asked}; {processes}, CPU time, {report.semantics} semantics,"
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
