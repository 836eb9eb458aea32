"""Odd catalogs, as ``opm`` (operator-registry 1.73.0) judges and prints them: 150 recorded ones, and fresh ones.

``python -m tests.opm_catalogs`` says what is recorded, and which catalogs we refuse to print.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.opm import OPM
from tests.opm_catalogs import Verdict, differs, verdict_on
from tests.recorded import VENDORED, records
from tests.scale import scaled

RECORDS: Final = records(VENDORED / "opm_odd_catalogs.jsonl.gz")


@pytest.mark.parametrize("group", range(5))
def test_verdict_and_bytes_are_those_of_opm(group: int) -> None:
    """Whatever the notation, the layout of files and the content: valid for both or neither, and printed alike."""
    for record in RECORDS[group::5]:
        recorded = Verdict(record["valid"], record["render"], record["form"])
        ours, theirs = verdict_on(record["seed"], recorded)
        assert not differs(ours, theirs), (record["seed"], ours, theirs)


def test_the_recorded_catalogs_are_of_all_kinds() -> None:
    """Valid ones, ones that are printed though they are not valid, and ones that cannot be read."""
    kinds = [(record["valid"], record["render"] is not None) for record in RECORDS]
    assert min(map(kinds.count, ((True, True), (False, True), (False, False)))) >= 15


@pytest.mark.skipif(not OPM, reason="no opm named by OLMSOLVE_OPM; its recorded answers are compared above")
def test_fresh_catalogs_are_judged_as_by_opm() -> None:
    """Catalogs that nobody has recorded, judged by the program itself."""
    for seed in range(10_000, 10_000 + scaled(400)):
        ours, theirs = verdict_on(seed)
        assert not differs(ours, theirs), (seed, ours, theirs)
