"""The hindrances that the objects of a cluster show, in one namespace or in the whole cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from olmsolve.catalog import Catalog
from olmsolve.cluster.catalogs import (
    DEFAULT_GLOBAL_NAMESPACE,
    DEPRECATION_CONDITIONS,
    subscription_deprecations,
    visible_namespaces,
    with_deprecations,
)
from olmsolve.cluster.hindrances import (
    CatalogNotReady,
    ClusterCatalogNotServing,
    GroupWithoutTargets,
    Hindrance,
    NamespaceUnresolvable,
    OperatorDeleted,
    OperatorGivesWay,
    OperatorHeld,
    OperatorMayNotAct,
    OperatorMissing,
    OperatorNotUpgradeable,
    OperatorNotWorking,
    OrphanOperator,
    PlanFailed,
    PlanRefused,
    PlanUnderWay,
    PlanWaits,
    SubscriptionDeprecated,
    missing_accounts,
    reports_of_subscriptions,
    unfinished_plans,
)
from olmsolve.cluster.install_plans import STEP_DONE
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterCatalogObject,
    ClusterServiceVersion,
    InstallPlan,
    Namespace,
    OperatorCondition,
    SubscriptionObject,
    condition_of,
)
from olmsolve.cluster.operator_groups import (
    ClusterGroups,
    GroupReason,
    group_fault,
    groups_as_written,
    operator_check,
    plan_refusal,
    pruned,
)
from olmsolve.cluster.operator_updates import not_upgradeable, operators_after
from olmsolve.cluster.properties_annotation import ProjectionError
from olmsolve.cluster.requirements import REQUIREMENTS_NOT_MET, is_unmet
from olmsolve.cluster.snapshot import csv_snapshot, infer_properties, package_of, published_properties, shared_operator
from olmsolve.cluster.state import ClusterState, NamespaceObjects, goes, holders, is_deleted
from olmsolve.errors import CatalogError

_SERVING: Final = "Serving"
_OF_THE_GROUP: Final = (GroupReason.NO_GROUP, GroupReason.SEVERAL_GROUPS, GroupReason.NO_TARGETS)
_GIVING_WAY: Final = frozenset({"Replacing", "Deleting"})


def catalogs_not_serving(state: ClusterState) -> Iterator[ClusterCatalogNotServing]:
    """Yield the ClusterCatalogs of *state* whose condition ``Serving`` is False although they are wanted.

    A catalog that an administrator has made unavailable does not serve on purpose.
    """
    for catalog in state.all(ClusterCatalogObject):
        serving = condition_of(catalog.conditions, _SERVING)
        if serving is not None and serving.status == "False" and catalog.availability_mode != "Unavailable":
            yield ClusterCatalogNotServing("", catalog.name, serving.reason, serving.message)


def held_in_cluster(
    state: ClusterState,
    namespace: str,
    *,
    contents: Mapping[str, Catalog | CatalogError] | None = None,
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE,
    groups: ClusterGroups | None = None,
) -> tuple[Hindrance, ...]:
    """Return what holds *namespace* back according to the objects of *state*: first what OLM itself reports.

    They are in the order of the classes of hindrances.

    Deprecations are OLM's conditions on the subscriptions; *contents* (by ``namespace/name``) adds the deprecations of
    installed operators that OLM has not written yet. *groups* are the pruned groups of *state* as OLM will have
    written them: pass them if you ask about many namespaces.

    >>> import olmsolve
    >>> state = olmsolve.read_cluster("olmsolve/examples/stuck.yaml")
    >>> [hindrance.kind for hindrance in olmsolve.held_in_cluster(state, "lab")]
    ['planWaits']
    """
    present = NamespaceObjects.picked_from(state, namespace)
    objects = present.staying
    faults = (
        *unfinished_plans(objects),
        *missing_accounts(objects),
        *_unresolvable(objects),
        *groups_without_targets(state, objects),
    )
    refused = tuple(refused_plans(state, objects))
    return (
        *reports_of_subscriptions(objects),
        *faults,
        *waiting_plans(objects),
        # A plan that OLM cannot begin is not under way.
        *(() if faults or refused else plans_under_way(objects)),
        *failed_plans(objects),
        # A fault already says why the plans of the namespace do not get on.
        *(() if faults else refused),
        *_deleted(present),
        *_not_at_work(objects),
        *operators_held(objects),
        *operators_that_may_not_act(objects, groups_as_written(pruned(state)[0]) if groups is None else groups),
        *_not_upgradeable(state, objects),
        *_catalogs_not_ready(state, objects, global_namespace),
        *deprecated_subscriptions(objects, contents or {}),
        *_orphans(objects),
        *missing_operators(objects),
    )


def reported_in_cluster(state: ClusterState, namespace: str, global_namespace: str) -> tuple[Hindrance, ...]:
    """Return the faults of *namespace* that OLM itself has written into the objects of *state*.

    They are OLM's words from the moment of the dump, and an answer that is computed may differ from them.
    """
    objects = NamespaceObjects.picked_from(state, namespace).staying
    return (
        *reports_of_subscriptions(objects),
        *unfinished_plans(objects),
        *missing_accounts(objects),
        *_catalogs_not_ready(state, objects, global_namespace),
    )


def namespace_fault(objects: NamespaceObjects) -> NamespaceUnresolvable | None:
    """Return why the *objects* of a namespace keep it from being resolved; None where they do not.

    As recorded, there must be exactly one operator group, every operator must be readable, and the chains of a
    namespace that fails forward must be whole. Two subscriptions with one operator are refused as well: OLM takes
    either for the owner, as it happens to list them. This is the one answer for all commands: it is the state of the
    cluster and no fault of the input.
    """
    namespace = objects.namespace
    fault = objects_fault(objects)
    if fault is not None:
        return fault
    try:
        for entry in csv_snapshot(objects.csvs, objects.subscriptions, objects.groups):
            # Decoding the properties is what a resolution does next.
            _ = entry.published
    except ProjectionError as error:
        operator = error.object if "/" in error.object else f"{namespace}/{error.object}"
        reason = f"operator {operator} stops its resolution: {error.reason}" if error.object else error.reason
        return NamespaceUnresolvable(namespace, reason, "mend or delete the operator", error.source)
    return None


def objects_fault(objects: NamespaceObjects) -> NamespaceUnresolvable | None:
    """Return why nothing comes of the namespace, whatever its catalogs and operators say; None where something may.

    A namespace that is being deleted takes no new objects, so that OLM can write no plan.
    """
    if objects.is_terminating:
        reason = "it is being deleted (Terminating), and takes no new objects"
        remedy = "create it again once it is gone; if it stays, look for objects with finalizers in it"
        return NamespaceUnresolvable(objects.namespace, reason, remedy)
    return group_count_fault(objects) or shared_operator_fault(objects)


def group_count_fault(objects: NamespaceObjects) -> NamespaceUnresolvable | None:
    """Return the fault of a namespace without exactly one operator group; None if it has one."""
    if len(objects.groups) == 1:
        return None
    names = ", ".join(group.name for group in objects.groups)
    if not names:
        return NamespaceUnresolvable(objects.namespace, "it has no operator group", "create one there")
    reason = f"it has {len(objects.groups)} operator groups ({names})"
    return NamespaceUnresolvable(objects.namespace, reason, "delete all but one")


def shared_operator_fault(objects: NamespaceObjects) -> NamespaceUnresolvable | None:
    """Return the fault of a namespace where two subscriptions have one operator installed; None where none do."""
    shared = shared_operator(objects.subscriptions)
    if shared is None:
        return None
    owner, second = shared
    both = f"subscriptions {owner.name} and {second.name} both have {second.installed_csv} installed"
    reason = f"{both}, and want different things"
    remedy = "delete one of the two subscriptions"
    return NamespaceUnresolvable(objects.namespace, reason, remedy, str(second.origin or ""), is_open=True)


def waiting_plans(objects: NamespaceObjects) -> Iterator[PlanWaits]:
    """Yield the install plans that wait for approval, and that no later plan has overtaken."""
    for plan in _current_plans(objects):
        if plan.phase == "RequiresApproval" and not plan.approved:
            yield PlanWaits(plan.namespace, plan.name, plan.csv_names)


def plans_under_way(objects: NamespaceObjects) -> Iterator[PlanUnderWay]:
    """Yield the approved install plans that OLM carries out next; not those whose status says what they wait for."""
    waiting = {unfinished_plan.plan for unfinished_plan in unfinished_plans(objects)}
    for plan in objects.plans:
        is_approved = plan.phase == "Installing" or plan.approved
        if is_approved and plan.name not in waiting and _is_unfinished(plan):
            yield PlanUnderWay(plan.namespace, plan.name, plan.csv_names)


def failed_plans(objects: NamespaceObjects) -> Iterator[PlanFailed]:
    """Yield the failed install plans that no later plan has overtaken, and that lack an operator or a step."""
    present = {csv.name for csv in objects.csvs if not csv.is_copied}
    for plan in _current_plans(objects):
        has_operators = plan.csv_names and present.issuperset(plan.csv_names)
        # The steps of a bundle that is still packed are not among the plan's.
        is_unpacked = bool(plan.steps) or not plan.bundle_lookups
        has_steps = is_unpacked and all(step.status in STEP_DONE for step in plan.steps)
        if plan.phase == "Failed" and not (has_operators and has_steps):
            yield PlanFailed(plan.namespace, plan.name, plan.csv_names, plan.why)


def _is_unfinished(plan: InstallPlan) -> bool:
    """Return whether OLM has steps of *plan* to carry out, once it is approved; it passes over a plan without steps."""
    return plan.phase in ("Installing", "RequiresApproval") and bool(plan.steps or plan.bundle_lookups)


def refused_plans(state: ClusterState, objects: NamespaceObjects) -> Iterator[PlanRefused]:
    """Yield the approved install plans that OLM cannot begin, because it does not know with which account."""
    begun = [plan for plan in objects.plans if plan.approved and _is_unfinished(plan)]
    reason = plan_refusal(objects.namespace, state) if begun else ""
    for plan in begun if reason else ():
        yield PlanRefused(plan.namespace, plan.name, plan.csv_names, reason)


def operators_not_working(objects: NamespaceObjects) -> Iterator[OperatorNotWorking]:
    """Yield the operators, copies left out, whose phase is not Succeeded."""
    for csv in objects.csvs:
        if csv.phase != "Succeeded" and not csv.is_copied:
            missing = csv.requirements if csv.reason == REQUIREMENTS_NOT_MET else ()
            reasons = "; ".join(str(requirement) for requirement in missing if is_unmet(requirement))
            message = ": ".join(filter(None, (csv.message, reasons)))
            yield OperatorNotWorking(csv.namespace, csv.name, csv.phase, csv.reason, message)


def _not_at_work(objects: NamespaceObjects) -> Iterator[OperatorNotWorking | OperatorGivesWay]:
    operators = {csv.name: csv for csv in objects.csvs if not csv.is_copied}
    # In reverse: if several operators replace one, the first by name counts, as in OLM's own passes.
    replacements = {csv.replaces: csv for csv in reversed(operators.values()) if csv.replaces}
    for hindrance in operators_not_working(objects):
        csv = operators[hindrance.operator]
        newer = operators_after(csv, lambda member: replacements.get(member.name)) if csv.phase in _GIVING_WAY else ()
        working = next((member for member in newer if member.phase == "Succeeded"), None)
        if working is not None:
            yield OperatorGivesWay(hindrance.namespace, hindrance.operator, hindrance.phase, working.name)
        elif hindrance.phase:  # A dump may lack the phase; then nothing is known.
            yield hindrance


def _deleted(objects: NamespaceObjects) -> Iterator[OperatorDeleted]:
    # In a namespace that is being deleted, everything is.
    for csv in () if objects.is_terminating else objects.csvs:
        if goes(csv) and not csv.is_copied:
            yield OperatorDeleted(csv.namespace, csv.name)


def operators_held(objects: NamespaceObjects) -> Iterator[OperatorHeld]:
    """Yield the operators that are being deleted, and that a finalizer keeps which OLM does not take off."""
    for csv in objects.csvs:
        if is_deleted(csv) and not csv.is_copied and holders(csv):
            yield OperatorHeld(csv.namespace, csv.name, holders(csv))


def operators_that_may_not_act(objects: NamespaceObjects, groups: ClusterGroups) -> Iterator[OperatorMayNotAct]:
    """Yield the working operators that OLM will fail, because their operator group does not let them act.

    A namespace without exactly one group, and a group without targets, are hindrances of their own.
    """
    for csv in objects.csvs:
        if csv.is_copied or csv.phase != "Succeeded":
            continue
        check = operator_check(csv, groups)
        if check.refusal is not None and check.refusal.reason not in _OF_THE_GROUP:
            reason = check.refusal.reason.value
            yield OperatorMayNotAct(csv.namespace, csv.name, check.group, reason, check.refusal.message)


def missing_operators(objects: NamespaceObjects) -> Iterator[OperatorMissing]:
    """Yield the operators that a subscription had installed, that are gone, and that no unfinished plan brings."""
    coming = {name for plan in objects.plans if plan.phase not in ("Complete", "Failed") for name in plan.csv_names}
    for subscription in objects.subscriptions:
        if subscription.installed_csv == subscription.current_csv and subscription.current_csv not in {
            "",
            *coming,
            *objects.csv_names,
        }:
            yield OperatorMissing(subscription.namespace, subscription.current_csv, subscription.name)


def groups_without_targets(state: ClusterState, objects: NamespaceObjects) -> Iterator[GroupWithoutTargets]:
    """Yield the operator group of a namespace whose targets cannot be determined, or are none."""
    for group in objects.groups if len(objects.groups) == 1 else ():
        fault = "" if group.namespaces else group_fault(group, state.all(Namespace))
        if fault:
            yield GroupWithoutTargets(group.namespace, group.name, fault)


def _current_plans(objects: NamespaceObjects) -> Iterator[InstallPlan]:
    """Yield the plans of the newest generation, and older plans that a subscription still waits for."""
    present = set(objects.csv_names)
    newest = max((plan.spec_generation for plan in objects.plans), default=0)
    awaited = {
        subscription.install_plan for subscription in objects.subscriptions if subscription.current_csv not in present
    }
    for plan in objects.plans:
        if plan.spec_generation == newest or plan.name in awaited:
            yield plan


def _unresolvable(objects: NamespaceObjects) -> Iterator[NamespaceUnresolvable]:
    # OLM looks at a namespace only where something subscribes to a package.
    fault = namespace_fault(objects) if objects.subscriptions else None
    if fault is not None:
        yield fault


def _not_upgradeable(state: ClusterState, objects: NamespaceObjects) -> Iterator[OperatorNotUpgradeable]:
    newer = {csv.replaces: csv.name for csv in reversed(objects.csvs) if csv.replaces and not csv.is_copied}
    for csv in objects.csvs:
        reason = "" if csv.is_copied else not_upgradeable(state.get(OperatorCondition, csv.namespace, csv.name))
        if reason:
            yield OperatorNotUpgradeable(csv.namespace, csv.name, reason, newer.get(csv.name, ""))


def _catalogs_not_ready(
    state: ClusterState, objects: NamespaceObjects, global_namespace: str
) -> Iterator[CatalogNotReady]:
    for namespace in visible_namespaces(objects.namespace, objects.groups, global_namespace):
        for catalog in state.all(CatalogSource, namespace):
            # A dump may lack the state; then nothing is known.
            if catalog.reason or catalog.state not in ("", CatalogSource.READY):
                state_now = "" if catalog.state == CatalogSource.READY else catalog.state
                yield CatalogNotReady(objects.namespace, catalog.key, state_now, catalog.reason, catalog.message)


def deprecated_subscriptions(
    objects: NamespaceObjects, contents: Mapping[str, Catalog | CatalogError]
) -> Iterator[SubscriptionDeprecated]:
    """Yield the deprecations in the conditions of a namespace's subscriptions, as *contents* bring them up to date."""
    for subscription in objects.subscriptions:
        content = contents.get(f"{subscription.source_namespace}/{subscription.source}")
        if isinstance(content, Catalog):
            subscription = with_deprecations(subscription, subscription_deprecations(subscription, content))
        for condition in subscription.conditions:
            if condition.type in DEPRECATION_CONDITIONS and condition.status == "True":
                yield SubscriptionDeprecated(
                    subscription.namespace, subscription.name, condition.type, condition.message
                )


def _orphans(objects: NamespaceObjects) -> Iterator[OrphanOperator]:
    if not objects.subscriptions:
        return
    owned = {subscription.installed_csv for subscription in objects.subscriptions}
    replaced = {csv.replaces for csv in objects.csvs if not csv.is_copied}
    for csv in objects.csvs:
        if csv.is_copied or csv.name in owned or csv.name in replaced or csv.phase in _GIVING_WAY:
            continue
        # A subscription whose current operator this is owns it with OLM's next pass.
        if any(wish.current_csv == csv.name for wish in objects.subscriptions):
            continue
        package = _package(csv, objects.subscriptions)
        blocked = tuple(wish.name for wish in objects.subscriptions if package and wish.package == package)
        yield OrphanOperator(csv.namespace, csv.name, package, blocked)


def _package(csv: ClusterServiceVersion, subscriptions: Iterable[SubscriptionObject]) -> str:
    """Return the package of *csv*, "" where it does not say it or cannot be read."""
    try:
        properties = published_properties(csv)
    except ProjectionError:
        return ""
    return package_of(infer_properties(csv, subscriptions) if properties is None else properties)
