"""Unit propagation, and with it the check of a refutation: each step follows from what stands before it.

A step is a clause whose negation propagates to a contradiction (RUP, the addition rule of DRUP proofs); the
last one is the contradiction itself. Nothing is ever guessed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["TooMuchWork", "Work", "refutes"]


class TooMuchWork(Exception):  # noqa: N818 - not an error: the caller set the limit
    """The check takes more work than the caller allows."""


class Work:
    """How many literals may still be looked at, by all checks that share it."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, literals: int) -> None:
        """Count *literals*. Raises :class:`TooMuchWork` when there are more than were left."""
        self.left -= literals
        if self.left < 0:
            raise TooMuchWork


def refutes(
    clauses: Iterable[Sequence[int]],
    at_most_one: Iterable[Sequence[int]],
    assumed: Iterable[int],
    steps: Iterable[Sequence[int]],
    *,
    work: Work,
) -> bool:
    """Whether *steps* prove that *clauses*, *at_most_one* sets of variables and the literals *assumed* contradict.

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
    """What is true so far. Methods say False at a contradiction, after which the state is spent."""

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
        """Add *clause*, for good."""
        literals = sorted(set(clause), key=self._rank)
        if not literals:
            return False
        self._watch(literals)
        if len(literals) == 1 or -literals[1] in self._true:
            # One is left, or none: then it is false already, and cannot be assumed.
            return self.assume(literals[0])
        return True

    def _rank(self, literal: int) -> int:
        # What is true or open is watched rather than what is false.
        return 0 if literal in self._true else 2 if -literal in self._true else 1

    def _watch(self, literals: list[int]) -> None:
        if len(literals) > 1:
            for literal in literals[:2]:
                self._watching.setdefault(literal, []).append(literals)

    def assume(self, literal: int) -> bool:
        """Make *literal* true, with all that follows."""
        mark = len(self._trail)
        return self._set(literal) and self._propagate(mark)

    def follows(self, clause: Sequence[int]) -> bool:
        """Whether the negation of *clause* propagates to a contradiction; nothing of that stays."""
        mark = len(self._trail)
        contradicted = not all(self._set(-literal) for literal in clause) or not self._propagate(mark)
        while len(self._trail) > mark:
            self._true.discard(self._trail.pop())
        return contradicted

    def _set(self, literal: int) -> bool:
        if literal in self._true:
            return True
        if -literal in self._true:
            return False
        self._true.add(literal)
        self._trail.append(literal)
        return True

    def _propagate(self, start: int) -> bool:
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
        """Look at the clauses that watch the literal *false*, which has become so."""
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
        """Let *literals* watch another one that is not false, in place of the second; whether there is one."""
        for index in range(2, len(literals)):
            self._work.spend(1)
            if -literals[index] not in self._true:
                literals[1], literals[index] = literals[index], literals[1]
                self._watching.setdefault(literals[1], []).append(literals)
                return True
        return False
