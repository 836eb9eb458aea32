"""Faults in the rooms that answers are judged by are found by the reference and the second reading alone."""

from __future__ import annotations

import pytest

from tests.scale import LONG
from tests.testing.planted import FAULTS, Planted, fuzzed, laws_on_random_requests


@pytest.mark.skipif(not LONG, reason="copies the package for each fault (OLMSOLVE_TESTS=long)")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.wrong.strip()}")
def test_a_planted_fault_is_found(fault: Planted) -> None:
    """A law that shares its reading with the resolver passes whatever both get wrong."""
    assert "AssertionError" in laws_on_random_requests(fault, 300)


@pytest.mark.skipif(not LONG, reason="takes half a minute (OLMSOLVE_TESTS=long)")
def test_without_a_fault_nothing_is_found() -> None:
    """Else the faults above prove nothing."""
    assert laws_on_random_requests(None, 300).endswith(": nothing")


@pytest.mark.skipif(not LONG, reason="copies the package for each fault (OLMSOLVE_TESTS=long)")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.wrong.strip()}")
def test_fuzzing_finds_it_within_a_minute(fault: Planted) -> None:
    """What is drawn for rare answers, and the laws that judge by the definition first, find each in seconds."""
    assert "nothing" not in fuzzed(fault, 0)
