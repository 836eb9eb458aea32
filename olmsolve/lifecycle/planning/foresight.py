"""Foresight: what the next step of OLM does to operators, computed before it happens.

A plan says what OLM writes, and no object shows yet what becomes of it. Here the plan of one namespace is carried out
on the objects, and its operators settle, as the first step of a simulation would have it::

    crd_removes_stored: the plan for p.v1.1.0 fails at a definition, p.v1.1.0 waits for it, and p.v1.0.0 gives way
    crd_deleted:        nothing is planned, and p.v1.0.0, whose definition is gone, stops working all the same
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final
from weakref import WeakKeyDictionary

from olmsolve._records import evolve, field, record
from olmsolve.cluster import ClusterState, Hindrance, NamespaceObjects, OperatorMayNotAct, operators_not_working
from olmsolve.cluster.install_plans import NamespaceSync
from olmsolve.cluster.objects import ClusterServiceVersion, CustomResourceDefinition, OperatorGroup
from olmsolve.cluster.operator_groups import ClusterGroups
from olmsolve.lifecycle.effects import as_found, operator_keys, plans_carried_out, retargeted, settled, without_going
from olmsolve.lifecycle.planning.hindrances import BundleMayNotAct, Foreseen, PlanForbidden
from olmsolve.requests import ClusterSituation

_GIVING_WAY: Final = frozenset({"Replacing", "Deleting"})


@record(says="the install plan for {bundles} will fail: {reason}")
class PlanWillFail(Hindrance, Foreseen):
    """The install plan for *bundles* fails at a step, for OLM's *reason*; what it took before stays."""

    bundles: tuple[str, ...] = field("The bundles that the plan is to install.")
    reason: str = field("OLM's reason.")


@record(says="{bundle} will not work once it is installed: it stays {phase} ({reason})")
class BundleWillNotWork(Hindrance, Foreseen):
    """A *bundle* that OLM will install does not come to work: it stays in *phase*, for OLM's *reason*."""

    bundle: str = field("The bundle.")
    phase: str = field("The phase in which it stays.")
    reason: str = field("OLM's reason, and the message.")


@record
class OperatorWillStop(Hindrance, Foreseen):
    """The *operator* (``namespace/name``) works, and stops once OLM has looked again, or installed the *bundles*."""

    operator: str = field("The operator, namespace/name.")
    phase: str = field("The phase that it gets.")
    reason: str = field("OLM's reason, and the message.")
    bundles: tuple[str, ...] = field("The bundles that make it stop, none where the objects do already.", default=())

    def __str__(self) -> str:
        when = f"once {', '.join(self.bundles)} are installed" if len(self.bundles) > 1 else ""
        when = when or (f"once {self.bundles[0]} is installed" if self.bundles else "as soon as OLM checks it again")
        return f"operator {self.operator} will stop working {when}: it becomes {self.phase} ({self.reason})"


def foreseen(
    cluster: ClusterSituation, namespace: str, sync: NamespaceSync | None, hindrances: Iterable[Hindrance]
) -> tuple[Hindrance, ...]:
    """Return what becomes of operators once OLM has written the plan of *sync* (None: no new one) for *namespace*.

    Everything that *hindrances* already say is left out. Plans that wait for approval are not carried out.
    """
    if NamespaceObjects.picked_from(cluster.state, namespace).is_terminating:
        return ()
    hindrances = tuple(hindrances)
    at_rest = _at_rest(cluster)
    silent = {hindrance.operator for hindrance in hindrances if isinstance(hindrance, OperatorMayNotAct)}
    return (
        *_stopping(at_rest.found, at_rest.rest, namespace, silent),
        *_of_plans(cluster, at_rest, namespace, sync, hindrances),
    )


class _Resting:
    """The objects of a situation as OLM *found* them, and once its operators have come to *rest*: the same for all."""

    def __init__(self, cluster: ClusterSituation) -> None:
        self.found = without_going(as_found(cluster.state))[0]
        self._static: dict[str, tuple[OperatorGroup, OperatorGroup]] = {}
        retargeted_state = retargeted(self.found)
        self.rest = settled(
            retargeted_state, operator_keys(retargeted_state), kubernetes=cluster.policy.kubernetes
        ).state

    @cached_property
    def groups(self) -> ClusterGroups:
        """The operator groups at rest."""
        return ClusterGroups(self.rest)

    @cached_property
    def users(self) -> dict[str, list[tuple[str, str]]]:
        """Map the name of each definition to the operators that own or require it."""
        users_of: dict[str, list[tuple[str, str]]] = {}
        for csv in self.rest.all(ClusterServiceVersion):
            for crd in () if csv.is_copied else (*csv.owned_crds, *csv.required_crds):
                users_of.setdefault(crd.name, []).append((csv.namespace, csv.name))
        return users_of

    def around(self, state: ClusterState, namespaces: Iterable[str]) -> ClusterState:
        """Return the part of *state* that operators of *namespaces* depend on: without the operators of others.

        Groups of other namespaces that intersect theirs keep the APIs that they have, as if they were static; nobody
        is there for whom that would matter. This saves time: of 300 namespaces with plans, each looks at itself.
        """
        part = state.narrowed(namespaces)
        near = {group.key: group for namespace in namespaces for group in state.all(OperatorGroup, namespace)}
        intersecting = {
            (other.namespace, other.name)
            for group in near.values()
            for other in self.groups.intersecting(self.groups.surface(group))
            if other.key not in near
        }
        others = (state.get(OperatorGroup, *key) for key in sorted(intersecting))
        return part.having(*(self._keeping_apis(neighbour) for neighbour in others if neighbour is not None))

    def _keeping_apis(self, group: OperatorGroup) -> OperatorGroup:
        """Return *group* with static APIs; the copy is kept, because every group that it intersects asks for it."""
        kept = self._static.get(group.key)
        # The group is kept beside its copy: after a change it is another object, and the copy would be stale.
        if kept is None or kept[0] is not group:
            kept = self._static[group.key] = group, evolve(group, static_provided_apis=True)
        return kept[1]


