"""Laws of agreement and of changes hold for random requests, and each of them finds the engine that breaks it.

The faults are planted behind the doors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings

from olmsolve import Request, Resolution, Semantics, classic, evolve, v1
from olmsolve import requests as olmsolve_requests
from olmsolve.catalog import Source, fbc
from olmsolve.cel import Rule
from olmsolve.predicates import HasLabel, InPackage
from olmsolve.semver import BlangRange
from olmsolve.solver.backends import PythonSolver
from olmsolve.testing import (
    EXTENSION_LAWS,
    LAWS,
    catalog_of,
    check_backends,
    check_constraints,
    check_document,
    check_extension_document,
    check_extension_order,
    check_extension_repeated,
    check_extension_rest,
    check_extension_unrelated,
    check_extension_unselected,
    check_priority,
    check_ranges,
    check_reading,
    check_renamed,
    check_repeated,
    check_rest,
    check_semantics,
    check_unrelated,
    check_unselected,
    check_warm,
    extension_requests,
    fuzzing,
    package,
    request_for,
    requests,
)
from olmsolve.testing.laws import agreement, has_two_meanings
from tests.scale import scaled

BUILT = (
    package("shop").channel("stable", "1.0.0 < 2.0.0").requires("broker", ">=3.0.0", at="2.0.0"),
    package("broker").channel("stable", "3.0.0 < 3.1.0"),
)
CATALOG = catalog_of(*BUILT)
SERVED = request_for(CATALOG, "shop")
TWO_CATALOGS = evolve(SERVED, sources=[*SERVED.sources, Source("other", "olm", 3, catalog_of())])
EXTENSION = v1.ExtensionRequest(
    v1.Extension("shop"), [v1.ClusterCatalog("main", catalog_of(package("shop").channel("stable", "1.0.0 < 2.0.0")))]
)
# Laws of answers by themselves have a test of their own.
CHANGES = LAWS[LAWS.index(check_backends) :]

Damage: TypeAlias = Callable[[Request], bool]


@pytest.mark.parametrize("semantics", Semantics)
def test_the_laws_hold(semantics: Semantics) -> None:
    """The project's own answers, both with a plan and without one."""

    @settings(max_examples=scaled(150), deadline=None, suppress_health_check=list(HealthCheck))
    @given(requests(most_packages=5, most_subscriptions=3))
    def hold(request: Request) -> None:
        for law in CHANGES:
            law(request, semantics)

    hold()


def test_the_laws_of_extensions_hold() -> None:
    """OLM v1 has neither engines nor semantics, so these laws are all about changes that cannot matter."""

    @settings(max_examples=scaled(300), deadline=None, suppress_health_check=list(HealthCheck))
    @given(extension_requests())
    def hold(request: v1.ExtensionRequest) -> None:
        for law in EXTENSION_LAWS:
            law(request)

    hold()


def _packages(request: Request) -> list[str]:
    return [package.name for source in request.sources for package in source.catalog]


