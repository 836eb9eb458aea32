"""Plans that fail after some of their steps, and operators whose requirements the cluster does not meet."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from olmsolve import Policy, evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import OperatorNotWorking, PlanFailed, PlanRefused, held_in_cluster
from olmsolve.cluster.objects import ClusterServiceVersion, CustomResourceDefinition, InstallPlan, SubscriptionObject
from olmsolve.lifecycle.planning import namespace_plan
from olmsolve.lifecycle.simulation import NamespaceUnresolved
from olmsolve.lifecycle.simulation.model import refusal
from olmsolve.render import simulation_text
from tests.simulation.small_clusters import (
    OLM,
    Version,
    catalog,
    cluster,
    cluster_situation,
    group,
    installed,
    operator,
    properties,
    simulate,
    subscription,
)
from tests.simulation.test_simulated_scenarios import confirmed, names

Snapshot = Callable[[str, str], None]
ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")


def _crd(name: str, kind: str, versions: list[str], *, stored: list[str]) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "plural": name.partition(".")[0]},
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": not n} for n, version in enumerate(versions)],
        },
        "status": {"storedVersions": stored},
    }


def test_a_plan_that_would_lose_stored_objects_is_half_carried_out(snapshot: Snapshot) -> None:
    """Objects are stored in a version that the update no longer has.

    The step of the definition fails; the new operator's own step was carried out before. It waits for its definition,
    the old one gives way to it, and nothing can be resolved with both.
    """
    old, new = Version("1.0.0", ("E.v1alpha1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
    definition = _crd("es.example.com", "E", ["v1alpha1"], stored=["v1alpha1"])
    state = cluster(group("ns"), installed("ns", "e", old), definition)
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[old, new])}, verify=True))
    assert [(csv.name, csv.phase, csv.reason) for csv in simulation.state.all(ClusterServiceVersion)] == [
        ("e.v1.0.0", "Replacing", "BeingReplaced"),
        ("e.v2.0.0", "Pending", "RequirementsNotMet"),
    ]
    (wish,) = simulation.state.all(SubscriptionObject)
    assert (wish.installed_csv, refusal(wish) != "") == ("e.v2.0.0", True)
    assert [type(trouble) for trouble in simulation.left] == [
        NamespaceUnresolved,
        PlanFailed,
        OperatorNotWorking,
        OperatorNotWorking,
    ]
    assert not simulation.is_settled
    snapshot("simulations/stored-version.txt", simulation_text(simulation))


def _definitions_are_dumped() -> dict[str, Any]:
    """One of OLM's own definitions: whoever dumps that one dumps them all."""
    crd = _crd("subscriptions.operators.coreos.com", "Subscription", ["v1alpha1"], stored=["v1alpha1"])
    spec: dict[str, Any] = crd["spec"]
    return {**crd, "spec": {**spec, "group": "operators.coreos.com"}}


def test_an_operator_whose_definition_is_gone_stops_working() -> None:
    """OLM looks for the definition again and again, and takes the operator to be ready once it is back."""
    state = cluster(group("ns"), installed("ns", "e", ONE), _definitions_are_dumped())
    contents = {"olm/main": catalog(e=[ONE])}
    simulation = confirmed(simulate(state, contents, verify=True))
    (change,) = simulation.steps[0].operators
    assert change.phases == ("Succeeded", "Failed", "Pending")
    (trouble,) = simulation.left
    assert "RequirementsNotMet" in str(trouble)
    assert "CustomResourceDefinition es.example.com is NotPresent" in str(trouble)
    (definition,) = cluster(_crd("es.example.com", "E", ["v1"], stored=[])).all(CustomResourceDefinition)
    healed = confirmed(simulate(simulation.state.having(definition), contents, verify=True))
    assert healed.is_settled
    assert healed.steps[0].operators[0].phases == ("Pending", "InstallReady", "Succeeded")


def test_without_definitions_in_the_dump_none_is_missing() -> None:
    """A dump without OLM's own definitions was shortened, and says nothing of the others."""
    state = cluster(group("ns"), installed("ns", "e", ONE))
    assert confirmed(simulate(state, {"olm/main": catalog(e=[ONE])}, verify=True)).is_settled


