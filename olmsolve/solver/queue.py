"""The queue of choices that defines the preferred solution, as both engines walk it; and the answers of the solver.

The queue starts with the roots. A choice that an earlier selection meets is passed over; otherwise its *first
candidate that is consistent with everything* is selected, and the candidate's own choices join the back.

A glance is the first walk of the queue, and an optimistic one: it passes over a candidate only if selecting it breaks a
constraint together with earlier selections (see :mod:`olmsolve.solver.selection`), and it takes nothing back. Most
requests end with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Identifier,
    Limit,
    Mandatory,
    Tree,
)
from olmsolve.solver.problem import CachedProblem, Root
from olmsolve.solver.selection import Selection, Violation


class Chosen(NamedTuple):
    """A choice and the candidate that met it.

    The choice selected *identifier*, or found it selected already (*selected_before*). *subject* brought the choice
    (None: it is a root), *origin* was carried by its constraint.
    """

    identifier: Identifier
    subject: Identifier | None
    origin: object
    selected_before: bool


class Solution(NamedTuple):
    """The preferred solution: identifiers in the order of their selection, and how each of the *choices* was met."""

    selected: tuple[Identifier, ...]
    choices: tuple[Chosen, ...]


@attrs.frozen
class Core:
    """A minimal unsatisfiable subset: *constraints* cannot hold together, and can without any one of them."""

    constraints: tuple[Constraint, ...]


_Source: TypeAlias = Mandatory | Dependency | Choice | FirstOf


class QueuedChoice:
    """A choice in the queue: its *source*, whose it is (*subject*), and how it was met.

    *answer* is the candidate that met it. The choice selected it itself (*taken*), or an earlier one did.
    """

    __slots__ = ("answer", "candidates", "index", "origin", "source", "subject", "suspect", "taken")

    def __init__(self, source: _Source, subject: Identifier | None, origin: object) -> None:
        self.source: _Source = source
        self.subject: Identifier | None = subject
        self.origin: object = origin
        self.candidates: Sequence[Identifier] = source.candidates
        # The index of the candidate that the portable search tries next; those before it are rejected.
        self.index: int = 0
        self.answer: Identifier | None = None
        self.taken: bool = False
        # Set when a SAT solver rejected the candidate before: the next one is often wrong for the same reason.
        self.suspect: bool = False


def root_choices(roots: Sequence[Root]) -> list[QueuedChoice]:
    """Return the choices that the queue starts with."""
    return [QueuedChoice(root, None, root.origin) for root in roots if not isinstance(root, Limit)]


def limits_of(roots: Sequence[Root]) -> list[Limit]:
    """Return the limits among *roots*, which bring no choices."""
    return [root for root in roots if isinstance(root, Limit)]


def solution_of(selected: Iterable[Identifier], queue: Iterable[QueuedChoice]) -> Solution:
    """Return the solution of a finished queue without branches, which only say how formulas were met."""
    chosen: list[Chosen] = []
    for queued in queue:
        answer = queued.answer
        if answer is not None and not isinstance(answer, Branch):
            chosen.append(Chosen(answer, queued.subject, queued.origin, not queued.taken))
    return Solution(tuple([identifier for identifier in selected if not isinstance(identifier, Branch)]), tuple(chosen))


def met_by(queued: QueuedChoice, selected: Mapping[Identifier, object], *, idle: bool = True) -> Identifier | None:
    """Return the candidate of *queued* that is met by earlier selections, or None.

    Unless *idle* is False, a branch with an idle exclusion may be met too. An exclusion is idle because of what the
    whole problem prohibits, so a part of the problem must not rely on it.
    """
    if not selected.keys().isdisjoint(queued.candidates):
        return next(candidate for candidate in queued.candidates if candidate in selected)
    if isinstance(queued.source, FirstOf):
        for branch in queued.source.branches:
            if _holds(branch.tree, selected, idle):
                return branch
    return None


def _holds(tree: Tree, selected: Mapping[Identifier, object], idle: bool) -> bool:
    """Return True if *tree* holds and no later selection can change that."""
    if isinstance(tree, Choice):
        return not selected.keys().isdisjoint(tree.candidates)
    if isinstance(tree, Every):
        return all(_holds(part, selected, idle) for part in tree.parts)
    if isinstance(tree, Exclusion):
        return idle and not tree.excluded
    return any(branch in selected or _holds(branch.tree, selected, idle) for branch in tree.branches)


def choices_of(
    candidate: Identifier, constraints: Sequence[Constraint], taken_for: QueuedChoice
) -> Iterator[QueuedChoice]:
    """Yield the choices of *candidate*, selected for *taken_for*, in the order of its *constraints*."""
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            yield QueuedChoice(constraint, candidate, constraint.origin)
        elif isinstance(constraint, Formula):
            if isinstance(candidate, Branch):
                # A branch speaks for the bundle whose formula it belongs to.
                yield from _leaves(constraint.tree, taken_for.subject, taken_for.origin)
            else:
                yield from _leaves(constraint.tree, candidate, constraint.origin)


def _leaves(tree: Tree, subject: Identifier | None, origin: object) -> Iterator[QueuedChoice]:
    if isinstance(tree, Every):
        for part in tree.parts:
            yield from _leaves(part, subject, origin)
    elif not isinstance(tree, Exclusion):
        yield QueuedChoice(tree, subject, origin)


# How many candidates are tried between two looks at the clock.
TRIES_PER_CHECK: Final = 256


def glance(problem: CachedProblem, budget: Budget) -> Solution | None:
    """Return the preferred solution if the search meets no dead end; None leaves the question open.

    This is the first part of the search without the records for taking selections back, which most requests never need.
    """
    selection, queue = begin(problem)
    selected, constraints_of, violation = selection.selected, problem.constraints, selection.violation
    tries = 0
    # Candidates passed over are reported once it is known that this search ends with the solution.
    passed: list[tuple[Identifier, Violation]] | None = [] if budget.trace.observed else None
    for queued in queue:  # more choices join while the loop runs
        queued.answer = met_by(queued, selected)
        if queued.answer is not None:
            continue
        for candidate in queued.candidates:
            tries += 1
            if tries % TRIES_PER_CHECK == 0:
                budget.check()
            constraints = constraints_of(candidate)
            broken = violation(candidate, constraints)
            if broken is None:
                queued.answer, queued.taken = candidate, True
                selection.select(candidate, constraints)
                queue.extend(choices_of(candidate, constraints, queued))
                break
            if passed is not None:
                passed.append((candidate, broken))
        else:
            budget.trace.candidates += tries
            return None
    budget.trace.candidates += tries
    for candidate, broken in passed or ():
        budget.trace.passed_over(candidate, broken)
    return solution_of(selected, queue)


def begin(problem: CachedProblem) -> tuple[Selection, list[QueuedChoice]]:
    """Return an empty selection, and the queue with the choices of the roots."""
    queue = root_choices(problem.roots)
    selection = Selection(limits_of(problem.roots))
    for queued in queue:
        if isinstance(queued.source, Dependency):
            selection.require(queued.source)
    return selection, queue
