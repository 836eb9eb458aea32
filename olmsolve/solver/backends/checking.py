"""Backends whose every refutation another solver proves: for solvers that are new, or that nobody trusts yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from olmsolve._records import evolve
from olmsolve.errors import BackendError
from olmsolve.solver.backends import DECIDING
from olmsolve.solver.backends.completing import create
from olmsolve.solver.backends.guarding import GuardedSolver
from olmsolve.solver.backends.model import Backend, BackendLike
from olmsolve.solver.backends.registry import find, prover

# Conflicts of a proof between two looks at whether to stop.
_SLICE: Final = 1000


def checked(backend: BackendLike, by: BackendLike | None = None) -> Backend:
    """Return *backend* in a checking mode: each False of its solvers is proved by a solver of the backend *by*.

    A True is compared with the clauses anyway. So an answer that a plan or a core rests on is right, or a BackendError
    names *backend* and what was wrong. It takes the time of both solvers. *by* is one of our own by default, and not
    *backend* itself; it should keep limits if *backend* does.

    >>> from olmsolve.solver.backends import PythonSolver
    >>> class Pessimist(PythonSolver):
    ...     def solve(self, assumptions=(), *, conflicts=None):
    ...         return not assumptions
    ...
    ...     def core(self):
    ...         return [1]
    >>> solver = checked(Pessimist).create()
    >>> solver.add_clause([1, 2])
    >>> solver.solve([1])
    Traceback (most recent call last):
        ...
    olmsolve.errors.BackendError: backend 'Pessimist': answered False, and minisat22 has a model

    Raises:
        BackendError: there is no such backend, or it takes no clauses.
    """
    backend_found = find(backend)
    by_whom = prover(backend_found.name) if by is None else find(by)
    for literal in (backend_found, by_whom):
        if literal.name == DECIDING:
            raise BackendError(DECIDING, "decides for itself; only a backend that answers clauses can be checked")
    making = partial(_ProvingSolver, backend_found, by_whom)
    return evolve(backend_found, create=making, assumptions=True, cores=True, incremental=True)


class _ProvingSolver(GuardedSolver):
    """A solver of *backend* whose refutations a solver of *prover* repeats."""

    def __init__(self, backend: Backend, prover: Backend) -> None:
        super().__init__(backend)
        self._prover = create(prover)
        self._by = prover

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        super().add_clause(literals)
        self._prover.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*, None if one of *limits* ended it."""
        answer = super().solve(assumptions, **limits)
        if answer is not False:
            return answer
        # A proof for the core is one for all assumptions; where cores are found by asking, nobody may want one.
        refuted = self._refutes(self.core() if self._backend.cores else assumptions, limits)
        if refuted is None:
            return None
        if not refuted:
            self._fail(f"answered False, and {self._by.name} has a model")
        return False

    def close(self) -> None:
        """Free the memory that both solvers hold outside Python."""
        try:
            super().close()
        finally:
            self._prover.close()

    def _refutes(self, core: Sequence[int], limits: dict[str, Any]) -> bool | None:
        conflicts, stop = limits.get("conflicts"), limits.get("stop")
        if stop is None:
            return _negated(self._prover.solve(core, **({} if conflicts is None else {"conflicts": conflicts})))
        while True:
            answer = self._prover.solve(core, conflicts=_SLICE)
            if answer is not None or stop():
                return _negated(answer)


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
