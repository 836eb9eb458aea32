"""One namespace seen as OLM sees it: what has happened is noted, then it is resolved and planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from olmsolve._records import evolve
from olmsolve.answers.certifying import certificate
from olmsolve.answers.verification import Verdict, verify
from olmsolve.catalog import Catalog
from olmsolve.classic import CatalogsUnreadable, Unsatisfiable
from olmsolve.cluster import ClusterState, NamespaceObjects, namespace_fault
from olmsolve.cluster.catalogs import deprecation_noted
from olmsolve.cluster.install_plans import (
    NamespaceSync,
    PlannedSteps,
    Refused,
    noted_subscriptions,
    sync_namespace,
)
from olmsolve.cluster.objects import SubscriptionObject
from olmsolve.errors import CatalogError, NamespaceError, RequestError
from olmsolve.lifecycle.planning import RequestOutcome, in_one_line, plan_request
from olmsolve.lifecycle.simulation.model import NamespacePass, SimulationSettings
from olmsolve.requests import ClusterSituation, Contents
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import BackendLike

_UNRESOLVED: Final = RequestOutcome(Refused(""))


def noted(state: ClusterState, namespace: str) -> tuple[SubscriptionObject, ...]:
    """Return the subscriptions of *namespace* with all that has happened noted, before anything is resolved."""
    objects = NamespaceObjects.of(state, namespace)
    return noted_subscriptions(objects.subscriptions, objects.plans, objects.csv_names, objects.groups)


def deprecated(state: ClusterState, contents: Contents, namespace: str) -> Iterator[SubscriptionObject]:
    """Yield the subscriptions of *namespace* with conditions for what their catalogs deprecate, where these change."""
    for each in state.all(SubscriptionObject, namespace):
        content = contents.get(f"{each.source_namespace}/{each.source}")
        after = deprecation_noted(each, content) if isinstance(content, Catalog) else each
        if after is not each:
            yield after


def namespace_pass(cluster: ClusterSituation, namespace: str, settings: SimulationSettings) -> NamespacePass:
    """Return what OLM writes for *namespace* of *cluster*, where all that has happened is noted already."""
    objects = NamespaceObjects.of(cluster.state, namespace)
    outcome = _UNRESOLVED

    def resolved() -> PlannedSteps | Refused:
        nonlocal outcome
        outcome = _outcome(cluster, objects, settings.backend)
        return outcome.steps

    sync = _sync(objects, resolved)
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


def prospective_pass(done: NamespacePass, cluster: ClusterSituation, settings: SimulationSettings) -> NamespacePass:
    """Return the pass *done*, in which OLM waits for a plan, with why *cluster* could not be resolved otherwise.

    Where it could be resolved, the pass is as it was: nothing would come of a resolution before the wait is over.
    """
    objects = NamespaceObjects.of(cluster.state, done.namespace)
    outcome = _outcome(cluster, objects, settings.backend)
    verdict = _verdict(outcome) if settings.verify and outcome.failure is not None else None
    return evolve(done, failure=outcome.failure, error=outcome.error, verdict=verdict, bad_input=outcome.bad_input)


def _outcome(cluster: ClusterSituation, objects: NamespaceObjects, backend: BackendLike) -> RequestOutcome:
    request = None
    try:
        request = cluster.written_request(objects.namespace)
        return plan_request(request, objects, semantics=cluster.semantics, backend=backend)
    except (RequestError, CatalogError) as error:
        # A fault of one namespace stands in its subscriptions, as OLM writes it there; the others go on.
        bad_input = not isinstance(error, NamespaceError)
        return RequestOutcome.refused(in_one_line(error), request, bad_input=bad_input)


def _verdict(outcome: RequestOutcome) -> Verdict | None:
    """Return what the independent checker says of the answer; None without an answer, or where it has no proof."""
    answer, request = outcome.resolution or outcome.failure, outcome.request
    if request is None or not isinstance(answer, Resolution | Unsatisfiable):
        return None
    if isinstance(answer, Unsatisfiable) and any(isinstance(each, CatalogsUnreadable) for each in answer.core):
        return None
    return verify(certificate(answer, request), request)


def _sync(objects: NamespaceObjects, resolving: Callable[[], PlannedSteps | Refused]) -> NamespaceSync:
    return sync_namespace(
        objects.namespace, objects.subscriptions, objects.plans, objects.csv_names, objects.groups, resolving
    )
