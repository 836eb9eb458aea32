"""Requests that are full of plain package requirements: what is known in numbers changes no answer."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import Request, Unsatisfiable, resolve
from olmsolve.solver.backends import DECIDING, PORTABLE
from olmsolve.testing.random_requests import classic_request

Document = dict[str, Any]


def _package(name: str, version: str) -> Document:
    return {"type": "olm.package", "value": {"packageName": name, "version": version}}


def _required(name: str, versions: str) -> Document:
    return {"type": "olm.package.required", "value": {"packageName": name, "versionRange": versions}}


def _bundle(name: str, *properties: Document) -> Document:
    return {"schema": "olm.bundle", "package": name[0], "name": name, "properties": properties}


def _channel(package: str, *entries: Document) -> Document:
    return {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}


def _request(blobs: list[Document], *subscriptions: Document) -> Request:
    wishes = [{"name": f"{n}", "namespace": "ns"} | wish for n, wish in enumerate(subscriptions)]
    catalog = {"name": "cat", "namespace": "ns", "blobs": blobs}
    return classic_request({"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": wishes})


@pytest.mark.parametrize("backend", [DECIDING, PORTABLE])
def test_a_skipped_bundle_of_two_packages_excludes_a_family(backend: str) -> None:
    """A subscription can start at a bundle that no requirement can have: what it excludes may be met only later."""
    blobs = [
        _bundle("a.v0", _package("a", "0.1.0"), _package("b", "0.1.0")),
        _bundle("a.v1", _package("a", "1.0.0")),
        _bundle("b.v1", _package("b", "1.0.0")),
        _bundle("c.v1", _package("c", "1.0.0"), _required("b", ">=1.0.0")),
        _channel("a", {"name": "a.v1", "skips": ["a.v0"]}, {"name": "a.v0"}),
        _channel("b", {"name": "b.v1"}),
        _channel("c", {"name": "c.v1"}),
    ]
    request = _request(blobs, {"package": "c"}, {"package": "a", "startingCSV": "a.v0"})
    with pytest.raises(Unsatisfiable) as raised:
        resolve(request, backend=backend)
    assert [reason.kind for reason in raised.value.core] == [
        "SubscriptionWants",
        "SubscriptionWants",
        "Requires",
        "OnePerPackage",
    ]


@pytest.mark.parametrize("backend", [DECIDING, PORTABLE])
def test_a_family_with_requirements_that_do_not_parse(backend: str) -> None:
    """Such a bundle is in no group, so a refutation that takes it for a member is not one yet; the next one is."""
    blobs = [
        _bundle("a.v1", _package("a", "1.0.0"), _required("b", "1.0.0")),
        _bundle("b.v1", _package("b", "1.0.0")),
        _bundle("b.v2", _package("b", "2.0.0")),
        _bundle("b.v3", _package("b", "3.0.0"), _required("a", "no range")),
        _bundle("c.v1", _package("c", "1.0.0"), _required("b", "2.0.0")),
        _channel("a", {"name": "a.v1"}),
        _channel("b", {"name": "b.v3", "replaces": "b.v2"}, {"name": "b.v2", "replaces": "b.v1"}, {"name": "b.v1"}),
        _channel("c", {"name": "c.v1"}),
    ]
    request = _request(blobs, {"package": "a"}, {"package": "c"})
    with pytest.raises(Unsatisfiable) as raised:
        resolve(request, backend=backend)
    assert [reason.kind for reason in raised.value.core] == [
        "SubscriptionWants",
        "SubscriptionWants",
        "Requires",
        "Requires",
        "OnePerPackage",
    ]
