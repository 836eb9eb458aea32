"""The verb: measure in several processes, one after the other, and put their figures together."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import Cancellation, current, limited
from olmsolve._version import __version__
from olmsolve.classic import Semantics, SemanticsName
from olmsolve.errors import Incomplete, RequestError
from olmsolve.solver.backends import DEFAULT, find
from olmsolve.testing.timing.measuring import BenchWork, Measured, counted, loaded
from olmsolve.testing.timing.questions import RequestSubject
from olmsolve.testing.timing.report import BackendCounts, BenchReport, PhaseTimes, RequestTimes, TimedCatalog

PROCESSES: Final = 5
_WORKER: Final = (sys.executable, "-m", "olmsolve.testing.timing.measuring")
# Seconds between two looks at whether the caller has cancelled, while a process measures.
_LOOK: Final = 0.05


def bench(
    catalogs: Mapping[str, str] | Iterable[str] = (),
    *,
    documents: Iterable[str] = (),
    every: RequestSubject | str = RequestSubject.PACKAGE,
    backends: Iterable[str] = (DEFAULT,),
    semantics: SemanticsName = Semantics.DOCUMENTED,
    processes: int = PROCESSES,
    passes: int = 3,
    progress: Callable[[int, int], None] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
) -> BenchReport:
    """Return how long each phase of resolution takes over *catalogs* (paths, by name or not) and request *documents*.

    The catalogs are asked for *every* package, channel or update; a document is asked as it is, with its catalogs.
    *processes* fresh processes measure one after the other, each a phase up to *passes* times. *progress* is called
    with the number of processes that have ended, and of all. docs/bench.md says what the phases are.

    Raises:
        RequestError: a document is no request, there is nothing to ask, or a number is not positive.
        CatalogError: a catalog cannot be read.
        BackendError: there is no such backend.
        Incomplete: a limit was met, or the caller cancelled.
    """
    named = catalogs if isinstance(catalogs, Mapping) else {path: path for path in catalogs}
    work = BenchWork(
        {name.replace("/", "-"): (path, 0) for name, path in named.items()},
        tuple(documents),
        _every(every),
        tuple(dict.fromkeys(find(backend).name for backend in backends)),
        Semantics(semantics).value,
        _positive("passes", passes),
    )
    _positive("processes", processes)
    with limited(timeout=timeout, cancel=cancel):
        # Faults of the input show here, with our own errors; the figures of this process count for nothing.
        begun = loaded(work)
        outcomes, counts = counted(work, begun)
        measured = []
        for number in range(processes):
            measured.append(_in_new_process(work))
            if progress is not None:
                progress(number + 1, processes)
    return _report(work, begun.catalogs, outcomes, counts, measured)


def _every(every: RequestSubject | str) -> str:
    try:
        return RequestSubject(every).value
    except ValueError:
        known = ", ".join(subject.value for subject in RequestSubject)
        raise RequestError(f"there is no {every!r}", field="every", hint=f"known: {known}") from None


def _positive(name: str, number: int) -> int:
    if not isinstance(number, int) or number < 1:
        raise RequestError("is not a positive number", field=f"{name} {number}")
    return number


def _in_new_process(work: BenchWork) -> Measured:
    """Measure *work* in a new process. Raises Incomplete when a limit is met."""
    limits = current()
    stated = json.dumps({**attrs.asdict(work), "timeout": limits.seconds_left()})
    with subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
        _WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        text: str | None = stated
        while True:
            try:
                out, err = process.communicate(text, timeout=_LOOK)
                break
            except subprocess.TimeoutExpired:
                text = None
                try:
                    limits.check()
                except Incomplete:
                    process.kill()
                    raise
    if process.returncode:
        limits.check()
        raise RequestError(f"a measuring process ended with {process.returncode}: {err.strip().splitlines()[-1:]}")
    result = json.loads(out)
    phases = tuple((str(phase[0]), str(phase[1]), int(phase[2]), float(phase[3])) for phase in result["phases"])
    return Measured(result["yardstick"], phases, result["requests"])


def _report(
    work: BenchWork,
    catalogs: tuple[TimedCatalog, ...],
    outcomes: Mapping[str, str],
    counts: Sequence[BackendCounts],
    measured: Sequence[Measured],
) -> BenchReport:
    phases = []
    for position, (phase, backend, count, _) in enumerate(measured[0].phases):
        if count:
            phases.append(PhaseTimes(phase, backend, count, tuple(result.phases[position][3] for result in measured)))
    requests = tuple(
        RequestTimes(
            name,
            outcome,
            {backend: median(result.requests[backend][name] for result in measured) for backend in work.backends},
        )
        for name, outcome in outcomes.items()
    )
    return BenchReport(
        __version__,
        platform.python_version(),
        work.semantics,
        catalogs,
        tuple(result.yardstick for result in measured),
        tuple(phases),
        tuple(counts),
        requests,
    )
