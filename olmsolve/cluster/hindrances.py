"""Hindrances: the causes that can hold back the operators of a namespace, one value a cause.

A value says who is held back, and by what; ``str()`` makes one sentence of it. ``namespace_hindrances`` finds the
hindrances that the objects of a cluster show. Others, which only a resolution finds (a pin, a missing edge), are not
here, except RequirementUnmet: why nothing comes of a resolution.

OLM itself writes some conditions into the status of objects: faults, and work under way. These are the cluster's own
words, from the moment of the dump. They come before anything that is computed, and are left out only where another
hindrance says the same: a plan that waits or has failed is reported instead of its subscriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from olmsolve._records import Record, field, lower_first, record
from olmsolve.cluster.objects import InstallPlan, SubscriptionObject, condition_of
from olmsolve.cluster.state import NamespaceObjects
from olmsolve.errors import NamespaceError
from olmsolve.predicates import Predicate, stated


@record(definition="hindrance", each="hindrance-{kind}", kinds=lower_first, layout=("kind", ..., "text"))
class Hindrance(Record):
    """The causes that can hold back the operators of a namespace; PlanWaits has the kind ``planWaits``."""

    kind: ClassVar[str]
    namespace: str = field("The namespace that is held back, empty for the whole cluster.")


@record
class NamespaceUnresolvable(Hindrance):
    """The objects of the namespace keep it from being resolved, whatever its catalogs contain."""

    reason: str = field("Why.")
    remedy: str = field("What an administrator can do.")
    source: str = field("The file and document of the object at fault, empty where none is.", default="")
    is_open: bool = field(
        "Whether OLM resolves the namespace all the same, but in a way that nobody can know.",
        path="open",
        default=False,
    )

    def __str__(self) -> str:
        verdict = "nobody can say what OLM does" if self.is_open else "OLM resolves nothing"
        return f"{verdict} in namespace {self.namespace}: {self.reason}; {self.remedy}"

    def error(self) -> NamespaceError:
        """Return the error for a caller that wants a request of the namespace."""
        hint = (
            f"OLM follows either of them: {self.remedy}"
            if self.is_open
            else f"OLM resolves nothing there: {self.remedy}"
        )
        return NamespaceError(self.reason, source=self.source, object=f"namespace {self.namespace}", hint=hint)


_REPORTS: Final[Mapping[str, str]] = {
    "CatalogSourcesUnhealthy": "OLM finds catalogs unhealthy",
    "ResolutionFailed": "OLM could not resolve the namespace",
    "BundleUnpackFailed": "OLM could not unpack a bundle",
    "BundleUnpacking": "OLM is unpacking a bundle",
    "InstallPlanMissing": "the install plan is gone",
    "InstallPlanFailed": "the install plan has failed",
    "InstallPlanPending": "the install plan is not finished",
}


@record
class SubscriptionsReport(Hindrance):
    """The *subscriptions* have OLM's *condition* of a fault, or of work under way, in their status."""

    subscriptions: tuple[str, ...] = field("The subscriptions that have the condition.")
    condition: str = field("The type of OLM's condition.", schema={"enum": list(_REPORTS)})
    reason: str = field("OLM's reason.", default="")
    message: str = field("OLM's message.", default="")

    def __str__(self) -> str:
        names = ", ".join(f"{self.namespace}/{name}" for name in self.subscriptions)
        one = "" if len(self.subscriptions) == 1 else "s"
        why = ": ".join(filter(None, (self.reason, self.message)))
        return f"subscription{one} {names}: {_REPORTS[self.condition]}{f' ({why})' if why else ''}"


@record
class PlanNotFinished(Hindrance):
    """The install *plan* is in a *phase* in which OLM works on it, and waits for what *reason* and *message* say."""

    plan: str = field("The install plan.")
    operators: tuple[str, ...] = field("The operators that it is to install.", default=())
    phase: str = field("Its phase.", default="")
    reason: str = field("OLM's reason.", default="")
    message: str = field("OLM's message.", default="")

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        return f"install plan {self.namespace}/{self.plan} is {self.phase or 'new'}, and not finished ({why})"


@record
class GroupAccountMissing(Hindrance):
    """The operator *group* names a service account that OLM cannot use, for *reason* and *message*."""

    group: str = field("The operator group.")
    reason: str = field("OLM's reason.", default="")
    message: str = field("OLM's message.", default="")

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        return (
            f"operator group {self.namespace}/{self.group} cannot use its service account,"
            f" so OLM carries out no install plan ({why})"
        )


