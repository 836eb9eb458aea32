"""An operator that loses its subscription stays: the difference between the clusters does not call it lost."""

from __future__ import annotations

import olmsolve
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import SubscriptionObject, read_manifests
from tests.scenarios.agreement.stuck import CATALOG, ONE
from tests.simulation.small_clusters import catalog_blobs, group, installed


def test_an_operator_that_loses_its_subscription_stays() -> None:
    """Its package was known by the subscription alone."""
    manifests = [CATALOG, group("ns"), *installed("ns", "e", ONE), *installed("ns", "f", ONE)]
    for manifest in manifests:
        if manifest["kind"] == "ClusterServiceVersion":
            manifest["metadata"].pop("annotations", None)
    state = ClusterState.of(read_manifests((manifest, None) for manifest in manifests))
    wish = state.get(SubscriptionObject, "ns", "e")
    assert wish is not None
    contents = {"olm/main": from_blobs(catalog_blobs(e=[ONE], f=[]))}
    before, after = (
        olmsolve.Situation.of_cluster(cluster, contents).questions[0].request()
        for cluster in (state, state.without(wish))
    )
    assert isinstance(before, olmsolve.Request)
    assert isinstance(after, olmsolve.Request)
    assert olmsolve.diff(before, after).changes == ()
    assert olmsolve.diff(after, before).changes == ()
