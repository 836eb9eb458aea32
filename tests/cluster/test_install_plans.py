"""Install plans: which steps selected bundles become, and when a namespace gets a plan at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.cluster import WrittenProperty
from olmsolve.cluster.install_plans import (
    NewOperator,
    PlannedSteps,
    Refused,
    install_plan_manifest,
    new_install_plan,
    ordered,
    planned_steps,
    subscription_manifest,
    sync_namespace,
    transition,
)
from olmsolve.cluster.objects import InstallPlan, Metadata, OperatorGroup, Step, SubscriptionObject, read_manifest
from olmsolve.errors import ManifestError

CSV: dict[str, Any] = {
    "apiVersion": "operators.coreos.com/v1alpha1",
    "kind": "ClusterServiceVersion",
    "metadata": {"name": "a.v2", "annotations": {"z": "1"}, "labels": {"l": "x"}},
    "spec": {"install": {"strategy": "deployment", "spec": {}}, "replaces": "a.v0", "cleanup": {"enabled": False}},
}
GROUP = OperatorGroup(metadata=Metadata(name="og", namespace="ns"))


def subscription(name: str, package: str = "a", **fields: Any) -> SubscriptionObject:
    return SubscriptionObject(metadata=Metadata(name=name, namespace="ns"), package=package, **fields)


def operator(name: str = "a.v2", package: str = "a", **fields: Any) -> NewOperator:
    return NewOperator(name, package, "stable", "cat", "olm", **fields)


def test_a_csv_is_finished_before_it_is_written() -> None:
    """It gets its namespace, its properties, and the operator that it really replaces, whatever its author wrote."""
    given = operator(objects=(CSV,), replaces="a.v1", properties=(WrittenProperty("p", "1"),))
    (step,) = planned_steps([given], [subscription("s")], [], "ns").steps
    written = json.loads(step.manifest)
    assert list(written["metadata"]) == ["name", "namespace", "labels", "annotations"]
    assert written["metadata"]["namespace"] == "ns"
    assert json.loads(written["metadata"]["annotations"]["operatorframework.io/properties"]) == {
        "properties": [{"type": "p", "value": 1}]
    }
    assert written["metadata"]["annotations"]["z"] == "1"
    assert list(written["spec"]) == ["install", "replaces", "cleanup"]
    assert written["spec"]["replaces"] == "a.v1"
    assert CSV["spec"]["replaces"] == "a.v0", "what was given is not changed"


def test_bundles_nobody_asked_for_bring_a_subscription() -> None:
    """Otherwise nothing would ever update them."""
    planned = planned_steps([operator(image="quay.io/a:2")], [], [], "ns")
    (step,) = planned.steps
    assert (step.kind, step.name) == ("Subscription", "a-stable-cat-olm")
    assert json.loads(step.manifest)["spec"]["startingCSV"] == "a.v2"
    (lookup,) = planned.lookups
    assert (lookup.identifier, lookup.path) == ("a.v2", "quay.io/a:2")


@pytest.mark.parametrize(
    ("wish", "asks"),
    [
        ({}, True),
        ({"channel": "stable"}, True),
        ({"channel": "fast"}, False),
        ({"source": "cat", "source_namespace": "olm"}, True),
        ({"source": "cat", "source_namespace": "ns"}, False),
        ({"package": "b"}, False),
    ],
    ids=["package", "channel", "other channel", "catalog", "other catalog", "other package"],
)
def test_which_subscriptions_ask_for_a_bundle(wish: dict[str, Any], asks: bool) -> None:
    """An empty channel or catalog stands for any."""
    planned = planned_steps([operator(image="i")], [subscription("s", **wish)], [], "ns")
    assert [item.current_csv for item in planned.updated] == (["a.v2"] if asks else [])
    assert len(planned.steps) == (0 if asks else 1)


def test_what_is_there_already_is_passed_over() -> None:
    """A plan that installs what is installed would never end; one whose operator was deleted brings it back."""
    current = subscription("s", current_csv="a.v2")
    assert planned_steps([operator(image="i")], [current], ["a.v2"], "ns") == PlannedSteps()
    gone = planned_steps([operator(image="i")], [current], [], "ns")
    assert (len(gone.lookups), gone.updated) == (1, ())


def test_objects_are_told_by_name_or_by_what_makes_their_name() -> None:
    """Secrets of bundles have a kind of step of their own."""
    objects = (
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-"}},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"},
    )
    steps = planned_steps([operator(objects=objects)], [subscription("s")], [], "ns").steps
    named_steps = [(step.kind, step.name, step.group, step.version) for step in steps]
    assert named_steps == [
        ("BundleSecret", "s", "", "v1"),
        ("ConfigMap", "c-", "", "v1"),
        ("PodDisruptionBudget", "", "policy", "v1"),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        {"kind": 5},
        {},
        CSV | {"metadata": "x"},
        CSV | {"spec": []},
        CSV | {"metadata": {"annotations": "x"}},
        CSV | {"spec": {"install": "x"}},
    ],
    ids=["kind", "nothing", "metadata", "spec", "annotations", "install"],
)
def test_objects_that_are_none_are_one_error(broken: dict[str, Any]) -> None:
    """Catalogs hold whatever their authors put there."""
    with pytest.raises(ManifestError):
        planned_steps([operator(objects=(broken,))], [subscription("s")], [], "ns")


def test_order_is_stable() -> None:
    """Among steps of one kind, and among all others, the order in which they came is kept."""
    kinds = ["X", "CustomResourceDefinition", "ClusterServiceVersion", "Y", "ClusterServiceVersion", "X"]
    steps = [Step("r", kind, str(position)) for position, kind in enumerate(kinds)]
    assert [step.name for step in ordered(steps)] == ["2", "4", "1", "0", "3", "5"]


def test_a_plan_names_bundles_that_are_still_packed() -> None:
    """Who approves a plan must see everything that it brings."""
    planned = planned_steps(
        [operator(image="i"), operator("b.v1", "b", objects=(CSV | {"metadata": {"name": "b.v1"}},))], [], [], "ns"
    )
    plan = new_install_plan("ns", planned, [subscription("s", approval="Manual")], 4)
    written = install_plan_manifest(plan)
    assert written["spec"] == {
        "clusterServiceVersionNames": ["b.v1", "a.v2"],
        "approval": "Manual",
        "approved": False,
        "generation": 4,
    }
    (read,) = read_manifest(written | {"metadata": written["metadata"] | {"name": "install-abcde"}})
    assert isinstance(read, InstallPlan)
    assert (read.steps, read.bundle_lookups, read.phase) == (plan.steps, plan.bundle_lookups, plan.phase)


def test_what_was_read_stays_in_a_subscription_that_is_written() -> None:
    """Labels, config and unknown fields of the status are not olmsolve's to drop."""
    (read,) = read_manifest(
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "s", "namespace": "ns", "labels": {"team": "shop"}},
            "spec": {"name": "a", "config": {"env": []}},
            "status": {"lastUpdated": "now", "currentCSV": "a.v1", "installPlanRef": {"name": "install-x", "uid": "7"}},
        }
    )
    assert isinstance(read, SubscriptionObject)
    assert subscription_manifest(read) == read.raw
    after = subscription_manifest(evolve(read, current_csv="a.v2", install_plan="install-y"))
    assert after["spec"]["config"] == {"env": []}
    assert after["status"]["lastUpdated"] == "now"
    assert after["status"]["currentCSV"] == "a.v2"
    assert after["status"]["installPlanRef"]["name"] == "install-y"


