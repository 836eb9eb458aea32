"""Assertions pass quietly, and fail with what happened instead and why."""

from __future__ import annotations

import pytest

from olmsolve import resolve
from olmsolve.testing import assert_installs, assert_unsatisfiable, catalog_of, package, request_for

CATALOG = catalog_of(
    package("etcd").channel("stable", "0.9.0 < 0.9.4").requires("vault", ">=1.0.0", at="0.9.4"),
    package("vault").channel("stable", "1.0.0"),
    package("rival").channel("stable", "1.0.0").requires("vault", "<1.0.0"),
)


def test_what_holds_passes() -> None:
    """A plan, or the request itself; with *only*, all of it."""
    request = request_for(CATALOG, "etcd")
    plan = assert_installs(request, "etcd.v0.9.4")
    assert assert_installs(plan, "etcd.v0.9.4", "vault.v1.0.0", only=True) is plan
    failure = assert_unsatisfiable(request_for(CATALOG, "rival"), because="package vault in <1.0.0")
    assert failure.core


def test_a_missing_bundle_is_explained() -> None:
    """The message says what is installed instead, and why not this."""
    plan = resolve(request_for(CATALOG, "etcd"))
    with pytest.raises(AssertionError) as failure:
        assert_installs(plan, "etcd.v0.9.0", "etcd.v7")
    first, second, third = str(failure.value).splitlines()
    assert first == "the plan installs etcd.v0.9.4, vault.v1.0.0"
    assert second.startswith("  not etcd.v0.9.0: etcd.v0.9.0 (stable, olm/catalog) could be selected, but is less")
    assert third == "  not etcd.v7: no catalog has it"


def test_a_bundle_too_many_is_named() -> None:
    """*only* is about the bundles that requirements bring along."""
    with pytest.raises(AssertionError, match=r"vault\.v1\.0\.0 is not expected"):
        assert_installs(request_for(CATALOG, "etcd"), "etcd.v0.9.4", only=True)


def test_a_failure_is_explained() -> None:
    """Where there is no plan at all, the explanation stands in the message."""
    with pytest.raises(AssertionError, match=r"no plan that installs rival\.v1\.0\.0:\nThis request cannot be"):
        assert_installs(request_for(CATALOG, "rival"), "rival.v1.0.0")


def test_an_unexpected_plan_is_shown() -> None:
    """The plan, and the request that was thought to have none."""
    with pytest.raises(AssertionError) as failure:
        assert_unsatisfiable(request_for(CATALOG, "etcd"))
    text = str(failure.value)
    assert text.startswith("there is a plan, which installs etcd.v0.9.4, vault.v1.0.0\n")
    assert "wish etcd: package etcd" in text


def test_other_reasons_are_shown() -> None:
    """A request that fails for another reason than expected is not what the test is about."""
    with pytest.raises(AssertionError, match="no reason says 'the moon':\nThis request cannot be satisfied"):
        assert_unsatisfiable(request_for(CATALOG, "rival"), because="the moon")
