"""What whole processes cost that import olmsolve, or resolve, beside dependencies that a resolver would load."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.measuring import process_seconds, shared, table
from olmsolve.catalog.index_files import write_index

_DEPENDENCIES = "import attrs, semantic_version, pysat.solvers"
_CATALOG = "community-prod.jsonl.gz"
_PACKAGE = "argocd-operator"
_RUNS = 15


def run() -> None:
    processes: dict[str, Sequence[str]] = {
        "the bare interpreter": ["-c", "pass"],
        _DEPENDENCIES: ["-c", _DEPENDENCIES],
        "import olmsolve": ["-c", "import olmsolve"],
        "and its resolve": ["-c", "import olmsolve; olmsolve.resolve, olmsolve.read_request"],
    }
    folder = shared()
    with tempfile.TemporaryDirectory() as temporary:
        if folder is not None:
            processes |= _resolving(folder, Path(temporary))
        times: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(_RUNS):
            # In turn, so that a machine that gets slower or faster does so for all of them.
            for name, arguments in processes.items():
                times[name].append(process_seconds(arguments, runs=1))
    base = median(times[_DEPENDENCIES])
    rows = [(name, f"{median(values) * 1e3:.0f}", f"{median(values) / base:.2f}") for name, values in times.items()]
    table(("process (median of 15)", "ms", "ratio"), rows)


def _resolving(folder: Path, temporary: Path) -> dict[str, Sequence[str]]:
    """Processes that resolve the same request over the same catalog, with its index in a file and without."""
    found: dict[str, Sequence[str]] = {}
    for kind in ("with its index", "without an index"):
        place = temporary / kind
        place.mkdir()
        catalog = place / _CATALOG
        shutil.copyfile(folder / "catalogs" / _CATALOG, catalog)
        if kind == "with its index":
            write_index(catalog)
        wish = {"name": "wish", "package": _PACKAGE, "source": "community", "sourceNamespace": "olm"}
        document = {
            "namespaces": ["target", "olm"],
            "catalogs": [{"name": "community", "namespace": "olm", "file": catalog.name}],
            "subscriptions": [wish],
        }
        request = place / "request.json"
        request.write_text(json.dumps(document), "utf-8")
        found[f"resolve over community-prod {kind}"] = ["-m", "olmsolve", "resolve", str(request)]
    return found
