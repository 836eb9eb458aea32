"""Families as a walk sees them: domains, nogoods and roots mean in bits what they mean in values.

The bits are a contract between walks, judges and ladders, and a walk seldom has nogoods of three conditions: so these
tests look behind the door.
"""

from __future__ import annotations

import random
from itertools import permutations
from typing import Final

import pytest

from olmsolve.solver import AtMost, Budget, Dependency, GroupName, Identifier, Mandatory, MaskedNeeds, Root
from olmsolve.solver.family_domains import FamilyCondition, FamilyDomain, FamilyDomains, OutsideFamiliesError
from olmsolve.solver.glancing import bits_of
from tests.scale import scaled
from tests.solver.dense import DensePackages, mask_of


def test_the_domain_of_a_family_has_all_members() -> None:
    for length in range(5):
        members = [f"a.{number}" for number in range(length)]
        family = FamilyDomain("package a", members)
        assert [family.member(bit) for bit in bits_of(family.allowed)] == members


def test_a_nogood_rules_a_member_out_where_all_other_conditions_hold() -> None:
    """A family that must have a member takes one of its domain, any other family may have none: all ways are tried."""
    ruled_out = remaining = 0
    for seed in range(scaled(4000)):
        generator = random.Random(seed)
        family, *others = [FamilyDomain(name, [f"{name}.{number}" for number in range(2)]) for name in "abc"]
        given: list[tuple[int, dict[FamilyDomain, int]]] = []
        for _ in range(generator.randint(1, 3)):
            masks = {other: generator.randrange(1, 8) for other in others if generator.random() < 0.8}
            mask = generator.choice([0b010, 0b100, 0b110])
            conditions: list[FamilyCondition] = [*masks.items(), (family, mask)]
            generator.shuffle(conditions)
            family.nogoods.append((mask, conditions))
            given.append((mask, masks))
        for turn in range(8):
            if turn % 4 == 0:
                # A walk goes on, or takes selections back: what did not hold may hold now, and the other way round.
                for other in others:
                    other.wanted = generator.randrange(2)
                    other.allowed = generator.choice([0b110, 0b100, 0b010])
            bit = generator.choice([0b010, 0b100])
            expected = any(
                mask & bit and all(value & masks[other] for other in masks for value in _values(other))
                for mask, masks in given
            )
            assert family.is_refuted(bit) == expected, seed
            ruled_out += expected
            remaining += not expected
            if not expected:
                # The next member is often spared too, because what does not hold is looked at first.
                first = [conditions[0] for mask, conditions in family.nogoods if mask & bit]
                assert not any(all(value & mask for value in _values(other)) for other, mask in first)
    assert min(ruled_out, remaining) > 500


def _values(family: FamilyDomain) -> list[int]:
    """The values that *family* may still take."""
    return [*bits_of(family.allowed), *([] if family.wanted else [1])]


_MEMBERS: Final[dict[GroupName, tuple[str, ...]]] = {"package a": ("a.2", "a.1", "a.0"), "package b": ("b.1", "b.0")}
_NEEDS: Final[dict[Identifier, MaskedNeeds]] = {
    "a.2": MaskedNeeds((("package b", 0b110),), ("api",)),
    "a.1": MaskedNeeds((("package b", 0b010), ("package c", 0b010)), ()),
}


def _families(budget: Budget) -> FamilyDomains:
    return FamilyDomains(DensePackages({}, _MEMBERS, _NEEDS), budget)


@pytest.mark.parametrize("length", range(4))
def test_a_root_of_one_family_in_its_order_is_a_mask(length: int) -> None:
    """Bits have the order of the family, so a root that prefers another order, or several families, is no mask."""
    every = [*_MEMBERS["package a"], "b.1", "elsewhere"]
    for candidates in permutations(every, length):
        families = _families(Budget())
        in_order = [member for member in _MEMBERS["package a"] if member in candidates]
        if candidates and list(candidates) in (in_order, ["b.1"]):
            family, mask = families.of_root(Dependency(None, candidates))
            assert family.group == f"package {candidates[0][0]}"
            assert mask == mask_of(family.members, candidates)
        else:
            with pytest.raises(OutsideFamiliesError):
                families.of_root(Dependency(None, candidates))


@pytest.mark.parametrize("root", [Mandatory("a.1"), AtMost(1, ("a.2", "a.1"))], ids=str)
def test_other_roots_are_no_masks(root: Root) -> None:
    with pytest.raises(OutsideFamiliesError):
        _families(Budget()).of_root(root)


def test_families_are_met_once_and_their_members_counted() -> None:
    """A walk counts the members whose needs it has read: each is one candidate that it looked at."""
    budget = Budget()
    families = _families(budget)
    first = families.family("package a")
    needs, groups = families.needs(first, 0b010)
    second = families.family("package b")
    assert needs == [(second, 0b110)]
    assert groups == ("api",)
    assert families.needs(first, 0b010) == (needs, groups)
    assert families.family("package a") is first
    assert families.met == [first, second]
    assert families.members == 5
    assert budget.trace.candidates == 1


@pytest.mark.parametrize("bit", [0b100, 0b1000], ids=["a need for no family", "a member without masked needs"])
def test_what_families_do_not_describe_is_refused(bit: int) -> None:
    families = _families(Budget())
    with pytest.raises(OutsideFamiliesError):
        families.needs(families.family("package a"), bit)
