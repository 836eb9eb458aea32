"""What explanations cost beside resolving: on every recorded unsatisfiable request, and on large synthetic ones.

Figures are CPU time of this process, the least of a few runs, on indexes that are ready: explaining comes after
resolving. Ways out are a figure of their own, since each is resolved.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.measuring import shared, table
from benchmarks.synthetic_problem import generated, write
from olmsolve import Catalog, Request, Semantics, Source, Subscription, Unsatisfiable, load, read_request, resolve
from olmsolve.answers.explain import explanation
from olmsolve.catalog.index import index_of

__all__ = ["run"]

_FIELDS = ("name", "namespaces", "catalogs", "installed", "subscriptions")
_SETS = {
    "real catalogs": "classic/real.jsonl.gz",
    "unit tests of the controller": "upstream/classic.jsonl.gz",
    "random": "classic/random.jsonl.gz",
}
_RUNS = 3


class _Row(NamedTuple):
    """CPU seconds, and how many ways out there are (of at most five)."""

    resolve: float
    explain: float
    fixes: float
    found: int


def run() -> None:
    folder = shared()
    if folder is None:
        return
    everything: list[_Row] = []
    lines = []
    for name, path in _SETS.items():
        rows = [row for request in _requests(folder, path) if (row := _measure(request, Semantics.CONTROLLER))]
        if rows:
            lines.append((name, *_summary(rows)))
            everything += rows
    lines.append(("all", *_summary(everything)))
    header = ("requests", "count", "resolve ms", "explain ms", "median ratio", "most", "with fixes ms", "with a fix")
    table(header, lines)
    print()
    _synthetic(folder)


def _summary(rows: list[_Row]) -> tuple[str, ...]:
    ratios = [row.explain / row.resolve for row in rows]
    return (
        str(len(rows)),
        f"{median(row.resolve for row in rows) * 1e3:.2f}",
        f"{median(row.explain for row in rows) * 1e3:.2f}",
        f"{median(ratios):.1f}",
        f"{max(ratios):.1f}",
        f"{median(row.fixes for row in rows) * 1e3:.1f}",
        f"{sum(row.found > 0 for row in rows) / len(rows):.1%}",
    )


def _requests(folder: Path, path: str) -> Iterator[Request]:
    catalogs: dict[Path, Catalog] = {}

    def load_once(name: Path) -> Catalog:
        file = folder / "catalogs" / name.name
        if file not in catalogs:
            catalogs[file] = load(file)
        return catalogs[file]

    file = folder / "conformance" / path
    if not file.exists():
        return
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        record: dict[str, Any] = json.loads(line)
        if any(outcome.get("unsatisfiable") for outcome in record["outcomes"]):
            request = read_request({field: record[field] for field in _FIELDS if field in record}, load=load_once)
            assert isinstance(request, Request)
            yield request


def _measure(request: Request, semantics: Semantics, *, runs: int = _RUNS, fixes: int = 5) -> _Row | None:
    failure = _failure(request, semantics)
    if failure is None:
        return None
    found = explanation(failure, fixes=fixes).fixes or ()
    return _Row(
        _cpu(lambda: _failure(request, semantics), runs),
        _cpu(lambda: explanation(failure, fixes=0), runs),
        _cpu(lambda: explanation(failure, fixes=fixes), 1),
        len(found),
    )


def _failure(request: Request, semantics: Semantics) -> Unsatisfiable | None:
    try:
        resolve(request, semantics=semantics)
    except Unsatisfiable as failure:
        return failure
    return None


def _cpu(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _synthetic(folder: Path) -> None:
    lines = []
    for size in "SML":
        problem = generated(folder, size, hard=False, unsat=True)
        with tempfile.TemporaryDirectory() as temporary:
            file = Path(temporary, "catalog.jsonl")
            write(problem, folder, file)
            catalog = load(file)
        index_of(catalog)
        wishes = [
            Subscription(f"root-{root}", "target", f"pkg{root}", "stable", "synthetic", "olm") for root in problem.roots
        ]
        request = Request(("target", "olm"), [Source("synthetic", "olm", 0, catalog)], wishes)
        failure = _failure(request, Semantics.DOCUMENTED)
        assert failure is not None
        told = explanation(failure, fixes=0)
        lines.append(
            (
                f"synthetic {size}, unsat",
                f"{_cpu(lambda request=request: _failure(request, Semantics.DOCUMENTED), 1):.2f}",  # type: ignore[misc]
                f"{_cpu(lambda failure=failure: explanation(failure, fixes=0), 1):.2f}",  # type: ignore[misc]
                str(len(told.conflicts)),
                str(sum(len(conflict.nodes) for conflict in told.conflicts)),
            )
        )
    table(("request", "resolve s", "explain s", "conflicts", "facts"), lines)
