"""Our own small solver beside minisat22, where it has to learn: clauses added between questions, assumptions."""

from __future__ import annotations

import random
from itertools import permutations

from olmsolve.solver.backends import PythonSolver, create
from tests.scale import scaled


def test_answers_between_added_clauses() -> None:
    """A clause that loses a watch is forgotten: the next model may break it, and no small problem shows that."""
    answers = {True: 0, False: 0}
    for seed in range(scaled(96)):
        generator, variables = random.Random(seed), 40
        own, other = PythonSolver(), create("minisat22")
        clauses: list[list[int]] = []
        for _ in range(12):
            for _ in range(18):
                clause = [
                    generator.choice((1, -1)) * variable for variable in generator.sample(range(1, variables + 1), 3)
                ]
                clauses.append(clause)
                own.add_clause(clause)
                other.add_clause(clause)
            chosen = generator.sample(range(1, variables + 1), generator.randint(0, 3))
            assumptions = [generator.choice((1, -1)) * variable for variable in chosen]
            answer = own.solve(assumptions)
            assert answer == other.solve(assumptions)
            answers[bool(answer)] += 1
            if answer:
                true = {literal for literal in own.model() if literal > 0}
                assert all(any((abs(literal) in true) == (literal > 0) for literal in clause) for clause in clauses)
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


def test_what_clauses_say_costs_no_conflict() -> None:
    """The last open literal of a clause is true. Open variables are tried as false, which would be a conflict here.

    With a limit of one conflict, the answer is None after the first.
    """
    for clause in permutations((1, 2, 3)):
        for follows in clause:
            for refuted in permutations(-literal for literal in clause if literal != follows):
                solver = PythonSolver()
                solver.add_clause(clause)
                solver.add_clause([4, -follows])
                assert solver.solve(refuted, conflicts=1) is True
                assert {follows, 4} <= set(solver.model())


def test_a_model_that_is_known_is_found_without_a_conflict() -> None:
    """A search adds a few clauses between two questions; most are met by the last model, which then comes back."""
    models = 0
    for seed in range(scaled(96)):
        generator = random.Random(f"phases {seed}")
        solver = PythonSolver()
        for _ in range(120):
            solver.add_clause([generator.choice((1, -1)) * variable for variable in generator.sample(range(1, 41), 3)])
        # Without the assumptions, it would rather have both variables false.
        if solver.solve([generator.randint(1, 20), generator.randint(21, 40)]):
            models += 1
            known = list(solver.model())
            for _ in range(30):
                solver.add_clause([generator.choice(known), generator.choice((1, -1)) * generator.randint(1, 40)])
            assert solver.solve(conflicts=1) is True
            assert solver.model() == known
    assert models > scaled(40)


def test_clauses_that_say_nothing_change_nothing() -> None:
    """A literal beside its opposite or beside a true one is always met, and the same literal twice is one."""
    solver = PythonSolver()
    for clause in ([1, -1], [2, 3, -2], [-4, -4], [4, 5, 5], [5, 6], [7, -4]):
        solver.add_clause(clause)
    assert solver.solve()
    assert solver.model() == [-1, -2, -3, -4, 5, -6, -7]


def test_questions_leave_nothing_behind() -> None:
    """An assumption counts for its question alone, and clauses that cannot hold never hold again."""
    for ways in ([[1], [-1]], [[-1, 2], [-1, -2], [1]], [[1, 2], [1, -2], [-1, 2], [-1, -2]]):
        solver = PythonSolver()
        solver.add_clause([3, 4])
        for assumed in ([3], [-3], [4, -3]):
            assert solver.solve(assumed)
            assert set(assumed) <= set(solver.model())
        for clause in ways:
            solver.add_clause(clause)
        for assumed in ([], [3], [], [-3], []):
            assert solver.solve(assumed) is False
            assert solver.core() == []
        solver.add_clause([5, 6])
        assert solver.solve() is False
