"""Masked needs say what the constraints say: reading either gives the same answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import attrs

from olmsolve.solver import (
    Branch,
    Choice,
    Constraint,
    Core,
    Dependency,
    Exclusion,
    Exclusive,
    FamilyView,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    MaskedNeeds,
    Prohibited,
    Run,
    Variables,
    attempt,
    solve,
)
from olmsolve.solver.backends import PORTABLE
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.engines import decided_solution


@attrs.frozen
class Packages(Variables):
    """A problem of *packages*, each a family; *masked* for most of their members."""

    packages: Mapping[GroupName, Sequence[str]]
    masked: Mapping[Identifier, MaskedNeeds]

    def family(self, group: GroupName) -> Sequence[Identifier] | None:
        return self.packages.get(group)

    def family_of(self, identifier: Identifier) -> tuple[GroupName, int] | None:
        assert not isinstance(identifier, Branch), "the problem does not know branches"
        for group, members in self.packages.items():
            if identifier in members:
                return group, members.index(str(identifier))
        return None

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        assert not isinstance(identifier, Branch), "the problem does not know branches"
        return self.masked.get(identifier)

    def needs_in_runs(self, group: GroupName) -> Sequence[Sequence[Run] | None] | None:
        return [self._runs(self.masked.get(member)) for member in self.packages[group]]

    def needs_by_target(
        self, group: GroupName, mask: int
    ) -> Sequence[tuple[GroupName, Sequence[tuple[int, int, int]]]] | None:
        by_target: dict[GroupName, list[tuple[int, int, int]]] = {}
        for position, member in enumerate(self.packages[group]):
            if not mask & 2 << position:
                continue
            masked = self.masked.get(member)
            if masked is None:
                return None
            for number, (target, needed) in enumerate(masked.needs):
                by_target.setdefault(target, []).append((needed, 2 << position, number))
        return list(by_target.items())

    def _runs(self, masked: MaskedNeeds | None) -> list[Run] | None:
        if masked is None or masked.groups:
            return None
        runs = []
        for group, mask in masked.needs:
            numbers = [number for number in range(len(self.packages[group])) if mask & 2 << number]
            first, end = (numbers[0], numbers[-1] + 1) if numbers else (0, 0)
            if end - first != len(numbers):
                return None
            runs.append((group, first, end))
        return runs

    def block_of(self, group: GroupName) -> str | None:
        return None

    def origins(self, identifier: Identifier) -> Sequence[object]:
        return [c.origin for c in self.variables[identifier] if isinstance(c, Dependency)]

    @property
    def families(self) -> FamilyView:
        return self


def packages(generator: random.Random, count: int, size: int, *, odd_share: float = 0.1) -> Packages:
    """*count* packages of *size* bundles, some with needs that masks cannot say; one bundle is outside its family.

    Those that have another constraint, which masks cannot say either, are *odd_share* of all.

    Some packages have an API that no other package provides. Masked needs leave it out, because the package's own group
    says more.
    """
    families: dict[GroupName, Sequence[str]] = {
        f"package {number}": tuple(f"{number}.{version}" for version in range(size)) for number in range(count)
    }
    odd = f"package {generator.randrange(count)}"
    everyone = [name for members in families.values() for name in members]
    variables: dict[Identifier, list[Constraint]] = {}
    masked: dict[Identifier, MaskedNeeds] = {}
    for _ in range(generator.randint(1, 3)):
        group, members = generator.choice(list(families.items()))
        wanted = tuple(generator.sample(members, generator.randint(1, size)))
        # A request may want what no dependency can have: see "extra" below.
        extra = ("extra",) * (group == odd and generator.random() < 0.5)
        variables[f"root {len(variables)}"] = [Dependency(None, (*wanted, *extra), None, group)]
    variables["extra"] = [Exclusive("extra", (odd,))]
    for group, members in families.items():
        # With every member in it, the API is the group that cores name.
        share = generator.choice([0, 0, 0.6, 1])
        for name in members:
            groups = [f"api {generator.randrange(3)}"] if generator.random() < 0.2 else []
            inner = [f"api of {group}"] if generator.random() < share else []
            own: list[Constraint] = [Exclusive(name, (group, *groups, *inner))]
            needs: list[tuple[GroupName, int]] = []
            plain = generator.random() < 0.9
            for _ in range(generator.randint(0, 3)):
                target, others = generator.choice(list(families.items()))
                wanted = tuple(other for other in others if generator.random() < 0.5)
                if target != group and generator.random() < 0.95:
                    needs.append((target, sum(2 << others.index(other) for other in wanted)))
                else:
                    plain = False
                    wanted = tuple(generator.sample(wanted, len(wanted)))
                own.append(Dependency(name, wanted, None, target))
            if generator.random() < odd_share:
                plain = False
                own.append(_odd(generator, name, everyone))
            if plain:
                masked[name] = MaskedNeeds(tuple(needs), tuple(groups))
            variables[name] = own
    if generator.random() < 0.2:
        name = generator.choice(everyone)
        variables[name].append(Mandatory(name))
    return Packages(variables, families, masked)


def _odd(generator: random.Random, name: str, everyone: Sequence[str]) -> Constraint:
    """What masked needs cannot say."""
    others = tuple(generator.sample(everyone, 2))
    odd: list[Constraint] = [
        Prohibited(name),
        Incompatible(name, others[0]),
        Formula(name, Choice(others)),
        Formula(name, FirstOf((Branch(Choice(others[:1])), Branch(Exclusion(Listed(others[1:])))))),
        Dependency(name, others),
    ]
    return generator.choice(odd)


def test_families_change_no_solution() -> None:
    """Brute force, the portable search and the engine without a view of families give the same solution."""
    satisfiable = 0
    for seed in range(scaled(2000)):
        problem = packages(random.Random(seed), 4, 3)
        with_families = decided_solution(problem, families=problem.families)
        assert with_families == decided_solution(problem), seed
        if seed < 500:
            expected = oracle.preferred(problem)
            assert (None if with_families is None else list(with_families.selected)) == expected, seed
        satisfiable += with_families is not None
    assert scaled(500) < satisfiable < scaled(1700)


def test_families_change_no_solution_of_larger_problems() -> None:
    """Here conflicts have many levels, and variables many candidates."""
    satisfiable = 0
    for seed in range(scaled(400)):
        problem = packages(random.Random(f"larger {seed}"), 20, 8)
        with_families = decided_solution(problem, families=problem.families)
        assert with_families == attempt(problem, backend=PORTABLE), seed
        satisfiable += with_families is not None
    assert satisfiable > scaled(100)


def test_families_change_no_core() -> None:
    """Cores agree too, although a view hands families on only where all blocks are on, and without lost groups."""
    cores = 0
    for seed in range(scaled(1500)):
        problem = packages(random.Random(f"cores {seed}"), 5, 3)
        answer = solve(problem)
        assert repr(answer) == repr(solve(problem, backend=PORTABLE)), seed
        cores += isinstance(answer, Core)
    assert cores > scaled(300)
