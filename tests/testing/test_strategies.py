"""Strategies draw what they promise: texts that parse, valid chains, and examples that shrink to a few lines."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

import olmsolve
from olmsolve import Catalog, CatalogError, Request, Unsatisfiable, cel, resolve, validate
from olmsolve.catalog import fbc
from olmsolve.errors import CompileError
from olmsolve.predicates import Predicate, Property, parse_constraint, published, requirements
from olmsolve.semver import BlangRange, MastermindsRange, Version
from olmsolve.testing import (
    Variation,
    Vocabulary,
    blang_ranges,
    bundles,
    catalog_of,
    catalogs,
    cel_rules,
    channels,
    clusters,
    constraints,
    extension_requests,
    masterminds_ranges,
    outline,
    package,
    packages,
    predicates,
    properties,
    requests,
    variations,
    versions,
)
from olmsolve.testing.laws import has_two_meanings
from olmsolve.testing.strategies.wishes import DrawnCluster
from olmsolve.v1 import ExtensionRequest
from tests.scale import scaled

SMALL = settings(max_examples=scaled(120), deadline=None, suppress_health_check=list(HealthCheck))
FIND = settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
OWN = catalog_of(
    package("shop")
    .channel("stable", "1.0.0 < 1.1.0 < 2.0.0")
    .provides("shop.example.com/v1/Shop")
    .requires("broker", ">=3.0.0"),
    package("broker").channel("stable", "3.0.0 < 3.1.0").labelled("certified").having("tier", 2),
    package("lonely").channel("beta", "0.1.0"),
)


@SMALL
@given(versions(most=3, builds=True), blang_ranges(), masterminds_ranges())
def test_versions_and_ranges_parse(version: Version, classic: str, v1: str) -> None:
    """A range that does not parse tests the parser, and nothing behind it."""
    assert Version.parse(str(version)) == version
    assert max(version.major, version.minor, version.patch) <= 3
    BlangRange.parse(classic)
    MastermindsRange.parse(v1)


@SMALL
@given(blang_ranges(["7.7.7"], wildcards=False, terms=1), st.data())
def test_ranges_over_given_versions(classic: str, data: st.DataObject) -> None:
    """Ranges about the versions that exist meet them more often than ranges about others."""
    assert "7.7.7" in classic
    assert "7.7.7" in data.draw(masterminds_ranges(["7.7.7"], wildcards=False))


@SMALL
@given(constraints(levels=2, parts=2), predicates(), properties())
def test_constraints_parse_within_their_bounds(
    value: dict[str, Any], predicate: Predicate, fact: dict[str, Any]
) -> None:
    """Bounds keep failing examples short."""
    parse_constraint(value)
    assert str(predicate)
    requirements([Property(fact["type"], fact["value"])])
    for kind in value.keys() & {"all", "any", "not"}:
        parts = value[kind]["constraints"]
        assert 1 <= len(parts) <= 2
        assert not any(part.keys() & {"all", "any", "not"} for part in parts)


@SMALL
@given(cel_rules())
def test_rules_are_rules(text: str) -> None:
    """Nearly all rules compile, and none is anything but a rule or a CompileError."""
    with suppress(CompileError):
        cel.compile(text).matches([{"type": "k", "value": 1}])


@SMALL
@given(st.integers(1, 5).map(lambda count: [f"p.v1.{minor}.0" for minor in range(count)]), st.data())
def test_channels_are_valid_chains(names: list[str], data: st.DataObject) -> None:
    """Whatever skips and ranges are drawn, a channel has one head, the last name, and opm accepts it."""
    channel = data.draw(channels("p", names))
    drawn = [data.draw(bundles("p", name.removeprefix("p.v"), most_properties=0)) for name in names]
    for bundle in drawn:
        bundle["image"] = f"registry.example.com/{bundle['name']}"
    blobs = [{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}, channel, *drawn]
    errors = [finding for finding in validate(fbc.from_blobs(blobs)) if finding.severity.value == "error"]
    assert errors == []
    below = {name for entry in channel["entries"] for name in [entry.get("replaces"), *entry.get("skips", ())]}
    assert [entry["name"] for entry in channel["entries"] if entry["name"] not in below] == [names[-1]]


@SMALL
@given(packages(most_bundles=2, most_channels=1), catalogs(most_packages=2, most_bundles=2, most_channels=2))
def test_catalogs_keep_their_bounds(blobs: list[dict[str, Any]], catalog: Catalog) -> None:
    """Whoever asks for two packages of two bundles gets no more."""
    assert [blob["schema"] for blob in blobs].count("olm.channel") == 1
    assert 1 <= len(catalog.packages) <= 2
    for package_ in catalog:
        assert 1 <= len(package_.bundles) <= 2
        assert 1 <= len(package_.channels) <= 2
        assert package_.default_channel in package_.channels


@SMALL
@given(requests(most_subscriptions=2, most_installed=1, most_catalogs=2))
def test_requests_can_be_resolved(request: Request) -> None:
    """Every request is one: it has an answer, and an outline that names its wishes."""
    assert 1 <= len(request.subscriptions) <= 2
    assert len(request.sources) <= 2
    assert len(request.installed) <= 1
    assert all(f"package {wish.package}" in outline(request) for wish in request.subscriptions)
    try:
        resolve(request)
    except (Unsatisfiable, CatalogError):
        return


def test_requests_have_plans_and_failures() -> None:
    """A strategy that only draws one kind of answer proves little."""
    # Any of each kind will do, so none is made smaller.
    drawn = settings(FIND, phases=[Phase.generate])
    plans = find(requests(), lambda request: olmsolve.is_satisfiable(request), settings=drawn)
    failures = find(requests(), lambda request: not olmsolve.is_satisfiable(request), settings=drawn)
    assert outline(plans) != outline(failures)


@SMALL
@given(extension_requests())
def test_extension_requests_can_be_resolved(request: ExtensionRequest) -> None:
    """The same for OLM v1."""
    assert "wish: package" in outline(request)
    olmsolve.is_satisfiable(request)


@SMALL
@given(clusters(most_namespaces=2))
def test_clusters_can_be_read(cluster: DrawnCluster) -> None:
    """The objects of a cluster are read like those that kubectl prints."""
    kinds = [manifest["kind"] for manifest in cluster.objects]
    assert kinds.count("OperatorGroup") == kinds.count("Subscription") or kinds.count("Subscription") > 0
    state = olmsolve.read_cluster({"apiVersion": "v1", "kind": "List", "items": cluster.objects})
    assert state is not None


@SMALL
@given(variations(OWN))
def test_variations_are_parts_of_the_catalog(variation: Variation) -> None:
    """Names, versions and channels are the author's own; what was changed is said."""
    changed = len(variation.changes) > 0
    for package_ in variation.catalog:
        original = OWN.packages[package_.name]
        assert package_.bundles.keys() <= original.bundles.keys()
        assert package_.channels.keys() <= original.channels.keys()
        for name, bundle in package_.bundles.items():
            if bundle.properties != original.bundles[name].properties:
                assert any(name in change for change in variation.changes)
    if not changed:
        assert all(OWN.packages[package.name] == package for package in variation.catalog)
        assert str(variation) == "nothing changed"


