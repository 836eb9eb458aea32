"""The oracle that asks a SAT solver: its answers are those of brute force, whatever it has learned before.

A wrong yes among members is dropped again among units, and walks of families take as many questions as they spare on
small problems; so no core and no count at the door shows them, and this test looks behind the door.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any

import attrs
import pytest

from olmsolve.solver import (
    Branch,
    Budget,
    Constraint,
    Exclusive,
    GroupName,
    Identifier,
    Session,
    Variables,
    core_oracle,
    reachable,
)
from olmsolve.solver.backends import PORTABLE, find
from olmsolve.solver.core_oracle import SatOracle
from olmsolve.solver.family_walk import walked_witness
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.rotation import Rotation, Scope
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
            for position, constraint in enumerate(own):
                if not isinstance(constraint, Exclusive):
                    units[BLOCK, table.ranks.rank_of(name), constraint.place, name, position] = constraint
                    continue
                for group in constraint.groups:
                    groups.setdefault(group, set()).add(name)
        by_set: dict[_Set, frozenset[Rank]] = {}
        for number in range(1 << len(names)):
            model = frozenset(name for position, name in enumerate(names) if number >> position & 1)
            broken: set[Rank] = {unit for unit, constraint in units.items() if not oracle.meets(constraint, model)}
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

    scopes: list[bool] = []
    rotate = Rotation.needed

    def scoped(rotation: Rotation, witness: Iterable[Identifier], scope: Scope, targets: Iterable[Rank]) -> set[Rank]:
        scopes.append(scope.blocks_on)
        return rotate(rotation, witness, scope, targets)

    monkeypatch.setattr(Rotation, "needed", scoped)
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
        allowed = {rank for rank in keys if generator.random() < 0.8} if generator.random() < 0.4 else set(keys)
        names = [name for name, _ in reachable(problem)]
        finder = SatOracle(
            table,
            Session(find(PORTABLE), Budget()),
            key,
            None if allowed == set(keys) else lambda unit: key(unit) in allowed,  # noqa: B023 - called in this round
            generator.sample(names, len(names) if walked else generator.choice([0, 0, 1, len(names)])),
        )

        def is_met(rank: Rank) -> bool:
            """Return whether the finder has met the block, as it has met those of its cores."""
            return rank[0] != BLOCK or rank[1] in map(table.ranks.explored, names)  # noqa: B023

        members: set[Rank] = set()
        # Where groups alone are off, the finder may not have met any block yet.
        groups = [rank for rank in keys if rank[0] == GROUP]
        last = generator.choice([None, *groups])
        for _ in range(8):
            needed = set(finder.needed)
            conflict = (
                (finder.conflict if generator.random() < 0.8 else finder.probe)(last, members)
                if last
                else finder.conflict(None, members)
            )
            on = {
                unit
                for unit in broken.units
                if key(unit) in allowed and (last is None or key(unit) < last or key(unit) in members)
            }
            assert (conflict is None) == broken.can_hold(on), seed
            while scopes:
                # Blocks that no walk has met are on where groups alone are off.
                assert last is not None
                assert scopes.pop() == (allowed == set(keys) and last[0] == GROUP), seed
            answers[conflict is None] += 1
            if conflict is not None:
                assert conflict <= set(map(key, on)), seed
                assert not broken.can_hold({unit for unit in on if key(unit) in conflict}), seed
            else:
                witness = frozenset(identifier for identifier in finder._witness if not isinstance(identifier, Branch))
                assert on.isdisjoint(broken.by_set[witness]), seed
            on |= {unit for unit in broken.units if key(unit) == last and key(unit) in allowed}
            for one in finder.needed - needed:
                assert broken.can_hold({unit for unit in on if key(unit) != one}), (seed, one)
                named += 1
            # A descent asks about the last member of the core next, and keeps it if it is needed.
            if conflict and generator.random() < 0.7:
                last = max(conflict)
            elif conflict is None and last in allowed and generator.random() < 0.5:
                members |= {last}
                last = max({rank for rank in map(key, on) if is_met(rank)} - members, default=None)
            else:
                last = generator.choice(groups or keys[:1] if generator.random() < 0.5 else list(filter(is_met, keys)))
                members = {rank for rank in members if generator.random() < 0.5}
        finder.close()
    assert min(answers.values()) > scaled(1600)
    assert named > scaled(160)
