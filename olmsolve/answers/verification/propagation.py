"""Unit propagation, which checks a refutation step by step: each clause must follow from the ones before it.

A step is a clause whose negation propagates to a contradiction (RUP, "reverse unit propagation", the addition rule
of DRUP proofs); the last step is the contradiction itself. Propagation only draws forced conclusions and never
guesses, so checking takes about linear time::

    clauses  1 2    1 -2    -1 2    -1 -2
    step     1        its negation, -1, forces 2 (first clause) and -2 (second): a contradiction, so 1 follows
    then              1 forces 2 (third clause) and -2 (fourth): the clauses contradict each other
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olmsolve._limits import check


class TooMuchWork(Exception):  # noqa: N818 - not an error: the caller set the limit
    """The check would take more work than the caller allows."""


_LITERALS_PER_CHECK: Final = 10_000  # a few milliseconds of work


class Work:
    """The number of literals that the checks sharing this value may still look at."""

    def __init__(self, left: int) -> None:
        self.left: int = left
        self._unchecked = 0

    def spend(self, literals: int) -> None:
        """Subtract *literals* from what is left.

        Raises :class:`TooMuchWork` below zero, and Incomplete if a limit is met.
        """
        self.left -= literals
        if self.left < 0:
            raise TooMuchWork
        self._unchecked += literals
        if self._unchecked > _LITERALS_PER_CHECK:
            self._unchecked = 0
            check()


def refutes(
    clauses: Iterable[Sequence[int]],
    at_most_one: Iterable[Sequence[int]],
    assumed: Iterable[int],
    steps: Iterable[Sequence[int]],
    *,
    work: Work,
) -> bool:
    """Return whether *steps* prove a contradiction between *clauses*, *at_most_one* and *assumed*.

    Literals are whole numbers: a variable, or minus a variable for its negation. Of each set of variables in
    *at_most_one* at most one is true; *assumed* are literals taken as true.

    Raises :class:`TooMuchWork` when *work* is used up.
    """
    state = _State(at_most_one, work)
    if not all(state.add(clause) for clause in clauses):
        return True
    if not all(state.assume(literal) for literal in assumed):
        return True
    for step in steps:
        if not state.follows(step):
            return False
        if not state.add(step):
            return True
    return False


class _State:
    """The literals that are true so far. Methods return False at a contradiction; the state is of no use after it.

    Each clause is watched by two of its literals, always its first two, and is looked at only when one of them becomes
    false. With ``1 2 3 4`` watched by 1 and 2, making -3 true costs nothing; making -1 true swaps another literal
    in for 1. Taking literals back (after each step) needs no repair of the watches.
    """

    def __init__(self, at_most_one: Iterable[Sequence[int]], work: Work) -> None:
        self._true: set[int] = set()
        self._trail: list[int] = []
        self._watching: dict[int, list[list[int]]] = {}
        self._groups: dict[int, list[Sequence[int]]] = {}
        for members in at_most_one:
            for member in members:
                self._groups.setdefault(member, []).append(members)
        self._work = work

    def add(self, clause: Sequence[int]) -> bool:
        """Add *clause* for good, and conclude what it forces now."""
        literals = sorted(set(clause), key=self._rank)
        if not literals:
            return False
        self._watch(literals)
        if len(literals) == 1 or -literals[1] in self._true:
            # All other literals are false, so the first one must be true; if it is false too, assume() says so.
            return self.assume(literals[0])
        return True

    def _rank(self, literal: int) -> int:
        # True and open literals come first, to be watched: false ones would never wake the clause up.
        return 0 if literal in self._true else 2 if -literal in self._true else 1

    def _watch(self, literals: list[int]) -> None:
        if len(literals) > 1:
            for literal in literals[:2]:
                self._watching.setdefault(literal, []).append(literals)

    def assume(self, literal: int) -> bool:
        """Make *literal* true, and everything that it forces."""
        mark = len(self._trail)
        return self._set(literal) and self._propagate(mark)

    def follows(self, clause: Sequence[int]) -> bool:
        """Return whether the negation of *clause* propagates to a contradiction; the conclusions are taken back."""
        mark = len(self._trail)
        contradicted = not all(self._set(-literal) for literal in clause) or not self._propagate(mark)
        while len(self._trail) > mark:
            self._true.discard(self._trail.pop())
        return contradicted

    def _set(self, literal: int) -> bool:
        """Make *literal* true; return False if it is false already."""
        if literal in self._true:
            return True
        if -literal in self._true:
            return False
        self._true.add(literal)
        self._trail.append(literal)
        return True

    def _propagate(self, start: int) -> bool:
        """Draw all conclusions of the literals on the trail from *start* on, which grows as they are drawn."""
        position = start
        while position < len(self._trail):
            literal = self._trail[position]
            position += 1
            for members in self._groups.get(literal, ()):
                self._work.spend(len(members))
                if not all(member == literal or self._set(-member) for member in members):
                    return False
            if not self._visit(-literal):
                return False
        return True

    def _visit(self, false: int) -> bool:
        """Look at the clauses that watch the literal *false*, which has just become false."""
        watching = self._watching.pop(false, [])
        kept: list[list[int]] = []
        consistent = True
        for index, literals in enumerate(watching):
            self._work.spend(1)
            if literals[0] == false:
                literals[0], literals[1] = literals[1], literals[0]
            if literals[0] in self._true or not self._rewatch(literals):
                kept.append(literals)
                if not self._set(literals[0]):
                    kept.extend(watching[index + 1 :])
                    consistent = False
                    break
        self._watching.setdefault(false, []).extend(kept)
        return consistent

    def _rewatch(self, literals: list[int]) -> bool:
        """Watch a literal that is not false in place of the second one; return False if there is none."""
        for index in range(2, len(literals)):
            self._work.spend(1)
            if -literals[index] not in self._true:
                literals[1], literals[index] = literals[index], literals[1]
                self._watching.setdefault(literals[1], []).append(literals)
                return True
        return False
