"""Cores: unsatisfiable alone, every part needed, and the one that the order of members prefers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given, settings

from olmsolve.solver import (
    AtMost,
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusion,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Variables,
    reachable,
    solve,
)
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.checks import Closed
from tests.solver.problems import NAMES, DenseVariables, problems


def satisfiable(constraints: Sequence[Constraint]) -> bool:
    return bool(oracle.models(constraints, NAMES))


@given(problems())
@settings(max_examples=scaled(150), deadline=None)
def test_core_is_unsatisfiable_alone_and_minimal(problem: Variables) -> None:
    """A core that could be met, or that could lose a part, explains nothing."""
    answer = solve(problem)
    if isinstance(answer, Core):
        core = answer.constraints
        assert not satisfiable(core)
        for position in range(len(core)):
            assert satisfiable(core[:position] + core[position + 1 :])


@given(problems(formulas=False))
@settings(max_examples=scaled(100), deadline=None)
def test_core_is_the_preferred_one(problem: Variables) -> None:
    """The core is a function of the request: brute force over the ordered members finds the same members."""
    answer = solve(problem)
    if isinstance(answer, Core):
        members = ordered_members(problem)
        core_members: list[list[Constraint]] = []
        while satisfiable([constraint for member in core_members for constraint in member]):
            given_up = list(core_members)
            for member in members:
                given_up.append(member)
                if not satisfiable([constraint for part in given_up for constraint in part]):
                    core_members.append(member)
                    break
        flat = [constraint for member in core_members for constraint in member]
        assert all(part in flat or isinstance(part, AtMost) for part in answer.constraints)
        assert len(core_members) == len({member_of(part) for part in answer.constraints})


def ordered_members(problem: Variables) -> list[list[Constraint]]:
    """The members in the order that :mod:`olmsolve.solver.core` documents, each as its constraints."""
    members: list[list[Constraint]] = [[root] for root in problem.roots]
    groups: dict[GroupName, list[Constraint]] = {}
    for identifier, constraints in reachable(problem):
        dependencies: list[Constraint] = [c for c in constraints if isinstance(c, Dependency)]
        if dependencies:
            members.append(dependencies)
        members.extend([c] for c in constraints if isinstance(c, Prohibited))
        members.extend([c] for c in constraints if isinstance(c, Incompatible))
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    groups.setdefault(group, []).append(Exclusive(identifier, (group,)))
    return members + [groups[name] for name in sorted(groups)]


def member_of(constraint: Constraint) -> tuple[str, Identifier]:
    """What tells members apart: dependencies of one block are one."""
    if isinstance(constraint, Dependency) and constraint.subject is not None:
        return "dependencies", constraint.subject
    if isinstance(constraint, Mandatory | Prohibited):
        return type(constraint).__name__, constraint.subject
    return type(constraint).__name__, str(constraint)


def test_long_cores_are_the_same_on_every_way() -> None:
    """A chain of requirements is its own core, whoever finds it; of dense problems SAT solvers find only long ones."""
    for length in (90, 110, 150):
        chain: dict[Identifier, Sequence[Constraint]] = {i: [Dependency(i, (i + 1,))] for i in range(1, length)}
        problem = Variables({**chain, length: [Dependency(length, ())], 0: [Dependency(None, (1,))]})
        answers = [solve(problem, backend=backend) for backend in ("deciding", "minisat22", "python")]
        assert all(isinstance(answer, Core) and len(answer.constraints) == length + 1 for answer in answers)
        assert answers[0] == answers[1] == answers[2]
        for stated in (problem, DenseVariables(problem.variables)):
            budget = Budget()
            assert solve(stated, budget=budget) == answers[0]
            assert (budget.trace.calls > 0) == (stated is problem or length > 100)


def test_the_dependencies_of_a_block_count_as_one_member() -> None:
    """Several requirements of one bundle say no more than that the bundle is there, so a core takes them together.

    The last member without which the problem has a solution is the dependencies of c: each alone would do with more
    members before it. Together with the prohibition of a, one of them is a conflict of its own.
    """
    problem = Variables(
        {
            "wish": [Dependency(None, ("f", "a"))],
            "a": [Prohibited("a")],
            "c": [Mandatory("c"), Dependency("c", ("a", "d")), Dependency("c", ("a",))],
            "d": [],
            "f": [Incompatible("f", "d")],
        }
    )
    answer = solve(problem)
    assert isinstance(answer, Core)
    assert set(answer.constraints) == {Mandatory("c"), Prohibited("a"), Dependency("c", ("a",))}


def test_an_exclusion_in_a_core_lists_what_the_core_mentions() -> None:
    """An exclusion may rule out thousands; those that matter are the ones that something else in the core wants."""
    rule = Formula("a", Exclusion(Listed(("x", "b", "y"))))
    problem = Variables(
        {
            "a": [Mandatory("a"), rule],
            "b": [Mandatory("b")],
            "c": [Mandatory("c"), Dependency("c", ("y", "z"))],
            "x": [],
            "y": [],
            "z": [],
        }
    )
    for backend in ("deciding", "python"):
        answer = solve(problem, backend=backend)
        assert isinstance(answer, Core)
        *_, formula = [constraint for constraint in answer.constraints if isinstance(constraint, Formula)]
        assert isinstance(formula.tree, Exclusion)
        assert formula.tree.excluded == Listed(("b",))


def test_solvers_are_closed_after_a_core() -> None:
    """Some hold memory outside Python, which nobody frees otherwise."""
    Closed.made = Closed.closed = 0
    generator = random.Random(2)
    while Closed.made < scaled(400):
        solve(random_problem(generator), backend=Closed)
        assert Closed.made == Closed.closed
