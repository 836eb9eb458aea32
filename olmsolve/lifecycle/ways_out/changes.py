"""Changes that leave every object where it is: to wait, to repair, to approve, to patch."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import evolve, field, record
from olmsolve.cluster import ClusterState
from olmsolve.cluster.catalogs import EXCLUDE_GLOBAL
from olmsolve.cluster.install_plans import UNPACK_FAILED
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterServiceVersion,
    Condition,
    InstallPlan,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
    without_conditions,
)
from olmsolve.lifecycle.ways_out.model import Harm, ObjectsChange


@record(says="wait: {reason}")
class AwaitOlm(ObjectsChange):
    """Change nothing: OLM, or an operator, gets on by itself, for the *reason*."""

    _harm: ClassVar[Harm] = Harm.WAIT
    reason: str = field("Why waiting is enough.")


@record(says="wait until {newer}, whose installation is under way, has replaced {operator}")
class AwaitReplacement(ObjectsChange):
    """Change nothing: the operator *newer* is being installed, and then takes the place of *operator*."""

    _harm: ClassVar[Harm] = Harm.WAIT
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
    _risk: ClassVar[str] = "everybody who may create subscriptions in the namespace then has this right"
    account: str = field("The service account.")
    reason: str = field("The API server's message.")


@record
class RepairDeployments(ObjectsChange):
    """Let the deployments of an *operator* that is being installed become available."""

    _harm: ClassVar[Harm] = Harm.REPAIR
    operator: str = field("The operator.")

    def __str__(self) -> str:
        return f"get the pods of operator {self.namespace}/{self.operator} to run: their events say what is missing"


@record(says="approve install plan {namespace}/{plan}")
class ApprovePlan(ObjectsChange):
    """Approve the install *plan* that waits."""

    _harm: ClassVar[Harm] = Harm.APPROVE
    plan: str = field("The install plan.")

    def apply(self, state: ClusterState) -> ClusterState:
        plan = state.get(InstallPlan, self.namespace, self.plan)
        return state if plan is None else state.having(evolve(plan, approved=True))


@record(says="override condition Upgradeable of operator {namespace}/{operator}, so that it can be replaced now")
class OverrideUpgradeable(ObjectsChange):
    """Override the condition with which the *operator* lets no newer one replace it."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "the operator says that it must not be replaced now, and its data may suffer"
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        condition = state.get(OperatorCondition, self.namespace, self.operator)
        if condition is None:
            return state
        override = Condition("Upgradeable", "True", "Overridden", "an administrator lets the operator be replaced")
        return state.having(evolve(condition, overrides=(override,)))


@record(says="let subscription {namespace}/{subscription} own operator {operator} (a patch of its status)")
class OwnOperator(ObjectsChange):
    """Write into the status of a *subscription* that it has the *operator* installed, which nobody owns."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "the operator is updated from then on, as the subscription says"
    subscription: str = field("The subscription.")
    operator: str = field("The operator.")

    def apply(self, state: ClusterState) -> ClusterState:
        subscription = state.get(SubscriptionObject, self.namespace, self.subscription)
        if subscription is None:
            return state
        return state.having(
            evolve(subscription, installed_csv=self.operator, current_csv=self.operator, state="AtLatestKnown")
        )


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
        csv = state.get(ClusterServiceVersion, self.namespace, self.operator)
        return state if csv is None else state.without(csv)


@record
class RetargetGroup(ObjectsChange):
    """Let an operator *group* serve other *targets*: its own namespace, or () for all namespaces."""

    _harm: ClassVar[Harm] = Harm.PATCH
    _risk: ClassVar[str] = "every operator of the namespace serves the new targets and no others"
    group: str = field("The operator group.")
    targets: tuple[str, ...] = field("Its targets, none for all namespaces.")

    def apply(self, state: ClusterState) -> ClusterState:
        group = state.get(OperatorGroup, self.namespace, self.group)
        if group is None:
            return state
        status = self.targets or ("",)
        return state.having(evolve(group, target_namespaces=self.targets, selector=None, namespaces=status))

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
        subscription = state.get(SubscriptionObject, self.namespace, self.subscription)
        return state if subscription is None else state.having(evolve(subscription, **dict(self.fields)))


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
        group = state.get(OperatorGroup, self.namespace, self.group)
        forward = "TechPreviewUnsafeFailForward"
        return state if group is None else state.having(evolve(group, upgrade_strategy=forward))


def _ready(state: ClusterState, catalog: str) -> ClusterState:
    namespace, _, name = catalog.partition("/")
    source = state.get(CatalogSource, namespace, name)
    return state if source is None else state.having(evolve(source, state=CatalogSource.READY, reason="", message=""))
