"""The preferred plan, replayed from a certificate: each choice as defined, each candidate passed over refuted.

The definition (docs/semantics.md) takes choices breadth first and gives each the first candidate that is consistent
with everything. A checker need not search: the certificate says which candidate each choice took, and holds a
refutation of every candidate before it, which propagation checks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, assert_never

import attrs

from olmsolve._limits import check, checked
from olmsolve.answers.verification.facts import Clauses, Fact, Proposition, WishPart
from olmsolve.answers.verification.objections import Flaw, Objection
from olmsolve.answers.verification.propagation import Work, refutes
from olmsolve.answers.verification.wishes import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, is_met, wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics

WORK: Final = 200_000_000
"""The most literals to look at for one certificate: some minutes, far more than real requests need."""


@attrs.frozen
class Refutation:
    """*facts* that contradict an assumption, and *steps* that prove it (see ``verification.propagation``)."""

    facts: tuple[Fact, ...]
    steps: tuple[tuple[int, ...], ...]

    def refutes(
        self,
        world: World,
        semantics: Semantics,
        roots: Sequence[AnyCandidate],
        assumed: Iterable[Proposition],
        work: Work,
    ) -> bool:
        """Return whether it proves that the *assumed* propositions cannot all hold.

        The literals of the steps are numbers of variables: first those of *assumed*, in their order, then of the facts.
        Raises TooMuchWork when *work* is used up.
        """
        clauses = Clauses(world, semantics, roots)
        literals = [clauses.number(proposition) for proposition in assumed]
        for fact in checked(dict.fromkeys(self.facts), every=16):
            before = len(clauses.clauses), len(clauses.at_most_one)
            clauses.add(fact)
            work.spend(sum(map(len, clauses.clauses[before[0] :])) + sum(map(len, clauses.at_most_one[before[1] :])))
        variables = len(clauses.numbers)
        if any(not 1 <= abs(literal) <= variables for step in self.steps for literal in step):
            return False
        return refutes(clauses.clauses, clauses.at_most_one, literals, self.steps, work=work)


@attrs.frozen
class QueuedWish:
    """A *wish* in the queue of choices; *at* says in which requirement it stands, None for a root."""

    wish: Wish
    at: WishPart | None = None


@attrs.frozen
class Rejected:
    """A way that a choice passed over.

    *choice* counts, from 0, the choices that an earlier selection did not meet; *way* is the position among the
    candidates or parts of that choice.
    """

    choice: int
    way: int


def enqueued(queued: QueuedWish) -> Iterable[QueuedWish]:
    """Yield *queued* as it joins the queue: a conjunction joins part by part."""
    if isinstance(queued.wish, AllParts):
        for position, part in enumerate(queued.wish.parts):
            yield from enqueued(QueuedWish(part, _inner(queued.at, position)))
    else:
        yield queued


def _inner(at: WishPart | None, position: int) -> WishPart | None:
    return at and attrs.evolve(at, path=(*at.path, position))


def replay(
    world: World,
    semantics: Semantics,
    roots: Sequence[AnyCandidate],
    take: Callable[[int, QueuedWish], int | None],
    rejected: Callable[[Rejected, Sequence[Proposition]], None],
) -> list[PlainCandidate]:
    """Walk the queue of the definition and return the selected candidates, in the order of selection.

    *take* is called with the number of a choice, from 0, and the wish; it returns which way is taken (a position among
    the candidates or parts), or None to end the walk. *rejected* is called for each way before the one taken,
    with everything held at the time and, last, the way itself: these are what a refutation must contradict.
    """
    # Keys alone: each choice asks which of its candidates are among them.
    selected: dict[PlainCandidate, None] = {}
    held: list[Proposition] = []
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
            rejected(Rejected(number, way), [*held, ways[way]])
        held.append(ways[taken])
        if isinstance(queued.wish, AnyPart):
            queue.extend(enqueued(QueuedWish(queued.wish.parts[taken], _inner(queued.at, taken))))
        else:
            chosen = ways[taken]
            assert isinstance(chosen, PlainCandidate)
            selected[chosen] = None
            for position, wish in enumerate(wishes_of(world, chosen, semantics)):
                queue.extend(enqueued(QueuedWish(wish, WishPart(chosen, position, ()))))
        number += 1
    return list(selected)


def _ways(queued: QueuedWish) -> Sequence[Proposition]:
    """Return the ways to meet a choice, most wanted first: its candidates, or its parts."""
    if isinstance(queued.wish, AnyCandidate):
        return queued.wish.candidates
    assert isinstance(queued.wish, AnyPart)
    assert queued.at is not None
    return [attrs.evolve(queued.at, path=(*queued.at.path, position)) for position in range(len(queued.wish.parts))]


def broken(
    world: World, semantics: Semantics, roots: Iterable[AnyCandidate], selected: Sequence[PlainCandidate]
) -> Objection | None:
    """Return the first rule that the *selected* candidates break together; None for a solution."""
    chosen = dict.fromkeys(selected)
    for candidate in chosen:
        if not candidate.selectable:
            return Objection.of(Flaw.NEVER_SELECTED, candidate=candidate.name)
    groups: Counter[tuple[str, str]] = Counter()
    for candidate in chosen:
        groups.update(("package", name) for name in {name for name, _ in candidate.published.packages})
        groups.update(("API", str(gvk)) for gvk in set(candidate.published.gvks))
    for (kind, name), count in groups.items():
        if count > 1:
            return Objection.of(Flaw.SEVERAL_IN_GROUP, count=count, group=kind, name=name)
    for candidate, operator in world.excluded_pairs:
        if candidate in chosen and operator in chosen:
            return Objection.of(Flaw.KEPT_THOUGH_REPLACED, candidate=candidate.name, operator=operator.name)
    for root in roots:
        if not holds(root, chosen):
            return Objection(Flaw.NOT_SERVED)
    for candidate in chosen:
        for wish in wishes_of(world, candidate, semantics):
            if not holds(wish, chosen):
                return Objection.of(Flaw.REQUIREMENT_NOT_MET, candidate=candidate.name)
    return None


def holds(wish: Wish, selected: Collection[PlainCandidate]) -> bool:
    """Return whether the complete solution *selected* meets *wish*; :func:`is_met` asks it of a partial one."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(candidate in selected for candidate in wish.candidates)
        case AllParts():
            return all(holds(part, selected) for part in wish.parts)
        case AnyPart():
            return any(holds(part, selected) for part in wish.parts)
        case _:
            assert_never(wish)
