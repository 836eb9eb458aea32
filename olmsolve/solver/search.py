"""The preferred solution of a lazy problem.

The solution is defined by a queue of choices, taken breadth first. The queue starts with the roots. A choice
that an earlier selection meets is passed over; otherwise its *first candidate that is consistent with
everything* (full satisfiability) is selected, and the candidate's own choices join the back of the queue.
What the queue has selected when it is empty is the solution.

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

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from olmsolve.solver.backends import DEFAULT, require
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Identifier,
    Mandatory,
    Tree,
)
from olmsolve.solver.core import preferred_core
from olmsolve.solver.problem import Problem
from olmsolve.solver.relaxation import Relaxation
from olmsolve.solver.selection import Selection, Violation

__all__ = ["Chosen", "Core", "Solution", "solve"]

# How many candidates are tried between two looks at the clock.
_TRIES_PER_CHECK: Final = 256

_Choosing: TypeAlias = Mandatory | Dependency | Choice | FirstOf


@attrs.frozen
class Chosen:
    """A choice that was met: by selecting *identifier*, or (*selected_before*) by an earlier selection of it.

    *subject* is whose choice it was (None: the request's), *origin* what the constraint carried.
    """

    identifier: Identifier
    subject: Identifier | None
    origin: object
    selected_before: bool


@attrs.frozen
class Solution:
    """The preferred solution: *selected* in the order of their selection, and how each choice was met."""

    selected: tuple[Identifier, ...]
    choices: tuple[Chosen, ...]


@attrs.frozen
class Core:
    """There is no solution: *constraints* cannot hold together, and each of them is needed for that."""

    constraints: tuple[Constraint, ...]


def solve(problem: Problem, *, backend: str = DEFAULT, budget: Budget | None = None) -> Solution | Core:
    """The preferred solution of *problem*, or its preferred minimal core.

    Both are functions of the problem alone, the same on every backend.

    Raises:
        BackendError: there is no such backend, or it cannot keep the limits that *budget* sets.
        Incomplete: the budget ran out.
    """
    budget = budget or Budget()
    require(backend, limited=budget.limited)
    budget.check()
    search = _Search(problem, backend, budget)
    try:
        solution = search.run()
    finally:
        search.close()
    return solution or Core(preferred_core(problem, backend=backend, budget=budget))


class _Item:
    """A choice in the queue, and how it was met: by *answer*, which is candidate number *place* if it was taken."""

    __slots__ = ("answer", "candidates", "choosing", "origin", "place", "subject", "suspect", "taken")

    def __init__(self, choosing: _Choosing, subject: Identifier | None, origin: object) -> None:
        self.choosing = choosing
        self.subject = subject
        self.origin = origin
        self.candidates = _candidates(choosing)
        self.place = 0
        self.answer: Identifier | None = None
        self.taken = False
        # The candidate before was rejected by a solver; the next is often wrong for the same reason.
        self.suspect = False


class _Search:
    """The queue with everything decided so far."""

    def __init__(self, problem: Problem, backend: str, budget: Budget) -> None:
        self._problem = problem
        self._backend = backend
        self._budget = budget
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        self._relaxation: Relaxation | None = None
        self._selection = Selection([root for root in problem.roots if isinstance(root, AtMost)])
        self._items = [_Item(root, None, root.origin) for root in problem.roots if not isinstance(root, AtMost)]
        # For each selection: the position of its choice in the queue, and the queue's length before.
        self._decisions: list[tuple[int, int]] = []
        self._tries = 0

    def close(self) -> None:
        if self._relaxation is not None:
            self._relaxation.close()

    def run(self) -> Solution | None:
        """The preferred solution, None if there is none."""
        for item in self._items:
            if isinstance(item.choosing, Dependency):
                self._selection.require(item.choosing)
        position = 0
        while position < len(self._items):
            if self._take(position):
                position += 1
            else:
                rejected = self._dead_end(position)
                if rejected is None:
                    return None
                position = self._reject(rejected)
        items = [item for item in self._items if item.answer is not None and not isinstance(item.answer, Branch)]
        return Solution(
            tuple(identifier for identifier in self._selection.selected if not isinstance(identifier, Branch)),
            tuple(Chosen(item.answer, item.subject, item.origin, not item.taken) for item in items),
        )

    def constraints_of(self, identifier: Identifier) -> Sequence[Constraint]:
        """The constraints of an identifier of the problem, or of a branch of a formula."""
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                constraints = (Formula(identifier, identifier.tree),)
            else:
                constraints = self._problem.constraints(identifier)
            self._constraints[identifier] = constraints
        return constraints

    def _take(self, position: int) -> bool:
        """Meet the choice at *position*, going on from the candidate where it stands; False at a dead end."""
        item = self._items[position]
        selection = self._selection
        item.taken = False
        item.answer = _met(item, selection.selected)
        if item.answer is not None:
            return True
        candidates = item.candidates
        known: dict[int, tuple[Violation, ...]] = {}
        for place in range(item.place, len(candidates)):
            self._tries += 1
            if self._tries % _TRIES_PER_CHECK == 0:
                self._budget.check()
            candidate = candidates[place]
            constraints = self.constraints_of(candidate)
            if selection.violation(candidate, constraints) is None and not self._refuted(item, candidate, known):
                item.suspect = False
                item.place, item.answer, item.taken = place, candidate, True
                self._decisions.append((position, len(self._items)))
                selection.select(candidate, constraints)
                self._items.extend(_choices(candidate, constraints, item))
                return True
        return False

    def _refuted(self, item: _Item, candidate: Identifier, known: dict[int, tuple[Violation, ...]]) -> bool:
        """Whether *candidate*, which breaks nothing at once, is seen to be impossible all the same.

        This is looked for only after a first dead end, since most requests have none.
        """
        relaxation = self._relaxation
        if relaxation is None:
            return False
        selection = self._selection
        if selection.hopeless(candidate, self.constraints_of(candidate), self.constraints_of, known) is not None:
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
            relaxation = Relaxation(self._problem.roots, self.constraints_of, self._backend, self._budget)
            self._relaxation = relaxation
        selected = list(self._selection.selected)
        for identifier in selected:
            relaxation.expand(identifier)
        item = self._items[position]
        known: dict[int, tuple[Violation, ...]] = {}
        for candidate in item.candidates:
            constraints = self.constraints_of(candidate)
            violation = self._selection.violation(candidate, constraints)
            violation = violation or self._selection.hopeless(candidate, constraints, self.constraints_of, known)
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


def _candidates(choosing: _Choosing) -> Sequence[Identifier]:
    if isinstance(choosing, Mandatory):
        return (choosing.subject,)
    if isinstance(choosing, FirstOf):
        return choosing.branches
    return choosing.candidates


def _met(item: _Item, selected: dict[Identifier, None]) -> Identifier | None:
    """What meets a choice already, None if nothing does."""
    if not selected.keys().isdisjoint(item.candidates):
        return next(candidate for candidate in item.candidates if candidate in selected)
    if isinstance(item.choosing, FirstOf):
        for branch in item.choosing.branches:
            if _holds(branch.tree, selected):
                return branch
    return None


def _holds(tree: Tree, selected: dict[Identifier, None]) -> bool:
    """Whether *tree* is met by what is selected, whatever will be: an exclusion only if nothing can break it."""
    if isinstance(tree, Choice):
        return not selected.keys().isdisjoint(tree.candidates)
    if isinstance(tree, Every):
        return all(_holds(part, selected) for part in tree.parts)
    if isinstance(tree, Exclusion):
        return not tree.excluded
    return any(branch in selected or _holds(branch.tree, selected) for branch in tree.branches)


def _choices(candidate: Identifier, constraints: Sequence[Constraint], item: _Item) -> Iterator[_Item]:
    """The choices that selecting *candidate* for *item* brings, in order."""
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            yield _Item(constraint, candidate, constraint.origin)
        elif isinstance(constraint, Formula):
            if isinstance(candidate, Branch):
                # A branch speaks for the bundle whose formula it belongs to.
                yield from _leaves(constraint.tree, item.subject, item.origin)
            else:
                yield from _leaves(constraint.tree, candidate, constraint.origin)


def _leaves(tree: Tree, subject: Identifier | None, origin: object) -> Iterator[_Item]:
    if isinstance(tree, Every):
        for part in tree.parts:
            yield from _leaves(part, subject, origin)
    elif not isinstance(tree, Exclusion):
        yield _Item(tree, subject, origin)
