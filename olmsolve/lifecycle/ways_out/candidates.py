"""The changes of objects that may get a namespace over a hindrance, before any of them is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve.catalog import Catalog
from olmsolve.cluster import (
    CatalogNotReady,
    GroupAccountMissing,
    GroupWithoutTargets,
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
    shared_operator_fault,
)
from olmsolve.cluster.objects import SubscriptionObject
from olmsolve.lifecycle.planning import (
    BundleForHouseRule,
    BundleMayNotAct,
    BundleWillNotWork,
    PlanForbidden,
    PlanWillFail,
)
from olmsolve.lifecycle.ways_out.changes import (
    ApprovePlan,
    AwaitCatalog,
    AwaitOlm,
    CreateAccount,
    CreateGroup,
    DeleteGroup,
    DeletePlan,
    DeleteSubscription,
    GrantRight,
    LetFailForward,
    ObjectsChange,
    OverrideUpgradeable,
    OwnOperator,
    ReleaseOperator,
    RenewSubscription,
    RepairDeployments,
    RepairSource,
    RepairUnpacking,
    RetargetGroup,
    SubscribeTo,
)
from olmsolve.lifecycle.ways_out.fixes import deleted_subscription
from olmsolve.requests import ClusterSituation

INSTALLING: Final = frozenset({"InstallReady", "Installing"})
"""The phases of an operator that OLM has begun to install."""
# OLM's reasons for a phase (ConditionReason in its API v1alpha1).
_UNHEALTHY: Final = frozenset({"InstallCheckFailed", "ComponentUnhealthy"})
_BEGUN_ANEW: Final = frozenset({"InvalidWebhookDescription", "InstallComponentFailed", "InstallComponentFailedNoRetry"})


def changes_for(hindrance: Hindrance, cluster: ClusterSituation, namespace: str) -> Iterator[ObjectsChange]:
    """Yield the changes that may get *namespace* over *hindrance*."""
    state = cluster.state
    objects = NamespaceObjects.picked_from(state, namespace)
    match hindrance:
        case SubscriptionsReport(condition="BundleUnpackFailed"):
            yield RepairUnpacking(namespace, _catalog_namespaces(objects.subscriptions))
        case SubscriptionsReport(condition="BundleUnpacking"):
            yield AwaitOlm(namespace, "OLM is unpacking a bundle")
        case SubscriptionsReport(condition="InstallPlanMissing"):
            # If the operator was installed, and was then deleted together with its plan, OLM writes no new plan.
            waiting = (
                subscription for subscription in objects.subscriptions if subscription.name in hindrance.subscriptions
            )
            if any(plan.installed_csv != plan.current_csv for plan in waiting):
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
        case GroupWithoutTargets():
            yield RetargetGroup(namespace, hindrance.group, (namespace,))
        case PlanWillFail() | BundleWillNotWork(phase="Failed"):
            yield AwaitOlm(namespace, "only a version of the operator without this fault will work")
        case NamespaceUnresolvable():
            yield from _for_objects(objects)
        case OperatorMayNotAct() | BundleMayNotAct():
            yield from _for_refused(hindrance, objects)
        case OrphanOperator():
            for name in hindrance.blocked:
                yield OwnOperator(namespace, name, hindrance.operator)
                yield deleted_subscription(state, namespace, name)
        case OperatorMissing():
            yield RenewSubscription(namespace, hindrance.subscription, hindrance.operator)
        case RequirementUnmet() | BundleForHouseRule():
            yield from _subscription_to(hindrance.package, cluster, namespace)


def _catalog_namespaces(subscriptions: Sequence[SubscriptionObject]) -> tuple[str, ...]:
    return tuple(
        sorted({subscription.source_namespace for subscription in subscriptions if subscription.source_namespace})
    )


def _rights(objects: NamespaceObjects, message: str) -> Iterator[ObjectsChange]:
    for group in objects.groups:
        if group.service_account_name:
            yield GrantRight(objects.namespace, group.service_account_name, message)


def _for_failed_plan(hindrance: PlanFailed, objects: NamespaceObjects) -> Iterator[ObjectsChange]:
    # Once the operator is there, OLM writes no plan for it again: a newer version has to take its place.
    if set(hindrance.operators) & set(objects.csv_names):
        yield AwaitOlm(objects.namespace, "a version that replaces the failed one gets a plan of its own")
    else:
        yield DeletePlan(objects.namespace, hindrance.plan)
    yield from (LetFailForward(objects.namespace, group.name) for group in objects.groups)


def _for_broken_operator(hindrance: OperatorNotWorking, objects: NamespaceObjects) -> Iterator[ObjectsChange]:
    if "forbidden" in hindrance.message:
        yield from _rights(objects, hindrance.message)
    elif hindrance.phase in INSTALLING or hindrance.reason in _UNHEALTHY:
        yield RepairDeployments(objects.namespace, hindrance.operator)
    elif hindrance.reason == "NeedsReinstall":
        yield AwaitOlm(objects.namespace, "OLM installs it again; if that fails too, only another version can work")
    elif hindrance.reason in _BEGUN_ANEW:
        yield AwaitOlm(objects.namespace, "only a version of the operator without this fault can be installed")
    if hindrance.phase == "Failed":
        yield from (LetFailForward(objects.namespace, group.name) for group in objects.groups)


def _for_objects(objects: NamespaceObjects) -> Iterator[ObjectsChange]:
    if objects.is_terminating:
        yield AwaitOlm(
            objects.namespace, ("the namespace will be deleted; create it again with everything that it should have")
        )
    elif not objects.groups:
        yield CreateGroup(objects.namespace)
    elif len(objects.groups) > 1:
        # Two groups are left as one: each of them in turn is the one that goes.
        yield from (DeleteGroup(objects.namespace, group.name) for group in objects.groups[:4])
    elif shared_operator_fault(objects) is not None:
        installed = [subscription.installed_csv for subscription in objects.subscriptions if subscription.installed_csv]
        for subscription in objects.subscriptions:
            if installed.count(subscription.installed_csv) > 1:
                # The operator then belongs to the other subscription.
                yield DeleteSubscription(objects.namespace, subscription.name)


def _for_refused(hindrance: OperatorMayNotAct | BundleMayNotAct, objects: NamespaceObjects) -> Iterator[ObjectsChange]:
    for group in objects.groups:
        for targets in ((objects.namespace,), ()):
            if tuple(group.namespaces) != (targets or ("",)):
                yield RetargetGroup(objects.namespace, group.name, targets)
    operator = hindrance.operator if isinstance(hindrance, OperatorMayNotAct) else hindrance.bundle
    for subscription in objects.subscriptions:
        if operator in (subscription.installed_csv, subscription.current_csv):
            installed = subscription.installed_csv if subscription.installed_csv in objects.csv_names else ""
            yield DeleteSubscription(objects.namespace, subscription.name, installed)


def _subscription_to(package: str, cluster: ClusterSituation, namespace: str) -> Iterator[ObjectsChange]:
    objects = NamespaceObjects.picked_from(cluster.state, namespace)
    for source in cluster.visible_sources(objects):
        catalog = getattr(source, "catalog", None)
        content = catalog.packages.get(package) if isinstance(catalog, Catalog) else None
        if content is not None:
            yield SubscribeTo(namespace, package, content.default_channel, source.name, source.namespace)
            return
