"""Every round judges operators, groups and plans again: what a changed cluster no longer allows fails, and recovers."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.cluster import ClusterState, GroupWithoutTargets, OperatorMissing, OperatorNotWorking, PlanFailed
from olmsolve.cluster.objects import ClusterServiceVersion, InstallMode, Metadata, OperatorGroup
from olmsolve.errors import RequestError
from olmsolve.lifecycle.simulation import Ending, Simulation
from olmsolve.render import simulation_text
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

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
CONTENT = {"olm/main": catalog(e=[ONE])}
UPDATE = {"olm/main": catalog(e=[ONE, TWO])}
SETTLED = "olm.providedAPIs"


def csv(state: ClusterState, name: str = "e.v1.0.0", namespace: str = "ns") -> ClusterServiceVersion:
    operator = state.get(ClusterServiceVersion, namespace, name)
    assert operator is not None
    return operator


def group_object(*targets: str, status: tuple[str, ...] = ("ns",), name: str = "og") -> OperatorGroup:
    return OperatorGroup(metadata=Metadata(name, "ns"), target_namespaces=targets, namespaces=status)


def own_namespace_only(state: ClusterState) -> ClusterState:
    return state.having(
        *(
            evolve(operator, install_modes=(InstallMode("OwnNamespace", True),))
            for operator in state.all(ClusterServiceVersion)
        )
    )


def test_an_operator_found_deleting_goes() -> None:
    """With nothing newer beside it, the simulation ended in a fault of its own."""
    before = cluster(group("ns"), installed("ns", "e", ONE))
    going = evolve(csv(before), phase="Deleting", reason="ComponentFailed", message="")
    simulation = simulate(before.having(going), CONTENT)
    assert simulation.state.get(ClusterServiceVersion, "ns", "e.v1.0.0") is None
    (change,) = simulation.steps[0].operators
    assert (change.phases, change.reason) == (("Deleting", "gone"), "ComponentFailed")
    assert [type(trouble) for trouble in simulation.left] == [OperatorMissing]


def test_a_group_that_an_operator_does_not_support_makes_it_fail_and_the_old_group_heals_it() -> None:
    """The administrator changed the group's targets; the dump was taken before OLM wrote them into the status."""
    before = own_namespace_only(cluster(group("ns"), installed("ns", "e", ONE)))
    changed = before.having(group_object("ns", "other"))
    simulation = simulate(changed, CONTENT)
    assert (csv(simulation.state).phase, csv(simulation.state).reason) == ("Failed", "UnsupportedOperatorGroup")
    assert [type(trouble) for trouble in simulation.left] == [OperatorNotWorking]
    assert not simulation.is_settled
    assert "operator group og: targets ns > ns, other" in simulation_text(simulation)
    healed = simulate(simulation.state.having(group_object("ns", status=("ns", "other"))), CONTENT)
    assert csv(healed.state).phase == "Succeeded"
    assert healed.is_settled


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ((), "NoOperatorGroup"),
        ((group_object("ns"), group_object("ns", name="second")), "TooManyOperatorGroups"),
    ],
    ids=["none", "two"],
)
def test_operators_fail_where_their_namespace_has_not_one_group(groups: tuple[OperatorGroup, ...], reason: str) -> None:
    """A deleted or a second group stops operators that worked for months; one group lets them work again."""
    state = cluster(installed("ns", "e", ONE)).having(*groups)
    simulation = simulate(state, CONTENT)
    assert (csv(simulation.state).phase, csv(simulation.state).reason) == ("Failed", reason)
    assert not simulation.is_settled
    healed = simulate(simulation.state.without(*groups[1:]).having(group_object("ns")), CONTENT)
    assert csv(healed.state).phase == "Succeeded"
    assert healed.is_settled


def shared(namespace: str, *, annotated: bool) -> dict[str, Any]:
    """A group for both namespaces; its annotation has the API or not."""
    group_object = group(namespace, targets=["ns", "other"])
    group_object["metadata"]["annotations"] = {SETTLED: "E.v1.example.com"} if annotated else {}
    return group_object


