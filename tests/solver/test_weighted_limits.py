"""Limits with weights (pseudo-Boolean constraints), on every kind of engine, against brute force."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

import pytest

from olmsolve.errors import RequestError
from olmsolve.solver import (
    AtMost,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Solution,
    Variables,
    solve,
)
from olmsolve.solver.clauses import CNF

NAMES = "abcdefgh"
BACKENDS = ("deciding", "minisat22", "cadical153", "python")


def _problem(chance: random.Random) -> Variables:
    """Return a problem with choices at the roots and below, groups, bans, and one or two limits with weights."""
    variables: dict[Identifier, list[Constraint]] = {name: [] for name in NAMES}
    for name in NAMES:
        match chance.randrange(6):
            case 0:
                variables[name].append(Prohibited(name))
            case 1:
                variables[name].append(Incompatible(name, chance.choice(NAMES.replace(name, ""))))
            case 2 | 3:
                wanted = tuple(chance.sample(NAMES.replace(name, ""), chance.randint(1, 3)))
                variables[name].append(Dependency(name, wanted))
        if chance.random() < 0.4:
            variables[name].append(Exclusive(name, (chance.choice("xy"),)))
    roots: list[Constraint] = [
        Dependency(None, tuple(chance.sample(NAMES, chance.randint(1, 4)))) for _ in range(chance.randint(1, 3))
    ]
    for _ in range(chance.randint(1, 2)):
        members = tuple(chance.sample(NAMES, chance.randint(3, 8)))
        weights = tuple(chance.randint(0, 9) for _ in members)
        roots.append(AtMost(chance.randint(0, max(1, sum(weights) // 2)), members, weights=weights))
    variables["roots"] = roots
    return Variables(variables)


def _holds(constraints: Iterable[Constraint], selected: frozenset[Identifier]) -> bool:
    """Return whether *selected* meets *constraints*; sums are added up here, apart from the code under test."""
    members: dict[object, int] = {}
    for constraint in constraints:
        if isinstance(constraint, AtMost) and constraint.weights:
            pairs = zip(constraint.identifiers, constraint.weights, strict=True)
            if sum(weight for identifier, weight in pairs if identifier in selected) > constraint.limit:
                return False
        elif isinstance(constraint, Exclusive):
            if constraint.subject in selected:
                for group in constraint.groups:
                    members[group] = members.get(group, 0) + 1
        elif constraint.broken_by(selected):
            return False
    return max(members.values(), default=0) < 2


def _preferred(problem: Variables, valid: Sequence[frozenset[Identifier]]) -> tuple[Identifier, ...] | None:
    """Return the preferred selection by its definition: a choice takes the first candidate that a valid one has."""
    if not valid:
        return None
    selected: list[Identifier] = []
    queue = [root.candidates for root in problem.roots if isinstance(root, Dependency)]
    for candidates in queue:
        if any(candidate in selected for candidate in candidates):
            continue
        chosen = next(c for c in candidates if any(s.issuperset((*selected, c)) for s in valid))
        selected.append(chosen)
        queue.extend(
            constraint.candidates for constraint in problem.constraints(chosen) if isinstance(constraint, Dependency)
        )
    return tuple(selected)


def test_every_engine_finds_what_brute_force_finds() -> None:
    """The preferred solution, or one minimal core, the same on each backend; a limit in a core names no others."""
    selections = [frozenset(c) for n in range(9) for c in itertools.combinations(NAMES, n)]
    outcomes = {Solution: 0, Core: 0}
    blamed = 0
    for seed in range(120):
        problem = _problem(random.Random(seed))
        every = list(itertools.chain.from_iterable(problem.variables.values()))
        valid = [selected for selected in selections if _holds(every, selected)]
        preferred = _preferred(problem, valid)
        answers = [solve(problem, backend=backend) for backend in BACKENDS]
        assert all(answer == answers[0] for answer in answers), seed
        answer = answers[0]
        outcomes[type(answer)] += 1
        if isinstance(answer, Solution):
            assert answer.selected == preferred, seed
            assert CNF(problem).first_broken(set(answer.selected)) is None
            continue
        assert preferred is None, seed
        assert not any(_holds(answer.constraints, selected) for selected in selections)
        blamed += any(isinstance(constraint, AtMost) and bool(constraint.weights) for constraint in answer.constraints)
        for left_out in answer.constraints:
            others = [constraint for constraint in answer.constraints if constraint is not left_out]
            assert any(_holds(others, selected) for selected in selections), (seed, left_out)
    assert min(outcomes.values()) > 20
    assert blamed > 15


def test_clauses_say_exactly_what_the_sum_says() -> None:
    """A selection meets the clauses where it meets the sum, and the first broken clause belongs to the limit."""
    for seed in range(40):
        chance = random.Random(seed)
        weights = tuple(chance.choice((0, 1, 2, 3, 5, 10, 64)) for _ in NAMES)
        limit = AtMost(chance.randint(0, sum(weights)), tuple(NAMES), weights=weights)
        cnf = CNF(Variables({name: [limit] if name == "a" else [] for name in NAMES}))
        for n in range(9):
            for chosen in itertools.combinations(NAMES, n):
                total = sum(weights[NAMES.index(name)] for name in chosen)
                broken = cnf.first_broken(set(chosen))
                assert (broken is None) == (total <= limit.limit)
                assert broken is None or broken[1].constraint is limit


def test_weights_are_checked() -> None:
    """A list that is too short, or a negative weight, which is no pseudo-Boolean limit of this kind."""
    for weights in ((1,), (1, -1)):
        with pytest.raises(ValueError, match="weights must be one for each identifier, and not below 0"):
            AtMost(2, ("a", "b"), weights=weights)


def test_words() -> None:
    """A limit with weights reads as the sum that it is."""
    assert str(AtMost(64, ("a", "b"), weights=(40, 30))) == "40 a + 30 b is at most 64"


def test_too_many_sums_are_refused_before_they_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default engine needs no clauses, so it answers; clauses for each possible sum would take gigabytes."""
    names = tuple(f"n{number:02}" for number in range(60))
    chance = random.Random(0)
    weights = tuple(chance.randint(2**40, 2**41) for _ in names)
    limit = AtMost(weights[3] + weights[58], names, weights=weights)
    variables: dict[Identifier, list[Constraint]] = {name: [] for name in names}
    variables["roots"] = [limit, Mandatory("n03"), Dependency(None, ("n59", "n58"))]
    answer = solve(Variables(variables))
    assert isinstance(answer, Solution)
    assert answer.selected == ("n03", "n59" if weights[59] <= weights[58] else "n58")
    monkeypatch.setattr("olmsolve.solver.counters._MOST_ROOMS", 500)
    with pytest.raises(RequestError, match="too many sums for clauses"):
        CNF(Variables(variables))
