"""The manifests of install plans and subscriptions: what a cluster holds after OLM has written them."""

from __future__ import annotations

from typing import Any, Final

from olmsolve.cluster.objects import OLM_API_VERSION, BundleLookup, Condition, InstallPlan, Step, SubscriptionObject

_GENERATE_NAME: Final = "install-"


def subscription_manifest(subscription: SubscriptionObject) -> dict[str, Any]:
    """Return *subscription* as a cluster would hold it: the manifest as read, with the status of the fields."""
    spec: dict[str, Any] = {
        "source": subscription.source,
        "sourceNamespace": subscription.source_namespace,
        "name": subscription.package,
        "channel": subscription.channel,
        "startingCSV": subscription.starting_csv,
        "installPlanApproval": subscription.approval,
    }
    reference = {
        "apiVersion": OLM_API_VERSION,
        "kind": InstallPlan.KIND,
        "namespace": subscription.namespace,
        "name": subscription.install_plan,
    }
    before = subscription.raw.get("status") or {}
    # The reference as read may hold more fields (uid, resourceVersion); they stay while it names the same plan.
    same_plan = (before.get("installPlanRef") or {}).get("name") == subscription.install_plan
    status: dict[str, Any] = {
        "installedCSV": subscription.installed_csv,
        "currentCSV": subscription.current_csv,
        "state": subscription.state,
        "installPlanRef": before["installPlanRef"] if same_plan else reference if subscription.install_plan else "",
        "installPlanGeneration": subscription.install_plan_generation,
        "conditions": [_condition(condition) for condition in subscription.conditions],
    }
    # OLM's older reference, which lies beside the new one, names the same plan.
    if not same_plan and "installplan" in before:
        status["installplan"] = {name: value for name, value in reference.items() if name != "namespace"}
    # Parts of the status without a field in SubscriptionObject stay as read.
    unchanged = {name: value for name, value in before.items() if name not in status}
    return {
        "apiVersion": subscription.raw.get("apiVersion", OLM_API_VERSION),
        "kind": SubscriptionObject.KIND,
        "metadata": subscription.raw.get("metadata", {"name": subscription.name, "namespace": subscription.namespace}),
        "spec": subscription.raw.get("spec", {name: value for name, value in spec.items() if value}),
        "status": unchanged | {name: value for name, value in status.items() if value not in ("", [], 0)},
    }


def install_plan_manifest(plan: InstallPlan) -> dict[str, Any]:
    """Return *plan* as a cluster would hold it, fields in their usual order; empty fields are left out.

    A plan without a name has ``generateName: install-``: the cluster names it.
    """
    metadata: dict[str, Any] = {"name": plan.name} if plan.name else {"generateName": _GENERATE_NAME}
    metadata["namespace"] = plan.namespace
    owners = [owner.to_dict() for owner in plan.metadata.owner_references]
    status: dict[str, Any] = {
        "phase": plan.phase,
        "message": plan.message,
        "startTime": plan.start_time,
        "catalogSources": list(plan.catalog_sources),
        "conditions": [_condition(condition) for condition in plan.conditions],
        "bundleLookups": [_lookup(lookup) for lookup in plan.bundle_lookups],
        "plan": [_step(step) for step in plan.steps],
    }
    return {
        "apiVersion": OLM_API_VERSION,
        "kind": InstallPlan.KIND,
        "metadata": metadata | ({"ownerReferences": owners} if owners else {}),
        "spec": {
            "clusterServiceVersionNames": list(plan.csv_names),
            "approval": plan.approval,
            "approved": plan.approved,
            "generation": plan.spec_generation,
        },
        "status": {name: value for name, value in status.items() if value not in ("", [])},
    }


def _condition(condition: Condition) -> dict[str, str]:
    written = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": condition.last_transition_time,
    }
    return {name: value for name, value in written.items() if value}


def _lookup(lookup: BundleLookup) -> dict[str, Any]:
    written = {
        "path": lookup.path,
        "identifier": lookup.identifier,
        "replaces": lookup.replaces,
        "catalogSourceRef": {"namespace": lookup.source_namespace, "name": lookup.source},
        "conditions": [_condition(condition) for condition in lookup.conditions],
    }
    return written | ({"properties": lookup.properties} if lookup.properties else {})


def _step(step: Step) -> dict[str, Any]:
    return {
        "resolving": step.resolving,
        "resource": {
            "sourceName": step.source,
            "sourceNamespace": step.source_namespace,
            "group": step.group,
            "version": step.version,
            "kind": step.kind,
            "name": step.name,
            "manifest": step.manifest,
        },
        "status": step.status,
    }
