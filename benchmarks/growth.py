"""What a catalog's size and an answer's size cost.

The same request over catalogs of 1,000 to 1,000,000 bundles: into each the same block of packages is put several
times, and each of these requests reaches the ten packages of its block. So every one of them is resolved for the first
time once, on the same index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import attrs

from benchmarks.measuring import process_seconds, table
from benchmarks.plotting import Line, Panel, svg
from benchmarks.synthetic_problem import generated, write
from olmsolve.catalog.index_files import write_index
from olmsolve.testing.synthetic import DenseProblem, DenseShape

__all__ = ["Figure", "run"]

_BLOCK = DenseShape(10, 20, 3, 1)
_SIZES: Sequence[str | DenseShape] = ("S", "M", "L", DenseShape(20_000, 20, 3, 50), "XL")
_COPIES = 7
# Packages counted from the end of a catalog: later ones need fewer others, so that answers grow with the distance.
_DISTANCES = (1, 10, 30, 100, 200, 400, 700, 1000, 2000, 3000, 4500)
_PLOT = Path(__file__).parents[1] / "docs" / "growth.svg"


@attrs.frozen
class Figure:
    """One catalog: CPU seconds and bytes; *first*, *again* and *sizes* (of answers) have a figure for each request.

    *first_beside* has the times of the same requests over the smallest catalog, taken in turn with *first*.
    """

    bundles: int
    load: float
    index: float
    catalog_bytes: int
    index_bytes: int
    peak_bytes: int
    first: Sequence[float]
    first_beside: Sequence[float]
    again: Sequence[float]
    sizes: Sequence[int]


def run(*, quick: bool = False) -> None:
    """Measure catalogs up to a million bundles and plot them; *quick*: up to 20,000, without a plot."""
    catalogs = _by_catalog(_SIZES[:2] if quick else _SIZES)
    answers = _by_answer("M" if quick else "L")
    if not quick:
        _PLOT.write_text(_plot(catalogs, answers), "utf-8")
        print(f"\nplotted in docs/{_PLOT.name}")


def _by_catalog(sizes: Sequence[str | DenseShape]) -> list[Figure]:
    figures, cold = [], []
    with tempfile.TemporaryDirectory() as smallest:
        small = Path(smallest, "catalog.jsonl")
        small_wishes = _with_blocks(sizes[0], small)
        for size in sizes:
            with tempfile.TemporaryDirectory() as temporary:
                file = Path(temporary, "catalog.jsonl")
                wishes = _with_blocks(size, file)
                figures.append(_measured(file, wishes, beside=(str(small), *small_wishes)))
                cold.append(_cold(file, wishes[0]))
    print("one request that reaches ten packages, in catalogs of several sizes (CPU; median of seven such requests):")
    rows = []
    for figure, (unprepared, prepared, indexed) in zip(figures, cold, strict=True):
        kept = (figure.catalog_bytes + figure.index_bytes) / figure.bundles
        first, again, beside = median(figure.first), median(figure.again), median(figure.first_beside)
        rows.append(
            (
                f"{figure.bundles:,}",
                f"{figure.load:.2f}",
                f"{figure.index:.2f}",
                f"{first * 1e3:.3f}",
                f"{first / beside:.2f}",
                f"{again * 1e3:.3f}",
                f"{figure.catalog_bytes / figure.bundles:,.0f}",
                f"{figure.index_bytes / figure.bundles:,.0f}",
                f"{kept:,.0f}",
                f"{figure.peak_bytes / 2**20:,.0f}",
                f"{unprepared:.2f}",
                f"{prepared:.2f}",
                f"{indexed:.2f}",
            )
        )
    times = ("bundles", "load s", "index s", "first ms", "of smallest", "again ms")
    memory = ("catalog B/bundle", "index B/bundle", "both", "peak MiB")
    table((*times, *memory, "cold s", "cold again s", "with index s"), rows)
    return figures


def _by_answer(size: str) -> Figure:
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "catalog.jsonl")
        problem = generated(size, hard=False, unsat=False)
        write(problem, file)
        count = len(problem.requires)
        figure = _measured(file, [f"pkg{count - distance}" for distance in _DISTANCES if distance <= count])
    print(f"\none subscription in the catalog of {figure.bundles:,} bundles, by the size of the answer (CPU):")
    rows = sorted(zip(figure.sizes, figure.first, figure.again, strict=True))
    table(
        ("packages in the answer", "first ms", "us a package", "again ms"),
        [
            (str(packages), f"{first * 1e3:.3f}", f"{first * 1e6 / packages:.1f}", f"{again * 1e3:.3f}")
            for packages, first, again in rows
        ],
    )
    return figure


def _with_blocks(size: str | DenseShape, file: Path) -> list[str]:
    """Write the catalog of *size* with the blocks after it; the packages to wish for, one for each block."""
    problem = generated(size, hard=False, unsat=False)
    block = generated(_BLOCK, hard=False, unsat=False)
    requires = list(problem.requires)
    wishes = []
    for _ in range(_COPIES):
        start = len(requires)
        wishes.append(f"pkg{start + block.roots[0]}")
        requires += [
            [[(start + target, low, high) for target, low, high in row] for row in rows] for rows in block.requires
        ]
    write(DenseProblem(requires, []), file)
    return wishes


def _measured(file: Path, wishes: Sequence[str], beside: Sequence[str] = ()) -> Figure:
    command = [sys.executable, "-m", "benchmarks.growth_once", str(file), *wishes]
    command += ["--beside", *beside] if beside else []
    run = subprocess.run(command, capture_output=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace"))
    return Figure(**json.loads(run.stdout))


def _cold(catalog: Path, wish: str) -> tuple[float, float, float]:
    """Wall-clock seconds of whole processes: the first over this catalog, the least of those after it, and the least
    of some with the catalog's index in a file.
    """
    subscription = {"name": wish, "namespace": "target", "package": wish, "channel": "stable"}
    document = {
        "namespaces": ["target", "olm"],
        "catalogs": [{"name": "synthetic", "namespace": "olm", "priority": 0, "file": catalog.name}],
        "installed": [],
        "subscriptions": [{**subscription, "source": "synthetic", "sourceNamespace": "olm"}],
    }
    request = catalog.with_name("request.json")
    request.write_text(json.dumps(document), "utf-8")
    command = ["-m", "olmsolve", "resolve", str(request), "--output", "json"]
    unprepared = process_seconds(command, runs=1)
    prepared = min(process_seconds(command, runs=1) for _ in range(3 if unprepared < 10 else 1))
    write_index(catalog)
    return unprepared, prepared, min(process_seconds(command, runs=1) for _ in range(3))


def _plot(catalogs: Sequence[Figure], answers: Figure) -> str:
    by_answer = sorted(zip(answers.sizes, answers.first, strict=True))
    return svg(
        [
            Panel(
                "Cost by the size of the catalog",
                "bundles in the catalog",
                "CPU milliseconds",
                [
                    Line("loading", [(f.bundles, f.load * 1e3) for f in catalogs]),
                    Line("indexing", [(f.bundles, f.index * 1e3) for f in catalogs]),
                    Line("a request for ten packages", [(f.bundles, median(f.first) * 1e3) for f in catalogs]),
                ],
            ),
            Panel(
                "Memory by the size of the catalog",
                "bundles in the catalog",
                "MiB",
                [
                    Line("catalog and index", [(f.bundles, _mib(f.catalog_bytes + f.index_bytes)) for f in catalogs]),
                    Line("peak of the process", [(f.bundles, _mib(f.peak_bytes)) for f in catalogs]),
                ],
            ),
            Panel(
                "Cost by the size of the answer",
                f"packages in the answer ({answers.bundles:,} bundles)",
                "CPU milliseconds",
                [Line("first resolve", [(size, first * 1e3) for size, first in by_answer])],
            ),
        ]
    )


def _mib(count: int) -> float:
    return max(count, 1) / 2**20
