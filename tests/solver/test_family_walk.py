"""The walk over families, by which dense problems are searched: it finds what the deciding engine finds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

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
    Prohibited,
    Trace,
    attempt,
    solve,
)
from olmsolve.solver.backends import PythonSolver
from tests.scale import scaled
from tests.solver.checks import Checks
from tests.solver.dense import DensePackages, counted, dense, denser
from tests.solver.engines import decided_solution


@pytest.mark.parametrize("backend", ["minisat22", "cadical195", "glucose4", "python"])
def test_a_walk_finds_the_solution_of_the_engine(backend: str) -> None:
    """The walk passes over a candidate only with a refutation, so both end with the preferred solution, or none."""
    generator = random.Random(15)
    outcomes = {True: 0, False: 0}
    for _ in range(scaled(600)):
        problem = dense(generator)
        budget = Budget()
        solution = attempt(problem, backend=backend, budget=budget)
        assert solution == decided_solution(problem)
        assert solution == decided_solution(problem, families=problem.families)
        outcomes[solution is None and budget.trace.conflicts > 0] += 1
    assert min(outcomes.values()) > 10


@pytest.mark.parametrize("backend", ["minisat22", "cadical195", PythonSolver])
def test_clauses_for_all_members_change_no_solution(monkeypatch: pytest.MonkeyPatch, backend: object) -> None:
    """Long searches give clauses to whole families and give hard questions up: here from the first dead end on."""
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1_000_000)
    generator = random.Random(7)
    settled = refuted = 0
    for number in range(scaled(600, 6)):
        monkeypatch.setattr("olmsolve.solver.judging._CONFLICTS", number % 3 + 1)
        problem, budget = dense(generator), Budget()
        solution = attempt(problem, backend=backend, budget=budget)  # type: ignore[arg-type]
        assert solution == decided_solution(problem)
        settled += solution is not None and budget.trace.conflicts > 0
        refuted += solution is None
    assert min(settled, refuted) > 10


@pytest.mark.parametrize("backend", ["minisat22", PythonSolver])
def test_a_refuted_walk_ends_in_the_core_of_the_engine(backend: object) -> None:
    """Seeding the search for cores with what the walk has refuted saves questions and changes no core."""
    generator = random.Random(3)
    cores = 0
    for _ in range(scaled(600)):
        problem = dense(generator)
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
        problem = dense(generator)
        odd = generator.sample(list(problem.masked), 2)
        problem = attrs.evolve(
            problem, masked={member: needs for member, needs in problem.masked.items() if member not in odd}
        )
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
        assert solve(problem, backend="minisat22") == solve(problem)


def chain(length: int, *roots: str) -> DensePackages:
    """Packages of two bundles each; the second bundle of a package needs the second one of the next package.

    *roots* name the wanted bundles, one each.
    """
    groups: dict[GroupName, tuple[str, ...]] = {
        f"package {number}": (f"{number}.b", f"{number}.a") for number in range(length)
    }
    variables: dict[Identifier, list[Constraint]] = {}
    masked: dict[Identifier, MaskedNeeds] = {}
    for number, (group, (newer, older)) in enumerate(groups.items()):
        variables[newer], variables[older] = [Exclusive(newer, (group,))], [Exclusive(older, (group,))]
        masked[newer] = masked[older] = MaskedNeeds((), ())
        if number + 1 < length:
            following = f"package {number + 1}"
            variables[older].append(Dependency(older, (f"{number + 1}.a",), None, following))
            masked[older] = MaskedNeeds(((following, 0b100),), ())
    for name in roots:
        variables[f"root {name}"] = [Dependency(None, (name,), None, f"package {name.split('.')[0]}")]
    return DensePackages(variables, groups, masked)


def test_a_deadline_is_seen_on_a_walk_without_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of 40 packages is a walk of 40 steps, and after every fourth somebody may have cancelled."""
    monkeypatch.setattr("olmsolve.solver.family_walk._STEPS_PER_CHECK", 4)
    problem, budget = chain(40, "0.a"), Checks()
    solution = attempt(problem, backend="minisat22", budget=budget)
    assert solution is not None
    assert solution.selected == tuple(f"{number}.a" for number in range(40))
    assert budget.checks == 10


def test_a_conflict_is_counted_once() -> None:
    """Both roots leave the last package without a version: that is one dead end, which blames the roots."""
    problem, trace = chain(3, "0.a", "2.b"), Trace()
    assert attempt(problem, backend="minisat22", trace=trace) is None
    assert trace.conflicts == 1


