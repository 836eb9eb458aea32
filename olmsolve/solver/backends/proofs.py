"""Refutations that can be checked: what a SAT solver learned on its way to a contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["learned"]

_WITH_PROOFS: Final = "glucose4"


def learned(clauses: Iterable[Sequence[int]]) -> list[tuple[int, ...]] | None:
    """The clauses that a solver learned until it found *clauses* contradictory, in order; None if they are not.

    Each follows from what stands before it by unit propagation (the additions of a DRUP proof).
    """
    from pysat.solvers import Solver

    solver: Any
    with Solver(name=_WITH_PROOFS, bootstrap_with=[list(clause) for clause in clauses], with_proof=True) as solver:
        if solver.solve():
            return None
        lines: list[str] = solver.get_proof() or []
    # Deletions only make checking faster; literals of a line end with 0.
    steps = (tuple(map(int, line.split()[:-1])) for line in lines if not line.startswith("d"))
    return [step for step in steps if step]
