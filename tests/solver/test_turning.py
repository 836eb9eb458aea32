"""The solver for cores begins in plain Python and turns into a quicker one; what it answers stays the same."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
from pysat.solvers import Solver

from olmsolve.solver.backends import IN_TURN, PythonSolver, create
from tests.scale import scaled


class _Turned:
    """Counts the solvers of python-sat: one more is made when a solver turns."""

    made: ClassVar[int] = 0


@pytest.fixture(autouse=True)
def _counted(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Solver.__init__

    def counted(solver: Solver, *arguments: object, **named: object) -> None:
        _Turned.made += 1
        make(solver, *arguments, **named)

    monkeypatch.setattr(Solver, "__init__", counted)
    _Turned.made = 0


def _clauses(chance: random.Random, variables: int, count: int) -> list[list[int]]:
    return [[chance.choice((1, -1)) * v for v in chance.sample(range(1, variables + 1), 3)] for _ in range(count)]


# Some problems have more than the 500 clauses that make it turn, others take more than the 100 conflicts.
@pytest.mark.parametrize(("variables", "clauses"), [(300, 120), (80, 57)], ids=["clauses", "conflicts"])
def test_it_answers_as_the_python_solver_does_before_and_after_it_turns(variables: int, clauses: int) -> None:
    """Models satisfy all clauses, cores are contradictory, and both verdicts come up on either side of the turn."""
    verdicts: set[tuple[bool, int]] = set()
    for seed in range(scaled(32)):
        _Turned.made = 0
        chance = random.Random(f"{seed} {variables}")
        solver, reference = create(IN_TURN), PythonSolver()
        given: list[list[int]] = []
        for _ in range(6):
            for clause in _clauses(chance, variables, clauses):
                given.append(clause)
                solver.add_clause(clause)
                reference.add_clause(clause)
            several = chance.sample(range(1, variables + 1), chance.choice((0, 3, variables // 3)))
            assumptions = [chance.choice((1, -1)) * v for v in several]
            answer = solver.solve(assumptions)
            assert answer is reference.solve(assumptions)
            verdicts.add((bool(answer), _Turned.made))
            if answer:
                true = set(solver.model())
                assert all(not true.isdisjoint(clause) for clause in given)
                assert true.issuperset(assumptions)
            else:
                assert set(solver.core()) <= set(assumptions)
                assert reference.solve(solver.core()) is False
        solver.close()
    assert verdicts == {(False, 0), (True, 0), (False, 1), (True, 1)}


def test_a_question_with_a_limit_ends_without_an_answer_and_goes_on_after_the_turn() -> None:
    """Slices of conflicts keep time limits, so the turn must not make one question longer than its slice."""
    solver = create(IN_TURN)
    # Eight pigeons in seven holes, which takes every solver hundreds of conflicts.
    holes = [[7 * pigeon + hole + 1 for hole in range(7)] for pigeon in range(8)]
    for pigeon, own in enumerate(holes):
        solver.add_clause(own)
        for other in holes[:pigeon]:
            for here, there in zip(own, other, strict=True):
                solver.add_clause([-here, -there])
    for conflicts, turns_made in [(60, 0), (39, 0), (1, 1), (1, 1)]:
        assert solver.solve(conflicts=conflicts) is None
        assert _Turned.made == turns_made
    assert solver.solve() is False
