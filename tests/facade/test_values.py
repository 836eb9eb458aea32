"""Values are immutable, hash, compare by value, and go to documents and back."""

from __future__ import annotations

import copy
import json
import pickle
import random
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import v1
from olmsolve.testing import random_request
from tests.recorded import VENDORED, records, request_of
from tests.scale import sampled, scaled


def test_values_of_properties_cannot_be_changed() -> None:
    """A catalog is shared between requests; one of them must not change what another one sees."""
    given: dict[str, Any] = {"tier": [1, 2], "more": {"a": ("b",)}}
    item = olmsolve.Property("mine", given)
    given["tier"].append(3)
    item.value["tier"].append(4)
    assert item.value == {"tier": [1, 2], "more": {"a": ["b"]}}
    assert item == olmsolve.Property("mine", {"more": {"a": ["b"]}, "tier": [1, 2]})
    values: list[Any] = ["text", 5, 2.5, True, None, [], {}]
    for value in values:
        assert olmsolve.Property("mine", value).value == value


def test_equal_values_hash_alike() -> None:
    """Sets and dictionaries of requests, catalogs and properties: caches of services are made of them."""
    one, other = olmsolve.Property("a", {"x": 1, "y": [2]}), olmsolve.Property.from_text("a", b'{"y":[2.0],"x":1.0}')
    assert (one, hash(one)) == (other, hash(other))
    for record in records(VENDORED / "classic_random.jsonl.gz")[::300]:
        first, second = request_of(record), copy.deepcopy(request_of(record))
        assert (first, hash(first)) == (second, hash(second))
        assert len({first, second}) == 1
        values: list[Any] = [*first.sources, *first.subscriptions, *first.installed]
        for source in first.sources:
            for package in source.catalog:
                values += [package, *package.channels.values(), *package.bundles.values()]
        assert len({hash(value) for value in values}) > 1


ERRORS = [
    lambda: olmsolve.Incomplete("timeout"),
    lambda: olmsolve.CatalogError("broken", bundle="b"),
    lambda: olmsolve.RequestError("wrong", field="f"),
    lambda: olmsolve.ManifestError("wrong", kind="Subscription"),
    lambda: olmsolve.VersionError("x", "reason", 3),
    lambda: olmsolve.BackendError("b", "reason"),
    lambda: olmsolve.Unsatisfiable((olmsolve.MustStay(olmsolve.Candidate("a", "b", "c", "d", "e")),)),
    lambda: v1.NoBundlesError(v1.Extension("blue"), None),
    lambda: v1.PlanError(()),
]


@pytest.mark.parametrize("make", ERRORS, ids=[type(make()).__name__ for make in ERRORS])  # type: ignore[no-untyped-call]
def test_failures_compare_by_value(make: Any) -> None:
    """Two runs that fail alike are equal, as two plans are; so are comparisons that hold failures."""
    one, other = make(), make()
    assert one == other
    assert hash(one) == hash(other)
    assert one == pickle.loads(pickle.dumps(one))  # noqa: S301 - our own bytes
    assert one != olmsolve.Incomplete("other")
    assert one != str(one)


def test_failures_differ_by_their_reasons() -> None:
    """Not by who asked, nor by how long it took."""
    request = olmsolve.read_request("olmsolve/examples/unsatisfiable.yaml")
    failures = []
    for backend in ("deciding", "cadical195"):
        with pytest.raises(olmsolve.Unsatisfiable) as failure:
            olmsolve.resolve(request, backend=backend)
        failures.append(failure.value)
    assert failures[0] == failures[1]
    assert olmsolve.diff(request, request) == olmsolve.diff(request, request, backend="cadical195")
    assert olmsolve.CatalogError("broken", bundle="b") != olmsolve.CatalogError("broken", bundle="c")


def test_requests_go_to_documents_and_back() -> None:
    """A service keeps what it was asked, and asks again; recorded requests and random ones."""
    requests = [request_of(record) for record in sampled(records(VENDORED / "classic_random.jsonl.gz"), 40)]
    requests += [random_request(random.Random(f"documents {seed}")) for seed in range(scaled(300))]
    for request in requests:
        document = json.loads(json.dumps(request.to_dict()))
        copied = olmsolve.read_request(document)
        assert copied == request
        assert copied.to_dict() == document


def test_unreadable_catalogs_are_in_the_document() -> None:
    """A catalog without content, and the policy for it."""
    unreadable = olmsolve.catalog.UnreadableSource("gone", "olm", -3, "no such image")
    wish = olmsolve.Subscription("a", "shop", "b", "stable", "gone", "olm", "b.v1", "b.v0")
    request = olmsolve.Request(["shop", "olm"], [], [wish], name="n", unreadable=[unreadable], health_policy="ignore")
    assert olmsolve.read_request(request.to_dict()) == request


def test_a_catalog_that_cannot_be_read_for_no_stated_reason_is_in_the_document() -> None:
    """A document has content or a reason for each catalog, so the reader would refuse one with neither."""
    unreadable = olmsolve.catalog.UnreadableSource("gone", "olm", 0, "")
    request = olmsolve.Request(["shop"], [], [], unreadable=[unreadable])
    assert olmsolve.read_request(request.to_dict()).unreadable[0].key == "olm/gone"


def test_the_document_of_a_request_has_the_fields_that_programs_look_up() -> None:
    """Also where they are empty; what only some operators and subscriptions have is there if they have it."""
    installed = [olmsolve.Installed("a.v1"), olmsolve.Installed("b.v1", "1.0.0", subscription="b", gives_way=True)]
    wish = olmsolve.Subscription("b", "shop", "b", installed_csv="b.v1")
    rule = olmsolve.TotalAtMost(limit=0, of="memory", name="none")
    request = olmsolve.Request(["shop"], [], [wish], installed, house_rules=[rule])
    assert request.to_dict() == {
        "name": "",
        "namespaces": ["shop"],
        "catalogs": [],
        "unreadable": "strict",
        "installed": [
            {"name": "a.v1", "version": "", "properties": []},
            {"name": "b.v1", "version": "1.0.0", "properties": [], "subscription": "b", "givesWay": True},
        ],
        "subscriptions": [{"name": "b", "namespace": "shop", "package": "b", "installedCSV": "b.v1"}],
        "houseRules": [{"name": "none", "totalAtMost": {}, "of": "memory", "limit": 0}],
    }
    assert olmsolve.request_document(request) == {
        "namespaces": ["shop"],
        "catalogs": [],
        "installed": [{"name": "a.v1"}, {"name": "b.v1", "version": "1.0.0", "subscription": "b", "givesWay": True}],
        "subscriptions": [{"name": "b", "package": "b", "installedCSV": "b.v1"}],
        "houseRules": [{"name": "none", "totalAtMost": {}, "of": "memory", "limit": 0}],
    }


def test_functions_are_no_document() -> None:
    """Leaving them out without a word would change the answer."""
    request = olmsolve.Request(["shop"], [], [], eligibility=[lambda _: ""])
    with pytest.raises(olmsolve.RequestError, match="eligibility"):
        request.to_dict()
    assert attrs.evolve(request, eligibility=()).to_dict()["namespaces"] == ["shop"]
