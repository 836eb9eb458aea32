"""clingo: answer set programming.

The ground program is added through clingo's backend, atom by atom, which spares it parsing and grounding. It is the
order encoding: an atom for "this package is installed in this version or a higher one", so that a version and a window
are two literals each and at most one version a package needs no constraint. Plain satisfaction, without clingo's
preprocessing (it saves less than it costs): it then tends to low versions, and a guidance to high ones installs
whatever it can. The explanation counts the roots in clingo's core of assumptions.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import clingo

from benchmarks.synthetic_problem import Answer
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["prepare"]


def prepare(problem: DenseProblem) -> Callable[[], Answer]:
    control = clingo.Control(["--models=1", "--sat-prepro=0"])
    reached = problem.reached()
    atoms: dict[int, list[int]] = {}
    with control.backend() as backend:
        add = backend.add_rule
        for package in reached:
            mine = atoms[package] = [backend.add_atom() for _ in problem.requires[package]]
            add(mine, choice=True)
            for lower, higher in pairwise(mine):
                add([], [higher, -lower])
        for package in reached:
            mine = atoms[package]
            top = len(mine) - 1
            for version, row in enumerate(problem.requires[package]):
                here = [mine[version]] if version == top else [mine[version], -mine[version + 1]]
                for target, low, high in row:
                    theirs = atoms[target]
                    add([], [*here, -theirs[low]])
                    if high < len(theirs) - 1:
                        add([], [*here, theirs[high + 1]])
    wanted = [atoms[root][0] for root in problem.roots]

    def solve() -> Answer:
        with control.solve(assumptions=wanted, yield_=True) as handle:
            model = handle.model()
            if model is None:
                return Answer(None, len(handle.core()))
            installed = {package: sum(map(model.is_true, mine)) for package, mine in atoms.items()}
        return Answer({package: count - 1 for package, count in installed.items() if count})

    return solve
