"""Plant a fault in a copy of the package, and see that it is found: ``python -m tests.testing.planted``.

The faults stand in rooms that the laws judge answers of: versions and ranges, predicates, CEL, update graphs, and the
candidates and the queue of the resolver. Each is one that a check by the same code could not see. By default, the laws
that judge by the reference and by the second reading alone are asked about random requests; with ``--fuzz SEED...``,
``olmsolve.testing.fuzz`` runs over generated catalogs, for a minute of processor time at most, until one of them finds
it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs

import olmsolve
from olmsolve.testing import COMPOUND, random_document

_PACKAGE: Final = Path(olmsolve.__file__).parent


class Planted(NamedTuple):
    """A fault: in *file*, the text *right* becomes *wrong*."""

    file: str
    right: str
    wrong: str


FAULTS: Final = (
    Planted("semver/blang.py", 'after(key) if comparator == ">" else key)', "after(key))"),
    Planted("semver/version.py", "key = (major, minor, patch, 0,", "key = (major, minor, patch, 2,"),
    Planted("predicates/normal.py", "negated ^ isinstance(predicate, NoneOf)\n", "negated\n"),
    Planted("predicates/model.py", "return self.label in published.labels", "return True"),
    Planted("predicates/constraint.py", '"any": AnyOf, "not": NoneOf}', '"any": AllOf, "not": NoneOf}'),
    Planted("cel/closures.py", "        return not value\n", "        return value\n"),
    Planted("cel/operations.py", '_compare(">=", one, other) >= 0', '_compare(">=", one, other) > 0'),
    Planted("catalog/update_graph/classic.py", "if name not in skipped:", "if True:"),
    Planted("catalog/index/catalog_index.py", "if replaces[number] in names or (", "if (False and "),
    Planted("classic/subscriptions.py", "if starting and semantics is Semantics.DOCUMENTED:", "if False:"),
    Planted("classic/subscriptions.py", "return Served(tuple(candidates))", "return Served(tuple(candidates[::-1]))"),
    Planted("solver/queue.py", "for root in roots if", "for root in reversed(roots) if"),
    Planted("solver/queue.py", "return all(_holds(part, selected, idle)", "return any(_holds(part, selected, idle)"),
)
"""One fault or two for each room."""


def catalogs(folder: Path, seed: int = 1) -> list[Path]:
    """Write catalogs with every kind of requirement into *folder*; return their files."""
    shape = attrs.evolve(COMPOUND, packages=8, bundles=4, channels=2, provides=0.3)
    files = []
    for number in range(2):
        document: dict[str, Any] = random_document(random.Random(seed * 10 + number), shape)
        file = folder / f"catalog{number}.json"
        file.write_text("\n".join(json.dumps(blob) for blob in document["catalogs"][0]["blobs"]), "utf-8")
        files.append(file)
    return files


_LAWS: Final = """
import random, sys, time
from olmsolve import Semantics, read_request
from olmsolve.testing import check_constraints, check_preferred, check_reading
from olmsolve.testing.random_requests import COMPOUND, DENSE, WIDE, random_request
# The startingCSV is in the skipRange of the head, and nothing replaces it: random requests hardly ever have that.
bundles = [{"schema": "olm.bundle", "package": "p", "name": f"p.v{version}", "properties": [
    {"type": "olm.package", "value": {"packageName": "p", "version": version}}]} for version in ("1.0.0", "2.0.0")]
entries = [{"name": "p.v2.0.0", "skips": ["p.v1.0.0"], "skipRange": "<2.0.0"}, {"name": "p.v1.0.0"}]
channel = {"schema": "olm.channel", "package": "p", "name": "stable", "entries": entries}
blobs = [{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}, channel, *bundles]
wish = {"name": "p", "package": "p", "channel": "stable", "startingCSV": "p.v1.0.0"}
catalog = {"name": "c", "namespace": "ns", "blobs": blobs}
REMOVED = {"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": [wish]}
began = time.monotonic()
for seed in range(int(sys.argv[1])):
    request = random_request(random.Random(seed), (COMPOUND, WIDE, DENSE)[seed % 3]) if seed else read_request(REMOVED)
    for semantics in Semantics:
        for law in (check_reading, check_constraints, check_preferred):
            try:
                law(request, semantics)
            except Exception as error:
                name = type(error).__name__
                print(f"{time.monotonic() - began:.1f} s, request {seed}, {law.__name__}: {name}")
                sys.exit()
print(f"{time.monotonic() - began:.1f} s: nothing")
"""
"""A program that asks the laws about so many random requests, and prints the first that one of them breaks."""


_FUZZ: Final = """
import os, sys, time
from types import SimpleNamespace
import olmsolve
from olmsolve.testing import fuzz
from olmsolve.testing.fuzzing import running, working

JUDGES = {"constraints", "preferred", "reading"}
whole = working.FuzzWork.case
# The share of a processor that a busy machine gives has no part in it.
running.time = SimpleNamespace(monotonic=time.process_time)

def case(work, number):
    result = whole(work, number)
    broken = JUDGES.intersection(result.broken)
    if broken:
        print(f"{time.process_time():.1f} s, case {number}: {', '.join(sorted(broken))}", flush=True)
        os._exit(0)
    return result

working.FuzzWork.case = case
sources = [olmsolve.Source(f"c{n}", "olm", 0, olmsolve.load(f"catalog{n}.json")) for n in range(2)]
report = fuzz(sources, seed=int(sys.argv[1]), seconds=float(sys.argv[2]))
print(f"{time.process_time():.1f} s, {report.cases} cases: nothing")
"""
"""A program that fuzzes with a seed for so many seconds, and prints the first case to which a judge objects."""


def found_by(fault: Planted | None, command: list[str]) -> str:
    """Return what *command* prints in a copy of the package with *fault* (None: as it is)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(_PACKAGE, folder / "olmsolve", ignore=shutil.ignore_patterns("__pycache__"))
        if fault is not None:
            file = folder / "olmsolve" / fault.file
            text = file.read_text("utf-8")
            assert fault.right in text, fault
            file.write_text(text.replace(fault.right, fault.wrong, 1), "utf-8")
        catalogs(folder)
        environment = {**os.environ, "PYTHONPATH": name}
        run = subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        return run.stdout or run.stderr


def laws_on_random_requests(fault: Planted | None, requests: int) -> str:
    """Return which law first finds *fault* on which of so many random *requests*, and after how many seconds."""
    return found_by(fault, ["-c", _LAWS, str(requests)]).strip()


def fuzzed(fault: Planted | None, seed: int, seconds: float = 60.0) -> str:
    """Return which law finds *fault* in which case of a fuzzing run, and after how many *seconds* of its processor."""
    return found_by(fault, ["-c", _FUZZ, str(seed), str(seconds)]).strip()


if __name__ == "__main__":
    seeds = [int(text) for text in sys.argv[2:]] or [0]
    for planted in (None, *FAULTS):
        label = "no fault" if planted is None else f"{planted.file}: {planted.wrong.strip()}"
        if sys.argv[1:2] == ["--fuzz"]:
            for seed in seeds:
                print(f"{label}: seed {seed}: {fuzzed(planted, seed)}", flush=True)
        else:
            print(f"{label}: {laws_on_random_requests(planted, 500)}", flush=True)
