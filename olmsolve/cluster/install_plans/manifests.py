"""The manifests of install plans and subscriptions: what a cluster holds after OLM has written them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from olmsolve._records import Record, field, record
from olmsolve.cluster.objects import (
    OLM_API_VERSION,
    BundleLookup,
    Condition,
    InstallPlan,
    OwnerReference,
    Step,
    SubscriptionObject,
)

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
        "conditions": [condition.to_dict() for condition in subscription.conditions],
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


_OF_KUBERNETES: Final = {"additionalProperties": None}
"""The schema of an object whose fields are Kubernetes' own."""


@record(definition="subscriptionObject")
class SubscriptionManifest(Record):
    """A Subscription with the status that OLM would write.

    The shape of what :func:`subscription_manifest` returns. None is made: what a dump has may be nested to any depth,
    and is written as it was read.
    """

    api_version: str = field("The API that the object is written for.")
    object_kind: str = field(path="kind", schema={"const": SubscriptionObject.KIND, "type": None})
    metadata: Mapping[str, Any] = field("The field as in the dump.", schema=_OF_KUBERNETES)
    spec: Mapping[str, Any] = field("The field as in the dump.", schema=_OF_KUBERNETES)
    status: Mapping[str, Any] = field("The status as in the dump, with OLM's changes.", schema=_OF_KUBERNETES)


@record
class PlanStatusManifest(Record):
    """The status of an install plan."""

    phase: str = field("The phase of the plan.", empty="absent")
    message: str = field("Why it is still in this phase.", empty="absent")
    start_time: str = field("When it was first carried out.", empty="absent")
    catalog_sources: tuple[str, ...] = field(
        "The catalogs that its bundles come from.", empty="absent", schema={"minItems": None}
    )
    conditions: tuple[Condition, ...] = field("Its conditions.", empty="absent", schema={"minItems": None})
    bundle_lookups: tuple[BundleLookup, ...] = field(
        "The bundles to unpack.", empty="absent", schema={"minItems": None}
    )
    plan: tuple[Step, ...] = field("The objects to create.", empty="absent", schema={"minItems": None})


@record(
    definition="installPlan",
    groups={
        "metadata": "Its name, or generateName where the cluster names it.",
        "spec": "The operators to install, and their approval.",
    },
)
class InstallPlanManifest(Record):
    """An InstallPlan as OLM would write it."""

    api_version: str = field(schema={"const": OLM_API_VERSION, "type": None})
    object_kind: str = field(path="kind", schema={"const": InstallPlan.KIND, "type": None})
    name: str = field("The name of the plan; absent where the cluster makes one.", path="metadata.name", empty="absent")
    generate_name: str = field(
        "The beginning of the name that the cluster makes.", path="metadata.generateName", empty="absent"
    )
    namespace: str = field("The namespace of the plan.", path="metadata.namespace")
    owner_references: tuple[OwnerReference, ...] = field(
        "The subscriptions that the plan serves.",
        path="metadata.ownerReferences",
        empty="absent",
        schema={"minItems": None},
    )
    csv_names: tuple[str, ...] = field("The operators that it installs.", path="spec.clusterServiceVersionNames")
    approval: str = field("Automatic, Manual or empty.", path="spec.approval")
    approved: bool = field("Whether it is approved.", path="spec.approved")
    generation: int = field("Its number among the plans of the namespace.", path="spec.generation")
    status: PlanStatusManifest = field("The status of the plan.")


def install_plan_manifest(plan: InstallPlan) -> dict[str, Any]:
    """Return *plan* as a cluster would hold it, fields in their usual order; empty fields are left out.

    A plan without a name has ``generateName: install-``: the cluster names it.
    """
    status = PlanStatusManifest(
        plan.phase,
        plan.message,
        plan.start_time,
        plan.catalog_sources,
        plan.conditions,
        plan.bundle_lookups,
        plan.steps,
    )
    return InstallPlanManifest(
        OLM_API_VERSION,
        InstallPlan.KIND,
        plan.name,
        "" if plan.name else _GENERATE_NAME,
        plan.namespace,
        plan.metadata.owner_references,
        plan.csv_names,
        plan.approval,
        plan.approved,
        plan.spec_generation,
        status,
    ).to_dict()
