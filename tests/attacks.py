"""Runs against attacks: commands in a process with little memory, and calls; by a clock that a busy machine keeps too.

``OLMSOLVE_ATTACKS=FILE`` adds a line for each run to FILE: its test, its limit, how late it ended, its most memory.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final, Generic, NamedTuple, TypeVar

T = TypeVar("T")

IN_TIME: Final = 0.2
"""Seconds after its limit by which a command has ended: what SECURITY.md promises."""

_ATTEMPTS: Final = 3
_LATE: Final = "no answer within the time budget"
# What Python and our modules map, without a catalog; much of it is never touched.
_BASE_MB: Final = 250
_MOST_SECONDS: Final = 60
_MOST_TEXT: Final = 1 << 20
_READY: Final = "OLMSOLVE_TEST_READY"


class Attacked(NamedTuple):
    """How a run ended: its exit *code*, standard *out* and *err*, seconds *late*, and its most *megabytes*.

    *late* is the time from the limit to the end, 0 for what ends before. The time in which the process waited for a
    processor is taken off, so that a busy machine does not count.
    """

    code: int
    out: str
    err: str
    late: float
    megabytes: int


def attacked(
    *arguments: str,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    megabytes: int = 150,
    timeout: float = 1.0,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Attacked:
    """Run olmsolve with *arguments* and ``--timeout``, in a process that may have *megabytes* beside its own."""
    most = (_BASE_MB + megabytes) << 20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    command = [sys.executable, "-c", _PROGRAM, *arguments, "--timeout", str(timeout)]
    reading, writing = os.pipe()
    # Files, and no pipes: a process that writes waits for nobody.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, os.fdopen(reading, "rb") as ready:
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=out,
            stderr=err,
            preexec_fn=limit,
            cwd=folder,
            env={**_environment(), **(environment or {}), _READY: str(writing)},
            pass_fds=[writing],
        )
        os.close(writing)
        # The line says that all is imported, and that the clock of the command begins.
        is_ready = ready.readline() == b"ready\n"
        clock = _Clock(str(process.pid), timeout)
        peak = 0
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            peak = max(peak, _megabytes(process.pid))
            if clock.look() > _MOST_SECONDS:
                process.kill()
            time.sleep(0.005)
        clock.look()
        code = process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(_MOST_TEXT).decode("utf-8", "replace"))
    assert is_ready, texts[1]
    run = Attacked(code, texts[0], texts[1], clock.late(), peak)
    _note(run, timeout)
    return run


def check_late(
    *arguments: str,
    limit: float,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    megabytes: int = 150,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Check that a run with *arguments* is ended by its *limit* of so many seconds, in time.

    What is late by its nature is late each time. A disk or a neighbour of the processor may make one run late, and
    hardly three.
    """
    late = 0.0
    for _ in range(_ATTEMPTS):
        run = attacked(
            *arguments, stdin=stdin, megabytes=megabytes, timeout=limit, folder=folder, environment=environment
        )
        assert (run.code, _LATE in run.err) == (3, True), run
        late = run.late
        if late <= IN_TIME:
            return
    raise AssertionError(f"{late:.2f} s after the limit, in each of {_ATTEMPTS} runs")


class Called(NamedTuple, Generic[T]):
    """How a call in this process ended: what it *returned*, what it *raised*, and the seconds that it was *late*."""

    returned: T | None
    raised: BaseException | None
    late: float


