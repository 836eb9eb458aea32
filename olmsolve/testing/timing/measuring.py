"""One process of a benchmark: load, index, and time every phase in CPU seconds.

``python -m olmsolve.testing.timing.measuring`` reads what to measure as JSON from standard input and writes the figures
as JSON: :mod:`.running` starts it, so that no process profits from what another one has warmed.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked, limited
from olmsolve._version import __version__
from olmsolve.catalog import Catalog, Source
from olmsolve.catalog.index_files import load
from olmsolve.classic import Semantics
from olmsolve.errors import CatalogError, RequestError
from olmsolve.requests import read_request
from olmsolve.resolution import ResolutionFailure
from olmsolve.solver.backends import DEFAULT
from olmsolve.testing.timing.report import BackendCounts, TimedCatalog
from olmsolve.testing.timing.timed_phases import (
    FIRST,
    REPEATED,
    RequestSubject,
    TimedPhase,
    TimedRequest,
    answer_of,
    catalogs_of,
    phases,
    requests_over,
)

_NAMESPACE: Final = "olm"
_ENOUGH: Final = 0.15
_MOST_TIMES: Final = 200
# A phase of a few milliseconds is timed up to 200 times as often as was asked for, until that took _ENOUGH seconds.
# Its median then varies by 5 % between processes on a busy machine; after a third of that, by 13 %.
_TURN: Final = 0.012
# Seconds of a turn: a phase is timed in many short turns, in turn with the others, so that what disturbs a process
# for a while meets a part of each phase. In one turn, `repeated` would take its 0.02 seconds at one bad moment.
_STEADY: Final = 0.02
# Seconds of CPU for which a processor is taken to keep its speed.


@attrs.frozen
class BenchWork:
    """The work to measure: *catalogs* by name (path and priority), *documents* with requests, and settings.

    *passes* is how often phases are timed at least; the process reports the median, in units of the yardstick. The
    least would be a worse figure: it is the pass beside a yardstick that something disturbed.
    """

    catalogs: dict[str, tuple[str, int]]
    documents: tuple[str, ...] = ()
    every: str = RequestSubject.PACKAGE.value
    backends: tuple[str, ...] = (DEFAULT,)
    semantics: str = Semantics.DOCUMENTED.value
    passes: int = 3


@attrs.frozen
class Measured:
    """The figures of one process: *phases* are (phase, backend, calls, seconds), *requests* seconds by backend.

    *busy* is how many seconds of wall-clock time a second of CPU time took, *version* the version of olmsolve.
    """

    yardstick: float
    phases: tuple[tuple[str, str, int, float], ...]
    requests: dict[str, dict[str, float]]
    busy: float = 1.0
    version: str = __version__


@attrs.frozen
class Loaded:
    """The loaded work to measure, and the time that loading took."""

    requests: dict[str, TimedRequest]
    catalogs: tuple[TimedCatalog, ...]
    seconds: float


def loaded(work: BenchWork) -> Loaded:
    """Load the catalogs and documents of *work*, without indexes beside them.

    Raises:
        CatalogError: a catalog cannot be read.
        RequestError: a document is no request, or nothing is asked.
    """
    begin = process_time()
    sources = [
        Source(name, _NAMESPACE, priority, load(path, index=False)) for name, (path, priority) in work.catalogs.items()
    ]
    requests: dict[str, TimedRequest] = dict(requests_over(sources, work.every)) if sources else {}
    begun = process_time() - begin
    for document in work.documents:
        begin = process_time()
        request = read_request(document)
        begun += process_time() - begin
        requests[document] = request
    if not requests:
        raise RequestError("these catalogs have nothing to ask for", field=work.every)
    # By identity: two paths may have equal catalogs, and hashing one reads all of it.
    named = {id(source.catalog): path for source, (path, _) in zip(sources, work.catalogs.values(), strict=True)}
    return Loaded(requests, tuple(_described(catalog, named) for catalog in catalogs_of(requests.values())), begun)


def measure(work: BenchWork) -> Measured:
    """Measure *work* in this process.

    Raises:
        CatalogError: a catalog cannot be read.
        RequestError: a document is no request, or nothing is asked.
        BackendError: there is no such backend.
        Incomplete: a limit was met.
    """
    began, used = perf_counter(), process_time()
    speed = ProcessSpeed()
    loading: list[float] = []
    begun = None
    spent = 0.0
    while _is_wanted(len(loading), spent, work.passes):
        # The earlier passes leave nothing behind: two copies of a large catalog would need twice the memory.
        begun = None
        begun = loaded(work)
        loading.append(speed.in_units(begun.seconds))
        spent += begun.seconds
    assert begun is not None, "there is a pass"
    figures = [("load", "", len(begun.catalogs), median(loading))]
    requests: dict[str, dict[str, float]] = {}
    timed = phases(begun.requests, backends=work.backends, semantics=Semantics(work.semantics))
    for phase in timed:
        if phase.name == FIRST:
            # A new index is measured, not a new interpreter: the first backend would pay for the others.
            phase.prepared()()
    # The process measures and ends: what it has loaded need not be looked through at each collection.
    gc.freeze()
    for phase, passes in zip(timed, _timed_in_turns(timed, work.passes, speed), strict=True):
        figures.append((phase.name, phase.backend, len(passes.least), median(passes.units)))
        if phase.name == REPEATED:
            requests[phase.backend] = passes.least
    unit = speed.usual
    in_seconds = tuple((phase, backend, count, units * unit) for phase, backend, count, units in figures)
    busy = (perf_counter() - began) / max(process_time() - used, 1e-9)
    return Measured(unit, in_seconds, requests, busy)


def counted(work: BenchWork, begun: Loaded) -> tuple[dict[str, str], list[BackendCounts]]:
    """Return the outcome of each request, and the work of each backend."""
    outcomes: dict[str, str] = {}
    counts = []
    for backend in work.backends:
        totals = [0, 0, 0, 0]
        for name, request in checked(begun.requests.items()):
            answer = answer_of(request, backend, Semantics(work.semantics))
            outcomes[name] = _outcome(answer)
            statistics = getattr(answer, "statistics", None)
            if statistics is not None:
                totals = [total + statistic for total, statistic in zip(totals, statistics[:4], strict=True)]
        counts.append(BackendCounts(backend, *totals))
    return outcomes, counts


class ProcessSpeed:
    """The speed of this process as it changes: what a fixed piece of work, the yardstick, takes from time to time.

    A processor that gets warm, or that another program shares, changes its speed within seconds, by half and more. So
    measured times are given in units of the yardstick of the same moment.
    """

    def __init__(self) -> None:
        self._all = [yardstick()]
        self._taken = process_time()

    @property
    def usual(self) -> float:
        """The seconds that the yardstick took, at the median."""
        return median(self._all)

    def in_units(self, seconds: float) -> float:
        """Return CPU *seconds* that have just passed, in units of the yardstick before and after them."""
        before = self._all[-1]
        if process_time() - self._taken > _STEADY:
            self._measure()
        return seconds * 2 / (before + self._all[-1])

    def renewed(self) -> None:
        """Take the yardstick now, unless that was a moment ago."""
        if process_time() - self._taken > _STEADY / 10:
            self._measure()

    def each_in_units(self, seconds: Sequence[float]) -> list[float]:
        """Return the CPU *seconds* of passes that have just followed each other, in units as :meth:`in_units` does."""
        before = self._all[-1]
        self._measure()
        return [spent * 2 / (before + self._all[-1]) for spent in seconds]

    def _measure(self) -> None:
        self._all.append(yardstick())
        self._taken = process_time()


def yardstick() -> float:
    """Return the CPU seconds of a fixed piece of work with texts, mappings and sorting: the least of two times."""
    least = float("inf")
    for _ in range(2):
        begin = process_time()
        # Both are prime, so that the numbers come in a scattered order, each once.
        names = {f"package-{number * 7919 % 4001}": [number, str(number)] for number in range(4001)}
        ordered = sorted(names, key=lambda name: (names[name][0], name))
        json.loads(json.dumps({name: names[name] for name in ordered}))
        least = min(least, process_time() - begin)
    return least


class _Passes:
    """The passes of one phase: the *units* of each, the *least* seconds of each call, and the seconds *spent*."""

    def __init__(self, phase: TimedPhase) -> None:
        self.phase = phase
        self.units: list[float] = []
        self.least: dict[str, float] = {}
        self.spent = 0.0

    def take_turn(self, most: int, speed: ProcessSpeed) -> None:
        """Time at most *most* passes, until they took a turn's time; keep each in units of the yardstick of then."""
        turn: list[float] = []
        while not turn or (len(turn) < most and sum(turn) < _TURN):
            calls = self.phase.prepare()
            if not self.units and not turn:
                gc.collect()  # what other phases have left behind would be collected at this one's expense
            if not turn:
                speed.renewed()  # the preparation may have taken long
            single = {name: _seconds(call) for name, call in checked(calls.items())}
            self.least = {name: min(seconds, self.least.get(name, seconds)) for name, seconds in single.items()}
            turn.append(sum(single.values()))
        self.spent += sum(turn)
        self.units += speed.each_in_units(turn)


