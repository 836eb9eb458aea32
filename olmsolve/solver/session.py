"""One SAT solver at work within a budget."""

from __future__ import annotations

import time
from collections.abc import Sequence

from olmsolve.solver.backends import create
from olmsolve.solver.budget import Budget

__all__ = ["Session"]


class Session:
    """A new solver of the backend *name*, asked in slices of conflicts where *budget* has limits."""

    __slots__ = ("_budget", "_solver", "add_clause")

    def __init__(self, name: str, budget: Budget) -> None:
        self._budget = budget
        self._solver = create(name)
        self.add_clause = self._solver.add_clause

    def ask(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the clauses hold with all *assumptions* true. Raises Incomplete when the budget runs out."""
        if not self._budget.limited:
            return bool(self._solver.solve(assumptions))
        spent = 0
        while True:
            conflicts = self._budget.slice(spent)
            started = time.monotonic()
            answer = self._solver.solve(assumptions, conflicts=conflicts)
            if answer is not None:
                return answer
            spent += conflicts
            self._budget.learn(time.monotonic() - started)

    def model(self) -> Sequence[int]:
        """After a yes: the signed literal of variable ``v`` at position ``v - 1``; absent variables are false."""
        return self._solver.model()

    def core(self) -> Sequence[int]:
        """After a no: assumptions that cannot hold together."""
        return self._solver.core()

    def close(self) -> None:
        self._solver.close()
