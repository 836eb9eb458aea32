"""``olmsolve plan``: what OLM would write for a cluster, in words and as objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.cluster.objects import read_manifest
from tests.cli import small_cluster as small
from tests.cli.commands import Run

CATALOG = [
    {"schema": "olm.package", "name": "shop", "defaultChannel": "stable"},
    {
        "schema": "olm.channel",
        "package": "shop",
        "name": "stable",
        "entries": [{"name": "shop.v1"}, {"name": "shop.v2", "replaces": "shop.v1"}],
    },
    *(
        {
            "schema": "olm.bundle",
            "package": "shop",
            "name": f"shop.v{n}",
            "image": f"quay.io/shop:{n}",
            "properties": [{"type": "olm.package", "value": {"packageName": "shop", "version": f"{n}.0.0"}}],
        }
        for n in (1, 2)
    ),
]
OLM = "operators.coreos.com/v1alpha1"


def cluster(channel: str = "stable", approval: str = "Automatic", installed: str = "shop.v1") -> list[dict[str, Any]]:
    here = {"namespace": "ns"}
    return [
        {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "cat", "namespace": "olm"}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": "og", **here}},
        {
            "apiVersion": OLM,
            "kind": "Subscription",
            "metadata": {"name": "shop", **here},
            "spec": {
                "name": "shop",
                "channel": channel,
                "source": "cat",
                "sourceNamespace": "olm",
                "installPlanApproval": approval,
            },
            "status": {"currentCSV": installed},
        },
        {
            "apiVersion": OLM,
            "kind": "ClusterServiceVersion",
            "metadata": {"name": installed, **here},
            "spec": {"version": f"{installed[-1]}.0.0"},
        },
    ]


@pytest.fixture
def plan(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command on given objects, with the catalog of this module."""
    monkeypatch.chdir(tmp_path)
    Path("catalog").write_text("\n".join(map(json.dumps, CATALOG)), "utf-8")

    def run(objects: list[dict[str, Any]], *arguments: str) -> Any:
        Path("dump").write_text("\n".join(map(json.dumps, objects)), "utf-8")
        return olmsolve("plan", "--cluster", "dump", *arguments)

    return run


CONTENT = ("--catalog", "olm/cat=catalog")


def test_an_update_is_planned_and_told(plan: Any) -> None:
    """The status that OLM has not written yet (installedCSV) is noted first, as its passes would."""
    outcome = plan(cluster(), *CONTENT)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "Namespace ns",
        "  install plan 1: Installing, approval Automatic",
        "    shop.v2: to be unpacked from quay.io/shop:2, replaces shop.v1",
        "  subscription shop: UpgradePending, currentCSV shop.v2",
    ]


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_what_is_written_can_be_read_again(plan: Any, form: str) -> None:
    """A List of the plan and of the subscription that waits for it, in the shape of a cluster's objects."""
    outcome = plan(cluster(approval="Manual"), *CONTENT, "-o", form)
    assert outcome.code == 0
    document = yaml.safe_load(outcome.out)
    kinds = [item["kind"] for item in document["items"]]
    assert (document["kind"], kinds) == ("List", ["InstallPlan", "Subscription"])
    written, waiting = document["items"]
    assert (written["status"]["phase"], written["spec"]["approved"]) == ("RequiresApproval", False)
    status = waiting["status"]
    assert (status["installedCSV"], status["currentCSV"], status["state"]) == ("shop.v1", "shop.v2", "UpgradePending")
    assert len(list(read_manifest(waiting))) == 1


def test_nothing_to_do_is_said(plan: Any) -> None:
    """After the first pass noted what is installed, the head of the channel has nothing after it."""
    objects = cluster(installed="shop.v2")
    objects[2]["status"] |= {"installedCSV": "shop.v2", "state": "AtLatestKnown"}
    outcome = plan(objects, *CONTENT)
    assert (outcome.code, outcome.out) == (0, "Namespace ns\n  nothing to do\n")


