"""Bounds from below: what a subscription needs at least to get to the last version, whatever else the cluster has.

A subscription alone is a small graph: at each version it has a bundle and a channel, may follow any update edge of its
channel, may change the channel, and moves on to the next version where its bundle works there. A real cluster follows
fewer edges and waits for more, so that no journey needs less::

    channel a: v1 < v2 (up to 4.20)    channel b: v2 < v3
    from v1 in a at 4.20 to 4.21       at least one changed channel and two updates

Where the graph has no way at all, no search is needed to say so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version
from olmsolve.cluster import Blocking, blocks_cluster_update
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import scheme_in
from olmsolve.semver import Version, VersionScheme

# Every OpenShift is below it, so each limit blocks the update to it, and is reported.
LIMITLESS: Final = Version(99, 1, 0)


class Bound(NamedTuple):
    """The fewest changed *channels* and the fewest *updates*, each by itself."""

    channels: int
    updates: int


NOTHING: Final = Bound(0, 0)
_NODES_BETWEEN_CHECKS: Final = 64
_Node: TypeAlias = tuple[str, str]
"""A bundle and a channel."""


def before(version: Version) -> Version:
    """Return the minor version before *version*: with it, ``blocks_cluster_update`` asks about *version* itself."""
    return Version(version.major, version.minor - 1, 0)


def bundle_blocking(bundle: Bundle, version: Version) -> Blocking | None:
    """Return why *bundle* does not work with the minor *version* of OpenShift; None if it does."""
    return next(iter(blocks_cluster_update([bundle], before(version))), None)


class PackageStages:
    """One package of one catalog at each of the *stages*, with everything that is asked of it again and again.

    Clusters of a fleet share it.
    """

    def __init__(self, stages: Sequence[VersionStage], catalog: str, name: str) -> None:
        contents = (stage.contents.get(catalog) for stage in stages)
        self.packages: tuple[Package | None, ...] = tuple(
            content.packages.get(name) if isinstance(content, Catalog) else None for content in contents
        )
        self.is_known: bool = all(isinstance(stage.contents.get(catalog), Catalog) for stage in stages)
        schemes = (scheme_in(stage.contents, catalog) for stage in stages)
        self.scheme: VersionScheme | None = next(filter(None, schemes), None)
        self._versions = [stage.version for stage in stages]
        self._channels: dict[tuple[int, str], ClassicChannel] = {}
        self._supported: dict[tuple[int, str], frozenset[int]] = {}
        self._updates: dict[tuple[int, str, str, Version | None], tuple[str, ...]] = {}
        self._names: list[tuple[str, ...]] = [
            tuple(sorted(package.channels)) if package is not None else () for package in self.packages
        ]

    def channels(self, stage: int) -> tuple[str, ...]:
        """Return the channels of the package at *stage*, by name."""
        return self._names[stage]

    def serves(self, stage: int, channel: str) -> bool:
        """Return whether the package has *channel* at *stage*."""
        package = self.packages[stage]
        return package is not None and channel in package.channels

    def updates(self, stage: int, channel: str, bundle: str, version: Version | None) -> tuple[str, ...]:
        """Return the bundles of *channel* at *stage* that can follow *bundle*, the nearest to the head first."""
        package = self.packages[stage]
        if package is None or channel not in package.channels:
            return ()
        its_version = self.version(bundle) or version
        # A package that several versions share is looked at once.
        key = id(package), channel, bundle, its_version
        if key not in self._updates:
            graph = self._channels.get((id(package), channel))
            if graph is None:
                graph = ClassicChannel(package.channels[channel], package.bundles)
                self._channels[id(package), channel] = graph
            self._updates[key] = tuple(update for update in graph.updates(bundle, its_version) if update != bundle)
        return self._updates[key]

    def version(self, bundle: str) -> Version | None:
        """Return the version of *bundle* from the first stage whose catalog has it."""
        package = next(
            (package for package in self.packages if package is not None and bundle in package.bundles), None
        )
        return bundle_version(package, bundle, self.scheme) if package is not None else None

    def chain(self, stage: int, channel: str) -> tuple[str, ...]:
        """Return the bundles of *channel* at *stage* from its head down; none where it has no order."""
        package = self.packages[stage]
        if package is None or channel not in package.channels:
            return ()
        return ClassicChannel(package.channels[channel], package.bundles).order.chain

    def maximum(self, stage: int, bundle: str) -> str:
        """Return the last version of OpenShift that *bundle* says to work with at *stage*; "" without one."""
        package = self.packages[stage]
        blob = package.bundles.get(bundle) if package is not None else None
        blocking = bundle_blocking(blob, LIMITLESS) if blob is not None else None
        return blocking.maximum if blocking is not None else ""

    def supported(self, stage: int, bundle: str) -> frozenset[int]:
        """Return the stages with whose version *bundle* works, as the catalog at *stage* says; all if it has none."""
        package = self.packages[stage]
        blob = package.bundles.get(bundle) if package is not None else None
        if package is None or blob is None:
            return frozenset(range(len(self._versions)))
        key = id(package), bundle
        if key not in self._supported:
            self._supported[key] = frozenset(
                number for number, version in enumerate(self._versions) if bundle_blocking(blob, version) is None
            )
        return self._supported[key]


@attrs.frozen
class BoundedWish:
    """A subscription as its bounds need it: the package *catalog* and *name*, and what it had at first.

    It has the bundle *installed* at first, with its *version*, from *channel*; *supported* are the stages with which
    that bundle works.
    """

    catalog: str
    name: str
    installed: str
    version: Version | None
    channel: str
    supported: frozenset[int]


@attrs.frozen
class WishRules:
    """The rules for one subscription: the stages that must *support* it, and at which its namespace must *resolve*.

    The journey ends at the stage *last*.
    """

    support: frozenset[int]
    resolve: frozenset[int]
    last: int


class SubscriptionBounds:
    """The bounds of the subscription *wish* for *package* under *rules*, from each bundle and channel on the way."""

    def __init__(self, package: PackageStages, wish: BoundedWish, rules: WishRules) -> None:
        self._package, self._wish, self._rules = package, wish, rules
        self._last = rules.last
        numbers = range(self._last + 1)
        self._channels = sorted({wish.channel}.union(*(package.channels(number) for number in numbers)))
        self._reachable = list(self.reached())
        self._fewest_channels = self._table(1, 0)
        self._fewest_updates = self._table(0, 1)

    def bound(self, stage: int, bundle: str, channel: str) -> Bound | None:
        """Return what is needed at least from *bundle* in *channel* at *stage*; None where nothing leads on."""
        if bundle not in self._reachable[stage] or channel not in self._channels:
            return NOTHING
        channels = self._fewest_channels[stage].get((bundle, channel))
        updates = self._fewest_updates[stage].get((bundle, channel))
        return None if channels is None or updates is None else Bound(channels, updates)

    def reachable(self, stage: int) -> frozenset[str]:
        """Return the bundles that the subscription may have at *stage*."""
        return self._reachable[stage]

    def reached(self) -> Iterator[frozenset[str]]:
        """Yield the bundles that the subscription may have at each stage."""
        positions = {self._wish.installed}
        for stage in range(self._last + 1):
            waiting = deque(sorted(positions))
            while waiting:
                check()
                bundle = waiting.popleft()
                for channel in checked(self._package.channels(stage), every=16):
                    for following in self._package.updates(stage, channel, bundle, self._wish.version):
                        if following not in positions:
                            positions.add(following)
                            waiting.append(following)
            yield frozenset(positions)

    def _may_leave(self, stage: int, bundle: str, channel: str) -> bool:
        """Return whether the cluster may leave *stage*, or end there, with *bundle* and *channel*."""
        if stage in self._rules.resolve and not self._package.serves(stage, channel):
            return False
        following = min(stage + 1, self._last)
        return following not in self._rules.support or self._works(bundle, following, stage)

    def _works(self, bundle: str, stage: int, until: int) -> bool:
        """Return whether *bundle* works at *stage*, by any of the catalogs that may have installed it *until* then."""
        if bundle == self._wish.installed:
            return stage in self._wish.supported
        return any(stage in self._package.supported(number, bundle) for number in range(until + 1))

    def _table(self, channel_cost: int, update_cost: int) -> list[dict[_Node, int]]:
        """Return for each stage the least cost from each bundle and channel from which a way leads to the end."""
        tables: list[dict[_Node, int]] = [{} for _ in range(self._last + 1)]
        # From the end backwards: what a stage costs depends on the stage after it.
        for stage in range(self._last, -1, -1):
            costs: dict[_Node, int] = {}
            back: dict[_Node, list[str]] = {}
            for channel in self._channels:
                for bundle in checked(self._reachable[stage], every=16):
                    if self._may_leave(stage, bundle, channel):
                        later = 0 if stage == self._last else tables[stage + 1].get((bundle, channel))
                        if later is not None:
                            costs[bundle, channel] = later
                    for following in self._package.updates(stage, channel, bundle, self._wish.version):
                        back.setdefault((following, channel), []).append(bundle)
            is_served = frozenset(self._package.channels(stage))
            tables[stage] = _spread(costs, back, self._channels, is_served, channel_cost, update_cost)
        return tables


def _spread(
    costs: Mapping[_Node, int],
    back: Mapping[_Node, Sequence[str]],
    channels: Sequence[str],
    served: frozenset[str],
    channel_cost: int,
    update_cost: int,
) -> dict[_Node, int]:
    """Return the least costs within one stage: *costs* of leaving it, spread against the arrows (*back*).

    A channel can be changed to one that is *served*.
    """
    buckets: dict[int, list[_Node]] = {}
    for node, cost in costs.items():
        buckets.setdefault(cost, []).append(node)
    done: dict[_Node, int] = {}
    changeable: set[str] = set()
    while buckets:
        # Dijkstra's search with a bucket for each cost: costs are whole numbers, and there are few of them.
        cost = min(buckets)
        waiting = buckets.pop(cost)
        while waiting:
            node = waiting.pop()
            # Put in once more at a lower cost, and done by then.
            if node in done:
                continue
            if not len(done) % _NODES_BETWEEN_CHECKS:
                check()
            done[node] = cost
            bundle, channel = node
            steps = [((node_before, channel), update_cost) for node_before in back.get(node, ())]
            # No channel of a bundle gets cheaper after the first from which the others can be changed: with the steps
            # from each of 300 channels to all others, one table took 22 s, and takes 0.1 without.
            if channel in served and bundle not in changeable:
                changeable.add(bundle)
                steps += [((bundle, other), channel_cost) for other in channels if other != channel]
            for before_it, price in steps:
                if before_it in done:
                    continue
                if price:
                    buckets.setdefault(cost + price, []).append(before_it)
                else:
                    waiting.append(before_it)
    return done


class JourneyTables:
    """The offers of packages at the *stages*, and bounds from them, made once for all clusters of a fleet."""

    def __init__(self, stages: Sequence[VersionStage]) -> None:
        self.stages = stages
        self._packages: dict[tuple[str, str], PackageStages] = {}
        self._bounds: dict[tuple[BoundedWish, WishRules], SubscriptionBounds] = {}

    def package(self, catalog: str, name: str) -> PackageStages:
        """Return package *name* of *catalog* (``namespace/name``) at each stage."""
        key = catalog, name
        if key not in self._packages:
            self._packages[key] = PackageStages(self.stages, catalog, name)
        return self._packages[key]

    def bounds(self, wish: BoundedWish, rules: WishRules) -> SubscriptionBounds:
        """Return the bounds of *wish* under *rules*."""
        # The states of a search share wishes: four journeys take 0.8 s, and 2.5 without this table.
        key = wish, rules
        if key not in self._bounds:
            self._bounds[key] = SubscriptionBounds(self.package(wish.catalog, wish.name), wish, rules)
        return self._bounds[key]
