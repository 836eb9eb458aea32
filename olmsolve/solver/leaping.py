"""Leaps over independent cores on the way to the preferred one.

A thousand subscriptions that each lack a provider are a thousand cores. A descent that meets the last of them first,
and then the last but one, asks a question about the whole problem for each. After a few such steps a leap looks for
the shortest beginning of the problem that is contradictory, by halving::

    core with the last member (BLOCK, 800); no contradiction is known before (BLOCK, 0)
    before (BLOCK, 400)?  contradictory: the last member of its core is (BLOCK, 399)
    before (BLOCK, 199)?  contradictory: ... and so on, ten questions instead of eight hundred

A leap saves questions and cannot change the result: each core that it returns ends no later than the one before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from olmsolve.solver.constraints import GroupName
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank

_Probe: TypeAlias = Callable[[Rank, AbstractSet[Rank]], set[Rank] | None]

# Most cores are found in fewer steps, and then halving would only add questions.
_STEPS: Final = 6


class Leaps:
    """The steps of one descent on the cores of *problem*, and the leaps that replace a long row of them."""

    def __init__(self, problem: CachedProblem) -> None:
        self._problem = problem
        self._steps = 0
        self._groups: list[GroupName] | None = None

    def follow(self, core: set[Rank], found: AbstractSet[Rank], probe: _Probe) -> set[Rank]:
        """Return *core*, or, after several steps, one whose last member outside *found* comes first, or one rank later.

        *probe* returns a core of everything before a rank, together with *found*; None if that can hold together.
        """
        self._steps += 1
        if self._steps < _STEPS:
            return core
        self._steps = 0
        low: Rank = (ROOT, 0)
        while core - found:
            middle = self._between(low, max(core - found))
            if middle is None:
                break
            smaller = probe(middle, found)
            if smaller is None:
                low = middle
            else:
                core = smaller
        return core

    def _between(self, low: Rank, high: Rank) -> Rank | None:
        """Return a rank about halfway from *low* to *high*, excluding both; None if there is none.

        Blocks and roots are halved by number, groups by name.
        """
        kind = high[0]
        if kind == GROUP:
            if low[0] < GROUP:
                # Before this rank are all blocks and no groups.
                return (GROUP,)
            groups = self._sorted_groups()
            first = bisect_right(groups, low[1]) if len(low) > 1 else 0
            left = bisect_left(groups, high[1]) - first
            return (GROUP, groups[first + left // 2]) if left > 0 else None
        begin = low[1] if low[0] == kind else 0
        middle = (begin + high[1]) // 2
        return (kind, middle) if middle > begin or (kind == BLOCK and low[0] < BLOCK) else None

    def _sorted_groups(self) -> list[GroupName]:
        if self._groups is None:
            self._groups = sorted(self._problem.met_groups())
        return self._groups
