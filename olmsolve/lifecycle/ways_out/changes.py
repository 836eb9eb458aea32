"""Changes of a cluster's objects that an administrator can make about a hindrance, by the harm that each can do.

Every change can apply itself to the objects, as the cluster would stand after the administrator's command; how OLM goes
on from there is for a simulation to tell. A change without effect on the objects (waiting, mending what no object of
the dump shows) leaves them as they are, or as they will be once that is done.
"""

from __future__ import annotations

import enum
from typing import ClassVar, Final, TypeAlias

from olmsolve._records import Record, evolve, field, record
from olmsolve.cluster import ClusterState
from olmsolve.cluster.install_plans import UNPACK_FAILED
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterServiceVersion,
    Condition,
    InstallPlan,
    Metadata,
    OperatorCondition,
    OperatorGroup,
    OtherObject,
    SubscriptionObject,
    without_conditions,
)


class Harm(enum.IntEnum):
    """The harm that a change can do, from none to the loss of what is there."""

    WAIT = 0
    REPAIR = 1
    APPROVE = 2
    PATCH = 3
    ADD = 4
    MOVE = 5
    REMOVE = 6


@record
class _ClusterChange(Record):
    """A change of a cluster's objects."""

    harm: ClassVar[Harm]
    risk: ClassVar[str] = ""
    namespace: str = field("The namespace of the change.")

    def apply(self, state: ClusterState) -> ClusterState:
        """Return *state* after the change."""
        return state


@record(says="wait: {reason}")
class AwaitOlm(_ClusterChange):
    """Change nothing: OLM, or an operator, gets on by itself, for the *reason*."""

    harm: ClassVar[Harm] = Harm.WAIT
    reason: str = field("Why waiting is enough.")


