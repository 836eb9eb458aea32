"""SAT solvers by name, behind one small Protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from olmsolve.errors import BackendError

__all__ = ["DECIDING", "DEFAULT", "PORTABLE", "Backend", "create", "names", "require"]

DECIDING: Final = "deciding"
"""The engine of :mod:`olmsolve.solver.deciding`, which needs no SAT solver."""

DEFAULT: Final = DECIDING

PORTABLE: Final = "minisat22"
"""Of the SAT solvers: cheap to construct and quick on the small, nearly Horn problems that resolution makes."""

_PYTHON: Final = "python"

# python-sat's solvers that take assumptions and give a core: Kissat does neither, CryptoMiniSat is an optional
# build. Lingeling cannot be stopped.
_SUITABLE: Final = (
    "cadical103",
    "cadical153",
    "cadical195",
    "cadical300",
    "ergo",
    "gluecard3",
    "gluecard4",
    "glucose3",
    "glucose4",
    "glucose42",
    "lingeling",
    "maplechrono",
    "maplecm",
    "maplesat",
    "mergesat3",
    "minicard",
    "minisat-ep",
    "minisat-gh",
    "minisat22",
)
_UNSTOPPABLE: Final = frozenset({"lingeling"})


class Backend(Protocol):
    """An incremental SAT solver. Literals are non-zero integers; a variable exists once it is mentioned."""

    @property
    def name(self) -> str:
        """The name that :func:`create` knows it by."""
        ...

    def add_clause(self, literals: Sequence[int], /) -> None:
        """Require one of *literals*; an empty clause makes the problem unsatisfiable."""
        ...

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Satisfiable with every assumption true? None when *conflicts* were not enough to tell.

        *conflicts* is only given to a backend that :func:`require` lets be limited.
        """
        ...

    def model(self) -> Sequence[int]:
        """After a yes: signed literals, variable ``v`` at position ``v - 1``; absent variables are false."""
        ...

    def core(self) -> Sequence[int]:
        """After a no: assumptions that cannot hold together (empty: the clauses alone cannot)."""
        ...

    def close(self) -> None:
        """Free what the solver holds outside Python."""
        ...


def names() -> tuple[str, ...]:
    """The names of all backends that can be created here, the default first."""
    from olmsolve.solver.backends import pysat

    known = pysat.names()
    found = [DECIDING, *(name for name in _SUITABLE if name in known), _PYTHON]
    found.sort(key=lambda name: (name != DEFAULT, name != PORTABLE, name == _PYTHON, name))
    return tuple(found)


def require(name: str, *, limited: bool) -> None:
    """Check, without loading a solver, that *name* is a backend, and one that can keep limits if *limited*.

    Raises:
        BackendError: it is not.
    """
    if name not in (DECIDING, _PYTHON) and name not in _SUITABLE:
        raise BackendError(name, f"unknown; there are {', '.join(names())}")
    if limited and name in _UNSTOPPABLE:
        raise BackendError(name, "cannot be stopped, so it keeps no time, conflict or cancellation limit")


def create(name: str = PORTABLE) -> Backend:
    """A new, empty solver.

    Raises:
        BackendError: there is none of this name, or the installed python-sat does not have it.
    """
    require(name, limited=False)
    if name == DECIDING:
        raise BackendError(name, "decides for itself and answers no clauses")
    if name == _PYTHON:
        from olmsolve.solver.backends.python import PythonSolver

        return PythonSolver()
    from olmsolve.solver.backends import pysat

    if name not in pysat.names():
        raise BackendError(name, "not in the python-sat that is installed")
    return pysat.PySATSolver(name)