def never() -> PlannedSteps | Refused:
    raise AssertionError("must not resolve")


def test_a_pass_that_notes_something_does_not_resolve() -> None:
    """The next pass sees the noted state and acts on it."""
    sync = sync_namespace("ns", [subscription("s", current_csv="a.v1")], [], ["a.v1"], [GROUP], never)
    (after,) = sync.subscriptions
    assert (after.state, after.installed_csv, sync.resolved) == ("AtLatestKnown", "a.v1", False)
    second = sync_namespace("ns", sync.subscriptions, [], ["a.v1"], [GROUP], PlannedSteps)
    assert (second.resolved, second.plan, second.subscriptions) == (True, None, sync.subscriptions)


def test_nothing_is_resolved_while_all_wait_for_a_plan() -> None:
    """A second equal plan would follow at once; one subscription that does not wait is enough to resolve."""
    waiting = subscription("s", state="UpgradePending", install_plan="install-x", current_csv="a.v2")
    assert not sync_namespace("ns", [waiting], [], [], [GROUP], never).resolved
    both = [waiting, subscription("t")]
    assert sync_namespace("ns", both, [], [], [GROUP], PlannedSteps).resolved


def test_a_namespace_without_subscriptions_is_left_alone() -> None:
    """Not even a missing operator group matters there."""
    assert sync_namespace("ns", [], [], [], [], never).error == ""
    assert sync_namespace("ns", [subscription("s")], [], [], [], never).error == "found 0 operatorGroups, expected 1"