def test_what_olm_found_unmet_and_objects_do_not_show_stays_unmet() -> None:
    """Rights of a service account are in no dump; OLM has written that they are missing."""
    there = operator("ns", "e", ONE, phase="Pending", reason="RequirementsNotMet", message="...")
    there["status"]["requirementStatus"] = [
        {"kind": "ClusterServiceVersion", "name": "e.v1.0.0", "status": "NotPresent", "message": "no minimum"},
        {"kind": "ServiceAccount", "name": "e", "status": "PresentNotSatisfied", "message": "may not list pods"},
    ]
    state = cluster(group("ns"), subscription("ns", "e", has="1.0.0"), there)
    (trouble,) = confirmed(simulate(state, {"olm/main": catalog(e=[ONE])}, verify=True)).left
    assert str(trouble).endswith("ServiceAccount e is PresentNotSatisfied (may not list pods))")


@pytest.mark.parametrize(("version", "phase"), [("1.20.0", "Pending"), ("v1.25.3-eks-1", "Succeeded")])
def test_an_operator_waits_for_the_kubernetes_that_it_needs(version: str, phase: str) -> None:
    """A plan can bring an operator that the cluster is too old for."""
    there = operator("ns", "e", ONE, phase="Pending", reason="RequirementsUnknown")
    there["spec"]["minKubeVersion"] = "1.25.0"
    state = cluster(group("ns"), subscription("ns", "e", has="1.0.0"), there)
    simulation = simulate(state, {"olm/main": catalog(e=[ONE])}, policy=Policy(kubernetes=version))
    assert [csv.phase for csv in simulation.state.all(ClusterServiceVersion)] == [phase]


@pytest.mark.parametrize(
    ("kind", "group_", "dumped", "why"),
    [
        ("Thing", "nowhere.example.com", False, "contains invalid data"),
        ("ServiceMonitor", "monitoring.coreos.com", True, "is not on the cluster"),
        ("ServiceMonitor", "monitoring.coreos.com", False, ""),
    ],
)
def test_a_step_that_olm_cannot_carry_out_fails_the_plan_and_not_the_operator(
    kind: str, group_: str, dumped: bool, why: str
) -> None:
    """As recorded: the operator's own step comes first, so that it is there and works; later steps never come."""
    manifest = {key: value for key, value in operator("ns", "e", ONE).items() if key != "status"}
    steps: list[dict[str, Any]] = [
        {"kind": "ClusterServiceVersion", "name": "e.v1.0.0", "group": "operators.coreos.com", "version": "v1alpha1"},
        {"kind": kind, "name": "t", "group": group_, "version": "v1"},
    ]
    manifests = [manifest, {"apiVersion": f"{group_}/v1", "kind": kind, "metadata": {"name": "t"}}]
    plan = {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": "install-a", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v1.0.0"], "approval": "Automatic", "approved": True},
        "status": {
            "phase": "Installing",
            "plan": [
                {"resolving": "e.v1.0.0", "status": "Unknown", "resource": {**step, "manifest": json.dumps(given)}}
                for step, given in zip(steps, manifests, strict=True)
            ],
        },
    }
    definition = _crd("es.example.com", "E", ["v1"], stored=[])
    dump = cluster(group("ns"), plan, definition, [_definitions_are_dumped()] if dumped else [])
    simulation = simulate(dump, {"olm/main": catalog(e=[ONE])})
    assert [csv.phase for csv in simulation.state.all(ClusterServiceVersion)] == ["Succeeded"]
    assert [type(trouble) for trouble in simulation.left] == ([PlanFailed] if why else [])
    assert all(why in str(trouble) for trouble in simulation.left)
    (install_plan,) = simulation.state.all(InstallPlan)
    assert [step.status for step in install_plan.steps] == ["Created", "Unknown" if why else "Created"]


