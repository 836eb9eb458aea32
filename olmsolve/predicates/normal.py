"""The negation normal form of a predicate, over which the documented meaning of all, any and not is defined.

OLM's documentation lets compound constraints range over the set of installed bundles: each leaf is met by some selected
bundle of its own, and a negated leaf by no selected bundle. So negations have to stand at the leaves::

    as written         NoneOf((AllOf((a, b)),))                   none of (all of (a; b))
    in normal form     Disjunction((Negative(a), Negative(b)))    no a, or no b

Leaves need no normalising, and nearly all requirements are leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.predicates.model import AllOf, AnyOf, HasLabel, InPackage, NoneOf, Predicate, ProvidesGVK, Satisfies

_COMPOUND: Final = (AllOf, AnyOf, NoneOf)

Leaf: TypeAlias = ProvidesGVK | InPackage | HasLabel | Satisfies
"""A predicate without parts."""


@attrs.frozen(cache_hash=True)
@shared_repr
class Positive:
    """Some selected bundle meets *predicate*."""

    predicate: Leaf

    def __str__(self) -> str:
        return str(self.predicate)


@attrs.frozen(cache_hash=True)
@shared_repr
class Negative:
    """No selected bundle meets *predicate*."""

    predicate: Leaf

    def __str__(self) -> str:
        # A bundle has an API, a label or a property; it is of a package.
        return f"no {'' if isinstance(self.predicate, InPackage) else 'bundle with '}{self.predicate}"


@attrs.frozen(cache_hash=True)
@shared_repr
class Conjunction:
    """Every one of the two or more *parts* holds; no part is a conjunction itself."""

    parts: tuple[Positive | Negative | Disjunction, ...]

    def __str__(self) -> str:
        return f"all of ({'; '.join(map(str, self.parts))})"


@attrs.frozen(cache_hash=True)
@shared_repr
class Disjunction:
    """At least one of the two or more *parts* holds; no part is a disjunction itself."""

    parts: tuple[Positive | Negative | Conjunction, ...]

    def __str__(self) -> str:
        return f"any of ({'; '.join(map(str, self.parts))})"


NormalForm: TypeAlias = Positive | Negative | Conjunction | Disjunction


def normalise(predicate: Predicate) -> NormalForm:
    """Return *predicate* with its negations at the leaves.

    Nested equal connectives are flattened, in place and in order; a node with a single part becomes the part.
    """
    return _normal(predicate, negated=False)


def semantics_differ(predicate: Predicate) -> bool:
    """Return True if the documented and the shipped meaning of *predicate* can differ on some set of bundles.

    They agree on a leaf, and on a disjunction of leaves: any bundle that meets a leaf meets the whole on its own.
    Everything else can differ, as ``all of (a; b)``: two bundles meet it under the documented meaning, one under both.
    """
    if not isinstance(predicate, _COMPOUND):
        # Nearly all requirements are leaves, and every selected bundle is asked for all of them.
        return False
    form = normalise(predicate)
    if isinstance(form, Disjunction):
        return not all(isinstance(part, Positive) for part in form.parts)
    return not isinstance(form, Positive)


def _normal(predicate: Predicate, *, negated: bool) -> NormalForm:
    if not isinstance(predicate, _COMPOUND):
        return Negative(predicate) if negated else Positive(predicate)
    # "None of the parts" is "all of their negations".
    into_parts = negated ^ isinstance(predicate, NoneOf)
    forms = [_normal(part, negated=into_parts) for part in predicate.parts]
    # De Morgan: "all of" negated is "any of" the negated parts, and the other way round.
    return _flattened(Disjunction if negated ^ isinstance(predicate, AnyOf) else Conjunction, forms)


def _flattened(connective: type[Conjunction | Disjunction], forms: Iterable[NormalForm]) -> NormalForm:
    parts: list[Any] = []
    for form in forms:
        if isinstance(form, connective):
            parts.extend(form.parts)
        else:
            parts.append(form)
    return parts[0] if len(parts) == 1 else connective(tuple(parts))
