"""A compiled request whose optimum is the preferred plan: level by level, with the optimiser of the caller's choice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.resolving import resolution_of
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import DEFAULT
from olmsolve.solver.clauses import Level, Lines, NoOptimumError, Soft, TextClause, opb, preferred_by, wcnf


@attrs.frozen
class CompiledLevel:
    """One question to an optimiser: the best model of the clauses has the lowest cost, the number of true *places*.

    ``variables`` is the number of variables, places included. ``clauses`` yields all clauses that must hold: the
    clauses of the request, a unit for each candidate that earlier levels took, and the clauses of the places. Place *n*
    is true where none of the first *n* candidates of the choice is.
    """

    _level: Level

    @property
    def places(self) -> tuple[int, ...]:
        """The variables that cost 1 each where they are true; none at the first level, which takes any model."""
        first = self._level.cnf.variable_count + 1
        return tuple(range(first, first + max(0, len(self._level.candidates) - 1)))

    @property
    def variables(self) -> int:
        """The number of variables, the places included."""
        return self._level.cnf.variable_count + len(self.places)

    def further(self) -> Iterator[tuple[int, ...]]:
        """Yield the clauses that the level adds, for solvers that keep the clauses of the request."""
        yield from ((variable,) for variable in self._level.fixed)
        before: tuple[int, ...] = ()
        for candidate, place in zip(self._level.candidates, self.places, strict=False):
            # Candidates 1, 2, 3 have the places 11, 12 and the clauses (1, 11), (-11, 2, 12), (-12, 3): a place is true
            # once all candidates before it are passed over.
            yield (*before, candidate, place)
            before = (-place,)
        if before:
            yield (*before, self._level.candidates[-1])

    def clauses(self) -> Iterator[tuple[int, ...]]:
        """Yield all clauses that must hold."""
        yield from (clause.literals for clause in self._level.cnf.clauses())
        yield from self.further()

    def to_wcnf(self) -> Lines:
        """Yield the level as the lines of a WCNF file."""
        soft = [Soft(-place, 1) for place in self.places]
        return wcnf((), self.variables, self._count(), self._text(), soft, len(soft))

    def to_opb(self) -> Lines:
        """Yield the level as the lines of an OPB file."""
        costs = [Soft(place, 1) for place in self.places]
        return opb((), self.variables, self._count(), self._text(), costs)

    def _count(self) -> int:
        return self._level.cnf.clause_count + sum(1 for _ in self.further())

    def _text(self) -> Iterator[TextClause]:
        return (TextClause(literals, "") for literals in self.clauses())


LevelOptimiser: TypeAlias = Callable[[CompiledLevel], "Iterable[int] | None"]
"""A function from a level to the literals of its best model; None where the clauses have no model."""


def preferred_plan(problem: ClassicProblem, optimise: LevelOptimiser) -> Resolution | None:
    """Return the preferred plan of *problem*, which *optimise* finds level by level; None where there is no plan.

    Raises:
        RequestError: *optimise* contradicts itself.
    """

    def true_variables(level: Level) -> Collection[int] | None:
        model = optimise(CompiledLevel(level))
        return None if model is None else {literal for literal in model if literal > 0}

    try:
        solution = preferred_by(problem, true_variables)
    except NoOptimumError as error:
        raise RequestError(str(error), field="optimise", hint="it returns the best model of each level") from None
    return None if solution is None else resolution_of(problem, solution, DEFAULT)