@pytest.mark.parametrize("command", ["plan", "resolve", "explain", "simulate"])
@pytest.mark.parametrize("fault", ["no group", "two groups", "shared operator"])
def test_a_fault_of_the_objects_is_no_bad_input(olmsolve: Run, plan: Any, command: str, fault: str) -> None:
    """Every command ends with 1 and says why OLM resolves nothing there."""
    subscribed, group = cluster()[2], cluster()[1]
    objects = cluster()
    if fault == "no group":
        objects.remove(group)
    elif fault == "two groups":
        objects.append({**group, "metadata": {**group["metadata"], "name": "second"}})
    else:
        for name in ("shop", "again"):
            metadata, spec = {**subscribed["metadata"], "name": name}, {**subscribed["spec"], "channel": name}
            status = {"installedCSV": "shop.v1"}
            objects.append({**subscribed, "metadata": metadata, "spec": spec, "status": status})
        objects.remove(subscribed)
    plan(objects)
    outcome = olmsolve(command, "--cluster", "dump", *CONTENT)
    words = {"no group": "no operator group", "two groups": "2 operator groups (og, second)"}
    assert outcome.code == 1
    assert words.get(fault, "again") in outcome.out + outcome.err


def test_a_fault_of_one_namespace_keeps_no_other_from_being_planned(plan: Any) -> None:
    """Two subscriptions of the first namespace claim one operator; the second namespace has a plan."""
    second = {"name": "again", "namespace": "other"}
    objects = cluster()
    claim = {**objects[2], "status": {"installedCSV": "shop.v1"}}
    objects[2:3] = [
        {**claim, "metadata": {"name": name, "namespace": "ns"}, "spec": {**claim["spec"], "channel": channel}}
        for name, channel in (("a", "stable"), ("b", "elsewhere"))
    ]
    objects += [
        {**objects[1], "metadata": {**objects[1]["metadata"], "namespace": "other"}},
        {**claim, "metadata": second, "status": {}},
    ]
    outcome = plan(objects, *CONTENT)
    assert outcome.code == 1
    assert "subscriptions a and b both have shop.v1 installed" in " ".join(outcome.out.split())
    assert "shop.v2: to be unpacked from quay.io/shop:2\n" in outcome.out


