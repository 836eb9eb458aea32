"""What an installed bundle becomes next in a channel: as OLM classic decides, and as OLM v1 does.

Both read the same edges. Classic takes the entry nearest to the head of the channel's chain and steps over what is
skipped; v1 takes the highest version that is not deprecated, and stays where that is what is installed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from olmsolve.catalog import Bundle, Package
from olmsolve.catalog.update_graph import ClassicChannel
from olmsolve.errors import VersionError
from olmsolve.semver import Version, VersionRelease
from olmsolve.v1 import PackageOffers, version_of

__all__ = ["GENERATIONS", "Generation", "PackageUpgrades", "UpdateSource", "update_source"]

Generation: TypeAlias = Literal["classic", "v1"]
"""OLM classic (v0), or OLM v1."""

GENERATIONS: tuple[Generation, ...] = ("classic", "v1")


class UpdateSource(NamedTuple):
    """A bundle as each generation reads its version; None where it cannot."""

    name: str
    classic: Version | None
    v1: VersionRelease | None


def update_source(bundle: Bundle, version: Version | None) -> UpdateSource:
    """*bundle*, of which OLM classic reads *version*, as if it were installed."""
    try:
        strict = version_of(bundle.name, bundle.properties, release_support=False)
    except VersionError:
        strict = None
    return UpdateSource(bundle.name, version, strict)


class PackageUpgrades:
    """The next update of whatever is installed, in each channel of a package.

    What is installed need not be in the package. Everything is worked out once, when asked for.
    """

    def __init__(self, package: Package) -> None:
        self.package = package
        self._classic: dict[str, ClassicChannel] = {}
        self._offers: PackageOffers | None = None
        self._ranged: dict[str, list[str]] = {}

    def classic_channel(self, channel: str) -> ClassicChannel:
        """The *channel* as OLM classic sees it; its order says whether it has one."""
        if channel not in self._classic:
            self._classic[channel] = ClassicChannel(self.package, self.package.channels[channel])
        return self._classic[channel]

    @property
    def offers(self) -> PackageOffers:
        """The package as OLM v1 sees it."""
        if self._offers is None:
            self._offers = PackageOffers(self.package, release_support=False)
        return self._offers

    def following(self, generation: Generation, channel: str, installed: UpdateSource) -> str:
        """The bundle that *installed* is updated to next in *channel*; "" where it stays as it is.

        A channel without an order (no head, several, a cycle) updates nothing in OLM classic.
        """
        if generation == "v1":
            return self._v1(channel, installed)
        found = self.classic_channel(channel)
        return "" if found.order.fault else found.update(installed.name, installed.classic) or ""

    def _v1(self, channel: str, installed: UpdateSource) -> str:
        version = installed.v1
        if version is None:
            return ""
        offers = self.offers
        chosen = frozenset([channel])
        if channel not in self._ranged:
            ranged = offers.graph.ranged(chosen)
            self._ranged[channel] = [offer.name for offer in offers.offers if offer.name in ranged]
        names = offers.names_in[channel]
        # Whatever has the very version that is installed may follow it too, itself included.
        alike = [offers.ranks[name] for name in offers.of_version.get(version, ()) if name in names]
        rank = min(alike, default=None)
        found = offers.graph.first(
            installed.name, version.version, offers.ranks, self._ranged[channel], chosen, before=rank
        )
        if found is None and rank is not None:
            found = offers.offers[rank].name
        return "" if found is None or found == installed.name else found
