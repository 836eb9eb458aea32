"""Changes that create objects, or delete them: the last to think of."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import evolve, field, record
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import (
    ClusterServiceVersion,
    InstallPlan,
    Metadata,
    OperatorGroup,
    OtherObject,
    SubscriptionObject,
)
from olmsolve.lifecycle.ways_out.model import Harm, ObjectsChange


@record(says="create service account {namespace}/{account}, with the rights that the plans need")
class CreateAccount(ObjectsChange):
    """Create the service *account* that an operator group names."""

    _harm: ClassVar[Harm] = Harm.ADD
    _risk: ClassVar[str] = "everybody who may create subscriptions in the namespace then has the rights of the account"
    account: str = field("The service account.")

    def apply(self, state: ClusterState) -> ClusterState:
        metadata = Metadata(self.account, self.namespace)
        return state.having(OtherObject(metadata=metadata, api_version="v1", kind="ServiceAccount"))


@record
class CreateCatalog(ObjectsChange):
    """Create the *catalog* (``namespace/name``) that *subscriptions* name; what it contains, no object says."""

    _harm: ClassVar[Harm] = Harm.ADD
    subscriptions: tuple[str, ...] = field("The subscriptions that name it.")
    catalog: str = field("The catalog, namespace/name.")

    def __str__(self) -> str:
        names = ", ".join(self.subscriptions)
        who = f"subscription {names} names" if len(self.subscriptions) == 1 else f"subscriptions {names} name"
        return f"create catalog {self.catalog} again, which {who} and which is not there"


@record(says="create an operator group in namespace {namespace} that serves only this namespace")
class CreateGroup(ObjectsChange):
    """Create the operator group that the namespace lacks."""

    _harm: ClassVar[Harm] = Harm.ADD

    def apply(self, state: ClusterState) -> ClusterState:
        metadata = Metadata(self.namespace, self.namespace)
        return state.having(OperatorGroup(metadata=metadata, target_namespaces=(self.namespace,)))


@record(says="subscribe to package {package} of catalog {source_namespace}/{source}, channel {channel}")
class SubscribeTo(ObjectsChange):
    """Create a subscription for a *package* that an installed operator, or a house rule, needs."""

    _harm: ClassVar[Harm] = Harm.ADD
    package: str = field("The package.")
    channel: str = field("The channel.")
    source: str = field("The catalog.")
    source_namespace: str = field("Its namespace.")

    def apply(self, state: ClusterState) -> ClusterState:
        metadata = Metadata(self.package, self.namespace)
        return state.having(
            SubscriptionObject(
                metadata=metadata,
                package=self.package,
                channel=self.channel,
                source=self.source,
                source_namespace=self.source_namespace,
            )
        )


@record(says="delete subscription {namespace}/{subscription} and create it again: its operator {operator} is gone")
class RenewSubscription(ObjectsChange):
    """Delete the *subscription* whose *operator* is gone, and create it again."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    _risk: ClassVar[str] = "the newest version comes, or the one that spec.startingCSV names"
    subscription: str = field("The subscription.")
    operator: str = field("The operator that is gone.")

    def apply(self, state: ClusterState) -> ClusterState:
        subscription = state.get(SubscriptionObject, self.namespace, self.subscription)
        if subscription is None:
            return state
        empty: dict[str, str] = {"installed_csv": "", "current_csv": "", "state": "", "install_plan": ""}
        return state.having(evolve(subscription, conditions=(), **empty))


@record(says="delete install plan {namespace}/{plan} once the cause is removed: OLM writes a new one")
class DeletePlan(ObjectsChange):
    """Delete a failed install *plan*, whose operators never came."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    _risk: ClassVar[str] = "the new plan fails like the old one while the cause is there"
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        plan = state.get(InstallPlan, self.namespace, self.plan)
        return state if plan is None else state.without(plan)


@record(says="delete operator group {namespace}/{group}")
class DeleteGroup(ObjectsChange):
    """Delete one of several operator groups."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    group: str = field("The operator group.")

    def apply(self, state: ClusterState) -> ClusterState:
        group = state.get(OperatorGroup, self.namespace, self.group)
        return state if group is None else state.without(group)


@record(says="remove the installed operator {operator}")
class RemoveInstalled(ObjectsChange):
    """Delete an installed *operator*, so that another can come in its place."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    _risk: ClassVar[str] = "it is gone until another takes its place, and nobody manages its objects meanwhile"
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        csv = state.get(ClusterServiceVersion, self.namespace, self.operator)
        return state if csv is None else state.without(csv)


@record
class DeleteSubscription(ObjectsChange):
    """Delete one *subscription*, which asks for what cannot be, or what another asks for as well.

    The *operator* that it has installed stays.
    """

    _harm: ClassVar[Harm] = Harm.REMOVE
    subscription: str = field("The subscription.")
    operator: str = field("What it has installed, empty for nothing.", default="")

    @property
    def risk(self) -> str:
        return f"{self.operator} gets no updates any more" if self.operator else ""

    def __str__(self) -> str:
        stays = f"; its operator {self.operator} stays" if self.operator else ""
        return f"delete subscription {self.namespace}/{self.subscription}{stays}"

    def apply(self, state: ClusterState) -> ClusterState:
        subscription = state.get(SubscriptionObject, self.namespace, self.subscription)
        return state if subscription is None else state.without(subscription)
