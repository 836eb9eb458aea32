"""Small problems of families where dead ends are likely, and brute force over them in sets of bits.

A *world* gives each family a value: the bit of its member, ``2 << n`` for member *n*, or 1 for none.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from olmsolve.solver import Constraint, Dependency, Exclusive, GroupName, Identifier, MaskedNeeds, Root
from tests.solver.test_families import Packages

__all__ = ["Counted", "DensePackages", "World", "counted", "dense", "denser", "mask_of", "wants", "worlds"]

World = Mapping[GroupName, int]


class DensePackages(Packages):
    """Packages where dead ends are likely, so that backends walk them."""

    dense = True


def dense(generator: random.Random) -> DensePackages:
    """Three to six packages whose bundles need several others, in any versions; some share an API."""
    return _packages(generator, generator.randint(2, 5), generator.randint(3, 6), (0, 3), 0.4, in_runs=False)


def denser(generator: random.Random) -> DensePackages:
    """Six packages of five bundles, whose needs leave so many versions that most walks have several dead ends."""
    return _packages(generator, 5, 6, (2, 4), 0.6, in_runs=True)


def _packages(
    generator: random.Random, size: int, count: int, needs: tuple[int, int], share: float, *, in_runs: bool
) -> DensePackages:
    """*count* packages of *size* bundles with so many *needs*, each met by about this *share* of the versions.

    *in_runs*: in half of the needs, these versions stand side by side.
    """
    families: dict[GroupName, tuple[str, ...]] = {
        f"package {number}": tuple(f"{number}.{version}" for version in range(size)) for number in range(count)
    }
    variables: dict[Identifier, list[Constraint]] = {}
    masked: dict[Identifier, MaskedNeeds] = {}
    for number, group in enumerate(generator.sample(list(families), 2)):
        wanted = tuple(identifier for identifier in families[group] if generator.random() < 0.9) or families[group]
        variables[f"root {number}"] = [Dependency(None, wanted, f"root {number}", group)]
    for group, members in families.items():
        others = [other for other in families if other != group]
        for name in members:
            shared = (f"api {generator.randrange(2)}",) if generator.random() < 0.1 else ()
            own: list[Constraint] = [Exclusive(name, (group, *shared))]
            pairs: list[tuple[GroupName, int]] = []
            for target in generator.choices(others, k=generator.randint(*needs)):
                candidates = tuple(identifier for identifier in families[target] if generator.random() < share)
                if in_runs and generator.random() < 0.5:
                    first = generator.randint(0, size - len(candidates))
                    candidates = families[target][first : first + len(candidates)]
                own.append(Dependency(name, candidates, f"{name} needs {len(own)}", target))
                pairs.append((target, mask_of(families[target], candidates)))
            variables[name] = own
            masked[name] = MaskedNeeds(tuple(pairs), shared)
    return DensePackages(variables, families, masked)


class Counted(DensePackages):
    """Packages that count how often the masked needs of each member are *asked* for, since the last ones were made."""

    asked: ClassVar[Counter[Identifier]] = Counter()

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        self.asked[identifier] += 1
        return super().masked_needs(identifier)


def counted(
    sizes: Mapping[str, int], needs: Mapping[tuple[str, int], Sequence[tuple[str, int]]], roots: Iterable[str]
) -> Counted:
    """Packages by their *sizes*, with the *needs* of members by package and number; *roots* want any bundle of some."""
    members: dict[GroupName, tuple[str, ...]] = {
        name: tuple(f"{name}.{number}" for number in range(size)) for name, size in sizes.items()
    }
    variables: dict[Identifier, list[Constraint]] = {
        f"root {name}": [Dependency(None, members[name], None, name)] for name in roots
    }
    masked: dict[Identifier, MaskedNeeds] = {}
    for name in sizes:
        for number, member in enumerate(members[name]):
            own = needs.get((name, number), ())
            masked[member] = MaskedNeeds(tuple(own), ())
            variables[member] = [Exclusive(member, (name,))]
            for group, mask in own:
                candidates = tuple(member for n, member in enumerate(members[group]) if mask & 2 << n)
                variables[member].append(Dependency(member, candidates, None, group))
    Counted.asked.clear()
    return Counted(variables, members, masked)


def mask_of(members: Sequence[Identifier], candidates: Sequence[Identifier]) -> int:
    """The *candidates* among *members* as bits."""
    return sum(2 << members.index(candidate) for candidate in candidates)


def wants(problem: Packages, root: Root) -> tuple[GroupName, int]:
    """The family of *root* and the mask of its candidates."""
    assert isinstance(root, Dependency)
    assert root.group is not None
    return root.group, mask_of(problem.packages[root.group], root.candidates)


def worlds(problem: Packages, subjects: frozenset[Identifier] | None = None) -> list[World]:
    """Every world in which the constraints of all members, or of *subjects* alone, hold; none has to meet a root.

    Worlds grow family by family, and none grows in which a need cannot be met any more.
    """
    grown: list[dict[GroupName, int]] = [{}]
    for group, members in problem.packages.items():
        values = [1, *(2 << number for number in range(len(members)))]
        grown = [{**world, group: bit} for world in grown for bit in values]
        grown = [world for world in grown if _can_hold(problem, world, subjects)]
    return list(grown)


def _can_hold(problem: Packages, world: World, subjects: frozenset[Identifier] | None) -> bool:
    members = [problem.packages[group][bit.bit_length() - 2] for group, bit in world.items() if bit > 1]
    all_needs = [problem.masked[member] for member in members if subjects is None or member in subjects]
    shared = [group for masked in all_needs for group in masked.groups]
    return len(shared) == len(set(shared)) and all(
        world.get(group, -1) & mask for masked in all_needs for group, mask in masked.needs
    )
