"""Rotation in sets of bits names what removing and replacing shows, no more and no less.

General rotation would find the same parts a little later, so neither a core nor a count of work at the door shows what
this one overlooks: these tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import attrs

from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    MaskedNeeds,
    Prohibited,
    reachable,
    solve,
)
from olmsolve.solver.family_rotation import FamilyRotation
from olmsolve.solver.glancing import masked_walk
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank, UnitTable, member_of
from tests.scale import scaled
from tests.solver.core_problems import Blocks, some_packages
from tests.solver.test_families import Packages


@attrs.frozen
class _Slow:
    """Rotation of selections as its module describes it, which reads constraints in place of masked needs.

    *members* are on (None: all members are). A family counts if the needs of its members may be on, or if it has the
    rivals: the two selected members of the group of *last*. Any member of another family will do.
    """

    problem: Packages
    table: UnitTable
    last: Rank
    selected: frozenset[Identifier]
    members: AbstractSet[Rank] | None

    def rivals(self) -> list[Identifier]:
        name = self.last[1]
        holders = [identifier for identifier in self.selected if name in self.table.groups_of(identifier)]
        spans = any(name in self.problem.masked[identifier].groups for identifier in self.selected)
        return [] if spans or len(holders) != 2 or len(set(map(self.family, holders))) > 1 else holders

    def family(self, identifier: Identifier) -> GroupName:
        member = self.problem.family_of(identifier)
        assert member is not None
        return member[0]

    def counts(self, family: GroupName) -> bool:
        return self.has_needs(family) or family == self.family(self.rivals()[0])

    def has_needs(self, family: GroupName) -> bool:
        """Return whether needs of members of *family* may be on."""
        if self.members is None or self.problem.block_of(family) is None:
            return True
        rank = self.table.ranks.explored(self.problem.packages[family][0])
        return (BLOCK, rank, Dependency.place) in self.members

    def broken(self, selected: AbstractSet[Identifier]) -> set[Rank]:
        """Return the roots and needs that *selected* breaks."""
        units = {
            unit
            for unit, root in self.table.roots
            if (self.members is None or unit in self.members)
            and isinstance(root, Dependency)
            and selected.isdisjoint(root.candidates)
        }
        for name in selected:
            for unit, need in self.table.units_of(name)[0] if self.has_needs(self.family(name)) else ():
                assert isinstance(need, Dependency)
                assert need.group is not None
                if self.counts(need.group) and selected.isdisjoint(need.candidates):
                    units.add(unit)
        return units

    def states(self) -> Iterator[tuple[frozenset[Identifier], set[Rank]]]:
        """Yield what is left when one rival goes, and all those whose needs that breaks, with what it breaks."""
        for rival in self.rivals():
            remaining, removed = self.selected, {rival}
            while True:
                remaining = remaining - removed
                broken = self.broken(remaining)
                families = {None if unit[0] == ROOT else self.family(unit[3]) for unit in broken}
                if len(families) != 1 or (None in families and len(broken) > 1):
                    break
                yield remaining, broken
                (family,) = families
                if family is None or self.problem.block_of(family) is None:
                    break
                removed = {unit[3] for unit in broken}

    def shown_members(self) -> set[Rank]:
        broken = [min(broken) for _, broken in self.states()]
        return {member_of(u) for u in broken if u[0] == ROOT or self.problem.block_of(self.family(u[3])) is not None}

    def shown_units(self, wanted: AbstractSet[Rank]) -> set[Rank]:
        shown = {self.last}
        for remaining, broken in self.states():
            if len(broken) == 1:
                shown |= broken
            unit = min(broken)
            if unit[0] == ROOT:
                continue
            family, kept = self.family(unit[3]), remaining - {u[3] for u in broken}
            if family == self.family(self.rivals()[0]) and any(
                self.family(identifier) == family for identifier in kept
            ):
                continue
            for other_unit in wanted:
                if other_unit[0] == BLOCK and self.family(other_unit[3]) == family and self.is_free(other_unit[3]):
                    shown |= (
                        {other_unit}
                        if self.broken(kept | {other_unit[3]}) | self.lacking(other_unit[3]) == {other_unit}
                        else set()
                    )
        return shown & wanted

    def is_free(self, member: Identifier) -> bool:
        """Return whether masked needs say everything about *member*, and that it is no rival."""
        masked = self.problem.masked.get(member)
        return masked is not None and self.last[1] not in masked.groups

    def lacking(self, member: Identifier) -> set[Rank]:
        """Return the needs of *member* for a family that does not count, unless the best candidate will do."""
        needs = [(u, need) for u, need in self.table.units_of(member)[0] if isinstance(need, Dependency)]
        return {u for u, n in needs if not self.counts(n.group or "") and not any(map(self.is_free, n.candidates[:1]))}


def test_it_names_what_removing_and_replacing_shows() -> None:
    """Each member or unit that it overlooks costs a question about the whole problem."""
    shown: Counter[str] = Counter()
    for seed in range(scaled(4000)):
        generator = random.Random(f"removals {seed}")
        problem = some_packages(generator)
        reached = [identifier for identifier, _ in reachable(problem)]
        complete = UnitTable(CachedProblem(problem), problem)
        groups = {group for identifier in reached for group in complete.groups_of(identifier)}
        units = {unit for identifier in reached for unit, _ in complete.units_of(identifier)[0]} | {
            unit for unit, _ in complete.roots
        }
        for group in sorted(groups):
            last = (GROUP, group)
            table = UnitTable(CachedProblem(problem), problem)
            # A search ranks as many blocks as it needs.
            sample = generator.sample(reached, generator.choice([0, len(reached) // 2, len(reached)]))
            for member in sample:
                table.ranks.rank_of(member)
            walk = masked_walk(table, last.__gt__, True, Budget())
            if not walk.is_witness:
                continue
            rotation = FamilyRotation(table, walk, last)
            members = {member_of(unit) for unit in units}
            ranked = {key for key in members if key[0] == ROOT or key[1] in map(table.ranks.explored, reached)}
            selected = frozenset(walk.selected)
            slow = _Slow(problem, complete, last, selected, None)
            expected = slow.shown_members() & ranked
            assert rotation.members(ranked) == expected, (seed, last)
            shown["members"] += len(expected)
            simple = {key for key in ranked if key[0] == ROOT or key[2:] == (0,)}
            share = generator.choice([0.6, 0.95])
            on = {last} | {key for key in sorted(simple) if generator.random() < share}
            wanted = {unit for unit in units if member_of(unit) in on} | {last}
            slow = _Slow(problem, complete, last, selected, on)
            expected = slow.shown_units(wanted) if slow.rivals() else set()
            assert rotation.units(on, wanted) == expected, (seed, last)
            shown["units"] += len(expected)
    assert min(shown.values()) > scaled(600), shown


def test_cores_of_other_parts_are_left_to_rotation_of_constraints() -> None:
    """A core with a prohibition or a second group may hold without what masked needs show, so nothing is named."""
    variables: dict[Identifier, list[Constraint]] = {
        "root 0": [Dependency(None, ("a.1", "a.0"), None, "package a")],
        "root 1": [Dependency(None, ("b.0",), None, "package b")],
        "a.0": [Exclusive("a.0", ("package a",)), Dependency("a.0", ("b.1",), None, "package b")],
        "a.1": [Exclusive("a.1", ("package a",)), Prohibited("a.1")],
        "b.0": [Exclusive("b.0", ("package b",))],
        "b.1": [Exclusive("b.1", ("package b",))],
    }
    families: dict[GroupName, Sequence[str]] = {"package a": ("a.1", "a.0"), "package b": ("b.0", "b.1")}
    masked: dict[Identifier, MaskedNeeds] = {
        "a.0": MaskedNeeds((("package b", 4),), ()),
        "b.0": MaskedNeeds((), ()),
        "b.1": MaskedNeeds((), ()),
    }
    problem = Blocks(variables, families, masked)
    table = UnitTable(CachedProblem(problem), problem)
    units = {unit for name in masked for unit, _ in table.units_of(name)[0]} | {unit for unit, _ in table.roots}
    last, ban = (GROUP, "package b"), table.units_of("a.1")[0][0][0]
    walk = masked_walk(table, last.__gt__, True, Budget())
    assert walk.is_witness
    assert list(walk.selected) == ["a.0", "b.0", "b.1"]
    rotation = FamilyRotation(table, walk, last)
    members = {*map(member_of, units), last}
    assert rotation.units(members, units | {last}) == units | {last}
    assert rotation.units(members | {ban}, units) == set()
    assert rotation.units(members | {(GROUP, "package a")}, units) == set()


def test_a_replacement_may_be_a_rival_too() -> None:
    """Masked needs leave out groups within a family, so nothing replaces a bundle beside a rival of the same family.

    f.3 needs g.0, which needs f.1. With f.4 in place of f.3, the API of f.2 and f.4 is broken as well as the need of
    f.4, and a core does without that need.
    """

    def need(subject: str, *candidates: str) -> Dependency:
        return Dependency(subject, candidates, None, f"package {candidates[0][0]}")

    needs = {"f.3": need("f.3", "g.0"), "f.4": need("f.4", "g.1"), "g.0": need("g.0", "f.1")}
    families: dict[GroupName, Sequence[str]] = {"package f": ("f.1", "f.2", "f.3", "f.4"), "package g": ("g.0", "g.1")}
    variables: dict[Identifier, list[Constraint]] = {
        "root 0": [Dependency(None, ("f.2",), None, "package f")],
        "root 1": [Dependency(None, ("f.3", "f.4"), None, "package f")],
    }
    masked: dict[Identifier, MaskedNeeds] = {}
    for group, names in families.items():
        for name in names:
            api = ["api"] * (name in ("f.1", "f.2", "f.4"))
            variables[name] = [Exclusive(name, (group, *api)), *([needs[name]] if name in needs else [])]
            masked[name] = MaskedNeeds((), ())
    masked["f.3"] = MaskedNeeds((("package g", 2),), ())
    masked["f.4"] = MaskedNeeds((("package g", 4),), ())
    masked["g.0"] = MaskedNeeds((("package f", 2),), ())
    problem = Blocks(variables, families, masked)
    table = UnitTable(CachedProblem(problem), problem)
    units = {unit for name in masked for unit, _ in table.units_of(name)[0]} | {unit for unit, _ in table.roots}
    last = (GROUP, "api")
    walk = masked_walk(table, last.__gt__, True, Budget())
    assert walk.is_witness
    assert list(walk.selected) == ["f.2", "f.3", "g.0", "f.1"]
    on = units | {last}
    named = FamilyRotation(table, walk, last).units({*map(member_of, on)}, on)
    assert named == on - {table.unit_of(needs["f.4"])}
    core = solve(problem)
    assert isinstance(core, Core)
    assert {constraint for constraint in core.constraints if isinstance(constraint, Dependency)} == {
        need for name, own in variables.items() for need in own if isinstance(need, Dependency) and name != "f.4"
    }


def _bundles(
    sizes: Mapping[str, int], roots: Sequence[Sequence[str]], needs: Mapping[str, Sequence[Sequence[str]]], guest: str
) -> Blocks:
    """Return packages of so many versions, the *roots* and *needs* of some; *guest* holds the group of package p."""

    def dependency(subject: str | None, candidates: Sequence[str]) -> Dependency:
        return Dependency(subject, tuple(candidates), None, f"package {candidates[0][0]}")

    families: dict[GroupName, Sequence[str]] = {
        f"package {name}": [f"{name}.{number}" for number in range(size)] for name, size in sizes.items()
    }
    variables: dict[Identifier, list[Constraint]] = {
        f"root {n}": [dependency(None, root)] for n, root in enumerate(roots)
    }
    masked: dict[Identifier, MaskedNeeds] = {}
    for group, names in families.items():
        for name in names:
            groups = ("package p",) if name == guest else ()
            own = [dependency(name, candidates) for candidates in needs.get(name, ())]
            variables[name] = [Exclusive(name, (group, *groups)), *own]
            bits = [
                (f"package {candidates[0][0]}", sum(2 << int(one[2:]) for one in candidates))
                for candidates in needs.get(name, ())
            ]
            masked[name] = MaskedNeeds(tuple(bits), groups)
    return Blocks(variables, families, masked)


def _named(problem: Blocks, about: str) -> set[tuple[Identifier, int]]:
    """Return the needs that rotation names by subject and number, if the needs *about* some packages are on."""
    table = UnitTable(CachedProblem(problem), problem)
    units = {unit for name, _ in reachable(problem) if str(name)[0] in about for unit, _ in table.units_of(name)[0]}
    units |= {unit for unit, _ in table.roots}
    last = (GROUP, "package p")
    walk = masked_walk(table, last.__gt__, True, Budget())
    assert walk.is_witness
    named = FamilyRotation(table, walk, last).units({last, *map(member_of, units)}, {last, *units})
    assert named >= {last, *(unit for unit, _ in table.roots)}
    return {(unit[3], unit[4]) for unit in named if unit[0] == BLOCK}


def test_the_best_candidate_stands_for_a_family_that_nothing_else_is_about() -> None:
    """a.1 takes the place of a.0, which needs p.0 beside p.1. Then its need of p.2 breaks alone, if that of x is met.

    The best version of x may be one that holds the broken group, too.
    """
    roots = [["a.0", "a.1"], ["p.1"]]
    for wanted, guest, is_met in [("01", "", True), ("01", "x.0", False), ("01", "x.1", True), ("1", "x.0", True)]:
        needs = {"a.0": [["p.0"]], "a.1": [["p.2"], [f"x.{number}" for number in wanted]]}
        problem = _bundles({"a": 2, "p": 3, "x": 2}, roots, needs, guest)
        assert _named(problem, "a") == {("a.0", 1), *([("a.1", 1)] if is_met else [])}, (wanted, guest)


def test_a_removed_bundle_needs_nothing() -> None:
    """s.0 and g.0 need each other, and g.0 needs p.0. Once both are gone, s.1 may come without regard to g.0."""
    needs = {"s.0": [["g.0"]], "s.1": [["g.1"]], "g.0": [["p.0"], ["s.0"]]}
    problem = _bundles({"s": 2, "g": 2, "p": 2}, [["s.0", "s.1"], ["p.1"]], needs, "")
    assert _named(problem, "sg") == {("s.0", 1), ("s.1", 1), ("g.0", 1)}
