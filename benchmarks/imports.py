"""The cold start: what whole processes cost that import olmsolve, or resolve, beside what a resolver would load."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import olmsolve
from benchmarks.catalogs import catalog_files
from benchmarks.measuring import process_seconds, table
from olmsolve import load
from olmsolve.catalog import Package
from olmsolve.catalog.index_files import write_index

_DEPENDENCIES = "import attrs, semantic_version, pysat.solvers"
_NAMES = ("olmsolve.resolve", "olmsolve.read_request", "olmsolve.load")
_EXAMPLE = Path(olmsolve.__file__).parent / "examples" / "install.yaml"
_RUNS = 15
_QUICK_RUNS = 5


def run(*, quick: bool = False) -> None:
    """Time the processes in turn, 15 times each; *quick*: five times, over a smaller catalog."""
    runs = _QUICK_RUNS if quick else _RUNS
    processes: dict[str, Sequence[str]] = {
        "the bare interpreter": ["-c", "pass"],
        _DEPENDENCIES: ["-c", _DEPENDENCIES],
        "import olmsolve": ["-c", "import olmsolve"],
        "and resolve, read_request, load": ["-c", f"import olmsolve; {', '.join(_NAMES)}"],
        "olmsolve --help": ["-m", "olmsolve", "--help"],
        "olmsolve resolve of the bundled example": ["-m", "olmsolve", "resolve", str(_EXAMPLE)],
    }
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            processes |= _resolving(name, file, Path(temporary))
        times: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(runs):
            # In turn, so that a machine that gets slower or faster does so for all of them.
            for name, arguments in processes.items():
                times[name].append(process_seconds(arguments, runs=1))
    base = median(times[_DEPENDENCIES])
    rows = [(name, f"{median(values) * 1e3:.0f}", f"{median(values) / base:.2f}") for name, values in times.items()]
    table((f"process (median of {runs})", "ms", "ratio"), rows)


def _resolving(name: str, file: Path, temporary: Path) -> dict[str, Sequence[str]]:
    """Return processes that resolve the same request over the same catalog, with its index in a file and without."""
    # The package with the most bundles that needs nothing else: its newest bundle can be installed.
    package = max(load(file), key=lambda package: (not _requires(package), len(package.bundles))).name
    found: dict[str, Sequence[str]] = {}
    for kind in ("with its index", "without an index"):
        folder = temporary / name / kind
        folder.mkdir(parents=True)
        catalog = folder / file.name
        shutil.copyfile(file, catalog)
        if kind == "with its index":
            write_index(catalog)
        wish = {"name": "wish", "package": package, "source": "community", "sourceNamespace": "olm"}
        document = {
            "namespaces": ["target", "olm"],
            "catalogs": [{"name": "community", "namespace": "olm", "file": catalog.name}],
            "subscriptions": [wish],
        }
        request = folder / "request.json"
        request.write_text(json.dumps(document), "utf-8")
        found[f"resolve over {name} {kind}"] = ["-m", "olmsolve", "resolve", str(request)]
    return found


def _requires(package: Package) -> bool:
    types = {item.type for bundle in package.bundles.values() for item in bundle.properties}
    return any(kind.endswith(("required", "constraint")) for kind in types)
