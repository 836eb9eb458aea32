"""clingo: answer set programming.

The ground program is added through clingo's backend, atom by atom, which spares it parsing and grounding. An atom a
version, a choice over all that the roots can reach; at most one version a package is a cardinality constraint, a
requirement is an integrity constraint over the versions in its window. Plain satisfaction: weak constraints for "the
highest versions" did not end within the time limit where they were tried. The explanation counts the roots in clingo's core of assumptions.
"""

from __future__ import annotations

from collections.abc import Callable

import clingo

from benchmarks.synthetic_problem import Answer, Problem

__all__ = ["prepare"]


def prepare(problem: Problem) -> Callable[[], Answer]:
    control = clingo.Control(["--models=1"])
    atoms: dict[int, list[int]] = {}
    reached = problem.reached()
    with control.backend() as backend:
        for package in reached:
            atoms[package] = [backend.add_atom() for _ in problem.requires[package]]
            backend.add_rule(atoms[package], choice=True)
            backend.add_weight_rule([], 2, [(atom, 1) for atom in atoms[package]])
        # The negated atoms of a window, once for all that need it.
        windows: dict[tuple[int, int, int], int] = {}
        for package in reached:
            for atom, row in zip(atoms[package], problem.requires[package], strict=True):
                for window in row:
                    met = windows.get(window)
                    if met is None:
                        target, low, high = window
                        met = windows[window] = backend.add_atom()
                        for other in atoms[target][low : high + 1]:
                            backend.add_rule([met], [other])
                    backend.add_rule([], [atom, -met])
        wanted = []
        for root in problem.roots:
            met = backend.add_atom()
            for atom in atoms[root]:
                backend.add_rule([met], [atom])
            wanted.append(met)

    def solve() -> Answer:
        selected = {}
        with control.solve(assumptions=wanted, yield_=True) as handle:
            model = handle.model()
            if model is None:
                return Answer(None, len(handle.core()))
            for package, versions in atoms.items():
                for version, atom in enumerate(versions):
                    if model.is_true(atom):
                        selected[package] = version
        return Answer(selected)

    return solve
