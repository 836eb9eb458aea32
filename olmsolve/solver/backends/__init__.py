"""Backends: the SAT solvers by name, behind one small Protocol, and the name of the deciding engine.

:mod:`.pysat` wraps the solvers of python-sat, :mod:`.python` is our own, which the others are compared with, and
:mod:`.proofs` gets refutations that can be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from olmsolve.errors import BackendError

__all__ = ["DECIDING", "DEFAULT", "PORTABLE", "Backend", "create", "names", "require"]

DECIDING: Final = "deciding"
"""The engine of :mod:`olmsolve.solver.deciding`, which needs no SAT solver."""

DEFAULT: Final = DECIDING
"""The backend that answers unless a caller names another."""

PORTABLE: Final = "minisat22"
"""The preferred SAT solver: cheap to construct, and quick on the small, nearly Horn problems of resolution."""

_PYTHON: Final = "python"

# python-sat's solvers that take assumptions and give a core. Kissat does neither; CryptoMiniSat is an optional build.
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
# Lingeling takes no limit on conflicts, so it cannot be run in slices.
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
        """Return True if the clauses can hold with every assumption true, None if *conflicts* were too few to tell.

        Only a backend that :func:`require` accepts as limited gets *conflicts*.
        """
        ...

    def model(self) -> Sequence[int]:
        """Return the model after a True: literal ``v`` or ``-v`` at position ``v - 1``; absent variables are false."""
        ...

    def core(self) -> Sequence[int]:
        """Return the core after a False: assumptions that cannot hold together (empty: the clauses alone cannot)."""
        ...

    def close(self) -> None:
        """Free the memory that the solver holds outside Python."""
        ...


def names() -> tuple[str, ...]:
    """Return the names of all backends that can answer here, the default first.

    >>> names()[:2]
    ('deciding', 'minisat22')
    """
    from olmsolve.solver.backends import pysat

    installed = pysat.names()
    found = [DECIDING, *(name for name in _SUITABLE if name in installed), _PYTHON]
    found.sort(key=lambda name: (name != DEFAULT, name != PORTABLE, name == _PYTHON, name))
    return tuple(found)


def require(name: str, *, limited: bool) -> None:
    """Raise BackendError unless *name* is a backend, and can keep limits if it has to (*limited*).

    This loads no solver.

    Raises:
        BackendError: the name is unknown, or the backend cannot be stopped.
    """
    if name not in (DECIDING, _PYTHON) and name not in _SUITABLE:
        raise BackendError(name, f"unknown; there are {', '.join(names())}")
    if limited and name in _UNSTOPPABLE:
        raise BackendError(name, "cannot be stopped, so it keeps no time, conflict or cancellation limit")


def create(name: str = PORTABLE) -> Backend:
    """Return a new, empty SAT solver of the backend *name*.

    Raises:
        BackendError: the name is unknown, is the deciding engine's, or is missing in the installed python-sat.
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
