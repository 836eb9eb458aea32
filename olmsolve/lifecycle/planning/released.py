"""Functions of 0.2.0 that took their settings one by one: each warns, and asks a cluster with one policy instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from olmsolve._deprecated import warn
from olmsolve.catalog import Source, UnreadableSource
from olmsolve.cluster import ClusterState, NamespaceObjects
from olmsolve.cluster.install_plans import NamespaceSync, PlannedSteps, Refused, sync_namespace
from olmsolve.lifecycle.planning.clusters import NamespacePlan, namespace_plan
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.namespaces import resolved_steps
from olmsolve.requests import Contents, cluster_of_settings
from olmsolve.solver.backends import DEFAULT

_INSTEAD = "olmsolve.plan(olmsolve.Situation.of_cluster(state, contents, policy))"


def plan_cluster_namespace(state: ClusterState, contents: Contents, namespace: str, **settings: Any) -> NamespacePlan:
    """Return what OLM would write for *namespace*. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn("plan_cluster_namespace", _INSTEAD)
    backend, content = settings.pop("backend", DEFAULT), settings.pop("content", new_operator)
    settings.pop("groups", None)
    return namespace_plan(cluster_of_settings(state, contents, settings), namespace, backend=backend, content=content)


def plan_namespace(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], **settings: Any
) -> NamespaceSync:
    """Return what OLM would write in one pass. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn("plan_namespace", _INSTEAD)
    return sync_namespace(
        objects.namespace,
        objects.subscriptions,
        objects.plans,
        objects.csv_names,
        objects.groups,
        lambda: _steps(objects, sources, settings),
    )


def resolve_steps(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], **settings: Any
) -> PlannedSteps | Refused:
    """Return the steps of one resolution. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn("resolve_steps", _INSTEAD)
    return _steps(objects, sources, settings)


def _steps(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], settings: dict[str, Any]
) -> PlannedSteps | Refused:
    given = dict(settings)
    backend, content = given.pop("backend", DEFAULT), given.pop("content", new_operator)
    cluster = cluster_of_settings(ClusterState(), {}, given)
    return resolved_steps(cluster, objects, sources, backend=backend, content=content)
