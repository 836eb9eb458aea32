"""Plans for the namespaces of a whole cluster: its objects, and what its catalogs contain.

The last functions are from 0.2.0 and take their settings one by one: each warns, and asks a cluster with one policy
instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import warn_deprecated
from olmsolve._limits import check
from olmsolve._records import Record, documented, field, record
from olmsolve.answers.held_back import HeldBackOperator
from olmsolve.catalog import Catalog, Source, UnreadableSource
from olmsolve.cluster import (
    ClusterState,
    Hindrance,
    NamespaceObjects,
    NamespaceUnresolvable,
    PlanUnderWay,
    SubscriptionDeprecated,
    deprecated_subscriptions,
    held_in_cluster,
    objects_fault,
)
from olmsolve.cluster.catalogs import subscription_deprecations, with_deprecations
from olmsolve.cluster.install_plans import (
    RESOLUTION_FAILED,
    NamespaceSync,
    PlannedSteps,
    Refused,
    install_plan_manifest,
    planned_steps,
    subscription_manifest,
    without_lost_plans,
)
from olmsolve.cluster.objects import InstallPlan, SubscriptionObject, condition_of
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.foresight import foreseen
from olmsolve.lifecycle.planning.hindrances import NamespaceWaits, differing_report, operators_of, plan_hindrances
from olmsolve.lifecycle.planning.namespaces import Content, resolved_steps, synced
from olmsolve.requests import ClusterSituation, Contents, cluster_of_settings
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import DEFAULT, BackendLike

_WRITTEN: Final = {"anyOf": [{"$ref": "#/$defs/installPlan"}, {"$ref": "#/$defs/subscriptionObject"}]}
"""The schema of an object that OLM would write for a namespace."""


@record(
    about="What OLM would do next in one namespace.",
    layout=("namespace", "is_planned", "failures", "hindrances", "held_back", "objects_to_write"),
)
class NamespacePlan(Record):
    """The objects that OLM would write for the namespace of *objects*, up to and with its next resolution: *sync*.

    *fault* says what in the objects keeps the namespace from being resolved, None where nothing does. *hindrances* are
    everything in the objects that holds the namespace back, the fault among it; *held_back* are the subscriptions that
    get less than the newest bundle, where somebody asked for them. *prospect* says why the namespace could not be
    resolved if OLM did not wait for a plan, "" where it could, or where it does not wait.
    """

    objects: NamespaceObjects
    sync: NamespaceSync
    fault: NamespaceUnresolvable | None = None
    hindrances: tuple[Hindrance, ...] = field("What the objects say that holds the namespace back.", default=())
    held_back: tuple[HeldBackOperator, ...] = field("The newer bundles that the plan leaves out.", default=())
    prospect: str = ""

    @property
    @documented("The namespace.")
    def namespace(self) -> str:
        return self.objects.namespace

    @property
    def plan(self) -> InstallPlan | None:
        """The new install plan, None where OLM writes none."""
        return self.sync.plan

    @property
    def subscriptions(self) -> tuple[SubscriptionObject, ...]:
        """All subscriptions of the namespace, as OLM leaves them."""
        return self.sync.subscriptions

    @property
    def resolved(self) -> bool:
        """Whether the last pass resolved, with a plan, nothing to do, or a failure."""
        return self.sync.resolved

    @property
    def error(self) -> str:
        """The reason why OLM will repeat the pass, or cannot begin it; "" where it ended well."""
        return self.sync.error

    @property
    def changed(self) -> tuple[SubscriptionObject, ...]:
        """The subscriptions that OLM would write, because they are not as they were."""
        before = {subscription.name: subscription for subscription in self.objects.subscriptions}
        return tuple(
            subscription for subscription in self.subscriptions if subscription != before.get(subscription.name)
        )

    @property
    def replaced(self) -> dict[str, str]:
        """Map each new operator that is still packed in its image to the operator of the namespace that it replaces.

        Where nothing is replaced, OLM still writes into the plan what the bundle's channel entry replaces.
        """
        present = {csv.name for csv in self.objects.csvs if not csv.is_copied}
        lookups = self.plan.bundle_lookups if self.plan is not None else ()
        return {lookup.identifier: lookup.replaces for lookup in lookups if lookup.replaces in present}

    @property
    @documented("Why OLM does not resolve it.")
    def failures(self) -> tuple[str, ...]:
        """The reasons why the namespace is not resolved: fault, error, the subscriptions' conditions, and prospect."""
        if self.fault is not None:
            return (str(self.fault),)
        failed = (condition_of(subscription.conditions, RESOLUTION_FAILED) for subscription in self.subscriptions)
        messages = (failure.message for failure in failed if failure is not None and failure.status == "True")
        return tuple(
            dict.fromkeys(filter(None, (self.sync.error, *(messages if self.sync.resolved else ()), self.prospect)))
        )

    def manifests(self) -> tuple[dict[str, Any], ...]:
        """Return the objects that OLM would write, as manifests: the install plan, and the changed subscriptions."""
        plans = () if self.plan is None else (install_plan_manifest(self.plan),)
        return (*plans, *map(subscription_manifest, self.changed))

    @property
    @documented("Whether OLM resolves it.", path="resolved")
    def is_planned(self) -> bool:
        """Whether the last pass resolved, with a plan or nothing to do."""
        return self.sync.resolved and not self.failures

    @property
    @documented("What OLM would write.", path="objects", schema={"items": _WRITTEN})
    def objects_to_write(self) -> tuple[Mapping[str, Any], ...]:
        return self.manifests()


