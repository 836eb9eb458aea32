"""``olmsolve path``: the updates that lie before a package, a request, or everything in a dump."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import olmsolve as library
from tests.cli.commands import Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

EXAMPLES = Path(library.__file__).parent / "examples"
CLASSIC = ("--catalog", "olm/cat=catalog.json")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_dump_has_a_path_for_each_subscription_and_each_extension(olmsolve: Run) -> None:
    """Who plans a maintenance window asks for the whole cluster, and not for one package after the other."""
    dump = write(*namespace(), catalog_source(), extension(installed=2), cluster_catalog())
    outcome = olmsolve("path", *dump, *CONTENTS, "-o", "json")
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    (wish,) = document["namespaces"]["shop"]["subscriptions"]
    assert (wish["subscription"], wish["path"]["steps"]) == ("etcd", ["etcd.v2", "etcd.v3"])
    assert [step["bundle"] for step in document["extensions"]["etcd"]["steps"]] == ["etcd.v3"]


def test_a_path_ends_at_a_version(olmsolve: Run) -> None:
    """People know versions; names of bundles are for machines."""
    dump = write(*namespace(), catalog_source())
    outcome = olmsolve("path", *dump, *CLASSIC, "--namespace", "shop", "--to", "2.0.0", "-o", "json")
    assert outcome.code == 0, outcome.err
    (wish,) = json.loads(outcome.out)["subscriptions"]
    assert (wish["path"]["to"], wish["path"]["steps"], wish["path"]["reached"]) == ("etcd.v2", ["etcd.v2"], True)


def test_a_subscription_without_a_path_says_why(olmsolve: Run) -> None:
    """Its neighbours have theirs; where nothing is installed, no path falls short."""
    objects = (*namespace(), *namespace("lab", installed=0), catalog_source())
    dump = write(*objects, extension(installed=0), cluster_catalog())
    outcome = olmsolve("path", *dump, *CONTENTS)
    assert (outcome.code, outcome.err) == (0, "")
    assert "-> etcd.v3" in outcome.out
    assert outcome.out.count("nothing is installed, so there is no path to look for") == 2


@pytest.mark.parametrize("chosen", [("--namespace", "lab"), ("--extension", "etcd"), ()])
def test_where_nothing_is_installed_no_path_falls_short(olmsolve: Run, chosen: tuple[str, ...]) -> None:
    """What is no failure beside others is none alone: the code of several answers is the highest of them."""
    dump = write(*namespace("lab", installed=0), catalog_source(), extension(installed=0), cluster_catalog())
    outcome = olmsolve("path", *dump, *CONTENTS, *chosen)
    assert (outcome.code, outcome.err) == (0, "")
    assert "nothing is installed, so there is no path to look for" in outcome.out


def test_a_path_that_falls_short_beside_others_is_told(olmsolve: Run) -> None:
    """One namespace of many that does not get there is what the exit code is for."""
    objects = (*namespace(), *namespace("lab", installed=3), *namespace("idle", installed=0), catalog_source())
    assert olmsolve("path", *write(*objects), *CLASSIC, "--to", "etcd.v2").code == 1


def test_wishes_on_the_command_line_have_paths(olmsolve: Run) -> None:
    """The same options describe a situation in every command."""
    wishes = ("--catalog", f"orchard={EXAMPLES}/catalogs/orchard", "--subscribe", "storefront@2.x")
    outcome = olmsolve("path", *wishes, "--installed", "storefront.v1.4.1")
    assert (outcome.code, outcome.err) == (0, "")
    assert "  -> storefront.v2.1.0\n" in outcome.out


def test_a_subscription_without_a_catalog_follows_the_first_that_has_its_package(olmsolve: Run) -> None:
    """As its candidates come first from there."""
    for name, versions in (("high", 2), ("low", 3)):
        Path(f"{name}.json").write_text("\n".join(map(json.dumps, blobs(versions=versions))), "utf-8")
    catalogs = ("--catalog", "low=low.json", "--catalog", "high=high.json:5")
    outcome = olmsolve("path", *catalogs, "--subscribe", "etcd", "--installed", "etcd.v1", "-o", "json")
    (wish,) = json.loads(outcome.out)["subscriptions"]
    assert "high" in wish["catalog"]
    assert wish["path"]["steps"] == ["etcd.v2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--semantics", "controller"), "--semantics cannot matter: a path follows update edges"),
        (("--operator-groups",), "--operator-groups cannot matter"),
        (("--namespace", "shop", "--kubernetes", "1.30.0"), "--kubernetes cannot matter: a classic path"),
        (("--channel", "stable"), "--channel goes with a catalog and a package"),
        (("catalog.json", "etcd", "--from", "etcd.v1"), "CATALOG and PACKAGE exclude other requests"),
    ],
    ids=["semantics", "groups", "versions", "channel", "both"],
)
def test_options_that_cannot_matter_are_refused(olmsolve: Run, arguments: tuple[str, ...], message: str) -> None:
    """An option that is passed over makes people believe an answer that they did not get."""
    dump = write(*namespace(), catalog_source(), extension(), cluster_catalog())
    outcome = olmsolve("path", *arguments, *dump, *CONTENTS)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
