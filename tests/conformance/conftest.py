"""What tests of recorded answers share: the generated requests, each made once for all questions about it."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest

from olmsolve import Request
from tests.recorded import VENDORED, Record, records, request_of


@pytest.fixture(scope="session", params=range(4))
def random_part(request: pytest.FixtureRequest) -> Sequence[tuple[Record, Request]]:
    """A quarter of the generated records with their requests.

    Making a request and the index of its catalogs takes longer than all answers to it. Pytest runs the tests of one
    quarter after each other, and then lets go of it.
    """
    all_records = records(VENDORED / "classic_random.jsonl.gz")
    assert len(all_records) == 1409
    pairs = [(record, request_of(record)) for record in all_records[request.param :: 4]]
    gc.freeze()  # they are freed with their last reference, and no collection walks them before
    return pairs
