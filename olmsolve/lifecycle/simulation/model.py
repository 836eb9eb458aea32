"""The settings of a simulation, and its outcome: plain values."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import attrs

from olmsolve.answers.verification import Verdict
from olmsolve.classic import Request
from olmsolve.cluster import ClusterState, Hindrance, NamespaceUnresolvable
from olmsolve.cluster.install_plans import NamespaceSync, install_plan_manifest
from olmsolve.cluster.objects import SubscriptionObject
from olmsolve.requests import QuestionAnswer
from olmsolve.resolution import SCHEMA_VERSION, Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT, BackendLike

if TYPE_CHECKING:
    # Simulations of subscriptions do not wait for OLM v1 to load.
    from olmsolve import v1

GONE: Final = "gone"
"""The last phase of an operator that was removed."""


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


@attrs.frozen
class NamespacePass:
    """One resolution of *namespace*: its request, its answer, and the objects that OLM wrote.

    *request* is None where OLM does not resolve, because everything waits or the namespace cannot be resolved. At
    most one of *resolution* and *failure* is there; *error* says why a wanted answer is missing, and *fault* that it is
    for the objects of the namespace. *verdict* is the independent checker's, where the rules ask for it. With
    *bad_input*, the error is of what was given, such as a catalog without content.
    """

    namespace: str
    sync: NamespaceSync
    request: Request | None = attrs.field(default=None, repr=False)
    resolution: Resolution | None = None
    failure: ResolutionFailure | None = None
    error: str = ""
    fault: NamespaceUnresolvable | None = None
    verdict: Verdict | None = None
    bad_input: bool = False

    @property
    def refused(self) -> str:
        """The reason why the namespace is not resolved, as text; "" where it is, or where it was not to be resolved."""
        return self.error or (str(self.failure) if self.failure is not None else "")

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"namespace": self.namespace, "resolved": self.resolution is not None}
        if self.resolution is not None:
            result["resolution"] = self.resolution.to_dict()
        if self.failure is not None:
            result["failure"] = self.failure.to_dict()
        if self.error:
            result["error"] = self.error
        if self.sync.plan is not None:
            result["plan"] = install_plan_manifest(self.sync.plan)
        if self.verdict is not None:
            result["verified"] = self.verdict.valid
        return result


@attrs.frozen
class OperatorChange:
    """The way of an operator through its *phases* in one step: the first is where it stood ("" if it was not there).

    The last may be ``gone``. *reason* is OLM's for the last phase, with its message.
    """

    namespace: str
    name: str
    phases: tuple[str, ...]
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"namespace": self.namespace, "name": self.name, "phases": list(self.phases), "reason": self.reason}


def refusal(subscription: SubscriptionObject) -> str:
    """Return why the last resolution failed, from the conditions of *subscription*; "" if none says that it failed."""
    found = (each for each in subscription.conditions if each.type == "ResolutionFailed" and each.status == "True")
    return next((each.message or each.reason for each in found), "")


@attrs.frozen
class SubscriptionChange:
    """A subscription *before* a step (None if it was not there) and *after* it."""

    before: SubscriptionObject | None
    after: SubscriptionObject

    def to_dict(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "namespace": self.after.namespace,
            "name": self.after.name,
            "new": self.before is None,
        }
        for side, item in (("before", self.before), ("after", self.after)):
            if item is not None:
                written[side] = {
                    "installedCSV": item.installed_csv,
                    "currentCSV": item.current_csv,
                    "state": item.state,
                    "resolutionFailed": refusal(item),
                }
        return written


@attrs.frozen
class CrdChange:
    """The versions of a CustomResourceDefinition *before* a step (none if it was not there) and *after* it."""

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "before": list(self.before), "after": list(self.after)}


@attrs.frozen
class GroupChange:
    """An operator group *before* a step and *after* it, each as its targets and the APIs in its annotation.

    The targets of a group for all namespaces are ``("",)``; the APIs are the text of the annotation
    (``Kind.version.group``, joined by commas).
    """

    namespace: str
    name: str
    before: tuple[tuple[str, ...], str]
    after: tuple[tuple[str, ...], str]

    def to_dict(self) -> dict[str, Any]:
        written: dict[str, Any] = {"namespace": self.namespace, "name": self.name}
        for side, (targets, apis) in (("before", self.before), ("after", self.after)):
            written[side] = {"targets": list(targets), "providedAPIs": apis}
        return written


@attrs.frozen
class SimulationStep:
    """One round over all namespaces: what each resolved and planned, and what changed when that was carried out.

    *troubles* are plans that could not be carried out, and operators that came to no rest. *digest* tells the state
    after the step.
    """

    number: int
    passes: tuple[NamespacePass, ...]
    operators: tuple[OperatorChange, ...]
    subscriptions: tuple[SubscriptionChange, ...]
    crds: tuple[CrdChange, ...]
    groups: tuple[GroupChange, ...] = ()
    troubles: tuple[Hindrance, ...] = ()
    digest: str = ""
    state: ClusterState = attrs.field(factory=ClusterState, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "namespaces": [each.to_dict() for each in self.passes],
            "operators": [each.to_dict() for each in self.operators],
            "subscriptions": [each.to_dict() for each in self.subscriptions],
            "crds": [each.to_dict() for each in self.crds],
            "groups": [each.to_dict() for each in self.groups],
            "troubles": [each.to_dict() for each in self.troubles],
            "digest": self.digest,
        }


@attrs.frozen
class Simulation:
    """All *steps*, how they *ended*, and the *state* at the end; *start* is the state before the first step.

    *last* is what the namespaces say at the end: at rest, a round that changes nothing. *left* is what remains to be
    wished for: plans that wait for approval or have failed, operators that do not work, namespaces that cannot be
    resolved. *repeats* is the step after which the cluster was as it is at the end (0: before the first), None where
    no state came back. *extensions* is what becomes of the extensions of OLM v1, None where there are
    none. *errors* are the questions of a situation that cannot be simulated, such as request documents for classic OLM.
    *is_unchanging* says that the last round left every object as it was, install plans included. *operator_count* is
    the most operators that one round had, copies left out, and *operator_passes* the most passes over them that one
    round took.
    """

    steps: tuple[SimulationStep, ...]
    ended: Ending
    state: ClusterState
    last: tuple[NamespacePass, ...]
    left: tuple[Hindrance, ...] = ()
    repeats: int | None = None
    extensions: v1.ExtensionSimulation | None = None
    errors: tuple[QuestionAnswer[None], ...] = ()
    start: ClusterState = attrs.field(factory=ClusterState, repr=False)
    is_unchanging: bool = True
    operator_count: int = 0
    operator_passes: int = 0

    @property
    def passes(self) -> tuple[NamespacePass, ...]:
        """The passes of all steps, and the final ones."""
        return (*(each for step in self.steps for each in step.passes), *self.last)

    @property
    def is_settled(self) -> bool:
        """Whether the cluster, extensions included, came to rest with nothing left to be wished for."""
        is_settled = self.extensions is None or self.extensions.is_settled
        return self.ended is Ending.REST and not self.left and is_settled and not self.errors

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/simulation.md says what the fields mean."""
        return {
            "schema": "olmsolve.simulation",
            "schemaVersion": SCHEMA_VERSION,
            "ended": self.ended.value,
            "repeats": self.repeats,
            "steps": [step.to_dict() for step in self.steps],
            "last": [each.to_dict() for each in self.last],
            "left": [each.to_dict() for each in self.left],
            "extensions": None if self.extensions is None else self.extensions.to_dict(),
            "errors": [{"name": each.question.name, "error": str(each.error)} for each in self.errors],
        }
