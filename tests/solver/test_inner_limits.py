"""Numbers that only large inputs reach: how much a program may print, and how often the engine looks at limits."""

from __future__ import annotations

import sys

import pytest

from olmsolve.errors import BackendError
from olmsolve.solver import Budget, Mandatory, Session, Variables, attempt
from olmsolve.solver.backends import from_command
from tests.solver.checks import Checks
from tests.solver.engines import Decided

# 101 MB, and then nothing for ever.
_PRINTING = (
    "import sys, time\nfor _ in range(101): sys.stdout.write('c' * 1_000_000)\nsys.stdout.flush()\ntime.sleep(600)"
)


def test_a_program_that_prints_without_end() -> None:
    """It is ended before it fills the memory, or the disk."""
    session = Session(from_command([sys.executable, "-c", _PRINTING]), Budget())
    session.add_clause([1])
    with pytest.raises(BackendError, match="prints more than 100,000,000 bytes"):
        session.solve()


@pytest.mark.parametrize("count", [63, 64, 255, 256, 639, 640, 1000])
def test_limits_are_looked_at_now_and_then(count: int) -> None:
    """Each look costs as much as a step, so there is one for every 64th candidate, and for every 256th step.

    The request wants so many bundles, each of which is compiled, and takes one step of the queue.
    """
    names = [f"v{number}" for number in range(count)]
    budget = Checks(timeout=600)
    assert attempt(Decided(Variables({name: [Mandatory(name)] for name in names})), budget=budget) is not None
    # The first look is at the question itself.
    assert budget.checks == 1 + count // 64 + count // 256
