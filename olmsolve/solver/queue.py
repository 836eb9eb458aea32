"""The queue of choices that defines the preferred solution, as both engines walk it.

The queue starts with the roots. A choice that an earlier selection meets is passed over; otherwise its *first
candidate that is consistent with everything* is selected, and the candidate's own choices join the back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from olmsolve.solver.answer import Chosen, Solution
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
from olmsolve.solver.problem import Root

__all__ = ["QueuedChoice", "choices", "met", "roots", "solution"]

_Choosing: TypeAlias = Mandatory | Dependency | Choice | FirstOf


class QueuedChoice:
    """A choice in the queue, and how it was met: by *answer*, which is candidate number *place* if it was taken."""

    __slots__ = ("answer", "candidates", "choosing", "origin", "place", "subject", "suspect", "taken")

    def __init__(self, choosing: _Choosing, subject: Identifier | None, origin: object) -> None:
        self.choosing = choosing
        self.subject = subject
        self.origin = origin
        self.candidates: Sequence[Identifier]
        if isinstance(choosing, Mandatory):
            self.candidates = (choosing.subject,)
        elif isinstance(choosing, FirstOf):
            self.candidates = choosing.branches
        else:
            self.candidates = choosing.candidates
        self.place = 0
        self.answer: Identifier | None = None
        self.taken = False
        # The candidate before was rejected by a solver; the next is often wrong for the same reason.
        self.suspect = False


def roots(constraints: Sequence[Root]) -> list[QueuedChoice]:
    """The choices that the queue starts with."""
    return [QueuedChoice(root, None, root.origin) for root in constraints if not isinstance(root, AtMost)]


def solution(selected: Iterable[Identifier], items: Iterable[QueuedChoice]) -> Solution:
    """What a queue has come to; branches are how formulas were met, and no part of it."""
    chosen: list[Chosen] = []
    for item in items:
        answer = item.answer
        if answer is not None and not isinstance(answer, Branch):
            chosen.append(Chosen(answer, item.subject, item.origin, not item.taken))
    return Solution(tuple([each for each in selected if not isinstance(each, Branch)]), tuple(chosen))


def met(item: QueuedChoice, selected: Mapping[Identifier, object], *, idle: bool = True) -> Identifier | None:
    """What meets a choice already, None if nothing does.

    *idle*: an exclusion holds already if nothing can break it, which is so because of what the whole problem prohibits.
    """
    if not selected.keys().isdisjoint(item.candidates):
        return next(candidate for candidate in item.candidates if candidate in selected)
    if isinstance(item.choosing, FirstOf):
        for branch in item.choosing.branches:
            if _holds(branch.tree, selected, idle):
                return branch
    return None


def _holds(tree: Tree, selected: Mapping[Identifier, object], idle: bool) -> bool:
    """Whether *tree* is met by what is selected, whatever will be: an exclusion only if nothing can break it."""
    if isinstance(tree, Choice):
        return not selected.keys().isdisjoint(tree.candidates)
    if isinstance(tree, Every):
        return all(_holds(part, selected, idle) for part in tree.parts)
    if isinstance(tree, Exclusion):
        return idle and not tree.excluded
    return any(branch in selected or _holds(branch.tree, selected, idle) for branch in tree.branches)


def choices(candidate: Identifier, constraints: Sequence[Constraint], item: QueuedChoice) -> Iterator[QueuedChoice]:
    """The choices that selecting *candidate* for *item* brings, in order."""
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            yield QueuedChoice(constraint, candidate, constraint.origin)
        elif isinstance(constraint, Formula):
            if isinstance(candidate, Branch):
                # A branch speaks for the bundle whose formula it belongs to.
                yield from _leaves(constraint.tree, item.subject, item.origin)
            else:
                yield from _leaves(constraint.tree, candidate, constraint.origin)


def _leaves(tree: Tree, subject: Identifier | None, origin: object) -> Iterator[QueuedChoice]:
    if isinstance(tree, Every):
        for part in tree.parts:
            yield from _leaves(part, subject, origin)
    elif not isinstance(tree, Exclusion):
        yield QueuedChoice(tree, subject, origin)
