"""``olmsolve simulate``: what a cluster will look like, in words and as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import olmsolve as library
from olmsolve.cluster.objects import ClusterObject
from tests.cli import small_cluster as small
from tests.cli.commands import Run
from tests.simulation.small_clusters import Version, cluster, group, installed, operator, subscription

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
CATALOG = [
    {"schema": "olm.package", "name": "e", "defaultChannel": "stable"},
    {
        "schema": "olm.channel",
        "package": "e",
        "name": "stable",
        "entries": [{"name": "e.v1.0.0"}, {"name": "e.v2.0.0", "replaces": "e.v1.0.0"}],
    },
    *(
        {
            "schema": "olm.bundle",
            "package": "e",
            "name": f"e.v{version}",
            "image": f"quay.example.com/e:{version}",
            "properties": [{"type": "olm.package", "value": {"packageName": "e", "version": version}}],
        }
        for version in ("1.0.0", "2.0.0")
    ),
]
CONTENT = ("--catalog", "olm/main=catalog")


@pytest.fixture
def simulate(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command on given objects, with the catalog of this module."""
    monkeypatch.chdir(tmp_path)
    Path("catalog").write_text("\n".join(map(json.dumps, CATALOG)), "utf-8")

    def run(objects: Any, *arguments: str) -> Any:
        raw = [dict(item.raw) for item in objects if isinstance(item, ClusterObject)]
        Path("dump").write_text("\n".join(map(json.dumps, raw)), "utf-8")
        return olmsolve("simulate", "--cluster", "dump", *arguments)

    return run


def test_steps_and_the_end_are_told(simulate: Any) -> None:
    """One update, then nothing more to do."""
    outcome = simulate(cluster(group("ns"), installed("ns", "e", ONE)), *CONTENT, "--verify")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == "Step 1"
    assert "    subscription e: has e.v1.0.0 > e.v2.0.0" in outcome.out
    assert outcome.out.endswith("At rest after 1 step.\n")


def test_what_is_left_is_an_exit_code(simulate: Any) -> None:
    """A manual plan waits, unless it is approved."""
    objects = cluster(group("ns"), installed("ns", "e", ONE, approval="Manual"))
    waiting = simulate(objects, *CONTENT)
    assert (waiting.code, "waits for approval" in waiting.out) == (1, True)
    assert simulate(objects, *CONTENT, "--approve").code == 0


def test_only_the_namespace_that_is_named_is_resolved(simulate: Any) -> None:
    """The objects of the others stay as they are."""
    objects = cluster(group("one"), subscription("one", "e"), group("two"), subscription("two", "e"))
    outcome = simulate(objects, *CONTENT, "--namespace", "two")
    assert "Namespace two" in outcome.out
    assert "Namespace one" not in outcome.out
    both = simulate(objects, *CONTENT)
    assert "Namespace one" in both.out


def test_a_failed_plan_is_an_exit_code(simulate: Any) -> None:
    """The dump's plan has failed, and its subscription waits for it for ever."""
    waiting = subscription("ns", "e", has="1.0.0")
    reference = {"name": "install-1", "namespace": "ns"}
    waiting["status"] |= {"currentCSV": "e.v2.0.0", "state": "UpgradePending", "installPlanRef": reference}
    failed = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "install-1", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v2.0.0"], "approved": True, "generation": 1},
        "status": {"phase": "Failed", "message": "no permission"},
    }
    outcome = simulate(cluster(group("ns"), waiting, operator("ns", "e", ONE), failed), *CONTENT)
    assert outcome.code == 1
    assert "install plan ns/install-1 failed: no permission" in outcome.out


def test_an_approved_plan_without_steps_waits_no_longer(simulate: Any) -> None:
    """Nothing changes when it is carried out, and still it must not be reported as waiting."""
    waiting = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "install-7", "namespace": "ns"},
        "spec": {"clusterServiceVersionNames": ["e.v2.0.0"], "approved": False, "generation": 7},
        "status": {"phase": "RequiresApproval"},
    }
    objects = cluster(group("ns"), installed("ns", "e", TWO), waiting)
    assert "install plan ns/install-7 waits for approval: e.v2.0.0" in simulate(objects, *CONTENT).out
    outcome = simulate(objects, *CONTENT, "--approve")
    assert (outcome.code, outcome.out) == (0, "At rest: there is nothing to do.\n")


