"""Newer bundles that an extension does not get: each obstacle, and random requests against a definition."""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.errors import RangeError
from olmsolve.render import Style, held_back_lines
from olmsolve.semver import BlangRange, MastermindsRange, Version

Blob = dict[str, Any]
By = v1.HeldBackBy


def bundle(version: str, *requirements: str) -> Blob:
    properties: list[Blob] = [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]
    properties += [{"type": kind, "value": {}} for kind in requirements]
    return {"schema": "olm.bundle", "package": "p", "name": f"p.v{version}", "properties": properties}


def channel(name: str, *entries: Blob) -> Blob:
    return {"schema": "olm.channel", "package": "p", "name": name, "entries": list(entries)}


def entry(version: str, replaces: str = "", skip_range: str = "") -> Blob:
    return {"name": f"p.v{version}", "replaces": f"p.v{replaces}" if replaces else "", "skipRange": skip_range}


def deprecated(*versions: str) -> Blob:
    entries = [
        {"reference": {"schema": "olm.bundle", "name": f"p.v{version}"}, "message": "old"} for version in versions
    ]
    return {"schema": "olm.deprecations", "package": "p", "entries": entries}


def catalog(*blobs: Blob) -> Catalog:
    return fbc.from_blobs([{"schema": "olm.package", "name": "p", "defaultChannel": "c"}, *blobs])


def bundles(*versions: str) -> list[Blob]:
    return [bundle(version) for version in versions]


CHAIN = catalog(
    channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("2.0.0", "1.1.0")),
    channel("old", entry("1.0.0"), entry("1.1.0", "1.0.0")),
    *bundles("1.0.0", "1.1.0", "2.0.0"),
)


def request(*catalogs: Catalog | v1.ClusterCatalog, installed: str = "", **wish: Any) -> v1.ExtensionRequest:
    """A request over catalogs called a, b, and so on."""
    named = [
        catalog if isinstance(catalog, v1.ClusterCatalog) else v1.ClusterCatalog(name, catalog)
        for name, catalog in zip("abcdef", catalogs, strict=False)
    ]
    before = v1.InstalledBundle(f"p.v{installed}", installed) if installed else None
    return v1.ExtensionRequest(v1.Extension("p", **wish), named, before)


def held_back_texts(extension_request: v1.ExtensionRequest) -> list[str]:
    return [str(held_back) for held_back in v1.held_back(extension_request)]


def kinds(extension_request: v1.ExtensionRequest) -> dict[tuple[str, str], list[By]]:
    return {
        (held_back.catalog, held_back.version): [one.kind for one in held_back.obstacles]
        for held_back in v1.held_back(extension_request)
    }


def test_nothing_is_held_back_from_the_newest() -> None:
    """The newest version has nothing above it."""
    assert held_back_texts(request(CHAIN)) == []
    assert held_back_texts(request(CHAIN, installed="2.0.0")) == []


def test_a_pin_a_range_and_a_prerelease() -> None:
    """Each of them is the extension's own version field, and reads differently."""
    assert held_back_texts(request(CHAIN, installed="1.1.0", version="1.1.0")) == [
        "p.v2.0.0 (a): the extension is pinned to 1.1.0"
    ]
    assert held_back_texts(request(CHAIN, installed="1.1.0", version="1.x")) == [
        "p.v2.0.0 (a): outside the version range 1.x"
    ]
    early = catalog(channel("c", entry("1.0.0"), entry("1.1.0-rc.1", "1.0.0")), *bundles("1.0.0", "1.1.0-rc.1"))
    assert held_back_texts(request(early, installed="1.0.0", version=">=1.0.0")) == [
        "p.v1.1.0-rc.1 (a): a pre-release, and the version range >=1.0.0 names none"
    ]


def test_a_channel_that_ends() -> None:
    """What stands in another channel is not offered, and its edges do not count either."""
    (held_back,) = v1.held_back(request(CHAIN, installed="1.1.0", channels=["old"]))
    assert held_back.reason.split("; ") == [
        "in channel c only, and the extension allows channel old",
        "no update leads to it from p.v1.1.0 in channel old",
    ]


