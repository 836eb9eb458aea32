"""The clauses of a problem have the models that its constraints have."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from pysat import formula
from pysat.solvers import Solver

from olmsolve.solver import AtMost, Identifier, Solution, Variables, solve
from olmsolve.solver.clauses import CNF, Soft, TextClause, dimacs, opb, wcnf
from tests.classic.clause_texts import read_opb
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem


def models(cnf: CNF) -> Iterator[frozenset[Identifier]]:
    """Every selection of which a model of *cnf* is an extension, found by a SAT solver, each once."""
    identifiers = cnf.identifiers
    with Solver("minisat22", bootstrap_with=[clause.literals for clause in cnf.clauses()]) as solver:
        for number in range(1, len(identifiers) + 1):
            solver.add_clause([number, -number])
        while solver.solve():
            model = solver.get_model()[: len(identifiers)]
            yield frozenset(identifiers[literal - 1] for literal in model if literal > 0)
            solver.add_clause([-literal for literal in model])


def meeting(problem: Variables, identifiers: Iterable[Identifier]) -> set[frozenset[Identifier]]:
    """Every set of *identifiers* that meets all of their constraints and the roots, by brute force."""
    known = list(identifiers)
    constraints = [
        *problem.roots,
        *(constraint for identifier in known for constraint in problem.constraints(identifier)),
    ]
    return set(oracle.models(constraints, known))


def test_the_models_are_the_selections_that_meet_all_constraints() -> None:
    """A clause too many loses selections, and a clause too few allows wrong ones: brute force sees both."""
    limits = 0
    for seed in range(scaled(2000)):
        problem = random_problem(random.Random(f"cnf {seed}"), "abcdefg")
        limits += any(isinstance(root, AtMost) for root in problem.roots)
        for further in ("", "abcdefg"):
            cnf = CNF(problem, further)
            selections = list(models(cnf))
            assert len(selections) == len(set(selections)), seed
            assert set(selections) == meeting(problem, cnf.identifiers), seed
    assert limits > scaled(200)


def test_other_readers_find_the_same_clauses_and_weights() -> None:
    """python-sat reads what we write as DIMACS and WCNF, and the test's own reader what we write as OPB."""
    generator = random.Random(5)
    for _ in range(20):
        clauses = [[generator.choice((1, -1)) * n for n in generator.sample(range(1, 6), 3)] for _ in range(4)]
        texts = [TextClause(literals, generator.choice(("", "why"))) for literals in clauses]
        soft = [Soft(n, generator.randint(1, 9)) for n in generator.sample(range(1, 6), 2)]
        total = sum(clause.weight for clause in soft)
        assert formula.CNF(from_string="".join(dimacs(["about"], 5, 4, texts))).clauses == clauses
        weighted = formula.WCNF(from_string="".join(wcnf(["about"], 5, 4, texts, soft, total)))
        assert (weighted.hard, weighted.topw) == (clauses, total + 1)
        assert list(zip(weighted.soft, weighted.wght, strict=True)) == [
            ([clause.literal], clause.weight) for clause in soft
        ]
        costs = {clause.literal: clause.weight for clause in soft}
        assert read_opb(opb(["about"], 5, 4, texts, soft)) == (5, clauses, costs)


def test_what_breaks_a_clause_is_told_by_the_first_one() -> None:
    """A selection breaks a clause exactly if it is no model, whatever helpers and branches there are."""
    for seed in range(scaled(300)):
        generator = random.Random(f"broken {seed}")
        problem = random_problem(generator, "abcdefg")
        cnf = CNF(problem)
        valid = meeting(problem, cnf.identifiers)
        clauses = list(cnf.clauses())
        assert len(clauses) == cnf.clause_count
        assert sum(len(clause.literals) for clause in clauses) == cnf.literal_count
        for _ in range(20):
            selection = frozenset(identifier for identifier in cnf.identifiers if generator.random() < 0.4)
            broken = cnf.first_broken(selection)
            assert (broken is None) == (selection in valid), seed
            if broken is not None:
                number, clause = broken
                assert clauses[number - 1].literals == clause.literals


def test_the_preferred_selection_gives_back_the_preferred_solution() -> None:
    """A plan that another solver found is read like our own: by who wanted what, and nothing that nobody wants."""
    solutions = 0
    for seed in range(scaled(1000)):
        problem = random_problem(random.Random(f"within {seed}"), "abcdefg")
        answer = solve(problem)
        if isinstance(answer, Solution):
            solutions += 1
            cnf = CNF(problem)
            assert cnf.solution_within(frozenset(answer.selected)) == answer, seed
            valid = meeting(problem, cnf.identifiers)
            for model in list(valid)[:20]:
                part = frozenset(cnf.solution_within(model).selected)
                assert part <= model, seed
                assert part in valid, seed
    assert solutions > scaled(300)
