"""Requests that a cluster's objects make: one for each namespace, and one for each extension of OLM v1.

Subscriptions, installed operators, priorities and visible catalogs come from the objects, by the rules of
:mod:`olmsolve.cluster`. The content of a catalog, which its object only refers to, has to be given. What is missing
is an error that says so; nothing is guessed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from olmsolve.catalog import Catalog, Source, UnreadableSource
from olmsolve.classic import HealthPolicy, Installed, Request, Subscription
from olmsolve.cluster import ClusterState, ProjectionError, csv_snapshot, objects, refuse_shared_operators
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE, visible_namespaces
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion, OperatorGroup
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, ManifestError, RequestError
from olmsolve.requests.fields import Fields

if TYPE_CHECKING:
    from olmsolve import v1

__all__ = ["Contents", "extensions_of_cluster", "namespaces_with_subscriptions", "of_cluster", "only_namespace"]

Contents: TypeAlias = Mapping[str, Catalog | CatalogError]
"""What catalogs contain, by ``namespace/name`` (by name alone for OLM v1), or why that cannot be read."""

_NO_CONTENT: Final = "its content was not given"


def of_cluster(
    state: ClusterState,
    contents: Contents,
    namespace: str,
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    health_policy: HealthPolicy = HealthPolicy.STRICT,
    eligibility: Iterable[Eligibility] = (),
) -> Request:
    """The request that *namespace* makes: its subscriptions over the catalogs that it sees, and what is installed.

    A namespace sees its own catalogs and those of *global_namespace*, unless its operator group hides these. A visible
    catalog of which *contents* holds a :class:`CatalogError` is unreadable, and *health_policy* says what is
    resolved then; so is one that *contents* leaves out, but under the strict policy that is an error at once.

    Raises:
        RequestError: the namespace has not exactly one operator group, a catalog has no content, a content has no
            catalog, or subscriptions and operators contradict each other; :class:`ManifestError` where one object
            is at fault.
    """
    groups = state.all(OperatorGroup, namespace)
    if len(groups) != 1:
        raise RequestError(
            f"expected 1 OperatorGroup in the namespace, found {len(groups)}",
            field=f"namespace {namespace}",
            hint="OLM resolves nothing in such a namespace; give all of its objects",
        )
    _refuse_unknown(contents, state)
    namespaces = visible_namespaces(namespace, groups, global_namespace)
    wishes = state.all(objects.Subscription, namespace)
    refuse_shared_operators(wishes)
    sources, unreadable = _sources(state, contents, namespaces, health_policy)
    return Request(
        namespaces=namespaces,
        sources=sources,
        subscriptions=map(_subscription, wishes),
        installed=_installed(state, namespace, wishes, groups[0]),
        name=namespace,
        unreadable=unreadable,
        health_policy=health_policy,
        eligibility=eligibility,
    )


def namespaces_with_subscriptions(state: ClusterState) -> tuple[str, ...]:
    """The namespaces in which OLM has something to resolve, by name."""
    return tuple(dict.fromkeys(subscription.namespace for subscription in state.all(objects.Subscription)))


def only_namespace(state: ClusterState) -> str:
    """The one namespace with subscriptions.

    Raises:
        RequestError: there are several, or none.
    """
    found = namespaces_with_subscriptions(state)
    if len(found) == 1:
        return found[0]
    what = f"subscriptions are in {len(found)} namespaces: {', '.join(found[:10])}" if found else "no subscriptions"
    raise RequestError(what, field="namespace", hint="choose one" if found else "nothing is asked of classic OLM")


def extensions_of_cluster(state: ClusterState, contents: Contents) -> tuple[v1.Request, ...]:
    """The requests of all ClusterExtensions, by name; each sees all ClusterCatalogs.

    Raises:
        RequestError: an extension that is not from a catalog, or a catalog that is available but has no content.
        CatalogError: the content of a catalog cannot be read.
    """
    extensions = state.all(objects.ClusterExtension)
    if not extensions:
        return ()
    from olmsolve.requests.extension import FILE_ANNOTATION, manifests_request

    catalogs = []
    for catalog in state.all(objects.ClusterCatalog):
        available = catalog.availability_mode != "Unavailable"
        if available and catalog.name not in contents:
            raise _without_content(catalog, catalog.name)
        annotations = {**catalog.metadata.annotations, FILE_ANNOTATION: catalog.name}
        raw = {**catalog.raw, "metadata": {**catalog.raw.get("metadata", {}), "annotations": annotations}}
        catalogs.append(Fields(raw, source=f"{catalog.origin or 'manifests'}: {catalog}"))

    def content(path: Path) -> Catalog:
        found = contents[path.name]
        if isinstance(found, CatalogError):
            raise found
        return found

    return tuple(
        manifests_request(
            [Fields(item.raw, source=f"{item.origin or 'manifests'}: {item}"), *catalogs], Path(), content
        )
        for item in extensions
    )


def _subscription(given: objects.Subscription) -> Subscription:
    return Subscription(
        name=given.name,
        namespace=given.namespace,
        package=given.package,
        channel=given.channel,
        source=given.source,
        source_namespace=given.source_namespace,
        starting_csv=given.starting_csv,
        installed_csv=given.installed_csv,
    )


def _installed(
    state: ClusterState, namespace: str, wishes: tuple[objects.Subscription, ...], group: OperatorGroup
) -> list[Installed]:
    csvs = state.all(ClusterServiceVersion, namespace)
    try:
        return [
            Installed(
                name=entry.name,
                version=entry.version,
                properties=entry.published,
                subscription=entry.subscription,
            )
            for entry in csv_snapshot(csvs, wishes, [group])
        ]
    except ProjectionError as error:
        raise ManifestError(
            error.reason,
            source=error.source,
            kind=ClusterServiceVersion.KIND,
            object=error.object,
            field=error.field,
            hint="OLM resolves nothing in a namespace with such an operator",
        ) from None


def _sources(
    state: ClusterState, contents: Contents, namespaces: tuple[str, ...], policy: HealthPolicy
) -> tuple[list[Source], list[UnreadableSource]]:
    sources, unreadable = [], []
    for namespace in namespaces:
        for catalog in state.all(CatalogSource, namespace):
            content = contents.get(catalog.key)
            if content is None and policy is HealthPolicy.STRICT:
                raise _without_content(catalog, catalog.key)
            if isinstance(content, Catalog):
                sources.append(Source(catalog.name, namespace, catalog.priority, content))
            else:
                reason = _NO_CONTENT if content is None else str(content)
                unreadable.append(UnreadableSource(catalog.name, namespace, catalog.priority, reason))
    return sources, unreadable


def _without_content(catalog: CatalogSource | objects.ClusterCatalog, key: str) -> ManifestError:
    image = f" of its image {catalog.image}" if catalog.image else ""
    return ManifestError(
        f"is visible, and its content was not given (--catalog {key}=PATH, the file-based catalog{image})",
        source=str(catalog.origin or ""),
        kind=catalog.KIND,
        object=catalog.key,
    )


def _refuse_unknown(contents: Contents, state: ClusterState) -> None:
    known = {catalog.key for catalog in state.all(CatalogSource)}
    known.update(catalog.name for catalog in state.all(objects.ClusterCatalog))
    for key in contents:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            hint = f"did you mean {near[0]}?" if near else f"the cluster has: {', '.join(sorted(known)[:10]) or 'none'}"
            raise RequestError("no catalog of the cluster has this name", field=f"catalog {key}", hint=hint)
