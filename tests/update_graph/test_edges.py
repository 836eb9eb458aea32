"""The edges of update graphs: which entries of a channel are updates of an installed bundle."""

from __future__ import annotations

import pytest

from olmsolve.catalog import Channel, ChannelEntry
from olmsolve.catalog.update_graph import ClassicChannel, UpdateGraph, follows, skip_range
from olmsolve.semver import Version

INSTALLED = ("etcd.v1.0.0", Version.parse("1.0.0"))


@pytest.mark.parametrize(
    ("entry", "is_update"),
    [
        (ChannelEntry("etcd.v2.0.0", replaces="etcd.v1.0.0"), True),
        (ChannelEntry("etcd.v2.0.0", skips=("etcd.v0.9.0", "etcd.v1.0.0")), True),
        (ChannelEntry("etcd.v2.0.0", skip_range=">=1.0.0 <2.0.0"), True),
        (ChannelEntry("etcd.v2.0.0"), False),
        (ChannelEntry("etcd.v2.0.0", replaces="etcd.v0.9.0", skips=("etcd.v1.0.1",), skip_range="<1.0.0"), False),
        (ChannelEntry("etcd.v2.0.0", skip_range="no range"), False),
        (ChannelEntry("etcd.v1.0.0", skip_range="<2.0.0"), True),
    ],
    ids=["replaces", "skips", "skipRange", "the head alone", "others are named", "a broken range", "itself"],
)
def test_each_field_of_an_entry_makes_an_edge_of_its_own(entry: ChannelEntry, is_update: bool) -> None:
    """One of ``replaces``, ``skips`` and ``skipRange`` is enough; a range may hold its own entry."""
    assert follows(entry, *INSTALLED, skip_range) is is_update


def test_a_bundle_without_a_version_is_in_no_range() -> None:
    """A range is about versions; names still make edges."""
    entry = ChannelEntry("etcd.v2.0.0", skips=("old",), skip_range=">=0.0.0")
    assert follows(entry, "old", None, skip_range)
    assert not follows(entry, "older", None, skip_range)


ENTRIES = (
    ChannelEntry("etcd.v2.0.0", replaces="etcd.v1.0.0"),
    ChannelEntry("etcd.v3.0.0", skips=("etcd.v1.0.0", "etcd.v2.0.0"), skip_range="<2.0.0"),
    ChannelEntry("etcd.v4.0.0", skip_range=">=2.0.0 <3.0.0"),
)


@pytest.mark.parametrize("channels", [None, {"beta"}, {"stable", "beta"}, set()], ids=["all", "beta", "both", "none"])
def test_edges_stay_within_the_channels(channels: set[str] | None) -> None:
    """A subscription reads its own channel; None are all, and no channel offers nothing."""
    graph = UpdateGraph([Channel("etcd", name, ENTRIES) for name in ("stable", "beta")])
    taken = [name for name in ("stable", "beta") if channels is None or name in channels]
    edges = [(edge.channel, edge.entry.name, edge.kind) for edge in graph.edges_from(*INSTALLED, channels)]
    assert sorted(edges) == sorted(
        (channel, name, kind)
        for channel in taken
        for name, kind in [("etcd.v2.0.0", "replaces"), ("etcd.v3.0.0", "skips"), ("etcd.v3.0.0", "skipRange")]
    )
    assert graph.ranged(channels) == ({"etcd.v3.0.0", "etcd.v4.0.0"} if taken else set())
    ranks = {"etcd.v3.0.0": 0, "etcd.v2.0.0": 1}
    assert graph.first(*INSTALLED, ranks, ["etcd.v3.0.0"], channels) == ("etcd.v3.0.0" if taken else None)
    assert graph.leads(*INSTALLED, "etcd.v2.0.0", channels) is bool(taken)


def test_a_search_meets_each_range_once() -> None:
    """The second bundle in a range leads nowhere new; ranges that nothing was in yet are kept."""
    search = UpdateGraph([Channel("etcd", "stable", ENTRIES)]).expansion()

    def ranged(name: str, version: str) -> list[str]:
        edges = search.edges_from(name, Version.parse(version))
        return [edge.entry.name for edge in edges if edge.kind == "skipRange"]

    assert ranged("a", "1.0.0") == ["etcd.v3.0.0"]
    assert ranged("b", "1.5.0") == []
    assert ranged("c", "2.5.0") == ["etcd.v4.0.0"]
    assert ranged("d", "2.6.0") == []