def namespace_plan(
    cluster: ClusterSituation, namespace: str, *, backend: BackendLike = DEFAULT, content: Content = new_operator
) -> NamespacePlan:
    """Return what OLM would write for *namespace* of *cluster*, up to and with its next resolution.

    OLM notes in one pass what has happened, and resolves in the next: passes are repeated until one resolves, or
    none changes anything. The catalogs' deprecations of installed operators become conditions of the subscriptions.
    *content* finds the content of a bundle that was selected; without it, only the content of the catalog is known.

    Objects that keep the namespace from being resolved are the plan's *fault* and no error: they are the state of the
    cluster.

    Raises:
        ManifestError: a catalog that the namespace sees has no content.
        RequestError: objects contradict each other in another way.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> olmsolve.namespace_plan(situation.cluster, "shop").plan.csv_names
    ('shopfront.v1.5.0', 'ledger.v2.0.1')
    """
    objects = NamespaceObjects.picked_from(cluster.staying, namespace)
    noticed = held_in_cluster(
        cluster.state, namespace, global_namespace=cluster.global_namespace, groups=cluster.groups
    )
    fault = next((hindrance for hindrance in noticed if isinstance(hindrance, NamespaceUnresolvable)), None)
    sources: list[Source | UnreadableSource] = []
    if fault is not None and objects_fault(objects):
        sync = NamespaceSync(objects.subscriptions, error=str(fault))
    else:
        sources = cluster.visible_sources(objects)
        waiting = without_lost_plans(objects.subscriptions, objects.plans, objects.csv_names)
        sync = _last_pass(
            attrs.evolve(objects, subscriptions=waiting),
            lambda noted: resolved_steps(cluster, noted, sources, backend=backend, content=content),
        )
    catalogs = {source.key: source.catalog for source in sources if isinstance(source, Source)}
    # The contents are known only now, and looking at the objects once more takes time.
    noticed = tuple(hindrance for hindrance in noticed if not isinstance(hindrance, SubscriptionDeprecated))
    hindrances = (*noticed, *deprecated_subscriptions(objects, catalogs), *sync.unmet)
    return NamespacePlan(objects, _with_deprecations(sync, catalogs), fault, hindrances)


def answer_hindrances(
    cluster: ClusterSituation, resolution: Resolution | None, namespace: str, said: Iterable[Hindrance] = ()
) -> tuple[Hindrance, ...]:
    """Return what keeps the *resolution* of *namespace*, the answer to a question, from being what OLM does there.

    A :class:`NamespacePlan` shows by itself that OLM waits; an answer without one has to say it. Without a resolution
    (None), that is what becomes of the operators that are there. Hindrances that the objects have *said* already are
    left out.
    """
    objects = NamespaceObjects.picked_from(cluster.staying, namespace)
    said = tuple(said)
    hindrances = () if resolution is None else plan_hindrances(cluster, resolution, namespace)
    if not any(isinstance(hindrance, NamespaceUnresolvable) for hindrance in said):
        hindrances = (*differing_report(objects, is_resolved=resolution is not None), *hindrances)
    sync = _sync_of(cluster, objects, resolution)
    coming = foreseen(cluster, namespace, sync, (*said, *hindrances))
    if resolution is None or sync.resolved:
        return (*hindrances, *coming)
    selected = tuple(install.name for install in resolution.installs)
    under_way = {name for hindrance in said if isinstance(hindrance, PlanUnderWay) for name in hindrance.operators}
    if under_way.issuperset(selected):
        return (*hindrances, *coming)
    return (NamespaceWaits(namespace, selected, _awaited(objects)), *hindrances, *coming)


