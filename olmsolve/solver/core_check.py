"""Cores that a solver of others has found, refuted once more by a solver of ours."""

from __future__ import annotations

from olmsolve.errors import BackendError
from olmsolve.solver.backends import Backend, prover
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Constraint
from olmsolve.solver.core import SolvableError, preferred_core
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.session import Session


def checked_core(problem: CachedProblem, backend: Backend, budget: Budget) -> tuple[Constraint, ...]:
    """Return the preferred core of *problem* that *backend* finds, once a solver of ours has refuted it.

    Models are compared with the clauses, so that no constraint is in the core without need; with this check, none is
    missing. Cores have few constraints, even of large problems.

    Raises:
        BackendError: the constraints can hold, or the backend has said both of the problem.
        Incomplete: the budget ran out.
    """
    try:
        core = preferred_core(problem, backend, budget)
    except SolvableError as error:
        raise BackendError(backend.name, "answered that a problem cannot hold, and then that it can") from error
    session = Session(prover(backend.name), budget)
    try:
        encoding = Encoding(session.add_clause)
        for constraint in budget.checked(core, every=16):
            encoding.add(constraint)
        if session.solve():
            shown = "; ".join(map(str, core[:3])) or "no constraint at all"
            raise BackendError(backend.name, f"answered that constraints cannot hold together that can: {shown}")
    finally:
        session.close()
    return core
