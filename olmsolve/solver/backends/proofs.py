"""Refutations that can be checked: the clauses that a SAT solver learned on its way to a contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from olmsolve.solver.budget import Budget

# A solver of python-sat that writes proofs; the one that searches by default does not.
_WITH_PROOFS: Final = "glucose4"


def learned(clauses: Iterable[Sequence[int]], budget: Budget, name: str = _WITH_PROOFS) -> list[tuple[int, ...]] | None:
    """Return the clauses that a solver learned, in order, until *clauses* were contradictory; None if they can hold.

    It runs in slices of conflicts if *budget* has limits, and raises Incomplete when one is met.

    Each follows by unit propagation from *clauses* and the learned ones before it: they are the additions of a DRUP
    proof (E. Goldberg, Y. Novikov, 2003; M. Heule, W. Hunt, N. Wetzler, 2013). *name* is a solver of python-sat.
    """
    from pysat.solvers import Solver

    solver: Any
    with Solver(name=name, bootstrap_with=[list(clause) for clause in clauses], with_proof=True) as solver:
        if _can_hold(solver, budget):
            return None
        lines: list[str] = solver.get_proof() or []
    # Lines that start with "d" delete clauses, which only speeds up a checker. The literals of a line end with 0.
    steps = (tuple(map(int, line.split()[:-1])) for line in lines if not line.startswith("d"))
    return [step for step in steps if step]


def _can_hold(solver: Any, budget: Budget) -> bool:
    if not budget.limited:
        return bool(solver.solve())
    spent = 0
    while True:
        conflicts = budget.slice(spent)
        solver.conf_budget(conflicts)
        answer: bool | None = solver.solve_limited()
        if answer is not None:
            return answer
        spent += conflicts
