"""The judge of a walk blames selections that cannot stand together, and asks its solver no more than that takes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import attrs
import pytest

from olmsolve.errors import BackendError
from olmsolve.solver import Budget, GroupName, Prohibited
from olmsolve.solver.backends import PythonSolver, find
from olmsolve.solver.family_domains import FamilyDomains, OutsideFamiliesError
from olmsolve.solver.family_walk import refuted_members, walk_families
from olmsolve.solver.judging import BlamedSelection, Judge
from olmsolve.solver.problem import CachedProblem
from tests.scale import scaled
from tests.solver.checks import Checks
from tests.solver.dense import counted, denser, wants, worlds
from tests.solver.engines import decided_solution
from tests.solver.own_solvers import KNOWN
from tests.solver.test_families import Packages


class _Checked(Judge):
    """A judge whose every blame is compared with all worlds of *problem* in which members have what they need.

    *wanted* are the conditions of the roots, *most* says after one dead end for how many members all get clauses.
    """

    problem: Packages
    wanted: Sequence[tuple[GroupName, int]]
    most: int
    seen: Counter[str]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.worlds = worlds(self.problem)
        self._answers: list[bool | None] = []
        # The number of this dead end, and of those after the first settled selections with a second question.
        self._number = 0
        self._late: list[int] = []

    def _holds(self, selections: int, conflicts: int | None = None) -> bool | None:
        self._answers.append(super()._holds(selections, conflicts))
        return self._answers[-1]

    def blamed(self) -> list[BlamedSelection]:
        selections = [(family, family.taken) for family in self._selections]
        was_settled = not self._assumed_roots
        self._number += 1
        is_due = self._number > self._families.members // self.most
        self._answers.clear()
        found = super().blamed()
        self._check_blame(found, selections)
        assert is_due or self._is_complete is None
        if is_due:
            every = [(family, 2 << number) for family in self._families.met for number in range(len(family.members))]
            assert all(family.encoded & bit for family, bit in every)
            assert not found or was_settled or len(self._answers) > 1
            self.seen["clauses for all"] += 1
            if was_settled and len(self._answers) > 1:
                self._late.append(self._number)
                assert all(after - before > 2 for before, after in pairwise(self._late))
            if self._answers[-1]:
                # What can stand is a fact from now on, and nobody has to assume it.
                assert not self._assumed_roots
                assert len(found) == 1
                facts = [*self.wanted, *((family.group, bit) for family, bit in selections[: found[0].number - 1])]
                assert any(all(world[group] & mask for group, mask in facts) for world in self.worlds)
                self.seen["settled"] += 1
        return found

    def _check_blame(self, found: Sequence[BlamedSelection], selections: Sequence[tuple[Any, int]]) -> None:
        """Hold *found* to the definition: such selections are in no world beside roots and facts, nor blamed roots."""
        numbers = [each.number for each in found]
        assert numbers == sorted(set(numbers))
        for each in found:
            family, bit = selections[each.number - 1]
            assert each.family is family
            assert each.mask & bit
        roots = range(len(self.wanted)) if found else self.refuted
        conditions = [self.wanted[position] for position in roots] + [(each.family.group, each.mask) for each in found]
        conditions += [(family.group, bit) for family, bit in selections[: self._settled]]
        assert not any(all(world[group] & mask for group, mask in conditions) for world in self.worlds)
        self.seen["blamed" if found else "refuted"] += 1


def test_what_is_blamed_is_in_no_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brute force confirms each blame, with clauses for few members, for some families, and for all."""
    monkeypatch.setattr("olmsolve.solver.family_walk.Judge", _Checked)
    _Checked.seen = Counter()
    generator = random.Random(8)
    for number in range(scaled(1200)):
        problem = denser(generator)
        monkeypatch.setattr("olmsolve.solver.judging._CONFLICTS", 1 + number % 3)
        _Checked.most = (4, 20, 250)[number // 3 % 3]
        monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", _Checked.most)
        _Checked.problem, _Checked.wanted = problem, [wants(problem, root) for root in problem.roots]
        found = walk_families(CachedProblem(problem), problem.families, find(KNOWN[1 + number % 2]), Budget())
        assert found == decided_solution(problem)
    assert min(_Checked.seen[each] for each in ("blamed", "refuted", "settled", "clauses for all")) > 10, _Checked.seen


def test_refuted_members_cannot_hold_with_the_refuted_roots() -> None:
    """They are what the clauses of a core start from: alone, and with few others, they are in no world."""
    generator = random.Random(11)
    several = 0
    for _ in range(scaled(320)):
        problem = CachedProblem(packages := denser(generator))
        if walk_families(problem, packages.families, find("minisat22"), Budget()) is not None:
            continue
        members = refuted_members(problem, find("minisat22"), Budget())
        conditions = [wants(packages, root) for root in problem.refuted_roots]
        assert conditions
        near = worlds(packages, frozenset(members))
        assert not any(all(world[group] & mask for group, mask in conditions) for world in near)
        assert len(members) == len(set(members))
        several += len(members) > 1
    assert several > 10


def test_a_requirement_that_no_member_can_meet_takes_few_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 64 versions of a need b, which needs another version of d than c does: one dead end each would be 64.

    After the second, fourth, ... rejection of a version of a, all of them get clauses, and the solver refutes them.
    """
    monkeypatch.setattr("olmsolve.solver.judging._MEMBERS", 1)
    needs = {"a": [("b", 0b110)], "b": [("d", 0b010)], "c": [("e", 0b010)], "e": [("d", 0b100)], "d": []}
    sizes = {"a": 64, "b": 2, "c": 1, "d": 2, "e": 1}
    budget = Budget()
    problem = counted(sizes, {(group, n): of for group, of in needs.items() for n in range(sizes[group])}, "ac")
    assert walk_families(CachedProblem(problem), problem, find("python"), budget) is None
    assert budget.trace.conflicts < 10


def test_families_are_questioned_after_2_4_8_rejections() -> None:
    """The more versions of a family have been rejected in vain, the likelier is it that none of them can stand."""
    problem = counted({"a": 3, "b": 1}, {("a", number): [("b", 0b010)] for number in range(3)}, "a")
    families = FamilyDomains(problem, Budget())
    judge = Judge([], families, find("python"), Budget())
    family = families.family("a")
    assert [number for number in range(1, 20) if judge._is_worth_a_question(family)] == [2, 4, 8, 16]
    assert family.encoded == family.allowed


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
    assert walk_families(CachedProblem(problem), problem, find("python"), budget) is None
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
        try:
            found = walk_families(CachedProblem(problem), problem, find("minisat22"), budget)
        except OutsideFamiliesError:
            outcomes["outside"] += 1
        else:
            assert found == decided_solution(problem)
            outcomes["solved" if found else "refuted"] += budget.trace.conflicts > 1
    assert min(outcomes.values()) > 5, outcomes


class _Limited(PythonSolver):
    """A solver that notes the limits on conflicts of its questions, and gives up those that have one."""

    limits: ClassVar[list[int | None]] = []

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        self.limits.append(conflicts)
        return super().solve(assumptions) if conflicts is None else None


class _Silent(PythonSolver):
    """A solver that never has an answer."""

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        return None


def test_a_dead_end_needs_an_answer_and_further_questions_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether earlier selections can stand may take a solver seconds, and no answer is as good as yes."""
    monkeypatch.setattr("olmsolve.solver.judging._CONFLICTS", 7)
    # A solver of others is asked about its cores too, and here questions of the walk are counted.
    monkeypatch.setattr("olmsolve.solver.session.is_ours", lambda _: True)
    generator = random.Random(12)
    further = 0
    for _ in range(scaled(400)):
        problem = denser(generator)
        _Limited.limits.clear()
        budget = Budget()
        found = walk_families(CachedProblem(problem), problem, find(_Limited), budget)
        assert found == decided_solution(problem)
        assert _Limited.limits.count(None) == budget.trace.conflicts
        assert set(_Limited.limits) <= {None, 7}
        further += 7 in _Limited.limits
        if budget.trace.conflicts:
            with pytest.raises(BackendError, match="no answer"):
                walk_families(CachedProblem(problem), problem, find(_Silent), Budget())
    assert further > 10
