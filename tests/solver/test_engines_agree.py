"""The deciding engine, the portable search and brute force give one answer, on thousands of problems.

The seeds are fixed, so that a failure names a problem that can be printed.
"""

from __future__ import annotations

import random

from olmsolve.solver import Budget, Core, solve
from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.deciding import decide
from olmsolve.solver.portable import search
from olmsolve.solver.problem import Remembered
from tests.solver import oracle
from tests.solver.bulk import random_problem


def test_deciding_is_portable_is_brute_force() -> None:
    """Both engines are long and the definition is short; satisfiable or not, they must not differ."""
    satisfiable = 0
    for seed in range(5000):
        problem = random_problem(random.Random(seed), "abcdefg")
        expected = oracle.preferred(problem)
        decided = decide(Remembered(problem), Budget())
        # Branches are equal by identity only, and are no part of a solution.
        assert decided == search(Remembered(problem), PORTABLE, Budget()), seed
        assert (None if decided is None else list(decided.selected)) == expected, seed
        satisfiable += expected is not None
    # Neither kind may quietly disappear from the generator.
    assert 1500 < satisfiable < 3500


def test_deciding_is_portable_on_larger_problems() -> None:
    """Dense problems bring conflicts of many levels, which small ones do not."""
    for seed in range(3000):
        problem = random_problem(random.Random(f"larger {seed}"), "abcdefghijklmnopqrstuvw")
        assert decide(Remembered(problem), Budget()) == search(Remembered(problem), PORTABLE, Budget()), seed


def test_cores_agree() -> None:
    """A core is a function of the problem, however it was found out that there is no solution."""
    cores = 0
    for seed in range(300):
        problem = random_problem(random.Random(f"cores {seed}"), "abcdefghijk")
        answer = solve(problem)
        assert repr(answer) == repr(solve(problem, backend=PORTABLE)), seed
        cores += isinstance(answer, Core)
    assert cores > 50