@pytest.mark.parametrize(
    ("version", "kind", "kubernetes", "why"),
    [
        (
            "policy/v1beta1",
            "PodDisruptionBudget",
            "1.25.0",
            "Kubernetes 1.25 and later do not serve policy/v1beta1 PodDisruptionBudget",
        ),
        ("policy/v1beta1", "PodDisruptionBudget", "1.24.17", ""),
        ("policy/v1", "PodDisruptionBudget", "1.33.0", ""),
        # As recorded: OLM creates roles by the version of the API that it knows itself.
        ("rbac.authorization.k8s.io/v1beta1", "ClusterRole", "1.33.0", ""),
    ],
)
def test_a_step_of_an_api_that_is_gone_fails_the_plan_and_not_the_operator(
    version: str, kind: str, kubernetes: str, why: str
) -> None:
    """As recorded: OLM finds no such resource, but the operator's own step is done, and the operator works."""
    group_, _, number = version.partition("/")
    manifest = {key: value for key, value in operator("ns", "e", ONE).items() if key != "status"}
    other = {"apiVersion": version, "kind": kind, "metadata": {"name": "t"}}
    resources = [
        {"kind": "ClusterServiceVersion", "name": "e.v1.0.0", "group": "operators.coreos.com", "version": "v1alpha1"},
        {"kind": kind, "name": "t", "group": group_, "version": number},
    ]
    steps = [
        {"resolving": "e.v1.0.0", "status": "Unknown", "resource": {**resource, "manifest": json.dumps(given)}}
        for resource, given in zip(resources, [manifest, other], strict=True)
    ]
    plan = {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": "install-a", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v1.0.0"], "approval": "Automatic", "approved": True},
        "status": {"phase": "Installing", "plan": steps},
    }
    dump = cluster(group("ns"), plan, _crd("es.example.com", "E", ["v1"], stored=[]))
    simulation = simulate(dump, {"olm/main": catalog(e=[ONE])}, policy=Policy(kubernetes=kubernetes))
    assert [csv.phase for csv in simulation.state.all(ClusterServiceVersion)] == ["Succeeded"]
    assert [type(trouble) for trouble in simulation.left] == ([PlanFailed] if why else [])
    assert all(why in str(trouble) for trouble in simulation.left)


def _waiting_plan(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": "install-1", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v1.0.0"], "approval": "Automatic", "approved": True, **spec},
        "status": {
            "phase": "Installing",
            "bundleLookups": [
                {
                    "identifier": "e.v1.0.0",
                    "path": "quay.example.com/e:1.0.0",
                    "catalogSourceRef": {"namespace": "olm", "name": "main"},
                }
            ],
        },
    }


def _scoped(reason: str) -> dict[str, Any]:
    """A group whose account OLM has looked for; there are no targets before it is found."""
    group_object = group("ns")
    condition = {"type": "OperatorGroupServiceAccount", "status": "True", "reason": reason}
    return {
        **group_object,
        "spec": {**group_object["spec"], "serviceAccountName": "scoped"},
        "status": {"conditions": [condition]},
    }


def _selecting_nothing() -> dict[str, Any]:
    group_object = group("ns")
    return {**group_object, "spec": {"selector": {"matchLabels": {"team": "nobody"}}}, "status": {}}


ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "scoped", "namespace": "ns"}}
PLACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        (
            [_scoped("ServiceAccountNotFound")],
            "please make sure the service account exists. sa=scoped operatorgroup=ns/og",
        ),
        ([_scoped("ServiceAccountNotFound"), ACCOUNT], ""),
        ([group("ns")], ""),
        ([], "no operator group found that is managing this namespace"),
        ([_selecting_nothing(), PLACE], "no operator group found that is managing this namespace"),
    ],
)
def test_a_plan_is_carried_out_with_the_account_of_one_group_or_not_at_all(
    objects: list[dict[str, Any]], reason: str
) -> None:
    """As recorded: OLM does not know with whose rights, and asks for ever."""
    state = cluster(objects, _waiting_plan())
    simulation = simulate(state, {"olm/main": catalog(e=[ONE])})
    assert bool(names(simulation.state)) is (reason == "")
    refused = [trouble for trouble in simulation.left if isinstance(trouble, PlanRefused)]
    assert [refusal.reason for refusal in refused] == ([reason] if reason else [])
    # What OLM has written, or the group itself, comes before it.
    kinds = [hindrance.kind for hindrance in held_in_cluster(state, "ns")]
    assert len(kinds) == 1 if reason else "planRefused" not in kinds
    assert set(kinds) <= {"planRefused", "groupAccountMissing", "groupWithoutTargets"} if reason else {"planUnderWay"}


def test_a_waiting_plan_that_somebody_deletes_is_written_anew() -> None:
    """As recorded: OLM forgets what the plan would have brought, and numbers the next plan on."""
    state = cluster(group("ns"), subscription("ns", "e", approval="Manual"))
    contents = {"olm/main": catalog(e=[ONE])}
    first = simulate(state, contents).state
    (plan,) = first.all(InstallPlan)
    assert namespace_plan(cluster_situation(first, contents), "ns").plan is None
    second_plan = namespace_plan(cluster_situation(first.without(plan), contents), "ns").plan
    assert second_plan is not None
    assert (second_plan.spec_generation, second_plan.csv_names) == (2, plan.csv_names)
    (anew,) = simulate(first.without(plan), contents).state.all(InstallPlan)
    assert (anew.spec_generation, anew.phase) == (2, "RequiresApproval")


