"""Requests that a cluster's objects make: one for each namespace, and one for each extension of OLM v1.

Subscriptions, installed operators, priorities and visible catalogs come from the objects, by the rules of
:mod:`olmsolve.cluster`. The caller gives the content of each catalog, because a
catalog's object only names it. A missing content is an error; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from olmsolve._near_names import did_you_mean, similar_keys
from olmsolve._reader import for_reader
from olmsolve.catalog import Catalog, Source, UnreadableSource
from olmsolve.classic import HealthPolicy, HiddenCatalogs, HouseRule, Installed, Request, Subscription
from olmsolve.cluster import (
    ClusterState,
    NamespaceObjects,
    ProjectionError,
    csv_snapshot,
    distinct_wishes,
    group_count_fault,
    left_behind,
    namespace_fault,
    shared_operator_fault,
    updates_stalled,
    updates_under_way,
)
from olmsolve.cluster import objects as kinds
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE, EXCLUDE_GLOBAL, visible_namespaces
from olmsolve.cluster.install_plans import noted_subscriptions
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, ManifestError, OlmsolveError, RequestError
from olmsolve.fields import DocumentLocation, Fields, Raw
from olmsolve.requests.contents import Contents

if TYPE_CHECKING:
    from olmsolve import v1

_NO_CONTENT: Final = "its content was not given"


def of_cluster(
    state: ClusterState,
    contents: Contents,
    namespace: str,
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    health_policy: HealthPolicy = HealthPolicy.STRICT,
    eligibility: Iterable[Eligibility] = (),
    house_rules: Iterable[HouseRule] = (),
) -> Request:
    """Return the request that *namespace* makes: its subscriptions over the catalogs that it sees, and its operators.

    A namespace sees its own catalogs and those in *global_namespace*, unless its operator group hides the latter. A
    visible catalog whose content in *contents* is a :class:`CatalogError` is unreadable, and *health_policy* says what
    is resolved then; a catalog that *contents* leaves out is unreadable too, but an error under the strict policy.
    *eligibility* and *house_rules* are those of the request.

    Raises:
        NamespaceError: the namespace has not exactly one operator group, an operator cannot be read, or two
            subscriptions own one operator.
        RequestError: a catalog has no content, a content has no catalog, or objects contradict each other;
            :class:`ManifestError` where one object is at fault.
    """
    objects = NamespaceObjects.of(state, namespace)
    # The dump may be from a moment at which OLM had not noted an operator that is there, as it does before it resolves.
    noted = noted_subscriptions(objects.subscriptions, objects.plans, objects.csv_names, objects.groups)
    objects = attrs.evolve(objects, subscriptions=noted)
    _refuse_unresolvable(objects)
    refuse_unknown_contents(contents, state)
    sources = visible_sources(state, contents, objects, global_namespace, health_policy)
    seen = visible_namespaces(namespace, objects.groups, global_namespace)
    hidden = HiddenCatalogs(
        partial(_hidden_sources, state, contents, seen),
        global_namespace,
        EXCLUDE_GLOBAL if global_namespace not in ("", *seen) else "",
    )
    try:
        request = namespace_request(
            objects,
            sources,
            global_namespace=global_namespace,
            health_policy=health_policy,
            eligibility=eligibility,
            house_rules=house_rules,
        )
        return attrs.evolve(request, hidden=hidden)
    except ProjectionError as error:
        fault = namespace_fault(objects)
        assert fault is not None, "it reads the operators as the request does"
        kind = ClusterServiceVersion.KIND if error.object else ""
        raise attrs.evolve(
            fault.error(), reason=error.reason, kind=kind, object=error.object, field=error.field
        ) from None


def namespace_request(
    objects: NamespaceObjects,
    sources: Iterable[Source | UnreadableSource],
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    health_policy: HealthPolicy = HealthPolicy.STRICT,
    eligibility: Iterable[Eligibility] = (),
    house_rules: Iterable[HouseRule] = (),
) -> Request:
    """Return the request that the *objects* of a namespace make over those *sources* that it sees.

    Every way from a cluster to a request leads through here: resolving, planning and simulating ask the same.

    Raises:
        NamespaceError: the namespace has not exactly one operator group, or two subscriptions with one operator want
            different things.
        ProjectionError: what an operator says of itself cannot be read.
    """
    _refuse_unresolvable(objects)
    subscriptions = distinct_wishes(objects.subscriptions)
    namespaces = visible_namespaces(objects.namespace, objects.groups, global_namespace)
    visible = [source for source in sources if source.namespace in namespaces]
    giving_way = _giving_way(objects)
    coming = updates_under_way(objects.csvs, objects.conditions)
    stalled = updates_stalled(objects.csvs, objects.conditions)
    return Request(
        namespaces=namespaces,
        sources=[source for source in visible if isinstance(source, Source)],
        subscriptions=map(_subscription, subscriptions),
        installed=[
            Installed(
                entry.name,
                entry.version,
                entry.published,
                entry.subscription,
                gives_way=entry.name in giving_way,
                replaced_by=coming.get(entry.name, ""),
                stalled_by=stalled[entry.name].newer if entry.name in stalled else "",
                stall=stalled[entry.name].cause if entry.name in stalled else "",
            )
            for entry in csv_snapshot(objects.csvs, subscriptions, objects.groups)
        ],
        name=objects.namespace,
        unreadable=[source for source in visible if isinstance(source, UnreadableSource)],
        health_policy=health_policy,
        eligibility=eligibility,
        house_rules=house_rules,
    )


def _giving_way(objects: NamespaceObjects) -> frozenset[str]:
    """Return the operators that failing forward would leave behind; none where their chains are broken."""
    try:
        return left_behind(objects.csvs)
    except OlmsolveError:
        return frozenset()


def visible_sources(
    state: ClusterState,
    contents: Contents,
    objects: NamespaceObjects,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    health_policy: HealthPolicy = HealthPolicy.STRICT,
) -> list[Source | UnreadableSource]:
    """Return the catalogs of *state* that the namespace of *objects* sees, each with its content from *contents*.

    Raises:
        ManifestError: a visible catalog has no content (under the strict *health_policy*).
    """
    sources: list[Source | UnreadableSource] = []
    for namespace in visible_namespaces(objects.namespace, objects.groups, global_namespace):
        for catalog in state.all(CatalogSource, namespace):
            content = contents.get(catalog.key)
            if content is None and health_policy is HealthPolicy.STRICT:
                raise _without_content(catalog, catalog.key)
            if isinstance(content, Catalog):
                sources.append(Source(catalog.name, namespace, catalog.priority, content))
            else:
                sources.append(UnreadableSource(catalog.name, namespace, catalog.priority, content or _NO_CONTENT))
    return sources


def _hidden_sources(
    state: ClusterState, contents: Contents, seen: Collection[str]
) -> Iterator[Source | UnreadableSource]:
    """Yield the catalogs of *state* outside the namespaces that are *seen*; one without content as unreadable."""
    for catalog in state.all(CatalogSource):
        if catalog.namespace in seen:
            continue
        try:
            content = contents.get(catalog.key)
        except CatalogError as error:
            content = error
        if isinstance(content, Catalog):
            yield Source(catalog.name, catalog.namespace, catalog.priority, content)
        else:
            yield UnreadableSource(catalog.name, catalog.namespace, catalog.priority, content or _NO_CONTENT)


def refuse_missing_contents(
    state: ClusterState, contents: Contents, objects: NamespaceObjects, global_namespace: str = DEFAULT_GLOBAL_NAMESPACE
) -> None:
    """Raise a ManifestError for a catalog that the namespace of *objects* sees and that is not in *contents*.

    A namespace that cannot be resolved for its objects looks at no catalog.
    """
    if group_count_fault(objects) or shared_operator_fault(objects):
        return
    for namespace in visible_namespaces(objects.namespace, objects.groups, global_namespace):
        for catalog in state.all(CatalogSource, namespace):
            if catalog.key not in contents:
                raise _without_content(catalog, catalog.key)


def namespaces_with_subscriptions(state: ClusterState) -> tuple[str, ...]:
    """Return the namespaces that have subscriptions, by name."""
    return tuple(dict.fromkeys(subscription.namespace for subscription in state.all(kinds.SubscriptionObject)))


def only_namespace(state: ClusterState) -> str:
    """Return the one namespace with subscriptions.

    Raises:
        RequestError: there are several, or none.
    """
    found = namespaces_with_subscriptions(state)
    if len(found) == 1:
        return found[0]
    what = f"subscriptions are in {len(found)} namespaces: {', '.join(found[:10])}" if found else "no subscriptions"
    raise RequestError(what, field="namespace", hint="choose one" if found else "nothing is asked of classic OLM")


def extensions_of_cluster(state: ClusterState, contents: Contents) -> tuple[v1.ExtensionRequest, ...]:
    """Return the requests of all ClusterExtensions, by name; each sees all ClusterCatalogs.

    Raises:
        RequestError: an extension that is not from a catalog, or a catalog that is available but has no content.
        CatalogError: the content of a catalog cannot be read.
    """
    return tuple(extension_request_of(state, contents, each.name) for each in state.all(kinds.ClusterExtension))


def extension_request_of(state: ClusterState, contents: Contents, name: str) -> v1.ExtensionRequest:
    """Return the request of the ClusterExtension *name* of *state*; it sees all ClusterCatalogs.

    Raises:
        RequestError: there is no such extension, it is not from a catalog, or a catalog that is available has no
            content.
        CatalogError: the content of a catalog cannot be read.
    """
    from olmsolve import v1
    from olmsolve.cluster.extensions import CrdUpgradesAreSafe, controller_gates, revision_rolling_out
    from olmsolve.requests.extension import FILE_ANNOTATION, manifests_request

    extension = state.get(kinds.ClusterExtension, "", name)
    if extension is None:
        raise RequestError("the cluster has no such ClusterExtension", field=f"extension {name}")
    objects = {catalog.name: catalog for catalog in state.all(kinds.ClusterCatalogObject)}

    def located(each: kinds.ClusterObject, values: Raw) -> Fields:
        return Fields(values, location=DocumentLocation(f"{each.origin or 'manifests'}: {each}"))

    def named(catalog: kinds.ClusterCatalogObject) -> Fields:
        """Return the fields of *catalog* with its own name as the path of its content."""
        annotations = {**catalog.metadata.annotations, FILE_ANNOTATION: catalog.name}
        metadata = {**catalog.raw.get("metadata", {}), "annotations": annotations}
        return located(catalog, {**catalog.raw, "metadata": metadata})

    def content(path: Path) -> Catalog:
        if path.name not in contents:
            raise _without_content(objects[path.name], path.name)
        found = contents[path.name]
        if isinstance(found, CatalogError):
            raise found
        return found

    manifests = [located(extension, extension.raw), *map(named, objects.values())]
    request = manifests_request(
        manifests,
        Path(),
        content,
        gates=v1.FeatureGates(controller_gates(state)),
        rolling_out=revision_rolling_out(state, extension),
    )
    definitions = {each.name: each for each in state.all(kinds.CustomResourceDefinition)}
    if not definitions:
        return request
    installed = request.installed.name if request.installed is not None else ""
    return attrs.evolve(request, checks=(*request.checks, CrdUpgradesAreSafe(definitions, installed)))


def _subscription(given: kinds.SubscriptionObject) -> Subscription:
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


def _refuse_unresolvable(objects: NamespaceObjects) -> None:
    """Raise a NamespaceError unless there is one operator group, and each operator has one owner at most."""
    fault = group_count_fault(objects) or shared_operator_fault(objects)
    if fault is not None:
        raise fault.error()


def _without_content(catalog: CatalogSource | kinds.ClusterCatalogObject, key: str) -> ManifestError:
    given = for_reader(python=f"catalogs={{{key!r}: PATH}}", option=f"--catalog {key}=PATH")
    image = f" of its image {catalog.image}" if catalog.image else ""
    return ManifestError(
        "is visible, and its content was not given",
        hint=f"{given}, the file-based catalog{image}",
        source=str(catalog.origin or ""),
        kind=catalog.KIND,
        object=catalog.key,
    )


def refuse_unknown_contents(contents: Iterable[str], state: ClusterState) -> None:
    """Raise a RequestError for a name in *contents* that no catalog of *state* has, of either generation of OLM."""
    known = {catalog.key for catalog in state.all(CatalogSource)}
    known.update(catalog.name for catalog in state.all(kinds.ClusterCatalogObject))
    for key in contents:
        if key not in known:
            near = did_you_mean(similar_keys(key, sorted(known)))
            hint = near or f"the cluster has: {', '.join(sorted(known)[:10]) or 'none'}"
            raise RequestError("no catalog of the cluster has this name", field=f"catalog {key}", hint=hint)
