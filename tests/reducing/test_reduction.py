"""Reduced requests show the same, have nothing left to take out, and can be written, read and renamed.

The short run reduces one random request in fifteen or eighteen: each is resolved hundreds of times.
"""

from __future__ import annotations

import json
import random
from typing import Any, Final

import attrs
import pytest
from hypothesis import HealthCheck, given, settings

import olmsolve
from olmsolve import (
    Catalog,
    Property,
    Request,
    RequestError,
    Semantics,
    Source,
    Unsatisfiable,
    compare_semantics,
    load,
    read_extension_request,
    read_request,
    resolve,
)
from olmsolve.answers.reducing import RequestSize, only_bundles, only_properties, paths_of, reachable, reduction_of
from olmsolve.eligibility import CandidateFacts
from olmsolve.requests import request_document
from olmsolve.testing import (
    COMPOUND,
    DENSE,
    WIDE,
    RequestShape,
    anonymised,
    assert_unsatisfiable,
    catalog_of,
    extension_requests,
    package,
    random_request,
    reduced,
    request_for,
    requests,
    same_core,
    same_difference,
    same_outcome,
)
from olmsolve.v1 import ExtensionRequest
from tests.recorded import records, request_of, shared
from tests.scale import sampled, scaled

SHAPES: Final[dict[str, RequestShape]] = {"DENSE": DENSE, "COMPOUND": COMPOUND, "WIDE": WIDE}

BUSY = catalog_of(
    package("shop")
    .channel("stable", "1.0.0 < 1.1.0 < 2.0.0", skip_range="<2.0.0")
    .channel("old", "1.0.0 < 1.1.0")
    .provides("shop.example.com/v1/Shop")
    .labelled("certified")
    .constrained(
        {
            "failureMessage": "the shop needs its broker",
            "all": {
                "constraints": [
                    {"package": {"packageName": "broker", "versionRange": ">=3.0.0 <4.0.0"}},
                    {"gvk": {"group": "cache.example.com", "version": "v1", "kind": "Cache"}},
                ]
            },
        }
    ),
    package("broker").channel("stable", "2.0.0 < 3.0.0").having("color", "red").deprecated(at="2.0.0"),
    package("cache").channel("stable", "1.0.0").provides("cache.example.com/v1/Cache").requires("broker", "<3.0.0"),
    *(package(f"other{number}").channel("stable", "1.0.0 < 1.1.0").requires("cache") for number in range(20)),
)
FAILING = request_for(BUSY, "shop", "other1")


def test_a_conflict_is_left_without_its_surroundings() -> None:
    """The shop and its cache need different brokers: these four bundles are left, and nobody else's wish."""
    reduction = reduction_of(FAILING)
    assert reduction.before == RequestSize.of_request(FAILING)
    assert reduction.before.packages == 23
    assert (reduction.after.packages, reduction.after.bundles) == (3, 4)
    assert isinstance(reduction.request, Request)
    assert [wish.package for wish in reduction.request.subscriptions] == ["shop"]
    assert reduction.is_minimal
    assert reduction.after == RequestSize.of_request(reduction.request)
    assert same_core(FAILING)(reduction.request)
    assert "failureMessage" not in json.dumps(request_document(reduction.request))


def test_a_core_keeps_the_names_of_its_requirements() -> None:
    """Two APIs are missing and the core is about one of them: the reduced request is not about the other."""
    catalog = catalog_of(
        package("a").channel("stable", "1.0.0 < 1.1.0").requires_api("missing.example.com/v1/First"),
    )
    both = package("a").channel("stable", "1.0.0").requires_api("missing.example.com/v1/First", at="1.0.0")
    both = both.requires_api("missing.example.com/v1/Second", at="1.0.0")
    for request in (request_for(catalog, "a"), request_for(catalog_of(both), "a")):
        wanted = next(str(reason) for reason in assert_unsatisfiable(request).core if reason.kind == "Requires")
        small = reduced(request)
        assert isinstance(small, Request)
        text = "".join(map(str, assert_unsatisfiable(small).core))
        assert [kind in text for kind in ("First", "Second")] == [kind in wanted for kind in ("First", "Second")]


