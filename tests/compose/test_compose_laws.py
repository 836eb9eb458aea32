"""Laws of composing, over generated catalogs: what was valid stays valid, and nothing is invented."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from olmsolve.authoring.checks import validate
from olmsolve.authoring.compose import (
    Keep,
    add_bundle,
    catalog_edges,
    deprecate,
    diff_catalogs,
    merge_catalogs,
    promote,
    remove_from_catalog,
    set_default_channel,
    subset_catalog,
)
from olmsolve.catalog import Bundle, Catalog
from olmsolve.catalog.fbc import blobs, from_blobs
from olmsolve.errors import CatalogError, OlmsolveError
from olmsolve.predicates import Property
from olmsolve.render import catalog_diff_text
from olmsolve.semver import Version
from tests.compose.generated import blobs_of, errors, random_catalog
from tests.compose.naive import is_round
from tests.recorded import real_catalog
from tests.scale import LONG, sampled, scaled

RANGES = ["", "", "<1.0.0", ">=0.2.0", "1.x", "!=1.1.0", ">=1.1.1 <2.0.0"]
SEEDS = range(0, 1200 if LONG else 200, 100)
PART = 100 if LONG else 50
"""How many catalogs are made from each of the seeds."""


def keep_of(generator: random.Random, catalog: Catalog) -> list[Keep]:
    names = generator.sample(sorted(catalog.packages), generator.randint(1, len(catalog.packages)))
    wishes = []
    for name in names:
        channels = sorted(catalog.packages[name].channels)
        chosen = tuple(generator.sample(channels, generator.randint(0, len(channels))))
        wishes.append(Keep(name, chosen, generator.choice(RANGES), generator.random() < 0.3))
    return wishes


def named_edges(catalog: Catalog) -> set[tuple[str, ...]]:
    """Every update that an entry names, and every skipRange."""
    edges: set[tuple[str, ...]] = set()
    for package in catalog:
        for channel in package.channels.values():
            for entry in channel.entries:
                for source in (entry.replaces, *entry.skips, entry.skip_range):
                    edges.add((package.name, channel.name, source, entry.name))
    return edges


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subset_is_valid_and_invents_nothing(seed: int) -> None:
    """Its updates are some of those that the catalog offers, and its bundles are the catalog's.

    There are 1,200 catalogs, and 100 in the short run.
    """
    refused: list[str] = []
    for number in range(seed, seed + PART):
        generator = random.Random(number)
        catalog = random_catalog(generator)
        assert errors(catalog) == []
        try:
            part = subset_catalog(catalog, keep_of(generator, catalog), dependencies=generator.random() < 0.5)
        except OlmsolveError as error:
            refused.append(str(error))
            continue
        assert errors(part) == []
        assert {edge for edge in named_edges(part) if edge[2]} <= named_edges(catalog)
        for package in part:
            whole = catalog.packages[package.name]
            assert all(whole.bundles[name] is bundle for name, bundle in package.bundles.items())
    assert all("no bundle of the package is in" in reason for reason in refused)
    assert len(refused) < PART / 5


def test_a_subset_keeps_what_was_asked_for() -> None:
    """Every wanted bundle that is on a chain stays; the head is the wanted entry nearest to the old one."""
    for number in range(scaled(300)):
        generator = random.Random(number)
        catalog = random_catalog(generator, packages=1)
        package = next(iter(catalog))
        assert subset_catalog(catalog, [package.name]) == catalog
        for name, channel in package.channels.items():
            part = next(iter(subset_catalog(catalog, [Keep(package.name, (name,), heads_only=True)])))
            (only,) = part.channels.values()
            heads = {entry.name for entry in channel.entries} - {
                other for entry in channel.entries for other in (entry.replaces, *entry.skips)
            }
            assert {entry.name for entry in only.entries} == heads == set(part.bundles)
            assert part.default_channel == name


def test_dependencies_are_a_closure() -> None:
    """With its dependencies, a subset requires no API and no package that the catalog could give and it cannot."""
    unmet = met = 0
    for number in range(scaled(400)):
        catalog = random_catalog(random.Random(number), packages=4)
        part = subset_catalog(catalog, [min(catalog.packages)], dependencies=True)
        kept = [bundle for package in part for bundle in package.bundles.values()]
        for bundle in kept:
            for item in bundle.properties:
                if item.type not in ("olm.gvk.required", "olm.package.required"):
                    continue
                if any(provides(other, item) for other in kept):
                    met += 1
                else:
                    unmet += 1
                    assert not any(provides(other, item) for other in selectable(catalog))
    assert met > scaled(100)
    assert unmet > scaled(100)


def provides(bundle: Bundle, required: Property) -> bool:
    """Whether *bundle* meets the requirement of an API or of a package (whose range is open above here)."""
    if required.type == "olm.gvk.required":
        return any(item.type == "olm.gvk" and item.value == required.value for item in bundle.properties)
    (own,) = [item.value for item in bundle.properties if item.type == "olm.package"]
    version = Version.parse(own["version"])
    return own["packageName"] == required.value["packageName"] and version >= Version(0, 1, 0)


def selectable(catalog: Catalog) -> list[Bundle]:
    """The bundles that OLM classic can install: of channels that it can order, what none of their entries skips."""
    bundles = []
    for package in catalog:
        for channel in package.channels.values():
            skipped = {name for entry in channel.entries for name in entry.skips}
            if not is_round(channel):
                bundles += [package.bundles[entry.name] for entry in channel.entries if entry.name not in skipped]
    return bundles


def test_merging_keeps_everything_and_validity() -> None:
    """Disjoint catalogs, parts of one, and one with itself: the whole comes out, in whatever parts it came."""
    for number in range(scaled(300)):
        generator = random.Random(number)
        one, other = random_catalog(generator, "p"), random_catalog(generator, "q")
        both = merge_catalogs(one, other)
        assert errors(both) == []
        assert Counter(map(encoded, blobs(both))) == Counter(map(encoded, (*blobs(one), *blobs(other))))
        assert merge_catalogs(one, one) == one
        assert merge_catalogs() == Catalog({})
        assert merge_catalogs(both, one) == both
        part = subset_catalog(one, [min(one.packages)])
        assert merge_catalogs(one, part).packages == one.packages


def encoded(blob: Any) -> str:
    return json.dumps(blob, sort_keys=True)


def test_edits_keep_validity_or_are_refused() -> None:
    """Whatever is asked for, the answer is a valid catalog or one of our errors."""
    outcomes: Counter[str] = Counter()
    for number in range(scaled(600, 3)):
        generator = random.Random(number)
        catalog = random_catalog(generator)
        package = generator.choice(list(catalog))
        channels = [*sorted(package.channels), "new"]
        bundle = generator.choice(sorted(package.bundles))
        source, target = generator.choice(channels), generator.choice(channels)
        try:
            match number % 4:
                case 0:
                    changed = promote(catalog, package.name, generator.choice(["", bundle]), source, target)
                case 1:
                    changed = set_default_channel(catalog, package.name, target)
                case 2:
                    names: Any = {"channel": target} if generator.random() < 0.5 else {"bundle": bundle}
                    changed = deprecate(catalog, package.name, generator.choice(["old", ""]), **names)
                case _:
                    head = generator.choice(
                        [entry.name for channel in package.channels.values() for entry in channel.entries]
                    )
                    new_bundles = next(iter(from_blobs([new_bundle(package.name, generator)]))).bundles
                    changed = add_bundle(
                        catalog, next(iter(new_bundles.values())), target, replaces=generator.choice(["", head])
                    )
        except OlmsolveError:
            outcomes[f"{number % 4} refused"] += 1
            continue
        assert errors(changed) == []
        assert diff_catalogs(catalog, changed) or changed == catalog
        outcomes[f"{number % 4} done"] += 1
    assert min(outcomes.values()) > 5, outcomes
    assert len(outcomes) == 8


def new_bundle(package: str, generator: random.Random) -> dict[str, Any]:
    version = f"9.{generator.randint(0, 1)}.0"
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    blob = {"schema": "olm.bundle", "package": package, "name": f"{package}.v{version}", "image": "quay.io/p/p:1"}
    return blob | {"properties": [own]}


@pytest.mark.parametrize("seed", range(0, 2600 if LONG else 200, 100))
def test_mutants_never_raise_what_is_not_ours(seed: int) -> None:
    """Catalogs that are broken in any way that loading lets pass: each function answers or refuses.

    There are 2,600 of them, and 100 in the short run.
    """
    for number in range(seed, seed + PART):
        generator = random.Random(number)
        all_blobs = blobs_of(generator)
        for _ in range(generator.randint(1, 3)):
            mutate(generator, all_blobs)
        with contextlib.suppress(OlmsolveError):
            catalog = from_blobs(all_blobs)
            for call in calls(generator, catalog, random_catalog(random.Random(number + 1))):
                with contextlib.suppress(OlmsolveError):
                    call()


def calls(generator: random.Random, catalog: Catalog, other: Catalog) -> list[Callable[[], Any]]:
    """One call of everything that has to do with channels and edges."""
    return [
        lambda: subset_catalog(catalog, keep_of(generator, catalog), dependencies=True),
        lambda: merge_catalogs(catalog, other),
        lambda: merge_catalogs(other, catalog),
        lambda: list(catalog_edges(catalog)),
        lambda: catalog_diff_text(diff_catalogs(catalog, other)),
        lambda: diff_catalogs(other, catalog).to_dict(),
        lambda: promote(catalog, "p0", "", "stable", "fast"),
        lambda: validate(catalog),
    ]


VALUES: list[Any] = [None, "", "p0", "p0.v1.1.1", "stable", "not a range", [], ["p0.v0.0.0", "p0.v1.0.0"], {}, 7]


def mutate(generator: random.Random, all_blobs: list[Any]) -> None:
    """Change, remove or repeat something at random, on any level; three of four catalogs still load."""
    target: Any = generator.choice(all_blobs)
    while True:
        inner = target.values() if isinstance(target, dict) else target
        deeper = [value for value in inner if isinstance(value, dict | list) and value]
        if not deeper or generator.random() < 0.4:
            break
        target = generator.choice(deeper)
    if isinstance(target, dict):
        key = generator.choice(sorted(target))
        if generator.random() < 0.2 and key not in ("schema", "package", "name"):
            del target[key]
        else:
            # Mostly of the same type: the others never get past loading.
            alike = [value for value in VALUES if type(value) is type(target[key])]
            target[key] = generator.choice(alike if alike and generator.random() < 0.9 else VALUES)
    elif generator.random() < 0.5:
        target.append(json.loads(json.dumps(generator.choice(target))))
    else:
        target.pop()


def test_differences_add_up() -> None:
    """Nothing differs from itself, and what one direction adds the other removes."""
    flipped = {"added": "removed", "removed": "added", "changed": "changed"}
    for number in range(scaled(200)):
        generator = random.Random(number)
        one = random_catalog(generator)
        other = random_catalog(random.Random(number + 1))
        assert not diff_catalogs(one, one)
        # The order of blobs in files has no meaning.
        shuffled = list(blobs(one))
        generator.shuffle(shuffled)
        assert not diff_catalogs(one, from_blobs(shuffled))
        there = [
            (change.what, change.kind, change.package, change.channel, change.name)
            for change in diff_catalogs(one, other).changes
        ]
        back = [
            (flipped[change.what], change.kind, change.package, change.channel, change.name)
            for change in diff_catalogs(other, one).changes
        ]
        assert Counter(there) == Counter(back)


REAL = ["community-2021", "community-prod", "fbc-v4.12", "fbc-v4.16", "fbc-v4.20", "fbc-v4.22", "upstream-2021"]


@pytest.mark.parametrize("name", sampled(REAL, 2))
def test_parts_of_real_catalogs_are_valid(name: str) -> None:
    """Every package alone, its heads, and a third of all with what they require; the short run takes half of them."""
    catalog = real_catalog(f"{name}.jsonl.gz")
    heads = subset_catalog(catalog, [Keep(package, heads_only=True) for package in catalog.packages])
    assert errors(heads) == []
    assert set(heads.packages) == set(catalog.packages)
    third = sorted(catalog.packages)[::3]
    part = subset_catalog(catalog, third, dependencies=True)
    assert errors(part) == []
    assert set(third) <= set(part.packages)
    rest = subset_catalog(catalog, sorted(catalog.packages.keys() - set(third)))
    alone = subset_catalog(catalog, third)
    assert errors(merge_catalogs(rest, alone)) == []
    assert merge_catalogs(alone, rest).packages == catalog.packages


def test_real_catalogs_of_two_releases_differ_in_seconds() -> None:
    """What changed between releases is known by sight: packages that left, and one that came."""
    old, new = (real_catalog(f"fbc-v4.{minor}.jsonl.gz") for minor in (20, 22))
    diff = diff_catalogs(old, new)
    packages = {(change.what, change.name) for change in diff.changes if change.kind == "package"}
    assert {name for change, name in packages if change == "removed"} == old.packages.keys() - new.packages.keys()
    assert {name for change, name in packages if change == "added"} == new.packages.keys() - old.packages.keys()
    # Its head went, so that what led there stays; and who had it has nothing to follow but is not told a change.
    apicurio = [
        upgrade for upgrade in diff.upgrades if (upgrade.package, upgrade.channel) == ("apicurio-registry-3", "3.x")
    ]
    assert [(upgrade.generation, upgrade.installed, upgrade.before, upgrade.after) for upgrade in apicurio] == [
        (generation, ("apicurio-registry-3.v3.3.0",), "apicurio-registry-3.v3.3.1", "")
        for generation in ("classic", "v1")
    ]


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_removal_keeps_a_catalog_valid_and_updates_offered(seed: int) -> None:
    """With its chains reconnected, a removed bundle still has an update wherever it had one to an entry that stays.

    There are 200 catalogs, and 100 in the short run.
    """
    removals = 0
    for number in range(seed, seed + PART):
        generator = random.Random(number)
        catalog = random_catalog(generator)
        package = generator.choice(list(catalog))
        gone = set(generator.sample(sorted(package.bundles), min(2, len(package.bundles))))
        try:
            remaining = remove_from_catalog(catalog, package.name, bundles=sorted(gone), reconnect=True)
        except CatalogError:
            continue
        assert errors(remaining) == []
        updates = {(edge.channel, edge.installed) for edge in catalog_edges(remaining, package.name)}
        for edge in catalog_edges(catalog, package.name):
            named = set(edge.kinds) & {"replaces", "skips"}
            if edge.installed in gone and edge.target not in gone and named:
                assert (edge.channel, edge.installed) in updates
        removals += 1
    assert removals > PART // 4
