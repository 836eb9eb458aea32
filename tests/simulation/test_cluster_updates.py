"""What keeps a cluster from its next version: the operators, and the updates that free it, simulated to rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from olmsolve import Situation
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState
from olmsolve.errors import VersionError
from olmsolve.lifecycle import ClusterUpdate, WayToUpdate, situation_update
from olmsolve.render import cluster_update_text
from olmsolve.requests import Contents
from tests.simulation.small_clusters import Version, cluster, group, operator, subscription

Snapshot = Callable[[str, str], None]
CHANNELS = {"stable": ["1.0.0", "1.1.0", "1.2.0"], "old": ["1.0.0", "1.1.0"], "fast": ["1.0.0", "2.0.0"]}


def content(**maxima: str) -> Catalog:
    """Package e in three channels; *maxima* give versions (``v1_1_0``) their last OpenShift version."""
    numbers = list(dict.fromkeys(number for numbers in CHANNELS.values() for number in numbers))
    blobs: list[dict[str, Any]] = [{"schema": "olm.package", "name": "e", "defaultChannel": "stable"}]
    for channel, versions in CHANNELS.items():
        entries = [
            {"name": f"e.v{number}", **({"replaces": f"e.v{before}"} if before else {})}
            for before, number in zip(["", *versions], versions, strict=False)
        ]
        blobs.append({"schema": "olm.channel", "package": "e", "name": channel, "entries": entries})
    for number in numbers:
        properties: list[dict[str, Any]] = [
            {"type": "olm.package", "value": {"packageName": "e", "version": number}},
        ]
        maximum = maxima.get(f"v{number.replace('.', '_')}")
        if maximum:
            properties.append({"type": "olm.maxOpenShiftVersion", "value": maximum})
        blobs.append(
            {
                "schema": "olm.bundle",
                "package": "e",
                "name": f"e.v{number}",
                "image": f"quay.example.com/e:{number}",
                "properties": properties,
            }
        )
    return from_blobs(blobs)


def limited(maximum: str, *, namespace: str = "ns") -> dict[str, Any]:
    """The operator e.v1.0.0, which works up to OpenShift *maximum*."""
    csv = operator(namespace, "e", Version("1.0.0"))
    properties = [
        {"type": "olm.package", "value": {"packageName": "e", "version": "1.0.0"}},
        {"type": "olm.maxOpenShiftVersion", "value": maximum},
    ]
    csv["metadata"]["annotations"] = {"operatorframework.io/properties": json.dumps({"properties": properties})}
    return csv


def cluster_update(state: ClusterState, openshift: str, contents: Contents | None = None) -> ClusterUpdate:
    return situation_update(Situation.of_cluster(state, contents or {}), openshift)


def installed(channel: str, approval: str = "Automatic") -> ClusterState:
    wish = subscription("ns", "e", has="1.0.0", approval=approval)
    wish["spec"]["channel"] = channel
    return cluster(group("ns"), wish, limited("4.18"))


def test_updates_that_come_anyway_free_the_cluster(snapshot: Snapshot) -> None:
    """The second of two updates works with the next version; the first does not."""
    update = cluster_update(installed("stable"), "4.18.3", {"olm/main": content(v1_1_0="4.18", v1_2_0="4.19")})
    (blocked,) = update.operators
    assert blocked.way == WayToUpdate("e", ("e.v1.1.0", "e.v1.2.0"))
    assert (update.update, update.is_freed) == ("4.19", True)
    snapshot("cluster-updates/freed.txt", cluster_update_text(update))


def test_a_plan_that_waits_for_approval_is_part_of_the_way() -> None:
    """The updates come only once somebody approves them."""
    update = cluster_update(installed("stable", "Manual"), "4.18.3", {"olm/main": content()})
    assert update.operators[0].way == WayToUpdate("e", ("e.v1.1.0", "e.v1.2.0"), approvals=True)


def test_another_channel_is_a_way_out_where_its_updates_get_there(snapshot: Snapshot) -> None:
    """Channel old ends too early; fast has an update for what is installed."""
    maxima = {"v1_1_0": "4.18", "v1_2_0": "4.18"}
    update = cluster_update(installed("old"), "4.18.3", {"olm/main": content(**maxima)})
    assert update.operators[0].way == WayToUpdate("e", ("e.v2.0.0",), channel="fast")
    snapshot("cluster-updates/other-channel.txt", cluster_update_text(update))


def test_no_way_out_is_said() -> None:
    """No channel works with the next version; and an operator without a subscription gets no updates."""
    maxima = {"v1_1_0": "4.18", "v1_2_0": "4.18", "v2_0_0": "4.18"}
    orphan = limited("4.17", namespace="by-hand")
    state = installed("stable").having(*cluster(orphan))
    update = cluster_update(state, "4.18.3", {"olm/main": content(**maxima)})
    assert [(operator.blocking.key, operator.way) for operator in update.operators] == [
        ("by-hand/e.v1.0.0", None),
        ("ns/e.v1.0.0", None),
    ]
    assert not update.is_freed
    assert cluster_update_text(update).count("no way out was found") == 2


def test_without_contents_only_the_operators_are_named() -> None:
    """A dump alone tells what blocks; the version may be any text that names one."""
    update = cluster_update(installed("stable"), "4.18")
    assert [operator.to_dict() for operator in update.operators] == [
        {"name": "e.v1.0.0", "namespace": "ns", "update": "4.19", "maximum": "4.18", "way": None, "hindrances": []}
    ]
    assert not cluster_update(installed("stable"), "4.17").is_blocked
    assert cluster_update_text(cluster_update(installed("stable"), "4.17")) == (
        "No installed operator blocks the update to OpenShift 4.18."
    )
    with pytest.raises(VersionError):
        cluster_update(installed("stable"), "four")
