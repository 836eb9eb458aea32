"""The journey as a value: its rules, its stages with what happens there, why there is none, and what would help."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from functools import total_ordering
from typing import ClassVar, Final, TypeAlias

from olmsolve._records import Record, documented, field, lower_first, record


@total_ordering
class JourneyRule(enum.Enum):
    """The rules that a journey keeps at each version.

    At a version, each operator *supports* it, each namespace *settles* without a step back, each namespace and
    extension *resolves*, each namespace *installs* all of its newest install plan, and each operator *works*.
    """

    SUPPORTS = "supports"
    SETTLES = "settles"
    RESOLVES = "resolves"
    INSTALLS = "installs"
    WORKS = "works"

    def __lt__(self, other: JourneyRule) -> bool:
        return self.value < other.value


@record(order=True)
class JourneyRequirement(Record):
    """The *rule* that *subject* has to keep at the *stage* with this number, from 0.

    The subject is ``namespace/operator`` of an operator without a subscription, ``namespace/subscription`` of one with
    a subscription, a namespace, or the name of an extension.
    """

    stage: int = field("The number of the version on the way, from 0.")
    subject: str = field("What has to keep the rule.")
    rule: JourneyRule = field("The rule.")


Demands: TypeAlias = Callable[[int, str, JourneyRule], bool]
"""Says whether a journey has to keep a rule, for a subject, at the stage with a number."""


def every_rule(stage: int, subject: str, rule: JourneyRule) -> bool:
    """Demand everything."""
    return True


def only(requirements: Iterable[JourneyRequirement]) -> Demands:
    """Return demands of these *requirements* alone."""
    wanted = {(requirement.stage, requirement.subject, requirement.rule) for requirement in requirements}
    return lambda stage, subject, rule: (stage, subject, rule) in wanted


SCHEMA: Final = "olmsolve.journey"


@record(
    definition="journeyChange", each="journeyChange-{kind}", kinds=lower_first, layout=("kind", ..., "text"), order=True
)
class JourneyChange(Record):
    """A change that somebody makes by hand on the way."""

    kind: ClassVar[str]


@record(says="approve the install plan of {operators} in namespace {namespace}", order=True)
class PlanApproval(JourneyChange):
    """The approval of an install *plan*, which installs the *operators*."""

    namespace: str = field("The namespace of the install plan.")
    plan: str = field("Its name: the cluster's, if it waits today; otherwise of the simulation, and OLM draws another.")
    operators: tuple[str, ...] = field("What it installs.")


@record(says="change subscription {namespace}/{subscription} to channel {channel}", order=True)
class SubscriptionChannelChange(JourneyChange):
    """Another channel for a subscription."""

    namespace: str = field("The namespace of the subscription.")
    subscription: str = field("The subscription.")
    package: str = field("Its package.")
    before: str = field("The channel that it has.")
    channel: str = field("The channel that it gets.")


@record(says="change extension {extension} to channel {channel}", order=True)
class ExtensionChannelChange(JourneyChange):
    """Another channel for an extension of OLM v1."""

    extension: str = field("The extension.")
    package: str = field("Its package.")
    before: tuple[str, ...] = field("The channels that it has; none stands for all.")
    channel: str = field("The only channel that it gets.")


@record(order=True)
class JourneyUpdate(Record):
    """An update that OLM makes: *owner*, a subscription or an extension, gets the bundle *after*."""

    namespace: str = field("The namespace; empty for an extension.")
    owner: str = field("The subscription or the extension.")
    package: str = field("Its package.")
    before: str = field("The bundle that it had; empty for none.")
    after: str = field("The bundle that it gets.")

    def __str__(self) -> str:
        owner = f"{self.namespace}/{self.owner}" if self.namespace else self.owner
        return f"{owner} is updated from {self.before} to {self.after}" if self.before else f"{owner} gets {self.after}"


@record
class MadeChange(Record):
    """A *change* by hand, and the *updates* that OLM makes after it until the cluster is at rest."""

    change: JourneyChange = field("The change by hand.")
    updates: tuple[JourneyUpdate, ...] = field("The updates that OLM makes after it.", default=())


@record(order=True)
class JourneyOperator(Record):
    """An operator or an extension at a version, when the cluster leaves it or has arrived."""

    namespace: str = field("The namespace; empty for an extension.")
    owner: str = field("The subscription or the extension; empty for an operator without one.")
    package: str = field("Its package; empty where it is not known.")
    bundle: str = field("The installed bundle.")
    channel: str = field("The channel; several are separated by commas.")
    catalog: str = field("The catalog; empty if any catalog may serve.")
    maximum: str = field(
        "The last version of OpenShift that it works with, as it says; empty if it says none.", default=""
    )
    phase: str = field("OLM's phase of the operator; empty for an extension.", default="")
    notes: tuple[str, ...] = field("The deprecations in its catalog at this version.", default=())


@record
class JourneyStage(Record):
    """One version of the cluster on the way: what happens there, and what is installed when the cluster leaves it."""

    version: str = field("The minor version of OpenShift.")
    kubernetes: str = field("Its Kubernetes.")
    passed: bool = field("Whether the cluster passes it without a stop.", default=False)
    catalogs: tuple[str, ...] = field("The catalogs whose content was given for it.", default=())
    supposed: tuple[str, ...] = field(
        "The catalogs without a content for it: they are assumed to have the content of the version before.", default=()
    )
    arrival: tuple[JourneyUpdate, ...] = field("The updates that OLM makes by itself on arrival.", default=())
    changes: tuple[MadeChange, ...] = field("The changes by hand, in order.", default=())
    operators: tuple[JourneyOperator, ...] = field(
        "The operators and extensions that are installed at the end.", default=()
    )


@record(order=True)
class ChannelOutlook(Record):
    """The offer of one channel to an operator at one version: its *head*, and the bundle that updates lead to."""

    version: str = field("The version of OpenShift.")
    channel: str = field("The channel.")
    head: str = field("Its head; empty for a channel without an order.")
    reached: str = field("The newest bundle of the channel that updates lead to; empty for none.")
    maximum: str = field("The last version that this bundle works with, as it says; empty if it says none.")

    def __str__(self) -> str:
        if not self.reached:
            return f"at {self.version}, no update leads into channel {self.channel} (head {self.head or 'none'})"
        until = f", which works up to {self.maximum}" if self.maximum else ""
        return f"at {self.version}, channel {self.channel} leads to {self.reached}{until}"


@record
class JourneyReason(Record):
    """One of the requirements that cannot hold together: no journey keeps them all, and each of them is needed.

    *version* is the version at which *subject* has to keep the *rule*; *bundle* is what it has at first. *cause* says
    what it comes to on a way that keeps all the others.
    """

    version: str = field("The version of OpenShift at which it has to hold.")
    rule: JourneyRule = field("The rule.")
    subject: str = field("The namespace, extension or operator that has to keep it.")
    bundle: str = field("What it has at the start; empty for a namespace.", default="")
    package: str = field(
        "Its package, or for a namespace the packages in the way; empty if it is not known.", default=""
    )
    cause: str = field("The reasons that keep it from that.", default="")
    outlook: tuple[ChannelOutlook, ...] = field("What its channels offer on the way.", default=())

    def __str__(self) -> str:
        return _RULES[self.rule].format(self)

    @property
    @documented("What the cluster does where the rule is broken.")
    def effect(self) -> str:
        return _EFFECTS[self.rule].format(self)


_RULES: Final = {
    JourneyRule.SUPPORTS: "{0.subject} has to work with OpenShift {0.version}",
    JourneyRule.SETTLES: "{0.subject} has to come to rest at OpenShift {0.version}, without a step back",
    JourneyRule.RESOLVES: "{0.subject} has to be resolved at OpenShift {0.version}",
    JourneyRule.INSTALLS: "the newest install plan of {0.subject} has to be carried out at OpenShift {0.version}",
    JourneyRule.WORKS: "{0.subject} has to run at OpenShift {0.version}",
}
# Only the first is enforced: OLM and OLM v1 set Upgradeable=False on their ClusterOperators, and the Cluster Version
# Operator refuses minor updates then (OpenShift documentation, "Controlling Operator compatibility with OpenShift").
_EFFECTS: Final = {
    JourneyRule.SUPPORTS: "OpenShift refuses the update to {0.version}",
    JourneyRule.SETTLES: "OpenShift can be updated, but OLM replaces operators again and again, or by older ones",
    JourneyRule.RESOLVES: "OpenShift can be updated, and installed operators stay, but {0.subject} gets no updates",
    JourneyRule.INSTALLS: "OpenShift can be updated, but {0.subject} lacks objects that the failed plan has not made",
    JourneyRule.WORKS: "OpenShift can be updated, but the newest operator of {0.subject} does not run",
}


@record(definition="journeyWay", each="journeyWay-{kind}", kinds=lower_first, layout=("kind", ..., "text"))
class JourneyWayOut(Record):
    """A change of the cluster after which a conflict is gone: it was made, and the rest simulated."""

    kind: ClassVar[str]


@record
class OperatorRemoval(JourneyWayOut):
    """The removal of an operator, "" where nothing is installed, and of its *subscription*, "" where it has none."""

    namespace: str = field("The namespace.")
    operator: str = field("The operator; empty where the subscription has none.")
    subscription: str = field("Its subscription; empty without one.", default="")

    def __str__(self) -> str:
        owned = f"subscription {self.namespace}/{self.subscription}" if self.subscription else ""
        operator = f"operator {self.namespace}/{self.operator}" if self.operator else ""
        return f"remove {' and '.join(filter(None, (owned, operator)))}"


@record(says="let updates of subscription {namespace}/{subscription} wait for approval")
class ManualApproval(JourneyWayOut):
    """Manual approval for a subscription: OLM then makes only the updates of the journey."""

    namespace: str = field("The namespace.")
    subscription: str = field("The subscription.")


@record(says="let subscription {namespace}/{subscription} follow channel {channel} of {catalog}")
class CatalogReplacement(JourneyWayOut):
    """Another catalog for a subscription, which has the same package."""

    namespace: str = field("The namespace.")
    subscription: str = field("The subscription.")
    channel: str = field("The channel there.")
    catalog: str = field("The catalog, namespace/name.")


@record
class PackageReplacement(JourneyWayOut):
    """Another package in place of an operator: *package* provides all of its APIs."""

    namespace: str = field("The namespace.")
    operator: str = field("The operator that is removed.")
    subscription: str = field("Its subscription, which is removed too; empty without one.")
    package: str = field("The package that replaces it.")
    channel: str = field("Its channel.")
    catalog: str = field("Its catalog, namespace/name.")

    def __str__(self) -> str:
        what = f"subscription {self.namespace}/{self.subscription}" if self.subscription else self.operator
        return f"replace {what} by package {self.package}, channel {self.channel} of {self.catalog}"


@record(
    says="remove operator {namespace}/{operator}, and install it again by a subscription to package {package}, channel "
    "{channel} of {catalog}"
)
class OperatorAdoption(JourneyWayOut):
    """A subscription for an operator that has none: OLM lets no subscription take over one that is there."""

    namespace: str = field("The namespace.")
    operator: str = field("The operator.")
    package: str = field("Its package.")
    channel: str = field("The channel.")
    catalog: str = field("The catalog, namespace/name.")


@record(says="override the Upgradeable condition of {namespace}/{operator} with True, once its operator is done")
class UpgradeableOverride(JourneyWayOut):
    """An override in the OperatorCondition of an operator that refuses to be replaced."""

    namespace: str = field("The namespace.")
    operator: str = field("The operator.")


@record(says="take the version {version} out of extension {extension}")
class RangeRemoval(JourneyWayOut):
    """The removal of the version range of an extension."""

    extension: str = field("The extension.")
    version: str = field("Its range.")


@record(says="delete extension {extension}")
class ExtensionRemoval(JourneyWayOut):
    """The deletion of an extension and of everything that it installed."""

    extension: str = field("The extension.")


@record
class JourneyConflict(Record):
    """Requirements that cannot hold together, and the *ways* out of this conflict.

    If one part of a cluster has several conflicts, each assumes the first ways out of the conflicts before it.
    """

    reasons: tuple[JourneyReason, ...] = field("No journey keeps all of them, and each of them is needed for that.")
    ways: tuple[JourneyWayOut, ...] = field("The changes that would help, each by itself.", default=())
    jointly: tuple[JourneyWayOut, ...] = field("The changes that would help only together.", default=())


@record(
    definition=SCHEMA,
    title="The way of a cluster from one version of OpenShift to another",
    about="docs/journey.md defines it.",
    layout=("start", "to", "reached", "furthest", "changes", "updates", ...),
)
class Journey(Record):
    """The preferred journey from *start* to *to*, or as far as *furthest*, with the *conflicts* that stop it there.

    *standing* are the faults that the cluster has from the start, and that the journey leaves as they are. *undecided*
    names the parts of the cluster for which the search ended without an answer.
    """

    start: str = field("The version at the start.")
    to: str = field("The wanted version.")
    furthest: str = field("The version to which the stages lead.")
    stages: tuple[JourneyStage, ...] = field("The versions on the way, the first one included.")
    conflicts: tuple[JourneyConflict, ...] = field("Why it does not get there.", default=())
    ways: tuple[JourneyWayOut, ...] = field(
        "Changes that help together, one for each conflict; none where no such set was found.", default=()
    )
    standing: tuple[str, ...] = field("The faults that were there before.", default=())
    undecided: tuple[str, ...] = field("The parts of the cluster whose search was given up.", default=())
    simulated: int = field("How many states were simulated.", default=0)
    digest: str = field("The digest of the objects, catalogs and options that it was computed from.", default="")

    @property
    @documented("Whether the cluster gets to the wanted version.", path="reached")
    def is_reached(self) -> bool:
        return self.furthest == self.to and not self.undecided

    @property
    @documented("How many changes somebody makes by hand.")
    def changes(self) -> int:
        return sum(len(stage.changes) for stage in self.stages)

    @property
    @documented("How many updates OLM makes.")
    def updates(self) -> int:
        made = (change for stage in self.stages for change in stage.changes)
        return sum(len(stage.arrival) for stage in self.stages) + sum(len(update.updates) for update in made)
