"""Upgrade paths: of one operator in a channel, and of each subscription of a request."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from olmsolve import Catalog, CatalogError, Installed, Request, RequestError, Source, Subscription, evolve
from olmsolve.catalog import Channel, ChannelEntry
from olmsolve.catalog.fbc import from_blobs
from olmsolve.classic import SubscriptionPath, UpgradePath, channel_path, subscription_paths
from olmsolve.semver import Version
from olmsolve.testing import catalog_of, package

CATALOG = catalog_of(package("db").channel("stable", "1.0.0 < 1.1.0 < 1.2.0 < 2.0.0"))
ENTRIES = (
    ChannelEntry("db.v2.0.0", replaces="db.v1.2.0"),
    ChannelEntry("db.v1.2.0", replaces="db.v1.1.0", skip_range="<1.0.0"),
    ChannelEntry("db.v1.1.0", replaces="db.v1.0.0"),
    ChannelEntry("db.v1.0.0"),
)
DB = CATALOG.packages["db"]
SKIPPING = attrs.evolve(
    DB,
    channels={
        "stable": Channel("db", "stable", ENTRIES),
        "circle": Channel(
            "db",
            "circle",
            (ChannelEntry("db.v1.1.0", replaces="db.v1.0.0"), ChannelEntry("db.v1.0.0", skip_range=">=1.1.0")),
        ),
        "forked": Channel("db", "forked", (ChannelEntry("db.v1.0.0"), ChannelEntry("db.v1.1.0"))),
    },
)


@pytest.mark.parametrize("mode", ["controller", "shortest"])
def test_a_path_goes_to_the_head_or_to_its_goal(mode: str) -> None:
    """A goal is the name of a bundle, or a version; who is there already takes no step."""

    def steps(installed: str, to: str = "") -> tuple[list[str], bool]:
        path = channel_path(DB, installed, to=to, mode=mode)  # type: ignore[arg-type]
        assert (path.installed, path.head, path.circular) == (installed, "db.v2.0.0", False)
        assert path.end == (path.steps[-1] if path.steps else installed)
        return list(path.steps), path.reached

    assert steps("db.v1.0.0") == (["db.v1.1.0", "db.v1.2.0", "db.v2.0.0"], True)
    assert steps("db.v1.0.0", "db.v1.2.0") == steps("db.v1.0.0", "1.2.0") == (["db.v1.1.0", "db.v1.2.0"], True)
    assert steps("db.v2.0.0") == steps("db.v1.1.0", "1.1.0") == steps("db.v1.1.0", "db.v1.1.0") == ([], True)
    assert steps("db.v1.2.0", "1.0.0") == (["db.v2.0.0"] if mode == "controller" else [], False)
    assert steps("elsewhere") == ([], False)


def test_a_version_says_where_an_unknown_bundle_stands() -> None:
    """A bundle that has left its package is still in ranges by its version."""
    assert channel_path(SKIPPING, "old").steps == ()
    path = channel_path(SKIPPING, "old", version=Version(0, 9, 0))
    assert path.steps == ("db.v1.2.0", "db.v2.0.0")
    assert channel_path(SKIPPING, "old", version=Version(0, 9, 0), mode="shortest") == evolve(path, mode="shortest")


def test_what_is_not_there_is_refused() -> None:
    """A path to nowhere would look like a path that has not been found."""
    for goal in ("db.v9", "9.0.0", "no version"):
        with pytest.raises(RequestError, match="no bundle"):
            channel_path(DB, "db.v1.0.0", to=goal)
    with pytest.raises(RequestError, match="no channel 'beta'"):
        channel_path(DB, "db.v1.0.0", channel="beta")
    with pytest.raises(CatalogError, match="2 chains"):
        channel_path(SKIPPING, "db.v1.0.0", channel="forked")


def test_a_circle_is_told() -> None:
    """A skipRange over later versions leads back; the path ends with the first bundle that comes again."""
    entries = (
        ChannelEntry("db.v1.2.0", replaces="db.v1.1.0"),
        ChannelEntry("db.v1.1.0", replaces="db.v1.0.0", skip_range=">=1.2.0"),
        ChannelEntry("db.v1.0.0"),
    )
    circular = attrs.evolve(DB, channels={"stable": Channel("db", "stable", entries)})
    path = channel_path(circular, "db.v1.0.0")
    assert path.steps == ("db.v1.1.0", "db.v1.2.0", "db.v1.1.0")
    assert (path.circular, path.reached) == (True, False)
    assert channel_path(circular, "db.v1.0.0", to="1.2.0").steps == ("db.v1.1.0", "db.v1.2.0")
    assert path.to_dict()["steps"] == list(path.steps)
    assert (path.to_dict()["to"], path.to_dict()["circular"]) == (None, True)


def _request(*wishes: Subscription, sources: tuple[Source, ...] = (), installed: tuple[Installed, ...] = ()) -> Request:
    return Request(
        namespaces=("team", "olm"),
        sources=sources or (Source("cat", "olm", 0, CATALOG),),
        subscriptions=wishes,
        installed=installed,
    )


def _paths(request: Request) -> list[SubscriptionPath]:
    return list(subscription_paths(request))


def test_each_subscription_has_a_path_or_a_reason() -> None:
    """In their order; a reason tells what is missing, and a broken channel is the catalog's fault."""
    wishes = (
        Subscription("a", "team", "db", installed_csv="db.v1.2.0"),
        Subscription("b", "team", "nope"),
        Subscription("c", "team", "db"),
    )
    paths = _paths(_request(*wishes, installed=(Installed("db.v1.2.0", "1.2.0", subscription="a"),)))
    assert [(path.subscription, path.package, path.catalog) for path in paths] == [
        ("a", "db", "olm/cat"), ("b", "nope", ""), ("c", "db", "olm/cat"),
    ]  # fmt: skip
    assert paths[0].path is not None
    assert (paths[0].path.steps, paths[0].reason) == (("db.v2.0.0",), "")
    assert ["no catalog" in paths[1].reason, "nothing is installed" in paths[2].reason] == [True, True]
    assert [path.reached for path in paths] == [True, False, False]
    assert not evolve(paths[0], path=evolve(paths[0].path, reached=False)).reached
    document = paths[0].to_dict()
    assert (document["catalog"], document["reason"]) == ("olm/cat", None)
    assert document["path"] == paths[0].path.to_dict()
    assert (paths[1].to_dict()["catalog"], paths[1].to_dict()["path"]) == (None, None)