@record(says="no operator can act in namespace {namespace}: operator group {group} has a fault, {reason}")
class GroupWithoutTargets(Hindrance):
    """The operator *group* names no namespaces, for the *reason*; operators are installed, and none works."""

    group: str = field("The operator group.")
    reason: str = field("Why.")


@record
class PlanWaits(Hindrance):
    """The install *plan* waits for approval, and with it the *operators* that it would install."""

    plan: str = field("The install plan.")
    operators: tuple[str, ...] = field("The operators that it would install.", default=())

    def __str__(self) -> str:
        operators = ", ".join(self.operators) or "nothing"
        return f"install plan {self.namespace}/{self.plan} waits for approval: {operators}"


@record
class PlanUnderWay(Hindrance):
    """The install *plan* is approved, and nothing keeps OLM from carrying it out: the *operators* come with it."""

    plan: str = field("The install plan.")
    operators: tuple[str, ...] = field("The operators that it installs.", default=())

    def __str__(self) -> str:
        operators = ", ".join(self.operators) or "nothing"
        return f"install plan {self.namespace}/{self.plan} is approved, and OLM will carry it out: {operators}"


@record
class PlanFailed(Hindrance):
    """The install *plan* has failed with *message*; OLM does not try it again."""

    plan: str = field("The install plan.")
    operators: tuple[str, ...] = field("The operators that it was to install.", default=())
    message: str = field("Why.", default="")

    def __str__(self) -> str:
        return f"install plan {self.namespace}/{self.plan} failed{f': {self.message}' if self.message else ''}"


@record(says="install plan {namespace}/{plan} is not carried out: {reason}")
class PlanRefused(Hindrance):
    """The approved install *plan* is not carried out, for OLM's *reason*: it asks again and again."""

    plan: str = field("The install plan.")
    operators: tuple[str, ...] = field("The operators that it would install.", default=())
    reason: str = field("OLM's reason.", default="")


@record
class OperatorNotWorking(Hindrance):
    """The *operator* is in a *phase* other than Succeeded ("" before OLM's first look), for OLM's *reason*."""

    operator: str = field("The operator.")
    phase: str = field("Its phase.")
    reason: str = field("OLM's reason.", default="")
    message: str = field("OLM's message.", default="")

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        phase = self.phase or "not looked at yet"
        return f"operator {self.namespace}/{self.operator} is {phase}{f' ({why})' if why else ''}"


@record(
    says="operator {namespace}/{operator} is {phase}, and OLM removes it by itself, since {replacement} "
    "works in its place; until then it counts as installed"
)
class OperatorGivesWay(Hindrance):
    """The *operator* is in *phase* Replacing or Deleting, and goes by itself, since its *replacement* works."""

    operator: str = field("The operator.")
    phase: str = field("Its phase: Replacing or Deleting.")
    replacement: str = field("The operator that works in its place.")


@record(
    says="operator {namespace}/{operator} may not act in operator group {group}, and OLM will fail it "
    "({reason}: {message})"
)
class OperatorMayNotAct(Hindrance):
    """The working *operator* may not act in its operator *group*: OLM fails it with *reason* and *message*."""

    operator: str = field("The operator.")
    group: str = field("Its operator group.")
    reason: str = field("OLM's reason.")
    message: str = field("OLM's message.")


@record(says="operator {namespace}/{operator} is being deleted, and will disappear by itself")
class OperatorDeleted(Hindrance):
    """The deletion of the *operator* was asked for, and nothing keeps it: what follows is told as if it were gone."""

    operator: str = field("The operator.")


@record(
    says="operator {namespace}/{operator} is being deleted but kept by {finalizers}; until they are removed, it "
    "counts as installed and OLM does nothing for it"
)
class OperatorHeld(Hindrance):
    """The deletion of the *operator* was asked for, and *finalizers* that OLM does not take off keep it."""

    operator: str = field("The operator.")
    finalizers: tuple[str, ...] = field("The finalizers that keep it.")


