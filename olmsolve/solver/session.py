"""A SAT solver at work within a budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from olmsolve.solver.backends import create
from olmsolve.solver.budget import Budget


class Session:
    """A new SAT solver of the backend *name*; it runs in slices of conflicts if *budget* has limits."""

    __slots__ = ("_solver", "add_clause", "budget")

    def __init__(self, name: str, budget: Budget) -> None:
        self.budget: Final = budget
        self._solver = create(name)
        self.add_clause = self._solver.add_clause

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Return True if the clauses can hold with all *assumptions* true.

        Raises:
            Incomplete: the budget ran out.
        """
        if not self.budget.limited:
            return bool(self._solver.solve(assumptions))
        spent = 0
        while True:
            conflicts = self.budget.slice(spent)
            started = time.monotonic()
            answer = self._solver.solve(assumptions, conflicts=conflicts)
            if answer is not None:
                return answer
            spent += conflicts
            self.budget.learn(time.monotonic() - started)

    def model(self) -> Sequence[int]:
        """Return the model after a True: literal ``v`` or ``-v`` at position ``v - 1``; absent variables are false."""
        return self._solver.model()

    def core(self) -> Sequence[int]:
        """Return the core after a False: assumptions that cannot hold together."""
        return self._solver.core()

    def close(self) -> None:
        """Free the memory that the solver holds outside Python."""
        self._solver.close()
