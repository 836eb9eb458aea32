"""The footprint of a simulated part: what it touched that other parts of its cluster may touch as well.

Parts of a cluster are simulated one by one, each as if the others were not there. That gives what the whole cluster
gives as long as no part reads what another one writes. Namespaces share three things:

* definitions (CustomResourceDefinitions), which install plans create and replace;
* the APIs of operator groups: of two groups with a common target, one at most may provide an API;
* the rounds of the simulation: a part that rests must stay as it is while the others go on.

Catalogs change in no simulation. Clusters with copies of operators, or with extensions of OLM v1, have no parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.cluster import Api, ClusterState, PlanFailed, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, CustomResourceDefinition, OperatorGroup
from olmsolve.cluster.operator_groups import surface
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.impact.rollouts import Kind, defined_kinds, needed_kinds
from olmsolve.lifecycle.simulation import Ending, Simulation, simulate
from olmsolve.requests import Situation
from olmsolve.solver.backends import BackendLike


@attrs.frozen
class Side:
    """A *situation* simulated to rest, or the *error* that stands for the simulation."""

    situation: Situation
    simulation: Simulation | None = None
    error: OlmsolveError | None = None


def simulated(situation: Situation, approve: bool, backend: BackendLike) -> Side:
    """Simulate *situation*, with *approve* with all install plans approved.

    Raises:
        Incomplete: a limit was met, or the caller cancelled.
    """
    try:
        return Side(situation, simulate(situation, approve=approve, backend=backend))
    # A limit ends the whole run; every other error is the answer for this cluster.
    except Incomplete:
        raise
    except OlmsolveError as error:
        return Side(situation, error=error)


@attrs.frozen
class Footprint:
    """The catalogs and objects that the simulations of a part touched.

    *definitions* (names) and *kinds* are of the definitions that install plans created or replaced; *needed*
    are the kinds of APIs that operators provide or require, whose definitions others may replace. *apis* are those of
    operators and groups, *targets* the namespaces of the groups (``""``: all). *operator_count* and *operator_passes*
    are the most operators of one round, and the most passes over them. A part that *is_separable* came to a lasting
    rest, and no install plan failed: a failing one leaves no trace of what it read.
    """

    definitions: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    needed: frozenset[Kind] = frozenset()
    apis: frozenset[Api] = frozenset()
    targets: frozenset[str] = frozenset()
    operator_count: int = 0
    operator_passes: int = 0
    is_separable: bool = False

    def meets(self, other: Footprint) -> bool:
        """Return whether the part and the *other* one touched something in common, so that they are one part."""
        if self.definitions & other.definitions or self.kinds & other.needed or self.needed & other.kinds:
            return True
        if not self.apis & other.apis:
            return False
        for_all = self.targets and other.targets and "" in self.targets | other.targets
        return bool(for_all or self.targets & other.targets)

    def united(self, other: Footprint) -> Footprint:
        """Return what this footprint and the *other* one touched together, separable where both are."""
        return Footprint(
            self.definitions | other.definitions,
            self.kinds | other.kinds,
            self.needed | other.needed,
            self.apis | other.apis,
            self.targets | other.targets,
            max(self.operator_count, other.operator_count),
            max(self.operator_passes, other.operator_passes),
            self.is_separable and other.is_separable,
        )


def footprint(*sides: Side) -> Footprint:
    """Return what the simulations of *sides* touched; not separable where one has ended in an error."""
    simulations = [side.simulation for side in sides if side.simulation is not None]
    return simulation_footprint(*simulations) if len(simulations) == len(sides) else Footprint()


def simulation_footprint(*simulations: Simulation) -> Footprint:
    """Return what *simulations*, of which there is at least one, touched."""
    definitions = {
        definition.name: definition for simulation in simulations for definition in _written_definitions(simulation)
    }
    apis: set[Api] = set()
    targets: set[str] = set()
    kinds = {(definition.group, definition.resource_kind) for definition in definitions.values()}
    needed: set[Kind] = set()
    for start, state in ((simulation.start, state) for simulation in simulations for state in _states(simulation)):
        for csv in checked(state.all(ClusterServiceVersion), every=8):
            apis |= {_without_plural(api) for api in owned_apis(csv)}
            needed |= needed_kinds(csv)
            if start.get(ClusterServiceVersion, csv.namespace, csv.name) is None:
                kinds |= defined_kinds(csv)
        for group in state.all(OperatorGroup):
            apis |= {_without_plural(api) for api in surface(group).provided_apis}
            targets |= {*group.namespaces, group.namespace}
    return Footprint(
        frozenset(definitions),
        frozenset(kinds),
        frozenset(needed | kinds),
        frozenset(apis),
        frozenset(targets),
        max(simulation.operator_count for simulation in simulations),
        max(simulation.operator_passes for simulation in simulations),
        all(map(_is_separable, simulations)),
    )


def _states(simulation: Simulation) -> Iterator[ClusterState]:
    yield simulation.start
    yield from (step.state for step in simulation.steps)


def _written_definitions(simulation: Simulation) -> Iterator[CustomResourceDefinition]:
    """Yield the definitions that install plans wrote: each is a new value, even where it equals the old one."""
    for state in _states(simulation):
        for definition in state.all(CustomResourceDefinition):
            if simulation.start.get(CustomResourceDefinition, "", definition.name) is not definition:
                yield definition


def _is_separable(simulation: Simulation) -> bool:
    troubles = (trouble for step in simulation.steps for trouble in step.troubles)
    is_at_rest = simulation.ended is Ending.REST and simulation.is_unchanging
    return is_at_rest and not any(isinstance(trouble, PlanFailed) for trouble in troubles)


def _without_plural(api: Api) -> Api:
    return attrs.evolve(api, plural="") if api.plural else api


def first_meeting(footprints: Iterable[Footprint]) -> tuple[int, int] | None:
    """Return the positions of the first two of *footprints* that meet, None where all parts stand alone."""
    remaining = list(footprints)
    for right, footprint in enumerate(remaining):
        for left in range(right):
            if remaining[left].meets(footprint):
                return left, right
    return None
