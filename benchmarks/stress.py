"""``python -m benchmarks.stress [--seconds N] [--processes N] [--threads N] [--seed N]``: everything shared at once.

Processes share a catalog's file and its index file; threads of a process share the loaded catalog and its resolver.
All of them resolve, explain, load, and write and remove the index at the same time, with time limits and
cancellations at random moments. Every answer is compared with the one that a quiet process gave before, and the memory
and open files of each process are counted along the way. The exit code is 1 if an answer differed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import olmsolve
from benchmarks.catalogs import COMMUNITY, generated_file
from benchmarks.measuring import resident_bytes, table
from olmsolve import Catalog, Incomplete, Resolver, Source, Subscription, Unsatisfiable
from olmsolve.catalog.index_files import write_index

_NAMESPACES: Final = ("target", "olm")
_MOMENTS: Final = 8
"""How often each process counts its memory and open files."""

Answer = str
Wishes = Sequence[tuple[str, str]]
"""The packages and channels of one request's subscriptions."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stress that *arguments* ask for, print its table, and return 1 if an answer differed."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        file = generated_file(COMMUNITY, Path(temporary), quick=True)
        requests = _requests(olmsolve.load(file, index=False), random.Random(options.seed))
        expected = _expected(file, requests)
        context = multiprocessing.get_context("spawn")
        given = [
            (file, requests, expected, options.threads, options.seconds, f"{options.seed} {n}")
            for n in range(options.processes)
        ]
        with context.Pool(options.processes) as pool:
            reports = pool.starmap(_process, given)
        left = sorted(entry.name for entry in Path(temporary).iterdir())
    wrong = _print(reports, left)
    return 1 if wrong else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stress", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=4, help="how many processes (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=8, help="how many threads each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of all random choices (default: %(default)s)")
    return parser.parse_args(arguments)


def _requests(catalog: Catalog, chance: random.Random) -> list[Wishes]:
    """Return requests for one to three packages; one in four names a channel that does not exist, so it fails."""
    packages = sorted(package.name for package in catalog if package.channels)
    requests: list[Wishes] = []
    for number in range(60):
        names = chance.sample(packages, chance.randint(1, 3))
        requests.append([(name, "nowhere" if number % 4 == 0 else "") for name in names])
    return requests


def _resolver(catalog: Catalog) -> Resolver:
    return Resolver([Source("catalog", "olm", 0, catalog)])


def _answer(resolver: Resolver, wishes: Wishes, **limits: Any) -> Answer:
    """Return the answer to a request as text: the plan, or the core and its explanation."""
    subscriptions = [Subscription(f"wish {n}", "target", *wish) for n, wish in enumerate(wishes)]
    try:
        plan = resolver.resolve(subscriptions, namespaces=_NAMESPACES, **limits)
    except Unsatisfiable as failure:
        explained = olmsolve.explanation(failure, fixes=0, timeout=limits.get("timeout"))
        return f"{failure} {explained.to_dict()}"
    return repr([(install.name, install.channel, list(map(str, install.wanted_by))) for install in plan.installs])


def _expected(file: Path, requests: Sequence[Wishes]) -> list[Answer]:
    resolver = _resolver(olmsolve.load(file, index=False))
    return [_answer(resolver, wishes) for wishes in requests]


class _Stress:
    """What the threads of one process share."""

    def __init__(self, file: Path, requests: Sequence[Wishes], expected: Sequence[Answer], end: float) -> None:
        self.file = file
        self.requests = requests
        self.expected = expected
        self.end = end
        self.resolver = _resolver(olmsolve.load(file))
        self._index = write_index(file)
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self._lock = threading.Lock()

    def run(self, seed: str) -> None:
        """Do one thing after the other, chosen at random, until the end."""
        chance = random.Random(seed)
        actions: list[tuple[str, int, Callable[[random.Random], None]]] = [
            ("answered from the shared catalog", 60, self._ask),
            ("answered within a limit of time", 15, self._ask_in_time),
            ("answered until cancelled", 15, self._ask_until_cancelled),
            ("answered from a catalog just loaded", 6, self._load),
            ("index written", 3, self._write),
            ("index removed", 1, self._remove),
        ]
        names, weights, calls = zip(*actions, strict=True)
        while time.monotonic() < self.end:
            number = chance.choices(range(len(actions)), weights)[0]
            try:
                calls[number](chance)
                done = names[number]
            except Incomplete:
                done = f"{names[number]}: ended by it"
            except Exception as error:  # noqa: BLE001 (every one of them is a finding)
                done = f"{names[number]}: failed"
                self.faults.append(f"{names[number]}: {error!r}")
            with self._lock:
                self.counts[done] += 1

    def _compare(self, resolver: Resolver, chance: random.Random, **limits: Any) -> None:
        number = chance.randrange(len(self.requests))
        answer = _answer(resolver, self.requests[number], **limits)
        if answer != self.expected[number]:
            self.faults.append(f"request {number}: {answer} instead of {self.expected[number]}")

    def _ask(self, chance: random.Random) -> None:
        self._compare(self.resolver, chance)

    def _ask_in_time(self, chance: random.Random) -> None:
        self._compare(self.resolver, chance, timeout=chance.expovariate(1000))

    def _ask_until_cancelled(self, chance: random.Random) -> None:
        cancel = threading.Event()
        timer = threading.Timer(chance.expovariate(1000), cancel.set)
        timer.start()
        try:
            self._compare(self.resolver, chance, cancel=cancel)
        finally:
            timer.cancel()

    def _load(self, chance: random.Random) -> None:
        self._compare(_resolver(olmsolve.load(self.file)), chance)

    def _write(self, _: random.Random) -> None:
        write_index(self.file)

    def _remove(self, _: random.Random) -> None:
        self._index.unlink(missing_ok=True)


def _process(
    file: Path, requests: Sequence[Wishes], expected: Sequence[Answer], threads: int, seconds: float, seed: str
) -> tuple[Counter[str], list[str], list[tuple[int, int]]]:
    """Return the counts and faults of one process, and its memory (bytes) and open files along the way."""
    begin = time.monotonic()
    stress = _Stress(file, requests, expected, begin + seconds)
    moments: list[tuple[int, int]] = []
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(stress.run, f"{seed} {n}") for n in range(threads)]
        for moment in range(1, _MOMENTS + 1):
            time.sleep(max(0.0, begin + seconds * moment / _MOMENTS - time.monotonic()))
            moments.append((resident_bytes(), sum(1 for _ in Path("/proc/self/fd").iterdir())))
        for thread in running:
            thread.result()
    return stress.counts, stress.faults, moments


def _print(reports: Sequence[tuple[Counter[str], list[str], list[tuple[int, int]]]], left: Sequence[str]) -> int:
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for counted, found, _ in reports:
        counts.update(counted)
        faults.extend(found)
    table(("", "times"), [(name, f"{count:,}") for name, count in sorted(counts.items())])
    print()
    eighths = [f"{number}/{_MOMENTS}" for number in range(1, _MOMENTS + 1)]
    rows = []
    for number, (_, _, moments) in enumerate(reports, 1):
        rows.append((f"process {number}: MB", *(f"{memory / 1e6:.0f}" for memory, _ in moments)))
        rows.append((f"process {number}: open files", *(str(files) for _, files in moments)))
    table(("after", *eighths), rows)
    print(f"\nleft in the folder: {', '.join(left)}")
    print(f"{len(faults)} faults")
    for fault in faults[:10]:
        print(f"  {fault[:500]}")
    return len(faults)


if __name__ == "__main__":
    sys.exit(main())
