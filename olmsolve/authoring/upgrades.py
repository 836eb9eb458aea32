"""The next update of an installed bundle in a channel, as OLM classic and as OLM v1 decide.

Both read the same edges. Classic takes the entry nearest to the head of the channel's chain, and steps over skipped
entries. v1 takes the highest version that is not deprecated, and stays if that version is installed::

    1.2 replaces 1.1, skips 1.0      from 1.0, both update to 1.2
    1.1 replaces 1.0                 from 1.1, both update to 1.2; if that is deprecated, v1 stays at 1.1
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Bundle, Package
from olmsolve.catalog.update_graph import ClassicChannel, UpdateGraph, bundle_version
from olmsolve.errors import VersionError
from olmsolve.semver import Key, Version, VersionRelease
from olmsolve.v1 import PackageOffers, bundle_release

Generation: TypeAlias = Literal["classic", "v1"]
"""OLM classic (v0), or OLM v1."""

GENERATIONS: tuple[Generation, ...] = ("classic", "v1")


class UpdateSource(NamedTuple):
    """A bundle from which updates start, with its version as each generation reads it; None if invalid or unknown."""

    name: str
    classic: Version | None
    v1: VersionRelease | None


class VersionKey:
    """A sort key for names of bundles: no version first, then by version from the lowest, then by name.

    The key's first part is the version alone. *version_of* gives a name's version, as OLM classic reads it.
    """

    def __init__(self, version_of: Callable[[str], Version | None]) -> None:
        self._version_of = version_of

    def __call__(self, name: str) -> tuple[tuple[Key, ...], str]:
        version = self._version_of(name)
        return ((), name) if version is None else ((version.key,), name)


def update_source(bundle: Bundle, version: Version | None) -> UpdateSource:
    """Return *bundle* as if it were installed; *version* is its version as OLM classic reads it."""
    try:
        strict = bundle_release(bundle, release_support=False)
    except VersionError:
        strict = None
    return UpdateSource(bundle.name, version, strict)


def update_sources(package: Package) -> list[UpdateSource]:
    """Return all bundles of *package* as if they were installed, from the lowest version up."""
    versions = {name: bundle_version(package, name) for name in checked(package.bundles, every=64)}
    ordered = sorted(versions, key=VersionKey(versions.get))
    return [update_source(package.bundles[name], versions[name]) for name in checked(ordered, every=64)]


class PackageUpgrades:
    """The next update of any installed bundle, in each channel of a package.

    The installed bundle need not be in the package: edges name bundles that the catalog no longer has. Orders of
    channels and the view of OLM v1 (*offers*, where it is there already) are computed once, when first needed.

    >>> from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package
    >>> channel = Channel("p", "stable", (ChannelEntry("p.v2", replaces="p.v1"),))
    >>> upgrades = PackageUpgrades(Package("p", "stable", {"stable": channel}, {"p.v2": Bundle("p", "p.v2", ())}))
    >>> upgrades.following("classic", "stable", UpdateSource("p.v1", None, None))
    'p.v2'
    """

    def __init__(self, package: Package, offers: PackageOffers | None = None) -> None:
        self.package = package
        self._offers = offers
        # Both generations read one graph of each channel.
        self._graphs: dict[str, UpdateGraph] = {}
        self._classic: dict[str, ClassicChannel] = {}
        # By channel, the bundles with a skipRange, best first: searched for every installed bundle.
        self._ranged: dict[str, list[str]] = {}

    def classic_channel(self, channel: str) -> ClassicChannel:
        """Return *channel* as OLM classic sees it; the ``fault`` of its order says why classic cannot use it."""
        if channel not in self._classic:
            content = self.package.channels[channel]
            self._classic[channel] = ClassicChannel(content, self.package.bundles, partial(self._graph, channel))
        return self._classic[channel]

    def _graph(self, channel: str) -> UpdateGraph:
        graph = self._graphs.get(channel)
        if graph is None:
            graph = self._graphs[channel] = UpdateGraph([self.package.channels[channel]])
        return graph

    @property
    def offers(self) -> PackageOffers:
        """The package as OLM v1 sees it."""
        if self._offers is None:
            self._offers = PackageOffers(self.package, release_support=False)
        return self._offers

    def following(self, generation: Generation, channel: str, installed: UpdateSource) -> str:
        """Return the bundle that *installed* is updated to next in *channel*; "" if it stays.

        A channel without an order (no head, several heads, a cycle) updates nothing in OLM classic.
        """
        if generation == "v1":
            return self._following_v1(channel, installed)
        graph = self.classic_channel(channel)
        return "" if graph.order.fault else graph.update(installed.name, installed.classic) or ""

    def _following_v1(self, channel: str, installed: UpdateSource) -> str:
        version = installed.v1
        offers, ranks, graph = self.offers, self.offers.ranks, self._graph(channel)
        if version is None:
            if installed.name in self.package.bundles:
                return ""
            # A bundle that the catalog no longer has is updated by the edges that name it: no range can be asked.
            return graph.first(installed.name, None, ranks, ()) or ""
        ranged = self._ranged.get(channel)
        if ranged is None:
            with_range = {entry.name for entry in self.package.channels[channel].entries if entry.skip_range}
            ranged = self._ranged[channel] = sorted(with_range & ranks.keys(), key=ranks.__getitem__)
        names = offers.names_in[channel]
        # In v1 every bundle of the installed version is a candidate too, even the installed one itself. So OLM v1 takes
        # no bundle that ranks lower than the best candidate of that version (`rank`).
        same_version = [ranks[name] for name in offers.of_version.get(version, ()) if name in names]
        rank = min(same_version, default=None)
        first = graph.first(installed.name, version.version, ranks, ranged, before=rank)
        if first is None and rank is not None:
            first = offers.offers[rank].name
        return "" if first is None or first == installed.name else first
