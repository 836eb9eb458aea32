"""A solver that begins as our own in plain Python, and turns into one of python-sat's where a problem is larger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from olmsolve.solver.backends.python import PythonSolver

# Up to so many clauses, and conflicts without an answer, plain Python keeps up with MiniSat: cores of real catalogs
# have a few dozen clauses and hardly a conflict. Importing python-sat alone takes 12 ms, ten times as long as such a
# core, and a command that prints one failure pays that each time.
_CLAUSES: Final = 500
_CONFLICTS: Final = 100


class TurningSolver:
    """Our own solver, until there are many clauses or conflicts; then a quicker one takes all clauses over."""

    __slots__ = ("_clauses", "_conflicts_left", "_solver")

    def __init__(self) -> None:
        self._solver: Any = PythonSolver()
        # Kept for the solver that follows; None once it has them.
        self._clauses: list[Sequence[int]] | None = []
        self._conflicts_left = _CONFLICTS

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        if self._clauses is not None:
            self._clauses.append(literals)
            if len(self._clauses) > _CLAUSES:
                self._turn(self._clauses)
                return
        self._solver.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*; None if *conflicts* were too few to tell."""
        if self._clauses is not None:
            most = self._conflicts_left if conflicts is None else min(conflicts, self._conflicts_left)
            answer = self._solver.solve(assumptions, conflicts=most)
            if answer is not None:
                return bool(answer)
            self._conflicts_left -= most
            if not self._conflicts_left:
                self._turn(self._clauses)
            if conflicts is not None:
                return None
        answer = self._solver.solve(assumptions, conflicts=conflicts)
        return None if answer is None else bool(answer)

    def model(self) -> Sequence[int]:
        """Return the literals of the model after a True, by variable."""
        model: Sequence[int] = self._solver.model()
        return model

    def core(self) -> Sequence[int]:
        """Return the assumptions of the core after a False."""
        core: Sequence[int] = self._solver.core()
        return core

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.close()

    def _turn(self, clauses: Sequence[Sequence[int]]) -> None:
        from olmsolve.solver.backends import PORTABLE, pysat

        self._clauses = None
        self._solver = pysat.PySATSolver(PORTABLE)
        for clause in clauses:
            self._solver.add_clause(clause)
