"""YAML as ``opm`` (operator-registry 1.73.0) reads it: 406 documents as people write them, and 900 odd ones.

``opm_yaml`` was recorded for this project; ``opm_odd_yaml`` are the documents 0 to 899 of ``tests/fuzz/odd_yaml.py``,
which ``python -m tests.opm`` recorded.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from olmsolve import load
from olmsolve.authoring.checks import Severity, validate
from olmsolve.catalog.fbc import blobs
from tests import opm
from tests.conformance.test_documents_vectors import in_order, rendered, written
from tests.fuzz.odd_yaml import odd_document
from tests.recorded import VENDORED, records
from tests.scale import scaled

GROUPS: Final = 7
ODD: Final = VENDORED / "opm_odd_yaml.jsonl.gz"


@pytest.mark.parametrize("group", range(GROUPS))
def test_verdict_and_content_are_those_of_opm(group: int, tmp_path: Path) -> None:
    """A catalog that passes here passes where ``opm`` builds the image, and has there what it has here."""
    differing = []
    for record in records(VENDORED / "opm_yaml.jsonl.gz")[group::GROUPS]:
        folder = written(record, tmp_path)
        wrong = [str(finding) for finding in validate(folder, advice=False) if finding.severity is Severity.ERROR]
        if bool(wrong) == record["ok"]:
            differing.append((record["id"], record["message"], wrong))
        elif record["ok"] and in_order(map(rendered, blobs(load(folder)))) != in_order(record["render"]):
            differing.append((record["id"], "content", []))
    assert not differing


def test_odd_documents_are_read_as_by_opm() -> None:
    """Every feature of YAML in unusual company: about a third is valid, and many a valid one should not be."""
    odd_records = records(ODD)
    assert len(odd_records) == 900
    differing = []
    for record in odd_records:
        ours, theirs = opm.read(record["text"]), record["render"]
        if ours is None or theirs is None:
            same = ours is theirs
        else:
            same = sorted(map(repr, map(opm.comparable, ours))) == sorted(map(repr, map(opm.comparable, theirs)))
        if not same:
            differing.append((record["text"], ours, theirs))
    assert not differing
    verdicts = Counter(record["render"] is None for record in odd_records)
    assert min(verdicts.values()) > 200


@pytest.mark.skipif(not opm.OPM, reason="no opm named by OLMSOLVE_OPM; its recorded answers are compared above")
def test_fresh_odd_documents_are_read_as_by_opm() -> None:
    """Documents that nobody has recorded, judged by the program itself."""
    assert list(opm.differing(odd_document(seed) for seed in range(900, 900 + scaled(800)))) == []
