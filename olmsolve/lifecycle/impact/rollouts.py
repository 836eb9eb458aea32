"""The order in which the namespaces of a cluster can be updated, where they share definitions of APIs.

A definition (CustomResourceDefinition) belongs to the whole cluster, and OLM resolves each namespace by itself. So an
update in one namespace may take a version of an API away that an operator of another namespace still needs::

    shop: ledger.v1 (provides v1) -> ledger.v2 (v1 and v2) -> ledger.v3 (v2)
    lab:  mirror.v1 (needs v1)    -> mirror.v2 (needs v2)

    safe:    ledger.v2, mirror.v2, ledger.v3
    unsafe:  mirror.v2 first, because nothing provides v2; ledger.v3 before mirror.v2, because mirror.v1 needs v1

What each namespace does in one round of its simulation, such as one install plan, is one step. All orders of the steps
are tried, and an order is safe where each operator has the APIs that it provides or requires after every step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.cluster import (
    PROPERTIES_ANNOTATION,
    Api,
    ClusterState,
    ProjectionError,
    annotation_to_properties,
    owned_apis,
)
from olmsolve.cluster.objects import ClusterServiceVersion, CustomResourceDefinition
from olmsolve.lifecycle.impact.model import Rollout, RolloutStep
from olmsolve.lifecycle.simulation import Simulation

Kind: TypeAlias = tuple[str, str]
"""The group and the kind of an API."""

_Available: TypeAlias = Mapping[Kind, frozenset[str]]
"""The versions that are served, by kind."""

_REQUIRED: Final = "olm.gvk.required"
# Orders multiply: six namespaces with three updates each have 4,096 states, and no report waits for them.
_MOST_STATES: Final = 2_000
_MOST_REASONS: Final = 5  # why orders fail, in a report


@attrs.frozen
class _NamespaceStage:
    """A namespace after a step: the *bundles* that the step brought, what they *write*, and who *needs* which API."""

    bundles: tuple[str, ...]
    writes: _Available
    needs: Mapping[Api, str]


@attrs.frozen
class _UpdatedNamespace:
    """A namespace with its *stages*, the first of which is how it was found."""

    namespace: str
    stages: tuple[_NamespaceStage, ...]

    def kinds(self) -> frozenset[Kind]:
        """Return the kinds that any stage writes or needs."""
        needed = {_kind(api) for stage in self.stages for api in stage.needs}
        return frozenset(needed.union(*(stage.writes for stage in self.stages)))


def rollouts(simulation: Simulation) -> Iterator[Rollout]:
    """Yield an order for each group of namespaces in which not every order of the updates is safe."""
    states = (simulation.start, *(step.state for step in simulation.steps))
    names = sorted({csv.namespace for state in states for csv in state.all(ClusterServiceVersion)})
    actors = [_actor(name, states) for name in checked(names)]
    kinds_written = frozenset(kind for actor in actors for stage in actor.stages[1:] for kind in stage.writes)
    for group in _groups(actors, kinds_written):
        kinds = kinds_written & frozenset[Kind]().union(*(actor.kinds() for actor in group))
        orders = _UpdateOrders(group, _served(simulation.start, kinds), kinds).rollout()
        if orders is not None:
            yield orders


def needed_kinds(csv: ClusterServiceVersion) -> frozenset[Kind]:
    """Return the kinds of the APIs that *csv* provides or requires."""
    return frozenset(map(_kind, _apis(csv)))


def defined_kinds(csv: ClusterServiceVersion) -> frozenset[Kind]:
    """Return the kinds whose definitions belong to *csv*."""
    return frozenset(kind for kind, _ in _defined(csv))


def _defined(csv: ClusterServiceVersion) -> Iterator[tuple[Kind, str]]:
    """Yield the kind and the version of each API of *csv* that a definition provides; services provide the others."""
    for crd in csv.owned_crds:
        yield (crd.name.partition(".")[2], crd.kind), crd.version


def _kind(api: Api) -> Kind:
    return api.group, api.kind


def _apis(csv: ClusterServiceVersion) -> frozenset[Api]:
    """Return the APIs that *csv* provides or requires, by its specification and the properties of its bundle."""
    required = (Api(crd.name.partition(".")[2], crd.version, crd.kind) for crd in csv.required_crds)
    services = (
        Api(api_service.group, api_service.version, api_service.kind) for api_service in csv.required_api_services
    )
    annotated = _annotated(csv.metadata.annotations.get(PROPERTIES_ANNOTATION, ""))
    return frozenset((*owned_apis(csv), *required, *services, *annotated))


# The text is the same for an operator in all rounds, and in all clusters that have it: half a kilobyte takes 75 µs to
# read, and 0.04 to look up.
@lru_cache(maxsize=512)
def _annotated(text: str) -> frozenset[Api]:
    if not text:
        return frozenset()
    apis: set[Api] = set()
    try:
        for annotated in annotation_to_properties(text):
            value = annotated.value if annotated.type == _REQUIRED else None
            if isinstance(value, Mapping):
                apis.add(Api(*(str(value.get(field) or "") for field in ("group", "version", "kind"))))
    except ProjectionError:
        # Its namespace cannot be resolved either, which is a finding of its own.
        return frozenset()
    return frozenset(apis)


def _actor(namespace: str, states: Sequence[ClusterState]) -> _UpdatedNamespace:
    stages: list[_NamespaceStage] = []
    before: set[str] = set()
    for state in states:
        csvs = [csv for csv in state.all(ClusterServiceVersion, namespace) if not csv.is_copied]
        names = {csv.name for csv in csvs}
        needs = {api: csv.name for csv in csvs for api in sorted(_apis(csv), key=str)}
        new = [csv for csv in csvs if csv.name not in before]
        if not stages:
            stages.append(_NamespaceStage((), {}, needs))
        elif new:
            stages.append(_NamespaceStage(tuple(csv.name for csv in new), _definitions_written(new), needs))
        elif names != before:
            stages[-1] = attrs.evolve(stages[-1], needs=needs)
        before = names
    return _UpdatedNamespace(namespace, tuple(stages))


def _definitions_written(csvs: Sequence[ClusterServiceVersion]) -> _Available:
    """Return the definitions that the install plan of *csvs* writes: of each kind, the versions that they provide."""
    versions_by_kind: dict[Kind, set[str]] = {}
    for csv in csvs:
        for kind, version in _defined(csv):
            versions_by_kind.setdefault(kind, set()).add(version)
    return {kind: frozenset(versions) for kind, versions in versions_by_kind.items()}


def _served(state: ClusterState, kinds: frozenset[Kind]) -> _Available:
    """Return the versions of *kinds* in *state*: of the definition, or without one, those that operators provide."""
    versions: dict[Kind, frozenset[str]] = {}
    for csv in state.all(ClusterServiceVersion):
        for kind, version in _defined(csv) if not csv.is_copied else ():
            if kind in kinds:
                versions[kind] = versions.get(kind, frozenset()) | {version}
    for crd in state.all(CustomResourceDefinition):
        if (crd.group, crd.resource_kind) in kinds:
            versions[crd.group, crd.resource_kind] = frozenset(
                version.name for version in crd.versions if version.served
            )
    return versions


def _groups(
    actors: Sequence[_UpdatedNamespace], kinds_written: frozenset[Kind]
) -> Iterator[tuple[_UpdatedNamespace, ...]]:
    """Yield the actors that a kind of *kinds_written* connects, directly or not, where there are several."""
    groups: list[tuple[frozenset[Kind], tuple[_UpdatedNamespace, ...]]] = []
    for actor in actors:
        kinds = actor.kinds() & kinds_written
        together: tuple[_UpdatedNamespace, ...] = (actor,)
        apart = []
        for other, members in groups:
            if other & kinds:
                kinds, together = kinds | other, (*members, *together)
            else:
                apart.append((other, members))
        # Each actor joins all groups that it shares a kind with: {a, b} and {c}, then an actor of b and c: {a, b, c}.
        groups = [*apart, (kinds, together)]
    for kinds, members in groups:
        if len(members) > 1 and kinds:
            yield tuple(sorted(members, key=lambda actor: actor.namespace))


_RolloutState: TypeAlias = tuple[tuple[int, ...], frozenset[tuple[Kind, frozenset[str]]]]
"""How many steps each actor has taken, and the versions that are served."""

_Parents: TypeAlias = Mapping[_RolloutState, tuple[_RolloutState, int] | None]
"""The state before each state, and which namespace took the step; None for the first."""


class _UpdateOrders:
    """All orders of the steps of *actors*, from the *available* versions of the *kinds* that steps write."""

    def __init__(self, actors: Sequence[_UpdatedNamespace], available: _Available, kinds: frozenset[Kind]) -> None:
        self._actors = actors
        self._kinds = kinds
        self._start: _RolloutState = ((0,) * len(actors), frozenset(available.items()))
        # A definition that was missing before anything happened is no fault of an order.
        self._missing = {(actor.namespace, api) for actor, _, api in self._violations(self._start)}
        self._reasons: dict[str, None] = {}

    def rollout(self) -> Rollout | None:
        """Return a safe order, or why there is none; None where every order is safe."""
        goal = tuple(len(actor.stages) - 1 for actor in self._actors)
        # Breadth first: the states that were reached, each with the one before it, from which the steps are read
        # backwards.
        parents: dict[_RolloutState, tuple[_RolloutState, int] | None] = {self._start: None}
        waiting = deque([self._start])
        last: _RolloutState | None = None
        while waiting:
            state = waiting.popleft()
            if state[0] == goal:
                last = last or state
                continue
            for actor, following in checked(list(self._following(state))):
                if following not in parents:
                    parents[following] = (state, actor)
                    waiting.append(following)
            if len(parents) > _MOST_STATES:
                return Rollout(reasons=(f"there are more than {_MOST_STATES:,} ways to interleave the updates",))
        if not self._reasons:
            return None
        reasons = tuple(self._reasons)[:_MOST_REASONS]
        return Rollout(tuple(self._steps(parents, last)) if last is not None else (), reasons)

    def _following(self, state: _RolloutState) -> Iterator[tuple[int, _RolloutState]]:
        """Yield the actors that can take their next step in *state*, each with the state after it."""
        positions, available = state
        for number, actor in enumerate(self._actors):
            if positions[number] + 1 == len(actor.stages):
                continue
            stage = actor.stages[positions[number] + 1]
            writes = {kind: versions for kind, versions in stage.writes.items() if kind in self._kinds}
            moved = (*positions[:number], positions[number] + 1, *positions[number + 1 :])
            after: _RolloutState = (moved, frozenset({**dict(available), **writes}.items()))
            broken = [
                violation
                for violation in self._violations(after)
                if (violation[0].namespace, violation[2]) not in self._missing
            ]
            for other, operator, api in broken:
                self._reasons[_reason(actor, stage, other, operator, api)] = None
            if not broken:
                yield number, after

    def _violations(self, state: _RolloutState) -> Iterator[tuple[_UpdatedNamespace, str, Api]]:
        """Yield the operators that lack an API in *state*."""
        positions, served = state
        available = dict(served)
        for actor, position in zip(self._actors, positions, strict=True):
            for api, operator in actor.stages[position].needs.items():
                if _kind(api) in self._kinds and api.version not in available.get(_kind(api), ()):
                    yield actor, operator, api

    def _steps(self, parents: _Parents, last: _RolloutState) -> Iterator[RolloutStep]:
        steps: list[RolloutStep] = []
        parent = parents[last]
        while parent is not None:
            state, number = parent
            actor = self._actors[number]
            steps.append(RolloutStep(actor.namespace, actor.stages[state[0][number] + 1].bundles))
            parent = parents[state]
        return reversed(steps)


def _reason(actor: _UpdatedNamespace, stage: _NamespaceStage, other: _UpdatedNamespace, operator: str, api: Api) -> str:
    gets = f"{actor.namespace} must not get {', '.join(stage.bundles)}"
    if other is actor:
        return f"{gets} before the API {api.gvk} is there, which {operator} needs"
    return f"{gets} while {other.namespace} has {operator}, which needs the API {api.gvk}"
