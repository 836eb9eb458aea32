"""What the objects of a cluster say that holds a namespace back: each cause is a value with one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve.catalog.fbc import blobs, from_blobs
from olmsolve.cluster import (
    CatalogNotReady,
    ClusterState,
    GroupWithoutTargets,
    Hindrance,
    NamespaceUnresolvable,
    OperatorGivesWay,
    OperatorMayNotAct,
    OperatorNotUpgradeable,
    OperatorNotWorking,
    OrphanOperator,
    PlanFailed,
    PlanWaits,
    SubscriptionDeprecated,
    catalogs_not_serving,
    completed,
    held_in_cluster,
)
from tests.simulation.small_clusters import Version, catalog, cluster, group, installed, operator, subscription

OLM = "operators.coreos.com/v1alpha1"
ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")


def hindrances_in(state: ClusterState, **options: Any) -> list[Hindrance]:
    return list(held_in_cluster(state, "ns", **options))


def plan(name: str, phase: str, generation: int, *operators: str, message: str = "") -> dict[str, Any]:
    return {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": list(operators), "generation": generation},
        "status": {"phase": phase, "message": message},
    }


def condition(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": name, "namespace": "ns"},
        **fields,
    }


def source(name: str, namespace: str, **status: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": OLM, "kind": "CatalogSource", "metadata": metadata, "status": status}


def test_nothing_holds_back_a_namespace_in_order() -> None:
    """A working operator, its subscription, and a plan that was carried out."""
    state = cluster(group("ns"), installed("ns", "e", ONE), plan("install-1", "Complete", 1, "e.v1.0.0"))
    assert hindrances_in(state) == []


def test_plans_wait_or_have_failed() -> None:
    """Only the newest plans count, and older ones that a subscription still waits for."""
    old = [plan("install-1", "RequiresApproval", 1, "x.v1"), plan("install-2", "Failed", 2, "y.v1", message="denied")]
    state = cluster(group("ns"), installed("ns", "e", ONE), old, plan("install-3", "RequiresApproval", 3, "e.v2.0.0"))
    assert hindrances_in(state) == [PlanWaits("ns", "install-3", ("e.v2.0.0",))]
    waiting = subscription("ns", "y")
    waiting["status"] = {"currentCSV": "y.v1", "installPlanRef": {"name": "install-2"}}
    awaited = cluster(group("ns"), waiting, old, plan("install-3", "Complete", 3))
    assert hindrances_in(awaited) == [PlanFailed("ns", "install-2", ("y.v1",), "denied")]
    assert str(hindrances_in(awaited)[0]) == "install plan ns/install-2 failed: denied"


def test_a_failed_plan_whose_operators_are_there_holds_nothing_back() -> None:
    """Somebody has helped."""
    assert (
        hindrances_in(cluster(group("ns"), installed("ns", "e", ONE), plan("install-1", "Failed", 1, "e.v1.0.0"))) == []
    )


def test_operators_that_do_not_work_are_named_with_their_reason() -> None:
    """Copies show operators of other namespaces, and an operator without a phase is not judged."""
    broken = operator("ns", "e", ONE, phase="Failed", reason="InstallCheckFailed", message="timeout")
    unknown = operator("ns", "u", Version("1.0.0"), phase="")
    copied = operator("ns", "c", Version("1.0.0"), phase="Failed", reason="Copied")
    state = cluster(group("ns"), [subscription("ns", name, has="1.0.0") for name in "eu"], broken, unknown, copied)
    assert hindrances_in(state) == [OperatorNotWorking("ns", "e.v1.0.0", "Failed", "InstallCheckFailed", "timeout")]
    assert str(hindrances_in(state)[0]) == "operator ns/e.v1.0.0 is Failed (InstallCheckFailed: timeout)"


@pytest.mark.parametrize("part", ["spec", "status"])
def test_an_operator_that_must_not_be_replaced_names_the_one_that_waits(part: str) -> None:
    """Upgradeable stands in the spec or in the status of its condition."""
    refusing = condition("e.v1.0.0", **{part: {"conditions": [{"type": "Upgradeable", "status": "False"}]}})
    newer = operator("ns", "e", TWO, phase="Pending")
    newer["spec"]["replaces"] = "e.v1.0.0"
    state = cluster(group("ns"), installed("ns", "e", ONE), refusing)
    reason = "the operator is not upgradeable: "
    assert hindrances_in(state) == [OperatorNotUpgradeable("ns", "e.v1.0.0", reason)]
    waiting = hindrances_in(cluster(group("ns"), installed("ns", "e", ONE), refusing, newer))
    assert OperatorNotUpgradeable("ns", "e.v1.0.0", reason, "e.v2.0.0") in waiting


def test_catalogs_that_are_not_ready_are_named_where_they_are_seen() -> None:
    """A state that a dump leaves out is no cause, and a catalog of another namespace is not seen."""
    failing = source("bad", "olm", connectionState={"lastObservedState": "TRANSIENT_FAILURE"})
    invalid = source("worse", "ns", reason="SpecInvalidError", message="no image")
    ready = source("good", "olm", connectionState={"lastObservedState": "READY"})
    elsewhere = source("other", "elsewhere", connectionState={"lastObservedState": "CONNECTING"})
    state = cluster(group("ns"), installed("ns", "e", ONE), failing, invalid, ready, elsewhere)
    assert hindrances_in(state) == [
        CatalogNotReady("ns", "ns/worse", "", "SpecInvalidError", "no image"),
        CatalogNotReady("ns", "olm/bad", "TRANSIENT_FAILURE"),
    ]
    assert str(hindrances_in(state)[1]).startswith("the connection to catalog olm/bad is TRANSIENT_FAILURE; ")
    assert hindrances_in(state, global_namespace="elsewhere")[1] == CatalogNotReady(
        "ns", "elsewhere/other", "CONNECTING"
    )


def test_deprecations_are_those_that_olm_has_written_or_would_write() -> None:
    """The conditions of a subscription, and the content of its catalog where that is given."""
    noted = subscription("ns", "e", has="1.0.0")
    noted["status"]["conditions"] = [{"type": "BundleDeprecated", "status": "True", "message": "leaks"}]
    state = cluster(group("ns"), noted, operator("ns", "e", ONE))
    assert hindrances_in(state) == [SubscriptionDeprecated("ns", "e", "BundleDeprecated", "leaks")]
    assert str(hindrances_in(state)[0]) == "the bundle of subscription ns/e is deprecated: leaks"
    entries = [{"reference": {"schema": "olm.package"}, "message": "use f"}]
    content = from_blobs([*blobs(catalog(e=[ONE])), {"schema": "olm.deprecations", "package": "e", "entries": entries}])
    assert hindrances_in(state, contents={"olm/main": content}) == [
        SubscriptionDeprecated("ns", "e", "PackageDeprecated", "olm.package/e: use f")
    ]


def test_an_operator_without_a_subscription_blocks_those_that_want_its_package() -> None:
    """It must stay as it is; an operator that gives way, or that a subscription is about to own, is no orphan."""
    state = cluster(group("ns"), operator("ns", "e", ONE), subscription("ns", "e"))
    assert hindrances_in(state) == [OrphanOperator("ns", "e.v1.0.0", "e", ("e",))]
    assert str(hindrances_in(state)[0]).endswith("; subscription e wants another bundle of its package e")
    stranger = cluster(group("ns"), operator("ns", "e", ONE), subscription("ns", "x"))
    assert hindrances_in(stranger) == [OrphanOperator("ns", "e.v1.0.0", "e")]
    owned = subscription("ns", "e")
    owned["status"] = {"currentCSV": "e.v1.0.0"}
    assert hindrances_in(cluster(group("ns"), operator("ns", "e", ONE), owned)) == []
    assert hindrances_in(cluster(group("ns"), operator("ns", "e", ONE))) == [], "nothing subscribes here"


@pytest.mark.parametrize(
    ("groups", "reason"), [([], "it has no operator group"), (["a", "b"], "it has 2 operator groups (a, b)")]
)
def test_a_namespace_needs_exactly_one_group(groups: list[str], reason: str) -> None:
    """The names say which to delete."""
    group_manifests = [{**group("ns"), "metadata": {"name": name, "namespace": "ns"}} for name in groups]
    (fault,) = hindrances_in(cluster(group_manifests, installed("ns", "e", ONE)))
    assert isinstance(fault, NamespaceUnresolvable)
    assert fault.reason == reason
    assert str(fault).startswith(f"OLM resolves nothing in namespace ns: {reason}; ")


def test_a_group_that_names_all_namespaces_in_its_list_has_no_targets() -> None:
    """OLM refuses the list; where the status has targets from an earlier time, these stay in force."""
    bad = group("ns", targets=[""])
    bad["status"] = {}
    (fault,) = hindrances_in(cluster(bad, installed("ns", "e", ONE)))
    assert isinstance(fault, GroupWithoutTargets)
    assert "TargetNamespaces cannot contain NamespaceAll" in fault.reason
    assert hindrances_in(cluster(group("ns", targets=[""]), installed("ns", "e", ONE))) == []


def test_a_working_operator_that_its_group_does_not_let_act() -> None:
    """OLM has not looked since the group changed: its next pass fails the operator, and with it every update."""
    working = operator("ns", "etcd", ONE)
    working["spec"]["installModes"] = [{"type": "AllNamespaces", "supported": True}]
    wish = subscription("ns", "etcd", has="1.0.0")
    (fault,) = hindrances_in(cluster(group("ns"), wish, working))
    assert isinstance(fault, OperatorMayNotAct)
    assert (fault.operator, fault.group, fault.reason) == ("etcd.v1.0.0", "og", "UnsupportedOperatorGroup")
    assert "OwnNamespace InstallModeType not supported" in fault.message
    # In its own words where it has failed already, and in silence where its modes are not in the dump.
    failed = operator("ns", "etcd", ONE, phase="Failed", reason="UnsupportedOperatorGroup")
    failed["spec"]["installModes"] = working["spec"]["installModes"]
    assert [type(hindrance) for hindrance in hindrances_in(cluster(group("ns"), wish, failed))] == [OperatorNotWorking]
    del working["spec"]["installModes"]
    assert hindrances_in(completed(cluster(group("ns"), wish, working))) == []


@pytest.mark.parametrize("phase", ["Replacing", "Deleting"])
def test_an_operator_that_gives_way(phase: str) -> None:
    """Between two passes of OLM: nobody has to remove the old operator, although it still counts as installed."""
    old, new = operator("ns", "etcd", ONE, phase=phase), operator("ns", "etcd", TWO)
    new["spec"]["replaces"] = "etcd.v1.0.0"
    wish = subscription("ns", "etcd", has="2.0.0")
    (fault,) = hindrances_in(cluster(group("ns"), wish, old, new))
    assert isinstance(fault, OperatorGivesWay)
    assert (fault.operator, fault.phase, fault.replacement) == ("etcd.v1.0.0", phase, "etcd.v2.0.0")
    # Where the new operator does not work yet, both are told.
    new["status"]["phase"] = "Installing"
    assert [type(hindrance) for hindrance in hindrances_in(cluster(group("ns"), wish, old, new))] == [
        OperatorNotWorking
    ] * 2


def test_an_operator_whose_api_another_group_provides_may_not_act() -> None:
    """The groups of other namespaces decide as well, by their targets and annotations."""
    other = group("lab", targets=["ns"])
    other["metadata"]["annotations"] = {"olm.providedAPIs": "E.v1.example.com"}
    owner = operator("lab", "etcd", ONE)
    (fault,) = hindrances_in(cluster(group("ns"), other, owner, installed("ns", "etcd", ONE)))
    assert isinstance(fault, OperatorMayNotAct)
    assert fault.reason == "InterOperatorGroupOwnerConflict"
    # OLM takes the API of an operator that is gone out of the annotation.
    assert hindrances_in(cluster(group("ns"), other, installed("ns", "etcd", ONE))) == []


def test_a_cluster_catalog_that_does_not_serve_is_named_unless_that_is_wanted() -> None:
    """The condition Serving of OLM v1; an unavailable catalog does not serve on purpose."""
    conditions = [{"type": "Serving", "status": "False", "reason": "Pulling", "message": "no such image"}]
    states = {"broken": ("Available", conditions), "off": ("Unavailable", conditions), "new": ("Available", [])}
    state = cluster(
        {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": {"name": name},
            "spec": {"availabilityMode": mode},
            "status": {"conditions": conditions},
        }
        for name, (mode, conditions) in states.items()
    )
    (hindrance,) = catalogs_not_serving(state)
    assert str(hindrance) == "ClusterCatalog broken is not serving its content (Pulling: no such image)"


def test_every_cause_is_data_as_well() -> None:
    """With its kind, its fields and its sentence."""
    (orphan,) = hindrances_in(cluster(group("ns"), operator("ns", "e", ONE), subscription("ns", "e")))
    assert orphan.to_dict() == {
        "kind": "orphanOperator",
        "namespace": "ns",
        "operator": "e.v1.0.0",
        "package": "e",
        "blocked": ["e"],
        "text": str(orphan),
    }
    # By name: attrs makes each class twice, and drops the first.
    kinds = {cause.__name__: cause.kind for cause in Hindrance.__subclasses__()}
    assert len(set(kinds.values())) == len(kinds)
