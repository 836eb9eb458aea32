"""The verb: simulations of whole situations, the namespaces of a cluster together, and each extension by itself.

Version 0.2.0 took the objects of a cluster; who passes those is warned, and a situation is made of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import olmsolve._attrs as attrs
from olmsolve import events, v1
from olmsolve._arguments import warn_deprecated, wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve._records import evolve
from olmsolve.classic import HealthPolicy, HouseRule, Semantics
from olmsolve.cluster import ClusterState
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.eligibility import Eligibility
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.lifecycle.simulation.model import MOST_STEPS, Ending, Simulation, SimulationSettings
from olmsolve.lifecycle.simulation.simulating import simulate_cluster
from olmsolve.requests import (
    ClusterSituation,
    Contents,
    ExtensionQuestion,
    Policy,
    QuestionAnswer,
    Situation,
    needs_objects,
)
from olmsolve.semver import Version
from olmsolve.solver.backends import DEFAULT, BackendLike

_F = TypeVar("_F", bound=Callable[..., Any])


def _names(values: Iterable[str]) -> frozenset[str]:
    return frozenset(values)


@attrs.frozen(kw_only=True)
class Rules:
    """The assumptions about a cluster and the people around it, as 0.2.0 took them.

    Deprecated: :class:`olmsolve.Policy` has what holds for a cluster, :func:`olmsolve.simulate` takes the others.
    """

    approve: bool = False
    semantics: Semantics = Semantics.CONTROLLER
    global_namespace: str = DEFAULT_GLOBAL_NAMESPACE
    health_policy: HealthPolicy = HealthPolicy.STRICT
    operator_groups: bool = False
    kubernetes: str | Version | None = None
    openshift: str | Version | None = None
    eligibility: tuple[Eligibility, ...] = ()
    house_rules: tuple[HouseRule, ...] = ()
    failing: frozenset[str] = attrs.field(converter=_names, default=frozenset())
    verify: bool = False
    backend: BackendLike = DEFAULT

    @property
    def policy(self) -> Policy:
        """The part that holds for a cluster, whatever is asked."""
        names = {field.name for field in attrs.fields(Policy)} & {field.name for field in attrs.fields(Rules)}
        return Policy(**{name: getattr(self, name) for name in names})

    def settings(self, most_steps: int) -> SimulationSettings:
        """Return the settings that only simulations have."""
        return SimulationSettings(self.approve, self.failing, self.verify, self.backend, most_steps)


def taking_objects(verb: _F) -> _F:
    """Let the *verb* take the objects of a cluster, the contents of its catalogs and rules, and warn of it."""

    @functools.wraps(verb)
    def either(*arguments: Any, **keywords: Any) -> Simulation:
        first = arguments[0] if arguments else keywords.get("state")
        if not isinstance(first, ClusterState):
            return cast("Simulation", verb(*arguments, **keywords))
        instead = "olmsolve.simulate(olmsolve.Situation.of_cluster(state, contents, policy))"
        warn_deprecated("simulate(state, contents, rules)", instead)
        return _simulate(*arguments, **keywords)

    return cast("_F", either)


def _simulate(
    state: ClusterState,
    contents: Contents | None = None,
    rules: Rules | None = None,
    *,
    namespaces: Iterable[str] | None = None,
    most_steps: int = MOST_STEPS,
    **limits: Any,
) -> Simulation:
    if contents is None:
        raise RequestError("the contents of the catalogs are needed", field="contents")
    rules = rules or Rules()
    cluster = ClusterSituation(state, contents, rules.policy)
    with scoped(**limits):
        return simulate_cluster(cluster, rules.settings(most_steps), namespaces=namespaces)


@taking_objects
def simulate(
    situation: Situation,
    *,
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
    """Carry out the plans of *situation*, and resolve again, until nothing changes.

    A step is one round over all namespaces. A namespace that cannot be resolved stays as it is, and the others go on.
    Each extension is updated by itself, until it stays. The simulation always ends: a state that was there before is
    recognised, and *most_steps* bounds how many there are. The policy of the situation holds throughout;
    :meth:`olmsolve.Situation.of_cluster` makes one of a cluster's objects.

    With *approve*, install plans that wait for approval get it. *failing* are operators (``namespace/name``) whose
    installation fails; all others succeed. *verify* has every answer confirmed by the independent checker. *backend*
    names the solver (:func:`olmsolve.backends` lists them). *timeout*, *conflicts*, *cancel* and *observer* are as in
    :func:`olmsolve.resolve`, for all steps together.

    Raises:
        RequestError: no operator has the name of one that is to fail, or the only question of the situation is a
            request document for classic OLM.
        ManifestError: a catalog that the only namespace sees has no content (under the strict health policy). With
            several questions, such a namespace stays unresolved.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> found = olmsolve.simulate(situation, approve=True)
    >>> found.ended is olmsolve.Ending.REST, found.left
    (True, ())
    """
    if not isinstance(situation, Situation):
        raise wrong_type(situation, "a Situation", "situation", "olmsolve.read_situation makes one")
    settings = SimulationSettings(approve, failing, verify, backend, most_steps)
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return simulate_situation(situation, settings)


def simulate_situation(situation: Situation, settings: SimulationSettings) -> Simulation:
    """Simulate *situation*, as :func:`simulate` says, within the limits of the scope at hand."""
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
    simulation = Simulation((), Ending.REST, ClusterState(), ())
    cluster = situation.cluster
    if cluster is not None:
        simulation = evolve(simulation, state=cluster.state, start=cluster.state)
        # Operators and plans of namespaces without subscriptions count where nothing was chosen.
        chosen = namespaces if situation.is_part else None
        if namespaces or chosen is None:
            is_only = len(situation.questions) <= 1 and not (extensions or failed)
            simulation = simulate_cluster(cluster, settings, namespaces=chosen, is_only=is_only)
    simulation = evolve(simulation, errors=tuple(errors))
    if not extensions and not failed:
        return simulation
    simulated = v1.simulate(extensions)
    return evolve(simulation, extensions=evolve(simulated, failed=(*simulated.failed, *failed)))
