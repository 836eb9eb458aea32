"""Changes of a cluster's objects, in the order of the harm that each can do: from waiting to deleting.

Every change can apply itself to the objects, as they would be after the administrator's command; a simulation shows how
OLM goes on from there. A change without effect on the objects (waiting, mending what no object of the dump shows)
leaves them as they are, or as they will be once that is done.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from olmsolve._records import Record, evolve, field, record
from olmsolve.cluster import ClusterState
from olmsolve.cluster.catalogs import EXCLUDE_GLOBAL
from olmsolve.cluster.install_plans import UNPACK_FAILED
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterObject,
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
class ObjectsChange(Record):
    """A change of a cluster's objects."""

    _harm: ClassVar[Harm]
    _risk: ClassVar[str] = ""
    is_shown: ClassVar[bool] = True
    """Whether the objects of a dump can show its effect, so that a simulation can try it."""
    namespace: str = field("The namespace of the change.")

    @property
    def harm(self) -> Harm:
        """The harm that the change can do."""
        return self._harm

    @property
    def risk(self) -> str:
        """The danger of the change in words, "" for none."""
        return self._risk

    def apply(self, state: ClusterState) -> ClusterState:
        """Return *state* after the change."""
        return state


def _patched(
    state: ClusterState, kind: type[ClusterObject], namespace: str, name: str, /, **fields: object
) -> ClusterState:
    """Return *state* with other *fields* of an object; a state without the object stays as it is."""
    present = state.get(kind, namespace, name)
    return state if present is None else state.having(evolve(present, **fields))


def _without(state: ClusterState, kind: type[ClusterObject], namespace: str, name: str) -> ClusterState:
    """Return *state* without an object; a state without the object stays as it is."""
    present = state.get(kind, namespace, name)
    return state if present is None else state.without(present)


def _ready(state: ClusterState, catalog: str) -> ClusterState:
    namespace, _, name = catalog.partition("/")
    return _patched(state, CatalogSource, namespace, name, state=CatalogSource.READY, reason="", message="")


@record(says="wait: {reason}")
class AwaitOlm(ObjectsChange):
    """Change nothing: OLM, or an operator, gets on by itself, for the *reason*."""

    _harm: ClassVar[Harm] = Harm.WAIT
    is_shown: ClassVar[bool] = False
    reason: str = field("Why waiting is enough.")


@record(says="wait until {newer}, whose installation is under way, has replaced {operator}")
class AwaitReplacement(ObjectsChange):
    """Change nothing: the operator *newer* is being installed, and then takes the place of *operator*."""

    _harm: ClassVar[Harm] = Harm.WAIT
    is_shown: ClassVar[bool] = False
    operator: str = field("The operator that gives way.")
    newer: str = field("The operator whose installation is under way.")


