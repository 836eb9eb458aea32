"""What the next upgrade is, and where upgrades end: the advice and the differences against plain definitions."""

from __future__ import annotations

import random

import pytest

from olmsolve.authoring.checks import validate
from olmsolve.authoring.compose import catalog_edges, diff_catalogs
from tests.compose.generated import random_catalog
from tests.compose.naive import classic_next, ends, head_of, is_round, v1_best, v1_next, version_of
from tests.scale import LONG, scaled


@pytest.mark.parametrize("seed", range(0, 400 if LONG else 200, 100))
def test_stranded_bundles_are_those_that_do_not_arrive(seed: int) -> None:
    """By following each bundle step by step; a head that moves on is told as a circle instead.

    There are 400 catalogs, and 100 in the short run.
    """
    kinds: set[str] = set()
    for number in range(seed, seed + (100 if LONG else 50)):
        catalog = random_catalog(random.Random(number))
        expected: set[tuple[str, str, str]] = set()
        for package in catalog:
            for channel in package.channels.values():
                versions = {entry.name: version_of(package, entry.name) for entry in channel.entries}
                head = head_of(channel)
                classic = {name: classic_next(channel, name, version) for name, version in versions.items()}
                if is_round(channel):
                    expected.add(("channel-order", package.name, channel.name))
                elif classic[head]:
                    expected.add(("upgrade-circle", package.name, channel.name))
                # In a circle, and on the highest or above, one is not short of the goal.
                elif any(end is None or versions[end] < versions[head] for end in (ends(classic, n) for n in classic)):
                    expected.add(("upgrade-stranded-classic", package.name, channel.name))
                v1 = {name: v1_next(package, channel, name, version) for name, version in versions.items()}
                best = v1_best(package, list(versions))
                if any(end is not None and versions[end] < versions[best] for end in (ends(v1, name) for name in v1)):
                    expected.add(("upgrade-stranded-v1", package.name, channel.name))
        reported = {
            (finding.code, finding.package, finding.channel)
            for finding in validate(catalog)
            if finding.code.startswith(("upgrade-", "channel-order"))
        }
        assert reported == expected
        kinds |= {code for code, _, _ in expected}
    assert len(kinds) == 4


def test_differences_of_upgrades_are_all_and_only_those() -> None:
    """Every bundle, channel and generation for itself, whatever runs they are put together in."""
    for number in range(scaled(150)):
        old, new = random_catalog(random.Random(number)), random_catalog(random.Random(number + 1000))
        expected = {}
        for package in old:
            there = new.packages.get(package.name)
            for channel in package.channels.values():
                then = there.channels.get(channel.name) if there is not None else None
                for entry in channel.entries:
                    version = version_of(package, entry.name)
                    for generation in ("classic", "v1"):
                        before = after = ""
                        if then is None or there is None:
                            pass
                        elif generation == "classic":
                            before = classic_next(channel, entry.name, version)
                            after = classic_next(then, entry.name, version)
                        else:
                            before = v1_next(package, channel, entry.name, version)
                            after = v1_next(there, then, entry.name, version)
                        if then is None or before != after:
                            expected[package.name, channel.name, generation, entry.name] = (before, after, then is None)
        reported = {
            (upgrade.package, upgrade.channel, upgrade.generation, name): (
                upgrade.before,
                upgrade.after,
                upgrade.is_gone,
            )
            for upgrade in diff_catalogs(old, new).upgrades
            for name in upgrade.installed
        }
        assert reported == expected


def test_taken_edges_are_the_next_upgrades() -> None:
    """For every bundle of a package in every channel, also one that the channel does not have."""
    for number in range(scaled(150)):
        catalog = random_catalog(random.Random(number))
        targets = {
            (edge.package, edge.channel, edge.installed, generation): edge.target
            for edge in catalog_edges(catalog)
            for generation, is_taken in (("classic", edge.is_classic), ("v1", edge.is_v1))
            if is_taken and edge.installed in catalog.packages[edge.package].bundles
        }
        expected = {}
        for package in catalog:
            for channel in package.channels.values():
                for name in package.bundles:
                    version = version_of(package, name)
                    expected[package.name, channel.name, name, "classic"] = classic_next(channel, name, version)
                    expected[package.name, channel.name, name, "v1"] = v1_next(package, channel, name, version)
        assert targets == {key: target for key, target in expected.items() if target}
