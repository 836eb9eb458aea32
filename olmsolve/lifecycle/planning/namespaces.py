"""One resolution of a namespace of a cluster, as OLM does it: from objects and catalogs to the steps of a plan.

Where there is no plan, it has the sentences that OLM writes into the status of subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.catalog import Source, UnreadableSource, namespace_and_name
from olmsolve.classic import (
    CatalogsUnreadable,
    Deprecated,
    HealthPolicy,
    MustStay,
    OnePerAPI,
    OnePerPackage,
    Reason,
    Request,
    Requires,
    Semantics,
    Subscription,
    SubscriptionWants,
    UnknownCatalog,
    UnknownChannel,
    UnknownPackage,
    UnknownStartingCSV,
    Unsatisfiable,
    resolve,
)
from olmsolve.cluster import NamespaceObjects, ProjectionError
from olmsolve.cluster.catalogs import visible_namespaces
from olmsolve.cluster.install_plans import (
    NamespaceSync,
    NewOperator,
    PlannedSteps,
    Refused,
    planned_steps,
    sync_namespace,
)
from olmsolve.errors import CatalogError, OlmsolveError
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.hindrances import for_house_rules_alone, unmet_requirements
from olmsolve.requests import ClusterSituation, open_channels_fault
from olmsolve.resolution import EXISTING, Candidate, Install, Resolution
from olmsolve.solver.backends import DEFAULT, BackendLike


def unsatisfiable_words(failure: Unsatisfiable, namespace: str) -> str:
    """Return the message of the condition ``ResolutionFailed`` for *failure* in *namespace*.

    Our core gives the reasons; where several cores exist, OLM may name another.
    """
    sentences = [sentence for reason in failure.core for sentence in _words(reason, namespace)]
    return f"constraints not satisfiable: {', '.join(sorted(sentences))}"


def _words(reason: Reason, namespace: str) -> Iterator[str]:
    if isinstance(reason, (UnknownCatalog, UnknownPackage, UnknownChannel, UnknownStartingCSV)):
        yield f"no operators found {_nowhere(reason)} referenced by subscription {reason.subscription.name}"
        yield f"subscription {reason.subscription.name} exists"
    elif isinstance(reason, SubscriptionWants):
        name = reason.subscription.name
        listed = [_candidate(candidate, namespace) for candidate in reason.candidates]
        at_least = "at least one of " if len(listed) > 1 else ""
        yield f"subscription {name} exists"
        if listed:
            yield f"subscription {name} requires {at_least}{_enumerated(listed, 'or')}"
    elif isinstance(reason, MustStay):
        yield f"clusterserviceversion {reason.operator.name} exists and is not referenced by a subscription"
    elif isinstance(reason, OnePerAPI):
        group, version, kind = reason.api
        listed = sorted(_candidate(candidate, namespace) for candidate in reason.candidates)
        yield f"{_enumerated(listed, 'and')} provide {kind} ({group}/{version})"
    elif isinstance(reason, OnePerPackage):
        listed = sorted(_candidate(candidate, namespace) for candidate in reason.candidates)
        yield f"{_enumerated(listed, 'and')} originate from package {reason.package}"
    elif isinstance(reason, Requires):
        yield f"bundle {reason.bundle.name} requires {reason.predicate.as_olm_says}"
    elif isinstance(reason, Deprecated):
        yield f"bundle {_candidate(reason.candidate, namespace)} is deprecated"
    else:
        yield str(reason)


def _nowhere(reason: UnknownCatalog | UnknownPackage | UnknownChannel | UnknownStartingCSV) -> str:
    wanted: Subscription = reason.subscription
    in_catalog = f"package {wanted.package} in the catalog"
    if isinstance(reason, UnknownCatalog):
        return f"from catalog {wanted.source} in namespace {wanted.source_namespace}"
    if isinstance(reason, UnknownPackage):
        return f"in {in_catalog}"
    of_channel = f"in channel {wanted.channel} of {in_catalog}"
    if isinstance(reason, UnknownChannel):
        return of_channel
    return f"with name {wanted.starting_csv} {of_channel if wanted.channel else f'in {in_catalog}'}"


def _candidate(candidate: Candidate, namespace: str) -> str:
    if candidate.catalog == EXISTING:
        return f"{EXISTING}/{namespace}//{candidate.name}"
    # OLM writes the catalog's name before its namespace.
    source_namespace, source = namespace_and_name(candidate.catalog)
    return f"{source}/{source_namespace}/{candidate.channel}/{candidate.name}"


def _enumerated(items: list[str], word: str) -> str:
    """Return *items* as one text, the last two joined by *word*."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


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


def synced(objects: NamespaceObjects, resolving: Callable[[], PlannedSteps | Refused]) -> NamespaceSync:
    """Return one pass of OLM over *objects*; *resolving* gives the steps where it comes to a resolution."""
    return sync_namespace(
        objects.namespace, objects.subscriptions, objects.plans, objects.csv_names, objects.groups, resolving
    )


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
