"""Numbers of the solver that no small problem reaches, made small here: at their size, a test would take minutes."""

from __future__ import annotations

import sys

import pytest

from olmsolve.errors import BackendError
from olmsolve.solver import Budget, Mandatory, Session, Variables, attempt
from olmsolve.solver.backends import from_command, functions
from olmsolve.solver.deciding import engine as engine_module
from olmsolve.solver.deciding import propagation as propagation_module
from tests.solver.checks import Checks
from tests.solver.engines import Decided


def test_a_program_that_prints_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended before it fills the memory, or the disk."""
    monkeypatch.setattr(functions, "_PRINTED", 1000)
    session = Session(from_command([sys.executable, "-c", "while True: print('c' * 999)"]), Budget())
    session.add_clause([1])
    with pytest.raises(BackendError, match="prints more than 1,000 bytes"):
        session.solve()


def test_limits_are_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look costs as much as a step, so there is one for every fourth candidate here, and every fifth step.

    The request wants 39 bundles, each of which is compiled, and takes one step of the queue.
    """
    monkeypatch.setattr(propagation_module, "_COMPILED_PER_CHECK", 4)
    names = [f"v{number}" for number in range(39)]
    problem = Decided(Variables({name: [Mandatory(name)] for name in names}))
    for steps, checks in [(100, 9), (5, 9 + 7), (38, 9 + 1), (40, 9)]:
        monkeypatch.setattr(engine_module, "_STEPS_PER_CHECK", steps)
        budget = Checks(timeout=600)
        assert attempt(problem, budget=budget) is not None
        # The first look is at the question itself.
        assert budget.checks == 1 + checks
