"""The near misses of a catalog that the filters emptied: what a slightly different request would find in it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from olmsolve.catalog import Catalog
from olmsolve.catalog.update_graph import shortest_ways, way_to
from olmsolve.semver import MastermindsRange, VersionRelease, contains
from olmsolve.v1.explanation import Nearest
from olmsolve.v1.offers import ExtensionWish, Offer, PackageOffers, Stages

# Enough to see what was meant, and few enough for a line.
_MOST_LISTED: Final = 5
# The time to compare two names grows with the square of their length, and a catalog may hold any number of names.
_NAMES_COMPARED: Final = 20_000
_LONGEST_NAME_COMPARED: Final = 253


def nearest(wish: ExtensionWish, stages: Stages, offers: PackageOffers | None, catalog: Catalog | None) -> Nearest:
    """Return what comes nearest to *wish* in a catalog that *stages* emptied; *offers* is None without the package."""
    if offers is None:
        return Nearest(packages=_packages(wish.extension.package, catalog))
    channels: tuple[str, ...] = ()
    if wish.channels is not None and not stages.version:
        channels = _first_few(_channels_with(offers, wish.in_range(offers.offers)))
    if not stages.version:
        below, above = _closest(wish.versions, stages.channel)
        return Nearest(
            channels=channels,
            below=below,
            above=above,
            prereleases=_prereleases(wish.versions, stages.channel),
            updates=_updates(wish, offers),
        )
    wanted = stages.version[0]
    return Nearest(
        channels=_first_few(_channels_with(offers, wish.following(offers, wish.in_range(offers.offers)))),
        edges_from=_first_few(
            offer.name
            for offer in offers.offers
            if offer.version is not None
            and offer is not wanted
            and offers.graph.leads(offer.name, offer.version.version, wanted.name, wish.channels)
        ),
        route=_route(wanted, wish, offers),
        updates=_updates(wish, offers),
    )


def _first_few(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(names, _MOST_LISTED))


def _packages(name: str, catalog: Catalog | None) -> tuple[str, ...]:
    if catalog is None or len(name) > _LONGEST_NAME_COMPARED:
        return ()
    names = list(islice(catalog.packages, _NAMES_COMPARED))
    return tuple(difflib.get_close_matches(name, names, n=_MOST_LISTED))


def _channels_with(offers: PackageOffers, among: Sequence[Offer]) -> Iterator[str]:
    """Yield the channels that hold any of the offers *among*."""
    names = {offer.name for offer in among}
    return (channel for channel, names_of_channel in offers.names_in.items() if names_of_channel & names)


def _closest(versions: MastermindsRange | None, among: Sequence[Offer]) -> tuple[str, str]:
    """Return the closest versions of the offers *among* below and above the highest interval of the wanted range."""
    if versions is None or not versions.releases:
        return "", ""
    # A range is a flat tuple of cuts, at which it begins and ends in turn: the last two are its highest interval.
    start, end = versions.releases[-2:]
    releases = [offer.version for offer in among if offer.version is not None]
    below = max((version for version in releases if version.version.key < start), default=None)
    above = min((version for version in releases if version.version.key >= end), default=None)
    return _text(below), _text(above)


def _text(version: VersionRelease | None) -> str:
    return "" if version is None else str(version.legacy_version)


def _prereleases(versions: MastermindsRange | None, among: Sequence[Offer]) -> tuple[str, ...]:
    """Return pre-releases between the bounds of a range, which contains a pre-release only if it names one."""
    if versions is None:
        return ()
    return _first_few(
        _text(offer.version)
        for offer in among
        if offer.version is not None
        and offer.version.version.pre
        and contains(versions.releases, offer.version.version.key)
    )


def _updates(wish: ExtensionWish, offers: PackageOffers) -> tuple[str, ...]:
    if wish.installed is None or not isinstance(wish.version, VersionRelease):
        return ()
    following = wish.following(offers, wish.in_channels(offers))
    return _first_few(offer.name for offer in following if offer.name != wish.installed.name)


def _route(wanted: Offer, wish: ExtensionWish, offers: PackageOffers) -> tuple[str, ...]:
    """Return the bundles on a shortest way from what is installed to *wanted*, whatever the wanted range."""
    installed, its_version = wish.installed, wish.version
    assert installed is not None, "edges left nothing, so they lead from a bundle"
    expansion = offers.graph.expansion(wish.channels)

    def following(name: str) -> Iterable[str]:
        version = its_version if name == installed.name else offers.offers[offers.ranks[name]].version
        if not isinstance(version, VersionRelease):
            return ()
        edges = expansion.edges_from(name, version.version)
        return sorted({edge.entry.name for edge in edges} & offers.ranks.keys(), key=offers.ranks.__getitem__)

    before = shortest_ways(installed.name, following, lambda name: name == wanted.name)
    return tuple(way_to(wanted.name, before)) if wanted.name in before else ()
