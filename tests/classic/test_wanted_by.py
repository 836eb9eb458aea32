"""For whom a plan has each bundle."""

from __future__ import annotations

from typing import Any

from olmsolve import Request, resolve
from olmsolve.testing import classic_request

Document = dict[str, Any]
GVK: Document = {"group": "example.com", "version": "v1", "kind": "Thing"}


def _request(*blobs: Document, packages: str) -> Request:
    wishes = [{"name": f"{name}-wish", "namespace": "ns", "package": name} for name in packages]
    catalog = {"name": "cat", "namespace": "ns", "blobs": list(blobs)}
    return classic_request({"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": wishes})


def _package(name: str, *properties: Document) -> list[Document]:
    own = {"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}
    return [
        {"schema": "olm.bundle", "package": name, "name": f"{name}.v1", "properties": [own, *properties]},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": f"{name}.v1"}]},
    ]


def test_a_bundle_that_needs_what_it_provides_does_not_want_itself() -> None:
    """Some bundles list their own API as required; then they are in the plan for their subscription alone."""
    provided, required = {"type": "olm.gvk", "value": GVK}, {"type": "olm.gvk.required", "value": GVK}
    plan = resolve(_request(*_package("a", provided, required), packages="a"))
    (install,) = plan.installs
    assert [who.subscription for who in install.wanted_by] == ["a-wish"]


def test_everybody_who_wants_a_bundle_is_named_once() -> None:
    """First who selected it; a bundle that requires the same thing twice is named once for it."""
    provided, required = {"type": "olm.gvk", "value": GVK}, {"type": "olm.gvk.required", "value": GVK}
    blobs = [*_package("a", required, required), *_package("b", required), *_package("c", provided)]
    plan = resolve(_request(*blobs, packages="ab"))
    (shared,) = (install for install in plan.installs if install.name == "c.v1")
    assert [(who.subscription, who.bundle) for who in shared.wanted_by] == [("", "a.v1"), ("", "b.v1")]
