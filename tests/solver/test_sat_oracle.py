"""The portable finder: its answers are those of brute force, whatever it has learned from the questions before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

import attrs
import pytest

from olmsolve.solver import (
    Branch,
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    Prohibited,
    Session,
    Variables,
    core_oracle,
    reachable,
    solve,
)
from olmsolve.solver.backends import PORTABLE, find
from olmsolve.solver.core_oracle import SatOracle
from olmsolve.solver.family_walk import walked_witness
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.rotation import Rotation
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable, member_of
from olmsolve.solver.views import easy_witness
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.core_problems import some_packages
from tests.solver.test_families import packages

_Set = frozenset[Identifier]


def _same(unit: Rank) -> Rank:
    return unit


@attrs.frozen
class _Broken:
    """The units of a problem, and those that each set of its identifiers breaks."""

    units: frozenset[Rank]
    by_set: dict[_Set, frozenset[Rank]]

    @classmethod
    def of(cls, problem: Variables, table: UnitTable) -> _Broken:
        names = [name for name, _ in reachable(problem)]
        units: dict[Rank, Constraint] = dict(table.roots)
        groups: dict[GroupName, set[Identifier]] = {}
        for name, own in reachable(problem):
            for position, each in enumerate(own):
                if not isinstance(each, Exclusive):
                    units[BLOCK, table.ranks.rank_of(name), each.place, name, position] = each
                    continue
                for group in each.groups:
                    groups.setdefault(group, set()).add(name)
        by_set: dict[_Set, frozenset[Rank]] = {}
        for number in range(1 << len(names)):
            model = frozenset(name for position, name in enumerate(names) if number >> position & 1)
            broken: set[Rank] = {unit for unit, each in units.items() if not oracle.meets(each, model)}
            by_set[model] = frozenset(
                broken | {(GROUP, g) for g, members in groups.items() if len(members & model) > 1}
            )
        return cls(frozenset(units) | {(GROUP, group) for group in groups}, by_set)

    def can_hold(self, on: AbstractSet[Rank]) -> bool:
        return any(on.isdisjoint(broken) for broken in self.by_set.values())


def _problem(generator: random.Random, walked: bool) -> tuple[Variables, UnitTable]:
    """Return a problem of at most eight identifiers, with families always or half of the time."""
    if not walked and generator.random() < 0.5:
        problem = random_problem(generator, "abcdef")
        return problem, UnitTable(CachedProblem(problem))
    families = packages(generator, 3, 2)
    while walked and len(list(reachable(families := some_packages(generator)))) > 8:
        pass
    return families, UnitTable(CachedProblem(families), families)


@pytest.mark.parametrize("walked", [False, True], ids=["in all ways", "walked in families"])
def test_answers_are_those_of_brute_force(walked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question follows another one, with clauses, a core and a witness left of it; none of them may change an answer.

    What a finder names as needed has to be in every core of the units up to the last one of the question.
    """
    witnesses: list[Any] = []

    def noted(*question: Any) -> Any:
        # The walk of families is seldom needed, because a simpler one comes before it.
        witnesses.append(None if walked else easy_witness(*question))
        return witnesses[-1]

    def noted_families(*question: Any) -> Any:
        assert witnesses[-1] is None
        return walked_witness(*question)

    monkeypatch.setattr(core_oracle, "easy_witness", noted)
    monkeypatch.setattr(core_oracle, "walked_witness", noted_families)
    answers = {True: 0, False: 0}
    named = 0
    for seed in range(scaled(2400)):
        generator = random.Random(f"questions {seed} {walked}")
        problem, table = _problem(generator, walked)
        # A finder ranks as many blocks as it needs, so the oracle has a table of its own.
        broken = _Broken.of(problem, UnitTable(CachedProblem(problem)))
        key = generator.choice([member_of, member_of, _same])
        keys = sorted({key(unit) for unit in broken.units})
        allowed = {each for each in keys if generator.random() < 0.8} if generator.random() < 0.4 else set(keys)
        names = [name for name, _ in reachable(problem)]
        finder = SatOracle(
            table,
            Session(find(PORTABLE), Budget()),
            key,
            None if allowed == set(keys) else lambda unit: key(unit) in allowed,  # noqa: B023 - called in this round
            generator.sample(names, len(names) if walked else generator.choice([0, 0, 1, len(names)])),
        )

        def is_met(each: Rank) -> bool:
            """Return whether the finder has met the block, as it has met those of its cores."""
            return each[0] != BLOCK or each[1] in map(table.ranks.explored, names)  # noqa: B023

        found: set[Rank] = set()
        # Where groups alone are off, the finder may not have met any block yet.
        groups = [each for each in keys if each[0] == GROUP]
        last = generator.choice([None, *groups])
        for _ in range(8):
            needed = set(finder.needed)
            conflict = (
                (finder.conflict if generator.random() < 0.8 else finder.probe)(last, found)
                if last
                else finder.conflict(None, found)
            )
            on = {
                unit
                for unit in broken.units
                if key(unit) in allowed and (last is None or key(unit) < last or key(unit) in found)
            }
            assert (conflict is None) == broken.can_hold(on), seed
            answers[conflict is None] += 1
            if conflict is not None:
                assert conflict <= set(map(key, on)), seed
                assert not broken.can_hold({unit for unit in on if key(unit) in conflict}), seed
            else:
                witness = frozenset(each for each in finder._witness if not isinstance(each, Branch))
                assert on.isdisjoint(broken.by_set[witness]), seed
            on |= {unit for unit in broken.units if key(unit) == last and key(unit) in allowed}
            for one in finder.needed - needed:
                assert broken.can_hold({unit for unit in on if key(unit) != one}), (seed, one)
                named += 1
            # A descent asks about the last member of the core next, and keeps it if it is needed.
            if conflict and generator.random() < 0.7:
                last = max(conflict)
            elif conflict is None and last in allowed and generator.random() < 0.5:
                found |= {last}
                last = max({each for each in map(key, on) if is_met(each)} - found, default=None)
            else:
                last = generator.choice(groups or keys[:1] if generator.random() < 0.5 else list(filter(is_met, keys)))
                found = {each for each in found if generator.random() < 0.5}
        finder.close()
    assert min(answers.values()) > scaled(1600)
    assert named > scaled(160)