@record
class OperatorNotUpgradeable(Hindrance):
    """The *operator* lets no newer one replace it, for the *reason*; *newer* waits already, "" where none does."""

    operator: str = field("The operator.")
    reason: str = field("Why.")
    newer: str = field("The operator that waits already, empty if none does.", default="")

    def __str__(self) -> str:
        who = self.newer or "every newer one"
        # An operator may refuse without a message.
        return f"operator {self.namespace}/{self.operator} keeps {who} pending: {self.reason.rstrip(': ')}"


_NOT_READ: Final = (
    "once the content that it read before has expired, OLM resolves nothing until it can read the catalog again"
)


@record
class CatalogNotReady(Hindrance):
    """The *catalog* (``namespace/name``) was not ready when OLM last looked: its connection *state*, or a *reason*."""

    catalog: str = field("The catalog, namespace/name.")
    state: str = field("The state of its connection.", default="")
    reason: str = field("OLM's reason.", default="")
    message: str = field("OLM's message.", default="")

    def __str__(self) -> str:
        what = f"the connection to catalog {self.catalog} is {self.state}" if self.state else f"catalog {self.catalog}"
        why = ": ".join(filter(None, (self.reason, self.message)))
        if self.state:
            # gRPC's own word for a connection that is tried again without anybody's doing.
            reconnecting = "; OLM connects again by itself" if self.state == "TRANSIENT_FAILURE" else ""
            return f"{what}{f' ({why})' if why else ''}{reconnecting}; {_NOT_READ}"
        return f"{what} has a fault ({why}); {_NOT_READ}"


@record
class SubscriptionDeprecated(Hindrance):
    """The catalog of a subscription deprecates its installed bundle, channel or package."""

    subscription: str = field("The subscription.")
    condition: str = field(
        "The type of OLM's condition.", schema={"enum": ["PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"]}
    )
    message: str = field("The author's message.")

    def __str__(self) -> str:
        what = self.condition.removesuffix("Deprecated").lower()
        return f"the {what} of subscription {self.namespace}/{self.subscription} is deprecated: {self.message}"


@record
class OrphanOperator(Hindrance):
    """The *operator* belongs to no subscription, so it must stay; *blocked* subscriptions want its *package*."""

    operator: str = field("The operator.")
    package: str = field("Its package, empty if unknown.", default="")
    blocked: tuple[str, ...] = field("The subscriptions that want another bundle of the package.", default=())

    def __str__(self) -> str:
        text = (
            f"operator {self.namespace}/{self.operator} belongs to no subscription, so it must stay and gets no updates"
        )
        if not self.blocked:
            return text
        one = len(self.blocked) == 1
        wanting = f"subscription{'' if one else 's'} {', '.join(self.blocked)} want{'s' if one else ''}"
        return f"{text}; {wanting} another bundle of its package {self.package}"


@record(
    says="operator {namespace}/{operator} of subscription {subscription} is gone, and OLM does not "
    "install it again; delete the subscription and create it again"
)
class OperatorMissing(Hindrance):
    """The *operator* that the *subscription* had installed is gone, and no plan brings it.

    A plan follows only where a resolution changes a subscription, and this one has its operator, as it believes.
    """

    operator: str = field("The operator.")
    subscription: str = field("The subscription that had it installed.")


@record
class RequirementUnmet(Hindrance):
    """The installed *operator* has a *requirement* that no installed operator meets, and no plan brings the *provider*.

    A resolution selects the *provider*, a bundle of *package* for which nobody has a subscription. It comes to nothing:
    a plan follows only where a resolution changes a subscription.
    """

    operator: str = field("The operator.")
    requirement: Predicate = field("What it requires, in words.", written=str)
    provider: str = field("The bundle that a resolution selects for it.")
    package: str = field("The package of that bundle.")

    def __str__(self) -> str:
        return (
            f"operator {self.namespace}/{self.operator} {stated(self.requirement)}, which no installed operator meets;"
            f" {self.provider} would, but OLM writes no plan for it until a subscription of the namespace changes:"
            f" subscribe to package {self.package}"
        )


@record
class ClusterCatalogNotServing(Hindrance):
    """The ClusterCatalog *catalog* of OLM v1 does not serve its content, for the *reason*; *namespace* is ""."""

    catalog: str = field("The catalog.")
    reason: str = field("Its reason.", default="")
    message: str = field("Its message.", default="")

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        return f"ClusterCatalog {self.catalog} is not serving its content{f' ({why})' if why else ''}"


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
