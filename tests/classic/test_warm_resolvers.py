"""`Resolver.warm` pays in advance: the first request after it makes nothing that later requests find ready."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pytest

from olmsolve import Catalog, CatalogError, Request, Resolver, Source, Subscription, Unsatisfiable
from olmsolve.catalog.index import CatalogIndex, index_of
from olmsolve.testing import WIDE, random_request, synthetic
from tests.scale import scaled

_NAMESPACES = ("target", "olm")
_CATALOGS = {
    "realistic": lambda: synthetic.realistic_catalog(40),
    "easy": lambda: synthetic.catalog("S"),
    "hard": lambda: synthetic.catalog("S", "hard", seed=2),
}


def _remembered(index: CatalogIndex) -> dict[str, int]:
    """The number of entries of each dict in *index* and its tables, by its name."""
    sizes: dict[str, int] = {}
    seen: set[int] = set()

    def walk(value: Any, path: str) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        fields = {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}
        for name, field in fields.items():
            owner = getattr(field, "__self__", field)
            if isinstance(field, dict):
                sizes[f"{path}.{name}"] = len(field)
            elif type(owner).__module__.startswith("olmsolve.catalog.index"):
                walk(owner, f"{path}.{type(owner).__name__}")

    walk(index, "index")
    return sizes


def _wishes(catalog: Catalog) -> Iterator[list[Subscription]]:
    for package in catalog:
        for channel in (*package.channels, ""):
            yield [Subscription("wish", "target", package.name, channel, "catalog", "olm")]


def _answer(resolver: Resolver, wishes: Sequence[Subscription], namespaces: Sequence[str] = _NAMESPACES) -> object:
    try:
        return resolver.resolve(wishes, namespaces=namespaces)
    except (Unsatisfiable, CatalogError) as failure:
        return str(failure)


@pytest.mark.parametrize("name", list(_CATALOGS))
def test_requests_find_everything_made(name: str) -> None:
    """A table that still grows is work that the first request pays for, and a caller warmed in vain."""
    catalog = _CATALOGS[name]()
    resolver = Resolver([Source("catalog", "olm", 0, catalog)])
    resolver.warm(namespaces=_NAMESPACES)
    before = _remembered(index_of(catalog))
    assert sum(before.values()) > 100
    for wishes in _wishes(catalog):
        _answer(resolver, wishes)
    assert _remembered(index_of(catalog)) == before


def test_answers_are_the_same() -> None:
    """Warming is about time alone, over several catalogs and broken ones too."""
    for seed in range(scaled(150)):
        request = random_request(random.Random(f"warm {seed}"), WIDE)
        fresh = [attrs.evolve(source, catalog=attrs.evolve(source.catalog)) for source in request.sources]
        warm, cold = Resolver(fresh), Resolver(request.sources)
        warm.warm(namespaces=request.namespaces)
        assert _answered(warm, request) == _answered(cold, request)


def _answered(resolver: Resolver, request: Request) -> object:
    try:
        plan = resolver.resolve(request.subscriptions, namespaces=request.namespaces, installed=request.installed)
        return plan.to_dict()
    except (Unsatisfiable, CatalogError) as failure:
        return str(failure)


def test_one_package_can_be_warmed() -> None:
    """A service for few packages of a large catalog does not pay for the others."""
    catalog = synthetic.realistic_catalog(40)
    package = max(catalog, key=lambda package: len(package.bundles)).name
    resolver = Resolver([Source("catalog", "olm", 0, catalog)])
    resolver.warm(namespaces=_NAMESPACES, packages=[package])
    before = _remembered(index_of(catalog))
    wish = [Subscription("wish", "target", package, "", "catalog", "olm")]
    _answer(resolver, wish)
    assert _remembered(index_of(catalog)) == before
    resolver.warm(namespaces=_NAMESPACES)
    assert sum(_remembered(index_of(catalog)).values()) > 2 * sum(before.values())


def test_catalogs_of_other_namespaces_stay_cold() -> None:
    """A namespace sees its own catalogs only, and warming for it makes nothing of the others."""
    catalog = synthetic.realistic_catalog(5)
    Resolver([Source("catalog", "elsewhere", 0, catalog)]).warm(namespaces=_NAMESPACES)
    assert sum(_remembered(index_of(catalog)).values()) == 0


def test_a_resolver_remembers_few_combinations_of_namespaces() -> None:
    """A service that answers for thousands of namespaces would otherwise keep a view of the catalogs for each."""
    resolver = Resolver([Source("main", "olm", 0, synthetic.realistic_catalog(3))])
    for number in range(200):
        resolver.warm(packages=(), namespaces=[f"team-{number}", "olm"])
    assert 0 < len(resolver._views.kept.views) <= 64
