"""OLM v1's rules one by one, the funnel, and random requests against a definition that knows no index."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import olmsolve
from olmsolve import RequestError, v1
from olmsolve.catalog import Catalog, Deprecation, fbc
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange, MastermindsRange, Version

Blob = dict[str, Any]


def bundle(version: str, *requirements: str, package: str = "p", release: str | None = None) -> Blob:
    value = {"packageName": package, "version": version}
    if release is not None:
        value["release"] = release
    properties: list[Blob] = [{"type": "olm.package", "value": value}]
    properties += [{"type": kind, "value": {}} for kind in requirements]
    return {
        "schema": "olm.bundle",
        "package": package,
        "name": f"{package}.v{version}",
        "properties": properties,
    }


def channel(name: str, *entries: Blob) -> Blob:
    return {"schema": "olm.channel", "package": "p", "name": name, "entries": list(entries)}


def entry(version: str, replaces: str = "", skip_range: str = "") -> Blob:
    return {
        "name": f"p.v{version}",
        "replaces": f"p.v{replaces}" if replaces else "",
        "skipRange": skip_range,
    }


def deprecated(*references: tuple[str, str]) -> Blob:
    entries = [
        {"reference": {"schema": schema, "name": name}, "message": f"{name or 'package'} is deprecated"}
        for schema, name in references
    ]
    return {"schema": "olm.deprecations", "package": "p", "entries": entries}


def catalog(*blobs: Blob) -> Catalog:
    return fbc.from_blobs([{"schema": "olm.package", "name": "p", "defaultChannel": "c"}, *blobs])


CHAIN = catalog(
    channel("old", entry("1.0.0")),
    channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("2.0.0", "1.1.0"), entry("3.0.0-rc.1", "2.0.0")),
    bundle("1.0.0"),
    bundle("1.1.0"),
    bundle("2.0.0"),
    bundle("3.0.0-rc.1"),
)


def request(*catalogs: Catalog | v1.ClusterCatalog, installed: str = "", **wish: Any) -> v1.ExtensionRequest:
    """A request over catalogs called a, b, and so on."""
    named = [
        catalog if isinstance(catalog, v1.ClusterCatalog) else v1.ClusterCatalog(name, catalog)
        for name, catalog in zip("abcdef", catalogs, strict=False)
    ]
    before = v1.InstalledBundle(f"p.v{installed}", installed) if installed else None
    return v1.ExtensionRequest(v1.Extension("p", **wish), named, before)


def failed(extension_request: v1.ExtensionRequest) -> v1.ResolutionError:
    assert not olmsolve.is_satisfiable(extension_request)
    with pytest.raises(v1.ResolutionError) as failure:
        v1.resolve(extension_request)
    return failure.value


def funnel(explanation: v1.ExtensionExplanation) -> list[tuple[int, ...]]:
    return [(f.package, f.channel, f.version, f.edges, f.deprecation) for f in explanation.funnels]


def test_the_funnel_counts_what_each_filter_left() -> None:
    """A success has a funnel too, which shows how much choice there was."""
    extension_request = request(CHAIN, installed="1.0.0", channels=["c"], version=">=1.0.0 <2.0.0")
    assert olmsolve.is_satisfiable(extension_request)
    resolution = v1.resolve(extension_request)
    assert resolution.bundle == "p.v1.1.0"
    assert funnel(resolution.explanation) == [(4, 4, 2, 2, 2)]
    assert resolution.explanation.emptied_by == ""
    assert resolution.to_dict()["explanation"]["catalogs"][0] == {
        "catalog": "a",
        "priority": 0,
        "outcome": "selected",
        "left": {"package": 4, "channel": 4, "version": 2, "edges": 2, "deprecation": 2},
        "best": "p.v1.1.0",
    }


@pytest.mark.parametrize(
    ("wish", "installed", "emptied_by", "nearest"),
    [
        ({"channels": ["cc"]}, "", "channel", v1.Nearest(channels=("old", "c"))),
        ({"channels": ["old"], "version": "2.x"}, "", "version", v1.Nearest(channels=("c",), below="1.0.0")),
        ({"version": ">=1.2.0 <2.0.0"}, "", "version", v1.Nearest(below="1.1.0", above="2.0.0")),
        ({"version": ">2"}, "", "version", v1.Nearest(below="2.0.0", prereleases=("3.0.0-rc.1",))),
        (
            {"version": "2.0.0"},
            "1.0.0",
            "edges",
            v1.Nearest(edges_from=("p.v1.1.0",), route=("p.v1.1.0", "p.v2.0.0"), updates=("p.v1.1.0",)),
        ),
        (
            {"version": "1.0.0"},
            "2.0.0",
            "edges",
            v1.Nearest(updates=("p.v3.0.0-rc.1",)),
        ),
    ],
)
def test_the_filter_that_emptied_a_catalog_and_what_is_nearest(
    wish: dict[str, Any], installed: str, emptied_by: str, nearest: v1.Nearest
) -> None:
    """OLM's "no bundles found" says neither the filter nor what is near; the explanation says both."""
    error = failed(request(CHAIN, installed=installed, **wish))
    assert isinstance(error, v1.NoBundlesError)
    assert error.explanation.emptied_by == emptied_by
    [funnel] = error.explanation.funnels
    assert funnel.nearest == nearest
    assert (funnel.to_dict()["emptiedBy"], funnel.to_dict()["nearest"]) == (emptied_by, nearest.to_dict())


