"""One resolution of a namespace of a cluster, as OLM does it: from objects and catalogs to the steps of a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.catalog import Source, UnreadableSource
from olmsolve.classic import CatalogsUnreadable, HealthPolicy, Request, Semantics, Unsatisfiable, resolve
from olmsolve.cluster import NamespaceObjects, ProjectionError
from olmsolve.cluster.catalogs import visible_namespaces
from olmsolve.cluster.install_plans import NewOperator, PlannedSteps, Refused, planned_steps
from olmsolve.errors import CatalogError, OlmsolveError
from olmsolve.lifecycle.planning.constraint_words import unsatisfiable_words
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.hindrances import for_house_rules_alone, unmet_requirements
from olmsolve.requests import ClusterSituation, open_channels_fault
from olmsolve.resolution import EXISTING, Install, Resolution
from olmsolve.solver.backends import DEFAULT, BackendLike

Content: TypeAlias = Callable[[Install, Source], NewOperator]
"""Finds the content of a bundle that was selected from a catalog."""


@attrs.frozen
class RequestOutcome:
    """The outcome of a namespace's *request*: *steps*, or the refusal that OLM writes into its subscriptions.

    At most one of *resolution*, *failure* and *error* (in words) is there. With *bad_input*, the error is of what was
    given, such as a catalog that cannot be read or is broken, and not of the cluster.
    """

    steps: PlannedSteps | Refused
    request: Request | None = attrs.field(default=None, repr=False)
    resolution: Resolution | None = None
    failure: Unsatisfiable | None = None
    error: str = ""
    bad_input: bool = False

    @classmethod
    def refused(cls, error: str, request: Request | None, *, bad_input: bool = False) -> RequestOutcome:
        """Return the outcome of a *request* that *error* keeps from an answer."""
        return cls(Refused(error), request, error=error, bad_input=bad_input)


def in_one_line(error: OlmsolveError) -> str:
    """Return the message of *error* without line breaks, as a condition of an object holds it."""
    return " ".join(str(error).split())


def resolved_steps(
    cluster: ClusterSituation,
    objects: NamespaceObjects,
    sources: Sequence[Source | UnreadableSource],
    *,
    backend: BackendLike = DEFAULT,
    content: Content = new_operator,
) -> PlannedSteps | Refused:
    """Resolve the namespace of *objects* once: return the steps to take, or the refusal.

    *sources* are the catalogs of the cluster; those in the namespace itself and in the global one count. *content*
    finds the content of a bundle that was selected; without it, only the content of the catalog is known. As recorded,
    the controller (so, the strict health policy) names every catalog that it cannot read, and counts operators that it
    cannot offer to the resolution as one more such catalog.

    Raises:
        ManifestError, RequestError: the objects contradict each other, or a manifest of a bundle makes no sense.
    """
    if objects.group_fault:
        return Refused(objects.group_fault)
    visible = visible_namespaces(objects.namespace, objects.groups, cluster.global_namespace)
    is_strict = cluster.health_policy is HealthPolicy.STRICT
    faults = [
        f"error using catalogsource {source.key}: {source.error}"
        for source in sources
        if is_strict and source.namespace in visible and isinstance(source, UnreadableSource)
    ]
    try:
        request = cluster.request_of(
            objects, [source for source in sources if isinstance(source, Source) or not is_strict]
        )
    except ProjectionError as error:
        faults.append(f"error using catalogsource {objects.namespace}/{EXISTING}: {error}")
    if faults:
        # Several are written as OLM's programs write several errors.
        return Refused(faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
    return plan_request(request, objects, semantics=cluster.semantics, backend=backend, content=content).steps


def plan_request(
    request: Request,
    objects: NamespaceObjects,
    *,
    semantics: Semantics = Semantics.CONTROLLER,
    backend: BackendLike = DEFAULT,
    content: Content = new_operator,
) -> RequestOutcome:
    """Resolve the *request* that *objects* make, and return its outcome with the steps that OLM would take.

    Under the semantics of the shipped controller, a channel that several catalogs have in different orders is refused
    (:func:`~olmsolve.requests.open_channels_fault`).

    Raises:
        ManifestError: a manifest of a bundle that was selected makes no sense.
    """
    if semantics is Semantics.CONTROLLER:
        fault = open_channels_fault(objects.subscriptions, request)
        if fault:
            return RequestOutcome.refused(fault, request)
    try:
        resolution = resolve(request, semantics=semantics, backend=backend)
        steps = _steps(request, resolution, objects, content)
    except Unsatisfiable as failure:
        return RequestOutcome(_refusal(failure, objects.namespace), request, failure=failure)
    except CatalogError as error:
        return RequestOutcome.refused(in_one_line(error), request, bad_input=True)
    return RequestOutcome(steps, request, resolution)


def _refusal(failure: Unsatisfiable, namespace: str) -> Refused:
    if any(isinstance(reason, CatalogsUnreadable) for reason in failure.core):
        return Refused("; ".join(map(str, failure.core)))
    return Refused(unsatisfiable_words(failure, namespace), unsatisfiable=True)


def _steps(request: Request, resolution: Resolution, objects: NamespaceObjects, content: Content) -> PlannedSteps:
    sources = {source.key: source for source in request.sources}
    # OLM knows no house rules, and installs nothing for them.
    alone = {install.name for install, _ in for_house_rules_alone(resolution)}
    wanted = (install for install in resolution.installs if install.name not in alone)
    operators = [content(install, sources[install.catalog]) for install in wanted]
    steps = planned_steps(operators, objects.subscriptions, objects.csv_names, objects.namespace)
    return attrs.evolve(steps, unmet=unmet_requirements(resolution, objects))
