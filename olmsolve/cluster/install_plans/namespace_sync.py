"""The install plan of a namespace: the pass of OLM that writes it, its content, and its way from phase to phase.

First the pass notes in the subscriptions what became of their plans and operators; if that changes a subscription,
the pass ends there. It also ends, without resolving, while every subscription waits for a plan. Otherwise it resolves.
The outcome becomes conditions of the subscriptions and, where there are steps to take, a new install plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.cluster.hindrances import RequirementUnmet
from olmsolve.cluster.install_plans.steps import PlannedSteps
from olmsolve.cluster.objects import (
    OLM_API_VERSION,
    Condition,
    InstallPlan,
    Metadata,
    OperatorGroup,
    OwnerReference,
    SubscriptionObject,
    condition_of,
    with_condition,
    without_conditions,
)
from olmsolve.cluster.operator_updates import FailForwardError, fail_forward_enabled

AUTOMATIC: Final = "Automatic"
MANUAL: Final = "Manual"

_INSTALLED: Final = "Installed"
# OLM's own constant (maxInstallPlanCount).
_KEPT: Final = 5


def plan_approval(approvals: Iterable[str]) -> str:
    """Return ``Manual`` if any of the *approvals* of a namespace's subscriptions is that, otherwise ``Automatic``."""
    return MANUAL if MANUAL in tuple(approvals) else AUTOMATIC


def following_generation(subscriptions: Iterable[SubscriptionObject], plans: Iterable[InstallPlan]) -> int:
    """Return one more than the highest generation among a namespace's *subscriptions* and *plans*."""
    generations = [subscription.install_plan_generation for subscription in subscriptions]
    generations += [plan.spec_generation for plan in plans]
    return max(generations, default=0) + 1


def new_install_plan(
    namespace: str, planned: PlannedSteps, subscriptions: Sequence[SubscriptionObject], generation: int
) -> InstallPlan:
    """Return the plan that OLM creates for *planned*; it belongs to all *subscriptions* of the namespace.

    The plan has no name yet: the cluster gives it one that begins with ``install-``.
    """
    approval = plan_approval(subscription.approval for subscription in subscriptions)
    csv_names = [step.name for step in planned.steps if step.kind == "ClusterServiceVersion"]
    csv_names += [lookup.identifier for lookup in planned.lookups if lookup.identifier]
    sources = [step.source for step in planned.steps] + [lookup.source for lookup in planned.lookups]
    return InstallPlan(
        metadata=Metadata(name="", namespace=namespace, owner_references=tuple(map(_owner, subscriptions))),
        csv_names=tuple(dict.fromkeys(csv_names)),
        approval=approval,
        approved=approval == AUTOMATIC,
        spec_generation=generation,
        phase="Installing" if approval == AUTOMATIC else "RequiresApproval",
        steps=planned.steps,
        bundle_lookups=planned.lookups,
        catalog_sources=tuple(sorted({source for source in sources if source})),
    )


def _owner(subscription: SubscriptionObject) -> OwnerReference:
    return OwnerReference(SubscriptionObject.KIND, subscription.name, subscription.metadata.uid, OLM_API_VERSION)


def old_plans(plans: Sequence[InstallPlan]) -> tuple[InstallPlan, ...]:
    """Return the plans of one namespace that OLM deletes: all but five, the oldest generations first."""
    return tuple(sorted(plans, key=_age)[: max(0, len(plans) - _KEPT)])


def _age(plan: InstallPlan) -> tuple[int, str, str]:
    return plan.spec_generation, plan.metadata.creation_timestamp, plan.name


def transition(
    plan: InstallPlan, *, now: str, error: str = "", elapsed: float | None = None, timeout: float = 60.0
) -> InstallPlan:
    """Return *plan* after one more attempt to carry out its steps, which ended with *error* ("" for success).

    *now* is the time of the attempt as manifests write it; the first attempt's becomes the plan's start time. *elapsed*
    is the time in seconds since the first attempt, None where this is the first. After *timeout* seconds an error is
    final, unless its text contains " is forbidden": an administrator may grant the missing right at any time. A step
    that is ``WaitingForApi`` keeps the plan installing.
    """
    if plan.phase == "RequiresApproval":
        return evolve(plan, phase="Installing", message="") if plan.approved else plan
    if plan.phase != "Installing":
        return plan
    plan = evolve(plan, start_time=plan.start_time or now)
    if error:
        # The plan keeps installing, with the error as its message, until the time is up.
        # OLM itself looks for these words in the text of the error (as recorded, install_plan_transition).
        if (elapsed or 0.0) < timeout or " is forbidden" in error:
            return evolve(plan, message=f"retrying execution due to error: {error}")
        failed = Condition(_INSTALLED, "False", "InstallComponentFailed", error)
        return _ended(plan, "Failed", error, failed)
    if any(step.status == "WaitingForApi" for step in plan.steps):
        return plan
    return _ended(plan, "Complete", "", Condition(_INSTALLED, "True"))


