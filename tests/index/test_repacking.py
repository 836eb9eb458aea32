"""The columns of a new version, made of those of the version before, are those of packing it whole."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import attrs
import pytest

from olmsolve import Catalog, Property, load
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Deprecation, Package, made_of
from olmsolve.catalog.index import COLUMNS, Packed, index_of, repack
from olmsolve.catalog.index.packing import pack
from olmsolve.catalog.versions import Predecessor
from olmsolve.testing.synthetic import lines, realistic_blobs
from tests.recorded import real_catalog
from tests.scale import scaled

_NAMES = ("alpha", "beta", "delta", "echo", "fox", "golf", "hotel", "kilo")


def _check(catalog: Catalog, before: Packed, same: Iterable[str]) -> bool:
    """Hold the columns made of those *before* against packing; return False where that was left to packing."""
    repacked, whole = repack(catalog, before, frozenset(same)), pack(catalog)
    if repacked is None:
        return False
    assert [name for name in COLUMNS if getattr(repacked, name) != getattr(whole, name)] == []
    assert repacked.text == whole.text
    return True


def _package(name: str, rng: random.Random) -> Package:
    """Return a package that shares versions, ranges, APIs, requirements and deprecations with others."""
    count = rng.randrange(1, 6)
    versions = sorted(rng.sample([(1, minor, 0) for minor in range(8)], count), reverse=True)
    texts = [".".join(map(str, version)) for version in versions]
    names = [f"{name}.v{text}" for text in texts]
    ranges = ("", "", "<1.0.0", f">=1.0.0 <{texts[0]}")
    entries = tuple(
        ChannelEntry(
            bundle,
            names[at + 1] if at + 1 < count else rng.choice(["", f"{name}.v0.9.0"]),
            tuple(rng.sample(names[at + 2 :], min(rng.randrange(2), len(names[at + 2 :])))),
            rng.choice(ranges) if at == 0 else "",
        )
        for at, bundle in enumerate(names)
    )
    bundles = {}
    for bundle, text in zip(names, texts, strict=True):
        properties = [Property("olm.package", {"packageName": name, "version": text})]
        apis = [{"group": rng.choice("xyz"), "kind": "K", "version": "v1"} for _ in range(rng.randrange(3))]
        properties += [Property("olm.gvk", api) for api in apis]
        for _ in range(rng.randrange(3)):
            needs = {"packageName": rng.choice(_NAMES), "versionRange": rng.choice([">=1.2.0", "<1.5.0", "1.1.0", "?"])}
            properties.append(Property("olm.package.required", needs))
        if rng.random() < 0.2:
            rule = {
                "failureMessage": "no",
                "all": {"constraints": [{"gvk": {"group": "x", "kind": "K", "version": "v1"}}]},
            }
            properties.append(Property("olm.constraint", rule))
        bundles[bundle] = Bundle(name, bundle, tuple(properties))
    channels = {"stable": Channel(name, "stable", entries)}
    if rng.random() < 0.5:
        channels["fast"] = Channel(
            name, "fast", tuple(ChannelEntry(entry.name, entry.replaces) for entry in entries[:2])
        )
    deprecations = (Deprecation("olm.channel", "stable", rng.choice(["old", "older"])),) if rng.random() < 0.3 else ()
    return Package(name, rng.choice(["stable", "stable", "fast", "none"]), channels, bundles, deprecations)


@pytest.mark.parametrize("seed", range(3))
def test_random_versions(seed: int) -> None:
    """A few of eight packages come, change or go, so that each row is now brought by another package than before."""
    rng = random.Random(seed)
    repacked = 0
    packages = {name: _package(name, rng) for name in _NAMES}
    for _ in range(scaled(500)):
        before = pack(Catalog(dict(packages)))
        same = set(packages)
        for name in rng.sample(_NAMES, rng.randrange(1, 4)):
            same.discard(name)
            if name in packages and rng.random() < 0.3:
                del packages[name]
            else:
                packages[name] = _package(name, rng)
        repacked += _check(Catalog(dict(packages)), before, same & packages.keys())
    assert repacked > 15, "most catalogs are usual enough"


@pytest.mark.parametrize("name", ["community-prod", "community-2021", "fbc-v4.20"])
def test_versions_of_real_catalogs(name: str) -> None:
    """Packages of a recorded catalog swap their bundles' versions and requirements with one another, or go."""
    catalog = real_catalog(f"{name}.jsonl.gz")
    rng = random.Random(name)
    before = pack(catalog)
    assert _check(catalog, before, catalog.packages)
    for _ in range(3):
        packages = dict(catalog.packages)
        changed = rng.sample(sorted(packages), 3)
        del packages[changed[0]]
        source, into = packages[changed[1]], packages[changed[2]]
        stolen = [
            item for bundle in source.bundles.values() for item in bundle.properties if item.type != "olm.package"
        ]
        bundles = {
            key: attrs.evolve(bundle, properties=(*bundle.properties, *stolen[:3]))
            for key, bundle in into.bundles.items()
        }
        packages[into.name] = attrs.evolve(into, bundles=bundles)
        packages["new-one"] = attrs.evolve(
            source, name="new-one", channels={}, bundles={}, default_channel="", deprecations=source.deprecations
        )
        same = packages.keys() - {into.name, "new-one"}
        assert _check(Catalog(packages), before, same)


