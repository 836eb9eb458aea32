"""Fixes of a request as changes of the cluster's objects, so that they are simulated and ranked like all others.

A resolution shows that a fix has a plan. Only the objects show the effects of the plan, also on operators elsewhere.
"""

from __future__ import annotations

from typing import ClassVar

import olmsolve._attrs as attrs
from olmsolve._records import field, record
from olmsolve.answers.explain import (
    AddCatalog,
    AwaitUpdate,
    ChangeCatalog,
    ChangeChannel,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    ExcludeGlobalCatalogs,
    FailForward,
    Fix,
    LetOwn,
    RemoveOperator,
    RepairCatalog,
    RequestChange,
    SettleUpdate,
    ShowCatalog,
)
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup, SubscriptionObject
from olmsolve.lifecycle.ways_out.changes import (
    AwaitReplacement,
    ChangeWish,
    DeleteSubscription,
    Harm,
    HideGlobalCatalogs,
    LetFailForward,
    ObjectsChange,
    OverrideUpgradeable,
    OwnOperator,
    RemoveInstalled,
    RepairDeployments,
    RepairSource,
)


@record
class CarryOutFix(ObjectsChange):
    """Carry out a *fix* of a request that is no single change of the objects: its changes together.

    *parts* are the changes of the objects; none where no objects of a dump can show one of them, such as another
    content of a catalog.
    """

    _harm: ClassVar[Harm] = Harm.PATCH
    fix: Fix = attrs.field(eq=str, repr=str)
    parts: tuple[ObjectsChange, ...] = field("The changes of the objects, none where they cannot be shown.", default=())

    @property
    def harm(self) -> Harm:
        return max((part.harm for part in self.parts), default=_harm_of(self.fix))

    @property
    def risk(self) -> str:
        return "; ".join(dict.fromkeys(part.risk for part in self.parts if part.risk))

    def apply(self, state: ClusterState) -> ClusterState:
        for part in self.parts:
            state = part.apply(state)
        return state

    def __str__(self) -> str:
        return str(self.fix)


def _harm_of(fix: Fix) -> Harm:
    """Return the harm of a *fix* that no change of objects expresses, such as a repair or a new catalog."""
    if all(isinstance(change, SettleUpdate) for change in fix.changes):
        return Harm.REPAIR
    return Harm.ADD if any(isinstance(change, AddCatalog | ShowCatalog) for change in fix.changes) else Harm.PATCH


def change_of_fix(fix: Fix, state: ClusterState, namespace: str) -> ObjectsChange:
    """Return *fix*, which gives the request of *namespace* a plan, as a change of the objects in *state*."""
    parts = [_change(change, state, namespace) for change in fix.changes]
    given_parts = [part for part in parts if part is not None]
    if len(given_parts) < len(parts):
        return CarryOutFix(namespace, fix)
    return given_parts[0] if len(given_parts) == 1 else CarryOutFix(namespace, fix, tuple(given_parts))


def _change(change: RequestChange, state: ClusterState, namespace: str) -> ObjectsChange | None:
    """Return *change* as a change of the objects; None where no objects of a dump can show it."""
    match change:
        case AwaitUpdate():
            return AwaitReplacement(namespace, change.operator, change.newer)
        case SettleUpdate(cause="refused"):
            return OverrideUpgradeable(namespace, change.operator)
        case SettleUpdate(cause="unready"):
            return RepairDeployments(namespace, change.operator)
        case ChangeStart():
            return ChangeWish(namespace, change.subscription, str(change), (("starting_csv", change.start),))
        case ChangeChannel():
            return ChangeWish(namespace, change.subscription, str(change), (("channel", change.channel),))
        case ChangePackage():
            return ChangeWish(namespace, change.subscription, str(change), (("package", change.package),))
        case ChangeCatalog():
            fields = (("source", change.source), ("source_namespace", change.source_namespace))
            return ChangeWish(namespace, change.subscription, str(change), fields)
        case LetOwn(new=False):
            return OwnOperator(namespace, change.subscription, change.operator)
        case RepairCatalog():
            return RepairSource(namespace, f"{change.namespace}/{change.name}")
        case ExcludeGlobalCatalogs():
            return HideGlobalCatalogs(namespace)
        case FailForward():
            group = next(iter(state.all(OperatorGroup, namespace)), None)
            return None if group is None else LetFailForward(namespace, group.name)
        case RemoveOperator():
            return RemoveInstalled(namespace, change.operator)
        case DropSubscription():
            return deleted_subscription(state, namespace, change.subscription)
        case _:
            return None


def deleted_subscription(state: ClusterState, namespace: str, name: str) -> DeleteSubscription:
    """Return the deletion of a subscription of *state*, with the operator that stays."""
    subscription = state.get(SubscriptionObject, namespace, name)
    operator = "" if subscription is None else subscription.installed_csv
    present = state.get(ClusterServiceVersion, namespace, operator) is not None
    return DeleteSubscription(namespace, name, operator if present else "")
