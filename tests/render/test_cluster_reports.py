"""Reports about a whole cluster: tables that keep to a width, and every fault below."""

from __future__ import annotations

from collections.abc import Callable

from olmsolve.cluster import ClusterState
from olmsolve.cluster.operator_groups import check_operator_groups
from olmsolve.lifecycle.metrics import ResolutionTimes, cluster_metrics
from olmsolve.render import metrics_text, operator_groups_text
from tests.simulation.small_clusters import Version, cluster, group, installed, operator, subscription

Snapshot = Callable[[str, str], None]
ONE = Version("1.0.0", ("E.v1",))


def several() -> ClusterState:
    """A namespace in order, one with two groups, one without a group, and one whose group its operator refuses."""
    second = group("two")
    second["metadata"]["name"] = "again"
    refusing = operator("tight", "e", ONE)
    refusing["spec"]["installModes"] = [{"type": "OwnNamespace", "supported": True}]
    everywhere = group("tight")
    everywhere["spec"].pop("targetNamespaces")
    everywhere["status"] = {"namespaces": [""]}
    return cluster(
        [group("fine", targets=["fine", "shop"]), *installed("fine", "e", ONE)],
        [group("two"), second, subscription("two", "x")],
        operator("lonely", "x", Version("1.0.0", ("X.v1",))),
        [everywhere, refusing],
    )


def test_groups_are_a_table_with_the_faults_below(snapshot: Snapshot) -> None:
    """One look tells which namespace has a group, whom it serves, and what is wrong."""
    snapshot("cluster-reports/groups.txt", operator_groups_text(check_operator_groups(several())))


def test_a_narrow_page_has_a_block_for_each_group() -> None:
    """No name is cut."""
    text = operator_groups_text(check_operator_groups(several()), width=30)
    assert "tight: group og" in text.splitlines()
    assert "  targets: all namespaces" in text.splitlines()
    assert operator_groups_text(check_operator_groups(ClusterState())) == "No operator group and no operator."


def test_metrics_are_lines_for_people(snapshot: Snapshot) -> None:
    """A name, what it counts, and each sample with its labels."""
    times = ResolutionTimes(iter([0.0, 0.25]).__next__)
    times.measured(len)([])
    snapshot("cluster-reports/metrics.txt", metrics_text([*cluster_metrics(several()), *times.families()]))
