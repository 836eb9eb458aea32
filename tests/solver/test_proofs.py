"""Refutations by learned clauses: each step follows by unit propagation, and limits hold to the conflict."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import pytest
from pysat.solvers import Solver

from olmsolve import Incomplete, limited
from olmsolve.solver.backends import find

Clause = Sequence[int]


def learned(clauses: Iterable[Clause], **limits: Any) -> Sequence[Clause] | None:
    """Return the steps that a solver learns until *clauses* are refuted, within *limits*."""
    prove = find("glucose4").prove
    assert prove is not None
    with limited(**limits):
        return prove(list(clauses))


def _pigeons(holes: int) -> list[Clause]:
    """One pigeon more than *holes*: no clause is a contradiction by itself, so clauses have to be learned."""
    pigeons = [[hole + 1 + pigeon * holes for hole in range(holes)] for pigeon in range(holes + 1)]
    return [*pigeons, *([-a, -b] for hole in zip(*pigeons, strict=True) for a, b in combinations(hole, 2))]


def _propagates(clauses: Iterable[Clause], assumed: Iterable[int]) -> bool:
    """Return whether unit propagation from *assumed* ends in an empty clause."""
    true = set(assumed)
    pending = [set(clause) for clause in clauses]
    while True:
        open_ = [{literal for literal in clause if -literal not in true} for clause in pending if not clause & true]
        if set() in open_:
            return True
        units = {next(iter(clause)) for clause in open_ if len(clause) == 1}
        if not units:
            return False
        if any(-unit in units for unit in units):
            return True
        true |= units
        pending = open_


def _is_proof(clauses: Sequence[Clause], steps: Sequence[Clause]) -> bool:
    known = list(clauses)
    for step in steps:
        if not _propagates(known, [-literal for literal in step]):
            return False
        known.append(step)
    return _propagates(known, ())


@pytest.mark.parametrize("limits", [{}, {"timeout": 600.0}, {"conflicts": 100_000}], ids=repr)
def test_every_step_follows(limits: dict[str, Any]) -> None:
    """A checker knows unit propagation only; limits cut the work into slices and change no proof into none."""
    for holes in (2, 4):
        steps = learned(_pigeons(holes), **limits)
        assert steps
        assert _is_proof(_pigeons(holes), steps)
    assert learned(_pigeons(3)[1:], **limits) is None


def test_random_clauses_are_refuted_or_can_hold() -> None:
    """Brute force over six variables says which of them."""
    generator = random.Random(7)
    refuted = 0
    for _ in range(60):
        clauses = [
            [variable * generator.choice((1, -1)) for variable in generator.sample(range(1, 7), 3)] for _ in range(30)
        ]
        models = ([n if bits & 1 << n - 1 else -n for n in range(1, 7)] for bits in range(64))
        satisfiable = any(all(set(clause) & set(model) for clause in clauses) for model in models)
        steps = learned(clauses)
        assert (steps is None) == satisfiable
        assert steps is None or _is_proof(clauses, steps)
        refuted += not satisfiable
    assert 5 < refuted < 55


def test_the_limit_of_conflicts_counts_from_the_first() -> None:
    """One conflict is enough where units contradict each other; a hard problem ends after the last slice."""
    assert learned([[1], [-1, 2], [-2]], conflicts=1) is not None
    for conflicts in (1, 60):
        with pytest.raises(Incomplete, match="conflict"):
            learned(_pigeons(7), conflicts=conflicts)


def test_without_limits_there_is_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each slice starts from the top again, which takes longer and learns other clauses."""

    def unsliced(*_: object, **__: object) -> None:
        raise AssertionError("a slice")

    monkeypatch.setattr(Solver, "solve_limited", unsliced)
    steps = learned(_pigeons(3))
    assert steps
    assert _is_proof(_pigeons(3), steps)
    with pytest.raises(AssertionError, match="a slice"):
        learned(_pigeons(3), conflicts=100)
