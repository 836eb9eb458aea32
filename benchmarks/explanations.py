"""What explanations cost beside resolving: on every recorded unsatisfiable request, and on large synthetic ones.

Figures are CPU time of this process, the least of a few runs, on indexes that are ready: explaining comes after
resolving. Ways out are a figure of their own, since each is resolved.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.measuring import shared, table
from benchmarks.synthetic_problem import generated
from olmsolve import Catalog, Request, Semantics, Unsatisfiable, load, read_request, resolve
from olmsolve.answers.explain import explanation
from olmsolve.catalog.index import index_of

__all__ = ["run"]

_FIELDS = ("name", "namespaces", "catalogs", "installed", "subscriptions")
# Recorded requests that may be committed are part of the repository; the others add their rows where there are any.
_RANDOM = Path(__file__).parents[1] / "tests" / "conformance" / "classic_random.jsonl.gz"
_RECORDED = {
    "real catalogs": "classic/real.jsonl.gz",
    "unit tests of the controller": "upstream/classic.jsonl.gz",
}
_QUICK_PART = 8
_RUNS = 3


class _Row(NamedTuple):
    """CPU seconds, and how many ways out there are (of at most five)."""

    resolve: float
    explain: float
    fixes: float
    found: int


def run(*, quick: bool = False) -> None:
    """Explain the recorded requests (*quick*: an eighth of them) and dense problems of all sizes but the largest."""
    folder = shared()
    sets = {"random": _RANDOM}
    if folder is not None:
        sets |= {name: folder / "conformance" / path for name, path in _RECORDED.items()}
    everything: list[_Row] = []
    lines = []
    for name, file in sets.items():
        requests = islice(_requests(file, folder), 0, None, _QUICK_PART if quick else 1)
        rows = [row for request in requests if (row := _measure(request, Semantics.CONTROLLER))]
        if rows:
            lines.append((name, *_summary(rows)))
            everything += rows
    lines.append(("all", *_summary(everything)))
    header = ("requests", "count", "resolve ms", "explain ms", "median ratio", "most", "with fixes ms", "with a fix")
    table(header, lines)
    print()
    _synthetic("SM" if quick else "SML")


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


def _requests(records: Path, folder: Path | None) -> Iterator[Request]:
    """Yield the unsatisfiable requests of *records*, whose catalogs are in *folder* if they are not in the records."""
    catalogs: dict[Path, Catalog] = {}

    def load_once(name: Path) -> Catalog:
        assert folder is not None
        file = folder / "catalogs" / name.name
        if file not in catalogs:
            catalogs[file] = load(file)
        return catalogs[file]

    if not records.exists():
        return
    for line in gzip.decompress(records.read_bytes()).decode().splitlines():
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


def _synthetic(sizes: str) -> None:
    lines = []
    for size in sizes:
        problem = generated(size, hard=False, unsat=True)
        catalog = problem.catalog()
        index_of(catalog)
        request = problem.request(catalog)
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
