"""Backends: the SAT solvers that answer requests, and the name of the deciding engine, which needs none.

:mod:`.model` has the Protocol of a solver and the :class:`Backend`, :mod:`.registry` the backends by name, those of
other packages included. A solver of your own becomes a backend as it is (a class with three methods), by
:func:`from_function` (it solves a list of clauses) or by :func:`from_command` (it is a program); :mod:`.completing`
makes up for what it cannot do, and :mod:`.guarding` holds it to its answers, or has each "no" proved (:func:`checked`).
Check it with :mod:`olmsolve.testing.backends`.

:mod:`.pysat` wraps the solvers of python-sat, and gets refutations from them that can be checked; :mod:`.python` is
our own.

>>> from olmsolve.solver import Dependency, Prohibited, Variables, solve
>>> from olmsolve.solver.backends import PythonSolver
>>> problem = Variables({"a": [Dependency(None, ("b", "c"))], "b": [Prohibited("b")], "c": []})
>>> solve(problem, backend=PythonSolver).selected
('c',)
"""

from typing import TYPE_CHECKING, Final

from olmsolve._lazy import lazily

DECIDING: Final = "deciding"
"""The engine of :mod:`olmsolve.solver.deciding`, which needs no SAT solver."""

DEFAULT: Final = DECIDING
"""The backend that answers unless a caller names another."""

PORTABLE: Final = "minisat22"
"""The preferred SAT solver: cheap to construct, and quick on the small, nearly Horn problems of resolution."""

if TYPE_CHECKING:
    from olmsolve.solver.backends.completing import CompleteSolver as CompleteSolver
    from olmsolve.solver.backends.completing import create as create
    from olmsolve.solver.backends.functions import from_command as from_command
    from olmsolve.solver.backends.functions import from_function as from_function
    from olmsolve.solver.backends.guarding import checked as checked
    from olmsolve.solver.backends.guarding import guarded as guarded
    from olmsolve.solver.backends.model import Backend as Backend
    from olmsolve.solver.backends.model import BackendLike as BackendLike
    from olmsolve.solver.backends.model import SatSolver as SatSolver
    from olmsolve.solver.backends.model import StoppedBy as StoppedBy
    from olmsolve.solver.backends.model import guarded_call as guarded_call
    from olmsolve.solver.backends.model import missing_module as missing_module
    from olmsolve.solver.backends.python import PythonSolver as PythonSolver
    from olmsolve.solver.backends.registry import IN_TURN as IN_TURN
    from olmsolve.solver.backends.registry import backends as backends
    from olmsolve.solver.backends.registry import find as find
    from olmsolve.solver.backends.registry import is_ours as is_ours
    from olmsolve.solver.backends.registry import listed as listed
    from olmsolve.solver.backends.registry import names as names
    from olmsolve.solver.backends.registry import portable_name as portable_name
    from olmsolve.solver.backends.registry import prover as prover
    from olmsolve.solver.backends.registry import require as require
else:
    __getattr__, __dir__ = lazily(__name__)
