"""The deciding engine without the glance that production tries first, so that it answers every problem."""

from __future__ import annotations

from olmsolve.solver import Budget, FamilyView, Problem, Solution
from olmsolve.solver.deciding import Engine
from olmsolve.solver.problem import CachedProblem

__all__ = ["decided_solution"]


def decided_solution(problem: Problem, *, families: FamilyView | None = None) -> Solution | None:
    """Return the solution that the engine finds, None if it refutes *problem*."""
    engine = Engine(CachedProblem(problem), Budget(), families=families)
    return engine.solution() if engine.run() else None
