"""Install plans: from selected bundles to steps, approval and progress. No function changes its arguments.

Read in this order: ``steps`` (what a resolution creates), ``namespace_sync`` (one pass of OLM over a namespace, which
writes the plan that holds the steps, and the plan's phases), ``manifests`` (the objects to print), ``refused_steps``
(what OLM does not install, and what the account of an operator group may not do).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.install_plans.manifests import install_plan_manifest as install_plan_manifest
    from olmsolve.cluster.install_plans.manifests import subscription_manifest as subscription_manifest
    from olmsolve.cluster.install_plans.namespace_sync import RESOLUTION_FAILED as RESOLUTION_FAILED
    from olmsolve.cluster.install_plans.namespace_sync import UNPACK_FAILED as UNPACK_FAILED
    from olmsolve.cluster.install_plans.namespace_sync import NamespaceSync as NamespaceSync
    from olmsolve.cluster.install_plans.namespace_sync import Refused as Refused
    from olmsolve.cluster.install_plans.namespace_sync import following_generation as following_generation
    from olmsolve.cluster.install_plans.namespace_sync import is_unpack_failed as is_unpack_failed
    from olmsolve.cluster.install_plans.namespace_sync import new_install_plan as new_install_plan
    from olmsolve.cluster.install_plans.namespace_sync import noted_subscriptions as noted_subscriptions
    from olmsolve.cluster.install_plans.namespace_sync import old_plans as old_plans
    from olmsolve.cluster.install_plans.namespace_sync import plan_approval as plan_approval
    from olmsolve.cluster.install_plans.namespace_sync import sync_namespace as sync_namespace
    from olmsolve.cluster.install_plans.namespace_sync import transition as transition
    from olmsolve.cluster.install_plans.namespace_sync import without_lost_plans as without_lost_plans
    from olmsolve.cluster.install_plans.refused_steps import ACCOUNT as ACCOUNT
    from olmsolve.cluster.install_plans.refused_steps import GRANTING as GRANTING
    from olmsolve.cluster.install_plans.refused_steps import INVALID_PLAN as INVALID_PLAN
    from olmsolve.cluster.install_plans.refused_steps import STEP_DONE as STEP_DONE
    from olmsolve.cluster.install_plans.refused_steps import forbidden_steps as forbidden_steps
    from olmsolve.cluster.install_plans.refused_steps import is_installable as is_installable
    from olmsolve.cluster.install_plans.refused_steps import needs_definition as needs_definition
    from olmsolve.cluster.install_plans.refused_steps import plan_account as plan_account
    from olmsolve.cluster.install_plans.refused_steps import plan_rights as plan_rights
    from olmsolve.cluster.install_plans.refused_steps import removed_in as removed_in
    from olmsolve.cluster.install_plans.refused_steps import step_refusal as step_refusal
    from olmsolve.cluster.install_plans.steps import NewOperator as NewOperator
    from olmsolve.cluster.install_plans.steps import PlannedSteps as PlannedSteps
    from olmsolve.cluster.install_plans.steps import ordered as ordered
    from olmsolve.cluster.install_plans.steps import planned_steps as planned_steps
else:
    __getattr__, __dir__ = lazily(__name__)
