"""Names that read alike are not the same: an identity has parts, and its text may fit another one.

No name in a cluster holds a slash, but a catalog may hold one: the API ``("g", "v/x", "K")`` is written like
``("g/v", "x", "K")``.
"""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve import Request, Semantics
from olmsolve.classic import resolve_together
from olmsolve.solver.backends import DEFAULT, PORTABLE
from olmsolve.testing import reference

ONE = {"group": "g", "version": "v/x", "kind": "K"}
OTHER = {"group": "g/v", "version": "x", "kind": "K"}
"""Two APIs that are written alike."""


def package(name: str, *properties: dict[str, Any]) -> list[dict[str, Any]]:
    own = {"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": f"{name}.v1.0.0"}]},
        {"schema": "olm.bundle", "package": name, "name": f"{name}.v1.0.0", "properties": [own, *properties]},
    ]


def providing(name: str, api: dict[str, str]) -> list[dict[str, Any]]:
    return package(name, {"type": "olm.gvk", "value": api})


def requiring(name: str, api: dict[str, str]) -> list[dict[str, Any]]:
    return package(name, {"type": "olm.gvk.required", "value": api})


def request(blobs: list[dict[str, Any]], *packages: str, namespace: str = "ns") -> Request:
    document = {
        "namespaces": [namespace],
        "catalogs": [{"name": "main", "namespace": namespace, "blobs": blobs}],
        "subscriptions": [{"name": name, "package": name} for name in packages],
    }
    parsed_request = olmsolve.read_request(document)
    assert isinstance(parsed_request, Request)
    return parsed_request


# Two packages provide each API, so that its providers are a group of their own beside the packages.
PROVIDERS = [*providing("a", ONE), *providing("b", ONE), *providing("c", OTHER), *providing("d", OTHER)]


@pytest.mark.parametrize("backend", [DEFAULT, PORTABLE])
@pytest.mark.parametrize("semantics", list(Semantics))
def test_apis_that_are_written_alike_have_a_provider_each(semantics: Semantics, backend: str) -> None:
    """At most one bundle provides an API; the providers of another API do not count, however it is written."""
    the_request = request(PROVIDERS, "a", "c")
    plan = olmsolve.resolve(the_request, semantics=semantics, backend=backend)
    assert [install.name for install in plan.installs] == ["a.v1.0.0", "c.v1.0.0"]
    assert reference.resolve(the_request, semantics) is not None
    with pytest.raises(olmsolve.Unsatisfiable) as failed:
        olmsolve.resolve(request(PROVIDERS, "a", "b"), semantics=semantics, backend=backend)
    [shared] = [reason for reason in failed.value.core if "at most one" in str(reason)]
    assert getattr(shared, "api") == tuple(ONE.values())  # noqa: B009 - one kind of reason has it


@pytest.mark.parametrize("api", [ONE, OTHER])
def test_a_requirement_finds_the_provider_of_its_own_api(api: dict[str, str]) -> None:
    """The other API is no answer to it, although both are written alike."""
    plan = olmsolve.resolve(request([*PROVIDERS, *requiring("app", api)], "app"))
    assert [install.name for install in plan.installs] == ["app.v1.0.0", "a.v1.0.0" if api is ONE else "c.v1.0.0"]


def test_definitions_that_are_written_alike_are_two() -> None:
    """A cluster has one definition of each kind of a group; kind ``h/K`` of group ``g`` is not kind K of ``g/h``."""
    one, other = {"group": "g", "version": "v1", "kind": "h/K"}, {"group": "g/h", "version": "v2", "kind": "K"}
    plans = resolve_together(
        [
            request(providing("a", one), "a", namespace="first"),
            request(providing("b", other), "b", namespace="second"),
        ]
    )
    assert {name: [install.name for install in plan.installs] for name, plan in plans.items()} == {
        "first": ["a.v1.0.0"],
        "second": ["b.v1.0.0"],
    }


@pytest.mark.parametrize(
    ("catalog", "wish", "field"),
    [
        ({"name": "b/c", "namespace": "ns"}, {}, "catalogs[0].name"),
        ({"name": "c", "namespace": "ns/b"}, {}, "catalogs[0].namespace"),
        ({"name": "c", "namespace": "ns", "error": "no route"}, {"source": "b/c"}, "subscriptions[0].source"),
        (
            {"name": "c", "namespace": "ns"},
            {"source": "c", "sourceNamespace": "n/s"},
            "subscriptions[0].sourceNamespace",
        ),
    ],
)
def test_a_catalog_is_known_by_two_names_without_slashes(catalog: Any, wish: Any, field: str) -> None:
    """Catalog c of namespace a/b would be catalog b/c of namespace a to a subscription, and to every answer."""
    content = {} if "error" in catalog else {"blobs": providing("a", ONE)}
    document = {
        "namespaces": ["ns"],
        "catalogs": [{**catalog, **content}],
        "subscriptions": [{"name": "a", "package": "a", **wish}],
    }
    with pytest.raises(olmsolve.RequestError, match="holds a slash") as refused:
        olmsolve.read_request(document)
    assert refused.value.field == field
