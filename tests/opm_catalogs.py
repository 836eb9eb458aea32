"""``python -m tests.opm_catalogs FIRST LAST``: odd catalogs as ``opm`` judges and prints them, and as we do.

``OLMSOLVE_OPM`` names the program. Its answers to the catalogs 0 to 149 of ``tests/fuzz/odd_catalogs.py`` are recorded
in ``tests/conformance/opm_odd_catalogs.jsonl.gz`` (``--record FILE``): whether ``opm validate`` accepts a catalog, and
what ``opm render`` prints of it, or null where it fails. The form is YAML for odd seeds, or JSON where YAML fails.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from olmsolve import CatalogError, Severity, validate
from olmsolve._patterns import pattern
from olmsolve.cli import main as olmsolve
from tests.fuzz.odd_catalogs import as_text, catalog_in, odd_catalog
from tests.opm import OPM

__all__ = ["Verdict", "differs", "judged_by_opm", "judged_by_us", "verdict_on"]

REFUSED: Final = pattern(
    r"there is no catalog here: no document in any file"
    r"|must be a string that is not empty, (?:and it is missing|not the empty string)"
    r"|must be an object, not null"
    r"|is defined twice|has two olm.deprecations"
)
"""Why we print nothing of some catalogs that ``opm render`` prints: they are empty, or not valid for it either."""


class Verdict(NamedTuple):
    """Whether a catalog is valid, the text that is printed of it in this *form*, and why none is."""

    valid: bool
    render: str | None
    form: str
    reason: str = ""


def judged_by_opm(folder: Path, form: str) -> Verdict:
    """Return what ``opm`` says of the catalog in *folder*."""
    judged = subprocess.run([OPM, "validate", folder], capture_output=True, timeout=60)
    for shown in dict.fromkeys((form, "json")):
        printed = subprocess.run([OPM, "render", folder, "-o", shown], capture_output=True, text=True, timeout=60)
        if printed.returncode == 0:
            return Verdict(judged.returncode == 0, printed.stdout, shown)
    return Verdict(judged.returncode == 0, None, form)


def judged_by_us(folder: Path, form: str) -> Verdict:
    """Return what we say of the catalog in *folder*."""
    try:
        is_valid = all(finding.severity is not Severity.ERROR for finding in validate(folder, advice=False))
    except CatalogError:
        is_valid = False
    printed, reason = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(reason):
        code = olmsolve(["render", str(folder), "-o", f"opm-{form}"])
    return Verdict(is_valid, printed.getvalue() if code == 0 else None, form, reason.getvalue())


def differs(ours: Verdict, theirs: Verdict) -> bool:
    """Return whether *ours* is another verdict or another text, and no refusal for one of our reasons."""
    if ours.valid != theirs.valid:
        return True
    return ours.render != theirs.render and not (ours.render is None and REFUSED.search(ours.reason))


def verdict_on(seed: int, recorded: Verdict | None = None) -> tuple[Verdict, Verdict]:
    """Return our verdict on the catalog of *seed*, and the one of ``opm``, which may be *recorded*."""
    with tempfile.TemporaryDirectory() as name:
        folder = catalog_in(odd_catalog(seed), Path(name) / "catalog")
        theirs = recorded or judged_by_opm(folder, ("json", "yaml")[seed % 2])
        return judged_by_us(folder, theirs.form), theirs


def main() -> int:
    """Compare, or record."""
    parser = argparse.ArgumentParser(prog="python -m tests.opm_catalogs", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the answers to all of them")
    options = parser.parse_args()
    differing, valid, printed, lines = 0, 0, 0, []
    for seed in range(options.first, options.last):
        ours, theirs = verdict_on(seed)
        valid += theirs.valid
        printed += theirs.render is not None
        record = {"seed": seed, "valid": theirs.valid, "render": theirs.render, "form": theirs.form}
        lines.append(json.dumps(record) + "\n")
        if differs(ours, theirs):
            differing += 1
            print(f"{seed}: {as_text(odd_catalog(seed))}\n  ours: {ours}\n  opm:  {theirs}", flush=True)
    if options.record:
        options.record.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
        return 0
    print(f"{len(lines)} catalogs: {valid} are valid and {printed} printed; {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
