"""``python -m tests.opm FIRST LAST [--record FILE]``: odd YAML as ``opm`` reads it, and as we do.

``OLMSOLVE_OPM`` names the program (operator-registry 1.73.0 made the recorded answers). Without it nothing runs: it is
no part of this project, and its answers are recorded in ``tests/conformance/opm_odd_yaml.jsonl.gz``.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from olmsolve.authoring.checks import Severity
from olmsolve.authoring.checks.validation import checked_blob
from olmsolve.catalog.fbc import read_documents
from olmsolve.errors import CatalogError
from tests.fuzz.odd_yaml import odd_document

__all__ = ["OPM", "comparable", "differing", "read"]

OPM: Final = os.environ.get("OLMSOLVE_OPM", "")
_TOGETHER: Final = 12  # documents that we take for valid are judged together: most of the time goes into starting opm


def read(text: str) -> list[Any] | None:
    """Return the documents in *text* as we read and check them; None if one of them is refused."""
    try:
        documents = list(read_documents(io.BytesIO(text.encode("utf-8", "surrogatepass")), "f"))
    except CatalogError:
        return None
    findings = [finding for document in documents for finding in checked_blob(document).findings]
    return (
        None
        if any(finding.severity is Severity.ERROR for finding in findings)
        else [document.value for document in documents]
    )


def comparable(value: Any) -> Any:
    """Return *value* with every number as a double, as ``opm render`` prints it, and fields in order."""
    if isinstance(value, dict):
        return {key: comparable(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return float(value) + 0.0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def differing(texts: Iterable[str]) -> Iterator[tuple[str, list[Any] | None, list[Any] | None]]:
    """Yield the texts that ``opm`` reads otherwise, with our reading and its reading."""
    ours = [(text, read(text)) for text in texts]
    accepted = [pair for pair in ours if pair[1] is not None]
    groups = [accepted[start : start + _TOGETHER] for start in range(0, len(accepted), _TOGETHER)]
    groups += [[pair] for pair in ours if pair[1] is None]
    with ThreadPoolExecutor(3) as pool:
        for differences in pool.map(_differing, groups):
            yield from differences


def _differing(group: Sequence[tuple[str, Any]]) -> list[tuple[str, Any, Any]]:
    theirs = rendered(text for text, _ in group)
    if len(group) > 1:
        expected = [value for _, values in group for value in values]
        return [] if _alike(expected, theirs) else [difference for one in group for difference in _differing([one])]
    return [] if _alike(group[0][1], theirs) else [(*group[0], theirs)]


def _alike(ours: list[Any] | None, theirs: list[Any] | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return sorted(map(repr, map(comparable, ours))) == sorted(map(repr, map(comparable, theirs)))


def rendered(texts: Iterable[str]) -> list[Any] | None:
    """Return what ``opm render`` prints of files with *texts*; None where it fails."""
    folder = Path(tempfile.mkdtemp())
    try:
        for number, text in enumerate(texts):
            (folder / f"{number:04}.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        run = subprocess.run([OPM, "render", "-o", "json", folder], capture_output=True, text=True, timeout=60)
    finally:
        shutil.rmtree(folder)
    if run.returncode:
        return None
    values: list[Any] = []
    printed, decoder = run.stdout.strip(), json.JSONDecoder()
    while printed:
        value, end = decoder.raw_decode(printed)
        values.append(value)
        printed = printed[end:].lstrip()
    return values


def main() -> int:
    """Compare, and print or record."""
    parser = argparse.ArgumentParser(prog="python -m tests.opm", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the answers to all of them")
    options = parser.parse_args()
    texts = [odd_document(seed) for seed in range(options.first, options.last)]
    if options.record:
        lines = (json.dumps({"text": text, "render": rendered([text])}) for text in texts)
        options.record.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
        return 0
    differences = list(differing(texts))
    for text, ours, theirs in differences:
        print(f"{text!r}\n  ours: {ours}\n  opm:  {theirs}")
    valid = sum(read(text) is not None for text in texts)
    print(f"{len(texts)} documents, of which {valid} are valid; {len(differences)} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