def _awaited(objects: NamespaceObjects) -> str:
    """Return the install plan that keeps the namespace of *objects* from being resolved, "" where none does."""
    plans = (plan.name for plan in objects.plans if plan.phase in ("RequiresApproval", "Installing"))
    return next(plans, "")


def _sync_of(cluster: ClusterSituation, objects: NamespaceObjects, resolution: Resolution | None) -> NamespaceSync:
    """Return the pass in which OLM comes to *resolution*; it is not resolved where OLM waits for something else."""
    operators = () if resolution is None else operators_of(cluster, resolution)
    waiting = without_lost_plans(objects.subscriptions, objects.plans, objects.csv_names)

    def steps(current: NamespaceObjects) -> PlannedSteps | Refused:
        if resolution is None:
            return Refused("")
        return planned_steps(operators, current.subscriptions, current.csv_names, current.namespace)

    return _last_pass(attrs.evolve(objects, subscriptions=waiting), steps)


def _last_pass(
    objects: NamespaceObjects, resolve: Callable[[NamespaceObjects], PlannedSteps | Refused]
) -> NamespaceSync:
    """Return the pass over *objects* that resolves, or the first that changes nothing."""
    while True:
        # Noting twice is noting once, so that the second pass ends this at the latest.
        check()
        sync = synced(objects, partial(resolve, objects))
        if sync.resolved or sync.error or sync.subscriptions == objects.subscriptions:
            return sync
        objects = attrs.evolve(objects, subscriptions=sync.subscriptions)


def _with_deprecations(sync: NamespaceSync, contents: Mapping[str, Catalog]) -> NamespaceSync:
    """Return *sync* with what the catalogs in *contents* deprecate about the installed operators."""
    subscriptions = []
    for subscription in sync.subscriptions:
        catalog = contents.get(f"{subscription.source_namespace}/{subscription.source}")
        entries = () if catalog is None else subscription_deprecations(subscription, catalog)
        subscriptions.append(with_deprecations(subscription, entries))
    return attrs.evolve(sync, subscriptions=tuple(subscriptions))


_INSTEAD = "olmsolve.plan(olmsolve.Situation.of_cluster(state, contents, policy))"


def plan_cluster_namespace(state: ClusterState, contents: Contents, namespace: str, **settings: Any) -> NamespacePlan:
    """Return what OLM would write for *namespace*. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn_deprecated("plan_cluster_namespace", _INSTEAD)
    backend, content = settings.pop("backend", DEFAULT), settings.pop("content", new_operator)
    settings.pop("groups", None)
    return namespace_plan(cluster_of_settings(state, contents, settings), namespace, backend=backend, content=content)


def plan_namespace(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], **settings: Any
) -> NamespaceSync:
    """Return what OLM would write in one pass. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn_deprecated("plan_namespace", _INSTEAD)
    return synced(objects, lambda: _steps(objects, sources, settings))


def resolve_steps(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], **settings: Any
) -> PlannedSteps | Refused:
    """Return the steps of one resolution. Deprecated: :func:`olmsolve.plan` answers for a situation."""
    warn_deprecated("resolve_steps", _INSTEAD)
    return _steps(objects, sources, settings)


def _steps(
    objects: NamespaceObjects, sources: Sequence[Source | UnreadableSource], settings: dict[str, Any]
) -> PlannedSteps | Refused:
    given = dict(settings)
    backend, content = given.pop("backend", DEFAULT), given.pop("content", new_operator)
    cluster = cluster_of_settings(ClusterState(), {}, given)
    return resolved_steps(cluster, objects, sources, backend=backend, content=content)
