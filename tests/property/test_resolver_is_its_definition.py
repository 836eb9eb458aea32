"""The fast resolver gives exactly what its definition gives, under both semantics.

The definition is followed sentence by sentence by :mod:`olmsolve.testing.reference`, which shares no code with
index, encoding and search. The seeds are fixed, so that a failure names a request that can be printed.
"""

from __future__ import annotations

import random

import pytest

from olmsolve import CatalogError, Request, Semantics
from olmsolve.answers.verification import EXISTING
from olmsolve.classic import ClassicProblem
from olmsolve.solver import Core, solve
from olmsolve.testing import COMPOUND, DENSE, SMALL, WIDE, random_request, reference
from tests.scale import scaled

# The short run takes a fifteenth.
PER_SHAPE = scaled(700, 15)
SHAPES = {
    "small": SMALL,
    "dense": DENSE,
    "compound": COMPOUND,
    "wide": WIDE,
}

Selected = list[tuple[str, str, str]]


def _defined(request: Request, semantics: Semantics) -> Selected | str:
    try:
        selected = reference.resolve(request, semantics, max_steps=20_000)
    except CatalogError:
        return "no plan"
    return "no plan" if selected is None else [(s.catalog, s.channel, s.name) for s in selected]


def _resolved(request: Request, semantics: Semantics) -> Selected | str:
    try:
        problem = ClassicProblem.of_request(request, semantics)
        answer = solve(problem)
    except CatalogError:
        return "no plan"
    if isinstance(answer, Core):
        return "no plan"
    candidates = map(problem.candidate, answer.selected)
    return [(EXISTING if c.catalog == EXISTING else c.catalog, c.channel, c.name) for c in candidates]


@pytest.mark.parametrize("name", SHAPES)
def test_preferred_solution_is_the_defined_one(name: str) -> None:
    """Satisfiable or not, and the same bundles in the same order of selection, on thousands of requests."""
    plans = none = 0
    for seed in range(PER_SHAPE):
        request = random_request(random.Random(f"{name} {seed}"), SHAPES[name])
        for semantics in Semantics:
            try:
                expected = _defined(request, semantics)
            except reference.TooLarge:
                continue
            assert _resolved(request, semantics) == expected, (name, seed, semantics)
            plans += expected != "no plan"
            none += expected == "no plan"
    # Neither kind may quietly disappear from the generator.
    assert plans > PER_SHAPE // 2
    assert none > PER_SHAPE // 4
    assert plans + none > 1.9 * PER_SHAPE