def test_a_package_that_is_not_there_has_a_name_like_another() -> None:
    """Typing errors are the commonest reason for an empty catalog."""
    blobs = [{"schema": "olm.package", "name": "prometheus", "defaultChannel": "c"}]
    extension_request = v1.ExtensionRequest(v1.Extension("promethues"), [v1.ClusterCatalog("a", fbc.from_blobs(blobs))])
    error = failed(extension_request)
    assert error.explanation.emptied_by == "package"
    assert error.explanation.funnels[0].nearest.packages == ("prometheus",)


def test_catalogs_that_are_not_asked_say_why() -> None:
    """Catalogs that are not filtered have an outcome, and do not count as emptied."""
    away = v1.ClusterCatalog("away", CHAIN, available=False)
    other = v1.ClusterCatalog("other", CHAIN, labels={"tier": "2"})
    selector = v1.LabelSelector({"tier": "1"})
    error = failed(request(away, other, selector=selector))
    assert [f.outcome for f in error.explanation.funnels] == [v1.Outcome.NOT_SELECTED, v1.Outcome.NOT_SELECTED]
    assert error.explanation.emptied_by == ""
    error = failed(request(away))
    assert [f.outcome for f in error.explanation.funnels] == [v1.Outcome.UNAVAILABLE]


def test_deprecation_beats_version_and_priority() -> None:
    """A deprecated bundle is selected only where nothing else is left anywhere."""
    old = catalog(bundle("2.0.0"), deprecated(("olm.bundle", "p.v2.0.0")))
    new = v1.ClusterCatalog("b", catalog(bundle("1.0.0")), priority=-5)
    resolution = v1.resolve(request(old, new))
    assert (resolution.bundle, resolution.catalog, resolution.deprecations) == ("p.v1.0.0", "b", ())
    assert [f.outcome for f in resolution.explanation.funnels] == [v1.Outcome.DEPRECATED, v1.Outcome.SELECTED]
    alone = v1.resolve(request(old))
    assert alone.warnings == ("p.v2.0.0 is deprecated",)
    assert alone.deprecations == (Deprecation("olm.bundle", "p.v2.0.0", "p.v2.0.0 is deprecated"),)


def test_warnings_are_those_that_concern_the_winner() -> None:
    """Warnings are about the package, the bundle and the named channels; where none is named, about every channel.

    As recorded: an extension without channels may take any of them.
    """
    content = catalog(
        channel("c", entry("1.0.0")),
        channel("d"),
        bundle("1.0.0"),
        deprecated(("olm.package", ""), ("olm.channel", "c"), ("olm.channel", "d"), ("olm.bundle", "p.v0")),
    )
    assert v1.resolve(request(content, channels=["c"])).warnings == ("package is deprecated", "c is deprecated")
    assert v1.resolve(request(content)).warnings == ("package is deprecated", "c is deprecated", "d is deprecated")


