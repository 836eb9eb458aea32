"""Substitutes for the abilities that a SAT solver lacks: assumptions and cores, by solving more often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from olmsolve.errors import BackendError
from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.backends.model import Backend, BackendLike, made
from olmsolve.solver.backends.registry import find

# How many wrong literals a message lists.
_SHOWN: Final = 8


class CompleteSolver(Protocol):
    """A :class:`~olmsolve.solver.backends.SatSolver` with every ability except limits, which its backend declares."""

    def add_clause(self, literals: Sequence[int], /) -> object:
        """Require one of *literals*, at any time."""
        ...

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*, None if one of *limits* ended it."""
        ...

    def model(self) -> Sequence[int]:
        """Return the true literals after a True, in any order."""
        ...

    def core(self) -> Sequence[int]:
        """Return assumptions that cannot hold together after a False."""
        ...

    def close(self) -> None:
        """Free the memory that the solver holds outside Python."""
        ...


def create(backend: BackendLike = PORTABLE) -> CompleteSolver:
    """Return a new, empty SAT solver of *backend*, with substitutes for abilities that its own solvers lack.

    Raises:
        BackendError: there is no such backend, it is the deciding engine, or a module that it needs is missing.
    """
    backend_found = find(backend)
    solver = made(backend_found)
    if not (backend_found.assumptions and backend_found.incremental):
        solver = _Whole(backend_found, solver)
    if not backend_found.cores:
        solver = _WithCores(solver)
    elif not hasattr(solver, "close"):
        solver = _WithClose(solver)
    complete: CompleteSolver = solver
    return complete


class _Whole:
    """Solvers that answer once: each question gets a new one, with all clauses.

    Assumptions that a solver does not take are clauses too. Each model is checked, which costs little beside that: a
    clause that none of its literals meets is an error.
    """

    def __init__(self, backend: Backend, first: Any) -> None:
        self._backend = backend
        self._solver: Any = first
        self._fresh = True
        self._clauses: list[Sequence[int]] = []
        self.add_clause: Callable[[Sequence[int]], None] = self._clauses.append
        self._model: Sequence[int] = ()

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*."""
        if not self._fresh:
            _close(self._solver)
            self._solver = made(self._backend)
        self._fresh = False
        solver = self._solver
        assumed = [[literal] for literal in assumptions]
        if self._backend.assumptions:
            for clause in self._clauses:
                solver.add_clause(clause)
            answer: bool | None = solver.solve(assumptions, **limits)
        else:
            for clause in (*self._clauses, *assumed):
                solver.add_clause(clause)
            answer = solver.solve(**limits)
        if answer:
            self._model = solver.model()
            self._check([*self._clauses, *assumed])
        return answer

    def model(self) -> Sequence[int]:
        """Return the true literals after a True."""
        return self._model

    def core(self) -> Sequence[int]:
        """Return the core after a False, from a solver that gives one."""
        core: Sequence[int] = self._solver.core()
        return core

    def close(self) -> None:
        """Close the last solver."""
        _close(self._solver)

    def _check(self, clauses: Sequence[Sequence[int]]) -> None:
        true = set(self._model)
        # A variable that the model leaves out is false.
        mentioned = {abs(literal) for literal in true}
        for clause in clauses:
            if not any(literal in true or (literal < 0 and -literal not in mentioned) for literal in clause):
                shown = f"{', '.join(map(str, clause[:_SHOWN]))}{', ...' if len(clause) > _SHOWN else ''}"
                raise BackendError(self._backend.name, f"its model meets no literal of the clause ({shown})")


class _WithCores:
    """A solver that gives no core: one is found by asking with fewer assumptions."""

    def __init__(self, solver: Any) -> None:
        self._solver = solver
        self.add_clause = solver.add_clause
        self.model = solver.model
        self._refuted: Sequence[int] = ()
        self._limits: dict[str, Any] = {}

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*."""
        answer: bool | None = self._solver.solve(assumptions, **limits)
        if answer is False:
            self._refuted, self._limits = assumptions, limits
        return answer

    def core(self) -> Sequence[int]:
        """Return the shortest beginning of the assumptions that cannot hold, found by halving.

        Of assumptions a, b, c, d of which b and c exclude each other, it asks for (a) and (a, b), which can hold, and
        for (a, b, c), which cannot. A limit that ends a question leaves the beginning longer than it has to be.
        """
        fits, refuted = -1, len(self._refuted)
        while refuted - fits > 1:
            middle = (fits + refuted) // 2
            if self._solver.solve(self._refuted[:middle], **self._limits) is False:
                refuted = middle
            else:
                fits = middle
        return self._refuted[:refuted]

    def close(self) -> None:
        """Free the memory of the solver."""
        _close(self._solver)


class _WithClose:
    """A solver that holds nothing outside Python."""

    def __init__(self, solver: Any) -> None:
        self.add_clause = solver.add_clause
        self.solve = solver.solve
        self.model = solver.model
        self.core = solver.core

    def close(self) -> None:
        """Do nothing."""


def _close(solver: Any) -> None:
    close = getattr(solver, "close", None)
    if close is not None:
        close()
