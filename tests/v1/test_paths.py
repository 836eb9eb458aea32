"""Upgrade paths: the documented examples of OLM, and catalogs that make paths end, jump or go round."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from olmsolve import CatalogError, RequestError, classic, v1
from olmsolve.catalog import Catalog, Package, fbc
from olmsolve.catalog.update_graph import channel_order
from olmsolve.render import path_text
from olmsolve.semver import Version
from tests.v1.path_catalogs import catalog, entry, request, steps

CHAIN = catalog({"stable": [entry("0.1.1"), entry("0.1.2", "0.1.1"), entry("0.1.3", "0.1.2")]})


def test_classic_goes_one_version_at_a_time() -> None:
    """The documentation's example: 0.1.1 becomes 0.1.2, which becomes 0.1.3."""
    path = classic.channel_path(CHAIN.packages["p"], "p.v0.1.1")
    assert path.steps == ("p.v0.1.2", "p.v0.1.3")
    assert path.reached
    assert path.end == path.head == "p.v0.1.3"


def test_v1_goes_the_same_way_where_there_is_only_one() -> None:
    """Each entry names only the one before it."""
    path = v1.path(request(CHAIN, "0.1.1"))
    assert steps(path) == ["0.1.2", "0.1.3"]
    assert path.reached
    assert steps(v1.path(request(CHAIN, "0.1.1"), mode="shortest")) == ["0.1.2", "0.1.3"]


def test_classic_steps_over_what_is_skipped() -> None:
    """ "If the bad update has not yet been installed, it will never be"; if it has, it is left too."""
    package = catalog({"c": [entry("0.9.0"), entry("0.9.1", "0.9.0"), entry("0.9.2", "0.9.0", ("0.9.1",))]})
    assert classic.channel_path(package.packages["p"], "p.v0.9.0").steps == ("p.v0.9.2",)
    assert classic.channel_path(package.packages["p"], "p.v0.9.1").steps == ("p.v0.9.2",)


def test_classic_jumps_to_a_head_whose_range_has_the_installed_version() -> None:
    """The head's skipRange comes before the next replacement."""
    entries = [entry("4.1.0"), entry("4.1.1", "4.1.0"), entry("4.1.2", "4.1.1", skip_range=">=4.1.0 <4.1.2")]
    package = catalog({"c": entries}).packages["p"]
    assert classic.channel_path(package, "p.v4.1.0").steps == ("p.v4.1.2",)
    assert classic.channel_path(package, "p.v4.0.9", version=Version.parse("4.0.9")).steps == ()
    assert classic.channel_path(package, "gone", version=Version.parse("4.1.0")).steps == ("p.v4.1.2",)


def test_the_documented_difference_between_classic_and_v1() -> None:
    """v3 skips v2, v2 has a range with v1: classic finds no way from 1.0.0, OLM v1 goes to 2.0.0 and on."""
    content = catalog(
        {"c": [entry("1.0.0"), entry("2.0.0", skip_range=">=1.0.0 <2.0.0"), entry("3.0.0", skips=("2.0.0",))]}
    )
    package = content.packages["p"]
    # 1.0.0 is an entry of its own here, so it would be a second head: as documented, leave it out of the channel.
    documented = Package(
        "p",
        "c",
        {"c": attrs.evolve(package.channels["c"], entries=package.channels["c"].entries[1:])},
        package.bundles,
    )
    assert classic.channel_path(documented, "p.v1.0.0").steps == ()
    assert steps(v1.path(request(Catalog({"p": documented}), "1.0.0"))) == ["2.0.0", "3.0.0"]
    (difference,) = v1.differences(documented)
    assert (difference.installed, difference.classic, difference.v1) == ("p.v1.0.0", "", "p.v2.0.0")
    written = difference.to_dict()
    assert (written["channel"], written["installed"]) == ("c", "p.v1.0.0")
    assert (written["classic"], written["v1"]) == (None, "p.v2.0.0")
    assert difference.reason == v1.DifferenceReason(v1.DifferenceKind.NOT_ON_THE_CHAIN, "p.v2.0.0")


def test_v1_takes_the_highest_version_where_classic_takes_the_nearest_to_the_head() -> None:
    """The first of the documented differences, in a channel whose head is not its highest version."""
    content = catalog({"c": [entry("1.0.0"), entry("3.0.0", "1.0.0"), entry("2.0.0", "3.0.0", skip_range="<2.0.0")]})
    (difference,) = (difference for difference in v1.differences(content, "p") if difference.installed == "p.v1.0.0")
    assert (difference.classic, difference.v1) == ("p.v2.0.0", "p.v3.0.0")
    assert difference.reason == v1.DifferenceReason(v1.DifferenceKind.NEARER_TO_THE_HEAD, "p.v2.0.0")
    assert difference.to_dict()["because"] == "nearer-to-the-head"


