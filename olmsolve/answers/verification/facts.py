"""Facts of a request that a proof may start from, and the clauses that each of them stands for.

A certificate only names facts. What they say is worked out here, from the request: a proof that starts from
something else cannot even be written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import attrs

from olmsolve.answers.verification.wishes import All, Any, Choice, Exclusion, Wish, wishes_of
from olmsolve.answers.verification.world import Candidate, World
from olmsolve.classic import Semantics

__all__ = ["Clauses", "Fact", "Key", "Never", "OnePer", "Part", "Replaces", "Requires", "Wanted"]


@attrs.frozen
class Part:
    """One way to meet a disjunction: of wish *wish* of *candidate*, where *path* leads (positions from the root)."""

    candidate: Candidate
    wish: int
    path: tuple[int, ...]


Key: TypeAlias = Candidate | Part
"""What a variable stands for: the candidate is selected, the part holds."""


@attrs.frozen
class Wanted:
    """Root *number* of the request: one of its candidates is selected."""

    number: int


@attrs.frozen
class Requires:
    """Wish *wish* of *candidate* (in the order of its properties) holds where the candidate is selected."""

    candidate: Candidate
    wish: int


@attrs.frozen
class OnePer:
    """At most one of *members* is selected: all are of the package, or provide the API, called *name*.

    *kind* is ``package`` or ``api``.
    """

    kind: str
    name: str
    members: tuple[Candidate, ...]

    def holds(self) -> bool:
        """Whether every member is what the fact says."""
        return all(self.name in (_packages(each) if self.kind == "package" else _apis(each)) for each in self.members)


@attrs.frozen
class Replaces:
    """*candidate* updates *operator*: not both are selected."""

    candidate: Candidate
    operator: Candidate


@attrs.frozen
class Never:
    """*candidate* is deprecated or broken, and never selected."""

    candidate: Candidate


Fact: TypeAlias = Wanted | Requires | OnePer | Replaces | Never


def _packages(candidate: Candidate) -> set[str]:
    return {name for name, _ in candidate.published.packages}


def _apis(candidate: Candidate) -> set[str]:
    return {str(gvk) for gvk in candidate.published.gvks}


class Clauses:
    """The clauses of some facts; variables are numbers from 1, in the order in which they were mentioned first."""

    def __init__(self, world: World, semantics: Semantics, roots: Sequence[Choice]) -> None:
        self._world = world
        self._semantics = semantics
        self._roots = roots
        self.numbers: dict[Key, int] = {}
        self.clauses: list[tuple[int, ...]] = []
        self.at_most_one: list[tuple[int, ...]] = []

    def number(self, key: Key) -> int:
        """The variable of *key*."""
        return self.numbers.setdefault(key, len(self.numbers) + 1)

    def add(self, fact: Fact) -> None:
        """Add what *fact*, which must hold, stands for."""
        match fact:
            case Wanted():
                self.clauses.append(self._any_of(self._roots[fact.number].candidates))
            case Requires():
                wish = wishes_of(self._world, fact.candidate, self._semantics)[fact.wish]
                self._grow(self.number(fact.candidate), wish, Part(fact.candidate, fact.wish, ()))
            case OnePer():
                self.at_most_one.append(self._any_of(fact.members))
            case Replaces():
                self.clauses.append((-self.number(fact.candidate), -self.number(fact.operator)))
            case Never():
                self.clauses.append((-self.number(fact.candidate),))

    def _any_of(self, candidates: Iterable[Candidate]) -> tuple[int, ...]:
        return tuple(map(self.number, candidates))

    def _grow(self, guard: int, wish: Wish, at: Part) -> None:
        """What holds where *guard* does: *wish*, which stands *at* this place."""
        match wish:
            case Choice():
                self.clauses.append((-guard, *self._any_of(wish.candidates)))
            case Exclusion():
                self.clauses.extend((-guard, -self.number(each)) for each in wish.candidates)
            case All():
                for position, part in enumerate(wish.parts):
                    self._grow(guard, part, attrs.evolve(at, path=(*at.path, position)))
            case Any():
                places = [attrs.evolve(at, path=(*at.path, position)) for position in range(len(wish.parts))]
                guards = [self.number(place) for place in places]
                self.clauses.append((-guard, *guards))
                for inner, part, place in zip(guards, wish.parts, places, strict=True):
                    self._grow(inner, part, place)
