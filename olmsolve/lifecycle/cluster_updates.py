"""The next minor version of OpenShift: which installed operators keep a cluster from it, and which updates free it.

A way out is never guessed: it is simulated to rest, and counts where the operator that the subscription has in the end
works with the next version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import channel_order
from olmsolve.cluster import (
    Blocking,
    ClusterState,
    blocks_cluster_update,
    next_update,
    operators_blocking_update,
)
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.simulation import Rules, Simulation, simulate
from olmsolve.requests import Contents

_RULES: Final = Rules(approve=True)
_MOST_TRIES: Final = 20


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
    """An operator that is *blocking* the cluster's update, and the *way* out, None where none was found."""

    blocking: Blocking = field("", path="*")
    way: WayToUpdate | None = field(
        "What leads to a version that does not block; null where nothing does.", default=None
    )


@record
class BlockingExtension(Record):
    """An extension of OLM v1 whose installed bundle blocks the cluster's update."""

    extension: str = field("The extension.")
    blocking: Blocking = field("", path="*")
    updates: tuple[str, ...] = field("The updates by OLM v1 that free it; none where it stays.", default=())


@record(
    definition="olmsolve.blocking",
    title="What keeps a cluster from its next version",
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
        return all(each.way is not None for each in self.operators) and all(each.updates for each in self.extensions)


def cluster_update(
    state: ClusterState,
    openshift: str,
    contents: Contents | None = None,
    rules: Rules = _RULES,
    *,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> ClusterUpdate:
    """Return which operators of *state* block the update from *openshift* to its next minor version.

    With the *contents* of the catalogs, a way out is looked for: first the updates that the subscriptions get anyway
    (simulated by *rules*, by default with every install plan approved), then, for operators that still block, other
    channels of their packages, at most twenty in all. *timeout*, *conflicts*, *cancel* and *observer* are as in
    :func:`olmsolve.resolve`.

    Raises:
        VersionError: *openshift* is not a version.
        RequestError, ManifestError: as in :func:`~olmsolve.lifecycle.simulation.simulate`.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _cluster_update(state, openshift, contents, rules)


def _cluster_update(state: ClusterState, openshift: str, contents: Contents | None, rules: Rules) -> ClusterUpdate:
    blocking = operators_blocking_update(state.all(ClusterServiceVersion), openshift)
    update = next_update(openshift)
    if not blocking or contents is None:
        return ClusterUpdate(update, tuple(map(BlockingOperator, blocking)))
    search = _Search(state, contents, openshift, rules)
    return ClusterUpdate(update, tuple(BlockingOperator(each, search.way(each)) for each in blocking))


class _Search:
    """The search for ways out; each simulation is of one namespace, and made once."""

    def __init__(self, state: ClusterState, contents: Contents, openshift: str, rules: Rules) -> None:
        self._state, self._contents, self._openshift, self._rules = state, contents, openshift, rules
        self._anyway: dict[str, Simulation] = {}
        self._tries = _MOST_TRIES

    def way(self, blocking: Blocking) -> WayToUpdate | None:
        """Return the way out of *blocking*, None where none was found."""
        owner = next(
            (
                each
                for each in self._state.all(SubscriptionObject, blocking.namespace)
                if blocking.name in (each.installed_csv, each.current_csv)
            ),
            None,
        )
        if owner is None:
            return None
        namespace = owner.namespace
        if namespace not in self._anyway:
            self._anyway[namespace] = self._simulated(self._state, namespace)
        found = self._freed(self._anyway[namespace], owner, blocking.name)
        if found is not None:
            return found
        for channel in self._channels(owner):
            if not self._tries:
                return None
            self._tries -= 1
            changed = attrs.evolve(owner, channel=channel)
            found = self._freed(self._simulated(self._state.having(changed), namespace), changed, blocking.name)
            if found is not None:
                return evolve(found, channel=channel)
        return None

    def _simulated(self, state: ClusterState, namespace: str) -> Simulation:
        return simulate(state, self._contents, self._rules, namespaces=[namespace])

    def _freed(self, found: Simulation, owner: SubscriptionObject, before: str) -> WayToUpdate | None:
        """Return the updates of *owner* from the operator *before* in *found*, None where the last one still blocks."""
        updates: list[str] = []
        for step in found.steps:
            after = step.state.get(SubscriptionObject, owner.namespace, owner.name)
            if after is not None and after.installed_csv not in ("", before, *updates[-1:]):
                updates.append(after.installed_csv)
        last = found.state.get(ClusterServiceVersion, owner.namespace, updates[-1]) if updates else None
        if last is None or last.phase != "Succeeded" or operators_blocking_update([last], self._openshift):
            return None
        approvals = any(
            done.sync.plan is not None and done.sync.plan.approval == "Manual"
            for done in found.passes
            if done.namespace == owner.namespace
        )
        return WayToUpdate(owner.name, tuple(updates), approvals=approvals)

    def _channels(self, owner: SubscriptionObject) -> Iterator[str]:
        """Yield the other channels of the package whose head works with the next version, the default channel first."""
        content = self._contents.get(f"{owner.source_namespace}/{owner.source}")
        package = content.packages.get(owner.package) if isinstance(content, Catalog) else None
        if package is None:
            return
        names = sorted(package.channels, key=lambda name: (name != package.default_channel, name))
        for name in names:
            if name != owner.channel and self._works(package, name):
                yield name

    def _works(self, package: Package, channel: str) -> bool:
        entries = [entry for entry in package.channels[channel].entries if entry.name in package.bundles]
        bundles = [package.bundles[name] for name in channel_order(entries).heads]
        return bool(bundles) and not blocks_cluster_update(bundles, self._openshift)
