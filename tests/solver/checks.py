"""What tests count: how often limits are looked at, and which solvers are closed."""

from __future__ import annotations

from typing import ClassVar

from olmsolve.solver import Budget
from olmsolve.solver.backends import PythonSolver

__all__ = ["Checks", "Closed"]


class Checks(Budget):
    """A budget that counts its *checks*: as often is somebody who cancels heard."""

    checks = 0

    def check(self) -> None:
        self.checks += 1
        super().check()


class Closed(PythonSolver):
    """A solver that counts how many were *made* and *closed*; others hold memory outside Python until they are."""

    made: ClassVar[int] = 0
    closed: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        Closed.made += 1

    def close(self) -> None:
        Closed.closed += 1
