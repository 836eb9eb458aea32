"""Lanes: which channels, entries and arrows are drawn, above a minimum and within a package."""

from __future__ import annotations

import pytest

from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Origin, Package
from olmsolve.catalog.update_graph import Arrow, LaneEntry, lane_layout, lanes
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property

ENTRIES = (
    ChannelEntry("db.v1.0.0"),
    ChannelEntry("db.v1.1.0", replaces="db.v1.0.0"),
    ChannelEntry("db.v1.2.0", replaces="db.v1.1.0", skips=("db.v1.0.0", "db.v1.1.0"), skip_range="<1.1.0"),
    ChannelEntry("db.v1.3.0", replaces="db.v1.0.0"),
    ChannelEntry("db.v1.4.0", skip_range=">=1.0.0 <1.2.0"),
    ChannelEntry("db.v0.9.0"),
    ChannelEntry("db.v2.0.0"),
)


def package(name: str, *channels: Channel) -> Package:
    names = dict.fromkeys(entry.name for channel in channels for entry in channel.entries)
    bundles = [
        Bundle(name, bundle, (Property("olm.package", {"packageName": name, "version": bundle.partition(".v")[2]}),))
        for bundle in names
    ]
    return Package(
        name, "", {channel.name: channel for channel in channels}, {bundle.name: bundle for bundle in bundles}
    )


def catalog(*packages: Package) -> Catalog:
    return Catalog({package.name: package for package in packages})


DB = package("db", Channel("db", "stable", ENTRIES))
QUEUE = package("queue", Channel("queue", "alpha", (ChannelEntry("queue.v5.0.0"),)))


def test_what_is_below_the_minimum_is_not_drawn() -> None:
    """The minimum is drawn without its edges, and an entry whose edges all come from below is left out with them."""
    (lane,) = lanes(catalog(DB, QUEUE), minimum_edge="db.v1.1.0")
    assert (lane.package, lane.channel) == ("db", "stable")
    assert lane.entries == (
        LaneEntry("db.v2.0.0", ()),
        LaneEntry("db.v1.4.0", (Arrow("db.v1.1.0", "skipRange", ">=1.0.0 <1.2.0"),)),
        LaneEntry("db.v1.2.0", (Arrow("db.v1.1.0", "skips"), Arrow("db.v1.1.0", "replaces"))),
        LaneEntry("db.v1.1.0", ()),
    )


def test_a_name_without_a_bundle_is_the_lowest() -> None:
    """A bundle may be outside of the catalog: edges from it are below every minimum."""
    entries = (ChannelEntry("db.v0.0.1"), ChannelEntry("db.v1.1.0", skips=("db.v9.0.0", "db.v0.0.1")))
    (lane,) = lanes(catalog(package("db", Channel("db", "stable", entries))), minimum_edge="db.v0.0.1")
    assert lane.entries[0] == LaneEntry("db.v1.1.0", (Arrow("db.v0.0.1", "skips"),))


def test_a_package_is_drawn_alone() -> None:
    """Channels of other packages are left out, and so are channels without entries; otherwise all are drawn."""
    empty = package("db", *DB.channels.values(), Channel("db", "empty", ()))
    drawn = catalog(empty, QUEUE)
    assert [(lane.package, lane.channel) for lane in lanes(drawn)] == [
        ("queue", "alpha"), ("db", "empty"), ("db", "stable"),
    ]  # fmt: skip
    assert [lane.channel for lane in lanes(drawn, package="db")] == ["stable"]
    assert [lane.package for lane in lanes(drawn, package="queue")] == ["queue"]


def test_a_minimum_outside_of_all_channels_leaves_every_package() -> None:
    """A bundle of no channel says nothing about packages: entries that are not below it are drawn everywhere."""
    lonely = Bundle("db", "lonely", (Property("olm.package", {"packageName": "db", "version": "1.5.0"}),))
    other = Package("db", "", DB.channels, {**DB.bundles, "lonely": lonely})
    assert [lane.package for lane in lanes(catalog(other, QUEUE), minimum_edge="lonely")] == ["queue", "db"]
    with pytest.raises(CatalogError, match="unknown minimum edge name"):
        lanes(catalog(DB), minimum_edge="nowhere")


def test_channels_of_one_name_keep_the_order_of_their_documents() -> None:
    """By name, then by file and document, as upstream reads them; of two bundles of one name the first counts."""

    def at(name: str, document: int, version: str) -> Package:
        origin = Origin("catalog.yaml", document)
        bundle = Bundle(
            name, "twin", (Property("olm.package", {"packageName": name, "version": version}),), origin=origin
        )
        middle = Bundle(name, f"{name}.v5", (Property("olm.package", {"packageName": name, "version": "5.0.0"}),))
        entries = (ChannelEntry("twin"), ChannelEntry(f"{name}.v5"), ChannelEntry("v1.5.0"))
        channel = Channel(name, "stable", entries, origin=origin)
        return Package(name, "", {"stable": channel}, {"twin": bundle, middle.name: middle})

    both = catalog(at("a", 7, "1.0.0"), at("b", 3, "9.0.0"))
    assert [lane.package for lane in lanes(both)] == ["b", "a"]
    # Above version 9.0.0 of the first bundle called twin there is no other entry; above 1.0.0 there would be.
    (lane,) = lanes(both, minimum_edge="twin")
    assert (lane.package, [entry.name for entry in lane.entries]) == ("b", ["twin"])


@pytest.mark.parametrize("most", [3, 4])
def test_arrows_are_counted_over_all_channels(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """The picture is limited as a whole: two channels of two arrows each are four."""
    monkeypatch.setattr(lane_layout, "_MOST_ARROWS", most)
    entries = (ChannelEntry("db.v1.0.0"), ChannelEntry("db.v1.1.0", replaces="db.v1.0.0", skips=("db.v1.0.0",)))
    drawn = catalog(package("db", Channel("db", "a", entries), Channel("db", "b", entries)))
    if most == 4:
        assert len(lanes(drawn)) == 2
    else:
        with pytest.raises(CatalogError, match="more than 3 arrows") as caught:
            lanes(drawn)
        assert (caught.value.package, caught.value.channel) == ("db", "b")
