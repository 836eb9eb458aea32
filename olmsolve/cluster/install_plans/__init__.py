"""Install plans: from selected bundles to steps, approval and progress. No function changes its arguments.

Read in this order: ``steps`` (what a resolution creates), ``plans`` (the plan that holds the steps, and its phases),
``namespace_sync`` (one pass of OLM over a namespace, which writes the plan), ``manifests`` (the objects to print).
"""

from olmsolve.cluster.install_plans.manifests import install_plan_manifest, subscription_manifest
from olmsolve.cluster.install_plans.namespace_sync import RESOLUTION_FAILED, NamespaceSync, Refused, sync_namespace
from olmsolve.cluster.install_plans.plans import (
    following_generation,
    new_install_plan,
    plan_approval,
    transition,
)
from olmsolve.cluster.install_plans.steps import NewOperator, PlannedSteps, ordered, planned_steps

__all__ = [
    "RESOLUTION_FAILED",
    "NamespaceSync",
    "NewOperator",
    "PlannedSteps",
    "Refused",
    "following_generation",
    "install_plan_manifest",
    "new_install_plan",
    "ordered",
    "plan_approval",
    "planned_steps",
    "subscription_manifest",
    "sync_namespace",
    "transition",
]
