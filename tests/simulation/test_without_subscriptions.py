"""Namespaces without subscriptions: OLM resolves nothing there, but carries plans out and judges operators."""

from __future__ import annotations

import json
from typing import Any

import pytest

import olmsolve
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import SubscriptionObject
from olmsolve.lifecycle.simulation import Ending
from tests.simulation.small_clusters import (
    OLM,
    Version,
    catalog,
    cluster,
    group,
    operator,
    simulate,
    subscription,
)

ONE, TWO = Version("1.0.0"), Version("2.0.0", replaces="1.0.0")
CONTENT = {"olm/main": catalog(e=[ONE, TWO])}
BLOCKING = {"type": "olm.maxOpenShiftVersion", "value": "4.18"}


def plan(namespace: str, *, approved: bool = False, steps: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """A plan that would install the first version: it waits for approval, or OLM has begun with it."""
    lookup = {"identifier": "e.v1.0.0", "path": "", "catalogSourceRef": {"name": "main", "namespace": "olm"}}
    return {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": "install-1", "namespace": namespace},
        "spec": {
            "approval": "Manual",
            "approved": approved,
            "generation": 1,
            "clusterServiceVersionNames": ["e.v1.0.0"],
        },
        "status": {
            "phase": "Installing" if approved else "RequiresApproval",
            "bundleLookups": [lookup],
            "plan": list(steps),
        },
    }


def of_subscription(namespace: str) -> dict[str, Any]:
    """The step of a plan that brings a subscription to the package of its operator."""
    name = "e-stable-main-olm"
    spec = {"name": "e", "channel": "stable", "source": "main", "sourceNamespace": "olm", "startingCSV": "e.v1.0.0"}
    resource = {
        "group": "operators.coreos.com",
        "version": "v1alpha1",
        "kind": "Subscription",
        "name": name,
        "manifest": json.dumps({"metadata": {"name": name, "namespace": namespace}, "spec": spec}),
    }
    return {"resolving": "e.v1.0.0", "status": "Unknown", "resource": resource}


def failing(namespace: str) -> dict[str, Any]:
    return operator(namespace, "x", ONE, phase="Failed")


def blocking(namespace: str) -> dict[str, Any]:
    """An operator that works up to OpenShift 4.18."""
    csv = operator(namespace, "x", ONE)
    csv["metadata"]["annotations"] = {"operatorframework.io/properties": json.dumps({"properties": [BLOCKING]})}
    return csv


def extension(*, beside: ClusterState) -> olmsolve.Situation:
    """The objects *beside* one extension of OLM v1, which gets its bundle."""
    group_version = "olm.operatorframework.io/v1"
    source = {"sourceType": "Catalog", "catalog": {"packageName": "e"}}
    objects = [
        *(dict(object_.raw) for object_ in beside),
        {"apiVersion": group_version, "kind": "ClusterCatalog", "metadata": {"name": "all"}, "spec": {}},
        {
            "apiVersion": group_version,
            "kind": "ClusterExtension",
            "metadata": {"name": "e"},
            "spec": {"namespace": "e", "serviceAccount": {"name": "e"}, "source": source},
        },
    ]
    return situation(objects, all=CONTENT["olm/main"])


def situation(objects: Any, **more: Any) -> olmsolve.Situation:
    document = {"apiVersion": "v1", "kind": "List", "items": objects}
    return olmsolve.read_situation(document, catalogs={**CONTENT, **more})


@pytest.mark.parametrize("subscribed", [False, True], ids=["alone", "beside another namespace"])
@pytest.mark.parametrize("approved", [False, True], ids=["approved now", "approved before"])
def test_an_approved_plan_is_carried_out(subscribed: bool, approved: bool) -> None:
    """OLM asks no subscription before it carries out a plan."""
    others = [group("ns"), subscription("ns", "e")] if subscribed else []
    state = cluster(others, group("by-hand"), plan("by-hand", approved=approved))
    simulation = simulate(state, CONTENT, approve=not approved)
    assert ("by-hand", "e.v1.0.0") in {(change.namespace, change.name) for change in simulation.steps[0].operators}
    assert (simulation.ended, simulation.left) == (Ending.REST, ())


def test_a_plan_that_nobody_approves_waits_and_is_left() -> None:
    simulation = simulate(cluster(group("by-hand"), plan("by-hand")), CONTENT)
    assert (len(simulation.steps), [trouble.kind for trouble in simulation.left]) == (0, ["planWaits"])


def test_the_subscription_that_a_plan_brings_is_resolved_from_then_on() -> None:
    """Its operator gets the updates of its channel, and from the rest nothing more would be done."""
    state = cluster(group("by-hand"), plan("by-hand", steps=(of_subscription("by-hand"),)))
    simulation = simulate(state, CONTENT, approve=True)
    (subscription_object,) = simulation.state.all(SubscriptionObject, "by-hand")
    assert (subscription_object.installed_csv, len(simulation.steps), simulation.left) == ("e.v2.0.0", 2, ())
    assert simulate(simulation.state, CONTENT, approve=True).steps == ()


def test_an_operator_of_its_plan_may_be_made_to_fail() -> None:
    state = cluster(group("by-hand"), plan("by-hand"))
    simulation = simulate(state, CONTENT, approve=True, failing=["by-hand/e.v1.0.0"])
    assert [trouble.kind for trouble in simulation.left] == ["operatorNotWorking"]


def test_extensions_hide_no_operator_and_no_plan() -> None:
    """A dump says the same about its operators, whether or not OLM v1 has an extension in it as well."""
    state = cluster(group("by-hand"), failing("by-hand"), plan("by-hand"))
    alone, beside = olmsolve.simulate(situation([dict(object_.raw) for object_ in state])), extension(beside=state)
    both = olmsolve.simulate(beside)
    assert [str(trouble) for trouble in both.left] == [str(trouble) for trouble in alone.left]
    assert not both.is_settled
    assert both.extensions is not None
    assert olmsolve.simulate(beside.only(extension="e")).is_settled


def test_a_namespace_that_is_chosen_is_alone_even_if_it_is_the_only_one_with_subscriptions() -> None:
    state = cluster(group("ns"), subscription("ns", "e"), group("by-hand"), failing("by-hand"), plan("by-hand"))
    whole = situation([dict(object_.raw) for object_ in state])
    assert [trouble.kind for trouble in olmsolve.simulate(whole).left] == ["planWaits", "operatorNotWorking"]
    assert olmsolve.simulate(whole.only(namespace="ns")).left == ()
    assert len(olmsolve.simulate(whole.asking(whole.questions)).left) == 2


def test_operators_that_block_the_cluster_count_unless_something_else_is_chosen() -> None:
    """Of all namespaces; but of none where one is chosen, or an extension."""
    state = cluster(group("ns"), subscription("ns", "e"), group("by-hand"), blocking("by-hand"))
    whole = situation([dict(object_.raw) for object_ in state])
    beside = extension(beside=cluster(group("by-hand"), blocking("by-hand")))
    for question, blocked in (
        (whole, True),
        (whole.only(namespace="ns"), False),
        (beside, True),
        (beside.only(extension="e"), False),
    ):
        assert olmsolve.lifecycle.situation_update(question, "4.18.3").is_blocked is blocked
