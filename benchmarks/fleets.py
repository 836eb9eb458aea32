"""What a change of catalogs costs to compare on a fleet: processor time, parts, memory, one process and several.

A fleet of generated clusters over community-prod (or a catalog like it) is written as gzipped dumps, and each way to
compare it with an update of thirty packages runs in a process of its own. All ways must print the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from olmsolve import Situation, load, plan, read_cluster, resolve
from olmsolve.catalog import Catalog, fbc
from olmsolve.testing import FleetShape, fleet
from olmsolve.testing.fleets import next_version

__all__ = ["Figure", "run", "write_fleet"]

_PACKAGES = 30
_TEMPLATES = 40
_TIMES = 4


@attrs.frozen
class Figure:
    """One comparison: seconds of processor time of all its processes, and the most bytes that one of them had."""

    clusters: int
    classes: int
    parts: int
    seconds: float
    peak_bytes: int
    digest: str


def run(*, quick: bool = False) -> None:
    """Compare fleets of 200 to 1,600 clusters, the one of 1,000 in every way; *quick*: 50 and 100 clusters."""
    sizes = (50, 100) if quick else (200, 400, 1000, 1600)
    with tempfile.TemporaryDirectory() as folder:
        # The recorded catalog comes last, where there is one.
        name, file = list(catalog_files(Path(folder), quick=quick).items())[-1]
        print(f"{name}: an update of {_PACKAGES} packages")
        old, new = load(file), Path(folder, "new.json")
        _write_catalog(next_version(old, _PACKAGES), new)
        rows = []
        for size in sizes:
            dumps = Path(folder, str(size))
            write_fleet(old, dumps, size)
            is_compared = size == (sizes[-1] if quick else 1000)
            ways = ("1", "2", *(["dask"] if _has_dask() else [])) if is_compared else ("1",)
            rows += [_row(way, measured(way, file, new, dumps)) for way in ways]
        table(("clusters", "workers", "classes", "parts", "CPU s", "ms each", "peak MB", "report"), rows)
        _plan_many_namespaces(old, 30 if quick else 300)


def _plan_many_namespaces(catalog: Catalog, most: int) -> None:
    """Print what planning one cluster of up to *most* namespaces takes beside resolving each of them."""
    shape = FleetShape(clusters=1, templates=1, namespaces=most, subscriptions=4, lag=5)
    (cluster,) = fleet(catalog, shape, seed=1)
    state = read_cluster(*cluster.documents())
    works: dict[str, Callable[[Situation], object]] = {
        "resolve": lambda situation: situation.ask(lambda question: resolve(question.request())),
        "plan": plan,
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(_TIMES):
        # A situation remembers what it worked out, so each time has its own.
        for name, work in works.items():
            asked = Situation.of_cluster(state, {"olm/main": catalog})
            started = time.process_time()
            work(asked)
            seconds[name].append(time.process_time() - started)
    planned, resolved = min(seconds["plan"]), min(seconds["resolve"])
    print("\none cluster whose operators lag behind, CPU seconds: what OLM would do next, with foresight")
    row = f"{len(asked.questions):,}", f"{resolved:.2f}", f"{planned:.2f}", f"{planned / resolved:.1f}"
    table(("namespaces", "resolve each", "plan", "ratio"), [row])


def _row(way: str, found: Figure) -> Sequence[str]:
    each = f"{1000 * found.seconds / found.clusters:.1f}"
    peak = f"{found.peak_bytes / 1e6:.0f}"
    numbers = (found.classes, found.parts)
    return (f"{found.clusters:,}", way, *map(str, numbers), f"{found.seconds:.1f}", each, peak, found.digest[:8])


def write_fleet(catalog: Catalog, folder: Path, clusters: int, *, seed: int = 1) -> None:
    """Write so many generated clusters on *catalog* into *folder*, one gzipped dump each."""
    folder.mkdir(parents=True)
    shape = FleetShape(clusters=clusters, templates=_TEMPLATES, namespaces=6, subscriptions=4, lag=5)
    for cluster in fleet(catalog, shape, seed=seed):
        (document,) = cluster.documents()
        (folder / f"{cluster.name}.json.gz").write_bytes(gzip.compress(json.dumps(document).encode(), 1))


def _write_catalog(catalog: Catalog, file: Path) -> None:
    with file.open("w", encoding="utf-8") as out:
        for blob in fbc.blobs(catalog):
            out.write(f"{json.dumps(blob, default=str)}\n")


def _has_dask() -> bool:
    return importlib.util.find_spec("distributed") is not None


def measured(way: str, old: Path, new: Path, dumps: Path) -> Figure:
    """Return the figures of one comparison in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.fleets_once", way, str(old), str(new), str(dumps)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    found = json.loads(done.stdout)
    digest = hashlib.sha256(json.dumps(found.pop("report")).encode()).hexdigest()
    return Figure(**found, digest=digest)
