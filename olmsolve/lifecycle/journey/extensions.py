"""An extension of OLM v1 as a part of a cluster, and what is installed at a stage: operators and extensions.

OLM v1 resolves each extension by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Catalog, Package
from olmsolve.cluster import ClusterState, extensions_block_cluster_update, operators_blocking_update
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.errors import RequestError, VersionError
from olmsolve.lifecycle.journey.bounds import NOTHING, Bound, before
from olmsolve.lifecycle.journey.model import (
    Demands,
    ExtensionChannelChange,
    JourneyChange,
    JourneyOperator,
    JourneyRule,
    JourneyUpdate,
)
from olmsolve.lifecycle.journey.searching import JourneyState, Rank
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import ClusterSituation, Contents
from olmsolve.semver import Version


@attrs.frozen
class ExtensionNow:
    """An extension at a moment: its *channels* (none stands for all) and its *installed* bundle.

    *catalog* is where that came from, "" before the first update, and *stopped* why OLM v1 does not get on.
    """

    channels: tuple[str, ...]
    installed: v1.InstalledBundle | None
    catalog: str = ""
    stopped: str = ""


class ExtensionPart:
    """The extension *name* of *cluster* on the way through *stages*."""

    def __init__(self, cluster: ClusterSituation, name: str, stages: Sequence[VersionStage]) -> None:
        plain = attrs.evolve(cluster.policy, kubernetes=None, openshift=None)
        self._requests = [
            ClusterSituation(cluster.state, stage.contents, plain).extension_request(name) for stage in stages
        ]
        self._stages = stages
        self._given = cluster
        self._last = len(stages) - 1
        self.name = name
        self._excused: frozenset[JourneyRule] = frozenset()
        self._runs_unsupported = False
        self._standing: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last stage."""
        return self._last

    @property
    def standing(self) -> tuple[str, ...]:
        """The fault that is there from the start, which the journey leaves as it is."""
        return self._standing

    @property
    def given(self) -> ClusterSituation:
        """The cluster as it was given."""
        return self._given

    @property
    def passed(self) -> frozenset[int]:
        """The stages at which the cluster does not stop."""
        return frozenset(number for number, stage in enumerate(self._stages) if stage.is_passed and number < self.last)

    def until(self, last: int) -> ExtensionPart:
        """Return the same part on the way to the stage *last*."""
        shorter = copy(self)
        shorter.end_at(last)
        return shorter

    def end_at(self, last: int) -> None:
        """Let the way end at the stage *last*."""
        self._last = last

    @property
    def package(self) -> str:
        """The package of the extension."""
        return self._requests[0].extension.package

    def start(self) -> JourneyState[ExtensionNow]:
        """Return the extension at rest at the first stage, and note what is at fault there already."""
        first = self._requests[0]
        state = self._rested(ExtensionNow(tuple(first.extension.channels), first.installed), 0)
        self._excused = frozenset(rule for _, rule in state.unmet)
        self._standing = tuple(f"extension {self.name}: {fault}" for fault in state.unmet.values())
        self._runs_unsupported = any(0 in stages for stages in state.unsupported.values())
        return state

    def moved(self, state: JourneyState[ExtensionNow], stage: int) -> JourneyState[ExtensionNow]:
        """Return *state* at rest once the cluster has come to *stage*."""
        return self._rested(state.value, stage)

    def changed(
        self, state: JourneyState[ExtensionNow], change: JourneyChange, stage: int
    ) -> JourneyState[ExtensionNow]:
        """Return *state* at rest after a *change* at *stage*."""
        assert isinstance(change, ExtensionChannelChange)
        return self._rested(attrs.evolve(state.value, channels=(change.channel,)), stage)

    def changes(self, state: JourneyState[ExtensionNow], stage: int) -> Iterator[tuple[Rank, JourneyChange]]:
        """Yield each single channel that the extension could be limited to at *stage*."""
        names: set[str] = set()
        for catalog in self._requests[stage].catalogs:
            package = catalog.catalog.packages.get(self.package) if isinstance(catalog.catalog, Catalog) else None
            names.update(package.channels if package is not None else ())
        for name in sorted(names):
            if (name,) != state.value.channels:
                change = ExtensionChannelChange(self.name, self.package, state.value.channels, name)
                yield ("2", "", self.name, name), change

    def bound(
        self, state: JourneyState[ExtensionNow], stage: int, demands: Demands, change: JourneyChange | None = None
    ) -> Bound | None:
        """Return the bound that excludes no state: an extension has few, and all of them are tried."""
        return NOTHING

    def subjects(self) -> dict[str, tuple[JourneyRule, ...]]:
        """Return the extension with the rules that it has to keep."""
        return {self.name: (JourneyRule.SUPPORTS, JourneyRule.SETTLES, JourneyRule.RESOLVES)}

    def is_demanded(self, stage: int, subject: str, rule: JourneyRule) -> bool:
        """Return whether the rule counts: not where it was broken before the start."""
        return rule not in self._excused and not (rule is JourneyRule.SUPPORTS and self._runs_unsupported and not stage)

    def request(self, now: ExtensionNow, stage: int) -> v1.ExtensionRequest:
        """Return the request of the extension in the state *now* at *stage*."""
        given = self._requests[stage]
        extension = attrs.evolve(given.extension, channels=now.channels)
        return attrs.evolve(given, extension=extension, installed=now.installed, name=self.name)

    def _rested(self, now: ExtensionNow, stage: int) -> JourneyState[ExtensionNow]:
        request = self.request(now, stage)
        updates: list[JourneyUpdate] = []
        had = now.installed.name if now.installed is not None else ""
        stopped, installed, catalog = "", now.installed, now.catalog
        try:
            following = v1.walk(request)
        except (v1.ResolutionError, RequestError) as error:
            stopped = str(error)
        else:
            for update in following.updates:
                updates.append(JourneyUpdate("", self.name, self.package, had, update.bundle))
                had, catalog = update.bundle, update.catalog
            installed = following.installed
            stopped = "" if following.stopped is None else str(following.stopped)
        back = _step_back(now.installed, installed)
        unmet = {(self.name, JourneyRule.RESOLVES): stopped} if stopped else {}
        if back:
            unmet[self.name, JourneyRule.SETTLES] = back
        after = ExtensionNow(now.channels, installed, catalog, stopped)
        # OLM v1 keeps the properties of what it has installed: an older catalog tells them where the newest does not.
        requests = [self.request(after, number) for number in range(stage, -1, -1)]
        holding = next((request for request in requests if v1.installed_bundle(request) is not None), requests[0])
        unsupported = frozenset(
            number
            for number, stage in enumerate(self._stages)
            if extensions_block_cluster_update([holding], before(stage.version))
        )
        return JourneyState(
            after,
            repr((after.channels, after.installed, bool(stopped))),
            tuple(updates),
            unmet,
            {self.name: unsupported} if unsupported else {},
        )