def test_an_update_later_is_no_missing_edge() -> None:
    """OLM v1 gets to 2.0.0 by itself after 1.1.0, so that nobody has to do anything."""
    extension_request = request(CHAIN, installed="1.0.0")
    assert v1.resolve(extension_request).bundle == "p.v1.1.0"
    assert held_back_texts(extension_request) == ["p.v2.0.0 (a): comes after p.v1.1.0, one update at a time"]


def test_a_bundle_of_the_same_name_in_another_catalog_is_another_bundle() -> None:
    """Catalog b has what catalog a has, without the edges: OLM v1 gets to the bundles of a, and never to these."""
    other = catalog(channel("c", entry("1.0.0"), entry("1.1.0"), entry("2.0.0")), *bundles("1.0.0", "1.1.0", "2.0.0"))
    extension_request = request(v1.ClusterCatalog("a", CHAIN, priority=1), other, installed="1.0.0")
    assert v1.walk(extension_request).steps == (("a", "p.v1.1.0"), ("a", "p.v2.0.0"))
    assert held_back_texts(extension_request) == [
        "p.v2.0.0 (a): comes after p.v1.1.0, one update at a time",
        "p.v2.0.0 (b): no update leads to it from p.v1.0.0",
    ]


def test_the_name_of_the_selected_bundle_may_stand_for_a_newer_one() -> None:
    """Catalog b has 1.1.0 under the same name as a newer release, to which no update leads."""
    newer = bundle("1.1.0+1") | {"name": "p.v1.1.0"}
    other = catalog(channel("c", entry("1.0.0"), entry("1.1.0")), bundle("1.0.0"), newer)
    extension_request = request(v1.ClusterCatalog("a", CHAIN, priority=1), other, installed="1.0.0")
    assert held_back_texts(extension_request)[1:] == ["p.v1.1.0 (b): no update leads to it from p.v1.0.0"]


def test_no_edge() -> None:
    """No update leads to a bundle that names nothing before it."""
    content = catalog(channel("c", entry("1.0.0"), entry("3.0.0")), *bundles("1.0.0", "3.0.0"))
    assert held_back_texts(request(content, installed="1.0.0")) == ["p.v3.0.0 (a): no update leads to it from p.v1.0.0"]
    assert held_back_texts(request(content, installed="1.0.0", upgrade_constraint_policy="SelfCertified")) == []


def test_a_deprecated_successor() -> None:
    """Deprecation counts before the version: the extension stays on what is not deprecated."""
    content = catalog(
        channel("c", entry("1.0.0"), entry("2.0.0", "1.0.0")), *bundles("1.0.0", "2.0.0"), deprecated("2.0.0")
    )
    assert held_back_texts(request(content, installed="1.0.0")) == ["p.v2.0.0 (a): deprecated, and p.v1.0.0 is not"]


def test_priorities_and_ties() -> None:
    """A catalog of higher priority wins with an older version; of equal priority, nobody wins."""
    older = v1.ClusterCatalog("b", catalog(channel("c", entry("1.0.0")), bundle("1.0.0")), priority=3)
    assert held_back_texts(request(CHAIN, older, installed="1.0.0"))[1:] == [
        "p.v1.1.0 (a): catalog a has priority 0, and b has 3"
    ]
    tied = request(CHAIN, CHAIN, installed="1.1.0")
    assert held_back_texts(tied) == [f"p.v2.0.0 ({name}): catalogs a and b have the same priority" for name in "ab"]
    # A catalog below those that are tied has another obstacle: without the tie, they would still come first.
    below = v1.ClusterCatalog("below", CHAIN, priority=-1)
    assert held_back_texts(request(CHAIN, CHAIN, below, installed="1.1.0"))[2:] == [
        "p.v2.0.0 (below): catalog below has priority -1, and a has 0"
    ]


def test_a_tie_is_between_bundles_that_are_not_deprecated() -> None:
    """A deprecated bundle of a tied catalog would not come first either way; it is less wanted, not outranked."""
    content = catalog(
        channel("c", entry("1.0.0"), entry("2.0.0", "1.0.0")), *bundles("1.0.0", "2.0.0"), deprecated("2.0.0")
    )
    below = v1.ClusterCatalog("below", content, priority=-1)
    tied = request(content, content, below, installed="1.0.0")
    assert held_back_texts(tied) == [
        f"p.v2.0.0 ({name}): deprecated, and p.v1.0.0 is not" for name in ("a", "b", "below")
    ]