def called(call: Callable[[], T], limit: float) -> Called[T]:
    """Return how *call* ended, which sets itself a *limit* of so many seconds; the clock is the one of commands.

    It has a thread of its own, whose waiting for a processor is counted. One that does not end fails the test.
    """
    results: list[Called[T]] = []
    clocks: list[_Clock] = []
    begun = threading.Event()

    def work() -> None:
        clock = _Clock(f"self/task/{threading.get_native_id()}", limit)
        clocks.append(clock)
        begun.set()
        try:
            end = Called(call(), None, 0.0)
        except BaseException as error:  # noqa: BLE001 - whoever called looks at it
            end = Called(None, error, 0.0)
        # The last look is the thread's own: the system forgets a thread that has ended, and how long it waited.
        clock.look()
        results.append(end._replace(late=clock.late()))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    begun.wait()
    # One look at the limit: at each look this thread takes the lock of the interpreter, and the call waits for it.
    thread.join(limit)
    clocks[0].look()
    thread.join(_MOST_SECONDS)
    assert results, "the call does not end"
    return results[0]


def in_time(call: Callable[[], T], limit: float, name: str = "the call") -> Called[T]:
    """Return how *call* ended in time after its *limit*: in one of a few tries, as with :func:`check_late`.

    *name* tells which call is late.
    """
    for _ in range(_ATTEMPTS):
        end = called(call, limit)
        if end.late <= IN_TIME:
            return end
    raise AssertionError(f"{name}: {end.late:.2f} s after the limit, in each of {_ATTEMPTS} calls")


def check_refused(run: Attacked, message: str) -> None:
    """Check that *run* ended with one error that has *message*, and not late."""
    assert "Traceback" not in run.err, run
    assert "MemoryError" not in run.err, run
    assert run.code in (1, 2), run
    assert message in run.err, run
    assert run.late < IN_TIME, run


def check_ended(run: Attacked) -> None:
    """Check that *run* ended with an answer, an error or its limit, in time and within its memory."""
    assert "Traceback" not in run.err, run
    assert "MemoryError" not in run.err, run
    assert run.code in (0, 1, 2, 3), run
    assert run.late < IN_TIME, run


class _Clock:
    """The clock of a *process* that has just begun, and of how long it waits for a processor; *limit* is in seconds.

    *process* is a name in /proc; "self/task/N" is a thread of this process.
    """

    def __init__(self, process: str, limit: float) -> None:
        self._process = process
        self._began = time.monotonic()
        self._limit = limit
        # Times since the beginning, each with the seconds of waiting until then.
        self._looks = [(0.0, _seconds_without_processor(process))]

    def look(self) -> float:
        """Read both; return the seconds since the beginning."""
        seconds = time.monotonic() - self._began
        self._looks.append((seconds, _seconds_without_processor(self._process)))
        return seconds

    def late(self) -> float:
        """Return the seconds from the limit to the last look, but for those of waiting."""
        end, waited = max(self._looks)
        if end <= self._limit:
            return 0.0
        before = max(look for look in self._looks if look[0] <= self._limit)
        after = min(look for look in self._looks if look[0] > self._limit)
        share = (self._limit - before[0]) / (after[0] - before[0])
        waited_at_limit = before[1] + share * (after[1] - before[1])
        return max(0.0, end - self._limit - (waited - waited_at_limit))


def _seconds_without_processor(process: str) -> float:
    """Return how long *process* could have run and had no processor; 0 where the kernel does not count it."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _megabytes(process: int) -> int:
    """Return the most memory that *process* has had so far, in MB; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def _note(run: Attacked, limit: float) -> None:
    path = os.environ.get("OLMSOLVE_ATTACKS")
    if path:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].rpartition("/")[2]
        late = f"{run.late:.2f} s late" if run.code == 3 else "before"
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{test} | limit {limit} s | code {run.code} | {late} | {run.megabytes} MB\n")


_PROGRAM: Final = f"""
import os, sys
from olmsolve.cli import main
import olmsolve.requests.gathering, olmsolve.catalog.fbc.database, olmsolve.catalog.images.opening
import olmsolve.cli.commands.validate, olmsolve.cli.commands.resolve
os.write(int(os.environ["{_READY}"]), b"ready\\n")
os.close(int(os.environ.pop("{_READY}")))
# Without arguments, as the program calls it: the process is the command's own.
sys.exit(main())
"""


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[1]), "MALLOC_ARENA_MAX": "1"}
