"""Questions on the way to a core: most are answered without a solver, which counts of work show.

The core is the same however many questions are asked (see ``test_cores_by_definition``).
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Identifier,
    Prohibited,
    solve,
)
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
