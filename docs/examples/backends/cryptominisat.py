"""CryptoMiniSat, through the package pycryptosat: a class with assumptions and cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class CryptoMiniSat:
    def __init__(self) -> None:
        import pycryptosat

        self._solver: Any = pycryptosat.Solver()
        self._model: list[int] = []

    def add_clause(self, literals: Sequence[int]) -> None:
        self._solver.add_clause(list(literals))

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        # Every variable must be in a clause before it is assumed.
        self._solver.add_clauses([[literal, -literal] for literal in assumptions])
        holds, values = self._solver.solve(list(assumptions))
        self._model = [variable for variable, value in enumerate(values or ()) if value]
        return bool(holds)

    def model(self) -> Sequence[int]:
        return self._model

    def core(self) -> Sequence[int]:
        return [-literal for literal in self._solver.get_conflict()]