def _step_back(before: v1.InstalledBundle | None, after: v1.InstalledBundle | None) -> str:
    """Return in words that *after* is older than *before*, as an extension with ``SelfCertified`` may get; else ""."""
    if before is None or after is None:
        return ""
    try:
        had, has = Version.parse_tolerant(before.version), Version.parse_tolerant(after.version)
    except VersionError:
        return ""
    return f"{before.name} is replaced by {after.name}, an older version" if has < had else ""


# No OpenShift is below it, so that each limit blocks the update to it, and tells itself.
_LIMITLESS = Version(99, 1, 0)


def maximum_of(csv: ClusterServiceVersion) -> str:
    """Return the last minor version of OpenShift that *csv* says to work with; "" without one that can be read."""
    blocking = next(iter(operators_blocking_update([csv], _LIMITLESS)), None)
    return blocking.maximum if blocking is not None else ""


def operators_of(state: ClusterState, stage: VersionStage) -> Iterator[JourneyOperator]:
    """Yield the operators of *state* at *stage*, copies left out."""
    owners = {
        (subscription.namespace, name): subscription
        for subscription in state.all(SubscriptionObject)
        for name in (subscription.installed_csv, subscription.current_csv)
        if name
    }
    for csv in state.all(ClusterServiceVersion):
        if csv.is_copied:
            continue
        owner = owners.get((csv.namespace, csv.name))
        if owner is None:
            yield JourneyOperator(csv.namespace, "", "", csv.name, "", "", maximum_of(csv), csv.phase)
            continue
        catalog = f"{owner.source_namespace}/{owner.source}"
        package = _package(stage.contents, catalog, owner.package)
        notes = tuple(_deprecations(package, owner.channel, csv.name))
        yield JourneyOperator(
            csv.namespace,
            owner.name,
            owner.package,
            csv.name,
            owner.channel,
            catalog,
            maximum_of(csv),
            csv.phase,
            notes,
        )


def extension_operator(name: str, package: str, now: ExtensionNow, stage: VersionStage) -> Iterator[JourneyOperator]:
    """Yield the extension *name* as it is at *stage*, nothing where it has no bundle."""
    if now.installed is None:
        return
    content = _package(stage.contents, now.catalog, package)
    notes = tuple(_deprecations(content, now.channels[0] if len(now.channels) == 1 else "", now.installed.name))
    yield JourneyOperator("", name, package, now.installed.name, ", ".join(now.channels), now.catalog, notes=notes)


def _package(contents: Contents, catalog: str, name: str) -> Package | None:
    content = contents.get(catalog)
    return content.packages.get(name) if isinstance(content, Catalog) else None


def _deprecations(package: Package | None, channel: str, bundle: str) -> Iterator[str]:
    """Yield what *package* says of itself, of *channel* and of *bundle* in ``olm.deprecations``."""
    for deprecation in package.deprecations if package is not None else ():
        assert package is not None
        if deprecation.schema == "olm.package":
            yield f"package {package.name} is deprecated: {deprecation.message}"
        elif deprecation.schema == "olm.channel" and deprecation.name == channel:
            yield f"channel {channel} is deprecated: {deprecation.message}"
        elif deprecation.schema == "olm.bundle" and deprecation.name == bundle:
            yield f"{bundle} is deprecated: {deprecation.message}"
