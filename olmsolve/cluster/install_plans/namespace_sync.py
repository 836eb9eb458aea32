"""One pass of OLM over the subscriptions of a namespace: what it notes, whether it resolves, and what it writes.

First, what has happened since is noted in the subscriptions; if anything was, that is all for this pass. Nothing is
resolved either while every subscription waits for a plan. Then the resolution's outcome becomes conditions of the
subscriptions and, if there is anything to do, a new install plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import attrs

from olmsolve.cluster.catalogs import with_condition, without_conditions
from olmsolve.cluster.fail_forward import FailForwardError, fail_forward_enabled
from olmsolve.cluster.install_plans.plans import following_generation, new_install_plan
from olmsolve.cluster.install_plans.steps import PlannedSteps
from olmsolve.cluster.objects import Condition, InstallPlan, OperatorGroup, SubscriptionObject

__all__ = ["NamespaceSync", "Refused", "sync_namespace"]

RESOLUTION_FAILED: Final = "ResolutionFailed"
UNPACKING: Final = "BundleUnpacking"
UNPACK_FAILED: Final = "BundleUnpackFailed"
_PENDING: Final = "UpgradePending"
_FAILED: Final = "UpgradeFailed"
_LATEST: Final = "AtLatestKnown"


@attrs.frozen
class Refused:
    """A resolution without a plan: *unsatisfiable*, or kept from an answer by an error; *message* says why."""

    message: str
    unsatisfiable: bool = False

    @property
    def reason(self) -> str:
        """The reason in the condition ``ResolutionFailed``."""
        return "ConstraintsNotSatisfiable" if self.unsatisfiable else "ErrorPreventedResolution"


@attrs.frozen
class NamespaceSync:
    """What a pass wrote: all *subscriptions* as they are now, and the new *plan*, if there is one.

    *resolved* says whether a resolution was tried; *error* why the pass will be repeated ("" if it ended well).
    """

    subscriptions: tuple[SubscriptionObject, ...]
    plan: InstallPlan | None = None
    resolved: bool = False
    error: str = ""


def sync_namespace(
    namespace: str,
    subscriptions: Sequence[SubscriptionObject],
    plans: Sequence[InstallPlan],
    csv_names: Sequence[str],
    groups: Sequence[OperatorGroup],
    resolve: Callable[[], PlannedSteps | Refused],
) -> NamespaceSync:
    """One pass over *namespace*, whose *subscriptions*, install *plans*, operators and operator *groups* these are.

    *resolve* is called at most once. The name of a new plan is not known yet: the subscriptions that wait for it
    have ``install-`` in its place.
    """
    if not subscriptions:
        return NamespaceSync(())
    try:
        forward = fail_forward_enabled(groups)
    except FailForwardError as error:
        return NamespaceSync(tuple(subscriptions), error=error.reason)
    phases = {plan.name: plan.phase for plan in plans}
    present = frozenset(csv_names)
    noted = tuple(_noted(item, phases, present, forward=forward) for item in subscriptions)
    if noted != tuple(subscriptions):
        return NamespaceSync(noted)
    if all(item.install_plan and item.state == _PENDING for item in subscriptions):
        return NamespaceSync(noted)
    outcome = resolve()
    if isinstance(outcome, Refused):
        failed = Condition(RESOLUTION_FAILED, "True", outcome.reason, outcome.message)
        after = tuple(attrs.evolve(item, conditions=with_condition(item.conditions, failed)) for item in noted)
        return NamespaceSync(after, resolved=True, error="" if outcome.unsatisfiable else outcome.message)
    return _planned(namespace, noted, plans, outcome)


def _noted(
    subscription: SubscriptionObject, phases: dict[str, str], present: frozenset[str], *, forward: bool
) -> SubscriptionObject:
    """*subscription* with what has become of its plan and of its current operator."""
    if forward and subscription.state != _FAILED and phases.get(subscription.install_plan) == "Failed":
        return attrs.evolve(subscription, state=_FAILED)
    current = subscription.current_csv
    if not current:
        return subscription
    if current in present:
        if subscription.state == _LATEST:
            return subscription
        return attrs.evolve(subscription, state=_LATEST, installed_csv=current)
    if forward and subscription.state == _FAILED:
        return subscription
    return attrs.evolve(subscription, state=_PENDING)


def _planned(
    namespace: str, subscriptions: tuple[SubscriptionObject, ...], plans: Sequence[InstallPlan], planned: PlannedSteps
) -> NamespaceSync:
    current = {item.name: item.current_csv for item in planned.updated}
    after = tuple(_resolved(item, current.get(item.name, "")) for item in subscriptions)
    if not planned.steps and not planned.lookups:
        return NamespaceSync(after, resolved=True)
    plan = new_install_plan(namespace, planned, subscriptions, following_generation(subscriptions, plans))
    waiting = tuple(
        attrs.evolve(item, state=_PENDING, install_plan="install-", install_plan_generation=plan.spec_generation)
        if item.name in current
        else item
        for item in after
    )
    return NamespaceSync(waiting, plan, resolved=True)


def _resolved(subscription: SubscriptionObject, current: str) -> SubscriptionObject:
    """As recorded, what was said about unpacking stays where the subscription is about to change."""
    gone = {RESOLUTION_FAILED} if current else {RESOLUTION_FAILED, UNPACKING, UNPACK_FAILED}
    return attrs.evolve(
        subscription,
        current_csv=current or subscription.current_csv,
        conditions=without_conditions(subscription.conditions, gone),
    )
