"""Random small problems in bulk: cheaper than hypothesis' by far, so that thousands of them cost seconds."""

from __future__ import annotations

import random
from collections.abc import Sequence

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
)

__all__ = ["random_problem"]

_GROUPS = ("X", "Y", "Z")


def random_problem(generator: random.Random, names: str = "abcdefgh", *, formulas: bool = True) -> Variables:
    """A problem over *names* with every kind of constraint, dependencies that name their group among them."""
    return _Writer(generator, names, formulas).problem()


class _Writer:
    def __init__(self, generator: random.Random, names: str, formulas: bool) -> None:
        self._random = generator
        self._names = names
        self._formulas = formulas
        self._groups: dict[str, tuple[str, ...]] = {}
        for name in names:
            groups = [group for group in _GROUPS if self._chance(0.35)]
            generator.shuffle(groups)
            self._groups[name] = tuple(groups)

    def problem(self) -> Variables:
        variables: dict[Identifier, list[Constraint]] = {}
        for number in range(self._random.randint(1, 4)):
            variables[f"root {number}"] = [self._dependency(None, self._some(1, 3))]
        if self._chance(0.2):
            variables["root limit"] = [AtMost(self._random.randint(0, 3), self._some(2, 5))]
        for name in self._names:
            variables[name] = self._constraints(name)
        return Variables(variables)

    def _constraints(self, name: str) -> list[Constraint]:
        own: list[Constraint] = []
        if self._chance(0.08):
            own.append(Prohibited(name))
        if self._chance(0.06):
            own.append(Mandatory(name))
        if self._groups[name]:
            own.append(Exclusive(name, self._groups[name]))
        if self._chance(0.2):
            own.append(Incompatible(name, self._random.choice(self._names)))
        while self._chance(0.5):
            own.append(self._dependency(name, self._some(0 if self._chance(0.05) else 1, 3)))
        if self._formulas and self._chance(0.25):
            own.append(Formula(name, self._tree(3)))
        return own

    def _dependency(self, subject: str | None, candidates: Sequence[str]) -> Dependency:
        shared = [group for group in _GROUPS if all(group in self._groups[name] for name in candidates)]
        if self._chance(0.4):
            group = self._random.choice(_GROUPS)
            members = [name for name in self._names if group in self._groups[name]]
            if members:
                candidates, shared = self._random.sample(members, self._random.randint(1, len(members))), [group]
        group_named = shared[0] if candidates and shared and self._chance(0.8) else None
        return Dependency(subject, tuple(candidates), None, group_named)

    def _tree(self, levels: int) -> Tree:
        if levels > 1 and self._chance(0.5):
            parts = tuple(self._tree(levels - 1) for _ in range(self._random.randint(2, 3)))
            return Every(parts) if self._chance(0.4) else FirstOf(tuple(map(Branch, parts)))
        if self._chance(0.35):
            return Exclusion(Listed(self._some(0, 2)))
        return Choice(self._some(0 if self._chance(0.1) else 1, 3))

    def _some(self, least: int, most: int) -> tuple[str, ...]:
        return tuple(self._random.sample(self._names, self._random.randint(least, most)))

    def _chance(self, likelihood: float) -> bool:
        return self._random.random() < likelihood