@pytest.mark.parametrize(("unsatisfiable", "error"), [(True, ""), (False, "why")])
def test_what_failed_is_said_by_every_subscription(unsatisfiable: bool, error: str) -> None:
    """Every subscription gets the condition, as recorded; only an error makes OLM repeat the pass at once."""
    two = [subscription("s"), subscription("t", package="b")]
    sync = sync_namespace("ns", two, [], [], [GROUP], lambda: Refused("why", unsatisfiable=unsatisfiable))
    assert [item.conditions[0].message for item in sync.subscriptions] == ["why", "why"]
    assert sync.error == error


def test_a_finished_plan_stays_as_it_is() -> None:
    """Neither approval nor errors bring a plan back."""
    for phase in ("Complete", "Failed", "Planning", ""):
        plan = InstallPlan(metadata=Metadata(name="i", namespace="ns"), phase=phase, approved=True)
        assert transition(plan, now="now", error="boom", elapsed=1e9) == plan


def test_an_error_is_final_only_after_its_time() -> None:
    """An administrator may grant the missing right at any time, so OLM retries for ever."""
    plan = InstallPlan(metadata=Metadata(name="i", namespace="ns"), phase="Installing")
    assert transition(plan, now="1", error="boom", elapsed=59).phase == "Installing"
    failed = transition(plan, now="1", error="boom", elapsed=60)
    assert (failed.phase, failed.message, failed.conditions[0].reason) == ("Failed", "boom", "InstallComponentFailed")
    assert transition(plan, now="1", error='pods "x" is forbidden: no', elapsed=1e9).phase == "Installing"


FORWARD = OperatorGroup(metadata=Metadata(name="og", namespace="ns"), upgrade_strategy="TechPreviewUnsafeFailForward")


@pytest.mark.parametrize(
    ("before", "group", "phase", "present", "state"),
    [
        # The plan failed: only a namespace that fails forward notes it, and only once.
        ({"state": "UpgradePending", "current_csv": "a.v2"}, FORWARD, "Failed", (), "UpgradeFailed"),
        ({"state": "UpgradePending", "current_csv": "a.v2"}, GROUP, "Failed", (), "UpgradePending"),
        ({"state": "UpgradeFailed", "current_csv": "a.v2"}, FORWARD, "Failed", (), "UpgradeFailed"),
        # As recorded: a plan that failed after its first steps has brought the operator, and this counts.
        (
            {"state": "AtLatestKnown", "current_csv": "a.v2", "installed_csv": "a.v2"},
            FORWARD,
            "Failed",
            ("a.v2",),
            "AtLatestKnown",
        ),
        # A failure is over once the operator is there, or once the namespace no longer fails forward.
        ({"state": "UpgradeFailed", "current_csv": "a.v2"}, FORWARD, "Failed", ("a.v2",), "AtLatestKnown"),
        ({"state": "UpgradeFailed", "current_csv": "a.v2"}, FORWARD, "Complete", ("a.v2",), "AtLatestKnown"),
        ({"state": "UpgradeFailed", "current_csv": "a.v2"}, GROUP, "Failed", (), "UpgradePending"),
        # The operator is on its way, or there, or none is wanted yet.
        ({"state": "AtLatestKnown", "current_csv": "a.v2"}, GROUP, "Installing", (), "UpgradePending"),
        ({"state": "UpgradePending", "current_csv": "a.v2"}, GROUP, "Complete", ("a.v2",), "AtLatestKnown"),
        ({"state": ""}, GROUP, "Complete", ("a.v2",), ""),
    ],
)
def test_the_state_of_a_subscription_follows_from_its_plan_and_operator(
    before: dict[str, str], group: OperatorGroup, phase: str, present: tuple[str, ...], state: str
) -> None:
    """The state decides whether the namespace resolves again, so each rule has a case of its own."""
    plan = InstallPlan(metadata=Metadata(name="install-x", namespace="ns"), phase=phase)
    waiting = subscription("s", install_plan="install-x", **before)
    sync = sync_namespace("ns", [waiting], [plan], present, [group], PlannedSteps)
    assert sync.subscriptions[0].state == state
    assert sync.subscriptions[0].installed_csv == ("a.v2" if state == "AtLatestKnown" else "")


def test_an_operator_that_is_noted_already_is_not_noted_again() -> None:
    """A subscription that names an older installed operator beside the latest state stays as it is."""
    latest = subscription("s", state="AtLatestKnown", current_csv="a.v2", installed_csv="a.v1")
    sync = sync_namespace("ns", [latest], [], ["a.v2"], [GROUP], PlannedSteps)
    assert (sync.resolved, sync.subscriptions) == (True, (latest,))
