"""The cold start: what whole processes cost that import olmsolve, or resolve, beside what a resolver would load."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import olmsolve
from benchmarks.catalogs import catalog_files
from benchmarks.measuring import cpu_seconds, process_seconds, table
from olmsolve import load
from olmsolve.catalog import Package
from olmsolve.catalog.index_files import write_index

_DEPENDENCIES = "import attrs, semantic_version, pysat.solvers"
_NAMES = ("olmsolve.resolve", "olmsolve.read_request", "olmsolve.load")
_EXAMPLE = Path(olmsolve.__file__).parent / "examples" / "install.yaml"
_SHORT = (
    "--help",
    "validate --help",
    "schema plan",
    "where",
    "catalog list packages EXAMPLES/catalogs/orchard",
    "validate EXAMPLES/catalogs/commons",
    "lint EXAMPLES/catalogs/commons",
    "render EXAMPLES/catalogs/commons",
    "catalog diff EXAMPLES/catalogs/commons EXAMPLES/catalogs/commons",
    "graph EXAMPLES/catalogs/commons",
    "resolve EXAMPLES/install.yaml",
    "explain EXAMPLES/unsatisfiable.yaml",
)
_RUNS = 15
_QUICK_RUNS = 5
# Runs the program, and writes the names of all modules to the file of its first argument at the end. `-X importtime`
# would leave out the modules that doors load.
_COUNTED = """
import atexit, sys
file = sys.argv.pop(1)
atexit.register(lambda: open(file, "w").write(" ".join(sys.modules)))
from olmsolve.__main__ import program
sys.exit(program())
"""


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
    _short_commands(runs)


def _short_commands(runs: int) -> None:
    """Print the CPU time of commands on small input, and how many modules they load."""
    base = [sys.executable, "-c", "pass"]
    commands = {"python alone": base}
    for line in _SHORT:
        words = [word.replace("EXAMPLES", str(_EXAMPLE.parent)) for word in line.split()]
        commands[line.replace("EXAMPLES/", "")] = [sys.executable, "-m", "olmsolve", *words]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs + 1):
        for name, command in commands.items():
            times[name].append(cpu_seconds(command, codes=(0, 1)))
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "modules")
        for name, command in commands.items():
            if command is base:
                counted = [sys.executable, "-c", f"import sys; open({str(file)!r}, 'w').write(' '.join(sys.modules))"]
            else:
                counted = [sys.executable, "-c", _COUNTED, str(file), *command[3:]]
            subprocess.run(counted, capture_output=True, check=False)
            loaded = file.read_text().split()
            own = sum(module.partition(".")[0] == "olmsolve" for module in loaded)
            rows.append((name, f"{min(times[name][1:]) * 1e3:.0f}", str(own), str(len(loaded) - own)))
    table((f"command (least CPU of {runs})", "ms", "own modules", "other modules"), rows)


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