def test_a_namespace_that_cannot_be_resolved_fails(plan: Any) -> None:
    """In OLM's words, which stand in the status of its subscriptions as well."""
    outcome = plan(cluster(channel="fast"), *CONTENT)
    assert outcome.code == 1
    assert (
        "not resolved: constraints not satisfiable: no operators found in channel fast of package shop" in outcome.out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--catalog", "olm/cat"), "not of the form"),
        (("--catalog", "spare=catalog"), "no catalog among the cluster's objects has this name"),
        ((*CONTENT, "--namespace", "other"), "no subscription is in this namespace"),
    ],
    ids=["no path", "no such catalog", "no such namespace"],
)
def test_what_is_missing_is_said(plan: Any, arguments: tuple[str, ...], message: str) -> None:
    """Nothing is guessed: neither a catalog's content nor a namespace."""
    outcome = plan(cluster(), *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def _with_limits(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The second version needs a newer Kubernetes, works on no newer OpenShift, and serves only all namespaces."""
    metadata = {"minKubeVersion": "1.30.0", "installModes": [{"type": "AllNamespaces", "supported": True}]}
    blobs = json.loads(json.dumps(CATALOG))
    blobs[-1]["properties"] += [
        {"type": "olm.csv.metadata", "value": metadata},
        {"type": "olm.maxOpenShiftVersion", "value": "4.17"},
    ]
    Path("catalog").write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    objects[1]["status"] = {"namespaces": ["ns"]}
    # All that happened is noted, so that nothing but an update could be planned.
    objects[2]["status"] |= {"installedCSV": "shop.v1", "state": "AtLatestKnown"}
    return objects


@pytest.mark.parametrize(
    ("arguments", "planned"),
    [
        ((), True),
        (("--kubernetes", "1.31.0", "--openshift", "4.17.2"), True),
        (("--kubernetes", "v1.29.4"), False),
        (("--openshift", "4.18.0"), False),
        (("--operator-groups",), False),
    ],
    ids=["unasked", "fits", "kubernetes", "openshift", "group"],
)
def test_what_may_not_be_installed_is_not_planned(plan: Any, arguments: tuple[str, ...], planned: bool) -> None:
    """Only the options refuse it: OLM itself would plan it, and the operator would fail."""
    outcome = plan(_with_limits(cluster()), *CONTENT, *arguments)
    assert outcome.code == 0, outcome.err
    assert ("shop.v2: to be unpacked" in outcome.out) is planned
    assert planned or "nothing to do" in outcome.out
    assert ("held back: shop.v2" in outcome.out) is not planned


@pytest.mark.parametrize("option", ["--kubernetes", "--openshift"])
def test_versions_that_are_none_are_refused(plan: Any, option: str) -> None:
    """The message quotes the text that is no version."""
    outcome = plan(cluster(), *CONTENT, option, "new")
    assert (outcome.code, outcome.out) == (2, "")
    assert "new" in outcome.err


def test_extensions_are_planned_beside_namespaces(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a cluster's future passed over without a word would be taken for all of it."""
    monkeypatch.chdir(tmp_path)
    objects = (*small.namespace(), small.catalog_source(), small.extension(), small.extension("gone"))
    dump = small.write(*objects, small.cluster_catalog())
    outcome = olmsolve("plan", *dump, *small.CONTENTS)
    assert (outcome.code, outcome.err) == (1, "")
    assert "    etcd.v2: to be unpacked from quay.example.com/etcd:2, replaces etcd.v1\n" in outcome.out
    assert "held back: etcd.v3 (stable, " in outcome.out
    assert "  etcd: etcd.v2 (main) will replace etcd.v1\n" in outcome.out
    assert "  gone: gone.v1 stays, and the status says: error upgrading from currently installed" in outcome.out
    written = olmsolve("plan", *dump, *small.CONTENTS, "-o", "yaml")
    assert 'ClusterExtension gone: error upgrading from currently installed version "1.0.0"' in written.err
    *_, extension, gone = yaml.safe_load(written.out)["items"]
    assert extension["kind"] == gone["kind"] == "ClusterExtension"
    assert extension["status"]["install"]["bundle"] == {"name": "etcd.v2", "version": "2.0.0"}
    progressing = {condition["type"]: condition for condition in extension["status"]["conditions"]}["Progressing"]
    assert (progressing["reason"], progressing["message"]) == ("Succeeded", "Desired state reached")
    progressing = {condition["type"]: condition for condition in gone["status"]["conditions"]}["Progressing"]
    assert progressing["reason"] == "Retrying"
    assert progressing["message"].startswith("error upgrading from currently installed version")


def test_one_namespace_that_cannot_be_planned_ends_no_other(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalog of a neighbour may be missing from the dump."""
    monkeypatch.chdir(tmp_path)
    lab = small.namespace("lab")
    lab[1]["spec"]["sourceNamespace"] = "lab"
    own = small.catalog_source()
    own["metadata"]["namespace"] = "lab"
    dump = small.write(
        *small.namespace(), *lab, small.catalog_source(), own, small.extension(), small.cluster_catalog()
    )
    outcome = olmsolve("plan", *dump, *small.CONTENTS)
    assert outcome.code == 2
    assert "--catalog lab/cat=PATH" in outcome.err
    assert "would do next depends on catalog lab/cat: its content was not given" in " ".join(outcome.out.split())
    assert "etcd.v2: to be unpacked" in outcome.out
    assert "etcd: etcd.v2 (main) will replace etcd.v1" in outcome.out


def test_extensions_that_need_others_say_what(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OLM v1 refuses a bundle with dependencies; the plan names what an administrator has to install besides."""
    monkeypatch.chdir(tmp_path)
    required = {"type": "olm.package.required", "value": {"packageName": "vault", "versionRange": ">=1.0.0"}}
    blobs = [*small.blobs(v2=[required]), *small.blobs("vault", 1)]
    dump = small.write(small.extension(), small.cluster_catalog(), catalog=blobs)
    outcome = olmsolve("plan", *dump, "--catalog", "main=catalog.json")
    assert outcome.code == 1
    assert "OLM v1 itself refuses it" in outcome.out
    assert "  vault.v1 (main) would be installed\n    etcd.v2 requires package vault" in outcome.out
