"""Mutants of rotation, selection and views of a problem that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.portable",
        "a candidate without hope is given up later, at the dead end",
        (
            "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, violations) is not None:",
            "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, viol... -> if False",
        ),
        (
            "return True",
            "True -> False",
            "_refuted",
            "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, violations) is not None:",
        ),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "rotation is given up sooner, and solving answers the question",
        (
            "if len({breach.key, *(other.key for other in breaches)}) > 2:",
            "len({breach.key, *(other.key for other in breaches)}) > 2 -> len({breach.key, *(other.key for other in breaches)}) >= 2",
        ),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "how often a candidate is tried before solving answers the question",
        ("tried = self._tried.get(incoming, 0)", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.portable",
        "a candidate that the clauses refute is given up later, at the dead end",
        (
            "return True",
            "True -> False",
            "_refuted",
            "selection.forbid(frozenset(selected[number] for number in conflict))",
        ),
    ),
    *alike(
        "olmsolve.solver.finding",
        "rotation only spares questions",
        ("if core is None and last is not None:", "if core is None and last is not None -> if False"),
    ),
    *alike(
        "olmsolve.solver.rotation",
        "a short cut: the last branch asks the same of every constraint",
        ("if isinstance(constraint, Dependency):", "if isinstance(constraint, Dependency) -> if False", "_add_own"),
    ),
)
