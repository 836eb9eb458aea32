"""Views leave out what is off and nothing else; a walk of a view meets all of it, and finds the last witness again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

import pytest

from olmsolve.solver import (
    AtMost,
    Branch,
    Budget,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Listed,
    MaskedNeeds,
    Prohibited,
    Tree,
    Variables,
    reachable,
)
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank, UnitTable, member_of
from olmsolve.solver.views import FreedBy, PartedFamilies, RestrictedFamilies, UnitView, easy_witness
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.core_problems import Blocks
from tests.solver.test_families import Packages, packages


def _branches(tree: Tree) -> list[Branch]:
    """Return the branches of *tree*, each before those inside."""
    if isinstance(tree, FirstOf):
        return [each for branch in tree.branches for each in (branch, *_branches(branch.tree))]
    return [each for part in tree.parts for each in _branches(part)] if isinstance(tree, Every) else []


def _off(generator: random.Random, problem: Variables, table: UnitTable, share: float) -> set[Rank]:
    """Return some units of *problem*, whose blocks have ranks."""
    units = [unit for unit, _ in table.roots]
    for name, _ in reachable(problem):
        of_it, groups = table.units_of(name)
        units += [*(unit for unit, _ in of_it), *((GROUP, group) for group in groups)]
    return {unit for unit in sorted(set(units)) if generator.random() < share}


def test_a_view_has_the_constraints_that_are_on() -> None:
    """A constraint too many is a wrong core, and one too few an answer to another question.

    Objects stay the same, as engines compare them by identity, and each leads back to its unit.
    """
    copies = parts = 0
    for seed in range(scaled(1600)):
        generator = random.Random(f"views {seed}")
        problem = random_problem(generator, "abcdefg")
        table = UnitTable(CachedProblem(problem))
        off = _off(generator, problem, table, 0.3)
        outsiders = {name for name, _ in reachable(problem) if generator.random() < 0.1}
        table.outsiders |= outsiders
        view = UnitView(table, lambda unit: unit not in off, False)  # noqa: B023 - called in this round

        def expected_group(need: Dependency) -> GroupName | None:
            is_on = (GROUP, need.group) not in off and outsiders.isdisjoint(need.candidates)  # noqa: B023
            return need.group if is_on else None

        assert view.roots == [root for unit, root in table.roots if unit not in off]
        units = [unit for unit, _ in table.roots if unit not in off]
        for unit, root in zip(units, view.roots, strict=True):
            assert view.unit_of(root) == unit
            assert not isinstance(root, Dependency) or root.group == expected_group(root)
        for name, own in reachable(problem):
            expected: list[Constraint] = []
            units = []
            rank = table.ranks.rank_of(name)
            for position, each in enumerate(own):
                if isinstance(each, Exclusive):
                    groups = tuple(group for group in each.groups if (GROUP, group) not in off)
                    expected += [Exclusive(name, groups)] if groups else []
                elif (unit := (BLOCK, rank, each.place, name, position)) not in off:
                    expected.append(each)
                    units.append(unit)
            found = view.constraints(name)
            assert list(found) == expected, seed
            assert view.constraints(name) is found
            kept = [each for each in found if not isinstance(each, Exclusive)]
            assert [view.unit_of(each) for each in kept] == units
            for each, original in zip(
                kept, [each for each in expected if not isinstance(each, Exclusive)], strict=True
            ):
                if isinstance(each, Dependency) and isinstance(original, Dependency):
                    assert each.group in (None, original.group)
                    assert each.group == expected_group(original)
                    assert each.origin is original.origin
                    assert (each is original) == (each.group == original.group)
                    copies += each is not original
                if isinstance(each, Formula):
                    for branch in _branches(each.tree):
                        (part,) = view.constraints(branch)
                        assert part == Formula(branch, branch.tree)
                        assert view.unit_of(part) == view.unit_of(each)
                        parts += 1
            assert view.block(name) == problem.block(name)
    assert min(copies, parts) > scaled(800)


def test_blocks_without_a_rank_are_on_or_off_together() -> None:
    """The walk of blocks has not come there: they come after all that a core has, or are not asked about at all."""
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("a",))],
        "a": [Dependency("a", ("b",))],
        "b": [Exclusive("b", ("x", "y")), Prohibited("b"), Dependency("b", (), None, "y")],
    }
    for blocks_on in (False, True):
        table = UnitTable(CachedProblem(Variables(variables)))
        table.ranks.rank_of("a")
        assert table.ranks.explored("b") is not None
        table = UnitTable(CachedProblem(Variables(variables)))
        view = UnitView(table, lambda unit: unit != (GROUP, "y"), blocks_on)
        groups = Exclusive("b", ("x",))
        assert list(view.constraints("b")) == [groups, *(variables["b"][1:] if blocks_on else ())]
        # Nobody has asked for the rank.
        assert table.ranks.explored("b") is None
    assert view.families is None


def test_families_serve_where_groups_alone_are_off() -> None:
    """They stand for all constraints of a candidate, so they spare reading these where all of them are on."""
    problem = packages(random.Random("families"), 3, 2)
    table = UnitTable(CachedProblem(problem), problem)
    families = UnitView(table, lambda unit: unit != (GROUP, "package 1"), True).families
    assert families is not None
    assert [families.family(f"package {number}") for number in range(3)] == [("0.0", "0.1"), None, ("2.0", "2.1")]
    assert UnitView(table, lambda _: True, False).families is None


def test_an_identifier_is_freed_by_its_own_units() -> None:
    """A walk tries these candidates first, because they are the likely way out; others would lead it astray."""
    problem = Blocks(
        {
            "root": [Dependency(None, ("a.1", "a.2"), None, "package a")],
            "a.1": [Exclusive("a.1", ("package a",)), Prohibited("a.1")],
            "a.2": [Exclusive("a.2", ("package a",)), Dependency("a.2", ("b.1",))],
            "b.1": [Dependency("b.1", ("a.1",))],
        },
        {},
        {},
    )
    table = UnitTable(CachedProblem(problem))
    names: list[Identifier] = ["a.1", "a.2", "b.1", Branch(Choice(("a.1",)))]

    def freed(key: Rank) -> list[Identifier]:
        return [name for name in names if name in FreedBy(table, key)]

    assert freed((BLOCK, 1, 0)) == []
    for name in ("a.1", "b.1"):
        table.ranks.rank_of(name)
    assert freed((BLOCK, 0, 0)) == ["a.1", "a.2"]
    assert freed((BLOCK, 1, 0)) == ["b.1"]
    ban = table.unit_of(problem.variables["a.1"][1])
    assert freed(ban) == freed(member_of(ban)) == ["a.1"]
    assert freed((GROUP, "package a")) == freed((ROOT, 0)) == []


def _choices(view: UnitView, selected: AbstractSet[Identifier]) -> list[Constraint]:
    """Return the constraints of *view* that concern *selected*."""
    return [*view.roots, *(each for name in selected for each in view.constraints(name))]


def _breaks(view: UnitView, selected: Iterable[Identifier]) -> list[object]:
    """Return what *selected* breaks of *view*."""
    model = frozenset(each for each in selected if not isinstance(each, Branch))
    groups = [group for each in _choices(view, model) if isinstance(each, Exclusive) for group in each.groups]
    shared = [group for group in set(groups) if groups.count(group) > 1]
    return [*shared, *(each for each in _choices(view, model) if not oracle.meets(each, model))]


@pytest.mark.parametrize("formulas", [False, True], ids=["plain", "formulas"])
def test_a_walk_meets_the_whole_view_and_finds_a_known_witness(formulas: bool) -> None:
    """A witness that breaks something is a wrong core; one that is overlooked costs a question to an engine."""
    found = known = 0
    for seed in range(scaled(1600)):
        generator = random.Random(f"witness {seed} {formulas}")
        problem = random_problem(generator, "abcdef", formulas=formulas)
        table = UnitTable(CachedProblem(problem))
        off = _off(generator, problem, table, 0.15)
        view = UnitView(table, lambda unit: unit not in off, False)  # noqa: B023 - called in this round
        names = [name for name, _ in reachable(problem)]
        wanted = frozenset(name for name in names if generator.random() < 0.5)
        witness = easy_witness(view, [wanted], Budget())
        if witness is not None:
            assert not _breaks(view, witness), seed
            found += 1
        if not formulas:
            for model in generator.sample(
                [m for m in _subsets(names) if not _breaks(view, m)] or [frozenset(names)], 1
            ):
                if not _breaks(view, model):
                    again = easy_witness(view, [model, wanted], Budget())
                    assert again is not None, seed
                    assert again.keys() <= model, seed
                    known += 1
    assert found > scaled(400)
    assert known > scaled(400) or formulas


def _subsets(names: Sequence[Identifier]) -> list[frozenset[Identifier]]:
    return [frozenset(n for i, n in enumerate(names) if number >> i & 1) for number in range(1 << len(names))]


def test_candidates_come_in_the_order_of_those_preferred() -> None:
    """What a member frees comes first, then what the last witness has, then what the choice prefers."""
    wish = Dependency(None, ("a", "b", "c", "d"))
    problem = Variables({"root": [wish], **{name: [] for name in "abcd"}})
    view = UnitView(UnitTable(CachedProblem(problem)), lambda _: True, True)

    def first(*preferred: str) -> list[Identifier]:
        return list(easy_witness(view, [set(each) for each in preferred], Budget()) or ())

    assert first() == first("") == ["a"]
    assert first("bc", "a") == ["b"]
    assert first("", "d") == ["d"]
    # A limit among the roots counts as well.
    problem = Variables({"root": [wish], "limit": [AtMost(0, ("c", "a"))], **{name: [] for name in "abcd"}})
    view = UnitView(UnitTable(CachedProblem(problem)), lambda _: True, True)
    assert first("c", "a") == ["b"]


def test_an_idle_exclusion_is_no_way_out() -> None:
    """It is idle because of a prohibition, which may be off in a view."""

    class Idle(Listed):
        def __bool__(self) -> bool:
            return False

    branch = Branch(Exclusion(Idle(("b",))))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("a",))],
        "a": [Formula("a", FirstOf((branch,))), Dependency("a", ("b",))],
        "b": [],
    }
    view = UnitView(UnitTable(CachedProblem(Variables(variables))), lambda _: True, True)
    assert easy_witness(view, [], Budget()) is None


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
        left = {g: m for g, m in problem.packages.items() if g not in off and outsiders.isdisjoint(m)}
        for group, members in problem.packages.items():
            assert families.family(group) == left.get(group)
            assert families.block_of(group) == problem.block_of(group)
            for number, member in enumerate(members):
                assert families.family_of(member) == ((group, number) if group in left else None)
                assert families.origins(member) == problem.origins(member)
                masked = problem.masked.get(member)
                says_all = masked is not None and group in left and all(target in left for target, _ in masked.needs)
                found = families.masked_needs(member)
                assert (found is not None) == says_all
                if found is not None and masked is not None:
                    assert found == MaskedNeeds(masked.needs, tuple(g for g in masked.groups if g not in off))
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
                masked, found = problem.masked.get(member), families.masked_needs(member)
                # Without the package's group, another group of its members would have to be said.
                says_all = masked is not None and (group not in off or off.issuperset(table.groups_of(member)))
                assert (found is not None) == says_all
                unsaid += masked is not None and not says_all
                if found is None or masked is None:
                    continue
                assert found.groups == tuple(each for each in masked.groups if each not in off)
                for (name, mask), (target, wanted) in zip(found.needs, masked.needs, strict=True):
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
