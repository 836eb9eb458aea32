"""Plant a fault in a copy of the package, and see that ``olmsolve fuzz`` finds it: ``python -m tests.testing.planted``.

The faults stand in rooms that the laws judge answers of: versions and ranges, predicates, CEL, update graphs, and the
candidates and the queue of the resolver. Each is one that a check by the same code could not see.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs

import olmsolve
from olmsolve.testing.random_requests import COMPOUND, random_document

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
    Planted("catalog/update_graph/order.py", "if name not in skipped:", "if True:"),
    Planted(
        "catalog/update_graph/edges.py",
        "if entry.replaces == name or name in entry.skips:",
        "if entry.replaces == name:",
    ),
    Planted("classic/subscriptions.py", "if starting and semantics is Semantics.DOCUMENTED:", "if False:"),
    Planted("classic/subscriptions.py", "return Served(tuple(candidates))", "return Served(tuple(sorted(candidates)))"),
    Planted("solver/queue.py", "for root in roots if", "for root in reversed(roots) if"),
    Planted("solver/queue.py", "return all(_holds(part, selected, idle)", "return any(_holds(part, selected, idle)"),
)
"""One fault or two for each room."""


def catalogs(folder: Path, seed: int = 1) -> list[Path]:
    """Write catalogs with every kind of requirement into *folder*; return their files."""
    shape = attrs.evolve(COMPOUND, packages=8, bundles=4, channels=2, provides=0.3)
    found = []
    for number in range(2):
        document: dict[str, Any] = random_document(random.Random(seed * 10 + number), shape)
        file = folder / f"catalog{number}.json"
        file.write_text("\n".join(json.dumps(blob) for blob in document["catalogs"][0]["blobs"]), "utf-8")
        found.append(file)
    return found


def seconds_until_found(fault: Planted | None, seconds: int) -> tuple[float, dict[str, int]]:
    """Fuzz for *seconds* a copy of the package with *fault*; return the time, and the broken laws by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(_PACKAGE, folder / "olmsolve", ignore=shutil.ignore_patterns("__pycache__"))
        if fault is not None:
            file = folder / "olmsolve" / fault.file
            text = file.read_text("utf-8")
            assert fault.right in text, fault
            file.write_text(text.replace(fault.right, fault.wrong, 1), "utf-8")
        files = list(map(str, catalogs(folder)))
        began = time.monotonic()
        command = [sys.executable, "-m", "olmsolve", "fuzz", *files, "--seconds", str(seconds), "-o", "json"]
        run = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True, check=False
        )
        laws: dict[str, int] = {}
        if run.stdout:
            for each in json.loads(run.stdout)["findings"]:
                if each["kind"] == "BrokenLaw":
                    laws[each["law"]] = laws.get(each["law"], 0) + 1
        else:
            laws[run.stderr[-300:]] = 0
        return time.monotonic() - began, laws


if __name__ == "__main__":
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    for planted in (None, *FAULTS):
        took, broken = seconds_until_found(planted, limit)
        what = "no fault" if planted is None else f"{planted.file}: {planted.wrong.strip()}"
        print(f"{took:5.1f} s  {what}: {broken or 'nothing'}", flush=True)
