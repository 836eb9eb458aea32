"""The install plan of a namespace: its approval, its content, and its way from phase to phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olmsolve._records import evolve
from olmsolve.cluster.install_plans.steps import PlannedSteps
from olmsolve.cluster.objects import (
    OLM_API_VERSION,
    Condition,
    InstallPlan,
    Metadata,
    OwnerReference,
    SubscriptionObject,
    without_conditions,
)

AUTOMATIC: Final = "Automatic"
MANUAL: Final = "Manual"

_INSTALLED: Final = "Installed"
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
    named = [step.name for step in planned.steps if step.kind == "ClusterServiceVersion"]
    named += [lookup.identifier for lookup in planned.lookups if lookup.identifier]
    sources = [step.source for step in planned.steps] + [lookup.source for lookup in planned.lookups]
    return InstallPlan(
        metadata=Metadata(name="", namespace=namespace, owner_references=tuple(map(_owner, subscriptions))),
        csv_names=tuple(dict.fromkeys(named)),
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
