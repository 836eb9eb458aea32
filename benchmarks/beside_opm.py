"""Whole commands beside ``opm``, the program that ``OLMSOLVE_OPM`` names: CPU time of each, in turn, and the ratio."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import cpu_seconds, table

OPM = os.environ.get("OLMSOLVE_OPM", "")
_RUNS = 15
_QUICK_RUNS = 3
_TWO_BUNDLES = """\
schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
"""
_BUNDLE = """\
---
schema: olm.bundle
package: p
name: p.v{version}
image: registry.example.com/p:v{version}
properties:
- type: olm.package
  value: {{packageName: p, version: {version}}}
"""


def run(*, quick: bool = False) -> None:
    """Run each command in turn with ours, 15 times; *quick*: three times, over smaller catalogs."""
    if not OPM:
        print("no opm named by OLMSOLVE_OPM")
        return
    runs = _QUICK_RUNS if quick else _RUNS
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, folder in _catalogs(Path(temporary), quick=quick).items():
            for title, mine, theirs in (
                ("validate {}", ["validate"], ["validate"]),
                ("validate {}, the verdict alone", ["validate", "--level", "error"], ["validate"]),
                ("render {}", ["render", "-o", "opm-json"], ["render", "-o", "json"]),
            ):
                commands: Sequence[Sequence[str]] = (
                    [sys.executable, "-m", "olmsolve", *mine, str(folder)],
                    [OPM, *theirs, str(folder)],
                )
                # The first run compiles modules, and fills the caches of the system.
                times = [[cpu_seconds(command) for command in commands] for _ in range(runs + 1)][1:]
                own, other = (min(column) for column in zip(*times, strict=True))
                rows.append((title.format(name), f"{own * 1e3:.0f}", f"{other * 1e3:.0f}", f"{own / other:.2f}"))
    table((f"command (least CPU of {runs})", "olmsolve, ms", "opm, ms", "ratio"), rows)


def _catalogs(temporary: Path, *, quick: bool) -> dict[str, Path]:
    small = temporary / "two"
    small.mkdir()
    bundles = "".join(_BUNDLE.format(version=version) for version in ("1.0.0", "1.1.0"))
    (small / "catalog.yaml").write_text(_TWO_BUNDLES + bundles, "utf-8")
    found = {"two bundles": small}
    for name, file in catalog_files(temporary, quick=quick).items():
        # opm takes folders, and reads no compressed files.
        folder = temporary / f"of {name}"
        folder.mkdir()
        (folder / "catalog.jsonl").write_bytes(gzip.decompress(file.read_bytes()))
        found[name] = folder
    return found
