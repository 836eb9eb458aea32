"""What rotation in sets of bits names is needed: without it, a SAT solver can meet everything else."""

from __future__ import annotations

import random

from olmsolve.solver import AtMost, Budget, Core, Solution, reachable, solve
from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.family_rotation import FamilyRotation
from olmsolve.solver.glancing import masked_walk
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import Rank, UnitTable, member_of
from olmsolve.solver.views import UnitView
from tests.scale import scaled
from tests.solver.test_families import Packages, packages
from tests.solver.test_rotation import Blocks, in_families, layered


def _problem(generator: random.Random) -> Packages:
    if generator.random() < 0.7:
        return in_families(layered(generator))
    problem = packages(generator, 5, 3)
    return Blocks(problem.variables, problem.packages, problem.masked) if generator.random() < 0.8 else problem


class _Units:
    """All units of a problem, and whether some of them can hold together."""

    def __init__(self, problem: Packages) -> None:
        self._table = UnitTable(CachedProblem(problem))
        reached = [identifier for identifier, _ in reachable(problem)]
        groups = {group for identifier in reached for group in self._table.groups_of(identifier)}
        self.every: set[Rank] = {unit for identifier in reached for unit, _ in self._table.of(identifier)[0]}
        self.every |= {(2, group) for group in groups} | {unit for unit, _ in self._table.roots}

    def can_hold(self, on: set[Rank]) -> bool:
        return isinstance(solve(UnitView(self._table, on.__contains__, False), backend=PORTABLE), Solution)


def test_what_it_names_is_needed() -> None:
    """It names members for the whole problem up to a group, and units for the units of some members."""
    named_members = named_units = 0
    for seed in range(scaled(800)):
        generator = random.Random(f"family rotation {seed}")
        problem = _problem(generator)
        units = _Units(problem)
        answer = solve(problem)
        if not isinstance(answer, Core) or not isinstance(answer.constraints[-1], AtMost):
            continue
        last = (2, answer.constraints[-1].origin)
        table = UnitTable(CachedProblem(problem), problem)
        subjects = sorted({unit[3] for unit in units.every if unit[0] == 1})
        # A search ranks as many blocks as it needs.
        for subject in generator.sample(subjects, generator.choice([0, len(subjects) // 2, len(subjects)])):
            table.ranks.of(subject)
        walk = masked_walk(table, last.__gt__, True, Budget())
        on = {unit for unit in units.every if unit <= last}
        if walk is None:
            continue
        rotation = FamilyRotation(table, walk, last)
        members = set(map(member_of, on))
        found = rotation.members(members)
        for key in found:
            assert units.can_hold({unit for unit in on if member_of(unit) != key}), (seed, key)
        named_members += len(found)
        # The members of cores are ranked. Units are rotated among dependencies and one group only.
        ranks = {table.ranks.explored(subject) for subject in subjects}
        simple = {key for key in members if key[0] == 0 or (key[0] == 1 and key[1] in ranks and key[2:] == (0,))}
        some = {last} | {key for key in sorted(simple) if generator.random() < 0.95}
        on = {unit for unit in on if member_of(unit) in some}
        if units.can_hold(on):
            continue
        needed = rotation.units(some, on)
        for unit in needed:
            assert units.can_hold(on - {unit}), (seed, unit)
        named_units += len(needed)
    print(named_members, named_units)
    assert named_members > scaled(800)
    assert named_units > scaled(400)
