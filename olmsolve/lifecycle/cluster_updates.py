"""The next minor version of OpenShift: which installed operators keep a cluster from it, and which updates free it.

A way out is never guessed: it is simulated to rest, and counts where the operator that the subscription has in the end
works with the next version.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._arguments import warn_deprecated
from olmsolve._limits import accepting_limits, scoped
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.answers.extensions import ExtensionChange, ExtensionFix, find_fixes, toward_bundles
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.catalog.update_graph import channel_order
from olmsolve.cluster import (
    Blocking,
    ClusterState,
    Hindrance,
    blocks_cluster_update,
    extensions_block_cluster_update,
    next_update,
    operators_blocking_update,
)
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.simulation import MOST_STEPS, Rules, Simulation, SimulationSettings, simulate_cluster
from olmsolve.requests import ClassicQuestion, ClusterSituation, Contents, ExtensionQuestion, Situation
from olmsolve.solver.backends import DEFAULT, BackendLike

_MOST_TRIES: Final = 20  # other channels, or changes of an extension: each is simulated to rest
_MOST_FIXES: Final = 3  # ways out of one failure


@record(definition="wayToUpdate", layout=("subscription", "channel", ..., "text"))
class WayToUpdate(Record):
    """Updates after which an operator no longer blocks."""

    subscription: str = field("The subscription that gets them.")
    updates: tuple[str, ...] = field("Its later versions, in order.")
    channel: str = field("The channel to change it to first, empty where it may stay.", default="")
    approvals: bool = field("Whether install plans have to be approved on the way.", default=False)

    def __str__(self) -> str:
        way = ", then ".join(self.updates)
        moved = f", once it names channel {self.channel}" if self.channel else ""
        approved = ", once its install plans are approved" if self.approvals else ""
        return f"subscription {self.subscription} gets {way}{moved}{approved}"


@record
class BlockingOperator(Record):
    """An operator that is *blocking* the cluster's update, and the *way* out, None where none was found.

    *hindrances* are the obstacles on the way, or the reasons why there is no way.
    """

    blocking: Blocking = field("", path="*")
    way: WayToUpdate | None = field(
        "The updates to a version that does not block; null if there are none.", default=None
    )
    hindrances: tuple[Hindrance, ...] = field("The hindrances that keep its namespace from updates.", default=())

    @property
    def is_freed(self) -> bool:
        """Whether updates alone free the cluster of it."""
        return self.way is not None and not self.hindrances


@record
class BlockingExtension(Record):
    """An extension of OLM v1 whose installed bundle blocks the cluster's update.

    *fixes* are changes after which OLM v1 installs a bundle that does not block, where no update by itself does, each
    resolved until the extension is at rest. Uninstalling frees the cluster always, and takes definitions along.
    """

    extension: str = field("The extension.")
    blocking: Blocking = field("", path="*")
    updates: tuple[str, ...] = field("The updates by OLM v1 that free it; none where it stays.", default=())
    fixes: tuple[ExtensionFix, ...] = field("Changes that free it, where no update by itself does.", default=())


@record(
    definition="olmsolve.blocking",
    title="The operators and extensions that keep a cluster from its next version",
    about="docs/operator-groups.md gives the meaning of the fields.",
    layout=("update", "is_blocked", "is_freed", ...),
)
class ClusterUpdate(Record):
    """The operators and extensions that keep a cluster from *update*, its next minor version (``4.19``)."""

    update: str = field("The next minor version.")
    operators: tuple[BlockingOperator, ...] = field("The operators of OLM classic that block.", default=())
    extensions: tuple[BlockingExtension, ...] = field("The extensions of OLM v1 that block.", default=())

    @property
    @documented("Whether anything blocks it.", path="blocked")
    def is_blocked(self) -> bool:
        return bool(self.operators or self.extensions)

    @property
    @documented("Whether updates alone free the cluster.", path="freed")
    def is_freed(self) -> bool:
        """Whether updates alone would free the cluster: each operator and each extension that blocks has a way out."""
        return all(operator.is_freed for operator in self.operators) and all(
            extension.updates for extension in self.extensions
        )


@accepting_limits
def situation_update(situation: Situation, openshift: str, *, backend: BackendLike = DEFAULT) -> ClusterUpdate:
    """Return what in *situation* blocks the update from *openshift* to its next minor version, each with its way out.

    Where the situation has the contents of the catalogs, a way out of an operator is looked for: first the updates that
    its subscription gets anyway (with every install plan approved), then, for operators that still block, other
    channels of their packages, at most twenty in all. An extension is freed by the updates that OLM v1 makes by itself.
    Request documents say what they have installed. A question that cannot be read blocks as well, as unknown.

    Raises:
        VersionError: *openshift* is not a version.
        RequestError, ManifestError: as in :func:`olmsolve.simulate`.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> [blocking.blocking.name for blocking in olmsolve.situation_update(situation, "4.18.3").operators]
    []
    """
    update = next_update(openshift)
    operators: list[BlockingOperator] = []
    extensions: list[BlockingExtension] = []
    namespaces: list[str] = []
    for question in situation.questions:
        try:
            if isinstance(question, ExtensionQuestion):
                extensions += _blocking_extensions(question.name, question.request(), openshift)
            elif question.is_document:
                operators += map(BlockingOperator, blocks_cluster_update(question.request().installed, openshift))
            else:
                namespaces.append(question.name)
        except Incomplete:
            raise
        except OlmsolveError as error:
            unknown = Blocking(question.name, update, reason=f"unknown: {error}")
            if isinstance(question, ClassicQuestion):
                operators.append(BlockingOperator(unknown))
            else:
                extensions.append(BlockingExtension(question.name, unknown))
    cluster = situation.cluster
    if cluster is not None and (namespaces or not situation.is_part):
        # Operators of namespaces without subscriptions count where nothing was chosen.
        chosen = frozenset(namespaces) if situation.is_part else None
        operators += _blocking_operators(cluster, openshift, SimulationSettings(approve=True, backend=backend), chosen)
    return ClusterUpdate(update, tuple(operators), tuple(extensions))


def _blocking_extensions(name: str, request: v1.ExtensionRequest, openshift: str) -> Iterator[BlockingExtension]:
    for blocking in extensions_block_cluster_update([request], openshift):
        updates: list[str] = []

        def is_free(resolution: v1.ExtensionResolution, updates: list[str] = updates) -> bool:
            updates.append(resolution.bundle)
            installed = v1.installed_after(request, resolution)
            return not extensions_block_cluster_update([attrs.evolve(request, installed=installed)], openshift)

        outcome = v1.walk(request, is_free)
        is_freed = outcome.stays is None and outcome.stopped is None
        fixes = () if is_freed else _freeing_fixes(request, openshift)
        yield BlockingExtension(name, blocking, tuple(updates) if is_freed else (), fixes)


def _freeing_fixes(request: v1.ExtensionRequest, openshift: str) -> tuple[ExtensionFix, ...]:
    """Return the smallest changes after which the extension of *request* ends with a bundle that does not block."""

    def is_free(bundle: Bundle) -> bool:
        return not blocks_cluster_update([bundle], openshift)

    def reached(changed: v1.ExtensionRequest, following: v1.Walk) -> bool:
        bundle = v1.installed_bundle(attrs.evolve(changed, installed=following.installed))
        return bundle is not None and is_free(bundle)

    def suggest(changed: v1.ExtensionRequest) -> Iterator[ExtensionChange]:
        return toward_bundles(v1.ObstacleView(changed), is_free)

    fixes, _ = find_fixes(request, suggest, reached, most=_MOST_FIXES, tries=_MOST_TRIES)
    return fixes


def cluster_update(
    state: ClusterState, openshift: str, contents: Contents | None = None, rules: Rules | None = None, **limits: Any
) -> ClusterUpdate:
    """Return which operators of *state* block the update from *openshift* to its next minor version.

    Deprecated: :func:`situation_update` asks this of a situation.
    """
    warn_deprecated(
        "cluster_update", "situation_update(olmsolve.Situation.of_cluster(state, contents, policy), openshift)"
    )
    rules = rules or Rules(approve=True)
    cluster = ClusterSituation(state, contents or {}, rules.policy)
    with scoped(**limits):
        operators = _blocking_operators(cluster, openshift, rules.settings(MOST_STEPS))
    return ClusterUpdate(next_update(openshift), tuple(operators))


def _blocking_operators(
    cluster: ClusterSituation, openshift: str, settings: SimulationSettings, chosen: Container[str] | None = None
) -> Iterator[BlockingOperator]:
    """Yield the operators of *cluster*, in the *chosen* namespaces or in all, that block its update."""
    search = _Search(cluster, openshift, settings)
    for operator in operators_blocking_update(cluster.state.all(ClusterServiceVersion), openshift):
        if chosen is None or operator.namespace in chosen:
            way = search.way(operator) if cluster.contents else None
            yield BlockingOperator(
                operator, way, search.hindrances(operator.namespace, way) if cluster.contents else ()
            )


class _Search:
    """The search for ways out; each simulation is of one namespace, and made once."""

    def __init__(self, cluster: ClusterSituation, openshift: str, settings: SimulationSettings) -> None:
        self._cluster, self._openshift, self._settings = cluster, openshift, settings
        self._state, self._contents = cluster.state, cluster.contents
        self._anyway: dict[str, Simulation] = {}
        self._tries = _MOST_TRIES

    def way(self, blocking: Blocking) -> WayToUpdate | None:
        """Return the way out of *blocking*, None where none was found."""
        owner = next(
            (
                subscription
                for subscription in self._state.all(SubscriptionObject, blocking.namespace)
                if blocking.name in (subscription.installed_csv, subscription.current_csv)
            ),
            None,
        )
        if owner is None:
            return None
        namespace = owner.namespace
        freed = self._freed(self._updated(namespace), owner, blocking.name)
        if freed is not None:
            return freed
        for channel in self._channels(owner):
            if not self._tries:
                return None
            self._tries -= 1
            changed = evolve(owner, channel=channel)
            freed = self._freed(self._simulated(self._state.having(changed), namespace), changed, blocking.name)
            if freed is not None:
                return evolve(freed, channel=channel)
        return None

    def hindrances(self, namespace: str, way: WayToUpdate | None) -> tuple[Hindrance, ...]:
        """Return what OLM reports of *namespace*; without a *way*, all that its objects say and its updates leave."""
        if way is not None:
            return self._updated(namespace).reports
        noticed = self._cluster.hindrances(namespace)
        if namespace not in self._cluster.namespaces:
            return noticed
        remaining = (hindrance for hindrance in self._updated(namespace).left if hindrance.namespace == namespace)
        return tuple({str(hindrance): hindrance for hindrance in (*noticed, *remaining)}.values())

    def _updated(self, namespace: str) -> Simulation:
        """Return *namespace* after the updates that it gets anyway."""
        # Each operator of the namespace asks, with and without a way, and a simulation is nearly all that this costs.
        if namespace not in self._anyway:
            self._anyway[namespace] = self._simulated(self._state, namespace)
        return self._anyway[namespace]

    def _simulated(self, state: ClusterState, namespace: str) -> Simulation:
        return simulate_cluster(attrs.evolve(self._cluster, state=state), self._settings, namespaces=[namespace])

    def _freed(self, simulation: Simulation, owner: SubscriptionObject, before: str) -> WayToUpdate | None:
        """Return the updates of *owner* from the operator *before* on, None where the last one still blocks."""
        updates: list[str] = []
        for step in simulation.steps:
            after = step.state.get(SubscriptionObject, owner.namespace, owner.name)
            if after is not None and after.installed_csv not in ("", before, *updates[-1:]):
                updates.append(after.installed_csv)
        last = simulation.state.get(ClusterServiceVersion, owner.namespace, updates[-1]) if updates else None
        if last is None or last.phase != "Succeeded" or operators_blocking_update([last], self._openshift):
            return None
        approvals = any(
            pass_.sync.plan is not None and pass_.sync.plan.approval == "Manual"
            for pass_ in simulation.passes
            if pass_.namespace == owner.namespace
        )
        return WayToUpdate(owner.name, tuple(updates), approvals=approvals)

    def _channels(self, owner: SubscriptionObject) -> Iterator[str]:
        """Yield the other channels of the package whose head works with the next version, the default channel first."""
        content = self._contents.get(f"{owner.source_namespace}/{owner.source}")
        package = content.packages.get(owner.package) if isinstance(content, Catalog) else None
        if package is None:
            return
        # False sorts before True: the default channel, then the others by name.
        names = sorted(package.channels, key=lambda name: (name != package.default_channel, name))
        for name in names:
            if name != owner.channel and self._works(package, name):
                yield name

    def _works(self, package: Package, channel: str) -> bool:
        entries = [entry for entry in package.channels[channel].entries if entry.name in package.bundles]
        bundles = [package.bundles[name] for name in channel_order(entries).heads]
        return bool(bundles) and not blocks_cluster_update(bundles, self._openshift)