def test_a_tie_is_ambiguous_and_priority_breaks_it() -> None:
    """Two catalogs of one priority are ambiguous even where their contents are equal."""
    error = failed(request(CHAIN, CHAIN))
    assert isinstance(error, v1.AmbiguousCatalogsError)
    assert error.catalogs == ("a", "b")
    assert [f.outcome for f in error.explanation.funnels] == [v1.Outcome.TIED, v1.Outcome.TIED]
    resolution = v1.resolve(request(CHAIN, v1.ClusterCatalog("b", CHAIN, priority=1)))
    assert resolution.catalog == "b"
    assert [f.outcome for f in resolution.explanation.funnels] == [v1.Outcome.OUTRANKED, v1.Outcome.SELECTED]


def test_self_certified_needs_no_edge() -> None:
    """The policy allows a rollback, for which the administrator answers."""
    extension_request = request(CHAIN, installed="2.0.0", version="1.0.0", upgrade_constraint_policy="SelfCertified")
    assert v1.resolve(extension_request).bundle == "p.v1.0.0"


def test_dependencies_are_refused_after_selection() -> None:
    """OLM v1 refuses the selected bundle; it does not fall back to a lower version without dependencies."""
    content = catalog(bundle("1.0.0"), bundle("2.0.0", "olm.gvk.required"))
    error = failed(request(content))
    assert isinstance(error, v1.BundleRefusedError)
    assert (error.bundle, error.catalog) == ("p.v2.0.0", "a")
    unchecked = v1.ExtensionRequest(v1.Extension("p"), [v1.ClusterCatalog("a", content)], validations=())
    assert v1.resolve(unchecked).bundle == "p.v2.0.0"


def test_a_bundle_without_a_version_can_only_be_selected_alone() -> None:
    """Where nothing else is left it is selected and then refused, in words that name it."""
    blob = {"schema": "olm.bundle", "package": "p", "name": "p.x", "properties": []}
    error = failed(request(catalog(blob)))
    assert isinstance(error, v1.BundleVersionError)
    assert "p.x" in str(error)
    assert v1.resolve(request(catalog(blob, bundle("0.0.1")))).bundle == "p.v0.0.1"


@pytest.mark.parametrize(
    "extension_request",
    [
        request(CHAIN, version=">="),
        request(CHAIN, selector=v1.LabelSelector({"": "x"})),
        request(CHAIN, installed="1"),
        request(v1.ClusterCatalog("a", error="down")),
        request(CHAIN, CHAIN),
        request(CHAIN, version="9", installed="1.0.0"),
    ],
)
def test_failures_are_data_and_survive_pickling(extension_request: v1.ExtensionRequest) -> None:
    """Between processes they keep their fields and their words."""
    error = failed(extension_request)
    restored = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(restored) is type(error)
    assert restored.to_dict() == error.to_dict()
    assert error.to_dict()["error"] == str(error)


def test_catalogs_have_names_of_their_own() -> None:
    """Two of one name could not be told apart in the answer."""
    with pytest.raises(RequestError, match="2 times"):
        v1.ExtensionRequest(v1.Extension("p"), [v1.ClusterCatalog("a"), v1.ClusterCatalog("a")])


def test_releases_count_only_with_their_feature_gate() -> None:
    """Without the gate the field is not read."""
    content = v1.ClusterCatalog("a", catalog(bundle("1.0.0", release="2")))
    for gate, release in ((True, "2"), (False, "")):
        resolution = v1.resolve(v1.ExtensionRequest(v1.Extension("p"), [content], release_support=gate))
        assert (resolution.version, resolution.release) == ("1.0.0", release)


# A definition of OLM v1's choice that shares nothing with the resolver but the grammars.

VERSIONS = ["1.0.0", "1.1.0", "2.0.0", "2.0.0-rc.1", "3.0.0"]
Offered = tuple[int, dict[str, list[Blob]], set[str], set[str]]


@st.composite
def offers(draw: st.DrawFn) -> Offered:
    """The priority of a catalog, its channels, its bundles and its deprecated bundles, by version."""
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
    )


