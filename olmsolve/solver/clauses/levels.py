"""The preferred solution by any optimiser: one question for each choice of the queue, each about the ones before it.

No fixed weights say which solution is preferred, because the candidate that one choice takes decides about later
choices. So each level asks the clauses, with what was taken so far as units, for a model in which the first true
candidate of one choice comes as early as possible. Where the model at hand has the first candidate, nothing is asked::

    choice of x, y, z    p: neither... of the first one is true     x ∨ p
                         q: of the first two                        ¬p ∨ y ∨ q
    the fewest of p, q are true: 0 takes x, 1 takes y, 2 takes z
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeAlias

from olmsolve._limits import checked
from olmsolve.solver.answer import Solution
from olmsolve.solver.clauses.cnf import CNF, BranchOf
from olmsolve.solver.constraints import Identifier
from olmsolve.solver.problem import CachedProblem, Problem
from olmsolve.solver.queue import choices_of, met_by, root_choices, solution_of


class Level(NamedTuple):
    """One question: the clauses of *cnf*, the variables *fixed* are true, and the first of *candidates* counts most."""

    cnf: CNF
    fixed: tuple[int, ...]
    candidates: tuple[int, ...]


Optimiser: TypeAlias = Callable[[Level], Collection[int] | None]
"""A function from a level to the true variables of the model with the earliest true candidate; None for no model."""


class NoOptimumError(ValueError):
    """An optimiser returned no model where there is one, or a model in which no candidate is true."""


def preferred_by(problem: Problem, optimise: Optimiser, further: Sequence[Identifier] = ()) -> Solution | None:
    """Return the preferred solution of *problem* that *optimise* finds; None where its clauses have no model.

    Raises:
        NoOptimumError: *optimise* contradicts itself.
    """
    # Branches are equal by identity, so both the clauses and the queue read the same constraints.
    cached = CachedProblem(problem)
    cnf = CNF(cached, further)
    variables: dict[Identifier, int] = {identifier: number for number, identifier in enumerate(cnf.identifiers, 1)}
    for variable in range(len(cnf.identifiers) + 1, cnf.variable_count + 1):
        meaning = cnf.meaning(variable)
        if isinstance(meaning, BranchOf):
            variables[meaning.branch] = variable
    queue = root_choices(cached.roots)
    taken: dict[Identifier, None] = {}
    fixed: list[int] = []
    model: Collection[int] | None = optimise(Level(cnf, (), ()))
    if model is None:
        return None
    for queued in checked(queue, every=16):  # more choices join while the loop runs
        queued.answer = met_by(queued, taken)
        if queued.answer is not None:
            continue
        candidates = tuple([variables[candidate] for candidate in queued.candidates])
        if candidates[0] not in model:
            model = optimise(Level(cnf, tuple(fixed), candidates))
            if model is None:
                raise NoOptimumError("there was a model, and then none beside what it selects")
        found = next((position for position, variable in enumerate(candidates) if variable in model), None)
        if found is None:
            raise NoOptimumError("a model has none of the candidates of a choice")
        queued.taken, queued.answer = True, queued.candidates[found]
        taken[queued.answer] = None
        fixed.append(candidates[found])
        constraints = cached.constraints(queued.answer)
        queue.extend(choices_of(queued.answer, constraints, queued))
    return solution_of(taken, queue)
