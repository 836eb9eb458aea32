"""Plans for the namespaces of a cluster: what OLM would write, from the cluster's objects and its catalogs.

Reading order: ``clusters`` (a namespace of a cluster, pass by pass), ``namespaces`` (one pass: request, resolution,
steps), ``contents`` (the manifests of what was selected), ``constraint_words`` (the words in which the shipped
controller refuses); ``situations`` plans for everything, extensions too, and ``explaining`` says why some of it has no
plan.
"""

from olmsolve.lifecycle.planning.clusters import NamespacePlan, plan_cluster_namespace
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.explaining import explained_failures
from olmsolve.lifecycle.planning.namespaces import (
    Content,
    RequestOutcome,
    in_one_line,
    plan_namespace,
    plan_request,
    resolve_steps,
)
from olmsolve.lifecycle.planning.situations import SituationPlan, plan

__all__ = [
    "Content",
    "NamespacePlan",
    "RequestOutcome",
    "SituationPlan",
    "explained_failures",
    "in_one_line",
    "new_operator",
    "plan",
    "plan_cluster_namespace",
    "plan_namespace",
    "plan_request",
    "resolve_steps",
]
