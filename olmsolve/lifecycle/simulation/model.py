"""The settings of a simulation, and its outcome: plain values."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.answers.verification import Verdict
from olmsolve.classic import Request
from olmsolve.cluster import ClusterState, Hindrance, NamespaceUnresolvable
from olmsolve.cluster.install_plans import NamespaceSync, install_plan_manifest
from olmsolve.cluster.objects import InstallPlan, SubscriptionObject
from olmsolve.requests import QuestionAnswer, unanswered
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT, BackendLike

if TYPE_CHECKING:
    # Simulations of subscriptions do not wait for OLM v1 to load.
    from olmsolve import v1

MOST_STEPS: Final = 1000
"""The bound on steps, where none is given."""


def _names(values: Iterable[str]) -> frozenset[str]:
    return frozenset(values)


@attrs.frozen
class SimulationSettings:
    """The assumptions of a simulation beyond the policy of its situation: see :func:`olmsolve.simulate`."""

    approve: bool = False
    failing: frozenset[str] = attrs.field(converter=_names, default=frozenset())
    verify: bool = False
    backend: BackendLike = DEFAULT
    most_steps: int = MOST_STEPS


class Ending(enum.Enum):
    """The end of a simulation: nothing changes any more, a state came back, or the bound on steps was reached."""

    REST = "rest"
    CYCLE = "cycle"
    LIMIT = "limit"


def _plan_manifest(plan: InstallPlan | None) -> dict[str, Any] | None:
    return None if plan is None else install_plan_manifest(plan)


@record(
    definition="namespacePass",
    about="One resolution of a namespace.",
    layout=("namespace", "is_resolved", "resolution", "failure", "error", "plan", "is_verified"),
)
class NamespacePass(Record):
    """One resolution of *namespace*: its request, its answer, and the objects that OLM wrote.

    *request* is None where OLM does not resolve, because everything waits or the namespace cannot be resolved. At
    most one of *resolution* and *failure* is there; *error* says why a wanted answer is missing, and *fault* that it is
    for the objects of the namespace. *verdict* is the independent checker's, where the settings ask for it. With
    *bad_input*, the error is of what was given, such as a catalog without content.
    """

    namespace: str = field("The namespace.")
    sync: NamespaceSync
    request: Request | None = attrs.field(default=None, repr=False)
    resolution: Resolution | None = field("", empty="optional", default=None)
    failure: ResolutionFailure | None = field(
        "Why there is no plan.",
        empty="optional",
        schema={"anyOf": [{"$ref": "#/$defs/olmsolve.unsatisfiable"}, {"$ref": "#/$defs/olmsolve.v1.failure"}]},
        default=None,
    )
    error: str = field("Why it is not resolved, where there are no constraints.", empty="absent", default="")
    fault: NamespaceUnresolvable | None = None
    verdict: Verdict | None = None
    bad_input: bool = False

    @property
    def refused(self) -> str:
        """The reason why the namespace is not resolved, as text; "" where it is, or where it was not to be resolved."""
        return self.error or (str(self.failure) if self.failure is not None else "")

    @property
    @documented("Whether it has a plan.", path="resolved")
    def is_resolved(self) -> bool:
        return self.resolution is not None

    @property
    @documented("", empty="optional", written=_plan_manifest, schema={"$ref": "#/$defs/installPlan"})
    def plan(self) -> InstallPlan | None:
        """The new install plan, None where OLM writes none."""
        return self.sync.plan

    @property
    @documented("Whether the checker confirms the answer.", path="verified", empty="optional")
    def is_verified(self) -> bool | None:
        return None if self.verdict is None else self.verdict.valid


@record
class OperatorChange(Record):
    """The way of an operator through its *phases* in one step."""

    namespace: str = field("Its namespace.")
    name: str = field("The operator.")
    phases: tuple[str, ...] = field(
        "Its phases: the first is its phase before (empty if it was not there), the last is gone if it was removed."
    )
    reason: str = field("OLM's reason for the last phase.", default="")


def refusal(subscription: SubscriptionObject) -> str:
    """Return why the last resolution failed, from the conditions of *subscription*; "" if none says that it failed."""
    conditions = (
        condition
        for condition in subscription.conditions
        if condition.type == "ResolutionFailed" and condition.status == "True"
    )
    return next((hindrance.message or hindrance.reason for hindrance in conditions), "")


@record(definition="subscriptionSide", about="The subscription's status on one side of a change.")
class SubscriptionStatus(Record):
    """The status of a subscription as documents of simulations have it."""

    installed_csv: str = field("The installed operator.", path="installedCSV")
    current_csv: str = field("The operator that is to come, or that is installed.", path="currentCSV")
    state: str = field("OLM's state.")
    resolution_failed: str = field("Why the last resolution failed, empty if it did not.")


def _status(subscription: SubscriptionObject) -> SubscriptionStatus:
    return SubscriptionStatus(
        subscription.installed_csv, subscription.current_csv, subscription.state, refusal(subscription)
    )


def _status_or_none(subscription: SubscriptionObject | None) -> SubscriptionStatus | None:
    return None if subscription is None else _status(subscription)


@record(layout=("namespace", "name", "is_new", ...))
class SubscriptionChange(Record):
    """A subscription *before* a step (None if it was not there) and *after* it."""

    before: SubscriptionObject | None = field("", written=_status_or_none, empty="optional")
    after: SubscriptionObject = field("", written=_status)

    @property
    @documented("Its namespace.")
    def namespace(self) -> str:
        return self.after.namespace

    @property
    @documented("The subscription.")
    def name(self) -> str:
        return self.after.name

    @property
    @documented("Whether the step made it.", path="new")
    def is_new(self) -> bool:
        return self.before is None


@record
class CrdChange(Record):
    """The versions of a CustomResourceDefinition *before* a step (none if it was not there) and *after* it."""

    name: str = field("The CustomResourceDefinition.")
    before: tuple[str, ...] = field("Its versions before.")
    after: tuple[str, ...] = field("Its versions after.")


@record(definition="groupSide", about="The operator group on one side of a change.")
class GroupSurfaceSide(Record):
    """The targets and the APIs of an operator group as documents of simulations have them."""

    targets: tuple[str, ...] = field("The target namespaces; one empty name stands for all.")
    provided_apis: str = field("The annotation of provided APIs.", path="providedAPIs")


def _side(value: tuple[tuple[str, ...], str]) -> GroupSurfaceSide:
    return GroupSurfaceSide(*value)


@record
class GroupChange(Record):
    """An operator group *before* a step and *after* it, each as its targets and the APIs in its annotation.

    The targets of a group for all namespaces are ``("",)``; the APIs are the text of the annotation
    (``Kind.version.group``, joined by commas).
    """

    namespace: str = field("Its namespace.")
    name: str = field("The operator group.")
    before: tuple[tuple[str, ...], str] = field("", written=_side)
    after: tuple[tuple[str, ...], str] = field("", written=_side)


@record(definition="simulationStep", about="One round over all namespaces.")
class SimulationStep(Record):
    """One round over all namespaces: what each resolved and planned, and what changed when that was carried out.

    *state* is the cluster after the step.
    """

    number: int = field("The number of the step, from 1.", schema={"minimum": 1})
    passes: tuple[NamespacePass, ...] = field("The namespaces, each with what OLM wrote there.", path="namespaces")
    operators: tuple[OperatorChange, ...] = field("The operators that changed.")
    subscriptions: tuple[SubscriptionChange, ...] = field("The subscriptions that changed.")
    crds: tuple[CrdChange, ...] = field("The definitions that changed.")
    groups: tuple[GroupChange, ...] = field("The operator groups that changed.", default=())
    troubles: tuple[Hindrance, ...] = field(
        "The plans that could not be carried out, and the operators that did not come to rest.", default=()
    )
    digest: str = field("A digest of the state after the step, which tells it from other states.", default="")
    state: ClusterState = attrs.field(factory=ClusterState, repr=False)


@record(
    definition="olmsolve.simulation",
    title="What a cluster will look like",
    about="docs/simulation.md gives the meaning of the fields.",
    layout=("ended", "repeats", "reports", "steps", "last", "left", "extensions", "errors"),
)
class Simulation(Record):
    """All *steps*, how they *ended*, and the *state* at the end; *start* is the state before the first step.

    *last* has the results of the namespaces at the end: at rest, of a round that changes nothing. *left* lists
    everything that is left to do: plans that wait for approval or have failed, operators that do not work, namespaces
    that cannot be resolved. *repeats* is the step after which the cluster was in the same state as at the end (0:
    before the first), or None if no state came back.

    *extensions* is what happens to the extensions of OLM v1, or None if there are none. *errors* are the questions of a
    situation that cannot be simulated, such as request documents for classic OLM. *is_unchanging* says that the last
    round left every object as it was, install plans included.

    *operator_count* is the largest number of operators in one round, without copies. *operator_passes* is the largest
    number of passes over them in one round.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> found = olmsolve.simulate(situation, approve=True)
    >>> found.ended, len(found.steps)
    (<Ending.REST: 'rest'>, 1)
    """

    steps: tuple[SimulationStep, ...] = field("The steps, in their order.")
    ended: Ending = field(
        "How it ended: at rest, in a circle (which goes on for ever, or has stopped), or at the limit of steps."
    )
    state: ClusterState
    last: tuple[NamespacePass, ...] = field("The results of the namespaces at the end.")
    left: tuple[Hindrance, ...] = field("What is left to do.", default=())
    repeats: int | None = field(
        "The step after which the cluster, or the subscriptions that went round, were as at the end; else null.",
        default=None,
    )
    extensions: v1.ExtensionSimulation | None = field(
        "The simulation of the extensions; null without any.",
        schema={"anyOf": [{"$ref": "#/$defs/olmsolve.v1.simulation"}, {"type": "null"}]},
        default=None,
    )
    errors: tuple[QuestionAnswer[None], ...] = field("The questions without an answer.", written=unanswered, default=())
    reports: tuple[Hindrance, ...] = field(
        "The reports of OLM about the namespaces before the first step, whatever the simulation finds.", default=()
    )
    start: ClusterState = attrs.field(factory=ClusterState, repr=False)
    is_unchanging: bool = True
    operator_count: int = 0
    operator_passes: int = 0

    @property
    def passes(self) -> tuple[NamespacePass, ...]:
        """The passes of all steps, and the final ones."""
        return (*(pass_ for step in self.steps for pass_ in step.passes), *self.last)

    @property
    def is_settled(self) -> bool:
        """Whether the cluster, extensions included, came to rest with nothing left to be wished for."""
        is_settled = self.extensions is None or self.extensions.is_settled
        return self.ended is Ending.REST and not self.left and is_settled and not self.errors
