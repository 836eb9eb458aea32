"""One resolver asked by one thread and by eight: processor time of the answers, and whether they are equal.

Only an interpreter without the global lock runs threads side by side; under one with it, the two take as long.
"""

from __future__ import annotations

import contextlib
import gzip
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from olmsolve import Resolver, Source, Subscription, Unsatisfiable, load

__all__ = ["run"]

_ROUNDS = 16


def run(*, quick: bool = False) -> None:
    """Ask for each package of a catalog sixteen times, by one thread, two and eight (*quick*: four times)."""
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]} {'with' if has_lock else 'without'} the global lock; CPU seconds")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in catalog_files(Path(folder), quick=quick).items():
            file = Path(folder, "catalog.jsonl")
            file.write_bytes(gzip.decompress(packed.read_bytes()))
            source = Source("catalog", "olm", 0, load(file, index=False))
            measured = {count: _asked(source, count, 4 if quick else _ROUNDS) for count in (1, 2, 8)}
            if any(answers != measured[1][1] for _, answers in measured.values()):
                raise RuntimeError(f"{name}: threads differ")
            one = measured[1][0]
            rows.append((name, *(f"{seconds:.2f} ({seconds / one:.1f}x)" for seconds, _ in measured.values())))
    table(("", "1 thread", "2 threads", "8 threads"), rows)


def _asked(source: Source, count: int, rounds: int) -> tuple[float, list[Any]]:
    """Return the seconds of all threads together, and the answers of each round; the first answers are not timed."""
    resolver = Resolver([source])
    wishes = [Subscription(name, "olm", name) for name in source.catalog.packages]
    answers: list[Any] = [None] * rounds
    seconds: list[float] = []
    start = threading.Barrier(count)

    def ask(wish: Subscription) -> list[str] | None:
        with contextlib.suppress(Unsatisfiable):
            return [install.name for install in resolver.resolve([wish], namespaces=["olm"]).installs]
        return None

    def work(first: int) -> None:
        for wish in wishes:
            ask(wish)
        start.wait()
        started = time.thread_time()
        for number in range(first, rounds, count):
            answers[number] = [ask(wish) for wish in wishes]
        seconds.append(time.thread_time() - started)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(seconds), answers
