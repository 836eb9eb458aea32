"""Our own small solver beside minisat22, where it has to learn: clauses added between questions, assumptions."""

from __future__ import annotations

import random

from olmsolve.solver.backends import PythonSolver
from olmsolve.solver.backends.pysat import PySATSolver
from tests.scale import scaled


def test_answers_between_added_clauses() -> None:
    """A clause that loses a watch is forgotten: the next model may break it, and no small problem shows that."""
    answers = {True: 0, False: 0}
    for seed in range(scaled(96)):
        generator, variables = random.Random(seed), 40
        own, other = PythonSolver(), PySATSolver("minisat22")
        clauses: list[list[int]] = []
        for _ in range(12):
            for _ in range(18):
                clause = [generator.choice((1, -1)) * each for each in generator.sample(range(1, variables + 1), 3)]
                clauses.append(clause)
                own.add_clause(clause)
                other.add_clause(clause)
            chosen = generator.sample(range(1, variables + 1), generator.randint(0, 3))
            assumptions = [generator.choice((1, -1)) * each for each in chosen]
            answer = own.solve(assumptions)
            assert answer == other.solve(assumptions)
            answers[bool(answer)] += 1
            if answer:
                true = {literal for literal in own.model() if literal > 0}
                assert all(any((abs(each) in true) == (each > 0) for each in clause) for clause in clauses)
            else:
                core = own.core()
                assert set(core) <= set(assumptions)
                assert not other.solve(core), "the core alone is refuted"
    assert min(answers.values()) > 10


def test_a_core_leaves_out_what_has_no_part_in_it() -> None:
    """An explanation built on the core would name a wish that could stay."""
    solver = PythonSolver()
    solver.add_clause([-1, 2])
    solver.add_clause([-2, -3])
    solver.add_clause([-4, 5])
    assert solver.solve([4, 1, 3]) is False
    assert set(solver.core()) == {1, 3}
