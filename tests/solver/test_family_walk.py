"""The walk over families finds what the deciding engine finds, and leaves other problems to the search."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import ClassVar

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
from olmsolve.solver.family_domains import OutsideFamiliesError
from olmsolve.solver.family_walk import _FamilyWalk, refuted_members, walk_families, walked_witness
from olmsolve.solver.problem import CachedProblem
from tests.scale import scaled
from tests.solver.checks import Checks, Closed
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
        problem, budget = dense(generator), Budget()
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


class _Looking(_FamilyWalk):
    """A walk that counts, after looking ahead, the families that must have a member and whose support has one left."""

    families: ClassVar[Counter[bool]]

    def _propagate(self) -> bool:
        possible = super()._propagate()
        open_families = [family for family in self._families.met if family.wanted and not family.taken]
        if possible:
            for family in open_families:
                needs, _ = self._families.needs(family, family.support)
                met = all(target.allowed & mask for target, mask in needs)
                self.families[bool(family.support & family.allowed) and met] += 1
        else:
            assert any(not family.allowed for family in open_families)
        return possible


def test_a_walk_looks_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a selection leaves without a candidate is found at once, not when the queue comes to it.

    It waits for the queue only where a family is wanted anew and has the support that an earlier selection left it.
    """
    monkeypatch.setattr("olmsolve.solver.family_walk._FamilyWalk", _Looking)
    _Looking.families = Counter()
    generator = random.Random(5)
    for number in range(scaled(1200)):
        problem = dense(generator) if number % 2 else denser(generator)
        walk_families(CachedProblem(problem), problem.families, find("minisat22"), Budget())
    assert _Looking.families[True] > 100 * _Looking.families[False]


def _chain(length: int, *roots: str) -> DensePackages:
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
    problem, budget = _chain(40, "0.a"), Checks()
    solution = walk_families(CachedProblem(problem), problem.families, find("minisat22"), budget)
    assert solution is not None
    assert solution.selected == tuple(f"{number}.a" for number in range(40))
    assert budget.checks == 10


def test_a_conflict_is_counted_once() -> None:
    """Both roots leave the last package without a version: that is one dead end, which blames the roots."""
    problem, budget = _chain(3, "0.a", "2.b"), Budget()
    cached = CachedProblem(problem)
    assert walk_families(cached, problem.families, find("minisat22"), budget) is None
    assert budget.trace.conflicts == 1
    assert [str(root) for root in cached.refuted_roots] == [str(root) for root in problem.roots]
    # All that the roots reach, which leaves out the newer bundles of the first two packages.
    assert sorted(map(str, refuted_members(cached, find("minisat22"), Budget()))) == ["0.a", "1.a", "2.a", "2.b"]


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
    solution = walk_families(CachedProblem(problem), problem, find("python"), budget)
    assert solution == decided_solution(problem)
    assert budget.trace.conflicts == 7 + 10


def test_members_outside_families_end_the_search_for_a_refutation() -> None:
    """What masks do not describe may be what refutes the roots, so nothing is known about its members."""
    problem = _chain(3, "0.a")
    problem = attrs.evolve(problem, masked={each: of for each, of in problem.masked.items() if each != "1.a"})
    cached = CachedProblem(problem)
    cached.refuted_roots = problem.roots
    assert list(refuted_members(cached, find("minisat22"), Budget())) == []
    assert walked_witness(problem.roots, problem.families, find("minisat22"), Budget()) is None


def test_a_walk_is_a_witness_of_what_it_selects() -> None:
    """A witness is the selection of a walk; its solver's memory outside Python is freed, as that of each other one."""
    generator = random.Random(21)
    Closed.made = Closed.closed = 0
    outcomes: Counter[bool] = Counter()
    for _ in range(scaled(400)):
        problem = denser(generator)
        solution = decided_solution(problem)
        witness = walked_witness(problem.roots, problem.families, find(Closed), Budget())
        assert witness == (None if solution is None else solution.selected)
        cached = CachedProblem(problem)
        assert walk_families(cached, problem.families, find(Closed), Budget()) == solution
        refuted_members(cached, find(Closed), Budget())
        assert Closed.made == Closed.closed
        outcomes[solution is None] += 1
    assert min(outcomes.values()) > 5
    assert Closed.made > scaled(400)
