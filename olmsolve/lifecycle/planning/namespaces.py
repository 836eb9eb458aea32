"""One resolution of a namespace of a cluster, as OLM does it: from objects and catalogs to the steps of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import attrs

from olmsolve.catalog import Source, UnreadableSource
from olmsolve.classic import Installed, Request, Semantics, Unsatisfiable, resolve
from olmsolve.classic import Subscription as Wish
from olmsolve.cluster import ClusterState, ProjectionError, csv_snapshot
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE, visible_namespaces
from olmsolve.cluster.install_plans import (
    NamespaceSync,
    NewOperator,
    PlannedSteps,
    Refused,
    planned_steps,
    sync_namespace,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan, OperatorGroup, Subscription
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError
from olmsolve.lifecycle.planning.constraint_words import unsatisfiable_words
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.open_channels import open_channel_fault
from olmsolve.resolution import EXISTING, Install

__all__ = ["Content", "NamespaceObjects", "plan_namespace", "resolve_steps"]

Content: TypeAlias = Callable[[Install, Source], NewOperator]
"""What is known of a bundle that was selected from a catalog."""


@attrs.frozen
class NamespaceObjects:
    """The objects of one namespace that its resolution depends on."""

    namespace: str
    subscriptions: tuple[Subscription, ...] = ()
    csvs: tuple[ClusterServiceVersion, ...] = ()
    groups: tuple[OperatorGroup, ...] = ()
    plans: tuple[InstallPlan, ...] = ()

    @classmethod
    def of(cls, state: ClusterState, namespace: str) -> NamespaceObjects:
        """Those of *namespace* in *state*."""
        return cls(
            namespace,
            state.all(Subscription, namespace),
            state.all(ClusterServiceVersion, namespace),
            state.all(OperatorGroup, namespace),
            state.all(InstallPlan, namespace),
        )


def plan_namespace(
    objects: NamespaceObjects,
    sources: Sequence[Source | UnreadableSource],
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    content: Content = new_operator,
    eligibility: Iterable[Eligibility] = (),
) -> NamespaceSync:
    """What OLM would write in one pass over the namespace: its subscriptions' status and a new install plan.

    *sources* are the catalogs of the cluster; those of the namespace itself and of *global_namespace* count.
    *content* finds the content of a bundle that was selected; without it, what the catalog holds is all there is.
    What *eligibility* refuses is not selected.

    Raises:
        ManifestError, RequestError: the objects contradict each other.
    """
    return sync_namespace(
        objects.namespace,
        objects.subscriptions,
        objects.plans,
        [csv.name for csv in objects.csvs],
        objects.groups,
        lambda: resolve_steps(
            objects, sources, global_namespace=global_namespace, content=content, eligibility=eligibility
        ),
    )


def resolve_steps(
    objects: NamespaceObjects,
    sources: Sequence[Source | UnreadableSource],
    *,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    content: Content = new_operator,
    eligibility: Iterable[Eligibility] = (),
) -> PlannedSteps | Refused:
    """One resolution under the semantics of the shipped controller: the steps to take, or why there are none.

    The parameters are those of :func:`plan_namespace`.

    Raises:
        ManifestError, RequestError: the objects contradict each other.
    """
    namespace, groups = objects.namespace, objects.groups
    if len(groups) != 1:
        return Refused(f"expected 1 OperatorGroup in the namespace, found {len(groups)}")
    seen = visible_namespaces(namespace, groups, global_namespace)
    readable: list[Source] = []
    faults: list[str] = []
    for source in sources:
        if source.namespace not in seen:
            continue
        if isinstance(source, UnreadableSource):
            faults.append(f"error using catalogsource {source.namespace}/{source.name}: {source.error}")
        else:
            readable.append(source)
    installed: list[Installed] = []
    try:
        installed += [
            Installed(entry.name, entry.version, entry.published, entry.subscription)
            for entry in csv_snapshot(objects.csvs, objects.subscriptions, groups)
        ]
    except ProjectionError as error:
        faults.append(f"error using catalogsource {namespace}/{EXISTING}: {error}")
    if faults:
        # Several are written as OLM's programs write several errors.
        return Refused(faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
    present = {operator.name for operator in installed}
    for subscription in objects.subscriptions:
        fault = open_channel_fault(subscription, readable, present)
        if fault:
            return Refused(fault)
    request = Request(
        namespaces=seen,
        sources=readable,
        subscriptions=[_wish(subscription) for subscription in objects.subscriptions],
        installed=installed,
        name=namespace,
        eligibility=eligibility,
    )
    try:
        return _planned(request, readable, objects, content)
    except Unsatisfiable as failure:
        return Refused(unsatisfiable_words(failure, namespace), unsatisfiable=True)
    except CatalogError as error:
        return Refused(str(error))


def _planned(request: Request, sources: Sequence[Source], objects: NamespaceObjects, content: Content) -> PlannedSteps:
    resolution = resolve(request, semantics=Semantics.CONTROLLER)
    by_key = {source.key: source for source in sources}
    operators = [content(install, by_key[install.catalog]) for install in resolution.installs]
    present = [csv.name for csv in objects.csvs]
    return planned_steps(operators, objects.subscriptions, present, objects.namespace)


def _wish(subscription: Subscription) -> Wish:
    return Wish(
        name=subscription.name,
        namespace=subscription.namespace,
        package=subscription.package,
        channel=subscription.channel,
        source=subscription.source,
        source_namespace=subscription.source_namespace,
        starting_csv=subscription.starting_csv,
        installed_csv=subscription.installed_csv,
    )
