"""The preferred solution of a lazy problem, or why there is none.

The solution is defined by a queue of choices, taken breadth first. The queue starts with the roots. A choice
that an earlier selection meets is passed over; otherwise its *first candidate that is consistent with
everything* (full satisfiability) is selected, and the candidate's own choices join the back of the queue.
What the queue has selected when it is empty is the solution.

Two engines find it. :mod:`olmsolve.solver.deciding` decides in the order of the queue itself, and is the default;
:mod:`olmsolve.solver.portable` asks a SAT solver of the caller's choice where the queue comes to a dead end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from olmsolve.solver.answer import Chosen, Core, Solution
from olmsolve.solver.backends import DECIDING, DEFAULT, require
from olmsolve.solver.budget import Budget
from olmsolve.solver.portable import glance, search
from olmsolve.solver.problem import CachedProblem, Problem

if TYPE_CHECKING:
    from olmsolve.solver.deciding import Engine

__all__ = ["Chosen", "Core", "Solution", "attempt", "solve"]


def solve(problem: Problem, *, backend: str = DEFAULT, budget: Budget | None = None) -> Solution | Core:
    """The preferred solution of *problem*, or its preferred minimal core.

    Both are functions of the problem alone, the same on every backend.

    Raises:
        BackendError: there is no such backend, or it cannot keep the limits that *budget* sets.
        Incomplete: the budget ran out.
    """
    budget = budget or Budget()
    remembered = CachedProblem(problem)
    found = _found(remembered, backend, budget)
    if isinstance(found, Solution):
        return found
    from olmsolve.solver.core import preferred_core

    return Core(preferred_core(remembered, found, budget))


def attempt(problem: Problem, *, backend: str = DEFAULT, budget: Budget | None = None) -> Solution | None:
    """What :func:`solve` gives, but None instead of a core, which can cost more than the search."""
    found = _found(CachedProblem(problem), backend, budget or Budget())
    return found if isinstance(found, Solution) else None


def _found(problem: CachedProblem, backend: str, budget: Budget) -> Solution | str | Engine:
    """The preferred solution, or who can tell why there is none: a backend by its name, or a run that saw it."""
    if backend != DECIDING:
        require(backend, limited=budget.limited)
    if budget.limited:
        budget.check()
    if backend != DECIDING:
        return search(problem, backend, budget) or backend
    # Most requests have no dead end, and looking for one costs less than setting up an engine. Where dead ends are
    # likely, the engine takes no longer.
    solution = None if problem.dense else glance(problem, budget)
    if solution is not None:
        return solution
    # A process that resolves one request, as commands do, should not wait for what few of them need.
    from olmsolve.solver.deciding import Engine

    engine = Engine(problem, budget, families=problem.families)
    return engine.solution() if engine.run() else engine