def test_faults_of_a_channel_are_reasons() -> None:
    """One broken channel must not keep the paths of the other subscriptions from being told."""
    catalog = Catalog({"db": SKIPPING})
    wish = Subscription("a", "team", "db", channel="forked")
    owned = (Installed("db.v1.0.0", "no version", subscription="a"),)
    (broken,) = _paths(_request(wish, sources=(Source("cat", "olm", 0, catalog),), installed=owned))
    assert broken.fault is not None
    assert (broken.path, broken.fault.catalog, "2 chains" in broken.reason) == (None, "olm/cat", True)
    (unknown,) = _paths(_request(attrs.evolve(wish, channel="beta"), installed=owned))
    assert (unknown.path, unknown.fault, "no channel" in unknown.reason) == (None, None, True)


def test_the_preferred_catalog_that_has_the_package_serves() -> None:
    """By priority, among those that are visible; a subscription that names a catalog takes no other one."""
    other = catalog_of(package("web").channel("stable", "1.0.0"))
    sources = (
        Source("low", "olm", 0, CATALOG),
        Source("high", "olm", 5, CATALOG),
        Source("other", "team", 9, other),
        Source("hidden", "elsewhere", 99, CATALOG),
    )
    any_source = Subscription("a", "team", "db")
    low = attrs.evolve(any_source, source="low", source_namespace="olm")
    elsewhere = attrs.evolve(any_source, source="other", source_namespace="team")
    catalogs = [_paths(_request(wish, sources=sources))[0].catalog for wish in (any_source, low, elsewhere)]
    assert catalogs == ["olm/high", "olm/low", ""]


def test_a_path_is_a_value() -> None:
    """Without steps it ends where it began, and is no circle."""
    path = UpgradePath("db", "stable", "db.v1", "", "controller", (), "db.v1", reached=True)
    assert (path.end, path.circular) == ("db.v1", False)


def test_the_version_of_an_operator_says_where_its_path_begins() -> None:
    """Its bundle may have left the catalog; a version that is none says nothing."""
    source, wish = (
        Source("main", "olm", 0, Catalog({"db": SKIPPING})),
        Subscription("db", "olm", "db", channel="stable"),
    )
    for version, steps in (("0.9.0", ("db.v1.2.0", "db.v2.0.0")), ("1.0.0", ())):
        old = Installed("old", version, subscription="db")
        [path] = subscription_paths(Request(["olm"], [source], [wish], [old]))
        assert path.path is not None
        assert path.path.steps == steps


def test_a_name_counts_before_a_version() -> None:
    """A bundle may be called like the version of another."""
    entries = [{"name": "3.0.0", "replaces": "2.0.0"}, {"name": "2.0.0", "replaces": "db.v1"}, {"name": "db.v1"}]
    versions = {"3.0.0": "9.0.0", "2.0.0": "3.0.0", "db.v1": "1.0.0"}
    blobs: list[dict[str, Any]] = [{"schema": "olm.channel", "package": "db", "name": "stable", "entries": entries}]
    for name, version in versions.items():
        own = {"type": "olm.package", "value": {"packageName": "db", "version": version}}
        blobs.append({"schema": "olm.bundle", "package": "db", "name": name, "properties": [own]})
    db = from_blobs(blobs).packages["db"]
    assert channel_path(db, "db.v1", channel="stable", to="3.0.0").steps == ("2.0.0", "3.0.0")
    assert channel_path(db, "db.v1", channel="stable", to="2.0.0").steps == ("2.0.0",)
    assert channel_path(db, "db.v1", channel="stable", to="9.0.0").to == "3.0.0"


def test_a_channel_without_an_order_is_told_with_its_file() -> None:
    """Its author looks there."""
    blob = {"schema": "olm.channel", "package": "db", "name": "forked", "entries": [{"name": "a"}, {"name": "b"}]}
    bundles = [{"schema": "olm.bundle", "package": "db", "name": name, "properties": []} for name in "ab"]
    forked = from_blobs([blob, *bundles], origin="db.yaml").packages["db"]
    with pytest.raises(CatalogError, match="2 chains") as caught:
        channel_path(forked, "a", channel="forked")
    assert caught.value.origin.startswith("db.yaml")