@record(says="wait until catalog {catalog} answers again: OLM connects by itself, and its pod says why it does not")
class AwaitCatalog(ObjectsChange):
    """Change nothing: OLM connects to the *catalog* (``namespace/name``) again by itself."""

    _harm: ClassVar[Harm] = Harm.WAIT
    catalog: str = field("The catalog, namespace/name.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _ready(state, self.catalog)


@record(says="repair catalog {catalog}: its pod and its status say what is wrong")
class RepairSource(ObjectsChange):
    """Let OLM read the *catalog* (``namespace/name``) again."""

    _harm: ClassVar[Harm] = Harm.REPAIR
    catalog: str = field("The catalog, namespace/name.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _ready(state, self.catalog)


@record(
    says="let the nodes pull the image of the bundle (the failing unpack job says why not), then delete the job: OLM "
    "then unpacks it again, as it also does by itself after some minutes"
)
class RepairUnpacking(ObjectsChange):
    """Mend what keeps bundles from being unpacked; the jobs are in the namespaces of the *catalogs*."""

    _harm: ClassVar[Harm] = Harm.REPAIR
    catalogs: tuple[str, ...] = field("The namespaces of the catalogs, where the jobs are.")

    def apply(self, state: ClusterState) -> ClusterState:
        return state.having(
            *(
                evolve(subscription, conditions=without_conditions(subscription.conditions, (UNPACK_FAILED,)))
                for subscription in state.all(SubscriptionObject, self.namespace)
            )
        )


@record(says="grant service account {account} of namespace {namespace} the right that it lacks, as OLM's message says")
class GrantRight(ObjectsChange):
    """Grant the service *account* of an operator group what a plan or an operator needs."""

    _harm: ClassVar[Harm] = Harm.REPAIR
    is_shown: ClassVar[bool] = False
    _risk: ClassVar[str] = "everybody who may create subscriptions in the namespace then has this right"
    account: str = field("The service account.")
    reason: str = field("The API server's message.")


@record(says="get the pods of operator {namespace}/{operator} to run: their events say what is missing")
class RepairDeployments(ObjectsChange):
    """Let the deployments of an *operator* that is being installed become available."""

    _harm: ClassVar[Harm] = Harm.REPAIR
    is_shown: ClassVar[bool] = False
    operator: str = field("The operator.")


@record(says="approve install plan {namespace}/{plan}")
class ApprovePlan(ObjectsChange):
    """Approve the install *plan* that waits."""

    _harm: ClassVar[Harm] = Harm.APPROVE
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _patched(state, InstallPlan, self.namespace, self.plan, approved=True)


@record(says="override condition Upgradeable of operator {namespace}/{operator}, so that it can be replaced now")
class OverrideUpgradeable(ObjectsChange):
    """Override the condition with which the *operator* lets no newer one replace it."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "the operator says that it must not be replaced now, and its data may suffer"
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        override = Condition("Upgradeable", "True", "Overridden", "an administrator lets the operator be replaced")
        return _patched(state, OperatorCondition, self.namespace, self.operator, overrides=(override,))


@record(says="let subscription {namespace}/{subscription} own operator {operator} (a patch of its status)")
class OwnOperator(ObjectsChange):
    """Write into the status of a *subscription* that it has the *operator* installed, which nobody owns."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "the operator is updated from then on, as the subscription says"
    subscription: str = field("The subscription.")
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        status = {"installed_csv": self.operator, "current_csv": self.operator, "state": "AtLatestKnown"}
        return _patched(state, SubscriptionObject, self.namespace, self.subscription, **status)


@record(
    says=("let the program that set {finalizers} on operator {namespace}/{operator} finish, or remove the finalizers")
)
class ReleaseOperator(ObjectsChange):
    """Let go an *operator* whose deletion was asked for, and that *finalizers* keep."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "the program that set a finalizer has to clean up first"
    operator: str = field("The operator.")
    finalizers: tuple[str, ...] = field("The finalizers that keep it.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _without(state, ClusterServiceVersion, self.namespace, self.operator)


@record
class RetargetGroup(ObjectsChange):
    """Let an operator *group* serve other *targets*: its own namespace, or () for all namespaces."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "every operator of the namespace serves the new targets and no others"
    group: str = field("The operator group.")
    targets: tuple[str, ...] = field("Its targets, none for all namespaces.")

    def apply(self, state: ClusterState) -> ClusterState:
        fields = {"target_namespaces": self.targets, "selector": None, "namespaces": self.targets or ("",)}
        return _patched(state, OperatorGroup, self.namespace, self.group, **fields)

    def __str__(self) -> str:
        what = f"namespace {', '.join(self.targets)} alone" if self.targets else "all namespaces"
        return f"let operator group {self.namespace}/{self.group} serve {what}"


@record(says="{text}")
class ChangeWish(ObjectsChange):
    """Change what a *subscription* asks for: the *fields* of its spec that differ then."""

    _harm: ClassVar[Harm] = Harm.PATCH
    subscription: str = field("The subscription.")
    text: str = field("What changes.")
    fields: tuple[tuple[str, str], ...] = field("The fields by name, each with its new value.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _patched(state, SubscriptionObject, self.namespace, self.subscription, **dict(self.fields))


@record(says="let namespace {namespace} see no global catalogs (an annotation of its operator group)")
class HideGlobalCatalogs(ObjectsChange):
    """Let the namespace resolve from its own catalogs alone."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "subscriptions of the namespace get nothing new from global catalogs"

    def apply(self, state: ClusterState) -> ClusterState:
        groups = state.all(OperatorGroup, self.namespace)
        hiding = {EXCLUDE_GLOBAL: "true"}
        return state.having(
            *(
                evolve(group, metadata=evolve(group.metadata, annotations={**group.metadata.annotations, **hiding}))
                for group in groups
            )
        )


@record(says="let operator group {namespace}/{group} fail forward (spec.upgradeStrategy: TechPreviewUnsafeFailForward)")
class LetFailForward(ObjectsChange):
    """Let failed operators and plans of the namespace of *group* be left behind by a newer version."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "a technology preview: what a failed update has left half done is not cleaned up"
    group: str = field("The operator group.")

    def apply(self, state: ClusterState) -> ClusterState:
        forward = "TechPreviewUnsafeFailForward"
        return _patched(state, OperatorGroup, self.namespace, self.group, upgrade_strategy=forward)


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
    """Create the *catalog* (``namespace/name``) that *subscriptions* name. No object says what it contains."""

    _harm: ClassVar[Harm] = Harm.ADD
    is_shown: ClassVar[bool] = False
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
        empty = {"conditions": (), **dict.fromkeys(("installed_csv", "current_csv", "state", "install_plan"), "")}
        return _patched(state, SubscriptionObject, self.namespace, self.subscription, **empty)


@record(says="delete install plan {namespace}/{plan} once the cause is removed: OLM writes a new one")
class DeletePlan(ObjectsChange):
    """Delete a failed install *plan*, whose operators never came."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    _risk: ClassVar[str] = "the new plan fails like the old one while the cause is there"
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _without(state, InstallPlan, self.namespace, self.plan)


@record(says="delete operator group {namespace}/{group}")
class DeleteGroup(ObjectsChange):
    """Delete one of several operator groups."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    group: str = field("The operator group.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _without(state, OperatorGroup, self.namespace, self.group)


@record(says="remove the installed operator {operator}")
class RemoveInstalled(ObjectsChange):
    """Delete an installed *operator*, so that another can come in its place."""

    _harm: ClassVar[Harm] = Harm.REMOVE
    _risk: ClassVar[str] = "it is gone until another takes its place, and nobody manages its objects meanwhile"
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        return _without(state, ClusterServiceVersion, self.namespace, self.operator)


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
        return _without(state, SubscriptionObject, self.namespace, self.subscription)
