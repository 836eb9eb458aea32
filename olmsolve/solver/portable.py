"""The portable search: the queue of choices, with any SAT solver for its dead ends.

The search takes the queue's choices optimistically. It passes over a candidate only when that breaks a
constraint together with what is selected already (see :mod:`olmsolve.solver.selection`), and selects the first
other one. Where it gets through, the complete selection proves each acceptance and the broken constraint each
rejection, so the selection is the solution, and no SAT solver was asked.

At a dead end something was accepted too early. (From then on the search also looks whether what a candidate
requires could be met at all.) What is selected is encoded, with the constraints that the
candidates of the dead end break, and the solver names selections that cannot stand together. Let *i* be the
last of these. If the selections before *i* can stand together, then *i* is rejected: its choice goes on with
its next candidate, everything after it is taken back. If not, the solver has named earlier ones: again. When
it names none, there is no solution, because what is encoded follows from the problem. Sets that were named are
remembered, so that the search does not run into them again.

Nothing rejects a candidate but a proof that holds for the selections before it. So what is left at the end is
the solution by its definition, on every backend. The cost follows the neighbourhood of the answer and not the
size of the problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from olmsolve.solver.answer import Solution
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import AtMost, Dependency, Identifier
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.queue import QueuedChoice, choices, met, roots, solution
from olmsolve.solver.relaxation import Relaxation
from olmsolve.solver.selection import Selection, Violation

__all__ = ["glance", "search"]

# How many candidates are tried between two looks at the clock.
_TRIES_PER_CHECK: Final = 256


def search(problem: CachedProblem, backend: str, budget: Budget) -> Solution | None:
    """The preferred solution of *problem*, None if there is none. Raises Incomplete when the budget runs out."""
    searching = _PortableSearch(problem, backend, budget)
    try:
        return searching.run()
    finally:
        searching.close()


def glance(problem: CachedProblem, budget: Budget) -> Solution | None:
    """The preferred solution if the search finds it without a dead end; None says nothing.

    What is never taken back needs no record of how to do that.
    """
    selection, items = _begin(problem)
    selected, constraints_of, violation = selection.selected, problem.constraints, selection.violation
    tries = 0
    for item in items:  # more join while it goes on
        item.answer = met(item, selected)
        if item.answer is not None:
            continue
        for candidate in item.candidates:
            tries += 1
            if tries % _TRIES_PER_CHECK == 0:
                budget.check()
            constraints = constraints_of(candidate)
            if violation(candidate, constraints) is None:
                item.answer, item.taken = candidate, True
                selection.select(candidate, constraints)
                items.extend(choices(candidate, constraints, item))
                break
        else:
            return None
    return solution(selected, items)


def _begin(problem: CachedProblem) -> tuple[Selection, list[QueuedChoice]]:
    """Nothing selected yet, and the queue with the choices of the roots."""
    items = roots(problem.roots)
    limits: Sequence[AtMost] = ()
    if len(items) < len(problem.roots):
        limits = [root for root in problem.roots if isinstance(root, AtMost)]
    selection = Selection(limits)
    for item in items:
        if isinstance(item.choosing, Dependency):
            selection.require(item.choosing)
    return selection, items


class _PortableSearch:
    """The queue with everything decided so far."""

    def __init__(self, problem: CachedProblem, backend: str, budget: Budget) -> None:
        self._problem = problem
        self._backend = backend
        self._budget = budget
        self._relaxation: Relaxation | None = None
        self._selection, self._items = _begin(problem)
        # For each selection: the position of its choice in the queue, and the queue's length before.
        self._decisions: list[tuple[int, int]] = []
        self._tries = 0

    def close(self) -> None:
        if self._relaxation is not None:
            self._relaxation.close()

    def run(self) -> Solution | None:
        """The preferred solution, None if there is none."""
        position = 0
        while (dead_end := self._advance(position)) is not None:
            rejected = self._dead_end(dead_end)
            if rejected is None:
                return None
            position = self._reject(rejected)
        return solution(self._selection.selected, self._items)

    def _advance(self, position: int) -> int | None:
        """Meet the choices from *position* on; that of a dead end, None if all are met."""
        while position < len(self._items):
            if not self._take(position):
                return position
            position += 1
        return None

    def _take(self, position: int) -> bool:
        """Meet the choice at *position*, going on from the candidate where it stands; False at a dead end."""
        item = self._items[position]
        selection = self._selection
        item.taken = False
        item.answer = met(item, selection.selected)
        if item.answer is not None:
            return True
        candidates = item.candidates
        known: dict[int, tuple[Violation, ...]] = {}
        for place in range(item.place, len(candidates)):
            self._tries += 1
            if self._tries % _TRIES_PER_CHECK == 0:
                self._budget.check()
            candidate = candidates[place]
            constraints = self._problem.constraints(candidate)
            if selection.violation(candidate, constraints) is None and not self._refuted(item, candidate, known):
                item.suspect = False
                item.place, item.answer, item.taken = place, candidate, True
                self._decisions.append((position, len(self._items)))
                selection.select(candidate, constraints)
                self._items.extend(choices(candidate, constraints, item))
                return True
        return False

    def _refuted(self, item: QueuedChoice, candidate: Identifier, known: dict[int, tuple[Violation, ...]]) -> bool:
        """Whether *candidate*, which breaks nothing at once, is seen to be impossible all the same.

        This is looked for only after a first dead end, since most requests have none.
        """
        relaxation = self._relaxation
        if relaxation is None:
            return False
        selection = self._selection
        if (
            selection.hopeless(candidate, self._problem.constraints(candidate), self._problem.constraints, known)
            is not None
        ):
            return True
        if not item.suspect:
            return False
        relaxation.expand(candidate)
        selected = [*selection.selected, candidate]
        conflict = relaxation.conflict(selected)
        if conflict is None:
            return False
        selection.forbid(frozenset(selected[number] for number in conflict))
        return True

    def _dead_end(self, position: int) -> int | None:
        """Which selection (its number) to reject, None if there is no solution."""
        relaxation = self._relaxation
        if relaxation is None:
            relaxation = Relaxation(self._problem.roots, self._problem.constraints, self._backend, self._budget)
            self._relaxation = relaxation
        selected = list(self._selection.selected)
        for identifier in selected:
            relaxation.expand(identifier)
        item = self._items[position]
        known: dict[int, tuple[Violation, ...]] = {}
        for candidate in item.candidates:
            constraints = self._problem.constraints(candidate)
            violation = self._selection.violation(candidate, constraints)
            violation = violation or self._selection.hopeless(candidate, constraints, self._problem.constraints, known)
            if violation is not None:
                relaxation.learn(violation)
        conflict = relaxation.conflict(selected)
        assert conflict is not None, "the clauses of a dead end must show it"
        while conflict:
            self._selection.forbid(frozenset(selected[number] for number in conflict))
            last = conflict[-1]
            earlier = relaxation.conflict(selected[:last])
            if earlier is None:
                return last
            conflict = earlier
        return None

    def _reject(self, number: int) -> int:
        """Take back the selections from *number* on, and go on after that candidate; the choice's position."""
        while len(self._decisions) > number:
            position, length = self._decisions.pop()
            self._selection.take_back()
        del self._items[length:]
        for item in self._items[position + 1 :]:
            item.place = 0
        self._items[position].place += 1
        self._items[position].suspect = True
        return position
