"""A million bundles in 2,000 packages: memory and time of loading, and of a process that has the index in a file.

Three processes, so that the memory of one is not the other's: one loads and indexes, one writes the index, and one
opens it and answers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import table
from benchmarks.synthetic_problem import generated, write
from olmsolve.testing.synthetic import DenseShape

__all__ = ["run"]

_LOAD = """
import gc, json, sys, time
from benchmarks.measuring import peak_bytes
from olmsolve import load
from olmsolve.catalog.index import index_of
started = time.process_time()
catalog = load(sys.argv[1], index=False)
loaded, peak = time.process_time(), peak_bytes()
index_of(catalog)
print(json.dumps([loaded - started, peak, time.process_time() - loaded, peak_bytes()]))
"""

_OPEN = """
import json, sys, time
from benchmarks.measuring import peak_bytes, resident_bytes
from olmsolve import Resolver, Source, Subscription, load
from olmsolve.catalog.index_files.content import beside, content_digest
from olmsolve.catalog.index_files.opening import catalog_from_index
path = sys.argv[1]
small = load(sys.argv[2], index=False)
wish = [Subscription("wish", "ns", sys.argv[3])]
Resolver([Source("c", "ns", 0, small)]).is_satisfiable(wish, namespaces=["ns"])
before, started = resident_bytes(), time.process_time()
digest = content_digest(path)
hashed = time.process_time()
catalog = catalog_from_index(path, beside(path), digest)
opened = time.process_time()
Resolver([Source("c", "ns", 0, catalog)]).resolve(wish, namespaces=["ns"])
answered = time.process_time()
print(json.dumps([hashed - started, opened - hashed, answered - opened, resident_bytes() - before]))
"""

_WRITE = "import sys; from olmsolve.catalog import write_index; write_index(sys.argv[1])"


def run(*, quick: bool = False) -> None:
    """Measure a catalog of a million bundles; *quick*: of twenty thousand in forty packages."""
    shape = DenseShape(40 if quick else 2_000, 500, 3, 20)
    with tempfile.TemporaryDirectory() as temporary:
        file, small = Path(temporary, "catalog.jsonl"), Path(temporary, "small.jsonl")
        problem = generated(shape, hard=False, unsat=False)
        write(problem, file)
        # The last package needs no other.
        wish = f"pkg{len(problem.requires) - 1}"
        write(generated("S", hard=False, unsat=False), small)
        bundles, text = sum(map(len, problem.requires)), file.stat().st_size
        del problem
        load, peak, index, whole_peak = _figures(_LOAD, file)
        _process(_WRITE, file)
        size = file.with_name(f"{file.name}.olmindex").stat().st_size
        hashed, opened, answered, resident = _figures(_OPEN, file, small, wish)
    print(
        f"{bundles:,} bundles in {shape.packages:,} packages, {text / 1e6:,.0f} MB of text (CPU seconds, MB in memory)"
    )
    rows = [
        ("load", f"{load:.2f}", f"{peak / 1e6:,.0f}"),
        ("index", f"{index:.2f}", f"{whole_peak / 1e6:,.0f}"),
        ("with an index in a file: hash the catalog", f"{hashed:.3f}", ""),
        (f"open the index ({size / 1e6:,.0f} MB)", f"{opened:.3f}", ""),
        ("first answer", f"{answered:.4f}", f"{resident / 1e6:,.0f}"),
    ]
    table(("", "s", "MB"), rows)


def _figures(code: str, *arguments: object) -> list[float]:
    found: list[float] = json.loads(_process(code, *arguments))
    return found


def _process(code: str, *arguments: object) -> str:
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, check=False, text=True)
    if process.returncode:
        raise RuntimeError(process.stderr)
    return process.stdout
