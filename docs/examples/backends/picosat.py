"""PicoSAT, through the package pycosat: a function that solves a list of clauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from olmsolve.solver.backends import from_function


def solve(clauses: Sequence[Sequence[int]]) -> Sequence[int] | None:
    import pycosat

    model: Any = pycosat.solve(clauses)
    return None if model == "UNSAT" else model


PICOSAT = from_function(solve, "picosat", install="pycosat")
