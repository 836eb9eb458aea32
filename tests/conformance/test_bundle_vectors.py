"""Bundles as ``opm render`` (operator-registry 1.73.0) prints them, to the byte: 120 odd ones, recorded.

``python -m tests.opm_bundles`` says what a record has. Where ``opm`` refuses a bundle, so do we; a few that it renders
are refused here, because it leaves out without a word what somebody wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests import opm
from tests.cli.commands import Run, runner
from tests.fuzz.odd_bundles import odd_bundle
from tests.opm_bundles import FORMS, IMAGE, answer, written
from tests.recorded import VENDORED, Record, records
from tests.scale import scaled

RECORDS: Final = records(VENDORED / "opm_bundles.jsonl.gz")
IN_JSON: Final = records(VENDORED / "opm_json_bundles.jsonl.gz")
GROUPS: Final = 6
STRICTER: Final = re.compile(
    r"a second document in one file, which opm and OLM leave out"
    r"|not a manifest, because it has no kind; opm and OLM leave it out"
    r"|the annotation olm.properties must be a list of properties in JSON"
    r"|(dependencies|properties)(\[\d+\])? must be (a list|an object), not"
    r"|/manifests/(bad|empty).yaml:\d+: (not valid YAML|a list; documents are objects|the document is a string)"
)
"""Why a bundle is refused that ``opm`` renders without a part of it."""


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def differences(olmsolve: Run, record: Record, folder: Path, counts: Counter[str]) -> list[tuple[str, str, str]]:
    """Return what is printed otherwise than *record* has it, and count in *said* what was alike."""
    written(record["files"], folder)
    mismatches = []
    for key, (level, form) in FORMS.items():
        theirs = record[key]
        ours = olmsolve(
            "render", str(folder), "--migrate-level", level, "-o", f"opm-{form}", "--alpha-image-ref-template", IMAGE
        )
        if ours.code == 0 and ours.out == theirs.get("text"):
            counts[key] += 1
        elif ours.code == 2 and "error" in theirs:
            counts["refused"] += 1
        elif ours.code == 2 and STRICTER.search(ours.err):
            counts["stricter"] += 1
        else:
            mismatches.append((record["name"], key, ours.err or ours.out))
    return mismatches


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_bytes_are_those_of_opm(olmsolve: Run, group: int, tmp_path: Path) -> None:
    """JSON with whole manifests and with metadata alone, and YAML."""
    counts: Counter[str] = Counter()
    mismatches = [
        difference
        for record in RECORDS[group::GROUPS]
        for difference in differences(olmsolve, record, tmp_path / record["name"], counts)
    ]
    assert mismatches == []
    assert min(counts["whole"], counts["metadata"], counts["yaml"]) >= 8
    assert counts["refused"] > 2
    assert counts["stricter"] <= 12


def test_json_stays_as_it_is_written(olmsolve: Run, tmp_path: Path) -> None:
    """What a bundle's metadata say as JSON passes through opm as text: escapes, digits and the order of fields."""
    counts: Counter[str] = Counter()
    mismatches = [
        difference
        for record in IN_JSON
        for difference in differences(olmsolve, record, tmp_path / record["name"], counts)
    ]
    assert mismatches == []
    assert min(counts["whole"], counts["metadata"], counts["yaml"]) >= 15


def test_own_metadata_hides_no_fault(olmsolve: Run, tmp_path: Path) -> None:
    """As recorded, opm decodes the ClusterServiceVersion before it sees that the bundle has an olm.csv.metadata."""
    files = odd_bundle(2043)
    assert "olm.csv.metadata" in files["metadata/properties.yaml"]
    folder = written(files, tmp_path)
    printed = olmsolve("render", folder, "--image", "q.io/p:1", "--output", "opm-json")
    assert (printed.code, printed.out) == (2, "")
    assert "spec.minKubeVersion" in printed.err
    assert olmsolve("render", folder, "--image", "q.io/p:1", "--output", "opm-json", "--bundle-objects").code == 0


def test_there_are_sixty() -> None:
    """Bundles that are printed, in each form."""
    for key in FORMS:
        assert sum("text" in record[key] for record in RECORDS) >= 60


@pytest.mark.skipif(not opm.OPM, reason="no opm named by OLMSOLVE_OPM; its recorded answers are compared above")
def test_fresh_bundles_are_printed_as_by_opm(olmsolve: Run, tmp_path: Path) -> None:
    """Bundles that nobody has recorded, judged by the program itself."""
    counts: Counter[str] = Counter()
    mismatches = []
    for seed in range(120, 120 + scaled(400)):
        folder = written(odd_bundle(seed), tmp_path / str(seed))
        options = ("--alpha-image-ref-template", IMAGE)
        answers = {key: answer(str(folder), *form, *options) for key, form in FORMS.items()}
        record = {"name": str(seed), "files": {}, **answers}
        mismatches += differences(olmsolve, record, folder, counts)
    assert mismatches == []
    assert counts["whole"]
