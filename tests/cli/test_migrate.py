"""``olmsolve migrate``: what OLM v1 would do in place of classic OLM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve as library
from olmsolve.catalog import UnreadableSource
from olmsolve.cluster import SupportsTargets, WorksOnKubernetes
from olmsolve.lifecycle import migrations
from tests.cli.commands import Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

CLASSIC = ("--catalog", "olm/cat=catalog.json")
EVERYWHERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "AllNamespaces", "supported": True}]}}
HERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "OwnNamespace", "supported": True}]}}
NEEDS = {"type": "olm.package.required", "value": {"packageName": "vault", "versionRange": ">=1.0.0"}}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_same_bundle_without_a_remark_is_the_same(olmsolve: Run) -> None:
    """An operator without dependencies for all namespaces that is at the top can simply move."""
    dump = write(*namespace(installed=3, everywhere=True), catalog_source(), catalog=blobs(v3=[EVERYWHERE]))
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "subscription etcd as an extension of OLM v1:\n  - the same bundle: etcd.v3\n"


def test_a_new_extension_begins_at_the_top(olmsolve: Run) -> None:
    """It has nothing installed, so that no edge counts: a pin begins with what is there."""
    dump = write(*namespace(), catalog_source())
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop")
    text = " ".join(outcome.out.split())
    assert "a new extension has nothing installed and begins with etcd.v3; to begin with etcd.v1, pin version" in text
    assert "pin version to 1.0.0 first; without the pin, it is then updated to etcd.v2, etcd.v3" in text


def test_a_channel_that_no_extension_can_name(olmsolve: Run) -> None:
    """Real catalogs have channels such as Stable, which classic OLM takes."""
    catalog = json.loads(json.dumps(blobs()).replace('"stable"', '"Stable"'))
    wish = json.loads(json.dumps(namespace(installed=3, everywhere=True)).replace('"stable"', '"Stable"'))
    dump = write(*wish, catalog_source(), catalog=catalog)
    (subscription,) = json.loads(olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "-o", "json").out)[
        "subscriptions"
    ]
    assert [remark["kind"] for remark in subscription["remarks"]] == ["channel"]
    assert subscription["remarks"][0]["text"] == (
        "no extension can name channel Stable, so it names none: keep the version pinned, or OLM v1 takes the"
        " highest version of all channels"
    )
    assert subscription["pin"] == "3.0.0"


def test_a_package_that_no_extension_can_name(olmsolve: Run) -> None:
    """There is no way round the name of a package."""
    catalog = json.loads(json.dumps(blobs()).replace('"etcd"', '"Etcd_Operator"'))
    wish = json.loads(
        json.dumps(namespace(installed=3, everywhere=True)).replace('"name": "etcd"', '"name": "Etcd_Operator"')
    )
    dump = write(*wish, catalog_source(), catalog=catalog)
    (subscription,) = json.loads(olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "-o", "json").out)[
        "subscriptions"
    ]
    assert "unwritable" in [remark["kind"] for remark in subscription["remarks"]]
    assert "packageName must be a valid DNS1123 subdomain" in subscription["remarks"][0]["text"]
    assert subscription["pin"] is None


def test_dependencies_and_install_modes_are_remarks(olmsolve: Run) -> None:
    """Both keep an operator from OLM v1, and an administrator has to know before the move."""
    catalog = [*blobs(versions=2, v2=[HERE, NEEDS]), *blobs("vault", 1)]
    dump = write(*namespace(everywhere=True), catalog_source(), catalog=catalog)
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "-o", "json")
    assert outcome.code == 1
    (subscription,) = json.loads(outcome.out)["subscriptions"]
    assert (subscription["classic"], subscription["v1"], subscription["same"]) == ("etcd.v2", "etcd.v2", False)
    assert [remark["kind"] for remark in subscription["remarks"]] == ["start", "dependency", "install-mode"]
    # What an operator needs besides is no matter where OLM v1 does not install it.
    assert (subscription["further"], "unsupported bundle" in subscription["v1Error"]) == ([], True)
    text = olmsolve("migrate", *dump, *CLASSIC).out
    assert "it requires package vault in >=1.0.0, and OLM v1 refuses bundles with" in text


def test_dependencies_are_extensions_of_their_own(olmsolve: Run) -> None:
    """An operator that OLM v1 would install gets what it requires from further extensions."""
    dump = write(*namespace(), catalog_source(), catalog=[*blobs(versions=2, v2=[NEEDS]), *blobs("vault", 1)])
    text = olmsolve("migrate", *dump, *CLASSIC).out
    assert "also needed, each as an extension of its own: vault.v1" in text


def test_a_higher_version_off_the_chain_is_another_bundle(olmsolve: Run) -> None:
    """OLM v1 knows no chain: it takes the highest version that follows."""
    catalog = blobs()
    catalog[1]["entries"][2] = {"name": "etcd.v3", "replaces": "etcd.v2", "skips": ["etcd.v1"]}
    catalog[1]["entries"][1] = {"name": "etcd.v2"}
    dump = write(*namespace(), catalog_source(), catalog=catalog)
    (subscription,) = json.loads(olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "-o", "json").out)[
        "subscriptions"
    ]
    assert subscription["v1"] == "etcd.v3"


def test_an_extension_has_nothing_to_migrate(olmsolve: Run) -> None:
    """A mixed dump is half moved already, which is said."""
    dump = write(*namespace(installed=3, everywhere=True), catalog_source(), extension(), cluster_catalog())
    outcome = olmsolve("migrate", *dump, *CONTENTS)
    assert outcome.code == 0
    assert "ClusterExtension etcd\n\nIs an extension of OLM v1 already." in outcome.out


def test_a_package_of_a_catalog(olmsolve: Run) -> None:
    """Authors ask for all versions at once."""
    catalog = blobs(versions=4)
    catalog[1]["entries"][2] = {"name": "etcd.v3", "replaces": "etcd.v1"}
    catalog[1]["entries"][3] = {"name": "etcd.v4", "replaces": "etcd.v2", "skips": ["etcd.v3"]}
    write(catalog=catalog)
    outcome = olmsolve("migrate", "catalog.json", "etcd", "--channel", "stable", "-o", "json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    assert document["schema"] == "olmsolve.v1.differences"
    assert {difference["installed"] for difference in document["differences"]} == {"etcd.v1"}
    assert "etcd.v1: classic etcd.v2, v1 etcd.v3" in olmsolve("migrate", "catalog.json", "etcd").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("catalog.json", "nonesuch"), "the catalog has no package 'nonesuch'"),
        (("catalog.json", "etcd", "--cluster", "dump.yaml"), "CATALOG and PACKAGE exclude other requests"),
        (("--cluster", "dump.yaml", "--channel", "stable"), "--channel cannot matter"),
    ],
    ids=["package", "both", "channel"],
)
def test_what_cannot_be_compared_is_said(olmsolve: Run, arguments: tuple[str, ...], message: str) -> None:
    """One message, and the exit code of bad input."""
    write(*namespace(), catalog_source())
    outcome = olmsolve("migrate", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_versions_count_for_both_generations(olmsolve: Run) -> None:
    """An option that only one side obeyed would make a difference that is none."""
    modern = {"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.31.0"}}
    dump = write(*namespace(), catalog_source(), catalog=blobs(versions=2, v2=[modern]))
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--kubernetes", "1.30.0", "-o", "json")
    (subscription,) = json.loads(outcome.out)["subscriptions"]
    assert (subscription["classic"], subscription["v1"]) == ("etcd.v1", None)
    assert "needs Kubernetes 1.31.0" in subscription["v1Error"]


def request_with(*properties: dict[str, Any], **fields: Any) -> library.Request:
    """A request for etcd whose version 2 has *properties*; version 1 is installed."""
    document = {
        "namespaces": ["shop"],
        "catalogs": [{"name": "cat", "namespace": "shop", "blobs": blobs(versions=2, v2=list(properties))}],
        "installed": [{"name": "etcd.v1", "version": "1.0.0", "subscription": "etcd"}],
        "subscriptions": [{"name": "etcd", "package": "etcd", "channel": "stable"}],
    }
    return attrs.evolve(library.read_request(document), **fields)


def test_the_versions_that_a_request_demands_hold_for_the_extension() -> None:
    """Kubernetes is of one version for both generations; an operator group is a matter of classic OLM alone."""
    modern = {"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.31.0"}}
    everywhere = SupportsTargets("shop", ("other",))
    (migration,) = migrations(request_with(modern, eligibility=[WorksOnKubernetes("1.30.0"), everywhere])).subscriptions
    assert str(migration.v1_error).endswith("it needs Kubernetes 1.31.0, and the cluster has 1.30.0")
    (migration,) = migrations(request_with(HERE, eligibility=[WorksOnKubernetes("1.31.0"), everywhere])).subscriptions
    assert (migration.classic, migration.v1) == ("etcd.v1", "etcd.v2")


def test_a_catalog_that_cannot_be_read_fails_the_extensions_that_ask_it() -> None:
    """Classic OLM can be told to go on without it, and OLM v1 asks every catalog that the extension may use."""
    unreadable = [UnreadableSource("far", "shop", 0, "no route to it")]
    request = request_with(unreadable=unreadable, health_policy="ignore")
    (migration,) = migrations(request).subscriptions
    assert (migration.classic, migration.v1) == ("etcd.v2", "")
    assert "shop/far" in str(migration.v1_error)
    assert "no route to it" in str(migration.v1_error)
    (wish,) = request.subscriptions
    named = attrs.evolve(wish, source="cat", source_namespace="shop")
    (migration,) = migrations(attrs.evolve(request, subscriptions=[named])).subscriptions
    assert migration.v1 == "etcd.v2"


def test_a_pre_release_is_named_as_one() -> None:
    """OLM v1 takes the highest version where no range is given, and people who migrate should not be surprised."""
    entries = [
        {"name": "p.v1"},
        {"name": "p.v2", "replaces": "p.v1", "skips": ["p.v3"]},
        {"name": "p.v3", "replaces": "p.v1"},
    ]
    written: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "s"},
        {"schema": "olm.channel", "package": "p", "name": "s", "entries": entries},
    ]
    for name, version in (("p.v1", "1.0.0"), ("p.v2", "2.0.0"), ("p.v3", "3.0.0-rc1")):
        own = {"type": "olm.package", "value": {"packageName": "p", "version": version}}
        written.append({"schema": "olm.bundle", "package": "p", "name": name, "properties": [own]})
    document = {
        "namespaces": ["shop"],
        "catalogs": [{"name": "cat", "namespace": "shop", "blobs": written}],
        "installed": [{"name": "p.v1", "version": "1.0.0", "subscription": "p"}],
        "subscriptions": [{"name": "p", "package": "p", "channel": "s"}],
    }
    (migration,) = migrations(library.read_request(document)).subscriptions
    assert (migration.classic, migration.v1) == ("p.v2", "p.v3")
    assert "p.v3 is a pre-release" in " ".join(map(str, migration.remarks))
    differing = library.v1.differences(library.fbc.from_blobs(written), "p")
    (first,) = (difference for difference in differing if difference.installed == "p.v1")
    assert (first.classic, first.v1) == ("p.v2", "p.v3")
    assert "p.v3 is a pre-release" in str(first.reason)
