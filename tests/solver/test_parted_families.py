"""Families whose at-most-one group is off stand in parts: one for each set of members that is needed."""

from __future__ import annotations

import random

from olmsolve.solver import GroupName, Identifier, MaskedNeeds, Run, Variables
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import UnitTable
from olmsolve.solver.views import PartedFamilies
from tests.scale import scaled
from tests.solver.test_families import Packages, packages


def _mask(runs: list[Run]) -> dict[GroupName, list[int]]:
    found: dict[GroupName, list[int]] = {}
    for group, first, end in runs:
        found.setdefault(group, []).append(sum(2 << number for number in range(first, end)))
    return found


def test_runs_say_what_masked_needs_say() -> None:
    """A run of a family that is off would tie its members together again, so that a core names the wrong group."""
    generator = random.Random(6)
    kept = left_out = 0
    for _ in range(scaled(400)):
        problem = packages(generator, 4, 3)
        off = set(generator.sample(list(problem.packages), generator.randint(0, 2)))
        parted = PartedFamilies(UnitTable(CachedProblem(problem)), problem, off)
        for group in problem.packages.keys() - off:
            rows = parted.needs_in_runs(group)
            assert rows is not None
            for member, row in zip(problem.packages[group], rows, strict=True):
                masked = problem.masked.get(member)
                if row is None:
                    left_out += masked is not None and any(target in off for target, _ in masked.needs)
                    continue
                assert masked is not None
                assert off.isdisjoint(target for target, _ in masked.needs)
                expected: dict[GroupName, list[int]] = {}
                for target, mask in masked.needs:
                    expected.setdefault(target, []).append(mask)
                assert _mask(list(row)) == expected
                kept += bool(row)
    assert min(kept, left_out) > 10


def test_a_part_has_no_runs() -> None:
    """It is no family of the problem: its members are asked for one by one."""
    members = ("a.1", "a.2")
    variables: dict[Identifier, list[object]] = {name: [] for name in (*members, "b")}
    masked = {"b": MaskedNeeds((("a", 0b100),), ()), **{name: MaskedNeeds((), ()) for name in members}}
    problem = Packages(variables, {"a": members, "b": ("b",)}, masked)  # type: ignore[arg-type]
    assert isinstance(problem, Variables)
    parted = PartedFamilies(UnitTable(CachedProblem(problem)), problem, {"a"})
    needs = parted.masked_needs("b")
    assert needs is not None
    [(part, mask)] = needs.needs
    assert parted.family(part) == ["a.2"]
    assert mask == 0b10
    assert parted.needs_in_runs(part) is None
    assert parted.needs_in_runs("b") == [None]
