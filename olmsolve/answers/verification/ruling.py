"""House rules as a request states them, applied to plain candidates one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Protocol, TypeVar

from olmsolve._limits import checked
from olmsolve.answers.plain_reading import BundleTest, PackageTest, PlainFacts, PlainRange, constraint
from olmsolve.classic import AtLeastOne, Bundles, HouseRule, Never, Prefer, TotalAtMost
from olmsolve.errors import RequestError
from olmsolve.predicates import Property

_RULES: Final = "house_rules"


class Described(Protocol):
    """The facts about candidates that rules test."""

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
    if bundles.versions is not None and not _versions(bundles.package, bundles.versions.text).test(facts):
        return False
    return bundles.constraint is None or _constraint(bundles.constraint).test(facts)


# A house rule is asked about each candidate of a request: reading its range costs 9 µs each time, looking it up 0.04.
@lru_cache(maxsize=256)
def _versions(package: str, versions: str) -> PackageTest:
    plain = PlainRange.read(versions)
    assert plain is not None, versions
    return PackageTest(package, plain)


# As for ranges: 21 µs to read a constraint, 1.4 to look it up, most of which is to hash its value.
@lru_cache(maxsize=256)
def _constraint(property_: Property) -> BundleTest:
    return constraint(property_.value)


def refuse_unplain_rules(rules: Iterable[HouseRule]) -> None:
    """Raise RequestError for a rule that certificates do not know: a sum, an order by numbers, or a function."""
    for rule in rules:
        if isinstance(rule, TotalAtMost) or (isinstance(rule, Prefer) and rule.measure is not None):
            raise RequestError(f"house rule {rule.name!r} uses numbers, which a certificate cannot hold", field=_RULES)
        if rule.functions():
            raise RequestError(
                f"house rule {rule.name!r} has a function, which a certificate cannot hold", field=_RULES
            )


def forbidding(rules: Iterable[HouseRule], candidate: Described) -> str:
    """Return the name of the first rule that forbids *candidate*; "" if no rule does."""
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
    """Yield the bundles of each demand, in the order of *rules*: at least one must be selected."""
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
    return [candidate for _, _, candidate in sorted(ranked, key=lambda entry: entry[:2])]
