"""The negation normal form of a predicate, over which the documented meaning of all, any and not is defined.

OLM's documentation lets compound constraints range over the set of installed bundles: each leaf is met by some selected
bundle of its own, and a negated leaf by no selected bundle. So negations have to be at the leaves::

    as written         NoneOf((AllOf((a, b)),))                   none of (all of (a; b))
    in normal form     Disjunction((Negative(a), Negative(b)))    no a, or no b

Leaves need no normalising, and nearly all requirements are leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.predicates.model import Predicate


@attrs.frozen(cache_hash=True)
class Positive:
    """Some selected bundle meets *predicate*, which has no parts."""

    predicate: Predicate

    def holds(self, is_met: Callable[[Predicate], bool], *, negative: bool) -> bool:
        return is_met(self.predicate)

    def __str__(self) -> str:
        return str(self.predicate)


@attrs.frozen(cache_hash=True)
class Negative:
    """No selected bundle meets *predicate*, which has no parts."""

    predicate: Predicate

    def holds(self, is_met: Callable[[Predicate], bool], *, negative: bool) -> bool:
        return negative

    def __str__(self) -> str:
        return f"no {self.predicate.as_bundle.removeprefix('a ')}"


@attrs.frozen(cache_hash=True)
class Conjunction:
    """Every one of the two or more *parts* holds; no part is a conjunction itself."""

    parts: tuple[Positive | Negative | Disjunction, ...]

    def holds(self, is_met: Callable[[Predicate], bool], *, negative: bool) -> bool:
        return all(part.holds(is_met, negative=negative) for part in self.parts)

    def __str__(self) -> str:
        return f"all of ({'; '.join(map(str, self.parts))})"


@attrs.frozen(cache_hash=True)
class Disjunction:
    """At least one of the two or more *parts* holds; no part is a disjunction itself."""

    parts: tuple[Positive | Negative | Conjunction, ...]

    def holds(self, is_met: Callable[[Predicate], bool], *, negative: bool) -> bool:
        return any(part.holds(is_met, negative=negative) for part in self.parts)

    def __str__(self) -> str:
        return f"any of ({'; '.join(map(str, self.parts))})"


NormalForm: TypeAlias = Positive | Negative | Conjunction | Disjunction
"""A predicate with its negations at the leaves.

``form.holds(is_met, negative=...)`` says whether it holds where *is_met* judges the predicates of the positive leaves,
and each negative leaf counts as *negative*: nobody knows yet what else will be selected.
"""


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
    if not predicate.parts:
        # Nearly all requirements are leaves, and every selected bundle is asked for all of them: 0.04 instead of 0.2
        # µs.
        return False
    form = normalise(predicate)
    if isinstance(form, Disjunction):
        return not all(isinstance(part, Positive) for part in form.parts)
    return not isinstance(form, Positive)


def _normal(predicate: Predicate, *, negated: bool) -> NormalForm:
    if not predicate.parts:
        return Negative(predicate) if negated else Positive(predicate)
    # "None of the parts" is "all of their negations".
    into_parts = negated ^ bool(predicate.none_of)
    forms = [_normal(part, negated=into_parts) for part in predicate.parts]
    # De Morgan: "all of" negated is "any of" the negated parts, and the other way round.
    return _flattened(Disjunction if negated ^ bool(predicate.any_of) else Conjunction, forms)


def _flattened(connective: type[Conjunction | Disjunction], forms: Iterable[NormalForm]) -> NormalForm:
    parts: list[Any] = []
    for form in forms:
        if isinstance(form, connective):
            parts.extend(form.parts)
        else:
            parts.append(form)
    return parts[0] if len(parts) == 1 else connective(tuple(parts))
