"""Conditions that OLM itself has written into the status of a namespace: faults, and work under way.

These are the cluster's own words, from the moment of the dump. They come before anything that is computed, and stay out
only where another hindrance tells the same: a plan that waits, or one that failed, speaks for its subscriptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve.cluster.hindrances import GroupAccountMissing, PlanNotFinished, SubscriptionsReport
from olmsolve.cluster.objects import InstallPlan, SubscriptionObject, condition_of
from olmsolve.cluster.state import NamespaceObjects

FAULTS: Final = ("CatalogSourcesUnhealthy", "ResolutionFailed", "BundleUnpackFailed", "BundleUnpacking")
"""Condition types of Subscriptions that say, where they are True, what keeps OLM from a plan."""
ABOUT_PLANS: Final = ("InstallPlanMissing", "InstallPlanFailed", "InstallPlanPending")
"""Condition types of Subscriptions about the plan that their status names."""
_ENDED: Final = frozenset({"Complete", "Failed", "RequiresApproval"})
_MISSING_ACCOUNT: Final = "OperatorGroupServiceAccount"


def reports_of_subscriptions(objects: NamespaceObjects) -> Iterator[SubscriptionsReport]:
    """Yield the conditions of a namespace's subscriptions that report faults, equal ones together.

    OLM writes the failure of a resolution into every subscription of the namespace.
    """
    plans = {plan.name for plan in objects.plans}
    reports: dict[tuple[str, str, str], list[str]] = {}
    for subscription in objects.subscriptions:
        for type_ in (*FAULTS, *ABOUT_PLANS):
            condition = condition_of(subscription.conditions, type_)
            if condition is None or condition.status != "True" or _is_told_by_its_plan(subscription, type_, plans):
                continue
            reports.setdefault((type_, condition.reason, condition.message), []).append(subscription.name)
    for (type_, reason, message), names in reports.items():
        yield SubscriptionsReport(objects.namespace, tuple(names), type_, reason, message)


def _is_told_by_its_plan(subscription: SubscriptionObject, condition: str, plans: set[str]) -> bool:
    """Return whether *condition* is about a plan that is there, and so speaks for itself."""
    return condition in ABOUT_PLANS and condition != "InstallPlanMissing" and subscription.install_plan in plans


def unfinished_plans(objects: NamespaceObjects) -> Iterator[PlanNotFinished]:
    """Yield the install plans that OLM has begun and not finished, if their status says what they wait for."""
    for plan in objects.plans:
        reason, message = _waiting_for(plan)
        if plan.phase not in _ENDED and (reason or message):
            yield PlanNotFinished(plan.namespace, plan.name, plan.csv_names, plan.phase, reason, message)


def _waiting_for(plan: InstallPlan) -> tuple[str, str]:
    """Return the reason and the message for the plan's phase: of a bundle to unpack, or of the plan itself."""
    # Steps come after all bundles are unpacked, so that a message about a step is the later word.
    for lookup in () if plan.message else plan.bundle_lookups:
        for type_ in ("BundleLookupFailed", "BundleLookupPending"):
            condition = condition_of(lookup.conditions, type_)
            if condition is not None and condition.status == "True" and (condition.reason or condition.message):
                return condition.reason, condition.message or f"bundle {lookup.identifier} is not unpacked"
    installed = condition_of(plan.conditions, "Installed")
    if installed is not None and installed.status == "False":
        return installed.reason, installed.message or plan.message
    return "", plan.message


def missing_accounts(objects: NamespaceObjects) -> Iterator[GroupAccountMissing]:
    """Yield the operator groups whose status says that the service account of their plans cannot be had."""
    for group in objects.groups:
        condition = condition_of(group.conditions, _MISSING_ACCOUNT)
        if condition is not None and condition.status == "True":
            yield GroupAccountMissing(group.namespace, group.name, condition.reason, condition.message)
