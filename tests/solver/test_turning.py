"""The solver for cores begins in plain Python and turns into a quicker one; what it answers stays the same."""

from __future__ import annotations

import random

import pytest

from olmsolve.solver.backends import PythonSolver
from olmsolve.solver.backends.python import TurningSolver


def _has_turned(solver: TurningSolver) -> bool:
    return not isinstance(solver._solver, PythonSolver)


def _clauses(chance: random.Random, variables: int, count: int) -> list[list[int]]:
    return [[chance.choice((1, -1)) * v for v in chance.sample(range(1, variables + 1), 3)] for _ in range(count)]


def test_it_answers_as_the_python_solver_does_before_and_after_it_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models satisfy all clauses, cores are contradictory, and both verdicts come up on either side of the turn."""
    verdicts: set[tuple[bool, bool]] = set()
    for seed in range(60):
        # Clauses make the one half turn, conflicts the other.
        monkeypatch.setattr("olmsolve.solver.backends.python._CLAUSES", (10, 10_000)[seed % 2])
        monkeypatch.setattr("olmsolve.solver.backends.python._CONFLICTS", (100, 2)[seed % 2])
        chance = random.Random(seed)
        solver, reference = TurningSolver(), PythonSolver()
        given: list[list[int]] = []
        for _ in range(6):
            for clause in _clauses(chance, 10, 7):
                given.append(clause)
                solver.add_clause(clause)
                reference.add_clause(clause)
            assumptions = [chance.choice((1, -1)) * v for v in chance.sample(range(1, 11), 3)]
            answer = solver.solve(assumptions)
            assert answer is reference.solve(assumptions)
            verdicts.add((bool(answer), _has_turned(solver)))
            if answer:
                true = set(solver.model())
                assert all(not true.isdisjoint(clause) for clause in given)
                assert true.issuperset(assumptions)
            else:
                assert set(solver.core()) <= set(assumptions)
                assert reference.solve(solver.core()) is False
        solver.close()
    assert len(verdicts) == 4


def test_a_question_with_a_limit_ends_without_an_answer_and_goes_on_after_the_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Slices of conflicts keep time limits, so the turn must not make one question longer than its slice."""
    monkeypatch.setattr("olmsolve.solver.backends.python._CONFLICTS", 2)
    solver = TurningSolver()
    # Six pigeons in five holes, which takes every solver many conflicts.
    holes = [[5 * pigeon + hole + 1 for hole in range(5)] for pigeon in range(6)]
    for pigeon, own in enumerate(holes):
        solver.add_clause(own)
        for other in holes[:pigeon]:
            for here, there in zip(own, other, strict=True):
                solver.add_clause([-here, -there])
    assert solver.solve(conflicts=1) is None
    assert not _has_turned(solver)
    assert solver.solve(conflicts=1) is None
    assert _has_turned(solver)
    assert solver.solve() is False
