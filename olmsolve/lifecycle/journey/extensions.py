"""An extension of OLM v1 as a part of a cluster: OLM v1 resolves each by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Catalog
from olmsolve.cluster import extensions_block_cluster_update
from olmsolve.errors import RequestError, VersionError
from olmsolve.lifecycle.journey.bounds import NOTHING, Bound, before
from olmsolve.lifecycle.journey.model import (
    Demands,
    ExtensionChannelChange,
    JourneyChange,
    JourneyRule,
    JourneyUpdate,
)
from olmsolve.lifecycle.journey.searching import JourneyPart, JourneyState, Rank
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import ClusterSituation
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


class ExtensionPart(JourneyPart[ExtensionNow]):
    """The extension *name* of *cluster* on the way through *stages*."""

    def __init__(self, cluster: ClusterSituation, name: str, stages: Sequence[VersionStage]) -> None:
        super().__init__(cluster, stages)
        plain = attrs.evolve(cluster.policy, kubernetes=None, openshift=None)
        self._requests = [
            ClusterSituation(cluster.state, stage.contents, plain).extension_request(name) for stage in stages
        ]
        self.name = name
        self._excused: frozenset[JourneyRule] = frozenset()
        self._runs_unsupported = False

    @property
    def package(self) -> str:
        """The package of the extension."""
        return self._requests[0].extension.package

    def start(self) -> JourneyState[ExtensionNow]:
        """Return the extension at rest at the first stage, and note what is at fault there already."""
        first = self._requests[0]
        state = self._rested(ExtensionNow(tuple(first.extension.channels), first.installed), 0)
        self._excused = frozenset(rule for _, rule in state.unmet)
        self.standing: tuple[str, ...] = tuple(f"extension {self.name}: {fault}" for fault in state.unmet.values())
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
        # OLM v1 keeps the properties of what it has installed: an older catalog has them where the newest does not.
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