def test_an_operator_may_be_made_to_fail(simulate: Any) -> None:
    """The question before every upgrade: what if it does not work?"""
    objects = cluster(group("ns"), installed("ns", "e", ONE))
    outcome = simulate(objects, *CONTENT, "--failing", "ns/e.v2.0.0")
    assert outcome.code == 1
    assert "operator ns/e.v2.0.0 is Failed" in outcome.out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_everything_is_data_as_well(simulate: Any, form: str) -> None:
    """With the fields that docs/simulation.md describes."""
    outcome = simulate(cluster(group("ns"), installed("ns", "e", ONE)), *CONTENT, "-o", form, "--verify")
    document = yaml.safe_load(outcome.out)
    described = (Path(__file__).parents[2] / "docs/simulation.md").read_text("utf-8")
    for field in (*document, *document["steps"][0], *document["steps"][0]["namespaces"][0]):
        assert f"`{field}`" in described, field
    step = document["steps"][0]
    assert (document["schema"], document["ended"], document["left"]) == ("olmsolve.simulation", "rest", [])
    assert step["operators"][1] == {
        "namespace": "ns",
        "name": "e.v2.0.0",
        "phases": ["", "Pending", "InstallReady", "Succeeded"],
        "reason": "InstallSucceeded: install strategy completed with no errors",
    }
    assert step["namespaces"][0]["verified"] is True
    jsonschema.validate(step["namespaces"][0]["plan"], {"type": "object", "required": ["spec", "status"]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--catalog", "olm/main"), "not of the form [NAMESPACE/]NAME=PATH"),
        ((*CONTENT, "--catalog", "olm/mian=catalog"), "no catalog among the cluster's objects has this name"),
        ((*CONTENT, "--namespace", "other"), "no subscription is in this namespace"),
        ((*CONTENT, "--failing", "ns/e.v2.0.1"), "failing ns/e.v2.0.1: no catalog has a bundle of this name"),
        ((*CONTENT, "--steps", "0"), "not a number of steps above 0"),
        ((*CONTENT, "--kubernetes", "new"), "new"),
        ((*CONTENT, "--openshift", "four"), "four"),
    ],
    ids=[
        "no path",
        "no such catalog",
        "no such namespace",
        "no such operator",
        "no steps",
        "kubernetes",
        "openshift",
    ],
)
def test_what_is_missing_or_wrong_is_said(simulate: Any, arguments: tuple[str, ...], message: str) -> None:
    """One message names it, and no answer is printed."""
    outcome = simulate(cluster(group("ns"), installed("ns", "e", ONE)), *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_extensions_go_their_own_way_to_rest(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "At rest: there is nothing to do" would be wrong where an extension has updates, or fails."""
    monkeypatch.chdir(tmp_path)
    objects = (*small.namespace(installed=3), small.catalog_source(), small.extension(), small.extension("gone"))
    dump = small.write(*objects, small.cluster_catalog())
    outcome = olmsolve("simulate", *dump, *small.CONTENTS)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines() == [
        "At rest: there is nothing to do.",
        "",
        "Extensions of OLM v1:",
        "",
        "Round 1",
        "  etcd: etcd.v1 > etcd.v2 (main), a new major version",
        "",
        "Round 2",
        "  etcd: etcd.v2 > etcd.v3 (main), a new major version",
        "",
        "At rest after 2 rounds; some have no answer:",
        "  etcd: etcd.v3 (main) stays",
        "  gone: gone.v1 stays, and the status says: error upgrading from currently installed version",
        '      "1.0.0": no bundles found for package "gone"',
    ]
    alone = olmsolve("simulate", *dump, *small.CONTENTS, "--extension", "etcd")
    assert (alone.code, alone.out.splitlines()[-1]) == (0, "  etcd: etcd.v3 (main) stays")


def test_one_namespace_without_content_ends_no_other(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a dump does not tell of one namespace is left over, and the others go on.

    The exit code is the highest that any answer alone would have: a missing content is bad input.
    """
    monkeypatch.chdir(tmp_path)
    lab = small.namespace("lab")
    lab[1]["spec"]["sourceNamespace"] = "lab"
    own = small.catalog_source()
    own["metadata"]["namespace"] = "lab"
    dump = small.write(*small.namespace(), *lab, small.catalog_source(), own)
    outcome = olmsolve("simulate", *dump, "--catalog", "olm/cat=catalog.json")
    assert outcome.code == 2
    assert "Namespace lab: " in outcome.err
    assert "has etcd.v2 > etcd.v3" in outcome.out
    assert "namespace lab is not resolved: " in outcome.out
    assert olmsolve("simulate", *dump, "--catalog", "olm/cat=catalog.json", "--namespace", "lab").code == 2


def test_approval_matters_to_a_plan_beside_an_extension(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OLM v1 has no plans, and a dump of both generations has: only where none is simulated is the option refused."""
    monkeypatch.chdir(tmp_path)
    waiting = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "install-1", "namespace": "by-hand"},
        "spec": {"approval": "Manual", "approved": False, "clusterServiceVersionNames": []},
        "status": {"phase": "RequiresApproval"},
    }
    plan_alone = small.write(waiting)
    assert olmsolve("simulate", *plan_alone).code == 1
    assert olmsolve("simulate", *plan_alone, "--approve").code == 0
    dump = small.write(waiting, small.extension(), small.cluster_catalog())
    content = ("--catalog", "main=catalog.json")
    assert olmsolve("simulate", *dump, *content).code == 1
    assert olmsolve("simulate", *dump, *content, "--approve").code == 0
    refused = olmsolve("simulate", *dump, *content, "--approve", "--extension", "etcd")
    assert (refused.code, "--approve cannot matter: OLM v1 has no install plans" in refused.err) == (2, True)


def test_a_program_simulates_a_situation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The questions and the policy of a situation say what is simulated, and nothing is said twice."""
    monkeypatch.chdir(tmp_path)
    objects = (*small.namespace(), *small.namespace("lab"), small.catalog_source())
    small.write(*objects, small.extension(), small.cluster_catalog())
    catalogs = {"olm/cat": "catalog.json", "main": "catalog.json"}
    situation = library.read_situation("dump.yaml", catalogs=catalogs)
    simulation = library.simulate(situation, failing=["lab/etcd.v2"])
    assert simulation.extensions is not None
    assert [extension.bundle for extension in simulation.extensions.resting] == ["etcd.v3"]
    assert any("lab/etcd.v2" in str(trouble) for trouble in simulation.left)
    shop = library.simulate(situation.only(namespace="shop"), verify=True)
    assert (shop.is_settled, shop.extensions) == (True, None)
    assert {pass_.namespace for pass_ in shop.passes} == {"shop"}
    with pytest.raises(library.RequestError, match="must be a Situation"):
        library.simulate({})  # type: ignore[arg-type]
