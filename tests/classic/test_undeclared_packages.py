"""Bundles without an ``olm.package`` property: several of one package may be installed side by side."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import Request, resolve
from olmsolve.catalog.index import Visible
from olmsolve.solver.backends import DECIDING, PORTABLE
from olmsolve.testing import classic_request

Document = dict[str, Any]


def _channel(package: str, name: str, *bundles: str) -> Document:
    return {
        "schema": "olm.channel",
        "package": package,
        "name": name,
        "entries": [{"name": bundle} for bundle in bundles],
    }


def _bundle(name: str, *properties: Document) -> Document:
    return {"schema": "olm.bundle", "package": name[0], "name": name, "properties": properties}


def _package(version: str) -> Document:
    return {"type": "olm.package", "value": {"packageName": "a", "version": version}}


def _request(*bundles: Document) -> Request:
    channels = [_channel("a", f"channel {bundle['name']}", bundle["name"]) for bundle in bundles]
    wishes = [
        {"name": channel["name"], "namespace": "ns", "package": "a", "channel": channel["name"]} for channel in channels
    ]
    catalog = {"name": "cat", "namespace": "ns", "blobs": [*bundles, *channels]}
    return classic_request({"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": wishes})


@pytest.mark.parametrize("backend", [DECIDING, PORTABLE])
def test_undeclared_bundles_do_not_exclude_each_other(backend: str) -> None:
    """At most one bundle of a package means: of those whose property names the package."""
    request = _request(_bundle("a.v1"), _bundle("a.v2"), _bundle("a.v3", _package("3.0.0")))
    installs = resolve(request, semantics="documented", backend=backend).installs
    assert sorted(install.name for install in installs) == ["a.v1", "a.v2", "a.v3"]


@pytest.mark.parametrize(("properties", "is_group"), [([], False), ([_package("1.0.0")], True)])
def test_a_package_is_a_group_only_if_all_its_bundles_say_so(properties: list[Document], is_group: bool) -> None:
    """A group with a bundle that is no member would exclude what may be installed."""
    request = _request(_bundle("a.v1", *properties), _bundle("a.v2", _package("2.0.0")))
    group = Visible(request.sources, request.namespaces).package_group("a")
    assert (group is not None) is is_group
