"""What plans say beyond their installs, and requests that random generators do not write."""

from __future__ import annotations

import random
from typing import Any

import pytest

import olmsolve
from olmsolve import Installed, Property, Request, RequestError, Source, Subscription, Unsatisfiable, resolve
from olmsolve.catalog.fbc import from_blobs
from olmsolve.testing import WIDE, random_request
from tests.scale import scaled


def bundle(package: str, name: str, *properties: dict[str, Any], version: str = "") -> dict[str, Any]:
    own = [{"type": "olm.package", "value": {"packageName": package, "version": version}}] if version else []
    return {"schema": "olm.bundle", "package": package, "name": name, "properties": own + list(properties)}


def channel(package: str, *entries: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "olm.channel", "package": package, "name": "stable", "entries": list(entries)}


def requires(package: str, versions: str) -> dict[str, Any]:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": versions}}


def wish(package: str, **fields: str) -> Subscription:
    return Subscription(f"wish-{package}", "ns", package, "stable", "c", "ns", **fields)


def request(blobs: list[dict[str, Any]], *wishes: Subscription, installed: tuple[Installed, ...] = ()) -> Request:
    return Request(("ns",), (Source("c", "ns", 0, from_blobs(blobs)),), wishes, installed)


def test_skipped_start_that_does_not_say_its_package() -> None:
    """Without an olm.package property a bundle is in no group, so another bundle of the package may join it."""
    blobs = [
        channel("p", {"name": "p.v2", "skips": ["p.v1"]}, {"name": "p.v1"}),
        bundle("p", "p.v1"),
        bundle("p", "p.v2", version="2.0.0"),
        channel("q", {"name": "q.v1"}),
        bundle("q", "q.v1", requires("p", ">=2.0.0"), version="1.0.0"),
    ]
    plan = resolve(request(blobs, wish("p", starting_csv="p.v1"), wish("q")))
    assert [install.name for install in plan.installs] == ["p.v1", "q.v1", "p.v2"]


def test_operator_that_stays_is_not_replaced() -> None:
    """A channel entry may name an operator that nobody updates; it stays beside the bundle."""
    blobs = [channel("p", {"name": "p.v2", "replaces": "p.v1"}), bundle("p", "p.v2", version="2.0.0")]
    plan = resolve(request(blobs, wish("p"), installed=(Installed("p.v1", "1.0.0"),)))
    assert [candidate.name for candidate in plan.kept] == ["p.v1"]
    assert plan.replaced == ()


def test_one_update_of_two_operators() -> None:
    """A bundle may skip what two subscriptions own; both give way."""
    blobs = [channel("p", {"name": "p.v3", "skips": ["a.v1", "b.v1"]}), bundle("p", "p.v3", version="3.0.0")]
    owned = tuple(Installed(f"{name}.v1", "1.0.0", subscription=name) for name in ("a", "b"))
    wishes = [Subscription(name, "ns", "p", "stable", "c", "ns") for name in ("a", "b")]
    plan = resolve(request(blobs, *wishes, installed=owned))
    assert [(old.name, new.name) for old, new in plan.replaced] == [("a.v1", "p.v3"), ("b.v1", "p.v3")]
    assert plan.installs[0].replaces == "a.v1"


def test_each_operator_stays_or_gives_way() -> None:
    """Nobody may have to guess what becomes of an installed operator."""
    plans = 0
    for seed in range(scaled(400)):
        request = random_request(random.Random(f"plans {seed}"), WIDE)
        try:
            plan = resolve(request)
        except (Unsatisfiable, olmsolve.CatalogError):
            continue
        fates = [c.name for c in plan.kept] + [old.name for old, _ in plan.replaced]
        assert sorted(fates) == sorted(operator.name for operator in request.installed), seed
        plans += 1
    assert plans > scaled(50)


def test_parts_of_a_compound_constraint_are_explained() -> None:
    """The part that nothing gives, and the author's own words for it, are what a person needs."""
    parts = [
        {"failureMessage": "needs K", "gvk": {"group": "g", "version": "v1", "kind": "K"}},
        {"failureMessage": "needs p", "package": {"packageName": "p", "versionRange": ">=1.0.0"}},
    ]
    constraint = {"type": "olm.constraint", "value": {"all": {"constraints": parts}}}
    blobs = [
        channel("p", {"name": "p.v1"}),
        bundle("p", "p.v1", version="1.0.0"),
        channel("q", {"name": "q.v1"}),
        bundle("q", "q.v1", constraint, version="1.0.0"),
    ]
    with pytest.raises(Unsatisfiable) as failed:
        resolve(request(blobs, wish("q")))
    text = str(failed.value)
    assert "and no bundle provides the API g/v1/K" in text
    # The author's message about a part that is met would mislead.
    assert text.endswith("[needs K]")


def test_a_package_without_channels_serves_no_subscription() -> None:
    """A subscription without a channel should not be told that it names one."""
    with pytest.raises(Unsatisfiable, match="names package q, which has no channel"):
        resolve(request([{"schema": "olm.package", "name": "q"}], Subscription("wish-q", "ns", "q")))


def test_installed_operator_is_in_no_nameless_package() -> None:
    """An operator's object names no package of a catalog; a requirement on "" is not one on every operator."""
    nothing = {"type": "olm.constraint", "value": {"any": {"constraints": [{"package": _nameless()}, _missing()]}}}
    blobs = [channel("q", {"name": "q.v1"}), bundle("q", "q.v1", nothing, version="1.0.0")]
    properties = (Property("olm.package", {"packageName": "z", "version": "1.0.0"}),)
    with pytest.raises(Unsatisfiable):
        resolve(request(blobs, wish("q"), installed=(Installed("z.v1", "1.0.0", properties),)))


def _nameless() -> dict[str, str]:
    return {"packageName": "", "versionRange": ">=0.0.0"}


def _missing() -> dict[str, Any]:
    return {"gvk": {"group": "g", "version": "v1", "kind": "Missing"}}


@pytest.mark.parametrize("limit", [{"timeout": 0}, {"timeout": float("nan")}, {"conflicts": -1}, {"timeout": "5"}])
def test_limits_are_positive_numbers(limit: dict[str, Any]) -> None:
    """A limit that limits nothing would be a promise not kept."""
    with pytest.raises(RequestError, match="not a positive number"):
        resolve(request([]), **limit)


def test_owners_may_not_contradict_each_other() -> None:
    """An operator that names one subscription while another claims it has no owner that anybody could know."""
    with pytest.raises(RequestError, match="which is not in the request, but subscription 'wish-p' claims it"):
        request([], wish("p", installed_csv="p.v1"), installed=(Installed("p.v1", "1.0.0", subscription="other"),))


def test_what_is_no_request() -> None:
    """Passing the document instead of the request is the first mistake that people make."""
    with pytest.raises(RequestError, match="read_request"):
        olmsolve.resolve({"namespaces": []})  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="a list of names"):
        Request("olm", (), ())
