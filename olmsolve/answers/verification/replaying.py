"""The preferred plan, replayed from a certificate: each choice as defined, each candidate passed over refuted.

The definition (docs/semantics.md) takes choices breadth first and gives each the first candidate that is consistent
with everything. A checker need not search: the certificate says which candidate each choice took, and holds a
refutation of every candidate before it, which propagation checks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Final

import attrs

from olmsolve._limits import check, checked
from olmsolve._records import Record, field, record
from olmsolve.answers.verification.facts import Clauses, Fact, Proposition, WishPart
from olmsolve.answers.verification.propagation import Work, refutes
from olmsolve.answers.verification.wishes import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, is_met, wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics

WORK: Final = 200_000_000
"""The most literals to look at for one certificate: some minutes, far more than real requests need."""

SPACE: Final = 5_000_000
"""The most literals in the clauses of one refutation, which are held in memory: about a hundred megabytes."""

_OVERHEAD: Final = 8  # literals that would take as much memory as a clause itself


@record
class Refutation(Record):
    """*facts* that contradict an assumption, and *steps* that prove it (see ``verification.propagation``)."""

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
        """Return whether it proves that the *assumed* propositions cannot all hold.

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
    """A *wish* in the queue of choices; *at* says in which requirement it stands, None for a root."""

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
