"""Laws of edits in place, over catalogs drawn at random and written in many forms.

The oracle knows nothing of patches: it loads the files that come out, looks for the text of each blob that the edit
leaves alone, and for each comment whose document or entry is still there.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from olmsolve.authoring import (
    EntryEdges,
    add_bundle,
    changed_files,
    deprecate,
    promote,
    remove_from_catalog,
    set_default_channel,
    set_edges,
    write_changes,
)
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.catalog.fbc import blobs, load
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property
from tests.authoring.random_files import BlobName, RandomFiles, named, random_files
from tests.compose.generated import blobs_of
from tests.scale import scaled

Edit = Callable[[random.Random, Catalog, Package], Catalog]


def _channel(generator: random.Random, package: Package) -> str:
    return generator.choice(sorted(package.channels))


def _entry(generator: random.Random, package: Package, channel: str) -> str:
    return generator.choice(sorted(entry.name for entry in package.channels[channel].entries))


def _add(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    version = f"{generator.randint(3, 9)}.0.0"
    own = Property("olm.package", {"packageName": package.name, "version": version})
    bundle = Bundle(package.name, f"{package.name}.v{version}", (own,), "quay.io/p/p:new")
    channel = generator.choice(["new", _channel(generator, package)])
    if channel == "new":
        return add_bundle(catalog, bundle, channel)
    skips = [entry.name for entry in package.channels[channel].entries]
    return add_bundle(catalog, bundle, channel, skips=skips, skip_range=generator.choice(["", "<3.0.0"]))


def _remove(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    channel = _channel(generator, package)
    bundle = _entry(generator, package, channel)
    kind = generator.choice(["package", "channel", "bundle", "bundle", "bundle"])
    if kind == "package":
        return remove_from_catalog(catalog, package.name)
    if kind == "channel":
        return remove_from_catalog(catalog, package.name, channels=[channel])
    channels = generator.choice([[], [channel]])
    return remove_from_catalog(
        catalog, package.name, channels=channels, bundles=[bundle], reconnect=generator.random() < 0.7
    )


def _set_edges(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    channel = _channel(generator, package)
    bundle = _entry(generator, package, channel)
    entry = next(entry for entry in package.channels[channel].entries if entry.name == bundle)
    skips = generator.choice([None, (*entry.skips, "gone.v0"), entry.skips[:1], ()])
    edges = EntryEdges(None, skips, generator.choice([None, "", ">=0.5.0 <0.9.0"]))
    return set_edges(catalog, package.name, channel, bundle, edges)


def _deprecate(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    channel = _channel(generator, package)
    bundle = _entry(generator, package, channel)
    chosen = generator.choice([{}, {"channel": channel}, {"bundle": bundle}])
    return deprecate(catalog, package.name, generator.choice(["", "old: use x", "older"]), **chosen)


def _promote(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    target = generator.choice(["slow", _channel(generator, package)])
    return promote(catalog, package.name, "", _channel(generator, package), target)


def _set_default(generator: random.Random, catalog: Catalog, package: Package) -> Catalog:
    return set_default_channel(catalog, package.name, _channel(generator, package))


EDITS: tuple[Edit, ...] = (_add, _remove, _remove, _set_edges, _deprecate, _promote, _set_default)


@pytest.mark.parametrize("seed", range(4))
def test_an_edit_touches_what_it_means(seed: int, tmp_path: Path) -> None:
    """The files mean the edited catalog afterwards, and every other blob and comment is where it was.

    There are 360 catalogs, and 60 in the short run.
    """
    edits = 0
    for number in range(seed, scaled(360), 4):
        generator = random.Random(number)
        files = random_files(generator, blobs_of(generator, packages=2))
        root = tmp_path / str(number)
        files.write(root)
        before = load(root)
        package = generator.choice(list(before))
        try:
            after = generator.choice(EDITS)(generator, before, package)
        except CatalogError:
            continue
        if not after.packages:
            continue
        changes = changed_files(before, after, root)
        write_changes(changes)
        catalog = load(root)
        assert (catalog.packages, sorted(map(repr, catalog.others))) == (
            after.packages,
            sorted(map(repr, after.others)),
        )
        _check_texts(files, root, before, after)
        edits += 1
    assert edits > scaled(360) // 8


def _check_texts(files: RandomFiles, root: Path, before: Catalog, after: Catalog) -> None:
    text = "\n".join(path.read_bytes().decode() for path in sorted(root.rglob("*")) if path.is_file())
    was, now = ({named(blob): blob for blob in blobs(catalog)} for catalog in (before, after))
    for name, blob in was.items():
        if now.get(name) == blob:
            assert files.texts[name].rstrip() in text
    for comment, (name, entry) in files.comments.items():
        assert (comment in text) == _stays(now, name, entry), comment


def _stays(now: dict[BlobName, dict[str, object]], name: BlobName, entry: str) -> bool:
    blob = now.get(name)
    entries = blob.get("entries") if blob is not None else None
    names = [listed["name"] for listed in entries] if isinstance(entries, list) and entry else []
    return blob is not None and (not entry or entry in names)
