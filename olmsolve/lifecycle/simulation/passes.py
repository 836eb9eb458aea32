"""One namespace seen as OLM sees it: what has happened is noted, it is resolved and planned, and something is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from olmsolve._limits import checked
from olmsolve._records import evolve, field, record
from olmsolve.answers import certificate
from olmsolve.answers.verification import Verdict, verify
from olmsolve.catalog import Catalog
from olmsolve.classic import CatalogsUnreadable, Unsatisfiable
from olmsolve.cluster import (
    ClusterState,
    Hindrance,
    NamespaceObjects,
    failed_plans,
    groups_without_targets,
    missing_operators,
    namespace_fault,
    operators_held,
    operators_not_working,
    refused_plans,
    unfinished_plans,
    waiting_plans,
)
from olmsolve.cluster.catalogs import deprecation_noted
from olmsolve.cluster.install_plans import PlannedSteps, Refused, noted_subscriptions
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.errors import CatalogError, NamespaceError, RequestError
from olmsolve.lifecycle.planning import BundlesNotUnpacked, RequestOutcome, in_one_line, plan_request, synced
from olmsolve.lifecycle.simulation.model import NamespacePass, SimulationSettings
from olmsolve.requests import ClusterSituation, Contents
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver.backends import BackendLike

_UNRESOLVED: Final = RequestOutcome(Refused(""))


def noted_in(state: ClusterState, namespace: str) -> tuple[SubscriptionObject, ...]:
    """Return the subscriptions of *namespace* after OLM has noted its plans and operators, and before it resolves."""
    objects = NamespaceObjects.picked_from(state, namespace)
    return noted_subscriptions(objects.subscriptions, objects.plans, objects.csv_names, objects.groups)


def deprecation_changes(state: ClusterState, contents: Contents, namespace: str) -> Iterator[SubscriptionObject]:
    """Yield each subscription of *namespace* whose deprecation conditions change, as OLM writes it."""
    for subscription in state.all(SubscriptionObject, namespace):
        content = contents.get(f"{subscription.source_namespace}/{subscription.source}")
        after = deprecation_noted(subscription, content) if isinstance(content, Catalog) else subscription
        if after is not subscription:
            yield after


def namespace_pass(cluster: ClusterSituation, namespace: str, settings: SimulationSettings) -> NamespacePass:
    """Return what OLM writes for *namespace* of *cluster*, where all that has happened is noted already."""
    objects = NamespaceObjects.picked_from(cluster.state, namespace)
    outcome = _UNRESOLVED

    def resolved() -> PlannedSteps | Refused:
        nonlocal outcome
        outcome = _outcome(cluster, objects, settings.backend)
        return outcome.steps

    sync = synced(objects, resolved)
    error = outcome.error or sync.error
    # Only a pass that ended with an error can have met a fault of the objects, and looking for it takes time.
    fault = namespace_fault(objects) if error else None
    return NamespacePass(
        namespace,
        sync,
        outcome.request,
        outcome.resolution,
        outcome.failure,
        error=error if fault is None else str(fault),
        fault=fault,
        verdict=_verdict(outcome) if settings.verify else None,
        bad_input=outcome.bad_input,
    )


def prospective_pass(pass_: NamespacePass, cluster: ClusterSituation, settings: SimulationSettings) -> NamespacePass:
    """Return *pass_*, in which OLM waits for a plan, with why *cluster* could not be resolved otherwise.

    Where it could be resolved, the pass is as it was: nothing would come of a resolution before the wait is over.
    """
    objects = NamespaceObjects.picked_from(cluster.state, pass_.namespace)
    outcome = _outcome(cluster, objects, settings.backend)
    verdict = _verdict(outcome) if settings.verify and outcome.failure is not None else None
    return evolve(pass_, failure=outcome.failure, error=outcome.error, verdict=verdict, bad_input=outcome.bad_input)


def _outcome(cluster: ClusterSituation, objects: NamespaceObjects, backend: BackendLike) -> RequestOutcome:
    request = None
    try:
        request = cluster.written_request(objects.namespace)
        return plan_request(request, objects, semantics=cluster.semantics, backend=backend)
    except (RequestError, CatalogError) as error:
        # A fault of one namespace is in its subscriptions, as OLM writes it there; the others go on.
        bad_input = not isinstance(error, NamespaceError)
        return RequestOutcome.refused(in_one_line(error), request, bad_input=bad_input)


def _verdict(outcome: RequestOutcome) -> Verdict | None:
    """Return the verdict of the independent checker on the answer; None without an answer, or without a proof."""
    answer, request = outcome.resolution or outcome.failure, outcome.request
    if request is None or not isinstance(answer, Resolution | Unsatisfiable):
        return None
    if isinstance(answer, Unsatisfiable) and any(isinstance(reason, CatalogsUnreadable) for reason in answer.core):
        return None
    return verify(certificate(answer, request), request)


_CORE: Final = {"$ref": "#/$defs/olmsolve.unsatisfiable"}


@record
class NamespaceUnresolved(Hindrance):
    """The namespace has no plan: there is a *failure* with its constraints, or an *error* in words."""

    failure: ResolutionFailure | None = field(
        "The constraints that cannot hold together.", empty="absent", schema=_CORE, default=None
    )
    error: str = field("Why it is not resolved, where there are no constraints.", empty="absent", default="")

    def __str__(self) -> str:
        if self.failure is None:
            return f"namespace {self.namespace} is not resolved: {self.error}"
        constraints = self.failure.to_dict().get("constraints", ())
        reasons = "; ".join(constraint["text"] for constraint in constraints)
        return f"namespace {self.namespace} cannot be resolved: {reasons}"


@record(says="{operators} operators had not come to rest after {passes} passes over all of them")
class OperatorsUnsettled(Hindrance):
    """So many *operators* of the cluster still changed after so many *passes* over all of them; *namespace* is ""."""

    operators: int = field("How many.")
    passes: int = field("After so many passes over all of them.")


def left_over(
    state: ClusterState, passes: Iterable[NamespacePass], namespaces: Iterable[str], *, everywhere: bool
) -> Iterator[Hindrance]:
    """Yield what in *state* is not as its subscriptions want it, after the last *passes* over *namespaces*.

    With *everywhere*, plans and operators of all other namespaces count as well.
    """
    for pass_ in checked(passes):
        if pass_.fault is not None:
            yield pass_.fault
        elif pass_.error or pass_.failure is not None:
            yield NamespaceUnresolved(pass_.namespace, None if pass_.error else pass_.failure, pass_.error)
        yield from groups_without_targets(state, NamespaceObjects.picked_from(state, pass_.namespace))
        yield from pass_.sync.unmet
        if pass_.sync.not_unpacked:
            yield BundlesNotUnpacked(pass_.namespace, pass_.sync.not_unpacked)
    names = dict.fromkeys(namespaces)
    if everywhere:
        for kind in (InstallPlan, ClusterServiceVersion):
            names.update(dict.fromkeys(object_.namespace for object_ in state.all(kind)))
    for name in checked(names):
        objects = NamespaceObjects.picked_from(state, name)
        yield from waiting_plans(objects)
        yield from failed_plans(objects)
        # A refused plan is unfinished too, and reported once, with its reason.
        yield from tuple(refused_plans(state, objects)) or unfinished_plans(objects)
        yield from operators_not_working(objects)
        yield from operators_held(objects)
        yield from missing_operators(objects)
