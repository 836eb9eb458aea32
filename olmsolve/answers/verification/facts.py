"""Facts of a request that a proof may start from, and the clauses that each of them stands for.

A certificate only names facts. What they say is worked out here, from the request: a proof that starts from
something else cannot even be written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import attrs

from olmsolve.answers.verification.wishes import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics

__all__ = ["Clauses", "Fact", "Never", "OnePer", "Proposition", "Replaces", "RootHolds", "WishHolds", "WishPart"]


@attrs.frozen
class WishPart:
    """One way to meet a disjunction: of wish *wish* of *candidate*, where *path* leads (positions from the root)."""

    candidate: PlainCandidate
    wish: int
    path: tuple[int, ...]


Proposition: TypeAlias = PlainCandidate | WishPart
"""What a variable stands for: the candidate is selected, the part holds."""


@attrs.frozen
class RootHolds:
    """Root *number* of the request: one of its candidates is selected."""

    number: int


@attrs.frozen
class WishHolds:
    """Wish *wish* of *candidate* (in the order of its properties) holds where the candidate is selected."""

    candidate: PlainCandidate
    wish: int


@attrs.frozen
class OnePer:
    """At most one of *members* is selected: all are of the package, or provide the API, called *name*.

    *kind* is ``package`` or ``api``.
    """

    kind: str
    name: str
    members: tuple[PlainCandidate, ...]

    def holds(self) -> bool:
        """Whether every member is what the fact says."""
        return all(self.name in (_packages(each) if self.kind == "package" else _apis(each)) for each in self.members)


@attrs.frozen
class Replaces:
    """*candidate* updates *operator*: not both are selected."""

    candidate: PlainCandidate
    operator: PlainCandidate


@attrs.frozen
class Never:
    """*candidate* is deprecated or broken, and never selected."""

    candidate: PlainCandidate


Fact: TypeAlias = RootHolds | WishHolds | OnePer | Replaces | Never


def _packages(candidate: PlainCandidate) -> set[str]:
    return {name for name, _ in candidate.published.packages}


def _apis(candidate: PlainCandidate) -> set[str]:
    return {str(gvk) for gvk in candidate.published.gvks}


class Clauses:
    """The clauses of some facts; variables are numbers from 1, in the order in which they were mentioned first."""

    def __init__(self, world: World, semantics: Semantics, roots: Sequence[AnyCandidate]) -> None:
        self._world = world
        self._semantics = semantics
        self._roots = roots
        self.numbers: dict[Proposition, int] = {}
        self.clauses: list[tuple[int, ...]] = []
        self.at_most_one: list[tuple[int, ...]] = []

    def number(self, key: Proposition) -> int:
        """The variable of *key*."""
        return self.numbers.setdefault(key, len(self.numbers) + 1)

    def add(self, fact: Fact) -> None:
        """Add what *fact*, which must hold, stands for."""
        match fact:
            case RootHolds():
                self.clauses.append(self._any_of(self._roots[fact.number].candidates))
            case WishHolds():
                wish = wishes_of(self._world, fact.candidate, self._semantics)[fact.wish]
                self._grow(self.number(fact.candidate), wish, WishPart(fact.candidate, fact.wish, ()))
            case OnePer():
                self.at_most_one.append(self._any_of(fact.members))
            case Replaces():
                self.clauses.append((-self.number(fact.candidate), -self.number(fact.operator)))
            case Never():
                self.clauses.append((-self.number(fact.candidate),))

    def _any_of(self, candidates: Iterable[PlainCandidate]) -> tuple[int, ...]:
        return tuple(map(self.number, candidates))

    def _grow(self, guard: int, wish: Wish, at: WishPart) -> None:
        """What holds where *guard* does: *wish*, which stands *at* this place."""
        match wish:
            case AnyCandidate():
                self.clauses.append((-guard, *self._any_of(wish.candidates)))
            case NoCandidate():
                self.clauses.extend((-guard, -self.number(each)) for each in wish.candidates)
            case AllParts():
                for position, part in enumerate(wish.parts):
                    self._grow(guard, part, attrs.evolve(at, path=(*at.path, position)))
            case AnyPart():
                places = [attrs.evolve(at, path=(*at.path, position)) for position in range(len(wish.parts))]
                guards = [self.number(place) for place in places]
                self.clauses.append((-guard, *guards))
                for inner, part, place in zip(guards, wish.parts, places, strict=True):
                    self._grow(inner, part, place)
