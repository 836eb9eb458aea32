"""The bundles of one package of a catalog, in the order of preference, and the filters of OLM v1 over them.

OLM v1 prefers bundles that are not deprecated, then the highest version and release, then as the catalog lists them.
It filters by package, channel, version and edges. Filters keep the order, so the first bundle that they leave wins. The
offers of a package are built once, then shared by all requests.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.catalog import Bundle, Catalog, Package, own_version
from olmsolve.catalog.update_graph import UpdateGraph
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from olmsolve.semver import MastermindsRange, VersionRelease, quote
from olmsolve.v1.request import ClusterCatalog, Extension, ExtensionRequest, InstalledBundle

# Masterminds/semver refuses longer versions, so no range contains them.
_LONGEST_IN_RANGES: Final = 256

# A binary search for one offer takes about as long as looking at this many.
_SEARCHES_PER_SCAN: Final = 32


@attrs.frozen
class Offer:
    """A bundle with the facts that filters and the order of preference need.

    *version* is None where it cannot be read; *fault* then says why. *in_ranges* is False where no range can contain
    the version.
    """

    bundle: Bundle
    version: VersionRelease | None
    fault: str
    deprecated: bool
    in_ranges: bool

    @property
    def name(self) -> str:
        return self.bundle.name


class PackageOffers:
    """The *offers* of a package in the order of preference, and their *ranks* in it by name."""

    def __init__(self, package: Package, *, release_support: bool) -> None:
        self.package = package
        deprecated = {entry.name for entry in package.deprecations if entry.schema == "olm.bundle"}
        bundles = checked(package.bundles.values(), every=16)
        offers = [_offer(bundle, bundle.name in deprecated, release_support) for bundle in bundles]
        # Sorting is stable, also when it is reversed: bundles of equal versions stay as the catalog lists them.
        offers.sort(key=_version_key, reverse=True)
        # Two sorts, since versions come in descending and deprecation in ascending order, and equal ones as listed.
        offers.sort(key=lambda offer: offer.deprecated)
        self.offers: Sequence[Offer] = offers
        self.ranks: dict[str, int] = {offer.name: rank for rank, offer in enumerate(offers)}
        self.of_version: dict[VersionRelease, list[str]] = {}
        for offer in offers:
            if offer.version is not None:
                self.of_version.setdefault(offer.version, []).append(offer.name)
        self.names_in: dict[str, frozenset[str]] = {
            channel.name: frozenset(entry.name for entry in channel.entries) for channel in package.channels.values()
        }

    @cached_property
    def graph(self) -> UpdateGraph:
        """The update edges of all channels, made when they are first needed."""
        return UpdateGraph(self.package.channels.values())

    def offer(self, name: str) -> Offer:
        """Return the offer of the bundle *name*, which the package must have."""
        return self.offers[self.ranks[name]]

    def named_in(self, channels: Iterable[str]) -> set[str]:
        """Return the names of all entries of *channels*."""
        return set().union(*(self.names_in.get(channel, frozenset()) for channel in channels))

    def successors(
        self, name: str, version: VersionRelease, channels: frozenset[str] | None, among: Sequence[Offer]
    ) -> list[Offer]:
        """Return the offers *among* that can follow the installed bundle, or have its very version and release.

        Only edges of *channels* count (None: of all). *among* must be in the order of the offers: a bundle has few
        successors, so looking these up by rank saves testing every offer.
        """
        names = {edge.entry.name for edge in self.graph.edges_from(name, version.version, channels)}
        names.update(self.of_version.get(version, ()))
        if len(names) * _SEARCHES_PER_SCAN > len(among):
            return [offer for offer in among if offer.name in names]
        offers = []
        for rank in sorted(self.ranks[name] for name in names if name in self.ranks):
            position = bisect_left(among, rank, key=lambda offer: self.ranks[offer.name])
            if position < len(among) and among[position] is self.offers[rank]:
                offers.append(among[position])
        return offers

    def update(
        self, installed: Offer, channels: frozenset[str] | None, names: set[str] | None, ranged: Iterable[str]
    ) -> Offer | None:
        """Return the update of the offer *installed*: its most wanted successor; None if it stays or has none.

        *names* are the entries of *channels* (None: all), *ranged* the entries with a ``skipRange``, in order.
        """
        if installed.version is None:
            return None
        # Bundles of its very version follow it too, itself among them; only an edge to a better rank beats them.
        alike = [name for name in self.of_version[installed.version] if names is None or name in names]
        rank = min((self.ranks[name] for name in alike), default=None)
        version = installed.version.version
        offer = self.graph.first(installed.name, version, self.ranks, ranged, channels, before=rank)
        if offer is not None:
            rank = self.ranks[offer]
        return None if rank is None or self.offers[rank] is installed else self.offers[rank]


def offers_of(catalog: Catalog, package: str, *, release_support: bool) -> PackageOffers | None:
    """Return the offers of *package* in *catalog*, None if the catalog does not have it."""
    package_there = catalog.packages.get(package)
    if package_there is None:
        return None
    # Kept with the catalog: a service resolves many extensions over one, and orders the bundles of a package once.
    return catalog.derived(
        (PackageOffers, package, release_support), lambda: PackageOffers(package_there, release_support=release_support)
    )


def offers_in(catalog: Catalog, request: ExtensionRequest) -> PackageOffers | None:
    """Return the offers of *request*'s package in *catalog*, None if the catalog does not have it."""
    return offers_of(catalog, request.extension.package, release_support=request.release_support)


