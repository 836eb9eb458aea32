"""Classic resolution of small requests straight from its definition: the oracle of the fast resolver.

This shares no code with the resolver but the model of catalogs and requests: it reads what bundles say by itself
(:mod:`olmsolve.answers.plain_reading`), and follows the definition sentence by sentence: a queue of wishes, each
granted in the first way that the others allow. To find out whether a choice is consistent with all others, it tries
every way to grant the wishes that are left, so it can take exponential time.

``wishes_of`` says what a selected candidate wishes for. A wish is a tree: ``AnyCandidate`` and ``NoCandidate`` are its
leaves, ``AllParts`` and ``AnyPart`` its inner nodes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import assert_never

from olmsolve._named_tuples import NamedTuple
from olmsolve.answers.verification import (
    EXISTING,
    AllParts,
    AnyCandidate,
    AnyPart,
    NoCandidate,
    PlainCandidate,
    Wish,
    World,
    flat,
    holds,
    is_met,
    roots_of,
    wishes_of,
)
from olmsolve.classic import Request, Semantics

__all__ = ["EXISTING", "Selected", "TooLarge", "prepare", "resolve"]


def resolve(
    request: Request, semantics: Semantics = Semantics.DOCUMENTED, *, max_steps: int = 200_000
) -> tuple[Selected, ...] | None:
    """Return the preferred solution of *request* in the order of selection, None if it has no solution.

    Installed operators that stay are part of it, under the catalog :data:`EXISTING`.

    Raises:
        CatalogError: a subscription names a channel without exactly one chain (and its catalog), or the
            requirements of an unowned installed operator do not parse. (Other faults of a catalog make
            candidates unselectable; where the resolver blames them, this returns None.)
        TooLarge: after *max_steps* steps of the exhaustive search.
    """
    search = prepare(request, semantics, max_steps)
    return None if search is None else search.preferred()


def prepare(request: Request, semantics: Semantics, max_steps: int) -> ReferenceSearch | None:
    """Return the search for *request*, None if a subscription names something unknown. Raises CatalogError."""
    world = World(request, semantics)
    roots = roots_of(request, world)
    if None in roots:
        return None
    return ReferenceSearch(world, semantics, [root for root in roots if root is not None], max_steps)


class Selected(NamedTuple):
    """A candidate of the solution; *catalog* is ``namespace/name``, or ``@existing`` for an installed operator.

    *replaces* is the installed operator that it replaces, else the bundle that its channel entry ``replaces``.
    """

    catalog: str
    package: str
    channel: str
    name: str
    replaces: str


class TooLarge(Exception):  # noqa: N818 - not an error: the caller set the limit
    """The request takes more steps than the caller allows."""


class ReferenceSearch:
    """The search over *world* for candidates that grant *roots*, the wishes that are in the queue at first."""

    def __init__(self, world: World, semantics: Semantics, roots: Iterable[AnyCandidate], max_steps: int) -> None:
        self.world = world
        self.roots: tuple[AnyCandidate, ...] = tuple(roots)
        self._semantics = semantics
        self._steps_left = max_steps
        self._wishes: dict[PlainCandidate, tuple[Wish, ...]] = {}
        self._exclude: dict[tuple[PlainCandidate, PlainCandidate], bool] = {}

    def preferred(self) -> tuple[Selected, ...] | None:
        """Return the preferred solution in the order of selection, None if the roots have no solution.

        Raises TooLarge.
        """
        selected: list[PlainCandidate] = []
        asserted: list[Wish] = []
        if not self.consistent(selected, asserted):
            return None
        queue: deque[Wish] = deque(self.roots)
        while queue:
            wish = queue.popleft()
            if is_met(wish, selected):
                continue
            match wish:
                case AnyCandidate():
                    # There is one: the selection so far was consistent, so some way to meet the wish is, too.
                    choice = next(c for c in wish.candidates if self.consistent([*selected, c], asserted))
                    selected.append(choice)
                    queue.extend(flat(self.wishes_of(choice)))
                case AnyPart():
                    part = next(p for p in wish.parts if self.consistent(selected, [*asserted, p]))
                    asserted.append(part)
                    queue.extend(flat([part]))
                case _:
                    # An exclusion selects no candidate; it holds since the candidate that wishes it was selected.
                    pass
        return tuple(map(self.described, selected))

    def consistent(self, selected: list[PlainCandidate], asserted: list[Wish]) -> bool:
        """Return True if some set of candidates contains *selected* and grants all wishes, *asserted* included."""
        if not all(self._fits(one, selected[:index], frozenset()) for index, one in enumerate(selected)):
            return False
        wishes = [*self.roots, *asserted, *(wish for one in selected for wish in self.wishes_of(one))]
        return self._possible(selected, frozenset(), wishes)

    def grants(self, selected: Collection[PlainCandidate]) -> bool:
        """Return True if *selected* and nothing else is a valid selection: whether preferred or not."""
        if not all(self._fits(one, (other for other in selected if other is not one), frozenset()) for one in selected):
            return False
        wishes = [*self.roots, *(wish for one in selected for wish in self.wishes_of(one))]
        return all(holds(wish, selected) for wish in wishes)

    def _possible(
        self, selected: list[PlainCandidate], excluded: frozenset[PlainCandidate], wishes: list[Wish]
    ) -> bool:
        """Return True if candidates outside *excluded* can join *selected* so that all wishes are granted.

        All are *wishes* and the wishes of each candidate that joins.
        """
        self._steps_left -= 1
        if self._steps_left < 0:
            raise TooLarge
        if not wishes:
            return True
        wish, later_wishes = wishes[0], wishes[1:]
        match wish:
            case NoCandidate():
                if any(candidate in selected for candidate in wish.candidates):
                    return False
                return self._possible(selected, excluded.union(wish.candidates), later_wishes)
            case AllParts():
                return self._possible(selected, excluded, [*wish.parts, *later_wishes])
            case AnyPart():
                return any(self._possible(selected, excluded, [part, *later_wishes]) for part in wish.parts)
            case AnyCandidate():
                if any(candidate in selected for candidate in wish.candidates):
                    return self._possible(selected, excluded, later_wishes)
                return any(
                    self._possible([*selected, one], excluded, [*later_wishes, *self.wishes_of(one)])
                    for one in wish.candidates
                    if self._fits(one, selected, excluded)
                )
            case _:
                assert_never(wish)

    def _fits(
        self, candidate: PlainCandidate, selected: Iterable[PlainCandidate], excluded: frozenset[PlainCandidate]
    ) -> bool:
        if not candidate.selectable or candidate in excluded:
            return False
        return not any(self.exclude_each_other(candidate, other) for other in selected)

    def exclude_each_other(self, one: PlainCandidate, other: PlainCandidate) -> bool:
        """Return True if at most one of the two can be selected."""
        if (one, other) not in self._exclude:
            pairs = self.world.excluded_pairs
            self._exclude[one, other] = one.excludes(other) or (one, other) in pairs or (other, one) in pairs
        return self._exclude[one, other]

    def wishes_of(self, candidate: PlainCandidate) -> tuple[Wish, ...]:
        """Return the wishes that a selected *candidate* brings."""
        if candidate not in self._wishes:
            self._wishes[candidate] = wishes_of(self.world, candidate, self._semantics)
        return self._wishes[candidate]

    def described(self, candidate: PlainCandidate) -> Selected:
        """Return *candidate* as a plain value."""
        replaced = next((old.name for new, old in self.world.excluded_pairs if new is candidate), None)
        replaces = candidate.entry.replaces if replaced is None else replaced
        return Selected(candidate.catalog, candidate.package, candidate.channel, candidate.name, replaces)
