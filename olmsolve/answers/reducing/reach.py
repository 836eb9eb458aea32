"""The packages that a request can touch: those of its wishes, and whatever can meet a requirement of theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from olmsolve.catalog import Catalog
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    Predicate,
    Property,
    ProvidesGVK,
    Published,
    published,
    requirements,
)


def reachable(catalogs: Iterable[Catalog], packages: Iterable[str], properties: Iterable[Property] = ()) -> set[str]:
    """Return the names *packages* and those of all packages that these can need, directly or not.

    *properties* are those of installed operators, whose requirements count too. A package that a requirement only
    excludes counts: whether it is there matters.
    """
    facts: dict[str, list[Published]] = defaultdict(list)
    for package in (package for catalog in catalogs for package in catalog):
        facts[package.name] += [published(package.name, bundle.properties) for bundle in package.bundles.values()]
    providers = _Providers(facts)
    found: set[str] = set()
    waiting = list(packages)
    seen: set[Predicate] = set()

    def need(leaves: Iterable[Predicate]) -> None:
        for leaf in leaves:
            if leaf not in seen:
                seen.add(leaf)
                waiting.extend(providers.of(leaf))

    need(_leaves(tuple(properties)))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            for each in facts.get(name, ()):
                need(_leaves(each.properties))
    return found


class _Providers:
    """The packages that can meet a predicate, by tables for those that name something."""

    def __init__(self, facts: dict[str, list[Published]]) -> None:
        self._facts = facts
        self._names: dict[object, set[str]] = defaultdict(set)
        for name, each in ((name, fact) for name, found in facts.items() for fact in found):
            self._names["package", name].add(name)
            for other, _ in each.packages:
                self._names["package", other].add(name)
            for api in each.gvks:
                self._names[api].add(name)
            for label in each.labels:
                self._names["label", label].add(name)

    def of(self, leaf: Predicate) -> Iterable[str]:
        match leaf:
            case ProvidesGVK():
                return self._names.get(leaf.gvk, ())
            case InPackage():
                return self._names.get(("package", leaf.package), ())
            case HasLabel():
                return self._names.get(("label", leaf.label), ())
            case _:
                return [name for name, found in self._facts.items() if any(leaf.test(each) for each in found)]


def _leaves(properties: tuple[Property, ...]) -> Iterator[Predicate]:
    """Yield the requirements among *properties* without compounds; nothing where they do not parse."""
    try:
        waiting = [requirement.predicate for requirement in requirements(properties)]
    except ConstraintError:
        return
    while waiting:
        predicate = waiting.pop()
        if isinstance(predicate, AllOf | AnyOf | NoneOf):
            waiting.extend(predicate.parts)
        else:
            yield predicate
