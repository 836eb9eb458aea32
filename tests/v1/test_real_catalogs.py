"""Every package of real catalogs: paths against brute force, and how much of them reaches its head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import pytest

from olmsolve import CatalogError, classic, v1
from olmsolve.catalog import Catalog, Channel, ChannelEntry, Package
from olmsolve.errors import RangeError, VersionError
from olmsolve.predicates import published
from olmsolve.semver import BlangRange, Version
from olmsolve.v1 import version_of
from tests.recorded import real_catalog
from tests.scale import sampled

CATALOGS = [
    "community-2021",
    "community-prod",
    "fbc-v4.12",
    "fbc-v4.16",
    "fbc-v4.20",
    "fbc-v4.22",
    "upstream-2021",
]


def some(name: str) -> tuple[Catalog, Sequence[Package]]:
    """Return a catalog and its packages, in the short run one in thirty, or one in two of a small catalog.

    Most packages are in several catalogs: each catalog gives others.
    """
    catalog = real_catalog(f"{name}.jsonl.gz")
    return catalog, sampled(list(catalog), 30 if len(catalog.packages) > 100 else 2, CATALOGS.index(name))


def versions_of(package: Package) -> dict[str, Version]:
    facts = {name: published(package.name, bundle.properties) for name, bundle in package.bundles.items()}
    return {name: fact.version for name, fact in facts.items() if fact.version is not None}


def adjacency(channels: list[Channel], versions: dict[str, Version]) -> dict[str, set[str]]:
    """Which bundles each bundle may be updated to, by asking every entry about every bundle."""
    ranges: dict[str, BlangRange | None] = {}
    successors: dict[str, set[str]] = {name: set() for name in versions}
    for channel in channels:
        for entry in channel.entries:
            if entry.name not in versions:
                continue
            if entry.skip_range not in ranges:
                try:
                    ranges[entry.skip_range] = BlangRange.parse(entry.skip_range)
                except RangeError:
                    ranges[entry.skip_range] = None
            contained = ranges[entry.skip_range]
            for name, version in versions.items():
                in_range = contained is not None and version in contained
                if entry.replaces == name or name in entry.skips or in_range:
                    successors[name].add(entry.name)
    return successors


def distances(start: str, following: dict[str, set[str]]) -> dict[str, int]:
    """Steps to everything that can be reached, one level after the other."""
    distance_to, level = {start: 0}, {start}
    while level:
        level = {there for here in level for there in following[here]} - distance_to.keys()
        distance = max(distance_to.values()) + 1
        distance_to.update(dict.fromkeys(level, distance))
    return distance_to


def requests(catalog: Catalog, package: Package) -> Iterator[v1.ExtensionRequest]:
    """One request for every bundle of *package* that can be installed, in any channel."""
    catalogs = [v1.ClusterCatalog("a", catalog)]
    for name, bundle in package.bundles.items():
        try:
            version = version_of(name, bundle.properties, release_support=False)
        except VersionError:
            continue
        installed = v1.InstalledBundle(name, str(version.legacy_version))
        yield v1.ExtensionRequest(v1.Extension(package.name), catalogs, installed, validations=())


@pytest.mark.parametrize("name", CATALOGS)
def test_v1_paths_are_shortest_and_reach_what_can_be_reached(name: str) -> None:
    """From every bundle to the newest, in the length that brute force finds.

    The short run goes from every second bundle of some packages.
    """
    started = reached = 0
    catalog, packages = some(name)
    for package in packages:
        versions = versions_of(package)
        following = adjacency(list(package.channels.values()), versions)
        # Bundles of one version are one place for OLM v1; brute force knows only edges.
        if len(set(versions.values())) < len(package.bundles):
            continue
        deprecated = {entry.name for entry in package.deprecations if entry.schema == "olm.bundle"}
        for request in sampled(list(requests(catalog, package)), 2):
            assert request.installed is not None
            start = request.installed.name
            known = distances(start, following)
            newest = max(known, key=lambda name: (name not in deprecated, versions[name].key))
            path = v1.path(request, mode="shortest")
            assert path.end == newest
            assert len(path.steps) == known[newest]
            went = v1.path(request)
            assert all(step.bundle in known for step in went.steps)
            assert went.reached == (went.end == newest)
            best = max(versions, key=lambda name: (name not in deprecated, versions[name].key))
            started += 1
            reached += went.end == best
    print(f"v1, {catalog.origin}: {reached} of {started} reach the newest ({reached / started:.1%})")
    assert reached > started / 2


@pytest.mark.parametrize("name", CATALOGS)
def test_classic_paths_are_shortest_and_reach_what_can_be_reached(name: str) -> None:
    """From every entry of every channel to its head, in the short run of some packages; without order is no path."""
    started = reached = 0
    catalog, packages = some(name)
    for package in packages:
        versions = versions_of(package)
        for channel in package.channels.values():
            entries = {entry.name: entry for entry in channel.entries if entry.name in versions}
            try:
                paths = {
                    name: classic.channel_path(package, name, channel=channel.name, mode="shortest") for name in entries
                }
            except CatalogError:
                continue
            skipped = {name for entry in entries.values() for name in entry.skips}
            offered = [attrs.evolve(channel, entries=tuple(e for n, e in entries.items() if n not in skipped))]
            following = adjacency(offered, versions)
            for start, path in paths.items():
                went = classic.channel_path(package, start, channel=channel.name)
                chain = _chain(path.head, entries)
                known = distances(start, {k: v & chain for k, v in following.items()})
                assert path.reached == (path.head in known)
                assert len(path.steps) == (known[path.head] if path.reached else 0)
                assert all(step in known for step in went.steps)
                started += 1
                reached += went.reached
    print(f"classic, {catalog.origin}: {reached} of {started} reach their head ({reached / started:.1%})")
    assert reached > started / 2


def _chain(head: str, entries: dict[str, ChannelEntry]) -> set[str]:
    chain: set[str] = set()
    while head in entries and head not in chain:
        chain.add(head)
        head = entries[head].replaces
    return chain
