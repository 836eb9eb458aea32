"""Mutants of the engine that decides that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.deciding.compiling",
        "a short cut: the rest of the function makes the same need",
        (
            "if len(masks) == 1 and masks[0][0] != compiled.variable:",
            "if len(masks) == 1 and masks[0][0] != compiled.variable -> if False",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.finding",
        "a run that inherits nogoods only spares the run that follows",
        ("if last is not None and rest:", "if last is not None and rest -> if False"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "the candidate was ruled out, so its domain is empty and a conflict when its variable comes up",
        ("return False", "False -> True", "_select"),
    ),
    *alike(
        "olmsolve.solver.deciding.variables",
        "looking ahead: a member of the family is refused for the holder of its group when its turn comes",
        (
            "if variable is None and self._families is not None and self._families.family(group) is not None:",
            "self._families.family(group) is not None -> self._families.family(group) is None",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.variables",
        "any negative number says that there is no variable",
        ("current, mask, of = -1, 0, self._of", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "looking ahead by one candidate: a dead end is seen when the queue decides",
        (
            "elif not value & 1 and not value & self._supports.get(variable, 0):",
            "value & self._supports.get(variable, 0) -> value | self._supports.get(variable, 0)",
        ),
    ),
    *alike(
        "olmsolve.solver.deciding.propagation",
        "looking ahead: the queue meets the need with one of its candidates, whatever else is left",
        ("if values[target] & ~mask:", "if values[target] & ~mask -> if False"),
    ),
    *alike(
        "olmsolve.solver.deciding.analysis",
        "any negative number says that there is no variable",
        ("steps = source if isinstance(source, list) else [(-1, source)]", "1 -> 2"),
    ),
)
