"""The preferred plan, replayed from a certificate: each choice as defined, each candidate passed over refuted.

The definition (docs/semantics.md) takes choices breadth first and gives each the first candidate that is consistent
with everything. A checker need not search: the certificate says which candidate each choice took, and holds a
refutation of every candidate before it.

Unit propagation checks a refutation step by step: each clause must follow from the ones before it. A step is a clause
whose negation propagates to a contradiction (RUP, "reverse unit propagation", the addition rule of DRUP proofs); the
last step is the contradiction itself. Propagation only draws forced conclusions and never guesses, so checking takes
about linear time::

    clauses  1 2    1 -2    -1 2    -1 -2
    step     1        its negation, -1, forces 2 (first clause) and -2 (second): a contradiction, so 1 follows
    then              1 forces 2 (third clause) and -2 (fourth): the clauses contradict each other
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Final

import attrs

from olmsolve._limits import check, checked
from olmsolve._records import Record, field, record
from olmsolve.answers.verification.facts import (
    AllParts,
    AnyCandidate,
    AnyPart,
    Clauses,
    Fact,
    NoCandidate,
    Proposition,
    Wish,
    WishPart,
    is_met,
    wishes_of,
)
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics


class TooMuchWork(Exception):  # noqa: N818 - not an error: the caller set the limit
    """The check would take more work than the caller allows."""


_LITERALS_PER_CHECK: Final = 10_000  # a few milliseconds of work


class Work:
    """The number of literals that the checks sharing this value may still look at."""

    def __init__(self, literals: int) -> None:
        self.literals_left: int = literals
        self._unchecked = 0

    def spend(self, literals: int) -> None:
        """Subtract *literals* from what is left.

        Raises :class:`TooMuchWork` below zero, and Incomplete if a limit is met.
        """
        self.literals_left -= literals
        if self.literals_left < 0:
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
            # Two of its literals watch a clause: as long as neither is false, it forces nothing, and nobody looks at
            # it.
            for literal in literals[:2]:
                self._watching.setdefault(literal, []).append(literals)

    def assume(self, literal: int) -> bool:
        """Make *literal* true, and everything that it forces."""
        mark = len(self._trail)
        return self._set(literal) and self._draw_conclusions(mark)

    def follows(self, clause: Sequence[int]) -> bool:
        """Return whether the negation of *clause* propagates to a contradiction; the conclusions are taken back."""
        mark = len(self._trail)
        contradicted = not all(self._set(-literal) for literal in clause) or not self._draw_conclusions(mark)
        # Backwards to the mark, and nothing else: what was concluded before the question holds for the next one.
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

    def _draw_conclusions(self, start: int) -> bool:
        """Make true what the literals on the trail from *start* on force, and what that forces; False: a contradiction.

        With the clause (-1 2) and the group {2, 3}, of which one at most is true, the trail 1 grows to 1, 2, -3.
        """
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
            # The other watched literal comes first: where it is true, the clause is met and nothing else is looked at.
            if literals[0] == false:
                literals[0], literals[1] = literals[1], literals[0]
            if literals[0] in self._true or not self._rewatch(literals):
                kept.append(literals)
                if not self._set(literals[0]):
                    # The clauses that were not looked at are still watched by this literal.
                    kept.extend(watching[index + 1 :])
                    consistent = False
                    break
        self._watching.setdefault(false, []).extend(kept)
        return consistent

    def _rewatch(self, literals: list[int]) -> bool:
        """Watch another literal that can still be true in place of the second one; return True if one was found."""
        for index in range(2, len(literals)):
            self._work.spend(1)
            if -literals[index] not in self._true:
                literals[1], literals[index] = literals[index], literals[1]
                self._watching.setdefault(literals[1], []).append(literals)
                return True
        return False


WORK: Final = 200_000_000
"""The most literals to look at for one certificate: some minutes, far more than real requests need."""

SPACE: Final = 5_000_000
"""The most literals in the clauses of one refutation, which are held in memory: about a hundred megabytes."""

_OVERHEAD: Final = 8  # literals that would take as much memory as a clause itself


@record
class Refutation(Record):
    """*facts* that contradict an assumption, and *steps* that prove it (see :func:`refutes`)."""

    facts: tuple[Fact, ...] = field("The facts that the refutation starts from.")
    steps: tuple[tuple[int, ...], ...] = field(
        "The steps of the refutation: clauses of literals.",
        schema={"items": {"type": "array", "items": {"type": "integer"}}},
    )

    def refutes(
        self,
        world: World,
        semantics: Semantics,
        roots: Sequence[AnyCandidate],
        assumed: Container[Proposition],
        work: Work,
    ) -> bool:
        """Return whether the refutation proves that the *assumed* propositions cannot all hold.

        The literals of the steps are numbers of variables: propositions, in the order in which the facts mention them.
        A proposition that no fact mentions cannot be part of a contradiction. Raises TooMuchWork when *work* is used
        up, or the clauses of the facts take too much memory.
        """
        clauses, space = Clauses(world, semantics, roots), Work(SPACE)
        for fact in checked(dict.fromkeys(self.facts), every=16):
            before = len(clauses.clauses), len(clauses.at_most_one)
            clauses.add(fact)
            new = clauses.clauses[before[0] :] + clauses.at_most_one[before[1] :]
            literals = sum(map(len, new))
            work.spend(literals)
            space.spend(literals + _OVERHEAD * len(new))
        variables = len(clauses.numbers)
        for step in checked(self.steps, every=64):
            if any(not 1 <= abs(literal) <= variables for literal in step):
                return False
        propositions = assumed_literals(clauses, assumed)
        return refutes(clauses.clauses, clauses.at_most_one, propositions, self.steps, work=work)


def assumed_literals(clauses: Clauses, assumed: Container[Proposition]) -> list[int]:
    """Return the variables of the propositions that *clauses* mention and that are *assumed*, ascending."""
    return [number for proposition, number in clauses.numbers.items() if proposition in assumed]


@attrs.frozen
class QueuedWish:
    """A *wish* in the queue of choices; *at* says which requirement it is, None for a root."""

    wish: Wish
    at: WishPart | None = None


@record
class Rejected(Record):
    """A way that a choice passed over.

    *choice* counts, from 0, the choices that an earlier selection did not meet; *way* is the position among the
    candidates or parts of that choice.
    """

    choice: int = field("The choice.")
    way: int = field("The way that it did not take.")


def enqueued(queued: QueuedWish) -> Iterable[QueuedWish]:
    """Yield *queued* as it joins the queue: a conjunction joins part by part."""
    if isinstance(queued.wish, AllParts):
        for position, part in enumerate(queued.wish.parts):
            yield from enqueued(QueuedWish(part, _inner(queued.at, position)))
    else:
        yield queued


def _inner(at: WishPart | None, position: int) -> WishPart | None:
    return at and attrs.evolve(at, path=(*at.path, position))


@attrs.frozen
class ChoiceWalk:
    """A walk through the queue of choices, to its end or as far as it came.

    *selected* are the candidates in the order of selection, *parts* the parts of disjunctions that were taken;
    *choices* counts both.
    """

    selected: tuple[PlainCandidate, ...]
    parts: tuple[QueuedWish, ...]
    choices: int


def replay(
    world: World,
    semantics: Semantics,
    roots: Sequence[AnyCandidate],
    take: Callable[[int, QueuedWish], int | None],
    rejected: Callable[[Rejected, Collection[Proposition], Proposition], None],
) -> ChoiceWalk:
    """Walk the queue of the definition.

    *take* is called with the number of a choice, from 0, and the wish; it returns which way is taken (a position among
    the candidates or parts), or None to end the walk. *rejected* is called for each way before the one taken, with
    everything held at the time, the way included, and with the way alone: a refutation must contradict what is held.
    """
    # Keys alone: each choice asks which of its candidates are among them.
    selected: dict[PlainCandidate, None] = {}
    parts: list[QueuedWish] = []
    propositions: dict[Proposition, None] = {}
    queue: deque[QueuedWish] = deque(QueuedWish(root) for root in roots)
    number = 0
    while queue:
        check()
        queued = queue.popleft()
        if is_met(queued.wish, selected) or isinstance(queued.wish, NoCandidate):
            continue
        ways = _ways(queued)
        taken = take(number, queued)
        if taken is None or not 0 <= taken < len(ways):
            break
        for way in range(taken):
            # No way of a choice is held before it: a candidate among its ways would meet the choice.
            propositions[ways[way]] = None
            rejected(Rejected(number, way), propositions, ways[way])
            del propositions[ways[way]]
        propositions[ways[taken]] = None
        if isinstance(queued.wish, AnyPart):
            part = QueuedWish(queued.wish.parts[taken], _inner(queued.at, taken))
            parts.append(part)
            queue.extend(enqueued(part))
        else:
            chosen = ways[taken]
            assert isinstance(chosen, PlainCandidate)
            selected[chosen] = None
            for position, wish in enumerate(wishes_of(world, chosen, semantics)):
                queue.extend(enqueued(QueuedWish(wish, WishPart(chosen, position, ()))))
        number += 1
    return ChoiceWalk(tuple(selected), tuple(parts), number)


def _ways(queued: QueuedWish) -> Sequence[Proposition]:
    """Return the ways to meet a choice, most wanted first: its candidates, or its parts."""
    if isinstance(queued.wish, AnyCandidate):
        return queued.wish.candidates
    assert isinstance(queued.wish, AnyPart)
    assert queued.at is not None
    return [attrs.evolve(queued.at, path=(*queued.at.path, position)) for position in range(len(queued.wish.parts))]
