"""Plans for the namespaces of a whole cluster: its objects, and what its catalogs contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import attrs

from olmsolve.catalog import Catalog, Source, UnreadableSource
from olmsolve.cluster import ClusterState, refuse_shared_operators
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.cluster.install_plans import NamespaceSync
from olmsolve.cluster.objects import CatalogSource
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.namespaces import Content, NamespaceObjects, plan_namespace

__all__ = ["Contents", "plan_cluster_namespace"]

Contents: TypeAlias = Mapping[str, Catalog | CatalogError]
"""What catalogs contain, by ``namespace/name``, or why that cannot be read."""


def plan_cluster_namespace(
    state: ClusterState,
    contents: Contents,
    namespace: str,
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    content: Content = new_operator,
    eligibility: Iterable[Eligibility] = (),
) -> NamespaceSync:
    """What OLM would write for *namespace* of the cluster *state*, up to and with its next resolution.

    OLM notes in one pass what has happened, and resolves in the next: passes are repeated until one resolves, or
    none changes anything. A catalog whose content is a :class:`CatalogError` keeps OLM from resolving. What
    *eligibility* refuses is not selected.

    Raises:
        ManifestError: a catalog that the namespace sees has no content, or two subscriptions have one operator.
        RequestError: objects contradict each other.
    """
    objects = NamespaceObjects.of(state, namespace)
    refuse_shared_operators(objects.subscriptions)
    sources = _sources(state, contents, tuple(dict.fromkeys((namespace, global_namespace))))
    constraints = tuple(eligibility)
    while True:
        done = plan_namespace(
            objects, sources, global_namespace=global_namespace, content=content, eligibility=constraints
        )
        if done.resolved or done.error or done.subscriptions == objects.subscriptions:
            return done
        objects = attrs.evolve(objects, subscriptions=done.subscriptions)


def _sources(state: ClusterState, contents: Contents, namespaces: Sequence[str]) -> list[Source | UnreadableSource]:
    found: list[Source | UnreadableSource] = []
    for namespace in namespaces:
        for catalog in state.all(CatalogSource, namespace):
            given = contents.get(catalog.key)
            if given is None:
                raise ManifestError(
                    f"its content was not given (--catalog {catalog.key}=PATH)",
                    source=str(catalog.origin or ""),
                    kind=catalog.KIND,
                    object=catalog.key,
                )
            if isinstance(given, CatalogError):
                found.append(UnreadableSource(catalog.name, namespace, catalog.priority, str(given)))
            else:
                found.append(Source(catalog.name, namespace, catalog.priority, given))
    return found
