"""SAT solvers by name, behind one small Protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from olmsolve.errors import BackendError

__all__ = ["DEFAULT", "Backend", "create", "names"]

DEFAULT: Final = "minisat22"
"""Cheap to construct and quick on the small, nearly Horn problems that resolution makes."""

_PYTHON: Final = "python"


class Backend(Protocol):
    """An incremental SAT solver. Literals are non-zero integers; a variable exists once it is mentioned."""

    @property
    def name(self) -> str:
        """The name that :func:`create` knows it by."""
        ...

    @property
    def sliceable(self) -> bool:
        """Whether *conflicts* of :meth:`solve` is honoured; without it no time limit can be kept."""
        ...

    def add_clause(self, literals: Sequence[int], /) -> None:
        """Require one of *literals*; an empty clause makes the problem unsatisfiable."""
        ...

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Satisfiable with every assumption true? None when *conflicts* were not enough to tell."""
        ...

    def model(self) -> Sequence[int]:
        """After a yes: signed literals, variable ``v`` at position ``v - 1``; absent variables are false."""
        ...

    def core(self) -> Sequence[int]:
        """After a no: assumptions that cannot hold together (empty: the clauses alone cannot)."""
        ...

    def prefer(self, literals: Sequence[int], /) -> None:
        """A hint: try these phases first. May do nothing."""
        ...

    def close(self) -> None:
        """Free what the solver holds outside Python."""
        ...


def names() -> tuple[str, ...]:
    """The names of all backends that can be created here, the default first."""
    from olmsolve.solver.backends import pysat

    found = [*pysat.names(), _PYTHON]
    found.sort(key=lambda name: (name != DEFAULT, name == _PYTHON, name))
    return tuple(found)


def create(name: str = DEFAULT) -> Backend:
    """A new, empty solver.

    Raises:
        BackendError: there is none of this name.
    """
    if name == _PYTHON:
        from olmsolve.solver.backends.python import PythonSolver

        return PythonSolver()
    from olmsolve.solver.backends import pysat

    if name not in pysat.names():
        raise BackendError(name, f"unknown; there are {', '.join(names())}")
    return pysat.PySATSolver(name)
