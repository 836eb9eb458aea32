"""The deciding engine, the portable search and brute force give one answer, on thousands of problems.

The seeds are fixed, so that a failure names a problem that can be printed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from olmsolve.solver import (
    Branch,
    Choice,
    Constraint,
    Core,
    Dependency,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Listed,
    Mandatory,
    Prohibited,
    Variables,
    attempt,
    solve,
)
from olmsolve.solver.backends import PORTABLE
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.core_problems import LETTERS, with_outsiders
from tests.solver.engines import decided_solution
from tests.solver.problems import DenseVariables
from tests.solver.test_families import Packages


def test_deciding_is_portable_is_brute_force() -> None:
    """Both engines are long and the definition is short; satisfiable or not, they must not differ."""
    satisfiable = 0
    for seed in range(scaled(5000)):
        problem = random_problem(random.Random(seed), "abcdefg")
        expected = oracle.preferred(problem)
        decided = decided_solution(problem)
        # Branches are equal by identity only, and are no part of a solution.
        assert decided == attempt(problem, backend=PORTABLE), seed
        assert (None if decided is None else list(decided.selected)) == expected, seed
        satisfiable += expected is not None
    # Neither kind may quietly disappear from the generator.
    assert scaled(1500) < satisfiable < scaled(3500)


def test_deciding_is_portable_on_larger_problems() -> None:
    """Dense problems bring conflicts of many levels, which small ones do not."""
    for seed in range(scaled(3000)):
        problem = random_problem(random.Random(f"larger {seed}"), "abcdefghijklmnopqrstuvw")
        assert decided_solution(problem) == attempt(problem, backend=PORTABLE), seed


def test_cores_agree() -> None:
    """A core is a function of the problem, however it was found out that there is no solution."""
    cores = 0
    for seed in range(scaled(300)):
        problem = random_problem(random.Random(f"cores {seed}"), "abcdefghijk")
        answer = solve(problem)
        assert repr(answer) == repr(solve(problem, backend=PORTABLE)), seed
        cores += isinstance(answer, Core)
    assert cores > scaled(50)


def test_cores_agree_on_groups_with_outsiders() -> None:
    """A prohibited candidate may be outside the group that a dependency names; the core then names the prohibition."""
    cores = 0
    for seed in range(scaled(600)):
        problem = with_outsiders(random.Random(f"outsiders {seed}"))
        answer = solve(problem)
        assert answer == solve(problem, backend=PORTABLE), seed
        # A family has all versions of its package, those outside its group as well.
        members: dict[GroupName, Sequence[str]] = {
            f"package {letters}": tuple(letters) for letters in (LETTERS[:3], LETTERS[3:6], LETTERS[6:])
        }
        in_families = Packages(problem.variables, members, {})
        assert answer == solve(in_families) == solve(in_families, backend=PORTABLE), seed
        if isinstance(answer, Core):
            cores += 1
            core = answer.constraints
            assert not oracle.models(core, LETTERS), seed
            for position in range(len(core)):
                assert oracle.models(core[:position] + core[position + 1 :], LETTERS), seed
    assert cores > scaled(150)


def test_a_family_puts_nobody_into_its_group() -> None:
    """c is prohibited, and a version outside its package's group: without the prohibition, it could stand beside a."""
    variables: dict[Identifier, Sequence[Constraint]] = {
        "first root": [Dependency(None, ("a",), None, "package abc")],
        "last root": [Dependency(None, ("b", "c"), None, "package abc")],
        "a": [Exclusive("a", ("package abc",))],
        "b": [Exclusive("b", ("package abc",))],
        "c": [Prohibited("c")],
    }
    problem = Packages(variables, {"package abc": ("a", "b", "c")}, {})
    for backend in ("deciding", PORTABLE):
        answer = solve(problem, backend=backend)
        assert isinstance(answer, Core)
        assert Prohibited("c") in answer.constraints, backend


def test_a_core_does_not_rest_on_idle_exclusions() -> None:
    """An exclusion is idle because of a prohibition; a core without that prohibition must not rely on it."""

    class Idle(Listed):
        """An exclusion as catalogs give it: idle, because everything that could break it is prohibited."""

        def __bool__(self) -> bool:
            return False

    # a refuses c or needs b, and c is needed: the prohibition of b is enough, and comes before that of c.
    branches = (Branch(Exclusion(Idle(("c",)))), Branch(Choice(("b",))))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "first root": [Dependency(None, ("b", "d"))],
        "a": [Mandatory("a"), Formula("a", FirstOf(branches))],
        "last root": [Dependency(None, ("c",))],
        "b": [Prohibited("b")],
        "d": [],
        "c": [Prohibited("c")],
    }
    problem = Variables(variables)
    core = solve(problem, backend=PORTABLE)
    assert repr(solve(problem)) == repr(core)
    # In a dense problem the engine answers the questions as well.
    assert repr(solve(DenseVariables(variables))) == repr(core)
    assert isinstance(core, Core)
    kinds = [type(constraint) for constraint in core.constraints]
    assert kinds == [Mandatory, Dependency, Prohibited, Formula]
    assert Prohibited("b") in core.constraints