@record(says="wait until catalog {catalog} answers again: OLM connects by itself, and its pod says why it does not")
class AwaitCatalog(_ClusterChange):
    """Change nothing: OLM connects to the *catalog* (``namespace/name``) again by itself."""

    harm: ClassVar[Harm] = Harm.WAIT
    catalog: str = field("The catalog, namespace/name.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _ready(state, self.catalog)


@record(says="repair catalog {catalog}: its pod and its status say what it lacks")
class RepairSource(_ClusterChange):
    """Let OLM read the *catalog* (``namespace/name``) again."""

    harm: ClassVar[Harm] = Harm.REPAIR
    catalog: str = field("The catalog, namespace/name.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _ready(state, self.catalog)


@record(
    says="let the nodes pull the image of the bundle (the failing unpack job says why not), then delete the job: OLM "
    "unpacks anew, and does so by itself after some minutes"
)
class RepairUnpacking(_ClusterChange):
    """Mend what keeps bundles from being unpacked; the jobs are in the namespaces of the *catalogs*."""

    harm: ClassVar[Harm] = Harm.REPAIR
    catalogs: tuple[str, ...] = field("The namespaces of the catalogs, where the jobs are.")

    def apply(self, state: ClusterState) -> ClusterState:
        return state.having(
            *(
                evolve(each, conditions=without_conditions(each.conditions, (UNPACK_FAILED,)))
                for each in state.all(SubscriptionObject, self.namespace)
            )
        )


@record(says="grant service account {account} of namespace {namespace} the right that it lacks, as OLM's message says")
class GrantRight(_ClusterChange):
    """Grant the service *account* of an operator group what a plan or an operator needs."""

    harm: ClassVar[Harm] = Harm.REPAIR
    risk: ClassVar[str] = "whoever may create subscriptions in the namespace gets at this right"
    account: str = field("The service account.")
    reason: str = field("The API server's message.")


@record(says="approve install plan {namespace}/{plan}")
class ApprovePlan(_ClusterChange):
    """Approve the install *plan* that waits."""

    harm: ClassVar[Harm] = Harm.APPROVE
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(InstallPlan, self.namespace, self.plan)
        return state if found is None else state.having(evolve(found, approved=True))


@record(says="override condition Upgradeable of operator {namespace}/{operator}, so that it can be replaced now")
class OverrideUpgradeable(_ClusterChange):
    """Override the condition with which the *operator* lets no newer one replace it."""

    harm: ClassVar[Harm] = Harm.PATCH
    risk: ClassVar[str] = "the operator says that it must not be replaced now, and its data may suffer"
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        condition = state.get(OperatorCondition, self.namespace, self.operator)
        if condition is None:
            return state
        override = Condition("Upgradeable", "True", "Overridden", "an administrator lets the operator be replaced")
        return state.having(evolve(condition, overrides=(override,)))


@record(says="let subscription {namespace}/{subscription} own operator {operator} (a patch of its status)")
class OwnOperator(_ClusterChange):
    """Write into the status of a *subscription* that it has the *operator* installed, which nobody owns."""

    harm: ClassVar[Harm] = Harm.PATCH
    risk: ClassVar[str] = "the operator is updated from then on, as the subscription says"
    subscription: str = field("The subscription.")
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(SubscriptionObject, self.namespace, self.subscription)
        if found is None:
            return state
        return state.having(
            evolve(found, installed_csv=self.operator, current_csv=self.operator, state="AtLatestKnown")
        )


@record(says="have whoever set {finalizers} on operator {namespace}/{operator} finish, or take the finalizers off")
class ReleaseOperator(_ClusterChange):
    """Let go an *operator* whose deletion was asked for, and that *finalizers* keep."""

    harm: ClassVar[Harm] = Harm.PATCH
    risk: ClassVar[str] = "whoever set a finalizer has something to clean up first"
    operator: str = field("The operator.")
    finalizers: tuple[str, ...] = field("The finalizers that keep it.")

    def apply(self, state: ClusterState) -> ClusterState:
        held = state.get(ClusterServiceVersion, self.namespace, self.operator)
        return state if held is None else state.without(held)


@record
class RetargetGroup(_ClusterChange):
    """Let an operator *group* serve other *targets*: its own namespace, or () for all namespaces."""

    harm: ClassVar[Harm] = Harm.PATCH
    risk: ClassVar[str] = "every operator of the namespace serves the new targets and no others"
    group: str = field("The operator group.")
    targets: tuple[str, ...] = field("Its targets, none for all namespaces.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(OperatorGroup, self.namespace, self.group)
        if found is None:
            return state
        status = self.targets or ("",)
        return state.having(evolve(found, target_namespaces=self.targets, selector=None, namespaces=status))

    def __str__(self) -> str:
        what = f"namespace {', '.join(self.targets)} alone" if self.targets else "all namespaces"
        return f"let operator group {self.namespace}/{self.group} serve {what}"


@record(says="let operator group {namespace}/{group} fail forward (spec.upgradeStrategy: TechPreviewUnsafeFailForward)")
class LetFailForward(_ClusterChange):
    """Let failed operators and plans of the namespace of *group* be left behind by a newer version."""

    harm: ClassVar[Harm] = Harm.PATCH
    risk: ClassVar[str] = "a technology preview: what a failed update has left half done is not cleaned up"
    group: str = field("The operator group.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(OperatorGroup, self.namespace, self.group)
        forward = "TechPreviewUnsafeFailForward"
        return state if found is None else state.having(evolve(found, upgrade_strategy=forward))


@record(says="create service account {namespace}/{account}, with the rights that the plans need")
class CreateAccount(_ClusterChange):
    """Create the service *account* that an operator group names."""

    harm: ClassVar[Harm] = Harm.ADD
    risk: ClassVar[str] = "whoever may create subscriptions in the namespace gets at the rights of the account"
    account: str = field("The service account.")

    def apply(self, state: ClusterState) -> ClusterState:
        metadata = Metadata(self.account, self.namespace)
        return state.having(OtherObject(metadata=metadata, api_version="v1", kind="ServiceAccount"))


@record(says="create an operator group in namespace {namespace} that serves the namespace alone")
class CreateGroup(_ClusterChange):
    """Create the operator group that the namespace lacks."""

    harm: ClassVar[Harm] = Harm.ADD

    def apply(self, state: ClusterState) -> ClusterState:
        metadata = Metadata(self.namespace, self.namespace)
        return state.having(OperatorGroup(metadata=metadata, target_namespaces=(self.namespace,)))


@record(says="subscribe to package {package} of catalog {source_namespace}/{source}, channel {channel}")
class SubscribeTo(_ClusterChange):
    """Create a subscription for a *package* that an installed operator, or a house rule, needs."""

    harm: ClassVar[Harm] = Harm.ADD
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


@record(says="delete subscription {namespace}/{subscription} and create it anew: its operator {operator} is gone")
class RenewSubscription(_ClusterChange):
    """Delete the *subscription* whose *operator* is gone, and create it anew."""

    harm: ClassVar[Harm] = Harm.REMOVE
    risk: ClassVar[str] = "the newest version comes, or the one that spec.startingCSV names"
    subscription: str = field("The subscription.")
    operator: str = field("The operator that is gone.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(SubscriptionObject, self.namespace, self.subscription)
        if found is None:
            return state
        empty: dict[str, str] = {"installed_csv": "", "current_csv": "", "state": "", "install_plan": ""}
        return state.having(evolve(found, conditions=(), **empty))


@record(says="delete install plan {namespace}/{plan} once the cause is mended: OLM writes it anew")
class DeletePlan(_ClusterChange):
    """Delete a failed install *plan*, whose operators never came."""

    harm: ClassVar[Harm] = Harm.REMOVE
    risk: ClassVar[str] = "the new plan fails like the old one while the cause is there"
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(InstallPlan, self.namespace, self.plan)
        return state if found is None else state.without(found)


@record(says="delete operator group {namespace}/{group}")
class DeleteGroup(_ClusterChange):
    """Delete one of several operator groups."""

    harm: ClassVar[Harm] = Harm.REMOVE
    group: str = field("The operator group.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(OperatorGroup, self.namespace, self.group)
        return state if found is None else state.without(found)


@record(says="delete subscription {namespace}/{subscription}; an operator that it has installed stays")
class DeleteSubscription(_ClusterChange):
    """Delete one *subscription*, which asks for what cannot be, or what another asks for as well."""

    harm: ClassVar[Harm] = Harm.REMOVE
    risk: ClassVar[str] = "what it has installed gets no updates from it"
    subscription: str = field("The subscription.")

    def apply(self, state: ClusterState) -> ClusterState:
        found = state.get(SubscriptionObject, self.namespace, self.subscription)
        return state if found is None else state.without(found)


ClusterChange: TypeAlias = (
    AwaitOlm
    | AwaitCatalog
    | RepairSource
    | RepairUnpacking
    | GrantRight
    | ApprovePlan
    | OverrideUpgradeable
    | OwnOperator
    | ReleaseOperator
    | RetargetGroup
    | LetFailForward
    | CreateAccount
    | CreateGroup
    | SubscribeTo
    | RenewSubscription
    | DeletePlan
    | DeleteGroup
    | DeleteSubscription
)

UNTRIED: Final = (AwaitOlm, GrantRight)
"""The changes that no objects of a dump can show."""


def _ready(state: ClusterState, catalog: str) -> ClusterState:
    namespace, _, name = catalog.partition("/")
    found = state.get(CatalogSource, namespace, name)
    return state if found is None else state.having(evolve(found, state=CatalogSource.READY, reason="", message=""))
