"""What nogoods rest on: other nogoods, and in the end constraints and groups, each of which is found once.

Small problems are refuted with a few nogoods; so these tests look behind the door, at longer rows of their own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from olmsolve.solver import Branch, Choice, Constraint, Formula, GroupName, Prohibited
from olmsolve.solver.deciding.analysis import blame
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.engine import _holds
from olmsolve.solver.deciding.nogoods import Nogood
from tests.scale import scaled

_GROUPS: list[GroupName] = ["a", "b", ("api", "c"), ("api", "d")]
_BRANCH = Branch(Choice(("x",)))
_OF_BRANCH = Formula(_BRANCH, _BRANCH.tree)


def _source(generator: random.Random) -> Constraint | Shared:
    if generator.random() < 0.1:
        return _OF_BRANCH
    constraint = Prohibited(generator.randrange(100))
    return Shared(constraint, generator.choice(_GROUPS)) if generator.random() < 0.2 else constraint


def _origin(generator: random.Random, earlier: list[Nogood]) -> object:
    """Return what a step of an analysis may rest on: a group, a need, a nogood, a constraint, or nothing."""
    kind = generator.randrange(8)
    if kind < 3 and earlier:
        return generator.choice(earlier)
    if kind == 3:
        return generator.choice(_GROUPS)
    if kind == 4:
        return Need(0, 0b10, (), "subject", _source(generator), None)
    return None if kind == 5 else _source(generator)


def _nogoods(generator: random.Random) -> list[Nogood]:
    """Return nogoods that rest on earlier ones, each on several, and on the variables of groups."""
    nogoods: list[Nogood] = []
    for number in range(10):
        steps = [
            (generator.choice([-1, -1, *range(len(_GROUPS))]), _origin(generator, nogoods))
            for _ in range(generator.randint(1, 3))
        ]
        nogoods.append(Nogood([(0, number)], steps if generator.random() < 0.8 else _source(generator)))
    return nogoods


def _rests_on(nogood: Nogood) -> Iterator[Constraint | GroupName]:
    """Yield the constraints and groups at the end, by plain recursion."""
    steps = nogood.source if isinstance(nogood.source, list) else [(-1, nogood.source)]
    for variable, origin in steps:
        if variable >= 0:
            yield _GROUPS[variable]
        if isinstance(origin, Nogood):
            yield from _rests_on(origin)
            continue
        source = origin.source if isinstance(origin, Need) else origin
        if isinstance(source, Shared):
            yield from (source.group, source.constraint)
        elif source is not None:
            assert isinstance(source, Constraint | str | tuple)
            yield source


def test_a_nogood_rests_on_all_that_its_nogoods_rest_on() -> None:
    """A core that leaves one out is none, and a nogood that rests on a lost group does not hold without it."""
    domains = Domains()
    for group in _GROUPS:
        domains.new(group)
    kept = 0
    for seed in range(scaled(2400)):
        generator = random.Random(f"sources {seed}")
        lost = frozenset(generator.sample(_GROUPS, 1))
        gone = {_GROUPS.index(group) for group in lost}
        verdicts: dict[int, bool] = {}
        for nogood in generator.sample(nogoods := _nogoods(generator), len(nogoods)):
            basis = list(_rests_on(nogood))
            holds = lost.isdisjoint(basis) and _OF_BRANCH not in basis
            kept += holds
            assert _holds(nogood, gone, lost, verdicts) is holds, seed
            blamed = blame(domains, nogood, _GROUPS.index, lambda need: need.source)
            assert {*blamed.constraints, *blamed.groups, *blamed.broken} == set(basis), seed
    assert scaled(2400) < kept < scaled(2400) * 9


def test_a_nogood_that_many_rest_on_is_read_once() -> None:
    """Each nogood rests on the one before twice, so that sixty of them have more ways down than a computer can go."""
    nogood = Nogood([], Prohibited("x"))
    for _ in range(60):
        nogood = Nogood([], [(-1, nogood), (-1, nogood)])
    assert blame(Domains(), nogood, lambda _: None, lambda need: need.source).constraints == [Prohibited("x")]
    assert _holds(nogood, frozenset(), frozenset(), {})
