"""The preferences of roots as weights, for optimisers, which look for the assignment of the least cost.

Roots choose in their order, each the first of its candidates that can be. So a place lost by one root weighs more than
all places that later roots can lose. Three roots with 2, 3 and 4 candidates::

    weight of one place   12 = 3 * 4   4   1
    highest cost          12 + 2 * 4 + 3 * 1 = 23 = 2 * 3 * 4 - 1

The optimum therefore has the first root at its best place, then the second, and so on. Weights grow with the product of
the lists; where that passes 63 bits, which most optimisers calculate with, only the first roots have weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from olmsolve.solver.constraints import Dependency, Identifier
from olmsolve.solver.problem import Root

_HIGHEST: Final = 2**62
"""No sum of weights is above this: with it, the weight of a hard clause still fits into 63 bits."""


class LostPlace(NamedTuple):
    """A variable for optimisers, above those of the clauses: *root* selects none of its first *lost* candidates.

    The *literals* of its clause make it true then; while it is true, an assignment pays *weight*.
    """

    variable: int
    root: Dependency
    lost: int
    literals: tuple[int, ...]
    weight: int


class RootWeights:
    """The weights of the first *carried* of *choosing* roots, the ones with several candidates.

    *highest* is the cost of an assignment in which each of them takes its last candidate.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        choosing = [root for root in roots if isinstance(root, Dependency) and len(root.candidates) > 1]
        self.choosing: Final = len(choosing)
        product = 1
        self._roots: list[Dependency] = []
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
