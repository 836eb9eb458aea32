"""The packages that a request can touch: the ones it wishes for, and all that can meet their requirements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from olmsolve.catalog import Catalog
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Fact, Predicate, Property, Published, leaves, published, requirements


def reachable(catalogs: Iterable[Catalog], packages: Iterable[str], properties: Iterable[Property] = ()) -> set[str]:
    """Return the names *packages*, and the names of all packages that they can need, directly or not.

    *properties* belong to installed operators, whose requirements count too. A package that a requirement only
    excludes counts: whether it is there matters.
    """
    return Reach(catalogs).reached_from(packages, properties)


class Reach:
    """The packages that wishes over *catalogs* can touch, for many sets of wishes; each package is looked at once."""

    def __init__(self, catalogs: Iterable[Catalog]) -> None:
        self._facts: dict[str, list[Published]] = defaultdict(list)
        for package in (package for catalog in catalogs for package in catalog):
            facts = (published(package.name, bundle.properties) for bundle in package.bundles.values())
            self._facts[package.name] += facts
        self._providers = _Providers(self._facts)
        self._met_by: dict[Predicate, tuple[str, ...]] = {}
        self._needed_by: dict[str, frozenset[str]] = {}

    def reached_from(self, packages: Iterable[str], properties: Iterable[Property] = ()) -> set[str]:
        """Return what :func:`reachable` does for *packages* and *properties*."""
        reached: set[str] = set()
        waiting = [*packages, *self._providers_of(requirement_leaves(tuple(properties)))]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(self._needs(name) - reached)
        return reached

    def _needs(self, package: str) -> frozenset[str]:
        """Return the packages that bundles of *package* can need themselves."""
        if package not in self._needed_by:
            leaves_needed = (
                leaf for bundle in self._facts.get(package, ()) for leaf in requirement_leaves(bundle.properties)
            )
            self._needed_by[package] = frozenset(self._providers_of(leaves_needed))
        return self._needed_by[package]

    def _providers_of(self, leaves: Iterable[Predicate]) -> Iterator[str]:
        for leaf in leaves:
            if leaf not in self._met_by:
                self._met_by[leaf] = tuple(self._providers.providers_of(leaf))
            yield from self._met_by[leaf]


class _Providers:
    """The packages that can meet a predicate, by tables for those that name something."""

    def __init__(self, facts: dict[str, list[Published]]) -> None:
        self._facts = facts
        self._stating: dict[Fact, set[str]] = defaultdict(set)
        for name, bundles in facts.items():
            for fact in (fact for bundle in bundles for fact in bundle.facts()):
                self._stating[fact].add(name)

    def providers_of(self, leaf: Predicate) -> Iterable[str]:
        if leaf.fact is not None:
            return self._stating.get(leaf.fact, ())
        return [name for name, bundles in self._facts.items() if any(leaf.test(bundle) for bundle in bundles)]


def requirement_leaves(properties: Iterable[Property]) -> Iterator[Predicate]:
    """Yield the requirements among *properties* without compounds; nothing where they do not parse."""
    try:
        stated = requirements(properties)
    except ConstraintError:
        return
    for requirement in stated:
        yield from leaves(requirement.predicate)