def defined(
    every: Iterable[Offered], versions: str, channels: list[str], installed: str, edges: bool
) -> tuple[str, str] | str:
    """The selected version and catalog, or what kind of failure there is."""
    candidates: list[tuple[bool, int, str, str]] = []
    for name, (priority, known, bundles, old) in zip("abcdef", every, strict=False):
        entries = [e for c, listed in known.items() if not channels or c in channels for e in listed]
        remaining = []
        for version in bundles:
            if channels and f"p.v{version}" not in [e["name"] for e in entries]:
                continue
            if versions and Version.parse(version) not in MastermindsRange.parse(versions):
                continue
            if installed and edges and version != installed:
                leading = [e for e in entries if e["name"] == f"p.v{version}" and leads(e, installed)]
                if not leading:
                    continue
            remaining.append(version)
        if remaining:
            best = max(remaining, key=lambda version: (version not in old, Version.parse(version).key))
            candidates.append((best in old, -priority, best, name))
    if not all(old for old, *_ in candidates):
        candidates = [candidate for candidate in candidates if not candidate[0]]
    candidates.sort(key=lambda candidate: candidate[1])
    if not candidates:
        # With no catalog at all the controller keeps what it has, as recorded; a wish for another version fails.
        is_kept = installed and not every and versions in ("", installed)
        return (installed, "") if is_kept else "NoBundlesError"
    if len(candidates) > 1 and candidates[0][1] == candidates[1][1]:
        return "AmbiguousCatalogsError"
    return candidates[0][2], candidates[0][3]


def leads(candidate: Blob, installed: str) -> bool:
    if candidate["replaces"] == f"p.v{installed}":
        return True
    try:
        return Version.parse(installed) in BlangRange.parse(candidate["skipRange"])
    except RangeError:
        return False


@given(
    st.lists(offers(), max_size=3),
    st.sampled_from(["", ">=1.0.0", "<2", "2.0.0-0 || 1.x", "~1", "3.0.0"]),
    st.lists(st.sampled_from(["c", "d", "e"]), max_size=2),
    st.sampled_from(["", *VERSIONS]),
    st.booleans(),
)
def test_resolves_as_defined(
    every: list[Offered], versions: str, channels: list[str], installed: str, edges: bool
) -> None:
    """Random catalogs, ranges, channels and installed versions."""
    catalogs = []
    for name, (priority, known, bundles, old) in zip("abcdef", every, strict=False):
        blobs = [channel(name, *listed) for name, listed in known.items()]
        blobs += [bundle(version) for version in sorted(bundles)]
        blobs.append(deprecated(*(("olm.bundle", f"p.v{version}") for version in old)))
        catalogs.append(v1.ClusterCatalog(name, catalog(*blobs), priority=priority))
    policy = "CatalogProvided" if edges else "SelfCertified"
    extension_request = request(
        *catalogs, installed=installed, version=versions, channels=channels, upgrade_constraint_policy=policy
    )
    try:
        resolution = v1.resolve(extension_request)
        answer: tuple[str, str] | str = (resolution.version, resolution.catalog)
        explanation = resolution.explanation
    except v1.ResolutionError as error:
        answer, explanation = type(error).__name__, error.explanation
    assert answer == defined(every, versions, channels, installed, edges)
    for counts in funnel(explanation):
        assert list(counts) == sorted(counts, reverse=True)


def test_only_the_highest_priority_is_tied() -> None:
    """OLM v1 names every catalog that is left; the funnel says which of them collide."""
    known = [
        v1.ClusterCatalog("a", CHAIN, priority=5),
        v1.ClusterCatalog("low", CHAIN, priority=1),
        v1.ClusterCatalog("b", CHAIN, priority=5),
    ]
    error = failed(request(*known))
    assert isinstance(error, v1.AmbiguousCatalogsError)
    assert error.catalogs == ("a", "b", "low")
    assert "[a b low]" in str(error)
    outcomes = [funnel.outcome for funnel in error.explanation.funnels]
    assert outcomes == [v1.Outcome.TIED, v1.Outcome.OUTRANKED, v1.Outcome.TIED]


def test_channels_are_several_names() -> None:
    """A single text is refused, as iterating over it would make channels of its letters."""
    with pytest.raises(RequestError) as refused:
        v1.Extension("p", channels="stable")
    assert refused.value.field == "channels"


def test_requests_can_be_keys() -> None:
    """As other frozen values can: equal ones have one hash, whatever mappings they hold."""
    wish = {"selector": v1.LabelSelector({"tier": "1"}), "channels": ["c"]}
    requests = [
        v1.ExtensionRequest(v1.Extension("p", **wish), [v1.ClusterCatalog("a", CHAIN, {"tier": "1"})])  # type: ignore[arg-type]
        for _ in range(2)
    ]
    assert len(set(requests)) == 1
