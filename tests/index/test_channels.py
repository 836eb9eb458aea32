"""Channels in the columns of an index: their slots, entries and updates, on one small package."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest

from olmsolve import Catalog
from olmsolve.catalog import Deprecation
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import COLUMNS, CatalogIndex, Group, Packed, index_of
from olmsolve.predicates import GVK
from olmsolve.semver import Version


def _catalog() -> Catalog:
    entries = {
        "beta": [
            {"name": "db.v3", "skips": ["db.v1", "old"]},
            {"name": "db.v1"},
            {"name": "gone", "replaces": "db.v3"},
        ],
        "stable": [
            {"name": "db.v2", "replaces": "db.v1"},
            {"name": "db.v1"},
            {"name": "db.v3", "replaces": "db.v2", "skipRange": "<3.0.0"},
        ],
        "forked": [{"name": "db.v1"}, {"name": "db.v2"}],
        "none": [{"name": "gone"}],
    }
    properties = [[{"type": "olm.package", "value": {"packageName": "db", "version": f"{n}.0.0"}}] for n in (1, 2, 3)]
    return from_blobs(
        [
            {"schema": "olm.package", "name": "db", "defaultChannel": "stable"},
            *(
                {"schema": "olm.channel", "package": "db", "name": name, "entries": entry}
                for name, entry in entries.items()
            ),
            *(
                {"schema": "olm.bundle", "package": "db", "name": f"db.v{n}", "properties": property_}
                for n, property_ in enumerate(properties, 1)
            ),
            {"schema": "olm.package", "name": "web", "defaultChannel": ""},
            {"schema": "olm.channel", "package": "zoo", "name": "alpha", "entries": [{"name": "zoo.v1"}]},
            {"schema": "olm.bundle", "package": "zoo", "name": "zoo.v1", "properties": []},
            {
                "schema": "olm.deprecations",
                "package": "db",
                "entries": [{"reference": {"schema": "olm.channel", "name": "beta"}, "message": "use stable"}],
            },
        ]
    )


@pytest.fixture
def index() -> CatalogIndex:
    return index_of(_catalog())


def test_channels_have_their_slots(index: CatalogIndex) -> None:
    """The default channel is first, then they go by name; each has its order, and behind it what is outside of it."""
    assert index.channel_names("db") == ["stable", "beta", "forked", "none"]
    offered = index.offered("db")
    assert offered is not None
    assert [[index.bundle(slot) for slot in channel.ordered] for channel in offered] == [
        ["db.v3", "db.v2", "db.v1"], ["db.v3"], [], [],
    ]  # fmt: skip
    assert [[index.bundle(slot) for slot in channel.all] for channel in offered] == [
        ["db.v3", "db.v2", "db.v1"], ["db.v3", "db.v1"], ["db.v1", "db.v2"], [],
    ]  # fmt: skip
    assert [channel.fault >= 0 for channel in offered] == [False, False, True, False]
    broken = offered[2].fault
    assert not index.has_bundle(broken)
    assert "2 chains" in str(index.fault(broken))
    assert index.rules(broken) == (index.fault(broken), False, ())
    assert (index.version(broken), index.version_text(broken), index.bundle(broken), index.rank(broken)) == (
        None,
        "",
        "",
        -1,
    )
    assert [index.in_default_channel(channel.all[0]) for channel in offered[:3]] == [True, False, False]
    assert [index.version_text(slot) for slot in offered[0].ordered] == ["3.0.0", "2.0.0", "1.0.0"]


def test_names_that_are_not_there(index: CatalogIndex) -> None:
    """An unknown package is another answer than an unknown channel, and than a package without channels."""
    assert [index.offered("db", "nope"), index.offered("web"), index.offered("nope")] == [(), (), None]
    assert index.channel("db", "beta") == (index.offered("db", "beta") or ())[0]
    for package, channel in (("db", "nope"), ("nope", "stable"), ("db", "")):
        assert index.channel(package, channel) == (range(0), range(0), -1)
    assert (index.channel_names("nope"), index.channel_names("web")) == ([], [])
    assert ["db" in index, "web" in index, "nope" in index] == [True, True, False]
    assert [index.offers("db"), index.offers("web"), index.offers("nope")] == [True, False, False]
    assert index.package_names() == ["db", "web", "zoo"]
    versions = [index.bundle_version(*pair) for pair in (("db", "db.v2"), ("db", "nope"), ("nope", "db.v2"))]
    assert versions == [Version(2, 0, 0), None, None]
    assert index.deprecations("nope") == index.deprecations("zoo") == ()
    assert index.deprecations("db") == (Deprecation("olm.channel", "beta", "use stable"),)
    # A package that says nothing of itself is one all the same.
    assert (index.offers("zoo"), index.declares("zoo"), index.declares("db")) == (True, False, True)


def test_entries_without_a_bundle_are_named_last(index: CatalogIndex) -> None:
    """They are no candidates, but an installed bundle may have such a name."""
    assert index.entry_names("db", "beta") == ["db.v3", "db.v1", "gone"]
    assert index.entry_names("db", "none") == ["gone"]
    assert index.entry_names("db", "nope") == index.entry_names("nope", "stable") == []


def test_updates_are_found_among_the_slots(index: CatalogIndex) -> None:
    """By each of the three fields, in the order of the slots, also the bundle itself; and nothing among no slots."""
    stable, beta = index.channel("db", "stable").all, index.channel("db", "beta").all

    def updates(slots: range, name: str, version: Version | None) -> list[str]:
        return [index.bundle(slot) for slot in index.updates(slots, name, version)]

    assert updates(stable, "db.v1", Version(1, 0, 0)) == ["db.v3", "db.v2"]
    assert updates(stable, "db.v1", None) == ["db.v2"]
    assert updates(stable, "unknown", Version(2, 5, 0)) == ["db.v3"]
    assert updates(stable, "db.v3", Version(2, 5, 0)) == ["db.v3"]
    assert updates(stable, "unknown", Version(3, 0, 0)) == []
    assert updates(beta, "old", None) == updates(beta, "db.v1", Version(1, 0, 0)) == ["db.v3"]
    assert updates(range(0), "db.v1", Version(1, 0, 0)) == []
    assert [index.named(stable, name) for name in ("db.v2", "gone", "nope")] == [[stable[1]], [], []]
    assert index.columns.scoped(1, "db.v2") == set(), "a package without bundles has no such name"
    assert index.named(range(0), "db.v2") == []


def test_a_range_takes_entries_out_of_the_channel() -> None:
    """The head stays, what is replaced stays, and what has no version; a range says nothing of its own entry."""
    entries: list[dict[str, object]] = [
        {"name": "db.v5", "replaces": "db.v4", "skips": ["db.v3", "db.v2", "db.none"]},
        {"name": "db.v4", "replaces": "db.v1", "skipRange": ">=2.0.0"},
        {"name": "db.v3", "replaces": "db.v2", "skipRange": "<4.0.0"},
        {"name": "db.v2"},
        {"name": "db.none"},
        {"name": "db.v1"},
    ]
    blobs: list[dict[str, object]] = [{"schema": "olm.channel", "package": "db", "name": "stable", "entries": entries}]
    for name in ("db.v5", "db.v4", "db.v3", "db.v2", "db.v1", "db.none"):
        own = {"packageName": "db", "version": f"{name[-1]}.0.0"}
        properties = [] if name == "db.none" else [{"type": "olm.package", "value": own}]
        blobs.append({"schema": "olm.bundle", "package": "db", "name": name, "properties": properties})
    index = index_of(from_blobs(blobs))
    slots = index.channel("db", "stable")
    removed = {index.bundle(slot): [index.bundle(by) for by in index.removing(slots, slot)] for slot in slots.all}
    assert removed == {
        "db.v5": [], "db.v4": [], "db.v3": ["db.v4"], "db.v2": [], "db.v1": [], "db.none": [],
    }  # fmt: skip


def test_apis_whose_parts_hold_slashes_are_told_apart() -> None:
    """``a/b`` and ``c`` make the same text as ``a`` and ``b/c``; each API is found by its parts."""
    apis = [("a/b", "c", "K"), ("a", "b/c", "K"), ("a", "b", "K")]
    properties = [
        {"type": "olm.gvk", "value": dict(zip(("group", "version", "kind"), api, strict=True))} for api in apis
    ]
    catalog = from_blobs(
        [
            {"schema": "olm.channel", "package": "db", "name": "stable", "entries": [{"name": "db.v1"}]},
            {"schema": "olm.bundle", "package": "db", "name": "db.v1", "properties": properties},
        ]
    )
    columns: Packed = index_of(catalog).columns
    numbers = [columns.gvk(*api) for api in apis]
    assert sorted(numbers) == [0, 1, 2]
    assert [columns.gvk_parts(number) for number in numbers] == apis
    assert columns.gvk("a/b/c", "", "K") == columns.gvk("", "a/b/c", "K") == columns.gvk("x", "y", "Z") == -1
    assert columns.gvk("a", "b", "c/K") == -1, "the text of two APIs, and none of them"
    # A group knows its API by its name, which no other API has.
    assert Group("api", "a/b/c/K").gvk == GVK("a/b", "c", "K")
    apis += [("a", "b/c", "%2F"), ("a", "b%2Fc", "/"), ("a", "b%252Fc", "K/%")]
    assert [Group.of_api(GVK(*api)).gvk for api in apis] == apis
    assert len({Group.of_api(GVK(*api)) for api in apis}) == len(apis)
    assert str(Group.of_api(GVK("a", "b/c", "K"))) == "the API a/b/c/K"


def _bundles(package: str, channel: str, names: Sequence[str]) -> list[dict[str, object]]:
    """A channel of *names*, each replaced by the next, and their bundles: the first has the version 0.0.0."""
    entries = [{"name": name, "replaces": below} for name, below in zip(names, ["", *names], strict=False)]
    blobs: list[dict[str, object]] = [
        {"schema": "olm.channel", "package": package, "name": channel, "entries": entries}
    ]
    for number, name in enumerate(names):
        own = {"type": "olm.package", "value": {"packageName": package, "version": f"{number}.0.0"}}
        blobs.append({"schema": "olm.bundle", "package": package, "name": name, "properties": [own]})
    return blobs


def test_names_that_contain_each_other_are_told_apart() -> None:
    """Names are found by a search through one text, in which ``aab`` also stands where ``ba`` is before ``ab``."""
    texts = ["".join(letters) for length in (1, 2, 3) for letters in product("ab", repeat=length)]
    for seed in range(40):
        chosen = random.Random(seed)
        named = {package: chosen.sample(texts, chosen.randrange(1, 8)) for package in "ab"}
        index = index_of(from_blobs([blob for name in named for blob in _bundles(name, "stable", named[name])]))
        for package, names in named.items():
            slots = index.channel(package, "stable").all
            assert [index.bundle(slot) for slot in slots] == names[::-1]
            for text in texts:
                place = names.index(text) if text in names else None
                assert index.bundle_version(package, text) == (None if place is None else Version(place, 0, 0))
                assert index.named(slots, text) == ([] if place is None else [slots[-1 - place]])
                above = [] if place in (None, len(names) - 1) else [slots[-2 - place]]
                assert list(index.updates(slots, text, None)) == above


def test_the_last_name_of_all_is_found() -> None:
    """Nothing is behind it in the text: the names of packages and channels are those of earlier channels."""
    blobs = [*_bundles("a", "b", ["a.v1"]), *_bundles("a", "a", ["a.v1"]), *_bundles("b", "b", ["b.v1"])]
    index = index_of(from_blobs([blobs[0], *blobs[2:]]))
    columns = index.columns
    assert columns.text.endswith(b"b.v1")
    assert index.bundle_version("b", "b.v1") == Version(0, 0, 0)
    assert index.named(index.channel("b", "b").all, "b.v1") == list(index.channel("b", "b").all)
    # A file can hold a text that is no string: nothing is found there.
    longer = CatalogIndex(
        index.catalog, Packed({column: getattr(columns, column) for column in COLUMNS}, columns.text + b"b.v1")
    )
    assert longer.bundle_version("b", "b.v1") == Version(0, 0, 0)


def test_the_first_name_of_all_is_found() -> None:
    """Nothing is before it in the text: its bundle has no properties, whose texts would be."""
    entries = [{"name": "a.v1"}]
    index = index_of(
        from_blobs(
            [
                {"schema": "olm.channel", "package": "a", "name": "stable", "entries": entries},
                {"schema": "olm.bundle", "package": "a", "name": "a.v1", "properties": []},
            ]
        )
    )
    assert index.columns.text.startswith(b"a.v1")
    assert index.named(index.channel("a", "stable").all, "a.v1") == [0]


def test_an_index_shows_how_large_it_is(index: CatalogIndex) -> None:
    """In a debugger, and in the message of an assertion; the columns of numbers would fill screens."""
    assert repr(index) == "<CatalogIndex: 3 packages, 9 slots, 4 bundles>"
    assert repr(index.columns) == f"<Packed: 4 bundles in {index.columns.size} bytes>"


def test_a_family_tells_whether_its_channels_are_its_own() -> None:
    """A bundle may say that it is of another package; then the channels of that package do not list it."""
    declared_names = {"a.v1": "only said", "b.v1": "b", "c.v1": "c", "d.v1": "d", "e.v1": "d"}
    blobs: list[dict[str, object]] = []
    for name, declared in declared_names.items():
        properties = [{"type": "olm.package", "value": {"packageName": declared, "version": "1.0.0"}}]
        blobs.append({"schema": "olm.channel", "package": name[0], "name": "stable", "entries": [{"name": name}]})
        blobs.append({"schema": "olm.bundle", "package": name[0], "name": name, "properties": properties})
    index = index_of(from_blobs(blobs))
    families = [index.family(index.name_number(name)) for name in ("only said", "b", "c", "d")]
    assert [family and (family.slots, family.own_channels) for family in families] == [
        ((0,), False), ((1,), True), ((2,), True), ((3, 4), False),
    ]  # fmt: skip
    # A name in a property alone is no package.
    assert index.package_names() == ["a", "b", "c", "d", "e"]
    assert (index.channel_names("only said"), index.offered("only said"), "only said" in index) == ([], None, False)
    assert (index.deprecations("only said"), index.bundle_version("only said", "a.v1")) == ((), None)
    assert index.offers("only said")