def test_v1_leaves_a_deprecated_head_for_a_bundle_of_its_version() -> None:
    """Classic stays on the head; for v1 every bundle of the installed version is a successor."""
    content = catalog({"c": [entry("1.0.0"), entry("2.0.0", "1.0.0")]}, ("p.v2.0.0",))
    package = content.packages["p"]
    same_version = attrs.evolve(package.bundles["p.v1.0.0"], properties=package.bundles["p.v2.0.0"].properties)
    package = attrs.evolve(package, bundles={**package.bundles, "p.v1.0.0": same_version})
    head = {difference.installed: difference for difference in v1.differences(package)}["p.v2.0.0"]
    assert (head.classic, head.v1) == ("", "p.v1.0.0")
    assert head.reason == v1.DifferenceReason(v1.DifferenceKind.NO_CLASSIC_UPDATE, "p.v1.0.0")


def test_a_channel_without_order_differs_for_its_fault() -> None:
    """Classic updates nothing in a channel of two heads, where v1 needs no head."""
    content = catalog({"c": [entry("1.0.0"), entry("2.0.0", "1.0.0"), entry("3.0.0")]})
    (difference,) = v1.differences(content, "p")
    assert (difference.installed, difference.classic, difference.v1) == ("p.v1.0.0", "", "p.v2.0.0")
    assert difference.reason.kind == v1.DifferenceKind.NO_ORDER
    assert difference.reason.fault == channel_order(content.packages["p"].channels["c"].entries).fault


def test_a_version_that_v1_cannot_read_has_no_update_there() -> None:
    """Classic takes the leading v, and goes by names anyway."""
    content = catalog({"c": [entry("1.0.0"), entry("v2.0.0", "1.0.0"), entry("3.0.0", "v2.0.0")]})
    by_installed = {difference.installed: difference for difference in v1.differences(content, "p")}
    assert by_installed.keys() == {"p.v1.0.0", "p.vv2.0.0"}
    assert (by_installed["p.vv2.0.0"].classic, by_installed["p.vv2.0.0"].v1) == ("p.v3.0.0", "")
    assert by_installed["p.vv2.0.0"].reason == v1.DifferenceReason(v1.DifferenceKind.UNREADABLE_VERSION)


@pytest.mark.parametrize("mode", ["controller", "shortest"])
def test_a_range_ends_the_path_and_is_named(mode: v1.Mode) -> None:
    """The path reaches the newest version within the range, and says that newer ones are outside of it."""
    path = v1.path(request(CHAIN, "0.1.1", version="<0.1.3"), mode=mode)
    assert steps(path) == ["0.1.2"]
    assert path.reached
    (held_back,) = path.held_back
    assert (held_back.bundle, held_back.because) == ("p.v0.1.3", v1.HeldBackBy.VERSION)
    text = path_text(path.to_dict())
    assert "reaches the newest version that updates can reach within <0.1.3 in one step" in " ".join(text.split())
    assert "p.v0.1.3 (a): outside the version range <0.1.3" in text


@pytest.mark.parametrize("mode", ["controller", "shortest"])
@pytest.mark.parametrize(
    ("wish", "because"),
    [({"version": "0.1.2"}, v1.HeldBackBy.VERSION), ({"channels": ["fast"]}, v1.HeldBackBy.CHANNEL)],
)
@pytest.mark.parametrize("to", ["0.1.3", "p.v0.1.3"])
def test_a_goal_that_the_request_leaves_out_is_not_reached(
    mode: v1.Mode, wish: dict[str, Any], because: v1.HeldBackBy, to: str
) -> None:
    """The catalog has the bundle, so that "no catalog has it" would be false."""
    content = catalog(
        {
            "stable": [entry("0.1.1"), entry("0.1.2", "0.1.1"), entry("0.1.3", "0.1.2")],
            "fast": [entry("0.1.1"), entry("0.1.2", "0.1.1")],
        }
    )
    path = v1.path(request(content, "0.1.1", **wish), to=to, mode=mode)
    assert not path.reached
    assert [(held_back.bundle, held_back.because) for held_back in path.held_back] == [("p.v0.1.3", because)]
    with pytest.raises(RequestError, match="no catalog of the request has"):
        v1.path(request(content, "0.1.1", **wish), to="9.9.9", mode=mode)