def test_what_a_dead_end_shows_is_shown_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven versions of e are refuted late, and each time the ten packages behind e are selected anew.

    a0.0 and b0.0 cannot stand together, nor can a1.0 and b1.0, ...: ten dead ends, however often e changes. Without
    what they have shown, it would be ten for each version of e.
    """
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1)
    sizes = {"e": 8, "z": 1, "v": 1, "w": 2}
    needs = {("z", 0): [("v", 0b010)], ("v", 0): [("w", 0b100)]}
    for version in range(7):
        chain = ["e", f"f{version}", f"g{version}", f"h{version}", "w"]
        sizes |= dict.fromkeys(chain[1:4], 1)
        needs |= {(one, version if one == "e" else 0): [(other, 0b010)] for one, other in pairwise(chain)}
    for pair in map(str, range(10)):
        a, b, x, y, t = (name + pair for name in "abxyt")
        sizes |= {a: 2, b: 2, x: 1, y: 1, t: 2}
        needs |= {(a, 0): [(x, 0b010)], (b, 0): [(y, 0b010)], (x, 0): [(t, 0b010)], (y, 0): [(t, 0b100)]}
    roots = ["e", *(name for name in sizes if name[0] in "ab"), "z"]
    problem, budget = counted(sizes, needs, roots), Budget()
    solution = attempt(problem, backend="python", budget=budget)
    assert solution == decided_solution(problem)
    assert budget.trace.conflicts == 7 + 10


def test_a_requirement_that_no_member_can_meet_takes_few_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 64 versions of a need b, which needs another version of d than c does: one dead end each would be 64.

    After the second, fourth, ... rejection of a version of a, all of them get clauses, and the solver refutes them.
    """
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1)
    needs = {"a": [("b", 0b110)], "b": [("d", 0b010)], "c": [("e", 0b010)], "e": [("d", 0b100)], "d": []}
    sizes = {"a": 64, "b": 2, "c": 1, "d": 2, "e": 1}
    budget = Budget()
    problem = counted(sizes, {(group, n): needed for group, needed in needs.items() for n in range(sizes[group])}, "ac")
    assert attempt(problem, backend="python", budget=budget) is None
    assert budget.trace.conflicts < 10


def test_clauses_of_all_members_are_made_by_family() -> None:
    """One question gives the needs of a whole family, where one for each member took several times as long.

    Each clause is handed over once, and somebody may cancel before the clauses of each family.
    """
    size = 30
    sizes = {"a": size, "b": size, "c": size, "d": 1}
    # a.n needs b.n or b.n+1, b.n needs c.n or c.n+1; but d, which the roots want too, needs a newer c than any b.
    runs = {("a", n): [("b", 0b110 << n & (2 << size) - 2)] for n in range(size)}
    runs |= {("b", n): [("c", 0b110 << n & (2 << size) - 4)] for n in range(size)}
    runs |= {("d", 0): [("c", 0b010)]}
    budget = Checks()
    problem = counted(sizes, runs, "ad")
    assert attempt(problem, backend="python", budget=budget) is None
    assert budget.trace.conflicts == 1
    assert len(problem.asked) < size
    assert max(problem.asked.values()) == 1
    assert budget.checks >= len(sizes)
    steps = sum(size - 1 for size in sizes.values())
    bounds = sum(2 if mask.bit_length() - 1 < sizes[group] else 1 for needs in runs.values() for group, mask in needs)
    assert budget.trace.clauses == steps + bounds + len("ad")


def test_settled_selections_need_the_clauses_of_all_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver believes of a member without clauses is no proof, so nothing is settled beside such members."""
    generator = random.Random(6)
    outcomes: Counter[str] = Counter()
    for number in range(scaled(1600)):
        monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", (1, 250)[number % 2])
        problem = denser(generator)
        # Masks do not say that these are prohibited; the walk seldom comes to the least wanted members.
        odd = generator.sample([members[-1] for members in problem.packages.values()], 2)
        variables = dict(problem.variables) | {name: [*problem.variables[name], Prohibited(name)] for name in odd}
        masked = {name: needs for name, needs in problem.masked.items() if name not in odd}
        problem = attrs.evolve(problem, variables=variables, masked=masked)
        budget = Budget()
        solution = attempt(problem, backend="minisat22", budget=budget)
        assert solution == decided_solution(problem)
        outcomes["solved" if solution else "refuted"] += budget.trace.conflicts > 1
    assert min(outcomes.values()) > 5, outcomes