def test_an_installed_operator_whose_api_another_group_has_fails_until_that_group_gives_it_up() -> None:
    """Both groups serve both namespaces, so one API has two owners; the group that lists it keeps it."""
    first, second = operator("ns", "e", ONE), operator("other", "e", ONE)
    subscribed = subscription("other", "e", has="1.0.0")
    state = cluster(shared("ns", annotated=True), first, shared("other", annotated=False), second, subscribed)
    simulation = simulate(state, CONTENT)
    refused = csv(simulation.state, namespace="other")
    assert (refused.phase, refused.reason) == ("Failed", "InterOperatorGroupOwnerConflict")
    assert csv(simulation.state).phase == "Succeeded"
    healed = simulate(simulation.state.without(csv(simulation.state)), CONTENT)
    assert csv(healed.state, namespace="other").phase == "Succeeded"
    (change,) = (group for step in healed.steps for group in step.groups if group.namespace == "ns")
    assert (change.before[1], change.after[1]) == ("E.v1.example.com", "")


def test_an_operator_that_failed_for_a_second_owner_recovers_when_that_owner_is_gone() -> None:
    """Two operators of one namespace own a definition: the later one fails while the earlier one is there."""
    owner, rival = operator("ns", "e", ONE), operator("ns", "rival", ONE, phase="Pending")
    state = cluster(group("ns"), owner, rival, subscription("ns", "e", has="1.0.0"))
    simulation = simulate(state, CONTENT)
    assert csv(simulation.state, "rival.v1.0.0").reason == "OwnerConflict"
    alone = simulate(simulation.state.without(csv(simulation.state)), CONTENT, namespaces=["ns"])
    assert csv(alone.state, "rival.v1.0.0").phase == "Succeeded"


def copy_in(namespace: str, version: Version) -> dict[str, Any]:
    csv_object = operator(namespace, "e", version, reason="Copied")
    csv_object["metadata"]["labels"] = {"olm.copiedFrom": "ns"}
    return csv_object


def copies(simulation: Simulation) -> list[tuple[str, str]]:
    return [
        (operator.namespace, operator.name)
        for operator in simulation.state.all(ClusterServiceVersion)
        if operator.is_copied
    ]


def test_copies_follow_their_operator_and_its_group() -> None:
    """The new version is shown where the old one was; a namespace that the group no longer targets shows nothing."""
    serving = group("ns", targets=["ns", "one", "two"])
    state = cluster(serving, installed("ns", "e", ONE), copy_in("one", ONE), copy_in("two", ONE))
    simulation = simulate(state, UPDATE)
    assert copies(simulation) == [("one", "e.v2.0.0"), ("two", "e.v2.0.0")]
    narrowed = simulation.state.having(group_object("ns", "one", status=("ns", "one", "two")))
    assert copies(simulate(narrowed, UPDATE)) == [("one", "e.v2.0.0")]


def test_copies_that_a_dump_lacks_are_no_event() -> None:
    """Some were left out of the dump; OLM has made them long ago, so nothing changes in a first step."""
    state = cluster(group("ns", targets=["ns", "one", "two"]), installed("ns", "e", ONE), copy_in("one", ONE))
    simulation = simulate(state, CONTENT)
    assert simulation.steps == ()
    assert copies(simulation) == [("one", "e.v1.0.0"), ("two", "e.v1.0.0")]


def test_a_cluster_without_copies_gets_none() -> None:
    """Copies can be switched off, and dumps leave them out."""
    state = cluster(group("ns", targets=["ns", "one"]), installed("ns", "e", ONE))
    assert copies(simulate(state, UPDATE)) == []


def plan(name: str, phase: str, generation: int, *operators: str) -> dict[str, Any]:
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {
            "approval": "Automatic",
            "approved": True,
            "generation": generation,
            "clusterServiceVersionNames": list(operators),
        },
        "status": {"phase": phase, "message": "no permission" if phase == "Failed" else ""},
    }


def awaiting(name: str) -> dict[str, Any]:
    """The subscription of version 1, which waits for the plan *name* to bring version 2."""
    wish = subscription("ns", "e", has="1.0.0")
    reference = {"name": name, "namespace": "ns"}
    wish["status"] |= {"currentCSV": "e.v2.0.0", "state": "UpgradePending", "installPlanRef": reference}
    return wish