_RESTING: Final[WeakKeyDictionary[ClusterSituation, _Resting]] = WeakKeyDictionary()
"""One for each situation, all of whose namespaces are asked about the same objects."""


def _at_rest(cluster: ClusterSituation) -> _Resting:
    resting = _RESTING.get(cluster)
    if resting is None:
        resting = _RESTING[cluster] = _Resting(cluster)
    return resting


def _stopping(
    before: ClusterState, resting_state: ClusterState, namespace: str, silent: set[str]
) -> Iterator[OperatorWillStop]:
    """Yield the operators of *namespace*, except *silent* ones, that work now and will stop by themselves."""
    for csv in before.all(ClusterServiceVersion, namespace):
        if csv.phase == "Succeeded" and not csv.is_copied and csv.name not in silent:
            yield from _stopped(resting_state, namespace, csv, ())


def _stopped(
    after: ClusterState, namespace: str, csv: ClusterServiceVersion, bundles: tuple[str, ...]
) -> Iterator[OperatorWillStop]:
    now = after.get(ClusterServiceVersion, csv.namespace, csv.name)
    if now is not None and now.phase != "Succeeded" and now.phase not in _GIVING_WAY:
        yield OperatorWillStop(namespace, csv.key, now.phase, _why(now), bundles)


def _of_plans(
    cluster: ClusterSituation,
    at_rest: _Resting,
    namespace: str,
    sync: NamespaceSync | None,
    hindrances: tuple[Hindrance, ...],
) -> Iterator[Hindrance]:
    """Yield what the plans of *namespace* do, also the plan of *sync*."""
    resting_state = with_plan = at_rest.rest
    if sync is not None:
        with_plan = resting_state.having(*sync.subscriptions, *(() if sync.plan is None else (sync.plan,)))
    kubernetes = cluster.policy.kubernetes
    state, failed = plans_carried_out(with_plan, (namespace,), cluster.contents, kubernetes=kubernetes)
    # Nothing was carried out, so there is nothing to simulate.
    if state is with_plan:
        return
    touched = [
        definition.name
        for definition in state.all(CustomResourceDefinition)
        if _loses_versions(definition, resting_state)
    ]
    waiting = {(csv.namespace, csv.name) for csv in state.all(ClusterServiceVersion, namespace) if not csv.is_copied}
    waiting.update(key for name in touched for key in at_rest.users.get(name, ()))
    part = at_rest.around(state, {namespace, *(where for where, _ in waiting)})
    outcome = settled(part, waiting, kubernetes=kubernetes)
    forbidden = {name for hindrance in hindrances if isinstance(hindrance, PlanForbidden) for name in hindrance.bundles}
    for plan in failed:
        yield PlanWillFail(namespace, plan.operators, plan.message)
    silent = {hindrance.bundle for hindrance in hindrances if isinstance(hindrance, BundleMayNotAct)} | forbidden
    new = [
        csv
        for csv in outcome.state.all(ClusterServiceVersion, namespace)
        if not csv.is_copied and resting_state.get(ClusterServiceVersion, namespace, csv.name) is None
    ]
    for csv in new:
        if csv.phase != "Succeeded" and csv.name not in silent:
            yield BundleWillNotWork(namespace, csv.name, csv.phase, _why(csv))
    names = tuple(csv.name for csv in new)
    for key in dict.fromkeys((where, name) for where, name, _, _ in outcome.log):
        before = resting_state.get(ClusterServiceVersion, *key)
        if before is not None and before.phase == "Succeeded":
            yield from _stopped(outcome.state, namespace, before, names)


def _loses_versions(crd: CustomResourceDefinition, before: ClusterState) -> bool:
    """Return whether *crd* serves less than *before*; a definition that is new makes nobody stop."""
    former = before.get(CustomResourceDefinition, "", crd.name)
    if former is None or former is crd:
        return False
    served = {version.name for version in crd.versions if version.served}
    return any(version.served and version.name not in served for version in former.versions)


def _why(csv: ClusterServiceVersion) -> str:
    """Return the reason and the message of the phase of *csv*, with the requirements that are not met."""
    for hindrance in operators_not_working(NamespaceObjects(csv.namespace, csvs=(csv,))):
        return ": ".join(filter(None, (hindrance.reason, hindrance.message)))
    return csv.reason