# When an engine with a fault leaves out what the first bundle requires.
MUTANTS: dict[str, tuple[Callable[..., None], Request, Damage]] = {
    "counts packages": (check_unrelated, SERVED, lambda request: len(_packages(request)) > 2),
    "counts bundles": (
        check_unselected,
        SERVED,
        lambda request: sum(len(package.bundles) for source in request.sources for package in source.catalog) < 4,
    ),
    "heeds the deprecated": (
        check_unselected,
        SERVED,
        lambda request: any(
            property_.type == "olm.deprecated"
            for source in request.sources
            for package in source.catalog
            for bundle in package.bundles.values()
            for property_ in bundle.properties
        ),
    ),
    "heeds priorities alone": (
        check_priority,
        TWO_CATALOGS,
        lambda request: request.sources[0].priority > request.sources[-1].priority,
    ),
    "counts catalogs": (check_repeated, SERVED, lambda request: len(request.sources) > 1),
    "looks into names": (check_renamed, SERVED, lambda request: "shop" in _packages(request)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_faulty_engine_breaks_its_law(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The engine's fault shows with the change that the law makes, and nowhere else."""
    law, request, is_damaged = MUTANTS[name]
    law(request)
    real = classic.resolve

    def resolve(request: Request, **settings: Any) -> Resolution:
        plan = real(request, **settings)
        return evolve(plan, installs=plan.installs[:1]) if is_damaged(request) else plan

    monkeypatch.setattr(classic, "resolve", resolve)
    with pytest.raises(AssertionError, match=r"broker\.v3\.1\.0|other names"):
        law(request)


class _Pessimist(PythonSolver):
    """A SAT solver that never finds a model, and blames everything that it was asked to assume."""

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool:
        self._core = list(assumptions)
        return False

    def core(self) -> list[int]:
        return self._core


def test_a_lying_backend_is_found() -> None:
    """It is asked for the core of a failure, and names wishes that have nothing to do with it."""
    lock = package("lock").channel("stable", "1.0.0").requires("broker", "<3.0.0")
    failing = request_for(catalog_of(lock, *BUILT), "shop", "lock")
    check_backends(failing)
    with pytest.raises(AssertionError, match="backends differ:\n  by default "):
        check_backends(failing, backends=[_Pessimist])


def test_a_controller_of_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request has no constraint with two meanings, so both semantics must agree."""
    check_semantics(SERVED)
    real = classic.resolve

    def resolve(request: Request, **settings: Any) -> Resolution:
        plan = real(request, **settings)
        is_controller = settings["semantics"] is Semantics.CONTROLLER
        return evolve(plan, installs=plan.installs[::-1]) if is_controller else plan

    monkeypatch.setattr(classic, "resolve", resolve)
    with pytest.raises(AssertionError, match="semantics differ"):
        check_semantics(SERVED)


def test_a_start_that_a_range_removes_has_two_meanings() -> None:
    """The shipped controller takes it and the documentation has it removed, so the law has nothing to compare."""
    entries = [{"name": "shop.v1.0.0"}, {"name": "shop.v2.0.0", "skipRange": "<2.0.0"}]
    blobs = package("shop").channel("stable", "1.0.0 < 2.0.0").blobs()
    removing = fbc.from_blobs([{**blob, "entries": entries} if "entries" in blob else blob for blob in blobs])
    removed, head, kept = (
        request_for(removing, "shop=shop.v1.0.0"),
        request_for(removing, "shop=shop.v2.0.0"),
        request_for(CATALOG, "shop=shop.v1.0.0"),
    )
    assert [has_two_meanings(request) for request in (removed, head, kept)] == [True, False, False]
    for request in (removed, head, kept):
        check_semantics(request)
    (finding,) = fuzzing.replay([removed], laws=[check_semantics]).findings
    assert finding.reasons == (
        "subscription shop starts with shop.v1.0.0, which the skipRange of shop.v2.0.0 removes from every channel",
    )


def test_what_replaces_the_start_is_not_taken_out() -> None:
    """By the documentation this alone keeps the start in a channel whose head has it in its ``skipRange``."""
    entries = [
        {"name": "shop.v1.0.0"},
        {"name": "shop.v2.0.0", "replaces": "shop.v1.0.0"},
        {"name": "shop.v3.0.0", "skips": ["shop.v2.0.0"], "skipRange": "<3.0.0"},
    ]
    blobs = package("shop").channel("stable", "1.0.0 < 2.0.0 < 3.0.0").blobs()
    ranged = fbc.from_blobs([{**blob, "entries": entries} if "entries" in blob else blob for blob in blobs])
    check_unselected(request_for(ranged, "shop=shop.v1.0.0"))


def test_a_document_that_loses_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the writer loses every requirement."""
    check_document(SERVED)
    real = olmsolve_requests.request_document

    def lossy(request: Request) -> dict[str, Any]:
        document = real(request)
        for blob in document["catalogs"][0]["blobs"]:
            if "properties" in blob:
                blob["properties"] = [
                    property_ for property_ in blob["properties"] if property_["type"] == "olm.package"
                ]
        return document

    monkeypatch.setattr(agreement, "request_document", lossy)
    with pytest.raises(AssertionError, match="read again"):
        check_document(SERVED)


def test_a_resolver_that_remembers_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it gives its first answer for ever."""
    pair = request_for(CATALOG, "shop", "broker")
    check_warm(pair)
    real = classic.ClassicResolver.resolve
    first: list[Resolution] = []

    def stuck(self: classic.ClassicResolver, *wishes: Any, **settings: Any) -> Resolution:
        first.append(real(self, *wishes, **settings))
        return first[1] if len(first) > 1 else first[0]

    monkeypatch.setattr(classic.ClassicResolver, "resolve", stuck)
    with pytest.raises(AssertionError, match="a warm resolver answers differently"):
        check_warm(pair)


def test_a_range_of_two_opinions_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every range of the catalog is judged, those of requirements included."""
    check_ranges(SERVED)
    monkeypatch.setattr(agreement, "range_opinion", lambda wanted, version: version not in wanted)
    monkeypatch.setattr(agreement, "range_difference", lambda wanted, version: None)
    with pytest.raises(AssertionError, match=r"in >=3\.0\.0: olmsolve says True"):
        check_ranges(SERVED)


READING_FAULTS: dict[str, tuple[type, str, Callable[..., bool], str]] = {
    "a range": (BlangRange, "__contains__", lambda self, version: True, r"is in <2\.0\.0 for only one reader"),
    "a package": (InPackage, "test", lambda self, fact: False, "meets package broker in .* for only one reader"),
    "a rule": (Rule, "matches", lambda self, properties: True, "meets properties that satisfy .* for only one reader"),
    "a label": (HasLabel, "test", lambda self, fact: True, "meets the label signed for only one reader"),
}
READ = request_for(
    catalog_of(
        package("shop")
        .channel("stable", "2.0.0", skip_range="<2.0.0")
        .requires("broker", "<2.0.0")
        .having("olm.label.required", {"label": "signed"})
        .constrained({"cel": {"rule": 'properties.exists(p, p.type == "tier")'}}),
        package("broker").channel("stable", "1.0.0 < 2.0.0 < 3.0.0"),
    ),
    "shop",
)


@pytest.mark.parametrize("name", READING_FAULTS)
def test_a_fault_of_reading_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Where the resolver and all other laws share a reading, no answer shows its faults."""
    check_reading(READ)
    changed, method, wrong, message = READING_FAULTS[name]
    monkeypatch.setattr(changed, method, wrong)
    with pytest.raises(AssertionError, match=message):
        check_reading(READ)


def test_a_plan_into_a_dead_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here nothing can be resolved any more once something is installed."""
    check_rest(SERVED)
    from olmsolve.answers import resting

    def resolve(request: Request, **settings: Any) -> Resolution:
        return classic.resolve(request_for(CATALOG, "nonesuch"))

    monkeypatch.setattr(resting, "resolve", resolve)
    with pytest.raises(AssertionError, match="a plan leads to a request without one"):
        check_rest(SERVED)


def test_a_channel_without_an_order_is_the_catalogs_fault() -> None:
    """OLM serves the first bundle of a wish without looking at the others; from then on it refuses the channel."""
    entries = [{"name": "shop.v1"}, {"name": "shop.v2"}]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "shop", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "shop", "name": "stable", "entries": entries},
        *({"schema": "olm.bundle", "package": "shop", "name": entry["name"]} for entry in entries),
    ]
    request = request_for(fbc.from_blobs(blobs), "shop@stable=shop.v1")
    assert [install.name for install in classic.resolve(request).installs] == ["shop.v1"]
    check_rest(request)


# When OLM v1 with a fault takes the lowest version.
ExtensionDamage: TypeAlias = Callable[[v1.ExtensionRequest], bool]
EXTENSION_MUTANTS: dict[str, tuple[Callable[[v1.ExtensionRequest], None], ExtensionDamage]] = {
    "looks at the order": (
        check_extension_order,
        lambda request: next(iter(_extension_bundles(request))) != "shop.v1.0.0",
    ),
    "counts packages": (
        check_extension_unrelated,
        lambda request: any(
            catalog.catalog is not None and len(catalog.catalog.packages) > 1 for catalog in request.catalogs
        ),
    ),
    "counts catalogs": (check_extension_repeated, lambda request: len(request.catalogs) > 1),
    "counts bundles": (check_extension_unselected, lambda request: len(_extension_bundles(request)) < 2),
    "goes back": (check_extension_rest, lambda request: request.installed is not None),
    "heeds how it came": (check_extension_document, lambda request: request is not EXTENSION),
}


def _extension_bundles(request: v1.ExtensionRequest) -> list[str]:
    return [
        name
        for catalog in request.catalogs
        if catalog.catalog is not None and "shop" in catalog.catalog.packages
        for name in catalog.catalog.packages["shop"].bundles
    ]


@pytest.mark.parametrize("name", EXTENSION_MUTANTS)
def test_a_faulty_v1_breaks_its_law(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The fault shows with the change that the law makes, and nowhere else."""
    law, is_damaged = EXTENSION_MUTANTS[name]
    law(EXTENSION)
    real = v1.resolve

    def resolve(request: v1.ExtensionRequest) -> v1.ExtensionResolution:
        answer = real(request)
        return evolve(answer, bundle="shop.v1.0.0") if is_damaged(request) else answer

    monkeypatch.setattr(v1, "resolve", resolve)
    with pytest.raises(AssertionError, match=r"shop\.v1\.0\.0"):
        law(EXTENSION)


def test_every_law_has_a_mutant() -> None:
    """A law that cannot fail says nothing; the laws of answers by themselves are tested in ``test_laws``."""
    tested = {law for law, _, _ in MUTANTS.values()} | {
        check_backends,
        check_semantics,
        check_document,
        check_warm,
        check_ranges,
        check_reading,
        check_rest,
    }
    assert tested == set(CHANGES)
    assert {law for law, _ in EXTENSION_MUTANTS.values()} == set(EXTENSION_LAWS)
    assert check_constraints not in CHANGES


def test_a_skipped_bundle_that_hides_a_second_head_is_not_taken_out() -> None:
    """The skipped 1.5.0 replaces 1.4.0, which is a second head without it: the channel would lose its order."""
    entries = [
        {"name": "shop.v1.0.0"},
        {"name": "shop.v1.4.0"},
        {"name": "shop.v1.5.0", "replaces": "shop.v1.4.0"},
        {"name": "shop.v2.0.0", "replaces": "shop.v1.0.0", "skips": ["shop.v1.5.0"]},
    ]
    blobs = package("shop").channel("stable", "1.0.0 < 1.4.0 < 1.5.0 < 2.0.0").blobs()
    skipping = fbc.from_blobs([{**blob, "entries": entries} if "entries" in blob else blob for blob in blobs])
    check_unselected(request_for(skipping, "shop"))
