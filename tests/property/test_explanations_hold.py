"""Explanations of random requests that are full of conflicts: true, minimal, and with fixes that work.

The seeds are fixed, so that a failure names a request that can be printed.
"""

from __future__ import annotations

import random

import pytest

from olmsolve import Semantics
from olmsolve.testing import COMPOUND, DENSE, SMALL, WIDE, check_fixes, random_request
from tests.explained import check, check_text, explained
from tests.scale import scaled

# The short run takes a fifteenth.
PER_SHAPE = scaled(120, 15)
SHAPES = {
    "small": SMALL,
    "dense": DENSE,
    "compound": COMPOUND,
    "wide": WIDE,
}


@pytest.mark.parametrize("semantics", list(Semantics))
@pytest.mark.parametrize("shape", SHAPES)
def test_explanations_hold(shape: str, semantics: Semantics) -> None:
    """Random requests have what scenarios forget: broken catalogs, odd names, owners, negations of negations."""
    failures = 0
    for seed in range(PER_SHAPE):
        name = f"{shape} {seed}"
        request = random_request(random.Random(seed), SHAPES[shape])
        explanation = explained(request, semantics)
        if explanation is None:
            continue
        failures += 1
        check_text(name, explanation)
        if semantics is Semantics.CONTROLLER:
            check(name, explanation)
        check_fixes(request, semantics, explained=explanation)
    assert failures > PER_SHAPE // 5
