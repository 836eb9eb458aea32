"""Inside a walk: its judge blames what cannot stand together, it looks ahead, and names what a core starts from.

Answers rest on all of this and show none of it: a blame too many costs a dead end, and no core says where it began. So
these tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import attrs
import pytest

from olmsolve.errors import BackendError
from olmsolve.solver import Budget, Dependency, Exclusive, GroupName, Identifier, Mandatory, MaskedNeeds
from olmsolve.solver.backends import PythonSolver, find
from olmsolve.solver.family_domains import FamilyDomains, OutsideFamiliesError
from olmsolve.solver.family_walk import _FamilyWalk, refuted_members, walk_families, walked_witness
from olmsolve.solver.judging import BlamedSelection, Judge
from olmsolve.solver.problem import CachedProblem
from tests.scale import scaled
from tests.solver.checks import Closed
from tests.solver.dense import DensePackages, counted, dense, denser, wants, worlds
from tests.solver.engines import decided_solution
from tests.solver.own_solvers import KNOWN
from tests.solver.test_families import Packages
from tests.solver.test_family_walk import chain


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
        blame = super().blamed()
        self._check_blame(blame, selections)
        assert is_due or self._is_complete is None
        if is_due:
            every = [(family, 2 << number) for family in self._families.met for number in range(len(family.members))]
            assert all(family.encoded & bit for family, bit in every)
            assert not blame or was_settled or len(self._answers) > 1
            self.seen["clauses for all"] += 1
            if was_settled and len(self._answers) > 1:
                self._late.append(self._number)
                assert all(after - before > 2 for before, after in pairwise(self._late))
            if self._answers[-1]:
                # What can stand is a fact from now on, and nobody has to assume it.
                assert not self._assumed_roots
                assert len(blame) == 1
                facts = [*self.wanted, *((family.group, bit) for family, bit in selections[: blame[0].number - 1])]
                assert any(all(world[group] & mask for group, mask in facts) for world in self.worlds)
                self.seen["settled"] += 1
        return blame

    def _check_blame(self, blame: Sequence[BlamedSelection], selections: Sequence[tuple[Any, int]]) -> None:
        """Hold *blame* to the definition: such selections are in no world beside roots and facts, nor blamed roots."""
        numbers = [selection.number for selection in blame]
        assert numbers == sorted(set(numbers))
        for selection in blame:
            family, bit = selections[selection.number - 1]
            assert selection.family is family
            assert selection.mask & bit
        roots = range(len(self.wanted)) if blame else self.refuted
        conditions = [self.wanted[position] for position in roots] + [
            (selection.family.group, selection.mask) for selection in blame
        ]
        conditions += [(family.group, bit) for family, bit in selections[: self._settled]]
        assert not any(all(world[group] & mask for group, mask in conditions) for world in self.worlds)
        self.seen["blamed" if blame else "refuted"] += 1


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
        solution = walk_families(CachedProblem(problem), problem.families, find(KNOWN[1 + number % 2]), Budget())
        assert solution == decided_solution(problem)
    assert min(_Checked.seen[kind] for kind in ("blamed", "refuted", "settled", "clauses for all")) > 10, _Checked.seen


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


def test_families_are_questioned_after_2_4_8_rejections() -> None:
    """The more versions of a family have been rejected in vain, the likelier is it that none of them can stand."""
    problem = counted({"a": 3, "b": 1}, {("a", number): [("b", 0b010)] for number in range(3)}, "a")
    families = FamilyDomains(problem, Budget())
    judge = Judge([], families, find("python"), Budget())
    family = families.family("a")
    assert [number for number in range(1, 20) if judge._is_worth_a_question(family)] == [2, 4, 8, 16]
    assert family.encoded == family.allowed


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
        solution = walk_families(CachedProblem(problem), problem, find(_Limited), budget)
        assert solution == decided_solution(problem)
        assert _Limited.limits.count(None) == budget.trace.conflicts
        assert set(_Limited.limits) <= {None, 7}
        further += 7 in _Limited.limits
        if budget.trace.conflicts:
            with pytest.raises(BackendError, match="no answer"):
                walk_families(CachedProblem(problem), problem, find(_Silent), Budget())
    assert further > 10


class _Looking(_FamilyWalk):
    """A walk that counts, after looking ahead, the families that must have a member and whose support has one left."""

    families: ClassVar[Counter[bool]]

    def _renew_supports(self) -> bool:
        possible = super()._renew_supports()
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


def test_members_outside_families_end_the_search_for_a_refutation() -> None:
    """What masks do not describe may be what refutes the roots, so nothing is known about its members."""
    problem = chain(3, "0.a")
    problem = attrs.evolve(
        problem, masked={member: needs for member, needs in problem.masked.items() if member != "1.a"}
    )
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


def test_a_refuted_walk_names_what_it_rests_on() -> None:
    """A search for cores starts from there: all that the roots reach, without the newer bundles of two packages."""
    problem = chain(3, "0.a", "2.b")
    cached = CachedProblem(problem)
    assert walk_families(cached, problem.families, find("minisat22"), Budget()) is None
    assert [str(root) for root in cached.refuted_roots] == [str(root) for root in problem.roots]
    assert sorted(map(str, refuted_members(cached, find("minisat22"), Budget()))) == ["0.a", "1.a", "2.a", "2.b"]


def test_other_roots_leave_the_walk() -> None:
    """Bits have the order of the family, so a root that prefers another one cannot be walked in bits."""
    members = ("a.2", "a.1")
    masked: dict[Identifier, MaskedNeeds] = {name: MaskedNeeds((), ()) for name in members}
    for root in (Dependency(None, ("a.1", "a.2"), None, "a"), Mandatory("a.1"), Dependency(None, ())):
        variables = {"root": [root], **{name: [Exclusive(name, ("a",))] for name in members}}
        problem = DensePackages(variables, {"a": members}, masked)  # type: ignore[arg-type]
        with pytest.raises(OutsideFamiliesError):
            walk_families(CachedProblem(problem), problem.families, find("minisat22"), Budget())