def test_a_plan_keeps_its_bundles() -> None:
    """A plan is shown by the same bundles, of which each needs its reason."""
    request = request_for(BUSY, "other1")
    names = [install.name for install in resolve(request).installs]
    small = reduced(request)
    assert isinstance(small, Request)
    assert [install.name for install in resolve(small).installs] == names
    assert RequestSize.of_request(small).bundles == len(names)


def test_a_difference_of_the_semantics_is_kept() -> None:
    """Reduced is what makes the two semantics answer differently."""
    catalog = catalog_of(
        package("a")
        .channel("stable", "1.0.0")
        .constrained(
            {"all": {"constraints": [{"package": {"packageName": name, "versionRange": ">=0.0.0"}} for name in "bc"]}}
        ),
        package("b").channel("stable", "1.0.0"),
        package("c").channel("stable", "1.0.0 < 2.0.0"),
    )
    request = request_for(catalog, "a", "c")
    small = reduced(request, same_difference(request))
    assert isinstance(small, Request)
    assert compare_semantics(small)
    assert RequestSize.of_request(small).bundles == 3
    with pytest.raises(RequestError, match="do not differ"):
        same_difference(request_for(catalog, "b"))


def test_a_crash_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of olmsolve itself is reduced like an answer, by the class of its exception."""
    real = olmsolve.classic.resolve

    def crashing(request: Request, **how: Any) -> Any:
        if any("broker.v3.0.0" in package.bundles for source in request.sources for package in source.catalog):
            raise ZeroDivisionError
        return real(request, **how)

    monkeypatch.setattr(olmsolve.classic, "resolve", crashing)
    small = reduced(FAILING)
    assert [path[-1] for path in paths_of(small, only_bundles)] == ["broker.v3.0.0"]


def test_a_predicate_of_ones_own() -> None:
    """Whatever a program finds odd can be reduced."""
    small = reduced(FAILING, lambda request: any("cache" in source.catalog.packages for source in request.sources))
    assert isinstance(small, Request)
    assert list(small.sources[0].catalog.packages) == ["cache"]
    assert small.subscriptions == ()
    with pytest.raises(RequestError, match="does not hold for the request itself"):
        reduced(FAILING, lambda request: False)


def test_system_constraints_become_deprecations() -> None:
    """A document cannot say why a cluster refuses a bundle, but that it is never selected."""

    def refuses(candidate: CandidateFacts) -> str:
        return "not here" if candidate.name == "broker.v3.0.0" else ""

    request = attrs.evolve(request_for(BUSY, "broker"), eligibility=(refuses,))
    names = [install.name for install in resolve(request).installs]
    small = reduced(request)
    assert isinstance(small, Request)
    assert small.eligibility == ()
    assert [install.name for install in resolve(small).installs] == names == ["broker.v2.0.0"]


def test_time_ends_the_search() -> None:
    """What was found until then shows the same, and says that it may not be the smallest."""
    reduction = reduction_of(FAILING, seconds=1e-9)
    assert not reduction.is_minimal
    assert same_core(FAILING)(reduction.request)


def kept(request: Request | ExtensionRequest, semantics: Semantics) -> None:
    """Check everything that holds for a reduction of *request*."""
    keeps = same_core(request, semantics)
    reduction = reduction_of(request, semantics=semantics)
    assert keeps(reduction.request)
    assert reduction.is_minimal
    for only in (only_bundles, only_properties):
        for path in paths_of(reduction.request, only):
            assert not keeps(only(reduction.request, path.__ne__)), path
    read = read_request if isinstance(request, Request) else read_extension_request
    document = json.loads(json.dumps(request_document(reduction.request)))
    assert same_outcome(reduction.request, semantics)(read(document))


@settings(max_examples=scaled(150, 15), deadline=None, suppress_health_check=list(HealthCheck))
@given(requests())
def test_reductions_of_any_request(request: Request) -> None:
    """The same core, no bundle and no property too many, and a document that is read as the same request."""
    kept(request, Semantics.DOCUMENTED)


@settings(max_examples=scaled(150, 15), deadline=None, suppress_health_check=list(HealthCheck))
@given(extension_requests())
def test_reductions_of_any_extension(request: ExtensionRequest) -> None:
    """The same for OLM v1."""
    kept(request, Semantics.DOCUMENTED)


@pytest.mark.parametrize("shape", ["DENSE", "WIDE"])
def test_reductions_of_odd_requests(shape: str) -> None:
    """Broken catalogs, unknown names and cycles are outcomes as well."""
    for seed in range(scaled(60, 15)):
        generator = random.Random(f"{shape} {seed}")
        kept(random_request(generator, SHAPES[shape]), Semantics.CONTROLLER)


@pytest.mark.parametrize("shape", ["DENSE", "COMPOUND", "WIDE"])
def test_renamed_requests_answer_alike(shape: str) -> None:
    """Under new names in the same order, the same bundles are chosen; no old name is left, in rules either."""
    for seed in range(scaled(150, 18)):
        request = random_request(random.Random(f"{shape} {seed}"), SHAPES[shape])
        for semantics in Semantics:
            renamed = anonymised(request, semantics)
            assert same_kind(request, renamed, semantics), seed
        text = json.dumps(request_document(renamed))
        for word in ("p0", "p1", "certified", "cat0", "sub0", "stable"):
            assert f'"{word}"' not in text


def same_kind(request: Request, other: Any, semantics: Semantics) -> bool:
    """Return whether both have plans of as many bundles with the same versions, or cores of the same kinds."""
    outcomes = []
    for side in (request, other):
        try:
            outcomes.append([install.version for install in resolve(side, semantics=semantics).installs])
        except Unsatisfiable as failure:
            outcomes.append([reason.kind for reason in failure.core])
        except olmsolve.CatalogError:
            outcomes.append([])
    return outcomes[0] == outcomes[1]


def test_names_in_rules_are_renamed_with_the_properties() -> None:
    """A rule finds the bundle that it found before, by a name that tells nothing."""
    rule = 'properties.exists(p, p.type == "acme.tier" && p.value.level == "gold")'
    catalog = catalog_of(
        package("acme-app").channel("stable", "1.0.0").constrained({"cel": {"rule": rule}}),
        package("acme-db").channel("stable", "1.0.0").having("acme.tier", {"level": "gold"}),
    )
    request = request_for(catalog, "acme-app")
    renamed = anonymised(request)
    assert isinstance(renamed, Request)
    assert len(resolve(renamed).installs) == 2
    text = json.dumps(request_document(renamed))
    assert "acme" not in text
    assert "gold" not in text


def test_a_package_is_renamed_under_either_field_of_a_constraint() -> None:
    """A constraint may write "name" for "packageName", also for a package that no catalog has."""
    wanted = [{"package": {"name": name, "versionRange": ">=1.0.0"}} for name in ("acme-db", "acme-lost")]
    catalog = catalog_of(
        package("acme-app").channel("stable", "1.0.0").constrained({"any": {"constraints": wanted}}),
        package("acme-db").channel("stable", "1.0.0"),
    )
    renamed = anonymised(request_for(catalog, "acme-app"))
    assert isinstance(renamed, Request)
    assert len(resolve(renamed).installs) == 2
    assert "acme" not in json.dumps(request_document(renamed))


def test_a_rule_that_looks_into_a_name_keeps_its_texts() -> None:
    """Texts that only rules read stay where new ones would change the answer; a name that decides is refused."""

    def request(start: str) -> Request:
        rule = f'properties.exists(p, p.type == "tier" && p.value.startsWith("{start}"))'
        catalog = catalog_of(
            package("app").channel("stable", "1.0.0").constrained({"cel": {"rule": rule}}),
            package("db").channel("stable", "1.0.0").having("tier", "gold-1"),
        )
        return request_for(catalog, "app")

    renamed = anonymised(request("gold"))
    assert isinstance(renamed, Request)
    assert len(resolve(renamed).installs) == 2
    rule = 'properties.exists(p, p.type == "olm.package" && p.value.packageName.startsWith("acme"))'
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained({"cel": {"rule": rule}}),
        package("acme-db").channel("stable", "1.0.0"),
    )
    with pytest.raises(RequestError, match="a CEL rule looks into a name"):
        anonymised(request_for(catalog, "app"))


def test_documents_say_everything() -> None:
    """A document of a request is read as the same request, with operators, policies and unreadable catalogs."""
    for seed in range(scaled(200)):
        request = random_request(random.Random(seed))
        request = attrs.evolve(
            request,
            name="odd",
            unreadable=[olmsolve.catalog.UnreadableSource("x", "ns", 3, "gone")],
            health_policy="ignore",
        )
        assert read_request(json.loads(json.dumps(request_document(request)))) == request


@settings(max_examples=scaled(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(extension_requests())
def test_documents_of_extensions_say_everything(request: ExtensionRequest) -> None:
    """The same for OLM v1."""
    assert read_extension_request(json.loads(json.dumps(request_document(request)))) == request


def test_a_selector_and_gates_are_written() -> None:
    """Fields that generators do not draw."""
    document = {
        "catalogs": [
            {"name": "a", "labels": {"tier": "one"}, "priority": 2, "blobs": []},
            {"name": "b", "availabilityMode": "Unavailable", "error": "gone"},
        ],
        "extension": {
            "packageName": "p",
            "selector": {"matchLabels": {"tier": "one"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]},
            "channels": ["stable"],
            "upgradeConstraintPolicy": "SelfCertified",
        },
        "installed": {"name": "p.v1", "version": "1.0.0", "release": "3"},
        "featureGates": {"BundleReleaseSupport": True},
        "validations": [],
    }
    request = read_extension_request(document)
    assert read_extension_request(request_document(request)) == request


def test_what_no_document_can_say_is_refused() -> None:
    """A document that leaves out a constraint would be another request."""
    constrained = attrs.evolve(FAILING, eligibility=(lambda candidate: "",))
    with pytest.raises(RequestError, match="system constraints"):
        request_document(constrained)


def test_reach_follows_requirements_through_compounds() -> None:
    """Packages that nothing on the way to a wish can need are out of reach."""
    assert reachable([BUSY], ["shop"]) == {"shop", "broker", "cache"}
    assert reachable([BUSY], ["broker"]) == {"broker"}
    needs = Property("olm.gvk.required", {"group": "cache.example.com", "version": "v1", "kind": "Cache"})
    assert reachable([BUSY], [], [needs]) == {"cache", "broker"}
    assert reachable([Catalog({})], ["nonesuch"]) == {"nonesuch"}


def test_real_conflicts_become_a_few_bundles() -> None:
    """Unsatisfiable requests over community catalogs, as recorded: thousands of bundles become a handful.

    The short run takes one in eight.
    """
    conflicts = [
        record
        for record in records(shared() / "conformance/classic/real.jsonl.gz")
        if any(outcome.get("unsatisfiable") for outcome in record["outcomes"])
        and any("community" in catalog.get("file", "") for catalog in record["catalogs"])
    ]
    assert len(conflicts) >= 10
    for record in sampled(conflicts, 8):
        request = request_of(record)
        small = reduction_of(request, semantics=Semantics.CONTROLLER)
        assert small.after.bundles <= 10, record["name"]
        assert same_core(request, Semantics.CONTROLLER)(small.request)
        assert same_outcome(small.request, Semantics.CONTROLLER)(read_request(request_document(small.request)))


def test_two_sources_of_one_catalog() -> None:
    """A catalog under two names loses its parts under each of them by itself."""
    catalog = catalog_of(package("a").channel("stable", "1.0.0"), package("b").channel("stable", "1.0.0"))
    sources = [Source("one", "olm", 1, catalog), Source("two", "olm", 0, catalog)]
    request = attrs.evolve(request_for(catalog, "a"), sources=tuple(sources))
    small = reduced(request)
    assert isinstance(small, Request)
    assert [list(source.catalog.packages) for source in small.sources] == [["a"]]


def test_the_bundled_example() -> None:
    """The example that fails is down to the packages of its conflict."""
    examples = olmsolve.__path__[0] + "/examples"
    request = read_request(f"{examples}/unsatisfiable.yaml", load=lambda path: load(path, index=False))
    reduction = reduction_of(request)
    assert reduction.after.bundles < reduction.before.bundles
    assert same_core(request)(reduction.request)
