"""Questions on the way to a core: most are answered without a solver, which counts of work show.

The core is the same however many questions are asked (see ``test_cores_by_definition``).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Prohibited,
    Variables,
    solve,
)
from olmsolve.solver.backends import PORTABLE, Backend, PythonSolver
from tests.scale import scaled
from tests.solver.checks import Checks
from tests.solver.core_problems import in_families, layered
from tests.solver.problems import DenseVariables


class _Together(DenseVariables):
    """A dense problem in which a and d are one block."""

    def block(self, identifier: Identifier) -> str:
        return "ad" if identifier in ("a", "d") else str(identifier)


@pytest.mark.parametrize(
    ("last", "kind"),
    [(Prohibited("d"), DenseVariables), (Prohibited("d"), _Together), (Dependency("d", ()), DenseVariables)],
    ids=["a prohibition", "a prohibition in a block of two", "a need"],
)
def test_what_the_last_part_frees_is_tried_first(last: Constraint, kind: type[DenseVariables]) -> None:
    """Without the last part of the core d can be selected, and a cannot: its b is prohibited, which shows a step later.

    A walk that tried a first would come to a dead end, and leave the question to the engine, whose own dead end counts.
    """
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root 0": [Dependency(None, ("b", "z"))],
        "root 1": [Dependency(None, ("a", "d"))],
        "a": [Dependency("a", ("b",))],
        "b": [Prohibited("b")],
        "d": [last],
        "z": [],
    }
    budget = Budget()
    answer = solve(kind(variables), budget=budget)
    assert isinstance(answer, Core)
    assert len(answer.constraints) == 4
    assert last in answer.constraints
    # The problem is refuted in one dead end, and no question has another one.
    assert budget.trace.conflicts == 1


def _layers(size: int) -> dict[Identifier, Sequence[Constraint]]:
    """Return four packages of *size* versions, each of which needs any of the next package; the last are prohibited.

    Every version is needed for the core, and so is the root.
    """
    versions = [tuple(f"{package}.{number}" for number in range(size)) for package in "abcd"]
    variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, versions[0], None, "a")]}
    for own, following in pairwise([*versions, ()]):
        for name in own:
            part = Dependency(name, following, None, following[0][0]) if following else Prohibited(name)
            variables[name] = [part, Exclusive(name, (name[0],))]
    return variables


@pytest.mark.parametrize("size", [5, 10, 20])
def test_one_witness_shows_most_parts_of_a_core(size: int) -> None:
    """Without rotation of the witness, each part costs a question; with it, a few questions are enough for hundreds.

    The engine looks at the limits at each question. A SAT solver gets the clauses of each part in at most one round for
    members and one for units, and would be asked about each part twice beside these.
    """
    parts = 4 * size + 1
    budget = Checks()
    answer = solve(DenseVariables(_layers(size)), budget=budget)
    assert isinstance(answer, Core)
    assert len(answer.constraints) == parts
    assert budget.checks < 10
    assert budget.trace.conflicts < 10
    for backend in (PORTABLE, "deciding"):
        budget = Checks()
        assert solve(Variables(_layers(size)), backend=backend, budget=budget) == answer
        assert budget.trace.calls < 3 * parts


def test_the_engine_comes_to_a_core_of_families_alone() -> None:
    """It gives a core up to a SAT solver after some hundred conflicts, which these small problems do not take.

    Views keep the groups that needs name, and the nogoods that hold without the groups which are off: without either,
    the engine would run into the same dead ends for each part of the core.
    """
    for seed in range(scaled(480)):
        budget = Budget()
        answer = solve(in_families(layered(random.Random(f"alone {seed}"))), budget=budget)
        assert isinstance(answer, Core)
        assert budget.trace.calls == 0, seed


class _LastFirst(PythonSolver):
    """A solver that finds the last of several cores first."""

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        return super().solve(assumptions[::-1], conflicts=conflicts)


def test_a_row_of_cores_is_halved() -> None:
    """Of hundreds of wishes without a provider each is a core, and the first of them is preferred.

    A solver that comes to the last one first would be asked about each of the others. After six of them the rest is
    halved, so twice as many cores take one step more: a question about the last core alone, and one about everything.
    """
    calls = []
    for count in (50, 100, 200):
        names = [f"x{number}" for number in range(count)]
        variables: dict[Identifier, Sequence[Constraint]] = {name: [Prohibited(name)] for name in names}
        variables |= {f"root {name}": [Dependency(None, (name,))] for name in names}
        budget = Budget()
        answer = solve(Variables(variables), backend=Backend("last first", _LastFirst), budget=budget)
        assert isinstance(answer, Core)
        assert answer.constraints == (Dependency(None, ("x0",)), Prohibited("x0"))
        calls.append(budget.trace.calls)
    assert calls[0] < 50
    assert all(later - earlier <= 4 for earlier, later in pairwise(calls))


def test_a_chain_of_requirements_takes_few_rounds() -> None:
    """The first model knows the root alone; then the whole chain gets its clauses, and its end is the contradiction.

    So members take two rounds, and units two more. Then one question shows that the core can hold without its end, and
    a witness for everything before it proves all parts to be needed: a walk finds that among members, and a second
    question among units. The search asks once before, about its dead end.
    """
    for length in (10, 40, 160):
        variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, (0,))]}
        variables |= {number: [Dependency(number, (number + 1,))] for number in range(length)}
        variables[length] = [Prohibited(length)]
        budget = Budget()
        answer = solve(Variables(variables), backend=PORTABLE, budget=budget)
        assert isinstance(answer, Core)
        assert len(answer.constraints) == length + 2
        assert budget.trace.calls == 1 + (2 + 1) + (2 + 2)
        # Each time, a clause for each part and no other one.
        assert budget.trace.clauses == 3 * (length + 2)
