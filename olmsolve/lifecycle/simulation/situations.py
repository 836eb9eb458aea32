"""Simulations of whole situations: the namespaces of a cluster together, and each extension by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

import attrs

from olmsolve import events, v1
from olmsolve._limits import Cancellation, scoped
from olmsolve.cluster import ClusterState
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.lifecycle.simulation.model import Ending, Rules, Simulation
from olmsolve.lifecycle.simulation.simulating import MOST_STEPS, simulate_each, simulate_state
from olmsolve.requests import (
    ClusterSituation,
    Contents,
    ExtensionQuestion,
    QuestionAnswer,
    Situation,
    needs_objects,
)
from olmsolve.solver.backends import DEFAULT, BackendLike


@overload
def simulate(
    state: ClusterState,
    contents: Contents,
    rules: Rules = ...,
    *,
    namespaces: Iterable[str] | None = ...,
    most_steps: int = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> Simulation: ...


@overload
def simulate(
    state: Situation,
    *,
    approve: bool = ...,
    failing: Iterable[str] = ...,
    verify: bool = ...,
    backend: BackendLike = ...,
    most_steps: int = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> Simulation: ...


def simulate(
    state: ClusterState | Situation,
    contents: Contents | None = None,
    rules: Rules | None = None,
    *,
    namespaces: Iterable[str] | None = None,
    approve: bool = False,
    failing: Iterable[str] = (),
    verify: bool = False,
    backend: BackendLike = DEFAULT,
    most_steps: int = MOST_STEPS,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Simulation:
    """Carry out what is planned for the cluster *state*, and resolve again, until nothing changes.

    *state* is a situation, or the objects of a cluster with the *contents* of its catalogs by ``namespace/name``. A
    step is one round over all namespaces. A namespace that cannot be resolved stays as it is, and the others go on. The
    simulation always ends: a state that was there before is recognised, and *most_steps* bounds how many there are.

    Objects are simulated by *rules*; *namespaces* are those to be resolved (default: all that have subscriptions). The
    questions and the policy of a situation say both, and *approve*, *failing*, *verify* and *backend* mean the same as
    in :class:`Rules`. Each extension of a situation is updated by itself, until it stays. *timeout*, *conflicts*,
    *cancel* and *observer* are as in :func:`olmsolve.resolve`, for all steps together.

    Raises:
        RequestError: a content has no catalog, a namespace no subscription, no operator has the name of one that is to
            fail, or the only question of the situation is a request document for classic OLM.
        ManifestError: a catalog that a namespace sees has no content (under the strict health policy). In a situation
            with several questions, such a namespace stays unresolved.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    if isinstance(state, Situation):
        if contents is not None or rules is not None or namespaces is not None:
            raise RequestError("a situation says its contents, rules and namespaces itself", field="state")
        chosen = Rules(approve=approve, failing=failing, verify=verify, backend=backend)
        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            return _simulate_situation(state, chosen, most_steps)
    if contents is None:
        raise RequestError("the contents of the catalogs are needed", field="contents")
    if approve or failing or verify or backend != DEFAULT:
        raise RequestError("go with a situation; the rules say them for a cluster's objects", field="approve, failing")
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return simulate_state(state, contents, rules or Rules(), namespaces=namespaces, most_steps=most_steps)


def _simulate_situation(situation: Situation, rules: Rules, most_steps: int) -> Simulation:
    extensions: list[v1.ExtensionRequest] = []
    failed: list[v1.FailedExtension] = []
    errors: list[QuestionAnswer[None]] = []
    namespaces: list[str] = []
    for question in situation.questions:
        if isinstance(question, ExtensionQuestion):
            try:
                extensions.append(attrs.evolve(question.request(), name=question.name))
            except OlmsolveError as error:
                if len(situation.questions) == 1 or isinstance(error, Incomplete):
                    raise
                failed.append(v1.FailedExtension(question.name, "", error))
        elif question.is_document:
            fault = needs_objects("simulate", question.name)
            if len(situation.questions) == 1:
                raise fault
            errors.append(QuestionAnswer(question, error=fault))
        else:
            namespaces.append(question.name)
    found = Simulation((), Ending.REST, ClusterState(), ())
    cluster = situation.cluster
    if cluster is not None:
        found = attrs.evolve(found, state=cluster.state, start=cluster.state)
        # Operators and plans of namespaces without subscriptions count where nothing was chosen.
        chosen = namespaces if situation.is_part else None
        if namespaces or chosen is None:
            is_only = len(situation.questions) <= 1 and not (extensions or failed)
            simulating = simulate_state if is_only else simulate_each
            found = simulating(
                cluster.state, cluster.contents, _rules_of(cluster, rules), namespaces=chosen, most_steps=most_steps
            )
    found = attrs.evolve(found, errors=tuple(errors))
    if not extensions and not failed:
        return found
    simulated = v1.simulate(extensions)
    return attrs.evolve(found, extensions=attrs.evolve(simulated, failed=(*simulated.failed, *failed)))


def _rules_of(cluster: ClusterSituation, rules: Rules) -> Rules:
    """Return *rules* with what *cluster* assumes in their place."""
    policy = cluster.policy
    return attrs.evolve(
        rules,
        semantics=cluster.semantics,
        global_namespace=cluster.global_namespace,
        health_policy=cluster.health_policy,
        operator_groups=policy.operator_groups,
        kubernetes=policy.kubernetes,
        openshift=policy.openshift,
        eligibility=policy.eligibility,
        house_rules=policy.house_rules,
    )