def test_nothing_keeps_back_what_is_selected() -> None:
    """Whoever asks for the obstacles before a bundle may ask about the one that comes next."""
    view = v1.ObstacleView(request(CHAIN, installed="1.0.0"))
    ((offering, offers),) = view.offered()
    assert view.obstacles(offering, offers.offer("p.v1.1.0")) == ()
    assert [obstacle.kind for obstacle in view.obstacles(offering, offers.offer("p.v2.0.0"))] == [By.LATER]


def test_catalogs_that_are_not_asked() -> None:
    """What the selector leaves out, or is unavailable, may have the newer version; its content is known."""
    other = v1.ClusterCatalog("b", CHAIN, {"tier": "2"})
    away = v1.ClusterCatalog("away", CHAIN, {"tier": "1"}, available=False)
    old = v1.ClusterCatalog("a", catalog(channel("c", entry("1.1.0")), bundle("1.1.0")), {"tier": "1"})
    extension_request = request(old, other, away, installed="1.1.0", selector=v1.LabelSelector({"tier": "1"}))
    assert held_back_texts(extension_request) == [
        "p.v2.0.0 (b): the selector leaves catalog b out",
        "p.v2.0.0 (away): catalog away is unavailable",
    ]


def test_a_refused_winner_holds_back_what_comes_after_it() -> None:
    """OLM v1 validates the winner alone and tries no other."""
    content = catalog(
        channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("2.0.0", skip_range="<2.0.0")),
        *bundles("1.0.0", "1.1.0"),
        bundle("2.0.0", "olm.package.required"),
    )
    extension_request = request(content, installed="1.0.0")
    assert list(kinds(extension_request).values()) == [[By.REFUSED], [By.OUTRANKED]]
    assert (
        held_back_texts(extension_request)[1]
        == "p.v1.1.0 (a): p.v2.0.0 comes first but is refused, and OLM v1 tries no other bundle"
    )


def test_a_catalog_that_cannot_be_read_stops_everything() -> None:
    """The others are held back by it, and what it has itself is unknown."""
    down = v1.ClusterCatalog("b", error="boom")
    (held_back,) = v1.held_back(request(CHAIN, down, installed="1.1.0"))
    assert held_back.because is By.UNREADABLE
    assert "boom" in held_back.reason


def test_as_data_and_as_lines() -> None:
    """Programs get kinds and text; people get one line for bundles that share their obstacles."""
    versions = [f"1.{minor}.0" for minor in range(1, 6)]
    content = catalog(channel("c", *(entry(version) for version in ("1.0.0", *versions))), *bundles("1.0.0", *versions))
    held_back = v1.held_back(request(content, installed="1.0.0", version="1.0.0"))
    assert held_back[0].to_dict() == {
        "bundle": "p.v1.5.0",
        "version": "1.5.0",
        "catalog": "a",
        "because": "version",
        "text": "p.v1.5.0 (a): the extension is pinned to 1.0.0; no update leads to it from p.v1.0.0",
        "obstacles": [
            {"kind": "version", "text": "the extension is pinned to 1.0.0"},
            {"kind": "edge", "text": "no update leads to it from p.v1.0.0"},
        ],
    }
    lines = held_back_lines([item.to_dict() for item in held_back], Style(200))
    assert lines == [
        "Held back:",
        "  1.1.0 to 1.5.0 (5 bundles, a): the extension is pinned to 1.0.0; no update leads to it from p.v1.0.0",
    ]


# A definition from the documents themselves, which shares nothing with the resolver but the grammars.

VERSIONS = ["1.0.0", "1.1.0", "2.0.0", "2.0.0-rc.1", "3.0.0"]
Offered = tuple[int, dict[str, list[Blob]], set[str], set[str], str, bool]


