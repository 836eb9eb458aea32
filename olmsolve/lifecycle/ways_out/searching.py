"""The ways out of hindrances that a cluster's objects show: changes of objects, each simulated before it is reported.

A way is reported only if it stops nothing that works now and would go on working without it. The ways come by the harm
that they can do: waiting first, removing last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.answers.explain import Fix, SettleUpdate
from olmsolve.cluster import (
    CatalogNotReady,
    ClusterState,
    Hindrance,
    NamespaceUnresolvable,
    OperatorNotWorking,
    PlanNotFinished,
    SubscriptionsReport,
    is_deleted,
)
from olmsolve.cluster.catalogs import visible_namespaces
from olmsolve.cluster.install_plans import plan_rights
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion, OperatorGroup, SubscriptionObject
from olmsolve.errors import OlmsolveError
from olmsolve.lifecycle.simulation import NamespaceUnresolved, Simulation, SimulationSettings, simulate_cluster
from olmsolve.lifecycle.ways_out.candidates import INSTALLING, changes_for
from olmsolve.lifecycle.ways_out.changes import (
    AwaitCatalog,
    AwaitOlm,
    AwaitReplacement,
    CreateCatalog,
    Harm,
    ObjectsChange,
    RemoveInstalled,
    RepairSource,
)
from olmsolve.lifecycle.ways_out.fixes import CarryOutFix, change_of_fix
from olmsolve.requests import ClusterSituation, Contents

_MOST: Final = 12  # changes that are tried, the mildest first: each costs a simulation of the cluster
# An operator with one of these reasons of OLM is installed once more (ConditionReason in its API v1alpha1).
_STARTED_ANEW: Final = frozenset({"ComponentUnhealthy", "NeedsReinstall"})


@record(
    definition="clusterWayOut",
    about="A way out of a problem that the objects of a cluster report.",
    layout=("_text", "_harm", "_risk", ...),
)
class ClusterWayOut(Record):
    """A *change* that gets a namespace on, and the operators that *work* then and did not before."""

    change: ObjectsChange
    works: tuple[str, ...] = field("The operators that work then, and would not without the change.", default=())
    is_tried: bool = field("Whether a simulation shows it; false where no objects of a dump can.", default=True)
    namespaces: tuple[str, ...] = field(
        "The namespaces that it helps, if it is about a catalog that several namespaces see.", default=()
    )

    @property
    @documented("What to do.", path="text")
    def _text(self) -> str:
        return str(self.change)

    @property
    @documented("The harm that it can do, from wait to remove.", path="harm")
    def _harm(self) -> str:
        return self.change.harm.name.lower()

    @property
    @documented("What it risks, empty for nothing.", path="risk")
    def _risk(self) -> str:
        return self.change.risk


def cluster_ways_out(
    cluster: ClusterSituation, namespace: str, hindrances: Iterable[Hindrance], fixes: Iterable[Fix] = ()
) -> tuple[ClusterWayOut, ...]:
    """Return the ways out of the *hindrances* of *namespace*, the least harm first; at most twelve are tried.

    *fixes* give the request of the namespace a plan; each is a way out where the objects show that it helps. Where OLM
    gets over everything by itself, that is the only way out.
    """
    hindrances, fixes = tuple(hindrances), tuple(fixes)
    changes = [made for one in hindrances for made in changes_for(one, cluster, namespace)]
    awaited = {made.catalog for made in changes if isinstance(made, AwaitCatalog)}
    for fix in fixes:
        change = change_of_fix(fix, cluster.state, namespace)
        if not (isinstance(change, RepairSource) and change.catalog in awaited):
            changes.append(change)
    changes += _missing_catalogs(cluster, namespace) if fixes else ()
    if not changes and not any(isinstance(hindrance, OperatorNotWorking) for hindrance in hindrances):
        return ()
    candidates = list(dict.fromkeys(changes))
    # An operator that is removed is gone at once, a subscription takes nothing with it.
    candidates.sort(key=lambda candidate: (candidate.harm, isinstance(candidate, RemoveInstalled)))
    trial = _ChangeTrial(cluster, namespace)
    if not any(_is_assumed(hindrance, cluster, namespace) for hindrance in hindrances):
        waiting = [chosen for kind in (AwaitReplacement, AwaitOlm) for chosen in candidates if isinstance(chosen, kind)]
        alone = trial.by_itself(waiting[0] if waiting else AwaitOlm(namespace, "OLM recovers by itself"))
        if alone is not None:
            return (alone,)
    ways = (trial.way_out(candidate) for candidate in checked(candidates[:_MOST]))
    return tuple(_with_namespaces(way, cluster) for way in ways if way is not None)


def _with_namespaces(way: ClusterWayOut, cluster: ClusterSituation) -> ClusterWayOut:
    """Return *way*; if it mends a catalog that several namespaces see, with the names of all of them."""
    if not isinstance(way.change, AwaitCatalog | RepairSource):
        return way
    where = way.change.catalog.partition("/")[0]
    namespaces = tuple(
        name
        for name in cluster.namespaces
        if where in visible_namespaces(name, cluster.state.all(OperatorGroup, name), cluster.global_namespace)
    )
    return evolve(way, namespaces=namespaces) if len(namespaces) > 1 else way


def _missing_catalogs(cluster: ClusterSituation, namespace: str) -> Iterator[CreateCatalog]:
    """Yield the creation of each catalog that a subscription of *namespace* names, and that is not there."""
    naming: dict[str, list[str]] = {}
    for subscription in cluster.staying.all(SubscriptionObject, namespace):
        present = cluster.staying.get(CatalogSource, subscription.source_namespace, subscription.source)
        if subscription.source and subscription.source_namespace and present is None:
            naming.setdefault(f"{subscription.source_namespace}/{subscription.source}", []).append(subscription.name)
    for catalog, names in naming.items():
        yield CreateCatalog(namespace, tuple(names), catalog)


def _is_assumed(hindrance: Hindrance, cluster: ClusterSituation, namespace: str) -> bool:
    """Return whether a simulation takes for granted that *hindrance* comes to a good end, which no object shows."""
    match hindrance:
        case CatalogNotReady():
            return True
        case SubscriptionsReport():
            return hindrance.condition in ("BundleUnpackFailed", "BundleUnpacking")
        case PlanNotFinished() | OperatorNotWorking() if "forbidden" in hindrance.message:
            return plan_rights(namespace, cluster.state) is None
        case OperatorNotWorking():
            return hindrance.phase in INSTALLING or hindrance.reason in _STARTED_ANEW
        case _:
            return False


class _ChangeTrial:
    """Simulations of a cluster with and without a change."""

    def __init__(self, cluster: ClusterSituation, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._before = working(cluster.state)

    @cached_property
    def _without(self) -> Simulation | None:
        """The cluster at rest without a change; None where it cannot be simulated."""
        # Each of up to twelve changes is compared with it, and a simulation is nearly all that a trial costs.
        return self._end(self._cluster.state, self._cluster.contents)

    def by_itself(self, waiting: ObjectsChange) -> ClusterWayOut | None:
        """Return the way out of *waiting*, where OLM gets the namespace on and leaves nothing over; else None."""
        side = self._without
        if side is None or any(hindrance.namespace == self._namespace for hindrance in side.left):
            return None
        gained = [name for namespace, name in working(side.state) - self._before if namespace == self._namespace]
        if not gained:
            return None
        return ClusterWayOut(waiting, tuple(sorted(gained)))

    def way_out(self, change: ObjectsChange) -> ClusterWayOut | None:
        """Return *change* as a way out; None where something stops with it, or nothing comes of it."""
        if not change.is_shown:
            return ClusterWayOut(change, is_tried=False)
        without = self._without
        if isinstance(change, CarryOutFix) and not change.parts:
            return None if self._fails(change, without) else ClusterWayOut(change, is_tried=False)
        after = self._end(change.apply(self._cluster.state), self._cluster.contents)
        if without is None or after is None:
            # Unreadable input of a simulation, such as a catalog without content, is no reason to keep a command back.
            return ClusterWayOut(change, is_tried=False) if change.harm <= Harm.REPAIR else None
        stays = {key for key in self._before if still_works(key, self._cluster.state, without.state)}
        # Operators that stop count more than operators that start to work: nobody breaks one operator to get another.
        if not all(still_works(key, self._cluster.state, after.state) for key in stays):
            return None
        if any(
            self._is_lost(csv, without.state, after.state) for csv in self._cluster.state.all(ClusterServiceVersion)
        ):
            return None
        gained = working(after.state) - working(without.state)
        if not gained and change.harm <= Harm.REPAIR:
            return ClusterWayOut(change, is_tried=False)
        if not gained and not (self._is_unresolved(without) and not self._is_unresolved(after)):
            return None
        return ClusterWayOut(change, tuple(sorted(name for _, name in gained)))

    def _is_lost(self, csv: ClusterServiceVersion, without: ClusterState, after: ClusterState) -> bool:
        """Return whether *csv*, which runs until another takes its place, is gone and nothing has taken it."""
        if csv.phase != "Replacing" or csv.is_copied or without.get(type(csv), csv.namespace, csv.name) is None:
            return False
        is_there = after.get(type(csv), csv.namespace, csv.name) is not None
        return not is_there and not still_works((csv.namespace, csv.name), self._cluster.state, after)

    def _fails(self, change: CarryOutFix, without: Simulation | None) -> bool:
        """Return whether *change* waits for operators that fail, whatever they are given."""
        waiting = [part.newer for part in change.fix.changes if isinstance(part, SettleUpdate)]
        csvs = [without.state.get(ClusterServiceVersion, self._namespace, name) for name in waiting if without]
        return any(csv is not None and csv.phase == "Failed" for csv in csvs)

    def _is_unresolved(self, simulation: Simulation) -> bool:
        kinds = (NamespaceUnresolved, NamespaceUnresolvable)
        return any(
            isinstance(hindrance, kinds) and hindrance.namespace == self._namespace for hindrance in simulation.left
        )

    def _end(self, state: ClusterState, contents: Contents) -> Simulation | None:
        # Operators of all namespaces are judged; only this one is resolved, since a dump may have hundreds.
        is_asked = bool(state.all(SubscriptionObject, self._namespace))
        cluster = attrs.evolve(self._cluster, state=state, contents=contents)
        try:
            return simulate_cluster(
                cluster, SimulationSettings(), namespaces=[self._namespace] if is_asked else None, is_only=False
            )
        except OlmsolveError:
            return None


def working(state: ClusterState) -> frozenset[tuple[str, str]]:
    """Return the operators of *state* that work, by namespace and name, without copies and what is being deleted."""
    return frozenset(
        (csv.namespace, csv.name)
        for csv in state.all(ClusterServiceVersion)
        if csv.phase == "Succeeded" and not csv.is_copied and not is_deleted(csv)
    )


def still_works(key: tuple[str, str], before: ClusterState, after: ClusterState) -> bool:
    """Return whether the operator *key*, which works in *before*, or its replacement works in *after*."""
    namespace, name = key
    works = working(after)
    if key in works:
        return True
    owners = [
        subscription
        for subscription in before.all(SubscriptionObject, namespace)
        if name in (subscription.installed_csv, subscription.current_csv)
    ]
    newer = (after.get(SubscriptionObject, namespace, owner.name) for owner in owners)
    if any(
        newer_subscription is not None and (namespace, newer_subscription.installed_csv) in works
        for newer_subscription in newer
    ):
        return True
    # A newer operator says what it replaces, also where no subscription owns it.
    return any(
        (namespace, csv.name) in works and name in _replaced(csv, before, after)
        for csv in after.all(ClusterServiceVersion, namespace)
    )


def _replaced(csv: ClusterServiceVersion, before: ClusterState, after: ClusterState) -> Iterator[str]:
    """Yield the chain of operators that *csv* replaces; links that *after* does not have are read from *before*."""
    seen: set[str] = set()
    now: ClusterServiceVersion | None = csv
    while now is not None and now.replaces and now.replaces not in seen:
        older = now.replaces
        seen.add(older)
        yield older
        replaced = after.get(ClusterServiceVersion, csv.namespace, older)
        now = replaced or before.get(ClusterServiceVersion, csv.namespace, older)
