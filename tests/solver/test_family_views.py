"""Views of families with some groups off keep the contract of ``FamilyView``: they say what the constraints say.

A view that says too little costs time, and one that says too much is found out by the questions after it, so no core
shows either; these tests look behind the door. What else a view leaves out is seen in cores: see
``test_cores_by_definition``.
"""

from __future__ import annotations

import random

from olmsolve.solver import GroupName, Identifier, MaskedNeeds, Run, Variables
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import GROUP, UnitTable
from olmsolve.solver.views import PartedFamilies, RestrictedFamilies, UnitView
from tests.scale import scaled
from tests.solver.core_problems import Blocks
from tests.solver.test_families import Packages, packages


def test_families_serve_where_groups_alone_are_off() -> None:
    """They stand for all constraints of a candidate, so they spare reading these where all of them are on."""
    problem = packages(random.Random("families"), 3, 2)
    table = UnitTable(CachedProblem(problem), problem)
    families = UnitView(table, lambda unit: unit != (GROUP, "package 1"), True).families
    assert families is not None
    assert [families.family(f"package {number}") for number in range(3)] == [("0.0", "0.1"), None, ("2.0", "2.1")]
    assert UnitView(table, lambda _: True, False).families is None


def _of(problem: Packages, group: GroupName, mask: int) -> list[str]:
    return [name for number, name in enumerate(problem.packages[group]) if mask & 2 << number]


def test_a_restricted_family_is_that_of_the_problem_or_none() -> None:
    """A family without its group, or with members outside of it, has no single value, so its members stand alone."""
    kept = lost = 0
    for seed in range(scaled(800)):
        generator = random.Random(f"restricted {seed}")
        problem = packages(generator, 4, 3)
        if generator.random() < 0.5:
            problem = Blocks(problem.variables, problem.packages, problem.masked)
        apis = {f"api {number}" for number in range(3) if generator.random() < 0.5}
        off = apis | {group for group in problem.packages if generator.random() < 0.2}
        outsiders = {f"{number}.0" for number in range(4) if generator.random() < 0.1}
        families = RestrictedFamilies(problem, lambda unit: unit[1] not in off, outsiders)  # noqa: B023
        remaining = {g: m for g, m in problem.packages.items() if g not in off and outsiders.isdisjoint(m)}
        for group, members in problem.packages.items():
            assert families.family(group) == remaining.get(group)
            targets = 2 * generator.randrange(1, 1 << len(members))
            by_target = problem.needs_by_target(group, targets)
            if by_target is None or group not in remaining or any(target not in remaining for target, _ in by_target):
                assert families.needs_by_target(group, targets) is None
            else:
                assert families.needs_by_target(group, targets) == by_target
            assert families.block_of(group) == problem.block_of(group)
            for number, member in enumerate(members):
                assert families.family_of(member) == ((group, number) if group in remaining else None)
                assert families.origins(member) == problem.origins(member)
                masked = problem.masked.get(member)
                says_all = (
                    masked is not None and group in remaining and all(target in remaining for target, _ in masked.needs)
                )
                view = families.masked_needs(member)
                assert (view is not None) == says_all
                if view is not None and masked is not None:
                    assert view == MaskedNeeds(masked.needs, tuple(g for g in masked.groups if g not in off))
                kept += says_all
                lost += masked is not None and not says_all
        assert families.family("api 0") is None
        assert families.family_of("extra") is None
    assert min(kept, lost) > scaled(800)


def test_parts_have_the_members_that_are_needed() -> None:
    """In a family whose group is off, each set of members that somebody needs is a family of its own."""
    parted_needs = unsaid = 0
    for seed in range(scaled(800)):
        generator = random.Random(f"parted {seed}")
        problem = packages(generator, 4, 3)
        if generator.random() < 0.5:
            problem = Blocks(problem.variables, problem.packages, problem.masked)
        off = {group for group in problem.packages if generator.random() < 0.4}
        off |= {f"api {number}" for number in range(3) if generator.random() < 0.5}
        off |= {f"api of {group}" for group in problem.packages if generator.random() < 0.5}
        table = UnitTable(CachedProblem(problem), problem)
        if generator.random() < 0.3:
            off = set(table.groups_of(generator.choice(sorted(problem.masked, key=str) or ["extra"])))
        families = PartedFamilies(table, problem, off)
        for group, members in problem.packages.items():
            assert families.family(group) == members
            assert families.block_of(group) == problem.block_of(group)
            for number, member in enumerate(members):
                assert families.family_of(member) == (None if group in off else (group, number))
                assert families.origins(member) == problem.origins(member)
                masked, view = problem.masked.get(member), families.masked_needs(member)
                # Without the package's group, another group of its members would have to be said.
                says_all = masked is not None and (group not in off or off.issuperset(table.groups_of(member)))
                assert (view is not None) == says_all
                unsaid += masked is not None and not says_all
                if view is None or masked is None:
                    continue
                assert view.groups == tuple(group for group in masked.groups if group not in off)
                for (name, mask), (target, wanted) in zip(view.needs, masked.needs, strict=True):
                    if target not in off:
                        assert (name, mask) == (target, wanted)
                        continue
                    part = families.family(name)
                    assert part == _of(problem, target, wanted)
                    assert mask == sum(2 << number for number in range(len(part)))
                    assert name not in problem.packages
                    assert families.block_of(name) is None
                    parted_needs += 1
    assert min(parted_needs, unsaid) > scaled(160)


def _mask(runs: list[Run]) -> dict[GroupName, list[int]]:
    masks: dict[GroupName, list[int]] = {}
    for group, first, end in runs:
        masks.setdefault(group, []).append(sum(2 << number for number in range(first, end)))
    return masks


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
    # Nor are there tables of what is needed of the part, or by it.
    assert [parted.needs_by_target(group, 0b10) for group in (part, "a", "b")] == [None, None, None]
    with_all = PartedFamilies(UnitTable(CachedProblem(problem)), problem, set())
    assert with_all.needs_by_target("b", 0b10) == [("a", [(0b100, 0b10, 0)])]
