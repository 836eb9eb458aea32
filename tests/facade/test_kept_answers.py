"""A resolver that keeps its answers gives those of one that does not, over each version of its catalogs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import attrs
import pytest

from olmsolve import (
    Catalog,
    Request,
    Resolution,
    Resolver,
    Source,
    Subscription,
    Unsatisfiable,
    evolve,
)
from olmsolve.catalog import Deprecation, Package
from olmsolve.classic import KeptAnswers, resolving
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import Property
from olmsolve.testing import COMPOUND, DENSE, WIDE, PackageBuilder, RequestShape, catalog_of, package, random_request
from tests.recorded import real_catalog
from tests.scale import scaled


def _ask(resolver: Resolver, request: Request) -> object:
    """Return the plan, or what the failure says."""
    try:
        plan = resolver.resolve(
            request.subscriptions,
            namespaces=request.namespaces,
            installed=request.installed,
            eligibility=request.eligibility,
            house_rules=request.house_rules,
        )
    except (Unsatisfiable, CatalogError) as failure:
        return str(failure)
    assert plan.context.request.sources == resolver.sources
    return plan


def _answers(resolver: Resolver, requests: Sequence[Request]) -> tuple[list[object], int]:
    """Return the answers, and how many of them were worked out."""
    with patch.object(resolving, "_resolve", wraps=resolving._resolve) as resolved:
        return [_ask(resolver, request) for request in requests], resolved.call_count


def _changed(sources: Sequence[Source], others: Sequence[Source], rng: random.Random) -> list[Source]:
    """Return *sources* in which one package is gone, is that of another catalog, or has its bundles reversed."""
    sources = list(sources)
    at = rng.randrange(len(sources))
    packages = dict(sources[at].catalog.packages)
    name = rng.choice(sorted(packages)) if packages else ""
    theirs = rng.choice(others).catalog.packages if others else {}
    if packages and rng.random() < 0.3:
        del packages[name]
    elif theirs:
        packages[name or "x"] = _renamed(rng.choice(list(theirs.values())), name or "x")
    sources[at] = evolve(sources[at], catalog=Catalog(packages))
    return sources


def _renamed(package: Package, name: str) -> Package:
    bundles = {key: attrs.evolve(bundle, package=name) for key, bundle in package.bundles.items()}
    channels = {key: attrs.evolve(channel, package=name) for key, channel in package.channels.items()}
    return attrs.evolve(package, name=name, bundles=bundles, channels=channels)


def _edited(package: Package, donor: Package, rng: random.Random) -> Package:
    """Return the package with one part edited: default channel, a channel, deprecations, or what a bundle says.

    A bundle may provide and require what one of *donor* does, so that APIs come to other packages.
    """
    edit = rng.choice(["default", "no channel", "edges", "deprecated", "more", "less", "version"])
    if edit == "default":
        return attrs.evolve(package, default_channel=rng.choice([*package.channels, "nowhere"]))
    if edit == "deprecated":
        bundles = [Deprecation("olm.bundle", name, "old") for name in package.bundles if rng.random() < 0.5]
        return attrs.evolve(package, deprecations=(Deprecation("olm.package", "", "old"), *bundles))
    if edit in ("no channel", "edges"):
        if not package.channels:
            return package
        channels = dict(package.channels)
        channel = channels.pop(rng.choice([*channels]))
        if edit == "edges":
            # Several heads, or a circle: a channel may become broken, or whole.
            entries = [attrs.evolve(entry, replaces=rng.choice(["", entry.replaces])) for entry in channel.entries]
            if entries and rng.random() < 0.3:
                entries[0] = attrs.evolve(entries[0], replaces=entries[-1].name)
            channels[channel.name] = attrs.evolve(channel, entries=tuple(entries))
        return attrs.evolve(package, channels=channels)
    if not package.bundles:
        return package
    bundle = package.bundles[rng.choice([*package.bundles])]
    own = [property_ for property_ in bundle.properties if property_.type == "olm.package"]
    others = [property_ for property_ in bundle.properties if property_.type != "olm.package"]
    if edit == "more":
        others += [
            property_
            for bundle in donor.bundles.values()
            for property_ in bundle.properties
            if property_.type != "olm.package"
        ][:1]
    elif edit == "less":
        others = others[1:]
    else:
        version = f"{rng.randrange(4)}.{rng.randrange(3)}.0"
        own = [Property("olm.package", {"packageName": package.name, "version": version})]
    edited = attrs.evolve(bundle, properties=(*own, *others))
    return attrs.evolve(package, bundles={**package.bundles, bundle.name: edited})


def _sparse_catalog(rng: random.Random) -> Catalog:
    """Return eight packages that provide and require few APIs, so that most requests reach a part of them."""
    apis = [f"example.com/v1/K{number}" for number in range(5)]
    packages = []
    for number in range(8):
        built = package(f"p{number}").channel("stable", "1.0.0 < 1.1.0")
        at = rng.choice(["", "1.1.0"])
        if rng.random() < 0.3:
            built = built.channel("next", "1.1.0 < 2.0.0")
        if rng.random() < 0.5:
            built = built.provides(rng.choice(apis), at=at)
        if rng.random() < 0.35:
            built = built.requires_api(rng.choice(apis), at=at)
        if rng.random() < 0.2:
            built = built.requires(f"p{rng.randrange(8)}", ">=1.0.0")
        packages.append(built)
    return catalog_of(*packages)


def test_random_edits() -> None:
    """Parts of packages change, version by version, and no answer is kept that should have changed.

    With the facts of new versions left out of what has changed, one version of sixty has a wrong answer.
    """
    rng = random.Random(1)
    kept = requested = 0
    for _ in range(scaled(60)):
        sources = [Source(f"c{number}", "ns", number, _sparse_catalog(rng)) for number in range(rng.randrange(1, 3))]
        wishes = [Subscription("wish", "ns", f"p{number}", rng.choice(["", "stable", "next"])) for number in range(8)]
        requests = [Request(("ns",), sources, [wish]) for wish in wishes]
        resolver = Resolver(sources, keep=20)
        _answers(resolver, requests)
        for _ in range(4):
            at = rng.randrange(len(sources))
            packages = dict(sources[at].catalog.packages)
            package, donor = (packages[rng.choice([*packages])] for _ in range(2))
            if rng.random() < 0.1 and len(packages) > 1:
                del packages[package.name]
            else:
                packages[package.name] = _edited(package, donor, rng)
            sources = [*sources[:at], evolve(sources[at], catalog=Catalog(packages)), *sources[at + 1 :]]
            resolver = resolver.after(sources)
            answers, count = _answers(resolver, requests)
            assert answers == _answers(Resolver(sources), requests)[0]
            kept, requested = kept + len(requests) - count, requested + len(requests)
    assert kept > requested / 2, "most changes touch few requests"


@pytest.mark.parametrize("shape", [COMPOUND, DENSE, WIDE], ids=["compound", "dense", "wide"])
def test_random_changes(shape: RequestShape) -> None:
    """Whatever changes, in whichever catalog: each answer is that of a resolver that never saw the version before."""
    rng = random.Random(1)
    kept = 0
    for _ in range(scaled(150)):
        request, other = random_request(rng, shape), random_request(rng, shape)
        single = [evolve(request, subscriptions=[wish]) for wish in request.subscriptions]
        requests = [request, *single, evolve(request, installed=[], subscriptions=request.subscriptions[:1])]
        resolver = Resolver(request.sources, keep=10)
        first, _ = _answers(resolver, requests)
        assert _answers(resolver, requests)[0] == first
        sources = _changed(request.sources, other.sources, rng)
        later = resolver.after(sources)
        answers, count = _answers(later, requests)
        assert answers == _answers(Resolver(sources), requests)[0]
        kept += len(requests) - count
    assert kept > 3, "some changes touch nothing"


def test_only_what_a_change_touches_is_resolved() -> None:
    """Three chains of packages; a change in one leaves the answers about the two others alone."""

    def version(name: str, number: str, provides: str = "", needs: str = "") -> PackageBuilder:
        built = package(name).channel("stable", number)
        built = built.provides(f"{provides}/v1/K") if provides else built
        return built.requires_api(f"{needs}/v1/K") if needs else built

    parts = [
        version("shop", "1.0.0", needs="db"),
        version("ledger", "1.0.0", provides="db"),
        version("blog", "1.0.0"),
        version("lonely", "1.0.0", needs="nobody"),
    ]
    sources = [Source("c", "ns", 0, catalog_of(*parts))]
    resolver = Resolver(sources, keep=100)
    requests = [
        Request(("ns",), sources, [Subscription("wish", "ns", name)]) for name in ("shop", "ledger", "blog", "lonely")
    ]
    first, count = _answers(resolver, requests)
    assert count == 4
    assert _answers(resolver, requests) == (first, 0)

    def after(*changed: PackageBuilder) -> int:
        names = {builder.name for builder in changed}
        now = [Source("c", "ns", 0, catalog_of(*(part for part in parts if part.name not in names), *changed))]
        later = resolver.after(now)
        answers, resolved = _answers(later, requests)
        assert answers == _answers(Resolver(now), requests)[0]
        return resolved

    assert after() == 0
    assert after(version("blog", "1.1.0")) == 1
    assert after(version("ledger", "1.1.0", provides="db")) == 2
    assert after(version("blog", "1.1.0", provides="db")) == 2, "another provider of what the shop needs"
    assert after(version("blog", "1.1.0", provides="nobody")) == 2
    assert after(version("new", "1.0.0")) == 1, "a failure may name packages of similar names"


def test_each_package_of_a_real_catalog() -> None:
    """Three of 146 packages change: the answers about the 143 others are kept, but for those that need one of them."""
    catalog = real_catalog("community-2021.jsonl.gz")
    sources = [Source("c", "olm", 0, catalog)]
    requests = [Request(("olm",), sources, [Subscription("wish", "olm", name)]) for name in catalog.packages]
    resolver = Resolver(sources, keep=1000)
    _, count = _answers(resolver, requests)
    assert count == len(requests)
    packages = dict(catalog.packages)
    for name in sorted(packages)[::50]:
        packages[name] = attrs.evolve(packages[name], channels={})
    now = [Source("c", "olm", 0, Catalog(packages))]

    answers, count = _answers(resolver.after(now), requests)
    assert answers == _answers(Resolver(now), requests)[0]
    assert 3 <= count <= 6


def test_the_oldest_answer_goes_first() -> None:
    sources = [Source("c", "ns", 0, catalog_of(package("a").channel("stable", "1.0.0")))]
    resolver = Resolver(sources, keep=2)
    requests = [Request(("ns",), sources, [Subscription(f"w{number}", "ns", "a")]) for number in range(3)]
    assert _answers(resolver, requests)[1] == 3
    assert _answers(resolver, requests[1:])[1] == 0
    assert _answers(resolver, requests[:1])[1] == 1


class _Shared(dict[object, tuple[Request, Any]]):
    """Answers of which another thread keeps one more after somebody has begun to look for the oldest one."""

    others = 2

    def __iter__(self) -> Iterator[object]:
        answers = super().__iter__()
        if self.others:
            self.others -= 1
            self[self.others] = next(iter(self.values()))
        return answers


def test_threads_keep_answers_at_the_same_time() -> None:
    """All threads of a service share a resolver, and each answer that is kept may take the oldest one away."""
    sources = [Source("c", "ns", 0, catalog_of(package("a").channel("stable", "1.0.0")))]
    requests = [Request(("ns",), sources, [Subscription(f"w{number}", "ns", "a")]) for number in range(3)]
    answer = Resolver(sources).resolve(requests[0].subscriptions, namespaces=["ns"])
    kept = KeptAnswers(2)
    kept._answers = shared = _Shared()
    for request in requests:
        kept.keep(request, answer)
    assert shared.others == 0
    assert len(kept) == 2


def test_other_catalogs_keep_nothing() -> None:
    """Another name, namespace or priority of a catalog changes every answer over it."""
    catalog = catalog_of(package("a").channel("stable", "1.0.0"))
    request = Request(("ns",), [Source("c", "ns", 0, catalog)], [Subscription("wish", "ns", "a")])
    resolver = Resolver(request.sources, keep=2)
    plan = _ask(resolver, request)
    assert isinstance(plan, Resolution)
    for source in (Source("d", "ns", 0, catalog), Source("c", "ns", 1, catalog)):
        assert _answers(resolver.after([source]), [request])[1] == 1
    assert _answers(resolver.after([Source("c", "ns", 0, catalog)]), [request])[1] == 0


@pytest.mark.parametrize("keep", [-1, True, "many"])
def test_how_many_answers_is_a_number(keep: object) -> None:
    with pytest.raises(RequestError, match="not how many answers to keep"):
        Resolver([], keep=keep)  # type: ignore[arg-type]
