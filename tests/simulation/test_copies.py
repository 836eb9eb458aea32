"""Copies of operators: where OLM makes them, whose they are, and when they go."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from tests.simulation.small_clusters import (
    Version,
    catalog,
    cluster,
    group,
    installed,
    operator,
    simulate,
    subscription,
)

ONE = Version("1.0.0", ("E.v1",))
CONTENT = {"olm/main": catalog(e=[ONE])}


def _places(*names: str) -> list[dict[str, Any]]:
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names]


def _copies(state: ClusterState) -> dict[str, str]:
    """The namespaces that have a copy, and where the original is."""
    copied = (csv for csv in state.all(ClusterServiceVersion) if csv.is_copied)
    return {csv.namespace: csv.metadata.labels["olm.copiedFrom"] for csv in copied}


def test_a_new_operator_is_copied_to_the_namespaces_that_it_serves() -> None:
    """The dump had nothing to copy, and it names its namespaces: what should be there can be told."""
    state = cluster(_places("ns", "a", "b"), group("ns", targets=["a", "b", "gone"]), subscription("ns", "e"))
    assert _copies(simulate(state, CONTENT).state) == {"a": "ns", "b": "ns"}


def test_copies_that_a_dump_lacks_are_not_made_up() -> None:
    """Its operator works and has no copy: somebody left the copies out."""
    state = cluster(_places("ns", "a"), group("ns", targets=["a"]), installed("ns", "e", ONE))
    assert _copies(simulate(state, CONTENT).state) == {}


@pytest.mark.parametrize(("disabled", "expected"), [(False, {"a": "ns"}), (True, {})])
def test_copies_of_operators_for_all_namespaces_can_be_switched_off(disabled: bool, expected: dict[str, str]) -> None:
    """OLMConfig says so for the whole cluster; the copies that are there go."""
    config = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OLMConfig",
        "metadata": {"name": "cluster"},
        "spec": {"features": {"disableCopiedCSVs": disabled}},
    }
    state = cluster(_places("ns", "a"), group("ns", targets=[""]), subscription("ns", "e"))
    before = simulate(state, CONTENT).state
    assert _copies(before) == {"a": "ns"}
    after = simulate(before.having(*cluster_objects(config)), CONTENT).state
    assert _copies(after) == expected


def cluster_objects(config: dict[str, Any]) -> list[Any]:
    return list(cluster(config).others)


def test_an_operator_that_does_not_support_its_targets_is_not_copied() -> None:
    """As recorded, for each fault of its group; an operator that failed by itself is copied."""
    there = operator("ns", "e", ONE)
    there["spec"]["installModes"] = [{"type": "OwnNamespace", "supported": True}]
    state = cluster(_places("ns", "a"), group("ns"), subscription("ns", "e", has="1.0.0"), there)
    (own,) = state.all(OperatorGroup)
    wide = evolve(own, target_namespaces=(), namespaces=("",))
    simulation = simulate(state.having(wide), CONTENT)
    (csv,) = simulation.state.all(ClusterServiceVersion)
    assert (csv.reason, _copies(simulation.state)) == ("UnsupportedOperatorGroup", {})


def test_a_copy_follows_the_operator_that_takes_over() -> None:
    """Two namespaces have the operator, and serve the same one: the copy is the first one's until that goes."""
    state = cluster(
        _places("one", "two", "target"),
        group("one", targets=["target"]),
        group("two", targets=["target"]),
        subscription("one", "e"),
    )
    first = simulate(state, CONTENT).state
    assert _copies(first) == {"target": "one"}
    both = simulate(first.having(*cluster(subscription("two", "e"))), CONTENT).state
    assert _copies(both) == {"target": "one"}
    gone = [object_ for object_ in both if object_.namespace == "one" and not isinstance(object_, OperatorGroup)]
    assert _copies(simulate(both.without(*gone), CONTENT).state) == {"target": "two"}


def test_copies_stay_where_a_group_selects_no_namespace_any_more() -> None:
    """OLM leaves such a group alone, as recorded; in a namespace that is gone there is no copy."""
    state = cluster(_places("ns", "a", "b"), group("ns", targets=["a", "b"]), subscription("ns", "e"))
    before = simulate(state, CONTENT).state
    (wide,) = before.all(OperatorGroup)
    nothing = evolve(wide, target_namespaces=(), selector={"matchLabels": {"team": "nobody"}}, namespaces=())
    assert _copies(simulate(before.having(nothing), CONTENT).state) == {"a": "ns", "b": "ns"}
    place = before.get(Namespace, "", "b")
    assert place is not None
    assert _copies(simulate(before.having(evolve(place, phase="Terminating")), CONTENT).state) == {"a": "ns"}