def _ended(plan: InstallPlan, phase: str, message: str, condition: Condition) -> InstallPlan:
    others = without_conditions(plan.conditions, (condition.type,))
    return evolve(plan, phase=phase, message=message, conditions=(*others, condition))


RESOLUTION_FAILED: Final = "ResolutionFailed"
UNPACKING: Final = "BundleUnpacking"
UNPACK_FAILED: Final = "BundleUnpackFailed"
_PLAN_PENDING: Final = "InstallPlanPending"
_PLAN_FAILED: Final = "InstallPlanFailed"
_PENDING: Final = "UpgradePending"
_FAILED: Final = "UpgradeFailed"
_LATEST: Final = "AtLatestKnown"


@attrs.frozen
class Refused:
    """A resolution that ended without a plan: *unsatisfiable*, or with an error; *message* says why."""

    message: str
    unsatisfiable: bool = False

    @property
    def reason(self) -> str:
        """The reason in the condition ``ResolutionFailed``."""
        return "ConstraintsNotSatisfiable" if self.unsatisfiable else "ErrorPreventedResolution"


@attrs.frozen
class NamespaceSync:
    """The outcome of a pass: all *subscriptions* after it, and the new *plan* where it wrote one.

    *resolved* says whether the pass resolved; *error* is why OLM will repeat the pass, "" where it ended well. *unmet*
    are the requirements of installed operators for which the resolution selected bundles, where it made no plan.
    *not_unpacked* are the bundles that it would have to unpack, where it made none because it could not unpack one.
    """

    subscriptions: tuple[SubscriptionObject, ...]
    plan: InstallPlan | None = None
    resolved: bool = False
    error: str = ""
    unmet: tuple[RequirementUnmet, ...] = ()
    not_unpacked: tuple[str, ...] = ()


def is_unpack_failed(subscription: SubscriptionObject) -> bool:
    """Return whether OLM has written into *subscription* that it could not unpack a bundle of the namespace."""
    condition = condition_of(subscription.conditions, UNPACK_FAILED)
    return condition is not None and condition.status == "True"


def _with_unpack_failure(subscriptions: Sequence[SubscriptionObject]) -> tuple[SubscriptionObject, ...]:
    """Return *subscriptions*, each with the unpacking failure of one: it stops the installs of the whole namespace."""
    failed = condition_of(next(filter(is_unpack_failed, subscriptions)).conditions, UNPACK_FAILED)
    assert failed is not None
    return tuple(
        subscription
        if is_unpack_failed(subscription)
        else evolve(subscription, conditions=with_condition(subscription.conditions, failed))
        for subscription in subscriptions
    )


def sync_namespace(
    namespace: str,
    subscriptions: Sequence[SubscriptionObject],
    plans: Sequence[InstallPlan],
    csv_names: Sequence[str],
    groups: Sequence[OperatorGroup],
    resolve: Callable[[], PlannedSteps | Refused],
) -> NamespaceSync:
    """Return the outcome of one pass over *namespace*, given its objects.

    *subscriptions*, *plans*, *csv_names* (of its operators) and *groups* are the objects of the namespace. *resolve* is
    called at most once. A new plan has no name yet: the subscriptions that wait for it have ``install-`` in its place.
    """
    if not subscriptions:
        return NamespaceSync(())
    try:
        forward = fail_forward_enabled(groups)
    except FailForwardError as error:
        return NamespaceSync(tuple(subscriptions), error=error.reason)
    subscriptions_now = _with_states(subscriptions, plans, csv_names, forward=forward)
    # OLM writes the changed subscriptions and waits for the next pass, which sees them as they are on the cluster.
    if subscriptions_now != tuple(subscriptions):
        return NamespaceSync(subscriptions_now)
    if all(subscription.install_plan and subscription.state == _PENDING for subscription in subscriptions):
        return NamespaceSync(subscriptions_now)
    outcome = resolve()
    if isinstance(outcome, Refused):
        failed = Condition(RESOLUTION_FAILED, "True", outcome.reason, outcome.message)
        after = tuple(
            evolve(subscription, conditions=with_condition(subscription.conditions, failed))
            for subscription in subscriptions_now
        )
        return NamespaceSync(after, resolved=True, error="" if outcome.unsatisfiable else outcome.message)
    return _planned(namespace, subscriptions_now, plans, outcome)


