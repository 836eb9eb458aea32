"""``olmsolve resolve --together``: all namespaces at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Outcome, Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def gvk(*versions: str) -> list[dict[str, Any]]:
    api = {"group": "etcd.example.com", "kind": "Etcd"}
    return [{"type": "olm.gvk", "value": {**api, "version": version}} for version in versions]


def installs(outcome: Outcome) -> dict[str, list[str]]:
    """The bundles to install, by namespace."""
    assert outcome.code == 0, outcome.err
    namespaces = json.loads(outcome.out)["namespaces"]
    return {name: [install["name"] for install in plan["installs"]] for name, plan in namespaces.items()}


def test_namespaces_agree_on_the_definitions_that_they_share(olmsolve: Run) -> None:
    """The lab, which comes first, gets the head; the shop's update would bring another definition, so it waits."""
    catalog = blobs(v1=gvk("v1"), v2=gvk("v1"), v3=gvk("v1", "v2"))
    dump = write(*namespace(), *namespace("lab", installed=0), catalog_source(), catalog=catalog)
    content = CONTENTS[:2]
    alone = olmsolve("resolve", *dump, *content, "-o", "json")
    assert installs(alone) == {"lab": ["etcd.v3"], "shop": ["etcd.v2"]}
    together = olmsolve("resolve", *dump, *content, "--together", "-o", "json")
    assert installs(together) == {"lab": ["etcd.v3"], "shop": []}


def test_a_failure_of_all_is_told_once(olmsolve: Run) -> None:
    """The reasons are long, and the same for each namespace; extensions are still answered."""
    broken = namespace("lab")
    broken[1]["spec"]["channel"] = "nonesuch"
    dump = write(*namespace(), *broken, catalog_source(), extension(), cluster_catalog())
    outcome = olmsolve("resolve", *dump, *CONTENTS, "--together")
    assert outcome.code == 1
    assert outcome.out.count("these cannot hold together") == 1
    assert "Namespace shop\n\nSee namespace lab." in outcome.out
    assert "etcd.v2 will replace etcd.v1." in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--namespace", "shop"), "needs a cluster with several namespaces"),
        (("--core",), "--together gives one failure for all namespaces"),
    ],
    ids=["one", "core"],
)
def test_what_is_about_one_namespace_is_refused(olmsolve: Run, arguments: tuple[str, ...], message: str) -> None:
    """One sentence that says what is needed."""
    dump = write(*namespace(), *namespace("lab"), catalog_source())
    outcome = olmsolve("resolve", *dump, *CONTENTS[:2], "--together", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
