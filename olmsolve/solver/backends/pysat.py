"""The solvers of python-sat, and the refutations that can be checked: the clauses that one learned on its way to them.

No other module imports pysat, which ships no types.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pysat.solvers import Solver, SolverNames

from olmsolve.solver.budget import Budget

# These try "true" first, so the phases are set to "false": a model that selects without need pulls the constraints of
# its selections into a lazily encoded problem.
_TRUE_FIRST: Final = frozenset({"cadical153", "cadical195", "cadical300"})

# CaDiCaL simplifies between conflicts and before the first, for seconds with 100,000 candidates, and no limit ends
# that. The questions of a search are many and short, so that it does not pay either.
_WITHOUT_SIMPLIFYING: Final = {"inprocessing": 0, "lucky": 0, "walk": 0}
_CONFIGURED: Final = frozenset({"cadical153", "cadical195", "cadical300"})

# MapleSAT ends the whole process when it is asked before it has a variable.
_NEEDS_A_VARIABLE: Final = frozenset(SolverNames.maplesat)

# A solver of python-sat that writes proofs; the one that searches by default does not.
_WITH_PROOFS: Final = "glucose4"


# Each new solver asks: 4.6 µs to gather them, a tenth of a microsecond to look them up.
@functools.cache
def names() -> frozenset[str]:
    """Return every name that the installed python-sat has for a solver."""
    groups = (group for key, group in vars(SolverNames).items() if not key.startswith("_"))
    return frozenset(name for group in groups for name in group)


class PySATSolver:
    """One of python-sat's solvers as a :class:`~olmsolve.solver.backends.Backend`."""

    __slots__ = ("_phased", "_solver", "add_clause", "name")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self._solver: Any = Solver(name=name)
        if name in _CONFIGURED:
            self._solver.configure(_WITHOUT_SIMPLIFYING)
        # The method of the very solver: one more call for each clause is 7 % of the answer of a hard problem of 20,000
        # bundles.
        self.add_clause: Callable[[Sequence[int]], object] = self._solver.solver.add_clause
        """Require one of some literals."""
        self._phased = 0
        if name in _NEEDS_A_VARIABLE:
            self.add_clause([1, -1])

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*; None if *conflicts* do not suffice."""
        self._turn_phases()
        if conflicts is None:
            answer: bool | None = self._solver.solve(assumptions=assumptions)
        else:
            self._solver.conf_budget(conflicts)
            answer = self._solver.solve_limited(assumptions=assumptions)
        return answer

    def model(self) -> Sequence[int]:
        """Return the literals of the model after a True, by variable."""
        model: list[int] | None = self._solver.get_model()
        return model or ()

    def core(self) -> Sequence[int]:
        """Return the assumptions of the core after a False."""
        core: list[int] | None = self._solver.get_core()
        return core or ()

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.delete()

    def _turn_phases(self) -> None:
        """Make the solver try "false" first for variables that are new since the last call."""
        if self.name in _TRUE_FIRST:
            count = self._solver.nof_vars()
            if count > self._phased:
                self._solver.set_phases([-variable for variable in range(self._phased + 1, count + 1)])
                self._phased = count


def learned(clauses: Iterable[Sequence[int]], budget: Budget, name: str = _WITH_PROOFS) -> list[tuple[int, ...]] | None:
    """Return the clauses that a solver learned, in order, until *clauses* were contradictory; None if they can hold.

    It runs in slices of conflicts if *budget* has limits, and raises Incomplete when one is met.

    Each follows by unit propagation from *clauses* and the learned ones before it: they are the additions of a DRUP
    proof (E. Goldberg, Y. Novikov, 2003; M. Heule, W. Hunt, N. Wetzler, 2013). *name* is a solver of python-sat.
    """
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
