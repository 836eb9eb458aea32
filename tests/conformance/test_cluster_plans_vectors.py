"""Recorded install plans: order, approval, creation, phases, and whole passes over a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from olmsolve.cluster.install_plans import (
    PlannedSteps,
    Refused,
    install_plan_manifest,
    new_install_plan,
    ordered,
    plan_approval,
    sync_namespace,
    transition,
)
from olmsolve.cluster.objects import (
    BundleLookup,
    Condition,
    InstallPlan,
    Metadata,
    OperatorGroup,
    Step,
    Subscription,
)
from tests.recorded_rules import rule_records


def _steps(given: list[Mapping[str, Any]]) -> tuple[Step, ...]:
    return tuple(
        Step(
            resolving=item.get("resolving", ""),
            kind=item["kind"],
            name=item["name"],
            source=item.get("catalogSource", ""),
        )
        for item in given
    )


def test_steps_are_ordered_as_recorded() -> None:
    """ClusterServiceVersions, CRDs, the rest; the rest has no order upstream, so it is compared as a set."""
    for record in rule_records("order_steps"):
        found = ordered(_steps(record["in"]))
        first = sum(step.kind in ("ClusterServiceVersion", "CustomResourceDefinition") for step in found)
        names = [step.name for step in found]
        assert names[:first] == record["out"][:first], record["id"]
        assert sorted(names[first:]) == sorted(record["out"][first:]), record["id"]


def test_one_manual_subscription_makes_the_plan_manual() -> None:
    """Approval of a plan from the approvals of all subscriptions of the namespace."""
    for record in rule_records("install_plan_approval"):
        assert plan_approval(item["approval"] for item in record["in"]) == record["out"], record["id"]


def _subscription(given: Mapping[str, Any]) -> Subscription:
    return Subscription(
        metadata=Metadata(name=given["name"], namespace="ns"),
        package=given["name"],
        approval=given["approval"],
        current_csv=given.get("currentCSV", ""),
        installed_csv=given.get("installedCSV", ""),
        state=given.get("state", ""),
        install_plan="install-old" if given.get("hasInstallPlanRef") else "",
        install_plan_generation=given.get("installPlanGeneration", 0),
        conditions=tuple(
            Condition(item["type"], item["status"], item["reason"], item["message"])
            for item in given.get("conditions", ())
        ),
    )


def _summary(plan: InstallPlan) -> dict[str, Any]:
    """What the recordings show of a plan."""
    written = install_plan_manifest(plan)
    spec = written["spec"]
    return {
        "catalogSources": list(plan.catalog_sources),
        "owners": len(written["metadata"].get("ownerReferences", ())),
        "phase": plan.phase,
        # As recorded, a generation of 0 is not written.
        "spec": {key: value for key, value in spec.items() if key != "generation" or value},
    }


def test_plans_are_created_as_recorded() -> None:
    """Names, approval, phase, owners and generation of a new plan."""
    for record in rule_records("install_plan_create"):
        given, out = record["in"], record["out"]["installPlan"]
        lookups = tuple(BundleLookup("", "") for _ in range(given["bundleLookups"]))
        subscriptions = [_subscription(item) for item in given["subscriptions"]]
        planned = PlannedSteps(_steps(given["steps"]), lookups)
        plan = new_install_plan("ns", planned, subscriptions, given["generation"])
        assert plan.approval == given["approval"], record["id"]
        expected = {key: out[key] for key in ("catalogSources", "owners", "phase", "spec")}
        assert _summary(plan) == expected, record["id"]
        assert len(plan.steps) == out["planLength"], record["id"]
        assert len(plan.bundle_lookups) == out["bundleLookups"], record["id"]
        assert install_plan_manifest(plan)["metadata"]["generateName"] == out["generateName"], record["id"]


def test_plans_go_on_as_recorded() -> None:
    """Every phase with every outcome of an attempt."""
    for record in rule_records("install_plan_transition"):
        given, out = record["in"], record["out"]
        plan = InstallPlan(
            metadata=Metadata(name="install-a", namespace="ns"),
            approved=given["approved"],
            phase=given["phase"],
            message=given["message"],
            start_time="before" if "elapsedSeconds" in given else "",
            steps=tuple(Step("x", "ConfigMap", "x", status=status) for status in given["stepStatuses"]),
        )
        after = transition(
            plan,
            now="now",
            error=given["executeError"] or "",
            elapsed=given.get("elapsedSeconds"),
            timeout=given["timeoutSeconds"],
        )
        assert (after.phase, after.message) == (out["phase"], out["message"]), record["id"]
        assert bool(after.start_time) == out["startTimeSet"], record["id"]
        conditions = [
            {"type": item.type, "status": item.status, "reason": item.reason, "message": item.message}
            for item in after.conditions
        ]
        assert conditions == out["conditions"], record["id"]


_ERROR = "error using catalogsource ns/src: failed to list bundles: unavailable"


def _scripted(given: Mapping[str, Any], subscriptions: tuple[Subscription, ...]) -> PlannedSteps | Refused:
    """What the scripted resolver of a recording answers."""
    script = given["resolver"]
    if script == "unsat":
        return Refused("constraints not satisfiable: something", unsatisfiable=True)
    if script == "error":
        return Refused(_ERROR)
    updated = tuple(
        attrs.evolve(item, current_csv=f"{item.name}-csv.v9")
        for item in subscriptions
        if item.name in given["resolverUpdated"]
    )
    steps = (
        Step("x.v9", "ClusterServiceVersion", "x.v9", source="src"),
        Step("x.v9", "ServiceAccount", "sa", source="src"),
    )
    return PlannedSteps(steps if script == "steps" else (), (), updated)


def _written(subscription: Subscription) -> dict[str, Any]:
    return {
        "approval": subscription.approval,
        "conditions": [
            {"message": item.message, "reason": item.reason, "status": item.status, "type": item.type}
            for item in subscription.conditions
        ],
        "currentCSV": subscription.current_csv,
        "hasInstallPlanRef": bool(subscription.install_plan),
        "installPlanGeneration": subscription.install_plan_generation,
        "installedCSV": subscription.installed_csv,
        "name": subscription.name,
        "state": subscription.state,
    }


def test_a_pass_over_a_namespace_writes_what_is_recorded() -> None:
    """Whether it resolves, what subscriptions say afterwards, and the plan that comes of it."""
    for record in rule_records("namespace_sync"):
        given, out = record["in"], record["out"]
        subscriptions = tuple(map(_subscription, given["subscriptions"]))
        plans = [
            InstallPlan(
                metadata=Metadata(name=item["name"], namespace="ns"),
                spec_generation=item["generation"],
                phase=item["phase"],
            )
            for item in given["installPlans"]
        ]
        groups = [
            OperatorGroup(metadata=Metadata(name=f"og{n}", namespace="ns"), upgrade_strategy=given["upgradeStrategy"])
            for n in range(given["operatorGroups"])
        ]
        done = sync_namespace(
            "ns",
            subscriptions,
            plans,
            given["existingCSVs"],
            groups,
            lambda given=given, subscriptions=subscriptions: _scripted(given, subscriptions),  # type: ignore[misc]
        )
        assert (done.error or None) == out["error"], record["id"]
        assert done.resolved == out["resolverCalled"], record["id"]
        assert [_written(item) for item in done.subscriptions] == out["subscriptions"], record["id"]
        found = [] if done.plan is None else [_summary(done.plan) | {"steps": len(done.plan.steps)}]
        assert found == out["newInstallPlans"], record["id"]
