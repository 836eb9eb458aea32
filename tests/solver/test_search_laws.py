"""The search gives exactly the solution that brute force gives, on every kind of constraint and backend."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from olmsolve.solver import Core, Solution, Variables, attempt, materialize, solve
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.problems import problems


@given(problems())
@settings(max_examples=scaled(150), deadline=None)
def test_preferred_solution_is_that_of_brute_force(problem: Variables) -> None:
    """The definition is short and slow, the search long and fast; they must not differ in a single choice."""
    expected = oracle.preferred(problem)
    answer = solve(problem)
    without_core = attempt(problem)
    if expected is None:
        assert isinstance(answer, Core)
        assert without_core is None
    else:
        assert isinstance(answer, Solution)
        assert list(answer.selected) == expected
        assert repr(without_core) == repr(answer)


@pytest.mark.parametrize("backend", ["python", "cadical153", "glucose4"])
@given(problem=problems())
@settings(max_examples=scaled(30), deadline=None)
def test_every_backend_gives_the_same(problem: Variables, backend: str) -> None:
    """Models and cores differ from solver to solver; answers may not."""
    # Branches are equal by identity only, so formulas are compared as they print.
    assert repr(solve(problem, backend=backend)) == repr(solve(problem))


@given(problems())
@settings(max_examples=scaled(50), deadline=None)
def test_materialized_closure_has_the_same_answer(problem: Variables) -> None:
    """Nothing outside the closure of the roots matters, and nothing in it is lost by listing it."""
    assert repr(solve(materialize(problem))) == repr(solve(problem))
