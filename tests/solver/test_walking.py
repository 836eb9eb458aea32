"""The walk over families finds what the deciding engine finds, and leaves other problems to the search."""

from __future__ import annotations

import random

import attrs
import pytest

from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    Mandatory,
    MaskedNeeds,
    solve,
)
from olmsolve.solver.backends import PythonSolver, find
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.walked import OutsideFamiliesError
from olmsolve.solver.walking import walk_families
from tests.scale import scaled
from tests.solver.engines import decided_solution
from tests.solver.test_families import Packages


class DensePackages(Packages):
    """Packages where dead ends are likely, so that backends walk them."""

    dense = True


def _dense(generator: random.Random) -> DensePackages:
    """Three to six packages whose bundles need several others, in any versions; some share an API."""
    size = generator.randint(2, 5)
    families: dict[GroupName, tuple[str, ...]] = {
        f"package {number}": tuple(f"{number}.{version}" for version in range(size))
        for number in range(generator.randint(3, 6))
    }
    variables: dict[Identifier, list[Constraint]] = {}
    masked: dict[Identifier, MaskedNeeds] = {}
    for number, group in enumerate(generator.sample(list(families), 2)):
        wanted = tuple(each for each in families[group] if generator.random() < 0.9) or families[group]
        variables[f"root {number}"] = [Dependency(None, wanted, f"root {number}", group)]
    for group, members in families.items():
        others = [other for other in families if other != group]
        for name in members:
            shared = (f"api {generator.randrange(2)}",) if generator.random() < 0.1 else ()
            own: list[Constraint] = [Exclusive(name, (group, *shared))]
            needs: list[tuple[GroupName, int]] = []
            for target in generator.choices(others, k=generator.randint(0, 3)):
                candidates = tuple(each for each in families[target] if generator.random() < 0.4)
                own.append(Dependency(name, candidates, f"{name} needs {len(own)}", target))
                needs.append((target, sum(2 << families[target].index(each) for each in candidates)))
            variables[name] = own
            masked[name] = MaskedNeeds(tuple(needs), shared)
    return DensePackages(variables, families, masked)


@pytest.mark.parametrize("backend", ["minisat22", "cadical195", "glucose4", "python"])
def test_a_walk_finds_the_solution_of_the_engine(backend: str) -> None:
    """The walk passes over a candidate only with a refutation, so both end with the preferred solution, or none."""
    generator = random.Random(15)
    outcomes = {True: 0, False: 0}
    for _ in range(scaled(600)):
        problem = _dense(generator)
        budget = Budget()
        found = walk_families(CachedProblem(problem), problem.families, find(backend), budget)
        assert found == decided_solution(problem)
        assert found == decided_solution(problem, families=problem.families)
        outcomes[found is None and budget.trace.conflicts > 0] += 1
    assert min(outcomes.values()) > 10


@pytest.mark.parametrize("backend", ["minisat22", "cadical195", PythonSolver])
def test_clauses_for_all_members_change_no_solution(monkeypatch: pytest.MonkeyPatch, backend: object) -> None:
    """Long searches give clauses to whole families and give hard questions up: here from the first dead end on."""
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1_000_000)
    generator = random.Random(7)
    settled = refuted = 0
    for number in range(scaled(600, 6)):
        monkeypatch.setattr("olmsolve.solver.judging._CONFLICTS", number % 3 + 1)
        problem, budget = _dense(generator), Budget()
        found = walk_families(CachedProblem(problem), problem.families, find(backend), budget)  # type: ignore[arg-type]
        assert found == decided_solution(problem)
        settled += found is not None and budget.trace.conflicts > 0
        refuted += found is None
    assert min(settled, refuted) > 10


@pytest.mark.parametrize("backend", ["minisat22", PythonSolver])
def test_a_refuted_walk_ends_in_the_core_of_the_engine(backend: object) -> None:
    """Seeding the search for cores with what the walk has refuted saves questions and changes no core."""
    generator = random.Random(3)
    cores = 0
    for _ in range(scaled(600)):
        problem = _dense(generator)
        answer = solve(problem)
        assert solve(problem, backend=backend) == answer  # type: ignore[arg-type]
        cores += isinstance(answer, Core)
    assert cores > 10


def test_members_that_masks_do_not_describe_leave_cores_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that gives clauses to all members meets some that no mask describes, and refutes without them."""
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1_000_000)
    generator = random.Random(4)
    cores = 0
    for _ in range(scaled(600, 6)):
        problem = _dense(generator)
        odd = generator.sample(list(problem.masked), 2)
        problem = attrs.evolve(problem, masked={each: of for each, of in problem.masked.items() if each not in odd})
        answer = solve(problem)
        assert solve(problem, backend="minisat22") == answer
        cores += isinstance(answer, Core)
    assert cores > 10


def test_roots_with_an_order_of_their_own_are_left_to_the_search() -> None:
    """Bits have the order of the family, so a root that prefers another one cannot be walked in bits."""
    members = ("a.2", "a.1")
    variables: dict[Identifier, list[Constraint]] = {name: [Exclusive(name, ("a",))] for name in members}
    masked: dict[Identifier, MaskedNeeds] = {name: MaskedNeeds((), ()) for name in members}
    for root in (Dependency(None, ("a.1", "a.2"), None, "a"), Mandatory("a.1"), Dependency(None, ())):
        problem = DensePackages({**variables, "root": [root]}, {"a": members}, masked)
        with pytest.raises(OutsideFamiliesError):
            walk_families(CachedProblem(problem), problem.families, find("minisat22"), Budget())
        assert solve(problem, backend="minisat22") == solve(problem)