def test_an_update_whose_plan_somebody_deletes_is_planned_from_what_is_installed() -> None:
    """The installed operator keeps its subscription, though that has forgotten its current one."""
    state = cluster(group("ns"), installed("ns", "e", ONE, approval="Manual"))
    contents = {"olm/main": catalog(e=[ONE, TWO])}
    first = simulate(state, contents).state
    (plan,) = first.all(InstallPlan)
    anew = simulate(first.without(plan), contents, approve=True)
    assert names(anew.state) == ["e.v2.0.0"]
    assert anew.is_settled


def _deleted(manifest: dict[str, Any]) -> dict[str, Any]:
    return {**manifest, "metadata": {**manifest["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}


def test_an_operator_that_is_being_deleted_goes_and_makes_room() -> None:
    """A finalizer holds it for a moment: its API and its name are free after that, as recorded."""
    other = Version("1.0.0", ("E.v1",))
    state = cluster(group("ns"), _deleted(operator("ns", "e", ONE)), subscription("ns", "f"))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[ONE], f=[other])}, verify=True))
    assert names(simulation.state) == ["f.v1.0.0"]
    gone = simulation.steps[0].operators[0]
    assert (gone.name, gone.phases, gone.reason) == ("e.v1.0.0", ("Succeeded", "gone"), "its deletion was requested")
    assert simulation.is_settled


@pytest.mark.parametrize("by", ["phase", "timestamp"])
def test_with_a_namespace_that_terminates_everything_in_it_goes(by: str) -> None:
    """Nothing can be made there any more, so that no plan is written for it; the others go on."""
    place: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
    place = {**place, "status": {"phase": "Terminating"}} if by == "phase" else _deleted(place)
    state = cluster(place, group("ns"), installed("ns", "e", ONE), group("fine"), installed("fine", "e", ONE))
    simulation = confirmed(simulate(state, {"olm/main": catalog(e=[ONE, TWO])}, verify=True))
    assert (names(simulation.state), names(simulation.state, "fine")) == ([], ["e.v2.0.0"])
    assert simulation.is_settled


def test_five_plans_are_kept() -> None:
    """OLM deletes the plans of the oldest generations, whatever became of them."""
    chain = [Version(f"1.{n}.0", ("E.v1",), replaces=f"1.{n - 1}.0" if n else "") for n in range(8)]
    state = cluster(group("ns"), installed("ns", "e", chain[0]))
    simulation = simulate(state, {"olm/main": catalog(e=chain)})
    assert [plan.spec_generation for plan in simulation.state.all(InstallPlan)] == [3, 4, 5, 6, 7]
    plans = [*simulation.state.all(InstallPlan)]
    older = [evolve(plan, metadata=evolve(plan.metadata, name=f"old-{plan.name}")) for plan in plans]
    second = simulate(simulation.state.having(*older), {"olm/main": catalog(e=chain)})
    assert (second.steps, len(second.state.all(InstallPlan))) == ((), 5)


def _deprecating(*names_: str) -> Catalog:
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "e", "defaultChannel": "stable"},
        {
            "schema": "olm.channel",
            "package": "e",
            "name": "stable",
            "entries": [{"name": "e.v1.0.0"}, {"name": "e.v2.0.0", "replaces": "e.v1.0.0"}],
        },
        *(
            {
                "schema": "olm.bundle",
                "package": "e",
                "name": f"e.v{version.number}",
                "properties": properties("e", version),
            }
            for version in (ONE, TWO)
        ),
        {
            "schema": "olm.deprecations",
            "package": "e",
            "entries": [
                {"reference": {"schema": "olm.bundle", "name": name}, "message": "use another"} for name in names_
            ],
        },
    ]
    return from_blobs(blobs)


@pytest.mark.parametrize("approve", [False, True])
def test_deprecations_follow_the_installed_bundle(approve: bool) -> None:
    """OLM writes them for what is installed, and takes them away with the update to a bundle that is fine."""
    state = cluster(group("ns"), installed("ns", "e", ONE, approval="Manual"))
    simulation = simulate(state, {"olm/main": _deprecating("e.v1.0.0")}, approve=approve)
    (wish,) = simulation.state.all(SubscriptionObject)
    written = {condition.type for condition in wish.conditions if condition.status == "True"}
    assert written == (set() if approve else {"Deprecated", "BundleDeprecated"})
