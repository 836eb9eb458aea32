"""Solvers that tests make backends of: those that do the least, and one that fails; and names of known ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve.solver.backends import PythonSolver

KNOWN = ("deciding", "minisat22", "cadical195", "glucose4")


class Whole:
    """The least that a solver can do: one set of clauses, one answer."""

    def __init__(self) -> None:
        self._clauses: list[Sequence[int]] = []
        self._solver = PythonSolver()
        self._answers = 0

    def add_clause(self, literals: Sequence[int]) -> None:
        assert not self._answers, "it takes no clause after its answer"
        self._solver.add_clause(literals)

    def solve(self) -> bool | None:
        self._answers += 1
        assert self._answers == 1, "it answers once"
        return self._solver.solve()

    def model(self) -> Sequence[int]:
        return [literal for literal in reversed(self._solver.model()) if literal > 0]


class Stoppable(Whole):
    """A solver that asks whether to stop."""

    def solve(self, stop: Callable[[], bool] = bool) -> bool | None:
        while (answer := self._solver.solve(conflicts=50)) is None:
            if stop():
                return None
        return answer


class WrongSolver(PythonSolver):
    """A solver that is right but for what subclasses do."""


class CrashingSolver(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        raise ValueError("out of order")
