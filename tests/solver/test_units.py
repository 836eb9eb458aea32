"""Units are the constraints of a problem in the order of cores, and cores list what their constraints mention."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, TypeAlias

from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
    Variables,
    choices_of,
    reachable,
)
from olmsolve.solver.units import GROUP, Rank, UnitTable, member_of
from tests.scale import scaled
from tests.solver.bulk import random_problem

_Own: TypeAlias = Dependency | Prohibited | Incompatible | Formula
_KINDS: Final = (Dependency, Prohibited, Incompatible, Formula)


class _Pairs(Variables):
    """A problem whose identifiers are in blocks of two: a and b, c and d, ..."""

    def block(self, identifier: Identifier) -> str:
        return str((ord(str(identifier)) - ord("a")) // 2)


def _problem(generator: random.Random) -> Variables:
    problem = random_problem(generator)
    return _Pairs(problem.variables) if generator.random() < 0.5 else problem


def _mentions(constraint: Constraint) -> Iterator[Identifier]:
    """The identifiers in *constraint*, exclusions and memberships apart, as its docstring names them."""
    if isinstance(constraint, Prohibited | Mandatory):
        yield constraint.subject
    elif isinstance(constraint, AtMost):
        yield from constraint.identifiers
    else:
        assert isinstance(constraint, Dependency | Incompatible | Formula)
        if constraint.subject is not None:
            yield constraint.subject
        if isinstance(constraint, Dependency):
            yield from constraint.candidates
        elif isinstance(constraint, Incompatible):
            yield constraint.other
        else:
            for choice in choices_of(constraint.tree):
                yield from choice.candidates


def _units(problem: Variables, table: UnitTable) -> dict[Rank, Constraint]:
    """All units but groups, in the order that :mod:`olmsolve.solver.core` documents: by block, kind and identifier."""
    units: dict[Rank, Constraint] = dict(table.roots)
    blocks: dict[str, list[_Own]] = {}
    for identifier, constraints in reachable(problem):
        blocks.setdefault(problem.block(identifier), []).extend(c for c in constraints if isinstance(c, _KINDS))
    for own in blocks.values():
        for constraint in sorted(own, key=lambda c: (_KINDS.index(type(c)), str(c.subject))):
            units[table.unit_of(constraint)] = constraint
    return units


def test_units_have_the_order_of_cores() -> None:
    """Roots as given, then block after block as a walk meets it, then groups; a block's dependencies are one member."""
    for seed in range(scaled(800)):
        problem = _problem(random.Random(f"order {seed}"))
        units = _units(problem, UnitTable(problem))
        assert list(units) == sorted(units)
        assert all(unit < (GROUP, "") for unit in units)
        members: dict[Rank, list[Constraint]] = {}
        for unit, constraint in units.items():
            members.setdefault(member_of(unit), []).append(constraint)
        for member, those in members.items():
            if member in units:
                assert those == [units[member]]
            else:
                assert len({problem.block(each.subject) for each in those if isinstance(each, Dependency)}) == 1
                assert all(isinstance(each, Dependency) for each in those)
        assert len(members) == len({_member(problem, constraint) for constraint in units.values()})


def _member(problem: Variables, constraint: Constraint) -> object:
    """What tells members apart."""
    if isinstance(constraint, Dependency) and constraint.subject is not None:
        return problem.block(constraint.subject)
    return id(constraint)


def test_a_core_lists_what_its_constraints_mention() -> None:
    """Groups and exclusions may have thousands of identifiers; a core lists those that its constraints speak of."""
    groups = narrowed = 0
    for seed in range(scaled(1600)):
        generator = random.Random(f"listed {seed}")
        problem = _problem(generator)
        table = UnitTable(problem)
        units = _units(problem, table)
        some = generator.sample(sorted(units), generator.randint(0, len(units)))
        *own, last, first = table.constraints([(GROUP, "Y"), *some, (GROUP, "X")])
        originals = [units[unit] for unit in sorted(some)]
        mentioned = list(dict.fromkeys(each for constraint in originals for each in _mentions(constraint)))
        for group, constraint in (("X", last), ("Y", first)):
            members = [each for each in mentioned if _is_in(problem, each, group)]
            assert constraint == AtMost(1, tuple(members))
            assert isinstance(constraint, AtMost)
            assert constraint.origin == group
            groups += len(members) > 1
        for constraint, original in zip(own, originals, strict=True):
            if isinstance(original, Formula):
                assert isinstance(constraint, Formula)
                assert (constraint.subject, constraint.origin) == (original.subject, original.origin)
                narrowed += _listed(constraint.tree, original.tree, mentioned)
            else:
                assert constraint is original
    assert min(groups, narrowed) > scaled(400)


def _is_in(problem: Variables, identifier: Identifier, group: str) -> bool:
    return any(group in each.groups for each in problem.variables[identifier] if isinstance(each, Exclusive))


def _listed(tree: Tree, original: Tree, mentioned: list[Identifier]) -> int:
    """Hold *tree* to *original* with fewer identifiers in its exclusions; return how many exclusions there are."""
    if isinstance(tree, Exclusion):
        assert isinstance(original, Exclusion)
        assert tree.excluded == Listed(tuple(each for each in mentioned if each in original.excluded))
        return 1
    if isinstance(tree, Choice):
        assert tree is original
        return 0
    if isinstance(tree, Every):
        assert isinstance(original, Every)
        pairs = list(zip(tree.parts, original.parts, strict=True))
    else:
        assert isinstance(original, FirstOf)
        pairs = [(one.tree, other.tree) for one, other in zip(tree.branches, original.branches, strict=True)]
    return sum(_listed(one, other, mentioned) for one, other in pairs)


def test_blocks_are_ranked_as_far_as_somebody_asks() -> None:
    """The walk goes on until it meets the block that is asked for, and no further; a branch is in no group."""
    names = "abcdefgh"
    variables: dict[Identifier, list[Constraint]] = {
        name: [Dependency(name, (following,))] for name, following in pairwise(names)
    }
    problem = Variables({"root": [Dependency(None, ("a",))], **variables, "h": []})
    table = UnitTable(problem)
    assert table.ranks.rank_of("c") == 2
    assert [table.ranks.explored(name) for name in names[:3]] == [0, 1, 2]
    assert table.ranks.explored("h") is None
    assert table.ranks.rank_of("h") == 7
    assert table.groups_of(Branch(Choice(("a",)))) == ()
