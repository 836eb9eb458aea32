"""The verb: measure in several processes, one after the other, and put their figures together."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from statistics import median
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name
from olmsolve._arguments import every as all_of
from olmsolve._limits import Cancellation, current, limited
from olmsolve._records import evolve
from olmsolve.classic import ClassicResolver, Semantics, SemanticsName
from olmsolve.errors import Incomplete, RequestError
from olmsolve.solver.backends import DEFAULT, find
from olmsolve.testing.timing import measuring
from olmsolve.testing.timing.measuring import BenchWork, Measured, counted, loaded
from olmsolve.testing.timing.report import BackendCounts, BenchReport, PhaseTimes, RequestTimes, TimedCatalog, changes
from olmsolve.testing.timing.timed_phases import RequestSubject

PROCESSES: Final = 7  # the median of seven: each process places its memory in another way
_WORKER: Final = ("-m", "olmsolve.testing.timing.measuring")
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
    beside: str | PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
) -> BenchReport:
    """Return how long each phase of resolution takes over *catalogs* (paths, by name or not) and request *documents*.

    The catalogs are asked for *every* package, channel or update; a document is asked as it is, with its catalogs.
    *processes* fresh processes measure one after the other, each a phase *passes* times or more. *beside* is a virtual
    environment (or a Python) with another version of olmsolve: its processes measure in turn with those of this one, so
    that nothing that happens to the machine meets one of them alone, and the changes of the report are from that
    version to this one. *progress* is called with the number of processes that have ended, and of all. docs/bench.md
    says what the phases are.

    Raises:
        RequestError: a document is no request, there is nothing to ask, a number is not positive, or *beside* is no
            environment with olmsolve.
        CatalogError: a catalog cannot be read.
        BackendError: there is no such backend.
        Incomplete: a limit was met, or the caller cancelled.
    """
    if isinstance(catalogs, Mapping):
        named = by_name(catalogs, "catalogs", str, "paths by their names")
    else:
        named = {path: path for path in all_of(catalogs, str, "catalogs")}
    work = BenchWork(
        {name.replace("/", "-"): (path, 0) for name, path in named.items()},
        all_of(documents, str, "documents"),
        _every(every),
        tuple(dict.fromkeys(find(backend).name for backend in all_of(backends, str, "backends"))),
        ClassicResolver((), semantics=semantics).semantics.value,
        _positive("passes", passes),
    )
    _positive("processes", processes)
    other = None if beside is None else _python_of(Path(beside))
    with limited(timeout=timeout, cancel=cancel):
        # Faults of the input raise our own errors here, in the main process, whose figures are not used.
        begun = loaded(work)
        outcomes, counts = counted(work, begun)
        measured: list[Measured] = []
        measured_beside: list[Measured] = []
        sides = [(Path(sys.executable), measured)] + ([] if other is None else [(other, measured_beside)])
        for number in range(processes):
            # Each version goes first as often as the other.
            for python, results in sides if number % 2 else reversed(sides):
                results.append(_in_new_process(work, python, number))
                if progress is not None:
                    progress(len(measured) + len(measured_beside), processes * len(sides))
    report = _report(work, begun.catalogs, outcomes, counts, measured)
    if other is None:
        return report
    baseline = _report(work, begun.catalogs, outcomes, counts, measured_beside)
    return evolve(report, changes=changes(report, baseline), baseline=baseline.version)


def _python_of(beside: Path) -> Path:
    """Return the Python of the virtual environment *beside*, or *beside* itself. Raises RequestError."""
    for python in (beside, beside / "bin" / "python", beside / "Scripts" / "python.exe"):
        if python.is_file():
            return python
    raise RequestError("is not a virtual environment", field=str(beside), hint="python -m venv makes one")


def _every(every: RequestSubject | str) -> str:
    try:
        return RequestSubject(every).value
    except ValueError:
        choices = ", ".join(subject.value for subject in RequestSubject)
        raise RequestError(f"there is no {every!r}", field="every", hint=f"known: {choices}") from None


def _positive(name: str, number: int) -> int:
    if not isinstance(number, int) or number < 1:
        raise RequestError("is not a positive number", field=f"{name} {number}")
    return number


def _in_new_process(work: BenchWork, python: Path, number: int) -> Measured:
    """Measure *work* with *python* in a new process. Raises Incomplete when a limit is met.

    Sets of texts have the order that the hash seed gives them, and take times of their own. So process *number* has the
    same seed in every report.
    """
    # A different order of sets in each process, but the same ones in each run of the benchmark.
    environment = {**os.environ, "PYTHONHASHSEED": str(number + 1)}
    is_own = python == Path(sys.executable)
    if not is_own:
        # The other version is the installed one, whatever is in this folder or on the path of this process; but it is
        # measured as this one is, by the file of this one.
        environment = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    command = (str(python), *(_WORKER if is_own else ("-P", measuring.__file__)))
    limits = current()
    stated = json.dumps({**attrs.asdict(work), "timeout": limits.seconds_left()})
    with subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment,
    ) as process:
        text: str | None = stated
        while True:
            try:
                out, err = process.communicate(text, timeout=_LOOK)
                break
            except subprocess.TimeoutExpired:
                # The input was given with the first call, and communicate() goes on where the time ended it.
                text = None
                try:
                    limits.check()
                except Incomplete:
                    process.kill()
                    raise
    if process.returncode:
        limits.check()
        said = "".join(err.strip().splitlines()[-1:])
        if not is_own and "olmsolve." in said and said.startswith(("ModuleNotFoundError: ", "ImportError: ")):
            raise RequestError(
                f"has another olmsolve than this program can measure: {said.partition(': ')[2]}",
                field=str(python),
                hint="choose a version nearer to this one",
            )
        raise RequestError(f"a measuring process of {python} ended with {process.returncode}: {said}")
    result = json.loads(out)
    phases = tuple((str(phase[0]), str(phase[1]), int(phase[2]), float(phase[3])) for phase in result["phases"])
    return Measured(result["yardstick"], phases, result["requests"], result.get("busy", 1.0), result.get("version", ""))


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
        measured[0].version,
        platform.python_version(),
        work.semantics,
        catalogs,
        tuple(result.yardstick for result in measured),
        tuple(phases),
        tuple(counts),
        requests,
        busy=tuple(result.busy for result in measured),
    )
