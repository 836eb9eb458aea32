"""Orders of updates: namespaces that share the definition of an API wait for each other, or cannot be updated both."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve.lifecycle.impact import ClusterImpact, Gate, Rollout
from olmsolve.requests import RecordedCluster
from tests.impact.fleets import KEY
from tests.impact.tangled import SOURCE
from tests.simulation.small_clusters import Version, catalog, group, installed

V1, BOTH, V2 = ("Ledger.v1",), ("Ledger.v1", "Ledger.v2"), ("Ledger.v2",)


def versions(*owned: tuple[str, ...]) -> list[Version]:
    """Versions 1.0.0, 2.0.0, ... that provide these APIs."""
    return [
        Version(f"{number}.0.0", owns=owns, replaces=f"{number - 1}.0.0" if number > 1 else "")
        for number, owns in enumerate(owned, start=1)
    ]


def impact_on(*objects: dict[str, Any], **packages: list[Version]) -> ClusterImpact:
    """The impact on a cluster of a catalog with *packages* that had only their first versions before."""
    old = catalog(**{name: several[:1] for name, several in packages.items()})
    cluster = RecordedCluster("alone", (SOURCE, *objects))
    report = olmsolve.impact([cluster], before={KEY: old}, after={KEY: catalog(**packages)})
    assert not report.unreadable
    return report.classes[0].impact


def space(name: str, package: str, owns: tuple[str, ...], **more: Any) -> list[dict[str, Any]]:
    return [group(name), *installed(name, package, Version("1.0.0", owns=owns), **more)]


def written(rollout: Rollout) -> list[str]:
    return [str(step) for step in rollout.steps]


def test_a_version_is_taken_away_when_nobody_needs_it_any_more() -> None:
    """A fork of the operator gives its API up, and only then may the operator itself drop the version."""
    impact = impact_on(
        *space("lab", "fork", V1), *space("shop", "ledger", V1), fork=versions(V1, ()), ledger=versions(V1, BOTH, V2)
    )
    (rollout,) = impact.rollouts
    order = written(rollout)
    assert order.index("lab gets fork.v2.0.0") < order.index("shop gets ledger.v3.0.0")
    assert sorted(order) == ["lab gets fork.v2.0.0", "shop gets ledger.v2.0.0", "shop gets ledger.v3.0.0"]
    assert rollout.reasons == (
        "shop must not get ledger.v3.0.0 while lab has fork.v1.0.0, which needs the API example.com/v1/Ledger",
    )
    assert Gate.UNORDERED not in impact.gates


def test_no_order_is_safe_where_one_namespace_keeps_the_old_version() -> None:
    """An operator that waits for approval loses its API by an update in another namespace."""
    waiting = space("lab", "ledger", V1, approval="Manual")
    impact = impact_on(*waiting, *space("shop", "ledger", V1), ledger=versions(V1, V2))
    (rollout,) = impact.rollouts
    assert rollout.steps == ()
    assert rollout.reasons == (
        "shop must not get ledger.v2.0.0 while lab has ledger.v1.0.0, which needs the API example.com/v1/Ledger",
    )
    assert Gate.UNORDERED in impact.gates


def test_updates_that_wait_for_each_other_have_no_order() -> None:
    """Each drops what the other one still has, so that neither can be the first."""
    impact = impact_on(*space("lab", "ledger", V1), *space("shop", "ledger", V1), ledger=versions(V1, V2))
    (rollout,) = impact.rollouts
    assert (rollout.steps, len(rollout.reasons)) == ((), 2)


def test_updates_that_add_versions_may_come_in_any_order() -> None:
    """Most updates take nothing away, and need no advice."""
    assert not impact_on(*space("lab", "ledger", V1), *space("shop", "ledger", V1), ledger=versions(V1, BOTH)).rollouts
    assert not impact_on(*space("lab", "ledger", V1), ledger=versions(V1, V2)).rollouts
    assert not impact_on(
        *space("lab", "ledger", V1), *space("shop", "cache", ("Cache.v1",)), ledger=versions(V1, V2), cache=versions(())
    ).rollouts


def test_what_one_install_plan_brings_is_one_step() -> None:
    """An operator and what it requires come together, so that nothing has to wait for the other."""
    needing = Version("2.0.0", requires=V2, replaces="1.0.0")
    requires = [Version("1.0.0"), needing]
    older = [group("lab"), *installed("lab", "mirror", Version("1.0.0")), *installed("lab", "ledger", versions(V1)[0])]
    impact = impact_on(*older, *space("shop", "ledger", V1), ledger=versions(V1, BOTH), mirror=requires)
    assert not impact.rollouts
    assert {operator.after for operator in impact.operators} == {"ledger.v2.0.0", "mirror.v2.0.0"}


def test_definitions_of_the_cluster_count() -> None:
    """What is served is what the definition says, not what an operator would like."""
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ledgers.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Ledger", "plural": "ledgers"},
            "versions": [{"name": "v9", "served": True, "storage": True}],
        },
    }
    both = [*space("lab", "ledger", V1, approval="Manual"), *space("shop", "ledger", V1)]
    assert impact_on(*both, ledger=versions(V1, V2)).rollouts
    # The operator of lab lacks its API already, so nobody takes it away.
    assert not impact_on(*both, definition, ledger=versions(V1, V2)).rollouts


def test_the_search_for_an_order_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways to interleave updates multiply, and a report must end."""
    monkeypatch.setattr("olmsolve.lifecycle.impact.rollouts._MOST_STATES", 1)
    both = [*space("lab", "fork", V1), *space("shop", "ledger", V1)]
    (rollout,) = impact_on(*both, fork=versions(V1, ()), ledger=versions(V1, BOTH, V2)).rollouts
    assert (rollout.steps, rollout.reasons) == ((), ("there are more than 1 ways to interleave the updates",))
