"""What is held back, as ``resolve``, ``explain`` and ``plan`` tell it: with one sentence for one cause."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import olmsolve as library
from olmsolve._limits import current
from olmsolve.errors import Incomplete
from tests.cli.commands import Run
from tests.cli.small_cluster import OLM, blobs, catalog_source, namespace, write

EXAMPLES = Path(library.__file__).parent / "examples"
CONTENT = ("--catalog", "olm/cat=catalog.json", "--namespace", "shop")
BEYOND = "etcd.v3 (stable, olm/cat): updates lead to it in 2 steps, the next to etcd.v2"


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
    text = " ".join(outcome.out.split())
    assert BEYOND.partition(": ")[2] in text
    assert "etcd.v3 (" in text


@pytest.mark.parametrize("verb", ["resolve", "explain", "plan"])
def test_an_install_plan_that_waits(olmsolve: Run, verb: str) -> None:
    """No resolution can tell it: it is in the objects of the cluster alone."""
    dump = write(*namespace(), catalog_source(), waiting_plan())
    outcome = olmsolve(verb, *dump, *CONTENT)
    assert "install plan shop/install-abc waits for approval: etcd.v2" in outcome.out


def test_both_are_data(olmsolve: Run) -> None:
    """Programs that watch clusters read the kinds, not the sentences."""
    dump = write(*namespace(), catalog_source(), waiting_plan())
    document = json.loads(olmsolve("resolve", *dump, *CONTENT, "-o", "json").out)
    ((newer,),) = [operator["heldBack"] for operator in document["heldBack"]]
    assert (newer["bundle"], newer["because"], newer["text"]) == ("etcd.v3", "later", BEYOND)
    assert [hindrance["kind"] for hindrance in document["hindrances"]] == ["planWaits"]
    explained = json.loads(olmsolve("explain", *dump, *CONTENT, "-o", "json").out)
    assert explained["heldBack"] == [newer]
    assert explained["hindrances"] == document["hindrances"]


def test_nothing_is_said_where_nothing_is_held_back(olmsolve: Run) -> None:
    """An operator at the head of its channel needs no words."""
    dump = write(*namespace(installed=3), catalog_source(), catalog=blobs())
    for verb in ("resolve", "explain", "plan"):
        outcome = olmsolve(verb, *dump, *CONTENT)
        assert outcome.code == 0
        assert "eld back" not in outcome.out
        assert "objects say" not in outcome.out


def spent(seen: list[float]) -> Callable[..., Any]:
    """Return a stand-in for a question that notes its time limit and does not finish within it."""

    def ask(*_: Any, **__: Any) -> Any:
        seconds_left = current().seconds_left()
        assert seconds_left is not None
        seen.append(seconds_left)
        raise Incomplete("timeout")

    return ask


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_time_limit_leaves_the_plan(olmsolve: Run, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """The plan is the answer: it is not thrown away because what is held back takes longer than the rest of the limit.

    JSON then has no "heldBack", because an empty list would say that nothing is.
    """
    seen: list[float] = []
    monkeypatch.setattr("olmsolve.held_back", spent(seen))
    arguments = (*write(*namespace(), catalog_source()), *CONTENT, "-o", form)
    outcome = olmsolve("resolve", *arguments, "--timeout", "60")
    assert outcome.code == 0
    assert outcome.err == "olmsolve: namespace shop: what OLM holds back was not found within --timeout\n"
    assert "etcd.v3" not in outcome.out
    assert "heldBack" not in outcome.out
    (seconds_left,) = seen
    assert 0 < seconds_left < 60, "what resolving took is subtracted"


def test_the_time_limit_leaves_the_failure(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure that cannot be explained in time is still told, as the constraints that cannot hold together."""
    seen: list[float] = []
    monkeypatch.setattr("olmsolve.explanation", spent(seen))
    example = EXAMPLES / "unsatisfiable.yaml"
    outcome = olmsolve("resolve", example, "--timeout", "60")
    assert outcome.code == 1
    assert outcome.out == olmsolve("resolve", example, "--core").out
    assert outcome.err.endswith(": why there is no plan was not explained within --timeout\n")
    (seconds_left,) = seen
    assert 0 < seconds_left < 60


def test_explain_has_one_time_limit(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What resolving took is not there for the explanation."""
    seen: list[float] = []
    monkeypatch.setattr("olmsolve.explanation", spent(seen))
    outcome = olmsolve("explain", EXAMPLES / "unsatisfiable.yaml", "--timeout", "60")
    assert outcome.code == 3
    assert 0 < seen[0] < 60