def without_lost_plans(
    subscriptions: Sequence[SubscriptionObject], plans: Sequence[InstallPlan], csv_names: Sequence[str]
) -> tuple[SubscriptionObject, ...]:
    """Return *subscriptions*, none of which waits for a plan that is not among *plans*.

    *csv_names* are the operators of the namespace: nobody waits for one that is there. As recorded, where somebody
    deletes a plan before it is carried out, OLM forgets it and the operator that it would have brought, and resolves
    anew. Where the operator was installed and is gone, OLM keeps waiting for it, with or without its plan.
    """
    present = {plan.name for plan in plans}

    def waits_for_nothing(subscription: SubscriptionObject) -> bool:
        is_waiting = (
            subscription.state == _PENDING and subscription.install_plan and subscription.current_csv not in csv_names
        )
        was_installed = subscription.current_csv == subscription.installed_csv
        return bool(is_waiting and subscription.install_plan not in present and not was_installed)

    return tuple(
        evolve(
            subscription,
            state="",
            current_csv="",
            install_plan="",
            conditions=without_conditions(subscription.conditions, (_PLAN_PENDING, _PLAN_FAILED)),
        )
        if waits_for_nothing(subscription)
        else subscription
        for subscription in subscriptions
    )


def noted_subscriptions(
    subscriptions: Sequence[SubscriptionObject],
    plans: Sequence[InstallPlan],
    csv_names: Sequence[str],
    groups: Sequence[OperatorGroup],
) -> tuple[SubscriptionObject, ...]:
    """Return *subscriptions* as OLM leaves them before it resolves: with what became of their plans and operators.

    The subscriptions that it returns stay as they are when they are given to it.
    """
    subscriptions = without_lost_plans(subscriptions, plans, csv_names)
    try:
        forward = fail_forward_enabled(groups)
    except FailForwardError:
        return tuple(subscriptions)
    return _with_states(subscriptions, plans, csv_names, forward=forward)


def _with_states(
    subscriptions: Iterable[SubscriptionObject],
    plans: Iterable[InstallPlan],
    csv_names: Iterable[str],
    *,
    forward: bool,
) -> tuple[SubscriptionObject, ...]:
    phases, present = {plan.name: plan.phase for plan in plans}, frozenset(csv_names)
    return tuple(_with_state(subscription, phases, present, forward=forward) for subscription in subscriptions)


def _with_state(
    subscription: SubscriptionObject, phases: dict[str, str], present: frozenset[str], *, forward: bool
) -> SubscriptionObject:
    """Return *subscription* with a state that follows from its plan and its current operator.

    *phases* are the phases of the namespace's plans by name, *present* the names of its operators; *forward* says
    whether the namespace fails forward, which alone notes failed plans.
    """
    current = subscription.current_csv
    if not current:
        return subscription
    if current in present:
        if subscription.state == _LATEST:
            return subscription
        return evolve(subscription, state=_LATEST, installed_csv=current)
    # An operator that is there counts for more than the plan that brought it, which may have failed after that step.
    failed = forward and phases.get(subscription.install_plan) == "Failed"
    return evolve(subscription, state=_FAILED if failed else _PENDING)


def _planned(
    namespace: str, subscriptions: tuple[SubscriptionObject, ...], plans: Sequence[InstallPlan], planned: PlannedSteps
) -> NamespaceSync:
    """Return the subscriptions after the resolution *planned*, and the install plan that its steps need."""
    if planned.lookups and any(map(is_unpack_failed, subscriptions)):
        packed = tuple(lookup.identifier for lookup in planned.lookups)
        return NamespaceSync(_with_unpack_failure(subscriptions), resolved=True, not_unpacked=packed)
    current = {subscription.name: subscription.current_csv for subscription in planned.updated}
    after = tuple(_resolved(subscription, current.get(subscription.name, "")) for subscription in subscriptions)
    # Steps alone make no plan: the steps of an operator that waits, that somebody deleted, or that an installed
    # operator requires, change no subscription.
    if not planned.updated or not (planned.steps or planned.lookups):
        return NamespaceSync(after, resolved=True, unmet=planned.unmet)
    plan = new_install_plan(namespace, planned, subscriptions, following_generation(subscriptions, plans))
    waiting = tuple(
        evolve(subscription, state=_PENDING, install_plan="install-", install_plan_generation=plan.spec_generation)
        if subscription.name in current
        else subscription
        for subscription in after
    )
    return NamespaceSync(waiting, plan, resolved=True)


def _resolved(subscription: SubscriptionObject, current: str) -> SubscriptionObject:
    """Return *subscription* after a resolution, with the operator *current* where it changed ("" where it did not).

    As recorded, conditions about unpacking stay on a subscription whose operator changes.
    """
    gone = {RESOLUTION_FAILED} if current else {RESOLUTION_FAILED, UNPACKING, UNPACK_FAILED}
    return evolve(
        subscription,
        current_csv=current or subscription.current_csv,
        conditions=without_conditions(subscription.conditions, gone),
    )