def test_the_controller_may_end_in_a_blind_alley() -> None:
    """The highest next version need not lead on; the shortest way to the newest then goes by another one."""
    content = catalog(
        {"c": [entry("1.0.0"), entry("1.5.0", "1.0.0"), entry("2.0.0", "1.0.0"), entry("3.0.0", "1.5.0")]}
    )
    path = v1.path(request(content, "1.0.0"))
    assert (steps(path), path.reached, path.stopped) == (["2.0.0"], False, None)
    shortest = v1.path(request(content, "1.0.0"), mode="shortest")
    assert (steps(shortest), shortest.reached) == (["1.5.0", "3.0.0"], True)


def test_a_path_to_a_wanted_version_or_bundle() -> None:
    """Either names it; a way that passes by it has not reached it."""
    assert steps(v1.path(request(CHAIN, "0.1.1"), to="0.1.2")) == ["0.1.2"]
    assert steps(v1.path(request(CHAIN, "0.1.1"), to="p.v0.1.2", mode="shortest")) == ["0.1.2"]
    assert v1.path(request(CHAIN, "0.1.2"), to="0.1.2").steps == ()
    assert not v1.path(request(CHAIN, "0.1.2"), to="0.1.1", mode="shortest").reached
    assert classic.channel_path(CHAIN.packages["p"], "p.v0.1.1", to="p.v0.1.2").steps == ("p.v0.1.2",)
    assert not classic.channel_path(CHAIN.packages["p"], "p.v0.1.2", to="p.v0.1.1").reached


def test_a_path_stops_where_the_request_fails() -> None:
    """A version range that the next update leaves: the failure is part of the answer."""
    path = v1.path(request(CHAIN, "0.1.1", version="0.1.3"))
    assert path.steps == ()
    assert isinstance(path.stopped, v1.NoBundlesError)
    assert path.to_dict()["stopped"] == str(path.stopped)
    # Without a goal there is nothing that the path falls short of.
    assert "\nOLM stops here:\n  error upgrading from" in path_text(path.to_dict())
    assert path.stopped.explanation.funnels[0].nearest.route == ("p.v0.1.2", "p.v0.1.3")


def test_deprecated_bundles_are_left_and_not_entered() -> None:
    """Deprecation comes before the version, also for what is installed."""
    content = catalog(
        {"c": [entry("1.0.0"), entry("2.0.0", "1.0.0"), entry("3.0.0", "1.0.0", ("2.0.0",))]}, ("p.v3.0.0",)
    )
    assert steps(v1.path(request(content, "1.0.0"))) == ["2.0.0"]


@pytest.mark.parametrize("to", ["0.9.9", "p.v7"])
def test_what_no_catalog_has_cannot_be_wanted(to: str) -> None:
    """A typing error should not read like a path that does not exist."""
    with pytest.raises(RequestError):
        v1.path(request(CHAIN, "0.1.1"), to=to)
    with pytest.raises(RequestError):
        classic.channel_path(CHAIN.packages["p"], "p.v0.1.1", to=to)


def test_paths_need_a_start_and_a_channel() -> None:
    """The error names the field that is missing."""
    nothing = v1.ExtensionRequest(v1.Extension("p"), [v1.ClusterCatalog("a", CHAIN)])
    with pytest.raises(RequestError, match="installed"):
        v1.path(nothing)
    with pytest.raises(RequestError, match="no channel"):
        classic.channel_path(CHAIN.packages["p"], "p.v0.1.1", channel="fast")
    with pytest.raises(RequestError, match="no package"):
        v1.differences(CHAIN, "q")
    with pytest.raises(RequestError, match="no channel 'fast'") as refused:
        v1.differences(CHAIN, "p", channel="fast")
    assert refused.value.field == "channel"
    with pytest.raises(v1.InvalidWishError):
        v1.path(attrs.evolve(nothing, extension=v1.Extension("p", version="no range")))
    with pytest.raises(v1.InstalledVersionError):
        v1.path(request(CHAIN, "1"))


def test_a_channel_without_order_has_no_classic_path() -> None:
    """Two heads: classic would refuse the subscription as well."""
    package = catalog({"c": [entry("1.0.0"), entry("2.0.0")]}).packages["p"]
    with pytest.raises(CatalogError, match="chains"):
        classic.channel_path(package, "p.v1.0.0")


