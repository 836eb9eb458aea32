"""The preferred plan, replayed from a certificate: every choice as defined, every candidate passed over refuted.

The definition (docs/semantics.md) takes choices breadth first and gives each the first candidate that is consistent
with everything. What it selects is read from the certificate and need not be searched for; that each
candidate before it was rightly passed over is a refutation in the certificate, checked by propagation.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import attrs

from olmsolve.answers.verification.facts import Clauses, Fact, Proposition, WishPart
from olmsolve.answers.verification.propagation import Work, refutes
from olmsolve.answers.verification.wishes import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, is_met, wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics

__all__ = ["QueuedWish", "Refutation", "Rejected", "broken", "enqueued", "holds", "replay"]

WORK: Final = 200_000_000
"""Literals that may be looked at for one certificate: minutes, and far more than any request of this world needs."""


@attrs.frozen
class Refutation:
    """*facts* that contradict what is assumed, and the clauses of the way there (see ``verification.propagation``)."""

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
        """Whether it proves that not all of *assumed* can hold. The variables of *assumed* are the first ones.

        Raises TooMuchWork when *work* is used up.
        """
        clauses = Clauses(world, semantics, roots)
        literals = [clauses.number(key) for key in assumed]
        for fact in dict.fromkeys(self.facts):
            before = len(clauses.clauses), len(clauses.at_most_one)
            clauses.add(fact)
            work.spend(sum(map(len, clauses.clauses[before[0] :])) + sum(map(len, clauses.at_most_one[before[1] :])))
        known = len(clauses.numbers)
        if any(not 1 <= abs(literal) <= known for step in self.steps for literal in step):
            return False
        return refutes(clauses.clauses, clauses.at_most_one, literals, self.steps, work=work)


@attrs.frozen
class QueuedWish:
    """A wish in the queue; *at* says where it stands, None for a root."""

    wish: Wish
    at: WishPart | None = None


@attrs.frozen
class Rejected:
    """What a choice passed over: *choice* counts those that were not met already, *way* its candidates or parts."""

    choice: int
    way: int


def enqueued(item: QueuedWish) -> Iterable[QueuedWish]:
    """*item* as it joins the queue: the parts of a conjunction one by one."""
    if isinstance(item.wish, AllParts):
        for position, part in enumerate(item.wish.parts):
            yield from enqueued(QueuedWish(part, _inner(item.at, position)))
    else:
        yield item


def _inner(at: WishPart | None, position: int) -> WishPart | None:
    return at and attrs.evolve(at, path=(*at.path, position))


def replay(
    world: World,
    semantics: Semantics,
    roots: Sequence[AnyCandidate],
    take: Callable[[int, QueuedWish], int | None],
    rejected: Callable[[Rejected, Sequence[Proposition]], None],
) -> list[PlainCandidate]:
    """Walk the queue of the definition; what was selected, in order.

    *take* says which way (position among the candidates or parts) is taken for a choice, by its number. *rejected* is
    called with each way before it and with what was held at the time and the way itself.
    """
    selected: list[PlainCandidate] = []
    held: list[Proposition] = []
    queue: deque[QueuedWish] = deque(QueuedWish(root) for root in roots)
    number = 0
    while queue:
        item = queue.popleft()
        if is_met(item.wish, selected) or isinstance(item.wish, NoCandidate):
            continue
        ways = _ways(item)
        taken = take(number, item)
        if taken is None or not 0 <= taken < len(ways):
            break
        for way in range(taken):
            rejected(Rejected(number, way), [*held, ways[way]])
        held.append(ways[taken])
        if isinstance(item.wish, AnyPart):
            queue.extend(enqueued(QueuedWish(item.wish.parts[taken], _inner(item.at, taken))))
        else:
            chosen = ways[taken]
            assert isinstance(chosen, PlainCandidate)
            selected.append(chosen)
            for position, wish in enumerate(wishes_of(world, chosen, semantics)):
                queue.extend(enqueued(QueuedWish(wish, WishPart(chosen, position, ()))))
        number += 1
    return selected


def _ways(item: QueuedWish) -> Sequence[Proposition]:
    if isinstance(item.wish, AnyCandidate):
        return item.wish.candidates
    assert isinstance(item.wish, AnyPart)
    assert item.at is not None
    return [attrs.evolve(item.at, path=(*item.at.path, position)) for position in range(len(item.wish.parts))]


def broken(
    world: World, semantics: Semantics, roots: Iterable[AnyCandidate], selected: Sequence[PlainCandidate]
) -> str:
    """What *selected*, taken together, breaks, in words; "" if it is a solution."""
    chosen = dict.fromkeys(selected)
    for candidate in chosen:
        if not candidate.selectable:
            return f"{candidate.name} can never be selected"
    groups: Counter[tuple[str, str]] = Counter()
    for candidate in chosen:
        groups.update(("package", name) for name in {name for name, _ in candidate.published.packages})
        groups.update(("API", str(gvk)) for gvk in set(candidate.published.gvks))
    for (kind, name), count in groups.items():
        if count > 1:
            return f"{count} of the selected bundles have the {kind} {name}"
    for candidate, operator in world.excluded_pairs:
        if candidate in chosen and operator in chosen:
            return f"{candidate.name} replaces {operator.name}, which is kept"
    for root in roots:
        if not holds(root, chosen):
            return "a subscription is not served, or an operator that must stay is not kept"
    for candidate in chosen:
        for wish in wishes_of(world, candidate, semantics):
            if not holds(wish, chosen):
                return f"a requirement of {candidate.name} is not met"
    return ""


def holds(wish: Wish, selected: Collection[PlainCandidate]) -> bool:
    """Whether a solution that consists of *selected* meets *wish*."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(candidate in selected for candidate in wish.candidates)
        case AllParts():
            return all(holds(part, selected) for part in wish.parts)
        case AnyPart():
            return any(holds(part, selected) for part in wish.parts)
