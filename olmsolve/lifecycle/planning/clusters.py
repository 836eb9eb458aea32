"""Plans for the namespaces of a whole cluster: its objects, and what its catalogs contain."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from olmsolve.cluster import ClusterState, NamespaceObjects, refuse_shared_operators
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.cluster.install_plans import NamespaceSync
from olmsolve.eligibility import Eligibility
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.namespaces import Content, plan_namespace
from olmsolve.requests import Contents, visible_sources


def plan_cluster_namespace(
    state: ClusterState,
    contents: Contents,
    namespace: str,
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    content: Content = new_operator,
    eligibility: Iterable[Eligibility] = (),
) -> NamespaceSync:
    """Return what OLM would write for *namespace* of the cluster *state*, up to and with its next resolution.

    OLM notes in one pass what has happened, and resolves in the next: passes are repeated until one resolves, or
    none changes anything. A catalog whose content is a :class:`CatalogError` keeps OLM from resolving. Bundles that
    *eligibility* refuses are not selected.

    Raises:
        ManifestError: a catalog that the namespace sees has no content, or two subscriptions have one operator.
        RequestError: objects contradict each other.
    """
    objects = NamespaceObjects.of(state, namespace)
    refuse_shared_operators(objects.subscriptions)
    sources = visible_sources(state, contents, objects, global_namespace)
    constraints = tuple(eligibility)
    while True:
        sync = plan_namespace(
            objects, sources, global_namespace=global_namespace, content=content, eligibility=constraints
        )
        if sync.resolved or sync.error or sync.subscriptions == objects.subscriptions:
            return sync
        objects = attrs.evolve(objects, subscriptions=sync.subscriptions)
