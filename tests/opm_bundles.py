"""``python -m tests.opm_bundles FIRST LAST --record FILE``: odd bundles as ``opm render`` prints them.

``OLMSOLVE_OPM`` names the program. Its answers to the bundles 0 to 119 of ``tests/fuzz/odd_bundles.py`` are recorded in
``tests/conformance/opm_bundles.jsonl.gz``: for each bundle its files, and for each of :data:`FORMS` the text that was
printed, or the error. ``opm_json_bundles.jsonl.gz`` has those of 200 to 279 with ``--json``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.fuzz.odd_bundles import METADATA, in_odd_json, odd_bundle
from tests.opm import OPM

__all__ = ["FORMS", "IMAGE", "answer", "written"]

IMAGE: Final = "q.io/{{.Package}}:{{.Name}}"
FORMS: Final = {
    "whole": ("none", "json"),
    "metadata": ("bundle-object-to-csv-metadata", "json"),
    "yaml": ("bundle-object-to-csv-metadata", "yaml"),
}
"""The migrate level and the form of each text."""


def written(files: Mapping[str, str], folder: Path) -> Path:
    """Write the *files* of a bundle into *folder*, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    return folder


def answer(bundle: str, level: str, form: str, *options: str) -> dict[str, str]:
    """Return what ``opm render`` prints of *bundle*, a folder or an image: the ``text``, or the ``error``."""
    command = [OPM, "render", bundle, "--migrate-level", level, "-o", form, *options]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if not run.returncode:
        return {"text": run.stdout}
    # Each line of the log begins with its time; the last one ends it.
    errors = [line for line in run.stderr.splitlines() if line[:2] == "20" and "rror" not in line[:30]]
    return {"error": (errors or [run.stderr])[-1][20:400]}


def main() -> int:
    """Record the answers."""
    parser = argparse.ArgumentParser(prog="python -m tests.opm_bundles", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--json", action="store_true", help="the lists of the metadata in JSON, of bundles with any")
    parser.add_argument("--record", type=Path, metavar="FILE", required=True)
    options = parser.parse_args()
    lines = []
    for seed in range(options.first, options.last):
        files = odd_bundle(seed)
        if options.json:
            if not any(name in files for name in METADATA):
                continue
            files = in_odd_json(files, seed)
        record: dict[str, Any] = {"name": str(seed), "files": files}
        with tempfile.TemporaryDirectory() as name:
            folder = str(written(files, Path(name)))
            for key, (level, form) in FORMS.items():
                record[key] = answer(folder, level, form, "--alpha-image-ref-template", IMAGE)
        lines.append(json.dumps(record) + "\n")
    options.record.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
