"""Wishes: the conditions that roots and selected candidates put on the set of selected candidates.

A wish is a small tree. A requirement "an API or, without package x, package y" becomes::

    AnyPart((AnyCandidate(providers), AllParts((NoCandidate(bundles of x), AnyCandidate(bundles of y)))))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, TypeAlias, assert_never

import attrs

from olmsolve.answers.plain_reading import BundleTest, PartsTest
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics


@attrs.frozen(eq=False)
class AnyCandidate:
    """One of *candidates* must be selected: the first that can be."""

    candidates: tuple[PlainCandidate, ...]


@attrs.frozen(eq=False)
class NoCandidate:
    """None of *listed*, all that could match, may be selected; *exempt* is the candidate whose wish it is.

    A house rule lists the same bundles for each candidate that it speaks of, and keeps none from itself. So all share
    one list: 10,000 candidates with 10,000 others each would else take a gigabyte.
    """

    listed: tuple[PlainCandidate, ...]
    exempt: PlainCandidate | None = None

    @property
    def candidates(self) -> Iterable[PlainCandidate]:
        """The candidates that may not be selected."""
        if self.exempt is None:
            return self.listed
        return (candidate for candidate in self.listed if candidate is not self.exempt)


@attrs.frozen(eq=False)
class AllParts:
    """Every one of *parts* must hold."""

    parts: tuple[Wish, ...]


@attrs.frozen(eq=False)
class AnyPart:
    """At least one of *parts* must hold: the first that can."""

    parts: tuple[Wish, ...]


Wish: TypeAlias = AnyCandidate | NoCandidate | AllParts | AnyPart


def wishes_of(world: World, candidate: PlainCandidate, semantics: Semantics) -> tuple[Wish, ...]:
    """Return a wish for each requirement of *candidate*, in the order of its properties, then one for each house rule.

    The rules that want something else not beside it ask for the same under both semantics.
    """
    # A NoCandidate lists selectable candidates. They only grow in number, so the number tells an outdated list.
    key = candidate, semantics, len(world.selectable)
    wishes: tuple[Wish, ...] | None = world.remembered.get(key)
    if wishes is None:
        apart = (NoCandidate(others, candidate) for others in world.kept_from(candidate))
        wishes = world.remembered[key] = (*_wishes_of(world, candidate, semantics), *apart)
    return wishes


def _wishes_of(world: World, candidate: PlainCandidate, semantics: Semantics) -> tuple[Wish, ...]:
    predicates = [requirement.predicate for requirement in candidate.requirements]
    # The shipped controller asks a single bundle to meet a compound requirement; documented semantics take it apart.
    if semantics is Semantics.CONTROLLER:
        return tuple(AnyCandidate(world.meeting([predicate], candidate.catalog)) for predicate in predicates)
    return tuple(_documented(world, candidate.catalog, _unfolded(predicate)) for predicate in predicates)


@attrs.frozen
class _Form:
    """A requirement with negations at its leaves: *some* or *no* bundle meets a *leaf*, *all* or *any* parts hold."""

    kind: Literal["some", "no", "all", "any"]
    leaf: BundleTest | None = None
    parts: tuple[_Form, ...] = ()


def _unfolded(test: BundleTest, *, negated: bool = False) -> _Form:
    """Return the form of *test*: "not" asks for the negation of all its parts, and negated, "all" becomes "any".

    A part with the kind of the whole gives its parts, and a whole with one part is this part.
    """
    if not isinstance(test, PartsTest):
        return _Form("no" if negated else "some", test)
    parts = [_unfolded(part, negated=negated is not (test.kind == "not")) for part in test.parts]
    kind: Literal["all", "any"] = "any" if (test.kind == "any") is not negated else "all"
    flat_parts = [inner for part in parts for inner in (part.parts if part.kind == kind else (part,))]
    return flat_parts[0] if len(flat_parts) == 1 else _Form(kind, parts=tuple(flat_parts))


def _documented(world: World, catalog: str, form: _Form) -> Wish:
    """Return the wish that a requirement is under documented semantics: each part met by some bundle."""
    if form.leaf is not None:
        return (
            AnyCandidate(world.meeting([form.leaf], catalog))
            if form.kind == "some"
            else NoCandidate(world.excluded_by(form.leaf))
        )
    # Alternatives that are plain tests are one choice, in the order of candidates and not of writing.
    if form.kind == "any" and all(part.kind == "some" for part in form.parts):
        return AnyCandidate(world.meeting([part.leaf for part in form.parts if part.leaf is not None], catalog))
    wishes = tuple(_documented(world, catalog, part) for part in form.parts)
    return AllParts(wishes) if form.kind == "all" else AnyPart(wishes)


def is_met(wish: Wish, selected: Collection[PlainCandidate]) -> bool:
    """Return whether the candidates *selected* so far meet *wish*, so that the queue passes over it."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(True for _ in wish.candidates)
        case AllParts():
            return all(is_met(part, selected) for part in wish.parts)
        case AnyPart():
            return any(is_met(part, selected) for part in wish.parts)
        case _:
            assert_never(wish)


def flat(wishes: Iterable[Wish]) -> Iterator[Wish]:
    """Yield *wishes* as they join the queue: a conjunction joins part by part."""
    for wish in wishes:
        if isinstance(wish, AllParts):
            yield from flat(wish.parts)
        else:
            yield wish
