"""python-sat's solvers. The only importer of pysat, which ships no types."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

from pysat.solvers import Solver, SolverNames

__all__ = ["PySATSolver", "names"]

# Suitable are those that take assumptions and give a core. Kissat does neither, CryptoMiniSat is an optional
# build, and the cardinality solvers are used as plain ones.
_SUITABLE: Final = (
    "cadical103",
    "cadical153",
    "cadical195",
    "gluecard3",
    "gluecard4",
    "glucose3",
    "glucose4",
    "glucose42",
    "lingeling",
    "maplechrono",
    "maplecm",
    "maplesat",
    "mergesat3",
    "minicard",
    "minisat22",
    "minisat-gh",
)
# No way to stop a running Lingeling, and no way to steer phases of the first.
_UNSLICEABLE: Final = frozenset({"lingeling"})
_WITHOUT_PHASES: Final = frozenset({"cadical103"})
# These try "true" first. Models that select nothing without need keep lazily encoded problems small.
_TRUE_FIRST: Final = frozenset({"cadical153", "cadical195"})


@functools.cache
def names() -> tuple[str, ...]:
    """The suitable solvers that this python-sat has."""
    known = {
        alias for key, group in vars(SolverNames).items() if not key.startswith("_") for alias in (key, *group)
    }
    return tuple(name for name in _SUITABLE if name in known)


class PySATSolver:
    """One of python-sat's solvers as a :class:`~olmsolve.solver.backends.Backend`."""

    __slots__ = ("_add", "_phased", "_solver", "name", "sliceable")

    def __init__(self, name: str) -> None:
        self.name = name
        self.sliceable = name not in _UNSLICEABLE
        self._solver: Any = Solver(name=name)
        self._add = self._solver.add_clause
        self._phased = 0

    def add_clause(self, literals: Sequence[int]) -> None:
        self._add(literals)

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        self._turn_phases()
        if conflicts is None or not self.sliceable:
            answer: bool | None = self._solver.solve(assumptions=assumptions)
            return answer
        self._solver.conf_budget(conflicts)
        answer = self._solver.solve_limited(assumptions=assumptions)
        return answer

    def model(self) -> Sequence[int]:
        model: list[int] | None = self._solver.get_model()
        return model or ()

    def core(self) -> Sequence[int]:
        core: list[int] | None = self._solver.get_core()
        return core or ()

    def prefer(self, literals: Sequence[int]) -> None:
        self._turn_phases()
        if self.name not in _WITHOUT_PHASES:
            self._solver.set_phases(literals)

    def _turn_phases(self) -> None:
        if self.name in _TRUE_FIRST:
            count = self._solver.nof_vars()
            if count > self._phased:
                self._solver.set_phases([-variable for variable in range(self._phased + 1, count + 1)])
                self._phased = count

    def close(self) -> None:
        self._solver.delete()
