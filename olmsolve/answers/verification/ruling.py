"""House rules as a request states them, applied to plain candidates one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol, TypeVar, assert_never

from olmsolve._limits import checked
from olmsolve.answers.plain_reading import (
    ApiTest,
    BundleTest,
    LabelTest,
    PackageTest,
    PartsTest,
    PlainFacts,
    PlainRange,
    RuleTest,
)
from olmsolve.classic import AtLeastOne, Bundles, HouseRule, Never, Prefer
from olmsolve.predicates import AllOf, AnyOf, HasLabel, InPackage, NoneOf, Predicate, ProvidesGVK, Satisfies


class Described(Protocol):
    """The facts by which rules tell candidates apart."""

    @property
    def name(self) -> str: ...
    @property
    def catalog(self) -> str: ...
    @property
    def came_from(self) -> str: ...
    @property
    def published(self) -> PlainFacts: ...


C = TypeVar("C", bound=Described)


def concerns(bundles: Bundles, candidate: Described) -> bool:
    """Return whether *candidate* has everything in common that *bundles* say (docs/house-rules.md)."""
    facts = candidate.published
    if bundles.name and bundles.name != candidate.name:
        return False
    if bundles.catalog and bundles.catalog not in (candidate.catalog, candidate.came_from):
        return False
    if bundles.package and bundles.package not in {facts.package, *(name for name, _ in facts.packages)}:
        return False
    if bundles.api is not None and bundles.api not in facts.gvks:
        return False
    return all(_test(predicate).test(facts) for predicate in bundles.predicates)


@lru_cache(maxsize=256)
def _test(predicate: Predicate) -> BundleTest:
    """Return what a house rule asks for, which the request holds as a predicate, as a test of the plain reading."""
    match predicate:
        case ProvidesGVK():
            return ApiTest(predicate.gvk)
        case InPackage():
            versions = PlainRange.of(predicate.versions.text)
            assert versions is not None, predicate.versions.text
            return PackageTest(predicate.package, versions)
        case HasLabel():
            return LabelTest(predicate.label)
        case Satisfies():
            return RuleTest(predicate.rule.text)
        case AllOf():
            return PartsTest("all", tuple(map(_test, predicate.parts)))
        case AnyOf():
            return PartsTest("any", tuple(map(_test, predicate.parts)))
        case NoneOf():
            return PartsTest("not", tuple(map(_test, predicate.parts)))
        case _:
            assert_never(predicate)


def forbidding(rules: Iterable[HouseRule], candidate: Described) -> str:
    """Return the name of the first rule by which *candidate* is never selected, "" if there is none."""
    for rule in rules:
        if isinstance(rule, Never) and rule.beside is None and concerns(rule.bundles, candidate):
            return rule.name
    return ""


def keeping_apart(rules: Iterable[HouseRule], candidate: Described) -> Iterator[Bundles]:
    """Yield the bundles that *rules* do not want beside *candidate*."""
    for rule in rules:
        if isinstance(rule, Never) and rule.beside is not None and concerns(rule.bundles, candidate):
            yield rule.beside


def demanded(rules: Iterable[HouseRule]) -> Iterator[Bundles]:
    """Yield the bundles of which at least one is demanded, in the order of *rules*."""
    return (rule.bundles for rule in rules if isinstance(rule, AtLeastOne))


def preferred_first(rules: Iterable[HouseRule], candidates: Iterable[C]) -> list[C]:
    """Return *candidates* in the order that preferences give them; the first preference counts most."""
    wanted = [rule.bundles for rule in rules if isinstance(rule, Prefer)]
    if not wanted:
        return list(candidates)
    # The position keeps the order among candidates that the same preferences want.
    ranked = [
        ([not concerns(bundles, candidate) for bundles in wanted], position, candidate)
        for position, candidate in checked(enumerate(candidates), every=8)
    ]
    return [candidate for _, _, candidate in sorted(ranked, key=lambda each: each[:2])]