@pytest.mark.parametrize(
    "properties",
    [
        [],
        [Property("olm.package", {"packageName": "other", "version": "1.0.0"})],
        [Property("olm.package", {"packageName": "p", "version": "v1"})],
        [Property("olm.package", {"packageName": "p", "version": "1.0.0+other"})],
        [Property("olm.package", {"packageName": "p", "version": "1.0.0"}), Property("olm.label", {"label": "l"})],
    ],
    ids=["undeclared", "other", "no-version", "same-version", "label"],
)
def test_unusual_bundles_are_left_to_packing(properties: list[Property]) -> None:
    """Each is met in the version before and in the new one; neither gives columns that are wrong."""
    own = Property("olm.package", {"packageName": "p", "version": "1.0.0"})
    fellow = Property("olm.package", {"packageName": "q", "version": "1.0.0"})
    usual = Package("p", "c", {"c": Channel("p", "c", (ChannelEntry("p1"),))}, {"p1": Bundle("p", "p1", (own,))})
    other = Package("q", "c", {"c": Channel("q", "c", (ChannelEntry("q1"),))}, {"q1": Bundle("q", "q1", (fellow,))})
    odd = attrs.evolve(usual, bundles={"p1": Bundle("p", "p1", tuple(properties))})
    versions = [Catalog({"p": usual, "q": other}), Catalog({"p": odd, "q": other})]
    assert repack(versions[1], pack(versions[0]), frozenset("q")) is None
    assert repack(versions[0], pack(versions[1]), frozenset("q")) is None


def test_labels_outside_of_all_channels_are_left_to_packing() -> None:
    """A bundle that no channel has gives no slot a label; the columns have its labels all the same."""
    own = Property("olm.package", {"packageName": "p", "version": "1.0.0"})
    label = Property("olm.label", {"label": "l"})
    packages = {
        "p": Package("p", "c", {}, {"p1": Bundle("p", "p1", (own, label))}),
        "q": Package("q", "c", {}, {}),
    }
    plain = packages | {"p": Package("p", "c", {}, {"p1": Bundle("p", "p1", (own,))})}
    labelled, unlabelled = Catalog(packages), Catalog(plain)
    assert not _check(labelled, pack(labelled), packages)
    assert not _check(labelled, pack(unlabelled), "q")
    assert not _check(unlabelled, pack(labelled), "q")


def test_a_reloaded_catalog_has_its_index_by_what_changed(tmp_path: Path) -> None:
    """Three versions, of which the second is never asked for anything: the third starts from the first."""
    file = tmp_path / "catalog.jsonl"
    text = "".join(lines(realistic_blobs(12)))
    file.write_text(text)
    first = load(file, before=Catalog({}))
    index_of(first)
    cut = text.splitlines(keepends=True)
    file.write_text("".join(cut[:-1]))
    second = load(file, before=first)
    file.write_text("".join([*cut[:-1], cut[-1].replace("olm.bundle", "other")]))
    third = load(file, before=second)
    predecessor = made_of(third, Predecessor)
    assert predecessor is not None
    kept = predecessor.now()
    assert kept is not None
    assert kept[0] is first

    repacked, whole = index_of(third).columns, pack(load(file))
    assert [name for name in COLUMNS if getattr(repacked, name) != getattr(whole, name)] == []
    assert predecessor.now() is None, "a service keeps one version, not all"