def test_a_range_takes_an_entry_out_of_the_channel_alone() -> None:
    """The head stays, and what an entry replaces stays too; a range that an entry has for itself takes out nothing."""
    chain = (
        ChannelEntry("v5", replaces="v4", skips=("v3", "v2")),
        ChannelEntry("v4", replaces="v1", skip_range=">=2.0.0 <9.0.0"),
        ChannelEntry("v3", replaces="v2"),
        ChannelEntry("v2", replaces="v1"),
        ChannelEntry("v1", skip_range="<2.0.0"),
    )
    names = [entry.name for entry in chain]
    channel = ClassicChannel(Channel("db", "stable", chain), names)
    removed = [name for name in names if channel.removes(name, Version.parse(f"{name[1]}.0.0"))]
    assert (channel.order.chain, removed) == (("v5", "v4", "v1"), ["v3"])


def test_updates_come_from_the_head_down() -> None:
    """Entries without a bundle are no updates, nor those that another one skips."""
    chain = (
        ChannelEntry("v5", replaces="v4", skip_range="<5.0.0"),
        ChannelEntry("v4", replaces="v3", skips=("v3",), skip_range="<4.0.0"),
        ChannelEntry("v3", replaces="v1"),
        ChannelEntry("v2", replaces="v1"),
        ChannelEntry("v1"),
    )
    for bundles, updates in (("v5 v4 v3 v1", ["v5", "v4"]), ("v4 v3 v1", ["v4"])):
        channel = ClassicChannel(Channel("db", "stable", chain), bundles.split())
        assert list(channel.updates("v1", Version.parse("1.0.0"))) == updates
        assert list(channel.search()("v1", Version.parse("1.0.0"))) == updates
        assert channel.update("v1", Version.parse("1.0.0")) == updates[0]


def test_the_first_update_is_that_of_the_lowest_rank() -> None:
    """Names and ranges compete by rank alone; what *before* shuts out is no update, even if nothing else is one."""
    graph = UpdateGraph([Channel("etcd", "stable", ENTRIES)])
    ranks = {"etcd.v4.0.0": 0, "etcd.v3.0.0": 1, "etcd.v2.0.0": 2}
    ranged = ["etcd.v4.0.0", "etcd.v3.0.0"]
    assert graph.first(*INSTALLED, ranks, ranged) == "etcd.v3.0.0"
    assert graph.first(*INSTALLED, {"etcd.v2.0.0": 2}, []) == "etcd.v2.0.0"
    assert graph.first(*INSTALLED, ranks, ranged, before=1) is None
    assert graph.first(*INSTALLED, ranks, ranged, before=2) == "etcd.v3.0.0"
    assert graph.first("etcd.v2.0.0", Version.parse("2.0.0"), ranks, ranged) == "etcd.v4.0.0"
    assert graph.first("etcd.v4.0.0", Version.parse("4.0.0"), ranks, ranged) is None
    assert graph.first("etcd.v4.0.0", Version.parse("2.5.0"), ranks, ranged) == "etcd.v4.0.0"


def test_a_head_that_its_own_range_holds_is_up_to_date() -> None:
    """It is found first, so no lower entry with an open range is an update of it: real channels have such ranges."""
    entries = (
        ChannelEntry("etcd.v2.0.0", replaces="etcd.v1.0.0", skip_range=">=1.0.0"),
        ChannelEntry("etcd.v1.0.0", skip_range=">=0.1.0"),
    )
    channel = ClassicChannel(Channel("etcd", "stable", entries), ("etcd.v2.0.0", "etcd.v1.0.0"))
    assert list(channel.updates("etcd.v2.0.0", Version.parse("2.0.0"))) == ["etcd.v2.0.0", "etcd.v1.0.0"]
    assert channel.update("etcd.v2.0.0", Version.parse("2.0.0")) is None
    assert channel.update("etcd.v1.0.0", Version.parse("1.0.0")) == "etcd.v2.0.0"