@st.composite
def offered(draw: st.DrawFn) -> Offered:
    """The priority of a catalog, its channels, bundles and deprecated bundles, its tier, and if it is available."""
    version = st.sampled_from(VERSIONS)
    entries = st.lists(
        st.builds(entry, version, st.one_of(st.just(""), version), st.sampled_from(["", "<2.0.0", ">=1.0.0", "x"])),
        max_size=4,
        unique_by=lambda drawn: str(drawn["name"]),
    )
    return (
        draw(st.integers(0, 2)),
        draw(st.dictionaries(st.sampled_from(["c", "d"]), entries)),
        draw(st.sets(version)),
        draw(st.sets(version, max_size=2)),
        draw(st.sampled_from("11112")),
        draw(st.integers(0, 5)) > 0,
    )


def leads(candidate: Blob, installed: str) -> bool:
    if candidate["replaces"] == f"p.v{installed}":
        return True
    try:
        return Version.parse(installed) in BlangRange.parse(candidate["skipRange"])
    except RangeError:
        return False


def filtered(offer: Offered, version: str, versions: str, channels: list[str], installed: str) -> set[By]:
    """The filters that leave *version* out, by their definitions; a missing edge may be an update that comes later."""
    _, known, _, _, tier, available = offer
    entries = [e for name, listed in known.items() if not channels or name in channels for e in listed]
    mine = [e for e in entries if e["name"] == f"p.v{version}"]
    obstacles = set()
    if tier != "1":
        obstacles.add(By.SELECTOR)
    if not available:
        obstacles.add(By.UNAVAILABLE)
    if channels and not mine:
        obstacles.add(By.CHANNEL)
    if versions and Version.parse(version) not in MastermindsRange.parse(versions):
        obstacles.add(By.VERSION)
    if installed and version != installed and not any(leads(e, installed) for e in mine):
        obstacles.add(By.EDGE)
    return obstacles


@given(
    st.lists(offered(), min_size=1, max_size=3),
    st.sampled_from(["", ">=1.0.0", "<2", "1.1.0", "2.0.0-0 || 1.x"]),
    st.lists(st.sampled_from(["c", "d", "e"]), max_size=1),
    st.sampled_from(["", *VERSIONS]),
)
def test_held_back_as_defined(every: list[Offered], versions: str, channels: list[str], installed: str) -> None:
    """Each newer bundle is there once, with the filters that its documents define, and no others."""
    catalogs = []
    for name, (priority, known, there, old, tier, available) in zip("abcdef", every, strict=False):
        blobs = [channel(name, *listed) for name, listed in known.items()]
        blobs += [*bundles(*sorted(there)), deprecated(*sorted(old))]
        catalogs.append(v1.ClusterCatalog(name, catalog(*blobs), {"tier": tier}, priority, available))
    selector = v1.LabelSelector({"tier": "1"})
    extension_request = request(*catalogs, installed=installed, version=versions, channels=channels, selector=selector)
    try:
        selected = v1.resolve(extension_request).version
    except v1.ResolutionError:
        selected = installed
    newer = {
        (name, version)
        for name, offer in zip("abcdef", every, strict=False)
        for version in offer[2]
        if not selected or Version.parse(version) > Version.parse(selected)
    }
    held_back = v1.held_back(extension_request)
    assert sorted((bundle.catalog, bundle.version) for bundle in held_back) == sorted(newer)
    for bundle in held_back:
        position = "abcdef".index(bundle.catalog)
        expected = filtered(every[position], bundle.version, versions, channels, installed)
        obstacle_kinds = {obstacle.kind for obstacle in bundle.obstacles}
        if obstacle_kinds == {By.LATER}:
            assert expected == {By.EDGE}
            assert bundle.bundle in [step.bundle for step in v1.path(extension_request).steps]
        elif expected:
            assert obstacle_kinds == expected
        else:
            (kind,) = obstacle_kinds
            assert kind in (By.DEPRECATED, By.PRIORITY, By.TIE, By.OUTRANKED)
            if kind is By.DEPRECATED:
                assert bundle.version in every[position][3]
            if kind in (By.PRIORITY, By.TIE):
                first = attrs.evolve(catalogs[position], priority=9)
                changed = [first if one.name == bundle.catalog else one for one in catalogs]
                assert v1.resolve(attrs.evolve(extension_request, catalogs=changed)).catalog == bundle.catalog
