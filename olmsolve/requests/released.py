"""Functions of 0.2.0 that took their settings one by one: each warns, and asks a cluster with one policy instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from olmsolve._arguments import warn_deprecated
from olmsolve.catalog import Source, UnreadableSource
from olmsolve.classic import HealthPolicy, Request
from olmsolve.cluster import ClusterState, NamespaceObjects
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.requests.cluster import ClusterSituation
from olmsolve.requests.contents import Contents
from olmsolve.requests.policy import Policy


def cluster_of_settings(state: ClusterState, contents: Contents, settings: Mapping[str, Any]) -> ClusterSituation:
    """Return the cluster of *state* and *contents* under these *settings*, which are fields of a policy."""
    return ClusterSituation(state, contents, Policy(**{"global_namespace": DEFAULT_GLOBAL_NAMESPACE, **settings}))


def of_cluster(state: ClusterState, contents: Contents, namespace: str, **settings: Any) -> Request:
    """Return the request of *namespace*. Deprecated: the question of a situation has its request."""
    warn_deprecated("of_cluster", "the question of olmsolve.Situation.of_cluster(state, contents, policy)")
    return cluster_of_settings(state, contents, settings).written_request(namespace)


def namespace_request(
    objects: NamespaceObjects, sources: Iterable[Source | UnreadableSource], **settings: Any
) -> Request:
    """Return the request of the *objects* of a namespace. Deprecated, as :func:`of_cluster` is."""
    warn_deprecated("namespace_request", "the question of olmsolve.Situation.of_cluster(state, contents, policy)")
    return cluster_of_settings(ClusterState(), {}, settings).request_of(objects, sources)


def visible_sources(
    state: ClusterState,
    contents: Contents,
    objects: NamespaceObjects,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    health_policy: HealthPolicy = HealthPolicy.STRICT,
) -> list[Source | UnreadableSource]:
    """Return the catalogs that a namespace sees. Deprecated: a request has its sources."""
    warn_deprecated("visible_sources", "ClusterSituation(state, contents, policy).visible_sources(objects)")
    settings = {"global_namespace": global_namespace, "health_policy": health_policy}
    return cluster_of_settings(state, contents, settings).visible_sources(objects)


def refuse_missing_contents(
    state: ClusterState, contents: Contents, objects: NamespaceObjects, global_namespace: str = DEFAULT_GLOBAL_NAMESPACE
) -> None:
    """Raise a ManifestError for a visible catalog without content. Deprecated: a request raises it."""
    warn_deprecated(
        "refuse_missing_contents", "ClusterSituation(state, contents, policy).refuse_missing_contents(objects)"
    )
    cluster_of_settings(state, contents, {"global_namespace": global_namespace}).refuse_missing_contents(objects)