def test_a_failed_plan_is_left_over() -> None:
    """OLM never tries it again, and while the subscription waits for it nothing is resolved: no rest to be glad of."""
    state = cluster(
        group("ns"), awaiting("install-1"), operator("ns", "e", ONE), plan("install-1", "Failed", 1, "e.v2.0.0")
    )
    simulation = simulate(state, UPDATE)
    assert (simulation.ended, simulation.steps) == (Ending.REST, ())
    assert simulation.left == (PlanFailed("ns", "install-1", ("e.v2.0.0",), "no permission"),)
    assert not simulation.is_settled
    assert simulation.to_dict()["left"] == [
        {
            "kind": "planFailed",
            "namespace": "ns",
            "plan": "install-1",
            "operators": ["e.v2.0.0"],
            "message": "no permission",
            "text": "install plan ns/install-1 failed: no permission",
        }
    ]


def test_a_failed_plan_that_a_later_one_has_overtaken_is_history() -> None:
    """Dumps keep the last five plans of a namespace."""
    old = [plan("install-1", "Failed", 1, "e.v1.0.0"), plan("install-2", "Complete", 2, "e.v1.0.0")]
    assert simulate(cluster(group("ns"), installed("ns", "e", ONE), old), CONTENT).is_settled


def test_a_failed_operator_is_left_over_wherever_it_is() -> None:
    """Unless only some namespaces are asked for: then the others are not looked at."""
    state = cluster(
        group("ns"),
        installed("ns", "e", ONE),
        group("by-hand"),
        operator("by-hand", "x", Version("1.0.0"), phase="Failed"),
    )
    simulation = simulate(state, CONTENT)
    assert [str(trouble) for trouble in simulation.left] == ["operator by-hand/x.v1.0.0 is Failed"]
    assert simulate(state, CONTENT, namespaces=["ns"]).is_settled


def test_a_group_whose_targets_cannot_be_determined_lets_no_operator_begin() -> None:
    """OLM refuses all namespaces as a listed target, goes on installing, and never comes to judge the operator."""
    bad = group("ns", targets=[""])
    bad["status"] = {}
    simulation = simulate(cluster(bad, subscription("ns", "e")), CONTENT)
    assert csv(simulation.state).phase == ""
    assert [type(trouble) for trouble in simulation.left] == [GroupWithoutTargets, OperatorNotWorking]
    assert "TargetNamespaces cannot contain NamespaceAll" in str(simulation.left[0])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ns/e.v2.0.1", r"failing ns/e.v2.0.1: no catalog has a bundle .* \(did you mean ns/e.v2.0.0"),
        ("n/e.v2.0.0", r"nothing is installed in namespace n \(did you mean ns/e.v2.0.0\?\)"),
        ("shop/e.v2.0.0", r"nothing is installed in namespace shop \(simulated are ns\)"),
        ("e.v2.0.0", "is not of the form NAMESPACE/NAME"),
        ("ns/", "is not of the form NAMESPACE/NAME"),
    ],
)
def test_an_operator_that_is_to_fail_must_be_one_that_can_be_installed(name: str, message: str) -> None:
    """A misspelt name would be a simulation in which all goes well."""
    with pytest.raises(RequestError, match=message):
        simulate(cluster(group("ns"), installed("ns", "e", ONE)), UPDATE, failing=[name])


def test_an_operator_in_an_old_plan_may_be_made_to_fail() -> None:
    """Its bundle may have left the catalog since."""
    state = cluster(group("ns"), installed("ns", "e", ONE), plan("install-1", "RequiresApproval", 1, "gone.v1"))
    assert simulate(state, CONTENT, failing=["ns/gone.v1"]).ended is Ending.REST


def test_an_operator_that_reports_in_its_spec_that_it_must_stay_keeps_the_new_one_pending() -> None:
    """The form that the documentation shows: the operator writes spec.conditions."""
    condition = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": "e.v1.0.0", "namespace": "ns", "generation": 2},
        "spec": {"conditions": [{"type": "Upgradeable", "status": "False", "message": "migrating"}]},
    }
    simulation = simulate(cluster(group("ns"), installed("ns", "e", ONE), condition), UPDATE)
    assert csv(simulation.state, "e.v2.0.0").reason == "OperatorConditionNotUpgradeable"


def test_an_api_that_no_operator_owns_leaves_the_annotation_of_its_group() -> None:
    """The step says so, because nothing else changes in it."""
    stale = group("ns")
    stale["metadata"]["annotations"] = {SETTLED: "E.v1.example.com,Gone.v1.example.com"}
    simulation = simulate(cluster(stale, installed("ns", "e", ONE)), CONTENT)
    assert "operator group og: no longer provides Gone.v1.example.com" in simulation_text(simulation)
    assert simulation.is_settled
