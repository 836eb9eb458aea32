"""Plans for the namespaces of a cluster: what OLM would write, from the cluster's objects and its catalogs.

Reading order: ``clusters`` (a namespace of a cluster, pass by pass; deprecated functions), ``namespaces`` (one pass:
request, resolution, steps with their manifests, or the words in which the shipped controller refuses; ``contents`` has
what a bundle holds), ``hindrances`` (what OLM does not install, or fails), ``foresight`` (what the next step does to
operators); ``situation_plans`` plans for everything, extensions too, and explains what has no plan.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.planning.clusters import NamespacePlan as NamespacePlan
    from olmsolve.lifecycle.planning.clusters import answer_hindrances as answer_hindrances
    from olmsolve.lifecycle.planning.clusters import namespace_plan as namespace_plan
    from olmsolve.lifecycle.planning.clusters import plan_cluster_namespace as plan_cluster_namespace
    from olmsolve.lifecycle.planning.clusters import plan_namespace as plan_namespace
    from olmsolve.lifecycle.planning.clusters import resolve_steps as resolve_steps
    from olmsolve.lifecycle.planning.contents import new_operator as new_operator
    from olmsolve.lifecycle.planning.foresight import BundleWillNotWork as BundleWillNotWork
    from olmsolve.lifecycle.planning.foresight import OperatorWillStop as OperatorWillStop
    from olmsolve.lifecycle.planning.foresight import PlanWillFail as PlanWillFail
    from olmsolve.lifecycle.planning.hindrances import BundleForHouseRule as BundleForHouseRule
    from olmsolve.lifecycle.planning.hindrances import BundleMayNotAct as BundleMayNotAct
    from olmsolve.lifecycle.planning.hindrances import BundlesNotUnpacked as BundlesNotUnpacked
    from olmsolve.lifecycle.planning.hindrances import FailureNotReported as FailureNotReported
    from olmsolve.lifecycle.planning.hindrances import Foreseen as Foreseen
    from olmsolve.lifecycle.planning.hindrances import PlanForbidden as PlanForbidden
    from olmsolve.lifecycle.planning.hindrances import comes_to_nothing as comes_to_nothing
    from olmsolve.lifecycle.planning.hindrances import unmet_requirements as unmet_requirements
    from olmsolve.lifecycle.planning.namespaces import Content as Content
    from olmsolve.lifecycle.planning.namespaces import RequestOutcome as RequestOutcome
    from olmsolve.lifecycle.planning.namespaces import in_one_line as in_one_line
    from olmsolve.lifecycle.planning.namespaces import plan_request as plan_request
    from olmsolve.lifecycle.planning.namespaces import resolved_steps as resolved_steps
    from olmsolve.lifecycle.planning.namespaces import synced as synced
    from olmsolve.lifecycle.planning.namespaces import unsatisfiable_words as unsatisfiable_words
    from olmsolve.lifecycle.planning.situation_plans import SituationPlan as SituationPlan
    from olmsolve.lifecycle.planning.situation_plans import explained_failures as explained_failures
    from olmsolve.lifecycle.planning.situation_plans import plan as plan
else:
    __getattr__, __dir__ = lazily(__name__)
