"""The queue of choices: what it says of the solution, on every engine, is what its definition says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import attrs

from olmsolve.solver import (
    Branch,
    Choice,
    Chosen,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Identifier,
    Limit,
    Listed,
    Mandatory,
    Trace,
    Tree,
    Variables,
    attempt,
)
from olmsolve.solver.backends import PORTABLE
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.engines import decided_solution


def _with_origins(problem: Variables) -> Variables:
    """Return *problem* in which each constraint says where it stands."""
    return Variables(
        {
            name: [
                attrs.evolve(constraint, origin=f"{name} {position}")
                if isinstance(constraint, Dependency | Mandatory | Formula)
                else constraint
                for position, constraint in enumerate(own)
            ]
            for name, own in problem.variables.items()
        }
    )


def _chosen(problem: Variables, selected: Sequence[Identifier]) -> list[Chosen]:
    """Return the choices of the solution *selected* by their definition, with models in place of a search."""
    names = [name for name in problem.variables if not str(name).startswith("root")]
    remaining = oracle.models(oracle.all_constraints(problem), names)
    queue: list[tuple[Tree | Dependency | Mandatory, Identifier | None, object]] = [
        (root, None, root.origin) for root in problem.roots if not isinstance(root, Limit)
    ]
    before: list[Identifier] = []
    chosen: list[Chosen] = []
    for choice, subject, origin in queue:
        if isinstance(choice, FirstOf):
            if not any(oracle.settled(branch.tree, before) for branch in choice.branches):
                branch = next(b for b in choice.branches if any(oracle.holds(b.tree, model) for model in remaining))
                remaining = [model for model in remaining if oracle.holds(branch.tree, model)]
                queue += [(leaf, subject, origin) for leaf in oracle.leaves(branch.tree)]
            continue
        assert isinstance(choice, Mandatory | Dependency | Choice)
        candidates = (choice.subject,) if isinstance(choice, Mandatory) else choice.candidates
        met = [candidate for candidate in candidates if candidate in before]
        answer = met[0] if met else next(c for c in candidates if any(c in model for model in remaining))
        chosen.append(Chosen(answer, subject, origin, bool(met)))
        if not met:
            remaining = [model for model in remaining if answer in model]
            before.append(answer)
            for own in problem.constraints(answer):
                if isinstance(own, Dependency):
                    queue.append((own, answer, own.origin))
                elif isinstance(own, Formula):
                    queue += [(leaf, answer, own.origin) for leaf in oracle.leaves(own.tree)]
    assert before == list(selected)
    return chosen


def test_each_choice_says_whose_it_is_and_what_met_it() -> None:
    """A plan shows for whom each bundle is installed, so a branch speaks for the bundle whose formula it belongs to."""
    glanced = searched = 0
    for seed in range(scaled(1600)):
        problem = _with_origins(random_problem(random.Random(f"choices {seed}"), "abcdefg"))
        solution = decided_solution(problem)
        if solution is None:
            continue
        expected = _chosen(problem, solution.selected)
        assert list(solution.choices) == expected, seed
        trace = Trace()
        assert attempt(problem) == attempt(problem, backend=PORTABLE, trace=trace) == solution, seed
        # Without a dead end, the solution is found at a glance.
        glanced += not trace.conflicts
        searched += trace.conflicts > 0
    assert glanced > scaled(400)
    assert searched > scaled(100)


def test_a_branch_is_met_if_nothing_can_change_it() -> None:
    """Selecting a branch that is met would bring its choices once more; one that may still fail is not met.

    Some candidates are selected before the formula, a few after it.
    """
    generator = random.Random("met branches")
    met = 0
    for _ in range(scaled(2400)):
        first, last = generator.sample("abcd", generator.randint(0, 3)), generator.choice("abcd")
        tree = _tree(generator, 3)
        variables: dict[Identifier, list[Constraint]] = {f"root {name}": [Dependency(None, (name,))] for name in first}
        variables |= {"x": [Mandatory("x"), Formula("x", tree, "the formula")], "root": [Dependency(None, (last,))]}
        problem = Variables({**variables, **{name: [] for name in "abcd"}})
        for solution in (attempt(problem), attempt(problem, backend=PORTABLE), decided_solution(problem)):
            assert (None if solution is None else list(solution.selected)) == oracle.preferred(problem)
            if solution is not None:
                assert list(solution.choices) == _chosen(problem, solution.selected)
                met += set(solution.selected) == {"x", *first, last}
    assert met > scaled(1600)


def _tree(generator: random.Random, levels: int) -> Tree:
    if levels > 1 and generator.random() < 0.7:
        parts = tuple(_tree(generator, levels - 1) for _ in range(generator.randint(1, 3)))
        return Every(parts) if generator.random() < 0.3 else FirstOf(tuple(map(Branch, parts)))
    if generator.random() < 0.3:
        return Exclusion(Listed(tuple(generator.sample("abcd", generator.randint(0, 2)))))
    return Choice(tuple(generator.sample("abcd", generator.randint(0, 2))))


def test_the_first_selected_candidate_meets_a_choice() -> None:
    """Where two selections meet a choice, the plan names the one that the choice wanted more."""
    roots = [Dependency(None, candidates) for candidates in (("b",), ("c",), ("z", "c", "b"), ("d", "z"))]
    problem = Variables({"roots": roots, **{name: [] for name in "bczd"}})
    for solution in (attempt(problem), attempt(problem, backend=PORTABLE), decided_solution(problem)):
        assert solution is not None
        assert solution.choices[2:] == (Chosen("c", None, None, True), Chosen("d", None, None, False))
