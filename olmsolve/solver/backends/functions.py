"""Backends made of a function that solves a list of clauses at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from olmsolve.errors import BackendError
from olmsolve.solver.backends.model import Backend, StoppedBy


def from_function(
    solve: Callable[..., Sequence[int] | None], name: str = "", *, stops: bool = False, install: str = ""
) -> Backend:
    """Return a backend that calls *solve* with a list of clauses, each a list of literals.

    *solve* returns the true literals of a model, in any order, or None if the clauses cannot hold. With *stops* it is
    called as ``solve(clauses, stop=function)`` where there is a time limit or somebody may cancel: it ends with
    TimeoutError soon after *function* has returned True, and asks it ten times a second. *install* is what ``pip``
    installs if a module is missing.

    Example::

        def solve(clauses):
            import pycosat

            model = pycosat.solve(clauses)
            return None if model == "UNSAT" else model


        olmsolve.resolve(request, backend=from_function(solve, "picosat", install="pycosat"))
    """
    name = name or getattr(solve, "__name__", type(solve).__name__)
    stopped_by = StoppedBy.FUNCTION if stops else StoppedBy.NOTHING
    create = partial(_FunctionSolver, solve, name)
    return Backend(
        name, create, assumptions=False, cores=False, stopped_by=stopped_by, install=install, incremental=False
    )


class _FunctionSolver:
    """A list of clauses, and the function that solves it."""

    def __init__(self, solve: Callable[..., Sequence[int] | None], name: str) -> None:
        self._solve = solve
        self._name = name
        self._clauses: list[list[int]] = []
        self._model: Sequence[int] | None = None

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        self._clauses.append(list(literals))

    def solve(self, **limits: Any) -> bool | None:
        """Return True if the clauses can hold; None if the function was stopped."""
        # Many solvers refuse an empty clause, or take it for the end of their input.
        if not all(self._clauses):
            return False
        if not self._clauses:
            self._model = ()
            return True
        try:
            model: Any = self._solve(self._clauses, **limits)
        except TimeoutError:
            if limits:
                return None
            raise
        if model is not None and (isinstance(model, str) or not isinstance(model, Sequence)):
            raise BackendError(self._name, f"returned {model!r:.80}, not the literals of a model or None")
        self._model = model
        return model is not None

    def model(self) -> Sequence[int]:
        """Return the true literals after a True."""
        return self._model or ()
