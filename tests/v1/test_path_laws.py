"""Laws of paths on random update graphs, by a definition that asks every entry about every bundle."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from olmsolve import CatalogError, classic, v1
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange, Version
from tests.v1.path_catalogs import Entry, catalog, entry, request

VERSIONS = [f"{number}.0.0" for number in range(1, 8)]
RANGES = ["", "<3.0.0", ">=2.0.0 <5.0.0", "<9.0.0", "not a range"]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, list[Entry]], tuple[str, ...]]:
    """One or two channels over a few versions, with any edges at all, and some deprecated bundles."""
    version = st.sampled_from(VERSIONS)
    drawn_entries = st.builds(
        entry,
        version,
        st.one_of(st.just(""), version),
        st.lists(version, max_size=2).map(tuple),
        st.sampled_from(RANGES),
    )
    entries = st.lists(drawn_entries, min_size=1, max_size=6, unique_by=lambda drawn: str(drawn["name"]))
    channels = draw(st.dictionaries(st.sampled_from(["a", "b"]), entries, min_size=1))
    deprecated = draw(st.lists(version.map("p.v{}".format), max_size=2, unique=True))
    return channels, tuple(deprecated)


def may_follow(candidate: Entry, installed: str) -> bool:
    """The documented rule, read off the entry."""
    if candidate["replaces"] == installed or installed in candidate["skips"]:
        return True
    try:
        versions = BlangRange.parse(candidate["skipRange"])
    except RangeError:
        return False
    return Version.parse(installed.removeprefix("p.v")) in versions


def distances(channels: dict[str, list[Entry]], installed: str) -> dict[str, int]:
    """How many updates at least lead to each bundle, by relaxing all edges until nothing changes."""
    distance_to = {installed: 0}
    changed = True
    while changed:
        changed = False
        for name, distance in list(distance_to.items()):
            for entries in channels.values():
                for entry_ in entries:
                    if may_follow(entry_, name) and distance_to.get(entry_["name"], 99) > distance + 1:
                        distance_to[entry_["name"]] = distance + 1
                        changed = True
    return distance_to


@given(graphs(), st.sampled_from(VERSIONS))
def test_shortest_paths_are_shortest(graph: tuple[dict[str, list[Entry]], tuple[str, ...]], installed: str) -> None:
    """To every bundle of every graph: as long as brute force says, along edges, or not there at all."""
    channels, deprecated = graph
    extension_request = request(catalog(channels, deprecated), installed)
    known = distances(channels, f"p.v{installed}")
    for bundle in dict.fromkeys(entry_["name"] for entries in channels.values() for entry_ in entries):
        path = v1.path(extension_request, to=bundle, mode="shortest")
        assert path.reached == (bundle in known)
        assert len(path.steps) == (known[bundle] if path.reached else 0)
        way = [f"p.v{installed}", *(step.bundle for step in path.steps)]
        everything = [entry_ for entries in channels.values() for entry_ in entries]
        for here, there in pairwise(way):
            assert any(entry_["name"] == there and may_follow(entry_, here) for entry_ in everything)


@given(graphs(), st.sampled_from(VERSIONS))
def test_the_controllers_path_takes_the_preferred_update_each_time(
    graph: tuple[dict[str, list[Entry]], tuple[str, ...]], installed: str
) -> None:
    """Brute force: of all that follows, and of itself where the catalog has it, not deprecated, then highest."""
    channels, deprecated = graph
    everything = [entry_ for entries in channels.values() for entry_ in entries]
    bundles = {entry_["name"] for entry_ in everything}
    here, expected = f"p.v{installed}", []
    while True:
        reachable = {entry_["name"] for entry_ in everything if may_follow(entry_, here)} | ({here} & bundles)
        best = max(reachable, key=lambda name: (name not in deprecated, name), default=here)
        if best == here:
            break
        expected.append(best)
        here = best
    path = v1.path(request(catalog(channels, deprecated), installed))
    assert [step.bundle for step in path.steps] == expected
    known = distances(channels, f"p.v{installed}")
    newest = max(
        (name for name in known if name in bundles),
        key=lambda name: (name not in deprecated, name),
        default="",
    )
    assert path.reached == (path.end == newest)
    # Where what is installed is offered no more and nothing follows it, the controller fails.
    assert (path.stopped is not None) == (path.end not in bundles)


@given(graphs(), st.sampled_from(VERSIONS))
def test_the_classic_path_takes_the_update_nearest_to_the_head(
    graph: tuple[dict[str, list[Entry]], tuple[str, ...]], installed: str
) -> None:
    """Brute force along the chain: from the head down, the first that may follow and is not skipped.

    As recorded, that may be the installed entry itself, in its own range: then it is up to date.
    """
    channels, deprecated = graph
    package = catalog(channels, deprecated).packages["p"]
    for name, entries in channels.items():
        by_name = {entry_["name"]: entry_ for entry_ in entries}
        skipped = {other for entry_ in entries for other in entry_["skips"]}
        named = skipped | {entry_["replaces"] for entry_ in entries}
        heads = [entry_["name"] for entry_ in entries if entry_["name"] not in named]
        try:
            path = classic.channel_path(package, f"p.v{installed}", version=Version.parse(installed), channel=name)
        except CatalogError:
            continue
        (head,) = heads
        chain, link = [], head
        while link in by_name:
            chain.append(link)
            link = by_name[link]["replaces"]
        here, expected = f"p.v{installed}", []
        while True:
            following = [link for link in chain if link not in skipped and may_follow(by_name[link], here)]
            if not following or following[0] == here:
                break
            here = following[0]
            expected.append(here)
            if here in [f"p.v{installed}", *expected[:-1]]:
                break
        assert list(path.steps) == expected
        assert path.reached == (path.end == head)


@given(graphs(), st.booleans())
def test_differences_are_those_of_the_next_updates(
    graph: tuple[dict[str, list[Entry]], tuple[str, ...]], anything: bool
) -> None:
    """For every bundle and channel: where the first steps of the two paths are not the same."""
    content = catalog(*graph)
    expected = set()
    for channel in content.packages["p"].channels:
        for bundle in content.packages["p"].bundles:
            version = bundle.removeprefix("p.v")
            wish: dict[str, Any] = {} if anything else {"channels": [channel]}
            try:
                classics = classic.channel_path(content.packages["p"], bundle, channel=channel).steps[:1]
            except CatalogError:
                classics = ()
            ours = tuple(step.bundle for step in v1.path(request(content, version, **wish)).steps[:1])
            if classics != ours:
                expected.add((channel, bundle, "".join(classics), "".join(ours)))
    differences = v1.differences(content, "p", v1_channels=[] if anything else None)
    assert {
        (difference.channel, difference.installed, difference.classic, difference.v1) for difference in differences
    } == expected
