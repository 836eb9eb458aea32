"""One namespace looked at as OLM looks at it: noted what has happened, resolved, planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import attrs

from olmsolve.answers.certifying import certificate
from olmsolve.answers.verification import Verdict, verify
from olmsolve.catalog import Catalog
from olmsolve.classic import CatalogsUnreadable, Request, Semantics, Unsatisfiable, resolve
from olmsolve.cluster import ClusterState, ProjectionError, WorksOnKubernetes, WorksOnOpenShift, group_eligibility
from olmsolve.cluster.install_plans import (
    NamespaceSync,
    PlannedSteps,
    Refused,
    planned_steps,
    sync_namespace,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan, OperatorGroup, Subscription
from olmsolve.cluster.operator_groups import ClusterGroups
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, RequestError
from olmsolve.lifecycle.planning import new_operator, open_channel_fault, unsatisfiable_words
from olmsolve.lifecycle.simulation.model import NamespacePass, Rules, in_one_line
from olmsolve.requests import of_cluster
from olmsolve.resolution import Resolution

__all__ = ["Contents", "namespace_pass", "noted"]

Contents: TypeAlias = Mapping[str, Catalog | CatalogError]
"""What catalogs contain, by ``namespace/name``, or why that cannot be read."""

_NOT_ASKED: Final = Refused("")
_NOTHING: Final = NamespaceSync(())


def noted(state: ClusterState, namespace: str) -> tuple[Subscription, ...]:
    """The subscriptions of *namespace* with all that has happened noted, before anything is resolved."""
    before = state.all(Subscription, namespace)
    while True:
        # Asked for a resolution, there is nothing left to note.
        done = _sync(state.having(*before), namespace, lambda: _NOT_ASKED)
        if done.resolved or done.error or done.subscriptions == before:
            return before
        before = done.subscriptions


def namespace_pass(
    state: ClusterState, contents: Contents, namespace: str, rules: Rules, groups: ClusterGroups
) -> NamespacePass:
    """What OLM writes for *namespace* of *state*, where all that has happened is noted already."""
    resolving = _Resolving(state, contents, namespace, rules, groups)
    sync = _sync(state, namespace, resolving)
    found = resolving.found
    return attrs.evolve(
        found, sync=sync, error=found.error or sync.error, verdict=_verdict(found) if rules.verify else None
    )


def _verdict(found: NamespacePass) -> Verdict | None:
    """What the independent checker says of the answer; None where there is none, or one that has no proof."""
    outcome, request = found.resolution or found.failure, found.request
    if request is None or not isinstance(outcome, Resolution | Unsatisfiable):
        return None
    if isinstance(outcome, Unsatisfiable) and any(isinstance(each, CatalogsUnreadable) for each in outcome.core):
        return None
    return verify(certificate(outcome, request), request)


def _sync(state: ClusterState, namespace: str, resolving: Callable[[], PlannedSteps | Refused]) -> NamespaceSync:
    return sync_namespace(
        namespace,
        state.all(Subscription, namespace),
        state.all(InstallPlan, namespace),
        [csv.name for csv in state.all(ClusterServiceVersion, namespace)],
        state.all(OperatorGroup, namespace),
        resolving,
    )


class _Resolving:
    """Resolves the namespace when it is called, and remembers how that went."""

    def __init__(
        self, state: ClusterState, contents: Contents, namespace: str, rules: Rules, groups: ClusterGroups
    ) -> None:
        self._state, self._contents, self._namespace = state, contents, namespace
        self._rules, self._groups = rules, groups
        self.found = NamespacePass(namespace, _NOTHING)

    def __call__(self) -> PlannedSteps | Refused:
        namespace, request = self._namespace, None
        try:
            request = self._request()
            fault = self._open_fault(request)
            if fault:
                self.found = NamespacePass(namespace, _NOTHING, request, error=fault)
                return Refused(fault)
            resolution = resolve(request, semantics=self._rules.semantics)
            self.found = NamespacePass(namespace, _NOTHING, request, resolution)
            return self._planned(request, resolution)
        except Unsatisfiable as failure:
            self.found = NamespacePass(namespace, _NOTHING, request, failure=failure)
            if any(isinstance(reason, CatalogsUnreadable) for reason in failure.core):
                return Refused("; ".join(map(str, failure.core)))
            return Refused(unsatisfiable_words(failure, self._namespace), unsatisfiable=True)
        except (RequestError, CatalogError, ProjectionError) as error:
            # What is wrong with one namespace is what OLM says there, and keeps no other from going on.
            self.found = NamespacePass(namespace, _NOTHING, request, error=in_one_line(error))
            return Refused(in_one_line(error))

    def _request(self) -> Request:
        rules = self._rules
        eligibility: list[Eligibility] = []
        if rules.operator_groups:
            eligibility.extend(group_eligibility(self._groups, self._namespace))
        if rules.kubernetes is not None:
            eligibility.append(WorksOnKubernetes(rules.kubernetes))
        if rules.openshift is not None:
            eligibility.append(WorksOnOpenShift(rules.openshift))
        return of_cluster(
            self._state,
            self._contents,
            self._namespace,
            global_namespace=rules.global_namespace,
            health_policy=rules.health_policy,
            eligibility=eligibility,
        )

    def _open_fault(self, request: Request) -> str:
        """Why the shipped controller cannot order what a subscription without a catalog may be served by."""
        if self._rules.semantics is not Semantics.CONTROLLER:
            return ""
        wishes = self._state.all(Subscription, self._namespace)
        present = {operator.name for operator in request.installed}
        return next(filter(None, (open_channel_fault(wish, request.sources, present) for wish in wishes)), "")

    def _planned(self, request: Request, resolution: Resolution) -> PlannedSteps:
        sources = {source.key: source for source in request.sources}
        return planned_steps(
            [new_operator(install, sources[install.catalog]) for install in resolution.installs],
            self._state.all(Subscription, self._namespace),
            [csv.name for csv in self._state.all(ClusterServiceVersion, self._namespace)],
            self._namespace,
        )