def test_rotation_and_walks_spare_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """All thirty versions of three packages are needed; without rotation, each of them costs a question.

    A walk answers most questions without a SAT solver.
    """
    versions = [tuple(f"{package}.{number}" for number in range(10)) for package in "abcd"]
    variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, versions[0], None, "a")]}
    for own, following in pairwise([*versions, ()]):
        for name in own:
            ban = Prohibited(name) if not following else Dependency(name, following, None, following[0][0])
            variables[name] = [ban, Exclusive(name, (name[0],))]
    problem = Variables(variables)
    questions = 0
    answer = SatOracle._answer

    def counted(oracle: SatOracle, last: Rank | None, found: AbstractSet[Rank]) -> set[Rank] | None:
        nonlocal questions
        questions += 1
        return answer(oracle, last, found)

    def work() -> tuple[int, int]:
        nonlocal questions
        questions, budget = 0, Budget()
        core = solve(problem, backend=PORTABLE, budget=budget)
        assert isinstance(core, Core)
        assert len(core.constraints) == 41
        return questions, budget.trace.calls

    monkeypatch.setattr(SatOracle, "_answer", counted)
    least, calls = work()
    # Members and units: the first core, the last member or unit of it, and a few more.
    assert least <= 8
    monkeypatch.setattr(core_oracle, "easy_witness", lambda *_: None)
    same, without_walks = work()
    assert same <= 8
    assert calls < without_walks
    monkeypatch.setattr(Rotation, "needed", lambda *_: set())
    most, _ = work()
    assert most > 41


def test_a_chain_of_requirements_takes_two_rounds() -> None:
    """The first model knows the root alone; then the whole chain gets its clauses, and its end is the contradiction."""
    variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, (0,))]}
    variables |= {number: [Dependency(number, (number + 1,))] for number in range(40)}
    variables[40] = [Prohibited(40)]
    budget = Budget()
    table = UnitTable(CachedProblem(Variables(variables)))
    finder = SatOracle(table, Session(find(PORTABLE), budget), member_of, None)
    core = finder.conflict(None, set())
    assert core is not None
    assert len(core) == 42
    assert budget.trace.calls == 2
    assert budget.trace.clauses == 42
    # Without its last part the core can hold, and so can the whole problem, as a walk shows.
    assert finder.conflict(max(core), set()) is None
    assert budget.trace.calls == 3


def test_the_solver_of_a_finder_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is outside Python, so nobody else frees it."""
    begun: list[Session] = []
    closed: list[Session] = []
    begin, close = Session.__init__, Session.close

    def noted_begin(session: Session, *arguments: Any) -> None:
        begun.append(session)
        begin(session, *arguments)

    def noted_close(session: Session) -> None:
        closed.append(session)
        close(session)

    monkeypatch.setattr(Session, "__init__", noted_begin)
    monkeypatch.setattr(Session, "close", noted_close)
    problem = Variables({"root": [Dependency(None, ("a",))], "a": [Prohibited("a")]})
    assert isinstance(solve(problem, backend=PORTABLE), Core)
    assert sorted(map(id, closed)) == sorted(map(id, begun))
    # One for the search, one for members, one for units.
    assert len(begun) == 3