def _timed_in_turns(timed: Sequence[TimedPhase], passes: int, speed: ProcessSpeed) -> list[_Passes]:
    """Return the passes of each phase, which take turns until each was timed for long enough."""
    of_phases = [_Passes(phase) for phase in timed]
    waiting = of_phases
    while waiting:
        for phase in waiting:
            phase.take_turn(passes * _MOST_TIMES - len(phase.units), speed)
        waiting = [phase for phase in waiting if _is_wanted(len(phase.units), phase.spent, passes)]
    return of_phases


def _is_wanted(timed: int, spent: float, passes: int) -> bool:
    """Return whether a phase that was *timed* so often, in seconds *spent*, is timed once more."""
    return timed < passes or (timed < passes * _MOST_TIMES and spent <= _ENOUGH)


def _seconds(call: Callable[[], object]) -> float:
    begin = process_time()
    call()
    return process_time() - begin


def _outcome(answer: object) -> str:
    if isinstance(answer, ResolutionFailure):
        return "unsatisfiable"
    return "broken" if isinstance(answer, CatalogError) else "plan"


def _described(catalog: Catalog, named: dict[int, str]) -> TimedCatalog:
    bundles = sum(len(package.bundles) for package in catalog)
    return TimedCatalog(named.get(id(catalog), catalog.origin), len(catalog.packages), bundles)


def main(text: str) -> str:
    """Measure the work that *text* states as JSON, and return the figures as JSON."""
    stated: dict[str, Any] = json.loads(text)
    timeout = stated.pop("timeout")
    catalogs = {name: (path, priority) for name, (path, priority) in stated.pop("catalogs").items()}
    work = BenchWork(catalogs, **{name: _tuple(value) for name, value in stated.items()})
    with limited(timeout=timeout):
        return json.dumps(attrs.asdict(measure(work)))


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


if __name__ == "__main__":
    sys.stdout.write(main(sys.stdin.read()))
