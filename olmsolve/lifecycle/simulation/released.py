"""The simulation of a cluster's objects as 0.2.0 took them: it warns, and makes a situation of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import olmsolve._attrs as attrs
from olmsolve._deprecated import warn
from olmsolve._limits import scoped
from olmsolve.classic import HealthPolicy, HouseRule, Semantics
from olmsolve.cluster import ClusterState
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.eligibility import Eligibility
from olmsolve.errors import RequestError
from olmsolve.lifecycle.simulation.model import MOST_STEPS, Simulation, SimulationSettings
from olmsolve.lifecycle.simulation.simulating import simulate_cluster
from olmsolve.requests import ClusterSituation, Contents, Policy
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
        """Return the part that a simulation alone has."""
        return SimulationSettings(self.approve, self.failing, self.verify, self.backend, most_steps)


def taking_objects(verb: _F) -> _F:
    """Let the *verb* take the objects of a cluster, the contents of its catalogs and rules, and warn of it."""

    @functools.wraps(verb)
    def either(*arguments: Any, **keywords: Any) -> Simulation:
        first = arguments[0] if arguments else keywords.get("state")
        if not isinstance(first, ClusterState):
            return cast("Simulation", verb(*arguments, **keywords))
        instead = "olmsolve.simulate(olmsolve.Situation.of_cluster(state, contents, policy))"
        warn("simulate(state, contents, rules)", instead)
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