def test_variations_add_no_constraint_with_two_meanings() -> None:
    """A test that compares both semantics is to fail only for what the author of the catalog has written."""
    simple = catalog_of(
        package("red").channel("stable", "1.0.0 < 1.1.0").requires("blue", ">=1.0.0"),
        package("blue").channel("stable", "1.0.0 < 1.1.0").requires("green", ">=1.0.0"),
        package("green").channel("stable", "1.0.0 < 1.1.0").requires("red", ">=1.0.0"),
    )
    with pytest.raises(NoSuchExample):
        find(requests(catalog=simple), has_two_meanings, settings=settings(FIND, max_examples=300))
    changed = find(variations(simple), lambda variation: variation.has_own_alternatives, settings=FIND)
    assert "or what it did before" in str(changed)


@SMALL
@given(requests(catalog=OWN), extension_requests(catalog=OWN), clusters(catalog=OWN))
def test_the_users_own_words(request: Request, extension: ExtensionRequest, cluster: DrawnCluster) -> None:
    """With a catalog, nothing is drawn that is not in it."""
    assert {wish.package for wish in request.subscriptions} <= OWN.packages.keys()
    assert extension.extension.package in OWN.packages
    for content in cluster.contents.values():
        assert content.packages.keys() <= OWN.packages.keys()


@SMALL
@given(constraints(catalog=OWN, levels=2), catalogs(catalog=OWN))
def test_constraints_in_the_users_own_words(value: dict[str, Any], catalog: Catalog) -> None:
    """New combinations, of packages, versions and APIs that the author knows."""
    text = str(value)
    assert any(word in text for word in ("shop", "broker", "lonely"))
    for package_ in catalog:
        facts = [published(package_.name, bundle.properties) for bundle in package_.bundles.values()]
        assert {str(fact.version) for fact in facts} <= set(Vocabulary.of(OWN).packages[package_.name])


def test_a_vocabulary_is_what_the_catalog_says() -> None:
    """Versions ascend, and properties that OLM does not interpret are words as well, since rules read them."""
    words = Vocabulary.of(OWN)
    assert words.packages == {
        "shop": ("1.0.0", "1.1.0", "2.0.0"),
        "broker": ("3.0.0", "3.1.0"),
        "lonely": ("0.1.0",),
    }
    assert words.labels == ("certified",)
    assert words.ranges == (">=3.0.0",)
    assert [(property_.type, property_.value) for property_ in words.properties] == [("tier", 2)]


def test_an_empty_catalog_has_no_words() -> None:
    """Hypothesis's own error would not say which catalog is empty."""
    with pytest.raises(ValueError, match="no package to draw from"):
        find(requests(catalog=Catalog({})), lambda _: True, settings=FIND)


def test_examples_shrink_to_a_few_lines() -> None:
    """The smallest request without a plan that needs another package is read at a glance."""

    def lacks_a_package(request: Request) -> bool:
        try:
            resolve(request)
        except Unsatisfiable as failure:
            return any("requires package" in str(reason) for reason in failure.core)
        except CatalogError:
            return False
        return False

    smallest = find(requests(), lacks_a_package, settings=FIND, random=random.Random(0))
    assert len(outline(smallest).splitlines()) <= 8
    bundles_left = [bundle for source in smallest.sources for package in source.catalog for bundle in package.bundles]
    assert len(bundles_left) == 1


def test_failing_examples_are_shown_as_outlines(capsys: pytest.CaptureFixture[str]) -> None:
    """Hypothesis prints the fields of a request, and of a catalog nothing but its size."""

    # Explaining traces every line of what fails, which takes longer than all else here.
    @settings(max_examples=30, deadline=None, database=None, phases=[Phase.generate, Phase.shrink])
    @given(requests())
    def fails(request: Request) -> None:
        raise AssertionError

    with pytest.raises(AssertionError) as failure:
        fails()
    notes = "\n".join(getattr(failure.value, "__notes__", ()))
    assert "wish a: package a" in notes
    assert "package a, default channel stable" in notes
