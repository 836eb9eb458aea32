"""The verbs of a resolver: each takes what is asked as ``resolve`` does, and answers as the verb of the facade."""

from __future__ import annotations

import pytest

import olmsolve
from olmsolve import Incomplete, Resolver, Source, Subscription, Unsatisfiable
from olmsolve.testing import catalog_of, package

CATALOG = catalog_of(
    package("app").channel("stable", "1.0.0 < 1.1.0 < 2.0.0").channel("old", "1.0.0").requires("lib", ">=1.0.0"),
    package("lib").channel("stable", "1.0.0 < 1.2.0"),
)
WISH = Subscription("app", "shop", "app", "stable")


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    return Resolver([Source("main", "olm", 0, CATALOG)])


def test_why_and_why_not_answer_as_the_facade_does(resolver: Resolver) -> None:
    """The plan is made and asked in one call."""
    plan = resolver.resolve([WISH], namespaces=["shop", "olm"])
    assert resolver.why([WISH], "lib", namespaces=["shop", "olm"]) == olmsolve.why(plan, "lib")
    answer = resolver.why_not([WISH], "lib", version="1.0.0", namespaces=["shop", "olm"])
    assert answer == olmsolve.why_not(plan, "lib", version="1.0.0")
    with pytest.raises(Unsatisfiable):
        resolver.why([Subscription("x", "shop", "x")], "lib", namespaces=["shop", "olm"])


def test_diff_compares_two_sets_of_subscriptions(resolver: Resolver) -> None:
    """Everything else is the same on both sides."""
    other = olmsolve.evolve(WISH, channel="old")
    diff = resolver.diff([WISH], [other], namespaces=["shop", "olm"])
    sides = [resolver.request([wish], namespaces=["shop", "olm"]) for wish in (WISH, other)]
    assert diff == olmsolve.diff(*sides)
    assert [str(change.after) for change in diff.changed] == ["app.v1.0.0 (old, olm/main)"]


def test_path_follows_what_is_installed(resolver: Resolver) -> None:
    """From 1.0.0, each update is the one that OLM takes."""
    operator = olmsolve.Installed("app.v1.0.0", "1.0.0", subscription="app")
    [path] = resolver.path([WISH], namespaces=["shop", "olm"], installed=[operator])
    assert path.path is not None
    assert path.path.steps == ("app.v1.1.0", "app.v2.0.0")
    [nothing] = resolver.path([WISH], namespaces=["shop", "olm"])
    assert nothing.reason == "nothing is installed, so there is no path to look for"


def test_limits_hold_for_the_plan_and_the_answer_together(resolver: Resolver) -> None:
    """No verb goes on after its time."""
    for ask in (
        lambda: resolver.why([WISH], "lib", namespaces=["shop", "olm"], timeout=1e-9),
        lambda: resolver.why_not([WISH], "lib", namespaces=["shop", "olm"], timeout=1e-9),
        lambda: resolver.diff([WISH], [], namespaces=["shop", "olm"], timeout=1e-9),
    ):
        with pytest.raises(Incomplete):
            ask()