def test_a_range_that_contains_its_own_future_goes_round() -> None:
    """Classic compares no versions: an old entry with a wide skipRange takes everybody back."""
    package = catalog({"c": [entry("1.0.0", skip_range="<9.0.0"), entry("2.0.0", "1.0.0")]}).packages["p"]
    path = classic.channel_path(package, "p.v1.0.0")
    assert path.steps == ("p.v2.0.0", "p.v1.0.0")
    assert path.circular
    assert path.to_dict()["circular"] is True


def test_self_certified_paths_need_no_edges() -> None:
    """The policy that forces updates makes everything one step away, down as well as up."""
    free = {"upgrade_constraint_policy": "SelfCertified"}
    modes: tuple[v1.Mode, ...] = ("controller", "shortest")
    for mode in modes:
        path = v1.path(request(CHAIN, "0.1.1", **free), mode=mode)
        assert (steps(path), path.reached) == (["0.1.3"], True)
    assert steps(v1.path(request(CHAIN, "0.1.3", **free), to="0.1.1", mode="shortest")) == ["0.1.1"]


def test_the_controller_stays_with_the_catalog_of_higher_priority() -> None:
    """The preferred catalog offers only the installed bundle, which wins until the newer catalog is pinned."""
    old = v1.ClusterCatalog("old", catalog({"c": [entry("1.0.0")]}), priority=1)
    new = v1.ClusterCatalog("new", catalog({"c": [entry("1.0.0"), entry("2.0.0", "1.0.0")]}))
    extension_request = v1.ExtensionRequest(v1.Extension("p"), [old, new], v1.InstalledBundle("p.v1.0.0", "1.0.0"))
    stays = v1.path(extension_request)
    assert (stays.steps, stays.reached) == ((), False)
    (step,) = v1.path(extension_request, mode="shortest").steps
    assert step == v1.PathStep("p.v2.0.0", "2.0.0", "new", "a new major version")


def test_releases_are_steps_of_their_own() -> None:
    """Build metadata orders bundles of one version, with the feature gate and without."""
    content = catalog({"c": [entry("1.0.0"), entry("1.0.0+1", "1.0.0"), entry("1.0.0+2", "1.0.0+1")]})
    for gate in (False, True):
        extension_request = attrs.evolve(request(content, "1.0.0"), release_support=gate)
        assert [step.version for step in v1.path(extension_request).steps] == ["1.0.0+1", "1.0.0+2"]
        assert v1.path(extension_request, to="1.0.0+2", mode="shortest").reached


def empty_release() -> v1.ExtensionRequest:
    """A request with release support, whose update has build metadata and an empty release."""
    versions = {"p.v1": ("1.0.0", "1"), "p.v2": ("2.0.0+3", "")}
    blobs: list[dict[str, Any]] = [
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": name,
            "properties": [
                {"type": "olm.package", "value": {"packageName": "p", "version": version, "release": release}}
            ],
        }
        for name, (version, release) in versions.items()
    ]
    entries = [{"name": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}]
    blobs.append({"schema": "olm.channel", "package": "p", "name": "c", "entries": entries})
    known = [v1.ClusterCatalog("a", fbc.from_blobs(blobs))]
    return v1.ExtensionRequest(v1.Extension("p"), known, v1.InstalledBundle("p.v1", "1.0.0", "1"), release_support=True)


def test_an_empty_release_is_recorded() -> None:
    """Without it, OLM v1 would read the build metadata as the release, and the bundle would be none of its catalog."""
    extension_request = empty_release()
    walked = v1.walk(extension_request)
    assert walked.installed == v1.InstalledBundle("p.v2", "2.0.0+3", "")
    assert (walked.bundles, walked.stopped) == (("p.v2",), None)
    assert walked.stays is not None
    for mode in MODES:
        path = v1.path(extension_request, mode=mode)
        assert (path.reached, path.end, path.held_back) == (True, "p.v2", ())


