"""The filters of OLM v1 over the offers of one catalog, in its order: package, channel, version, edges."""

from __future__ import annotations

from collections.abc import Sequence

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.errors import VersionError
from olmsolve.semver import MastermindsRange, VersionRelease
from olmsolve.v1.offers import Offer, PackageOffers
from olmsolve.v1.request import Extension, InstalledBundle


@attrs.frozen
class Stages:
    """The offers that are left after each filter, most wanted first."""

    package: Sequence[Offer] = ()
    channel: Sequence[Offer] = ()
    version: Sequence[Offer] = ()
    edges: Sequence[Offer] = ()


@attrs.frozen
class ExtensionWish:
    """An extension's wish, parsed.

    *version* is the version and release of the installed bundle, or the error of reading it; None where edges do
    not matter, because nothing is installed or the policy lets any bundle follow.
    """

    extension: Extension
    versions: MastermindsRange | None
    installed: InstalledBundle | None
    version: VersionRelease | VersionError | None

    @property
    def channels(self) -> frozenset[str] | None:
        """The channels that bundles and edges must be in, None for any."""
        return frozenset(self.extension.channels) or None

    def filtered(self, offers: PackageOffers) -> Stages:
        """Return what each filter leaves of *offers*."""
        return self.by_edges(offers, self.before_edges(offers))

    def before_edges(self, offers: PackageOffers) -> Stages:
        """Return what the filters by package, channel and version leave; they do not depend on what is installed."""
        in_channel = self.in_channels(offers)
        return Stages(offers.offers, in_channel, self.in_range(in_channel))

    def by_edges(self, offers: PackageOffers, stages: Stages) -> Stages:
        """Return *stages* with the filter by edges as well."""
        return Stages(stages.package, stages.channel, stages.version, self.following(offers, stages.version))

    def in_channels(self, offers: PackageOffers) -> Sequence[Offer]:
        if self.channels is None:
            return offers.offers
        names = offers.named_in(self.channels)
        return [offer for offer in offers.offers if offer.name in names]

    def in_range(self, among: Sequence[Offer]) -> Sequence[Offer]:
        versions = self.versions
        if versions is None:
            return among
        return [
            offer
            for offer in checked(among, every=64)
            if offer.version is not None and offer.in_ranges and versions.contains_key(offer.version.version.key)
        ]

    def following(self, offers: PackageOffers, among: Sequence[Offer]) -> Sequence[Offer]:
        if self.installed is None or not isinstance(self.version, VersionRelease) or not among:
            return among
        return offers.successors(self.installed.name, self.version, self.channels, among)
