"""The checker tests a predicate on few candidates, which must be all that can meet it."""

from __future__ import annotations

from random import Random
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

import olmsolve
from olmsolve import Installed, Request, Source, Subscription
from olmsolve.answers.plain_reading import BundleTest, PackageTest, PartsTest, PlainFacts, PlainRange, facts
from olmsolve.answers.verification import World
from olmsolve.answers.verification.numbers_by_fact import NumbersByFact
from olmsolve.catalog import fbc
from olmsolve.predicates import Property
from olmsolve.testing.strategies import requests
from tests.growing import times_as_long
from tests.scale import scaled


def parts(predicate: BundleTest) -> list[BundleTest]:
    """The predicate and all that it is made of: what documented semantics look for one by one."""
    inner = predicate.parts if isinstance(predicate, PartsTest) else ()
    return [predicate, *(inner_part for part in inner for inner_part in parts(part))]


ETCD = {"packageName": "etcd", "version": "1.0.0"}


@settings(max_examples=scaled(100, 4))
@given(requests(), st.randoms(use_true_random=False))
def test_looking_up_finds_what_a_scan_of_all_candidates_finds(request: Request, generator: Random) -> None:
    """A candidate left out here would confirm a certificate for a request that has another answer."""
    candidates = World(request).ordered("")
    table = NumbersByFact(candidates)
    all_parts = [
        part for candidate in candidates for needed in candidate.requirements for part in parts(needed.predicate)
    ]
    for predicates in [*([predicate] for predicate in all_parts), generator.sample(all_parts, min(3, len(all_parts)))]:
        near = table.numbers(predicates)
        scanned = [
            number
            for number, candidate in enumerate(candidates)
            if any(p.test(candidate.published) for p in predicates)
        ]
        assert [number for number in near if any(p.test(candidates[number].published) for p in predicates)] == scanned


@attrs.frozen
class Stated:
    """A candidate that is nothing but what it publishes."""

    published: PlainFacts


def test_a_bundle_is_of_the_package_that_holds_it_whatever_its_properties_name() -> None:
    """Generated bundles always name their package; those of strangers need not."""
    silent, elsewhere = Stated(facts("etcd", [])), Stated(facts("kiln", [Property("olm.package", ETCD)]))
    versions = PlainRange.read(">=1.0.0")
    assert versions is not None
    predicate = PackageTest("etcd", versions)
    assert list(NumbersByFact([silent, Stated(facts("kiln", [])), elsewhere]).numbers([predicate])) == [0, 2]


def _request(size: int) -> Request:
    """Subscriptions to *size* packages, each with an installed operator of its own that has an update."""
    blobs: list[dict[str, Any]] = []
    for number in range(size):
        name, versions = f"p{number}", ("1.0.0", "2.0.0")
        entries = [{"name": f"{name}.v1.0.0"}, {"name": f"{name}.v2.0.0", "replaces": f"{name}.v1.0.0"}]
        blobs.append({"schema": "olm.package", "name": name, "defaultChannel": "stable"})
        blobs.append({"schema": "olm.channel", "package": name, "name": "stable", "entries": entries})
        for version in versions:
            own = {"type": "olm.package", "value": {"packageName": name, "version": version}}
            bundle = {"schema": "olm.bundle", "package": name, "name": f"{name}.v{version}", "image": "i"}
            blobs.append({**bundle, "properties": [own]})
    names = [f"p{number}" for number in range(size)]
    return Request(
        ["ns", "olm"],
        [Source("catalog", "olm", 0, fbc.from_blobs(blobs))],
        [Subscription(name, "ns", name, installed_csv=f"{name}.v1.0.0") for name in names],
        [Installed(f"{name}.v1.0.0", "1.0.0", (), name) for name in names],
    )


def test_a_check_takes_time_as_the_request_grows() -> None:
    """Whose an operator is, and what is selected, was looked for in lists: with the square of the subscriptions."""
    requests_, certificates = {}, {}
    for size in (150, 1200):
        requests_[size] = request = _request(size)
        certificates[size] = olmsolve.certificate(olmsolve.resolve(request))
    assert times_as_long(lambda size: olmsolve.verify(certificates[size], requests_[size]), 150, 1200) < 20