MODES: tuple[v1.Mode, ...] = ("controller", "shortest")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("package", "known", "wish"),
    [
        ("nosuch", [v1.ClusterCatalog("a", CHAIN)], {}),
        ("p", [v1.ClusterCatalog("a", CHAIN)], {"channels": ["nosuch"]}),
        ("p", [v1.ClusterCatalog("a", CHAIN)], {"version": "9.x"}),
        ("p", [], {}),
    ],
    ids=["package", "channel", "version", "catalogs"],
)
def test_nothing_is_reached_where_resolution_fails(
    mode: v1.Mode, package: str, known: list[v1.ClusterCatalog], wish: dict[str, Any]
) -> None:
    """A path without steps is not at its end where OLM v1 reports an error, or is content without any catalog."""
    extension_request = v1.ExtensionRequest(
        v1.Extension(package, **wish), known, v1.InstalledBundle("p.v0.1.1", "0.1.1")
    )
    path = v1.path(extension_request, mode=mode)
    assert (path.steps, path.reached) == ((), False)
    assert (path.stopped is not None) == (mode == "controller" and bool(known))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_installed_must_still_be_offered(mode: v1.Mode) -> None:
    """Where the installed bundle has left the catalogs OLM v1 finds no bundle, even if it is the newest."""
    assert not v1.path(request(CHAIN, "0.1.4"), mode=mode).reached
    assert v1.path(request(CHAIN, "0.1.3"), mode=mode).reached


def kept_name(version: str) -> Catalog:
    """A catalog whose one bundle is called p.x whatever its version."""
    value = {"packageName": "p", "version": version}
    return fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
            {
                "schema": "olm.channel",
                "package": "p",
                "name": "c",
                "entries": [{"name": "p.x", "skipRange": "<2.0.0"}],
            },
            {
                "schema": "olm.bundle",
                "package": "p",
                "name": "p.x",
                "properties": [{"type": "olm.package", "value": value}],
            },
        ]
    )


@pytest.mark.parametrize("mode", MODES)
def test_an_update_may_keep_the_name(mode: v1.Mode) -> None:
    """Resolution selects the other release, so the path has it; from there it stays."""
    known = [v1.ClusterCatalog("a", kept_name("1.0.0+2"))]
    extension_request = v1.ExtensionRequest(v1.Extension("p"), known, v1.InstalledBundle("p.x", "1.0.0+1"))
    assert v1.resolve(extension_request).release == "2"
    path = v1.path(extension_request, mode=mode)
    assert (path.steps, path.reached) == ((v1.PathStep("p.x", "1.0.0+2", "a"),), True)
    there = v1.path(attrs.evolve(extension_request, installed=v1.InstalledBundle("p.x", "1.0.0+2")), mode=mode)
    assert (there.steps, there.reached) == ((), True)


def test_catalogs_of_different_priority_can_lead_round() -> None:
    """Each step is what resolving selects, and the preferred catalog leads down again: the path ends."""
    down = v1.ClusterCatalog("down", catalog({"c": [entry("1.0.0", "2.0.0")]}), priority=1)
    up = v1.ClusterCatalog("up", catalog({"c": [entry("2.0.0", "3.0.0")]}))
    extension_request = v1.ExtensionRequest(v1.Extension("p"), [down, up], v1.InstalledBundle("p.v3.0.0", "3.0.0"))
    path = v1.path(extension_request)
    assert steps(path) == ["2.0.0", "1.0.0"]
    assert not path.reached


@pytest.mark.parametrize("mode", MODES)
def test_catalogs_that_cannot_be_read_fail_a_path(mode: v1.Mode) -> None:
    """A path fails as a resolution does: what the catalog would offer is not known."""
    extension_request = request(CHAIN, "0.1.3")
    broken = v1.ClusterCatalog("b", error="boom")
    with pytest.raises(v1.CatalogReadError, match="boom"):
        v1.path(attrs.evolve(extension_request, catalogs=(*extension_request.catalogs, broken)), mode=mode)
    with pytest.raises(v1.ListingError, match="boom"):
        v1.path(attrs.evolve(extension_request, listing_error="boom"), mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_self_certified_paths_need_no_installed_version(mode: v1.Mode) -> None:
    """Resolution reads it only to find edges."""
    wish = v1.Extension("p", upgrade_constraint_policy="SelfCertified")
    known = [v1.ClusterCatalog("a", CHAIN)]
    path = v1.path(v1.ExtensionRequest(wish, known, v1.InstalledBundle("p.v0.1.1", "one")), mode=mode)
    assert (steps(path), path.reached) == (["0.1.3"], True)
    stays = v1.path(v1.ExtensionRequest(wish, known, v1.InstalledBundle("p.v0.1.3", "three")), mode=mode)
    assert (stays.steps, stays.reached) == ((), True)


def test_there_are_two_modes() -> None:
    """A mode of another name is an error, and not taken for the controller's."""
    with pytest.raises(RequestError) as refused:
        v1.path(request(CHAIN, "0.1.1"), mode="nonsense")  # type: ignore[arg-type]
    assert refused.value.field == "mode"
