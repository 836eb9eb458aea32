"""Requests over real catalogs, against the recorded times of the shipped controller.

The one comparison with a recording: the controller's times come from the machine that recorded them, so the
ratios compare two machines as well as two programs.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from benchmarks import each_package
from benchmarks.measuring import geometric_mean, process_seconds, seconds, shared, table
from olmsolve import Catalog, Request, Semantics, Source, Unsatisfiable, load, read_request, resolve
from olmsolve.catalog.index import index_of
from olmsolve.catalog.index_files import CACHE_VARIABLE

_FIELDS = ("name", "namespaces", "catalogs", "installed", "subscriptions")
_RUNS = 3


class _Row(NamedTuple):
    """Milliseconds of one request."""

    name: str
    outcome: str
    controller: float
    indexing: float
    first: float
    warm: float
    again: float
    cold: float
    indexed: float

    def cells(self) -> tuple[str, ...]:
        figures = (self.controller, self.indexing, self.first, self.warm, self.again, self.cold, self.indexed)
        ratio = f"{self.controller / self.first:.1f}x"
        return (self.name, self.outcome, *(f"{figure:.3g}" for figure in figures), ratio)


def run(*, quick: bool = False) -> None:
    """Resolve each package of the catalogs; then, where there are recordings, the recorded requests (not *quick*)."""
    each_package.run(quick=quick)
    folder = shared()
    if folder is not None and not quick:
        print("\nrecorded requests:")
        _run_recorded(folder)


def _run_recorded(folder: Path) -> None:
    path = folder / "conformance" / "classic" / "real.jsonl.gz"
    records = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    catalogs: dict[Path, Catalog] = {}

    def load_once(name: Path) -> Catalog:
        file = folder / "catalogs" / name.name
        if file not in catalogs:
            catalogs[file] = load(file)
        return catalogs[file]

    with tempfile.TemporaryDirectory() as temporary:
        rows = [_measure(record, folder, load_once, Path(temporary)) for record in records]
    header = (
        "request",
        "outcome",
        "controller ms",
        "index ms",
        "first ms",
        "warm ms",
        "again ms",
        "cold ms",
        "indexed ms",
        "first ratio",
    )
    table(header, [row.cells() for row in rows])
    _summary(rows)


def _measure(record: dict[str, Any], folder: Path, load_once: Callable[[Path], Catalog], temporary: Path) -> _Row:
    document = {field: record[field] for field in _FIELDS}
    request = read_request(document, load=load_once)
    index, first, warm, again = [], [], [], []
    for _ in range(_RUNS):
        fresh = _without_indexes(request)
        index.append(seconds(partial(_build_indexes, fresh)))
        first.append(seconds(partial(_resolve, fresh)))
        again.append(min(seconds(partial(_resolve, fresh)) for _ in range(5)))
        fresh = _without_indexes(request)
        _build_indexes(fresh)
        # Over other catalog values: they leave nothing behind but code that the processor has at hand.
        for _ in range(2):
            _resolve(request)
        warm.append(seconds(partial(_resolve, fresh)))
    absolute = [{**c, "file": str(folder / "catalogs" / c["file"])} for c in record["catalogs"]]
    file = temporary / "request.json"
    file.write_text(json.dumps({**document, "catalogs": absolute}), "utf-8")
    command = ["-m", "olmsolve", "resolve", str(file), "--semantics", "controller", "--output", "json"]
    cold = process_seconds(command, runs=1, codes=(0, 1))
    with _indexes_in(temporary):
        # The first process that needs an index writes it.
        indexed = min(process_seconds(command, runs=1, codes=(0, 1)) for _ in range(2))
    outcome = "plan" if "installs" in record["outcomes"][0] else "core"
    figures = (min(values) * 1e3 for values in (index, first, warm, again, [cold], [indexed]))
    return _Row(record["name"], outcome, min(record["controllerMs"]), *figures)


@contextlib.contextmanager
def _indexes_in(folder: Path) -> Iterator[None]:
    """Let processes keep indexes in *folder*."""
    os.environ[CACHE_VARIABLE] = str(folder)
    try:
        yield
    finally:
        del os.environ[CACHE_VARIABLE]


def _without_indexes(request: Request) -> Request:
    """The same request over new catalog values, which share nothing that was worked out before."""
    copies = {id(source.catalog): attrs.evolve(source.catalog) for source in request.sources}
    sources = [Source(s.name, s.namespace, s.priority, copies[id(s.catalog)]) for s in request.sources]
    return attrs.evolve(request, sources=sources)


def _build_indexes(request: Request) -> None:
    for source in request.sources:
        index_of(source.catalog)


def _resolve(request: Request) -> None:
    # Not contextlib.suppress, whose own microseconds would count.
    try:  # noqa: SIM105
        resolve(request, semantics=Semantics.CONTROLLER)
    except Unsatisfiable:
        pass


def _summary(rows: list[_Row]) -> None:
    print()
    print("times faster than the recorded controller (its minimum over ours), over all requests:")
    kinds = {
        "index building and first resolve": [row.controller / (row.indexing + row.first) for row in rows],
        "first resolve on a ready index": [row.controller / row.first for row in rows],
        "the same, the code in the processor's caches": [row.controller / row.warm for row in rows],
        "repeated resolve": [row.controller / row.again for row in rows],
        "cold process, loading and indexing": [row.controller / row.cold for row in rows],
        "cold process, indexes in files": [row.controller / row.indexed for row in rows],
    }
    table(
        ("", "geometric mean", "least", "most"),
        [
            (name, f"{geometric_mean(ratios):.1f}", f"{min(ratios):.2f}", f"{max(ratios):.0f}")
            for name, ratios in kinds.items()
        ],
    )
    long = [row for row in rows if row.controller >= 5]
    slower = [row.name for row in long if row.first >= row.controller]
    least = min(row.controller / row.first for row in long)
    short = max((row.first for row in rows if row.controller < 5), default=0.0)
    warm = max((row.warm for row in rows if row.controller < 5), default=0.0)
    print(f"requests that took the controller 5 ms or more: {len(long)}, slower here: {slower or 'none'}")
    print(f"least ratio among them: {least:.1f}")
    print(f"slowest of the {len(rows) - len(long)} others: {short:.3f} ms first, {warm:.3f} ms warm")
