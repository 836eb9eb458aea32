"""OR-tools CP-SAT: constraint programming over SAT.

The order encoding: one literal for "this package is installed in this version or a higher one", so that a version and
a window are two literals each and at most one version a package needs no constraint. It is the fastest of the four
formulations that were tried (one literal a version; the same written into the protocol buffer; one more literal a
window; this). Plain satisfaction on one worker, as every further one costs CPU time; without presolving, linear
relaxation and symmetries: with them the easy problems take two thirds of the time, the hard ones up to ten times as
much. CP-SAT gives no explanation here.
"""

from __future__ import annotations

from collections.abc import Callable

from ortools.sat.python import cp_model

from benchmarks.synthetic_problem import Answer
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["prepare"]


def prepare(problem: DenseProblem) -> Callable[[], Answer]:
    model = cp_model.CpModel()
    reached = problem.reached()
    literals = {package: [model.new_bool_var("") for _ in problem.requires[package]] for package in reached}
    implies, either = model.add_implication, model.add_bool_or
    for package in reached:
        mine = literals[package]
        top = len(mine) - 1
        for version in range(top):
            implies(mine[version + 1], mine[version])
        for version, row in enumerate(problem.requires[package]):
            here = mine[version]
            for target, low, high in row:
                theirs = literals[target]
                bounds = [theirs[low]] if high == len(theirs) - 1 else [theirs[low], ~theirs[high + 1]]
                for bound in bounds:
                    if version == top:
                        implies(here, bound)
                    else:
                        either([~here, mine[version + 1], bound])
    for root in problem.roots:
        either([literals[root][0]])

    def solve() -> Answer:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.cp_model_presolve = False
        solver.parameters.linearization_level = 0
        solver.parameters.symmetry_level = 0
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            return Answer(None)
        assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        installed = {package: sum(map(solver.boolean_value, mine)) for package, mine in literals.items()}
        return Answer({package: count - 1 for package, count in installed.items() if count})

    return solve
