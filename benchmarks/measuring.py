"""Timing and printing that the benchmarks share."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

__all__ = [
    "Shared",
    "cpu_seconds",
    "geometric_mean",
    "peak_bytes",
    "process_seconds",
    "resident_bytes",
    "seconds",
    "shared",
    "table",
]

Shared = Path


def shared() -> Shared | None:
    """Return the folder of recorded data, which may be read but not committed; None without it.

    Recorded data adds rows to tables, which have rows without it.
    """
    folder = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2] / "shared"))
    return folder if (folder / "conformance").is_dir() else None


def resident_bytes() -> int:
    """Return the bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """Return the most bytes that this process had in memory (Linux).

    ``ru_maxrss`` would start with what the parent had when it started this process.
    """
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def process_seconds(arguments: Sequence[str], *, runs: int, codes: Iterable[int] = (0,)) -> float:
    """The median wall-clock seconds of whole processes of this Python."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        run = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
        times.append(time.perf_counter() - started)
        if run.returncode not in set(codes):
            raise RuntimeError(run.stderr.decode())
    return median(times)


def cpu_seconds(command: Sequence[str], *, codes: Iterable[int] = (0,)) -> float:
    """The CPU seconds of a whole process: others may use the processors at the same time.

    It may keep what Python compiles, as whoever installs a package has it; a first run, not counted, compiles it.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in set(codes):
        raise RuntimeError(run.stderr.decode())
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print columns, the first to the left, the others to the right."""
    every = [header, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(header))]
    for row in every:
        first, *others = (cell for cell in row)
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        print("  ".join(cells).rstrip())
