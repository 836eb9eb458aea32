"""Edges and ways of update graphs, and that dense ones take no longer than they must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from olmsolve import classic, v1
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package
from olmsolve.catalog.update_graph import UpdateGraph, shortest_ways, walk, way_to
from olmsolve.predicates import Property
from olmsolve.semver import Version

CHANNEL = Channel(
    "p",
    "c",
    (
        ChannelEntry("p.v2", "p.v1", ("p.v1", "p.v0"), "<2.0.0"),
        ChannelEntry("p.v3", "p.v2", (), "not a range"),
    ),
)


def test_edges_say_why() -> None:
    """An entry that replaces and skips a bundle replaces it; a range that cannot be read has nothing in it."""
    graph = UpdateGraph([CHANNEL])
    edges = [(edge.entry.name, edge.kind) for edge in graph.edges_from("p.v1", Version(1, 0, 0))]
    assert edges == [("p.v2", "replaces"), ("p.v2", "skipRange")]
    assert [edge.kind for edge in graph.edges_from("p.v0", None)] == ["skips"]
    assert list(graph.edges_from("p.v1", Version(1, 0, 0), channels=("d",))) == []
    assert graph.leads("gone", Version(1, 0, 0), "p.v2")
    assert not graph.leads("gone", Version(1, 0, 0), "p.v3")


def test_walking_stops_where_it_has_been() -> None:
    """A walk that comes back to a node ends with that node."""
    assert walk(1, {1: 2, 2: 3}.get) == [2, 3]
    assert walk(1, {1: 2, 2: 3, 3: 2}.get) == [2, 3, 2]
    assert walk(1, {1: 1}.get) == [1]


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=4)), st.integers(0, 6))
def test_a_search_that_ends_early_finds_the_same_way(graph: dict[int, list[int]], target: int) -> None:
    """A search that ends early has seen all nodes nearer than the target, in the same order."""
    before = shortest_ways(0, lambda node: graph.get(node, ()))
    early = shortest_ways(0, lambda node: graph.get(node, ()), lambda node: node == target)
    assert (target in early) == (target in before)
    if target in before:
        assert way_to(target, early) == way_to(target, before)


def dense(count: int, *, ranged: bool) -> Package:
    """A chain of *count* versions, each with a range of all before it if *ranged*."""
    entries = tuple(ChannelEntry(f"p.v{n}", f"p.v{n - 1}", (), f"<{n}.0.0" if ranged else "") for n in range(count))
    bundles = {
        f"p.v{n}": Bundle("p", f"p.v{n}", (Property("olm.package", {"packageName": "p", "version": f"{n}.0.0"}),))
        for n in range(count)
    }
    return Package("p", "c", {"c": Channel("p", "c", entries)}, bundles)


def test_differences_ask_only_up_to_the_first_update() -> None:
    """Thousands of versions, each with a range of all before it, are compared without building all successors."""
    package = dense(4_000, ranged=True)
    differences = v1.differences(package)
    # Both go straight to the head.
    assert differences == ()


def test_long_controller_paths_filter_once() -> None:
    """A path of thousands of steps runs the filters that do not depend on the step once."""
    package = dense(4_000, ranged=False)
    catalog = v1.ClusterCatalog("a", Catalog({"p": package}))
    request = v1.ExtensionRequest(v1.Extension("p", ">=0", ["c"]), [catalog], v1.InstalledBundle("p.v0", "0.0.0"))
    path = v1.path(request)
    assert (len(path.steps), path.reached) == (3_999, True)


def test_dense_graphs_are_searched_without_looking_at_every_edge() -> None:
    """Each new version of a channel often brings a range of all before it: four million edges here."""
    package = dense(2_000, ranged=True)
    catalog = v1.ClusterCatalog("a", Catalog({"p": package}))
    wish = v1.Extension("p", "5.0.0")
    # Nothing leads down, so that the whole graph has to be searched.
    request = v1.ExtensionRequest(wish, [catalog], v1.InstalledBundle("p.v9", "9.0.0"))
    assert not v1.path(request, to="p.v5", mode="shortest").reached
    assert not classic.channel_path(package, "p.v9", to="p.v5", mode="shortest").reached
