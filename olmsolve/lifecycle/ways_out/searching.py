"""The ways out of what the objects of a cluster report: changes of the objects, each simulated before it is told.

A way is told only where nothing stops that works now and would go on working without it. The ways come by the harm that
they can do: waiting first, removing last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from olmsolve._limits import checked
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import Catalog
from olmsolve.cluster import (
    CatalogNotReady,
    ClusterState,
    GroupAccountMissing,
    Hindrance,
    NamespaceObjects,
    NamespaceUnresolvable,
    OperatorGivesWay,
    OperatorHeld,
    OperatorMayNotAct,
    OperatorMissing,
    OperatorNotUpgradeable,
    OperatorNotWorking,
    OrphanOperator,
    PlanFailed,
    PlanNotFinished,
    PlanWaits,
    RequirementUnmet,
    SubscriptionsReport,
    is_deleted,
    shared_operator_fault,
)
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.errors import OlmsolveError
from olmsolve.lifecycle.planning import BundleForHouseRule, BundleMayNotAct, PlanForbidden
from olmsolve.lifecycle.simulation import SimulationSettings, simulate_cluster
from olmsolve.lifecycle.ways_out.changes import (
    UNTRIED,
    ApprovePlan,
    AwaitCatalog,
    AwaitOlm,
    ClusterChange,
    CreateAccount,
    CreateGroup,
    DeleteGroup,
    DeletePlan,
    DeleteSubscription,
    GrantRight,
    Harm,
    LetFailForward,
    OverrideUpgradeable,
    OwnOperator,
    ReleaseOperator,
    RenewSubscription,
    RepairSource,
    RepairUnpacking,
    RetargetGroup,
    SubscribeTo,
)
from olmsolve.requests import ClusterSituation

_MOST: Final = 12
_BEGUN_ANEW: Final = frozenset({"InvalidWebhookDescription", "InstallComponentFailed", "InstallComponentFailedNoRetry"})


@record(
    definition="clusterWayOut",
    about="A way out of what the objects of a cluster report.",
    layout=("_text", "_harm", "_risk", ...),
)
class ClusterWayOut(Record):
    """A *change* that gets a namespace on, and the operators that *work* then and did not before."""

    change: ClusterChange
    works: tuple[str, ...] = field("The operators that work then, and would not without the change.", default=())
    is_tried: bool = field("Whether a simulation shows it; false where no objects of a dump can.", default=True)

    @property
    @documented("What to do.", path="text")
    def _text(self) -> str:
        return str(self.change)

    @property
    @documented("The harm that it can do, from wait to remove.", path="harm")
    def _harm(self) -> str:
        return self.change.harm.name.lower()

    @property
    @documented("What it risks, empty for nothing.", path="risk")
    def _risk(self) -> str:
        return self.change.risk


def cluster_ways_out(
    cluster: ClusterSituation, namespace: str, hindrances: Iterable[Hindrance]
) -> tuple[ClusterWayOut, ...]:
    """Return the ways out of the *hindrances* of *namespace*, the least harm first; at most twelve are tried."""
    candidates = list(dict.fromkeys(each for one in hindrances for each in _changes(one, cluster, namespace)))
    candidates.sort(key=lambda each: each.harm)
    trial = _ChangeTrial(cluster, namespace)
    found = (trial.way_out(each) for each in checked(candidates[:_MOST]))
    return tuple(each for each in found if each is not None)


class _ChangeTrial:
    """Simulations of a cluster with and without a change."""

    def __init__(self, cluster: ClusterSituation, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._before = working(cluster.state)
        self._without: ClusterState | None = None

    def way_out(self, change: ClusterChange) -> ClusterWayOut | None:
        """Return *change* as a way out; None where something stops with it, or nothing comes of it."""
        if isinstance(change, UNTRIED):
            return ClusterWayOut(change, is_tried=False)
        if self._without is None:
            self._without = self._end(self._cluster.state)
        changed = change.apply(self._cluster.state)
        after = self._end(changed)
        if self._without is None or after is None:
            # What a simulation cannot read, such as a catalog without content, is no reason to keep a command back.
            return ClusterWayOut(change, is_tried=False) if change.harm <= Harm.REPAIR else None
        stays = {key for key in self._before if still_works(key, self._cluster.state, self._without)}
        if not all(still_works(key, self._cluster.state, after) for key in stays):
            return None
        gained = working(after) - working(self._without)
        if not gained and change.harm <= Harm.REPAIR:
            return ClusterWayOut(change, is_tried=False)
        return ClusterWayOut(change, tuple(sorted(name for _, name in gained))) if gained else None

    def _end(self, state: ClusterState) -> ClusterState | None:
        # Operators of all namespaces are judged; only this one is resolved, since a dump may have hundreds.
        is_asked = bool(state.all(SubscriptionObject, self._namespace))
        cluster = attrs.evolve(self._cluster, state=state)
        try:
            return simulate_cluster(
                cluster, SimulationSettings(), namespaces=[self._namespace] if is_asked else None, is_only=False
            ).state
        except OlmsolveError:
            return None


def working(state: ClusterState) -> frozenset[tuple[str, str]]:
    """Return the operators of *state* that work, by namespace and name, without copies and what is being deleted."""
    return frozenset(
        (csv.namespace, csv.name)
        for csv in state.all(ClusterServiceVersion)
        if csv.phase == "Succeeded" and not csv.is_copied and not is_deleted(csv)
    )


def still_works(key: tuple[str, str], before: ClusterState, after: ClusterState) -> bool:
    """Return whether the operator *key*, which works in *before*, or one that took its place works in *after*."""
    namespace, name = key
    found = working(after)
    if key in found:
        return True
    owners = [
        each for each in before.all(SubscriptionObject, namespace) if name in (each.installed_csv, each.current_csv)
    ]
    newer = (after.get(SubscriptionObject, namespace, each.name) for each in owners)
    if any(each is not None and (namespace, each.installed_csv) in found for each in newer):
        return True
    # A newer operator says what it replaces, also where no subscription owns it.
    return any(
        (namespace, csv.name) in found and name in _replaced(csv, after)
        for csv in after.all(ClusterServiceVersion, namespace)
    )


def _replaced(csv: ClusterServiceVersion, state: ClusterState) -> Iterator[str]:
    seen: set[str] = set()
    now: ClusterServiceVersion | None = csv
    while now is not None and now.replaces and now.replaces not in seen:
        seen.add(now.replaces)
        yield now.replaces
        now = state.get(ClusterServiceVersion, csv.namespace, now.replaces)


def _changes(hindrance: Hindrance, cluster: ClusterSituation, namespace: str) -> Iterator[ClusterChange]:
    """Yield the changes that may get *namespace* over *hindrance*."""
    state = cluster.state
    objects = NamespaceObjects.of(state, namespace)
    match hindrance:
        case SubscriptionsReport(condition="BundleUnpackFailed"):
            yield RepairUnpacking(namespace, _catalog_namespaces(objects.subscriptions))
        case SubscriptionsReport(condition="BundleUnpacking"):
            yield AwaitOlm(namespace, "OLM is unpacking a bundle")
        case SubscriptionsReport(condition="InstallPlanMissing"):
            # Where the operator was installed and is gone with its plan, OLM writes no other.
            waiting = (each for each in objects.subscriptions if each.name in hindrance.subscriptions)
            if any(each.installed_csv != each.current_csv for each in waiting):
                yield AwaitOlm(namespace, "OLM writes a new install plan by itself")
        case CatalogNotReady(state="TRANSIENT_FAILURE"):
            yield AwaitCatalog(namespace, hindrance.catalog)
        case CatalogNotReady():
            yield RepairSource(namespace, hindrance.catalog)
        case PlanNotFinished() if "forbidden" in hindrance.message:
            yield from _rights(objects, hindrance.message)
        case PlanForbidden():
            yield GrantRight(namespace, hindrance.account, hindrance.reason)
        case GroupAccountMissing():
            for group in objects.groups:
                if group.name == hindrance.group and group.service_account_name:
                    yield CreateAccount(namespace, group.service_account_name)
        case PlanWaits():
            yield ApprovePlan(namespace, hindrance.plan)
        case PlanFailed():
            yield from _for_failed_plan(hindrance, objects)
        case OperatorGivesWay():
            yield AwaitOlm(namespace, f"OLM removes {hindrance.operator} by itself")
        case OperatorHeld():
            yield ReleaseOperator(namespace, hindrance.operator, hindrance.finalizers)
        case OperatorNotUpgradeable():
            yield AwaitOlm(namespace, f"{hindrance.operator} says when it can be replaced")
            if hindrance.newer:
                yield OverrideUpgradeable(namespace, hindrance.operator)
        case OperatorNotWorking():
            yield from _for_broken_operator(hindrance, objects)
        case NamespaceUnresolvable():
            yield from _for_objects(objects)
        case OperatorMayNotAct() | BundleMayNotAct():
            yield from _for_refused(hindrance, objects)
        case OrphanOperator():
            for name in hindrance.blocked:
                yield OwnOperator(namespace, name, hindrance.operator)
                yield DeleteSubscription(namespace, name)
        case OperatorMissing():
            yield RenewSubscription(namespace, hindrance.subscription, hindrance.operator)
        case RequirementUnmet() | BundleForHouseRule():
            yield from _subscription_to(hindrance.package, cluster, namespace)


def _catalog_namespaces(subscriptions: Sequence[SubscriptionObject]) -> tuple[str, ...]:
    return tuple(sorted({each.source_namespace for each in subscriptions if each.source_namespace}))


def _rights(objects: NamespaceObjects, message: str) -> Iterator[ClusterChange]:
    for group in objects.groups:
        if group.service_account_name:
            yield GrantRight(objects.namespace, group.service_account_name, message)


def _for_failed_plan(hindrance: PlanFailed, objects: NamespaceObjects) -> Iterator[ClusterChange]:
    # Once the operator is there, OLM writes no plan for it again: a newer version has to take its place.
    if set(hindrance.operators) & set(objects.csv_names):
        yield AwaitOlm(objects.namespace, "a version that replaces the failed one gets a plan of its own")
    else:
        yield DeletePlan(objects.namespace, hindrance.plan)
    yield from (LetFailForward(objects.namespace, group.name) for group in objects.groups)


def _for_broken_operator(hindrance: OperatorNotWorking, objects: NamespaceObjects) -> Iterator[ClusterChange]:
    if "forbidden" in hindrance.message:
        yield from _rights(objects, hindrance.message)
    elif hindrance.reason in _BEGUN_ANEW:
        yield AwaitOlm(objects.namespace, "only a version of the operator without this fault can be installed")
    if hindrance.phase == "Failed":
        yield from (LetFailForward(objects.namespace, group.name) for group in objects.groups)


def _for_objects(objects: NamespaceObjects) -> Iterator[ClusterChange]:
    if objects.is_terminating:
        yield AwaitOlm(objects.namespace, "the namespace goes; create it anew with what it is to have")
    elif not objects.groups:
        yield CreateGroup(objects.namespace)
    elif len(objects.groups) > 1:
        # Two groups are left as one: each of them in turn is the one that goes.
        yield from (DeleteGroup(objects.namespace, group.name) for group in objects.groups[:4])
    elif shared_operator_fault(objects) is not None:
        installed = [each.installed_csv for each in objects.subscriptions if each.installed_csv]
        for each in objects.subscriptions:
            if installed.count(each.installed_csv) > 1:
                yield DeleteSubscription(objects.namespace, each.name)


def _for_refused(hindrance: OperatorMayNotAct | BundleMayNotAct, objects: NamespaceObjects) -> Iterator[ClusterChange]:
    for group in objects.groups:
        for targets in ((objects.namespace,), ()):
            if tuple(group.namespaces) != (targets or ("",)):
                yield RetargetGroup(objects.namespace, group.name, targets)
    operator = hindrance.operator if isinstance(hindrance, OperatorMayNotAct) else hindrance.bundle
    for each in objects.subscriptions:
        if operator in (each.installed_csv, each.current_csv):
            yield DeleteSubscription(objects.namespace, each.name)


def _subscription_to(package: str, cluster: ClusterSituation, namespace: str) -> Iterator[ClusterChange]:
    objects = NamespaceObjects.of(cluster.state, namespace)
    for source in cluster.visible_sources(objects):
        catalog = getattr(source, "catalog", None)
        found = catalog.packages.get(package) if isinstance(catalog, Catalog) else None
        if found is not None:
            yield SubscribeTo(namespace, package, found.default_channel, source.name, source.namespace)
            return
