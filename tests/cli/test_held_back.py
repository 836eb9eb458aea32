"""What is held back, as ``resolve``, ``explain`` and ``plan`` tell it: with one sentence for one cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run
from tests.cli.small_cluster import OLM, blobs, catalog_source, namespace, write

CONTENT = ("--catalog", "olm/cat=catalog.json", "--namespace", "shop")
BEYOND = "etcd.v3 (stable, olm/cat): automatic updates reach it in 2 steps, the next to etcd.v2"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def waiting_plan() -> dict[str, Any]:
    """An install plan that nobody has approved."""
    spec = {"approval": "Manual", "approved": False, "generation": 1, "clusterServiceVersionNames": ["etcd.v2"]}
    return {
        "apiVersion": OLM,
        "kind": "InstallPlan",
        "metadata": {"name": "install-abc", "namespace": "shop"},
        "spec": spec,
        "status": {"phase": "RequiresApproval"},
    }


@pytest.mark.parametrize("verb", ["resolve", "explain", "plan"])
def test_a_newer_bundle_and_what_keeps_it_away(olmsolve: Run, verb: str) -> None:
    """ "Why is nothing happening?" is asked of all three, and they must not contradict each other."""
    outcome = olmsolve(verb, *write(*namespace(), catalog_source()), *CONTENT)
    assert (outcome.code, outcome.err) == (0, "")
    said = " ".join(outcome.out.split())
    assert BEYOND.partition(": ")[2] in said
    assert "etcd.v3 (" in said


@pytest.mark.parametrize("verb", ["resolve", "explain", "plan"])
def test_an_install_plan_that_waits(olmsolve: Run, verb: str) -> None:
    """No resolution can tell it: it is in the objects of the cluster alone."""
    dump = write(*namespace(), catalog_source(), waiting_plan())
    outcome = olmsolve(verb, *dump, *CONTENT)
    assert "install plan shop/install-abc waits for approval: etcd.v2" in outcome.out


def test_both_are_data(olmsolve: Run) -> None:
    """Programs that watch clusters read the kinds, not the sentences."""
    dump = write(*namespace(), catalog_source(), waiting_plan())
    found = json.loads(olmsolve("resolve", *dump, *CONTENT, "-o", "json").out)
    ((newer,),) = [each["heldBack"] for each in found["heldBack"]]
    assert (newer["bundle"], newer["because"], newer["text"]) == ("etcd.v3", "later", BEYOND)
    assert [each["kind"] for each in found["hindrances"]] == ["planWaits"]
    explained = json.loads(olmsolve("explain", *dump, *CONTENT, "-o", "json").out)
    assert explained["heldBack"] == [newer]
    assert explained["hindrances"] == found["hindrances"]


def test_nothing_is_said_where_nothing_is_held_back(olmsolve: Run) -> None:
    """An operator at the head of its channel needs no words."""
    dump = write(*namespace(installed=3), catalog_source(), catalog=blobs())
    for verb in ("resolve", "explain", "plan"):
        outcome = olmsolve(verb, *dump, *CONTENT)
        assert outcome.code == 0
        assert "eld back" not in outcome.out
        assert "objects say" not in outcome.out
