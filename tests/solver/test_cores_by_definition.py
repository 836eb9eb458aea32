"""The core of a problem is the one of its definition, on every way to it: brute force finds the same, part by part.

Each way asks its questions about some parts of a problem in views, walks, rotations and encodings of its own. A part
too many in one of them, one too few, or a part that is wrongly taken for needed, shows in some core of these problems.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest

from olmsolve.solver import (
    Branch,
    Budget,
    Choice,
    Constraint,
    Core,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Listed,
    Tree,
    Variables,
    reachable,
    solve,
)
from olmsolve.solver.backends import PORTABLE
from tests.scale import scaled
from tests.solver.bulk import random_problem
from tests.solver.core_problems import Blocks, in_families, layered, some_packages, with_outsiders
from tests.solver.dense import dense
from tests.solver.problems import DenseVariables
from tests.solver.test_families import Packages, packages
from tests.solver.truth_tables import core_by_definition

_MOST = 14
"""Candidates of a problem: 16,384 sets, tried in about a millisecond."""


class _Pairs(Variables):
    """A problem whose identifiers are in blocks of two: a and b, c and d, ..."""

    def block(self, identifier: Identifier) -> str:
        return str((ord(str(identifier)) - ord("a")) // 2)


class _DensePairs(_Pairs):
    dense = True


def _plain(generator: random.Random) -> Variables:
    names = generator.choice(["abcdef", "abcdefgh", "abcdefghijk"])
    problem = random_problem(generator, names, formulas=generator.random() < 0.5)
    return generator.choice([Variables, _Pairs])(problem.variables)


def _dense(generator: random.Random) -> Variables:
    return generator.choice([DenseVariables, _DensePairs])(_plain(generator).variables)


def _formulas(generator: random.Random) -> Variables:
    """Return a problem of formulas with branches inside branches."""
    names = "abcdef"

    def tree(levels: int) -> Tree:
        chosen = tuple(generator.sample(names, generator.randint(1, 2)))
        if not levels:
            return Exclusion(Listed(chosen)) if generator.random() < 0.4 else Choice(chosen)
        parts = tuple(tree(levels - 1) for _ in range(2))
        return Every(parts) if generator.random() < 0.3 else FirstOf(tuple(map(Branch, parts)))

    variables = dict(random_problem(generator, names, formulas=False).variables)
    for name in generator.sample(names, 4):
        formula = Formula(name, tree(generator.randint(1, 3)))
        variables[name] = [*variables[name], formula]
    return generator.choice([Variables, DenseVariables])(variables)


def _groups(generator: random.Random) -> Variables:
    """Return a dense problem whose candidates are in several groups each, some of which are in its core."""
    names = "abcdefgh"
    variables: dict[Identifier, list[Constraint]] = {}
    for number in range(generator.randint(2, 4)):
        variables[f"root {number}"] = [Dependency(None, tuple(generator.sample(names, generator.randint(1, 3))))]
    for name in names:
        groups = tuple(generator.sample("VWXYZ", generator.randint(1, 3)))
        variables[name] = [Exclusive(name, groups)]
        for _ in range(generator.choice([0, 1, 1, 2])):
            others = [other for other in names if other != name]
            variables[name].append(Dependency(name, tuple(generator.sample(others, generator.randint(1, 3)))))
    return DenseVariables(variables)


def _layers(generator: random.Random) -> Variables:
    problem = layered(generator, generator.choice([2, 3]), 2)
    return generator.choice([Variables, DenseVariables])(problem.variables)


def _families(generator: random.Random) -> Variables:
    problem = packages(generator, *generator.choice([(3, 2), (3, 3), (4, 2), (5, 2)]))
    return generator.choice([Packages, Blocks])(problem.variables, problem.packages, problem.masked)


_KINDS: Mapping[str, Callable[[random.Random], Variables]] = {
    "constraints": _plain,
    "dense": _dense,
    "groups": _groups,
    "formulas": _formulas,
    "outsiders": with_outsiders,
    "layers": _layers,
    "layers in families": lambda generator: in_families(layered(generator, generator.choice([2, 3]), 2)),
    "families": _families,
    "some packages": some_packages,
    "dense families": dense,
}


def _problems(kind: str, count: int) -> Iterator[Variables]:
    for seed in range(count):
        generator = random.Random(f"{kind} {seed}")
        while len(list(reachable(problem := _KINDS[kind](generator)))) > _MOST:
            pass
        yield problem


@pytest.mark.parametrize("kind", _KINDS)
def test_a_core_is_that_of_its_definition(kind: str) -> None:
    """Without and with a SAT solver: the same parts in the same order, each listing what the core mentions."""
    cores: Counter[int] = Counter()
    for seed, problem in enumerate(_problems(kind, scaled(1600))):
        expected = core_by_definition(problem)
        for backend in ("deciding", PORTABLE):
            budget = Budget()
            answer = solve(problem, backend=backend, budget=budget)
            core = answer.constraints if isinstance(answer, Core) else None
            assert repr(core) == repr(expected), (kind, seed, backend)
            if backend == "deciding" and getattr(problem, "dense", False):
                # The engine asks a SAT solver only where its own answers lead nowhere for hundreds of conflicts.
                assert budget.trace.calls == 0, (kind, seed)
        cores[0 if expected is None else len(expected)] += 1
    # Each kind has many cores of two parts and more, and most have solutions too.
    assert sum(count for parts, count in cores.items() if parts) > scaled(320), cores
    assert sum(count for parts, count in cores.items() if parts > 3) > scaled(160), cores
