"""A SAT solver at work within a budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from olmsolve.errors import BackendError, Incomplete
from olmsolve.solver.backends import Backend, StoppedBy, create, guarded, guarded_call, is_ours
from olmsolve.solver.budget import Budget

_NO_ANSWER: Final = "gave no answer, although no limit was met"


class Session:
    """A new SAT solver of *backend*; it is stopped in time if *budget* has limits."""

    __slots__ = ("_add", "_clauses", "_solver", "_trace", "backend", "budget")

    def __init__(self, backend: Backend, budget: Budget) -> None:
        self.backend: Final = backend
        self.budget: Final = budget
        # Answers of other people's solvers are checked; ours are checked by tests, and cost no more than themselves.
        self._solver = create(backend) if is_ours(backend) else guarded(backend)
        # A clause is one call of this, of which a dense problem makes tens of thousands.
        self._add = self._solver.add_clause
        self._clauses = 0
        self._trace = budget.trace

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        self._clauses += 1
        self._add(literals)

    def add_clauses(self, clauses: Sequence[Sequence[int]]) -> None:
        """Require one literal of each of *clauses*."""
        self._clauses += len(clauses)
        add = self._add
        for clause in self.budget.checked(clauses, every=4096):
            add(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Return True if the clauses can hold with all *assumptions* true.

        Raises:
            Incomplete: the budget ran out.
            BackendError: the solver failed.
        """
        answer = self._solve(assumptions, None)
        if answer is None:
            raise BackendError(self.backend.name, _NO_ANSWER)
        return answer

    def solve_within(self, conflicts: int, assumptions: Sequence[int]) -> bool | None:
        """Return what :meth:`solve` does; None if *conflicts* were too few for an answer, for solvers that count them.

        The solver keeps what it learned. A solver that counts none answers, however long it takes.
        """
        return self._solve(assumptions, conflicts if self.backend.stopped_by is StoppedBy.CONFLICTS else None)

    def _solve(self, assumptions: Sequence[int], most: int | None) -> bool | None:
        """Ask the solver, and send events to the observer; *most* conflicts end the question without an answer."""
        trace = self._trace
        trace.calls += 1
        trace.clauses += self._clauses
        self._clauses = 0
        if trace.observed:
            trace.asked(self.backend.name, len(assumptions))
        started = time.perf_counter()
        answer: bool | None = None
        try:
            answer = guarded_call(self.backend, lambda: self._answer(assumptions, most))
        finally:
            if trace.observed:
                trace.answered(self.backend.name, answer, time.perf_counter() - started)
        return None if answer is None else bool(answer)

    def _answer(self, assumptions: Sequence[int], most: int | None) -> bool | None:
        if not self.budget.limited:
            return self._solver.solve(assumptions) if most is None else self._solver.solve(assumptions, conflicts=most)
        if self.backend.stopped_by is StoppedBy.CONFLICTS:
            return self._in_slices(assumptions, most)
        self.budget.check()
        answer = self._solver.solve(assumptions, stop=self._is_over)
        if answer is None:
            self.budget.check()
        return answer

    def _in_slices(self, assumptions: Sequence[int], most: int | None) -> bool | None:
        spent = 0
        while most is None or spent < most:
            conflicts = self.budget.slice(spent)
            if most is not None:
                conflicts = min(conflicts, most - spent)
            started = time.monotonic()
            answer = self._solver.solve(assumptions, conflicts=conflicts)
            if answer is not None:
                return answer
            spent += conflicts
            self.budget.learn(time.monotonic() - started)
        return None

    def _is_over(self) -> bool:
        try:
            self.budget.check()
        except Incomplete:
            return True
        return False

    def model(self) -> Sequence[int]:
        """Return the true literals after a True, in any order; variables that are left out are false."""
        return self._solver.model()

    def core(self) -> Sequence[int]:
        """Return the core after a False: assumptions that cannot hold together."""
        return self._solver.core()

    def close(self) -> None:
        """Free the memory that the solver holds outside Python."""
        self._solver.close()
