"""One resolver asked by one thread, by two and by eight: processor time of the answers, and how much sooner they come.

Only an interpreter without the global lock runs threads side by side; under one with it, all take as long. The answers
must be equal.
"""

from __future__ import annotations

import contextlib
import gzip
import sys
import tempfile
import threading
import time
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from olmsolve import Resolver, Source, Subscription, Unsatisfiable, load

__all__ = ["run"]

_ROUNDS = 48
_REPEATS = 9


def run(*, quick: bool = False) -> None:
    """Ask for each package of a catalog 48 times, by one thread, two and eight (*quick*: four times)."""
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]} {'with' if has_lock else 'without'} the global lock; CPU seconds")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in catalog_files(Path(folder), quick=quick).items():
            file = Path(folder, "catalog.jsonl")
            file.write_bytes(gzip.decompress(packed.read_bytes()))
            source = Source("catalog", "olm", 0, load(file, index=False))
            least: dict[int, _Times] = {}
            expected: list[Any] = []
            # In turn, because the machine is busier at some times than at others.
            for _, count in product(range(1 if quick else _REPEATS), (1, 2, 8)):
                times, answers = _asked(source, count, 4 if quick else _ROUNDS)
                expected = expected or answers
                if answers != expected:
                    raise RuntimeError(f"{name}: threads differ")
                least[count] = _Times(*map(min, times, least.get(count, times)))
            rows.append((name, *(_figures(times, least[1]) for times in least.values())))
    table(("", "1 thread", "2 threads", "8 threads"), rows)


class _Times(NamedTuple):
    """Seconds of processor time of all threads together, and of the clock until the last one has its answers.

    Each is the least of several runs.
    """

    processor: float
    clock: float


def _figures(times: _Times, one: _Times) -> str:
    share, gain = times.processor / one.processor, one.clock / times.clock
    return f"{times.processor:.2f} ({share:.2f}x), {gain:.2f} times as fast"


def _asked(source: Source, count: int, rounds: int) -> tuple[_Times, list[Any]]:
    """Return the times of *count* threads, and the answers of each round; the first answers are not timed."""
    resolver = Resolver([source])
    wishes = [Subscription(name, "olm", name) for name in source.catalog.packages]
    answers: list[Any] = [None] * rounds
    seconds: list[float] = []
    spans: list[tuple[float, float]] = []
    start = threading.Barrier(count)

    def ask(wish: Subscription) -> list[str] | None:
        with contextlib.suppress(Unsatisfiable):
            return [install.name for install in resolver.resolve([wish], namespaces=["olm"]).installs]
        return None

    def work(first: int) -> None:
        for wish in wishes:
            ask(wish)
        start.wait()
        started, began = time.thread_time(), time.perf_counter()
        for number in range(first, rounds, count):
            answers[number] = [ask(wish) for wish in wishes]
        seconds.append(time.thread_time() - started)
        spans.append((began, time.perf_counter()))

    threads = [threading.Thread(target=work, args=(first,)) for first in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    clock = max(end for _, end in spans) - min(began for began, _ in spans)
    return _Times(sum(seconds), clock), answers
