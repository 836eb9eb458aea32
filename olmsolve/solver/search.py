"""The entrance of the solver: from a lazy problem to its preferred solution, or to its preferred core.

A queue of choices, taken breadth first, defines the solution. The queue starts with the roots. A choice that an
earlier selection meets is passed over; otherwise its *first candidate that is consistent with everything* (full
satisfiability) is selected, and the candidate's own choices join the back of the queue. When the queue is empty, its
selections are the solution.

Two engines find it. :mod:`olmsolve.solver.deciding`, the default, decides in the order of the queue itself;
:mod:`olmsolve.solver.portable` asks a SAT solver of the caller's choice where the queue comes to a dead end.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve.solver.backends import DECIDING, DEFAULT
from olmsolve.solver.budget import Budget, Trace, current_trace
from olmsolve.solver.problem import CachedProblem, Problem
from olmsolve.solver.queue import Core, Solution, glance

if TYPE_CHECKING:
    from olmsolve.solver.backends import Backend, BackendLike
    from olmsolve.solver.deciding import Engine


def solve(
    problem: Problem, *, backend: BackendLike = DEFAULT, budget: Budget | None = None, trace: Trace | None = None
) -> Solution | Core:
    """Return the preferred solution of *problem*, or its preferred minimal core if it has no solution.

    Both depend only on the problem, and are the same on every *backend* (see
    :func:`olmsolve.solver.backends.backends`). Without a *budget*, the limits of the current scope count
    (:func:`olmsolve.limited`). *trace* counts the work; by default, the current observer gets its events
    (:func:`olmsolve.observed`).

    Raises:
        BackendError: the backend does not exist, cannot keep the limits of *budget*, or contradicts itself.
        Incomplete: the budget ran out.

    >>> from olmsolve.solver import Dependency, Prohibited, Variables
    >>> variables = {"root": [Dependency(None, ("v2", "v1"))], "v2": [Prohibited("v2")], "v1": []}
    >>> solve(Variables(variables)).selected
    ('v1',)
    >>> variables["v1"] = [Prohibited("v1")]
    >>> for constraint in solve(Variables(variables)).constraints:
    ...     print(constraint)
    the request requires at least one of v2, v1
    v2 is prohibited
    v1 is prohibited
    """
    budget = budget or Budget()
    budget.trace = trace = trace or current_trace()
    trace.begin_search()
    remembered = CachedProblem(problem)
    solution = _solution_or_core_source(remembered, backend, budget)
    trace.end_search()
    if isinstance(solution, Solution):
        return solution
    if backend != DECIDING:
        from olmsolve.solver.backends import Backend, is_ours

        if isinstance(solution, Backend) and not is_ours(solution):
            from olmsolve.solver.core import checked_core

            return Core(checked_core(remembered, solution, budget))
    from olmsolve.solver.core import preferred_core

    with COLLECTOR_PAUSE:
        return Core(preferred_core(remembered, solution, budget))


def attempt(
    problem: Problem, *, backend: BackendLike = DEFAULT, budget: Budget | None = None, trace: Trace | None = None
) -> Solution | None:
    """Return the solution as :func:`solve` does, but None in place of a core, which can cost more than the search."""
    budget = budget or Budget()
    budget.trace = trace = trace or current_trace()
    trace.begin_search()
    solution = _solution_or_core_source(CachedProblem(problem), backend, budget)
    trace.end_search()
    return solution if isinstance(solution, Solution) else None


def solvable(problem: Problem, *, backend: BackendLike, trace: Trace) -> bool:
    """Return True if *problem* has a solution. This is faster than :func:`attempt`, which returns the solution."""
    remembered = CachedProblem(problem)
    if backend != DECIDING or trace.observed or not remembered.dense:
        return attempt(problem, backend=backend, trace=trace) is not None
    budget = Budget()
    budget.trace = trace
    trace.begin_search()
    if budget.limited:
        budget.check()
    # A look at what all versions require takes 0.002 s on the hard problem of 20,000 bundles without a solution, and
    # the search 0.03 to 0.05. Where it is in vain, on the easy problem with a solution, it takes 0.004 of 0.025 s, and
    # so would finding out how each choice was met.
    solved = not remembered.contradict(budget.check)
    if solved:
        # The engine is freed in the pause as well: see `_solution_or_core_source`.
        with COLLECTOR_PAUSE:
            solved = _run_engine(remembered, budget)[1]
    trace.end_search()
    return solved


def _solution_or_core_source(
    problem: CachedProblem, backend: BackendLike, budget: Budget
) -> Solution | Backend | Engine:
    """Return the preferred solution, or where to get a core: from a SAT solver, or from the engine that refuted."""
    portable: Backend | None = None
    if backend != DECIDING:
        from olmsolve.solver.backends import require

        portable = require(backend, limited=budget.limited, counted=budget.conflicts is not None)
    if budget.limited:
        budget.check()
    if portable is not None:
        return _searched(problem, portable, budget) or portable
    # Most requests have no dead end: the 333 packages of community-prod are resolved in 26 ms, and by the engine alone
    # in 43. In a dense problem dead ends are likely, so the glance would be in vain.
    solution = None if problem.dense else glance(problem, budget)
    if solution is not None:
        return solution
    # The collector is off until the engine is freed. Otherwise it walks all that the search has made while the solution
    # is read from the engine: 250 of 275 ms for that on the hard problem of 100,000 bundles.
    with COLLECTOR_PAUSE:
        return _decided(problem, budget)


def _decided(problem: CachedProblem, budget: Budget) -> Solution | Engine:
    """Return the preferred solution from the deciding engine, or the engine itself after a refutation."""
    engine, solved = _run_engine(problem, budget)
    if not solved:
        return engine
    trace = budget.trace
    if trace.observed:
        for identifier, cause in engine.passed_over():
            trace.passed_over(identifier, cause)
    return engine.solution()


def _run_engine(problem: CachedProblem, budget: Budget) -> tuple[Engine, bool]:
    """Run the deciding engine; return it, and whether there is a solution."""
    # Imported late: a process that resolves one request, as commands do, seldom needs the engine, which takes 1.4 ms to
    # load; what finds cores, above, takes 5 more.
    from olmsolve.solver.deciding import Engine

    engine = Engine(problem, budget, families=problem.families)
    try:
        return engine, engine.run()
    finally:
        budget.trace.candidates += engine.candidates


def _searched(problem: CachedProblem, backend: Backend, budget: Budget) -> Solution | None:
    """Return the preferred solution, or None if there is none, from the portable search with *backend*."""
    # Observers learn why each candidate is passed over, which only the search through the constraints knows.
    if problem.dense and problem.families is not None and not budget.trace.observed:
        from olmsolve.solver.family_domains import OutsideFamiliesError
        from olmsolve.solver.family_walk import walk_families

        with contextlib.suppress(OutsideFamiliesError):
            return walk_families(problem, problem.families, backend, budget)
    from olmsolve.solver.portable import search

    return search(problem, backend, budget)
