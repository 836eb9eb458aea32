"""libsolv (package ``solv``): the solver of zypper, dnf and, through mamba's first solver, conda.

Packages are solvables of one repository, versions compared by libsolv itself (RPM's order). A window is one rich
dependency: lower bound WITH upper bound. Installing each root is a job, and libsolv's policy tries the newest
version first. Two solvables of one name exclude each other, which is libsolv's own rule. Only packages that the roots
can reach are added. The explanation counts the rules of the first problem that libsolv reports.
"""

from __future__ import annotations

from collections.abc import Callable

import solv

from benchmarks.synthetic_problem import Answer
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["prepare"]


def prepare(problem: DenseProblem) -> Callable[[], Answer]:
    pool = solv.Pool()
    pool.setdisttype(solv.Pool.DISTTYPE_RPM)
    pool.setarch("x86_64")
    repository = pool.add_repo("synthetic")
    reached = problem.reached()
    most = max(len(problem.requires[package]) for package in reached)
    versions = [pool.str2id(f"1.{version}.0-1") for version in range(most)]
    names = {package: pool.str2id(f"pkg{package}") for package in reached}
    at_least, at_most = solv.REL_GT | solv.REL_EQ, solv.REL_LT | solv.REL_EQ
    windows: dict[tuple[int, int, int], int] = {}
    places: dict[int, tuple[int, int]] = {}
    relation = pool.rel2id
    any_architecture = pool.str2id("noarch")
    for package in reached:
        rows = problem.requires[package]
        name = names[package]
        for version, row in enumerate(rows):
            solvable = repository.add_solvable()
            solvable.nameid = name
            solvable.evrid = versions[version]
            solvable.archid = any_architecture
            solvable.add_deparray(solv.SOLVABLE_PROVIDES, relation(name, versions[version], solv.REL_EQ))
            for window in row:
                dependency = windows.get(window)
                if dependency is None:
                    target, low, high = window
                    dependency = relation(names[target], versions[low], at_least)
                    if high < len(problem.requires[target]) - 1:
                        upper = relation(names[target], versions[high], at_most)
                        dependency = relation(dependency, upper, solv.REL_WITH)
                    windows[window] = dependency
                solvable.add_deparray(solv.SOLVABLE_REQUIRES, dependency)
            places[solvable.id] = package, version
    repository.internalize()
    pool.createwhatprovides()
    wanted = solv.Job.SOLVER_INSTALL | solv.Job.SOLVER_SOLVABLE_NAME
    jobs = [pool.Job(wanted, names[root]) for root in problem.roots]

    def solve() -> Answer:
        solver = pool.Solver()
        problems = solver.solve(jobs)
        if problems:
            return Answer(None, len(problems[0].findallproblemrules()))
        return Answer(dict(places[solvable.id] for solvable in solver.transaction().newsolvables()))

    return solve