def offers_in_catalog(request: ExtensionRequest, name: str) -> PackageOffers:
    """Return the offers of *request*'s package in its catalog *name*, which must have it."""
    catalog = catalog_named(request, name).catalog
    assert catalog is not None
    offers = offers_in(catalog, request)
    assert offers is not None
    return offers


def catalog_named(request: ExtensionRequest, name: str) -> ClusterCatalog:
    """Return the catalog *name* of *request*, which must have one of this name."""
    return next(catalog for catalog in request.catalogs if catalog.name == name)


def installed_version(installed: InstalledBundle) -> VersionRelease:
    """Return the version and release of *installed*; a recorded release counts whatever the feature gates.

    Raises:
        VersionError: one of them cannot be read; the reason is worded as OLM v1 prints it.
    """
    wanted = "get version and release of installed bundle"
    if installed.release is not None:
        wanted = "parse installed bundle version and release"
    try:
        return VersionRelease.parse(installed.version, installed.release, release_support=True)
    except VersionError as error:
        raise evolve(error, reason=f"failed to {wanted}: {error.reason}") from None


def readable_version(installed: InstalledBundle) -> VersionRelease | None:
    """Return the version and release of *installed*, None where one of them cannot be read."""
    try:
        return installed_version(installed)
    except VersionError:
        return None


def update_remark(before: InstalledBundle | None, after: InstalledBundle) -> str:
    """Return what to know of an update between two bundles: a new major version or a downgrade, "" for neither."""
    here, there = None if before is None else readable_version(before), readable_version(after)
    if here is None or there is None:
        return ""
    if there.key < here.key:
        return "a downgrade"
    return "a new major version" if there.version.major > here.version.major else ""


def recorded_bundle(name: str, version: VersionRelease, *, release_support: bool) -> InstalledBundle:
    """Return the bundle *name* as the controller records it once it is installed.

    With the feature gate an empty release is recorded too: without it, build metadata would be read as the release.
    """
    return InstalledBundle(**version.metadata_for(name, release_support=release_support))


def version_names(version: VersionRelease) -> tuple[str, str]:
    """Return *version* as people name it: without build metadata, and with its release as build metadata."""
    return str(attrs.evolve(version.version, build=())), str(version.legacy_version)


def bundle_release(bundle: Bundle, *, release_support: bool) -> VersionRelease:
    """Return the version and release of *bundle*; raises as :func:`version_of`."""
    text = own_version(bundle)
    if text is not None:
        return VersionRelease.parse(text, release_support=release_support)
    return version_of(bundle.name, bundle.properties, release_support=release_support)


def version_of(name: str, properties: Iterable[Property], *, release_support: bool) -> VersionRelease:
    """Return the version and release in the first ``olm.package`` property of the bundle *name*.

    Raises:
        VersionError: there is no such property, or they cannot be read.
    """
    for published in properties:
        if published.type == "olm.package":
            version, release = _version_texts(published.value)
            return VersionRelease.parse(version, release, release_support=release_support)
    raise VersionError("", f"no package property found in bundle {quote(name)}")


def _version_texts(value: Any) -> tuple[str, str | None]:
    """Return the version and release of an ``olm.package`` property as text; null and absent fields are empty."""
    version = release = None
    if isinstance(value, dict):
        version, release = value.get("version"), value.get("release")
    if (
        not (value is None or isinstance(value, dict))
        or not (version is None or isinstance(version, str))
        or not (release is None or isinstance(release, str))
    ):
        raise VersionError("", "error unmarshalling package property: not of the expected form")
    return version or "", release


def _offer(bundle: Bundle, deprecated: bool, release_support: bool) -> Offer:
    version, fault, in_ranges = None, "", False
    text = own_version(bundle)
    try:
        version = bundle_release(bundle, release_support=release_support)
    except VersionError as error:
        fault = error.reason
    else:
        # A version without a release of its own is written as it was read.
        written = str(version.legacy_version) if text is None else text
        in_ranges = len(written) <= _LONGEST_IN_RANGES
    return Offer(bundle, version, fault, deprecated, in_ranges)


def _version_key(offer: Offer) -> tuple[Any, ...]:
    """Return a key that orders by version and release; bundles without a version come lowest."""
    return () if offer.version is None else (offer.version.key,)


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
        """Return the offers that are left of *offers* after each filter."""
        return self.by_edges(offers, self.before_edges(offers))

    def before_edges(self, offers: PackageOffers) -> Stages:
        """Return the offers left by the filters of package, channel and version, whatever is installed."""
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
