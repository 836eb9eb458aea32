"""Preferences for optimisers: the preferred solution level by level, and the preferences of roots as weights.

No fixed weights say which solution is preferred, because the candidate that one choice takes decides about later
choices. So each level asks the clauses, with what was taken so far as units, for a model in which the first true
candidate of one choice comes as early as possible. Where the model at hand has the first candidate, nothing is asked::

    choice of x, y, z    p: neither... of the first one is true     x ∨ p
                         q: of the first two                        ¬p ∨ y ∨ q
    the fewest of p, q are true: 0 takes x, 1 takes y, 2 takes z

An optimiser that is asked once gets the preferences of roots alone, as weights. Roots choose in their order, each the
first of its candidates that can be. So a place lost by one root weighs more than all places that later roots can lose.
Three roots with 2, 3 and 4 candidates::

    weight of one place   12 = 3 * 4   4   1
    highest cost          12 + 2 * 4 + 3 * 1 = 23 = 2 * 3 * 4 - 1

The optimum therefore has the first root at its best place, then the second, and so on. Weights grow with the product of
the lists; where that passes 63 bits, which most optimisers calculate with, only the first roots have weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, TypeAlias

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.clauses.cnf import CNF, BranchOf
from olmsolve.solver.constraints import Identifier
from olmsolve.solver.problem import CachedProblem, Problem, Root
from olmsolve.solver.queue import Solution, choices_of, met_by, root_choices, solution_of


class Level(NamedTuple):
    """One question: the clauses of *cnf*, the variables *fixed* are true, and the first of *candidates* counts most."""

    cnf: CNF
    fixed: tuple[int, ...]
    candidates: tuple[int, ...]


Optimiser: TypeAlias = Callable[[Level], Collection[int] | None]
"""A function from a level to the true variables of the model with the earliest true candidate; None for no model."""


class NoOptimumError(ValueError):
    """An optimiser returned no model where there is one, or a model in which no candidate is true."""


def preferred_by(problem: Problem, optimise: Optimiser) -> Solution | None:
    """Return the preferred solution of *problem* that *optimise* finds; None where its clauses have no model.

    Raises:
        NoOptimumError: *optimise* contradicts itself.
    """
    # Branches are equal by identity, so both the clauses and the queue read the same constraints.
    cached = CachedProblem(problem)
    cnf = CNF(cached)
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
                raise NoOptimumError("there was a model, and then no model with its selections")
        best = next((position for position, variable in enumerate(candidates) if variable in model), None)
        if best is None:
            raise NoOptimumError("a model selects no candidate of a choice")
        queued.taken, queued.answer = True, queued.candidates[best]
        taken[queued.answer] = None
        fixed.append(candidates[best])
        constraints = cached.constraints(queued.answer)
        queue.extend(choices_of(queued.answer, constraints, queued))
    return solution_of(taken, queue)


_HIGHEST: Final = 2**62
"""No sum of weights is above this: with it, the weight of a hard clause still fits into 63 bits."""


class LostPlace(NamedTuple):
    """A variable for optimisers, above all of the clauses: *root* selects none of its first *lost* candidates.

    The *literals* of its clause make it true then; while it is true, an assignment pays *weight*.
    """

    variable: int
    root: Root
    lost: int
    literals: tuple[int, ...]
    weight: int


class RootWeights:
    """The weights of the first *carried* of *choosing* roots, the ones with several candidates.

    *highest* is the cost of an assignment in which each of them takes its last candidate.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        choosing = [root for root in roots if len(root.candidates) > 1]
        self.choosing: Final = len(choosing)
        product = 1
        self._roots: list[Root] = []
        for root in choosing:
            if product * len(root.candidates) > _HIGHEST:
                break
            product *= len(root.candidates)
            self._roots.append(root)
        self.carried: Final = len(self._roots)
        self.highest: Final = product - 1

    def __len__(self) -> int:
        """Return the number of lost places."""
        return sum(len(root.candidates) - 1 for root in self._roots)

    def places(self, variable_of: Callable[[Identifier], int], first: int) -> Iterator[LostPlace]:
        """Yield the lost places with the variables *first*, *first* + 1, ...

        For a root with candidates 7, 8, 9 and variables from 20 on the clauses are ``7 20`` and ``-20 8 21``.
        """
        weight = self.highest + 1
        variable = first
        for root in self._roots:
            weight //= len(root.candidates)
            before: tuple[int, ...] = ()
            for count, candidate in enumerate(root.candidates[:-1], start=1):
                literals = (*before, variable_of(candidate), variable)
                yield LostPlace(variable, root, count, literals, weight)
                before = (-variable,)
                variable += 1
