"""``blocking``, ``groups`` and ``metrics``: reports about a whole cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run
from tests.cli.small_cluster import (
    CONTENTS,
    blobs,
    catalog_source,
    cluster_catalog,
    extension,
    namespace,
    write,
)

LIMIT = {"type": "olm.maxOpenShiftVersion", "value": "4.18"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def limited(name: str = "shop") -> list[dict[str, Any]]:
    """A namespace whose operator works up to OpenShift 4.18."""
    group, wish, csv = namespace(name)
    csv["metadata"]["annotations"] = {"operatorframework.io/properties": json.dumps({"properties": [LIMIT]})}
    csv["spec"]["installModes"] = [{"type": "OwnNamespace", "supported": True}]
    return [group, wish, csv]


def test_what_blocks_the_next_version_and_what_frees_it(olmsolve: Run) -> None:
    """Both generations of OLM block one cluster, so one command tells of both."""
    dump = write(*limited(), catalog_source(), extension(), cluster_catalog(), catalog=blobs(v1=[LIMIT]))
    outcome = olmsolve("blocking", *dump, *CONTENTS, "--openshift", "4.18.3")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines() == [
        "2 installed bundles block the update to OpenShift 4.19:",
        "  shop/etcd.v1 works up to OpenShift 4.18",
        "    freed where subscription etcd gets etcd.v2, then etcd.v3",
        "  etcd.v1 of extension etcd works up to OpenShift 4.18",
        "    freed once it gets etcd.v2",
    ]
    data = json.loads(olmsolve("blocking", *dump, *CONTENTS, "--openshift", "4.18.3", "-o", "json").out)
    assert (data["schema"], data["update"], data["blocked"], data["freed"]) == ("olmsolve.blocking", "4.19", True, True)
    assert olmsolve("blocking", *dump, *CONTENTS, "--openshift", "4.17.0").code == 0


def test_one_question_of_a_cluster_can_be_asked_alone(olmsolve: Run) -> None:
    """A team asks for its own namespace."""
    dump = write(*limited(), *limited("lab"), catalog_source(), extension(), cluster_catalog())
    for chosen, names in ((("--namespace", "lab"), ["lab"]), (("--extension", "etcd"), [])):
        outcome = olmsolve("blocking", *dump, *CONTENTS, "--openshift", "4.18.3", *chosen, "-o", "json")
        assert [operator["namespace"] for operator in json.loads(outcome.out)["operators"]] == names


def test_a_request_blocks_by_what_it_has_installed(olmsolve: Run) -> None:
    """A document has no objects, and says what is installed."""
    write(catalog=blobs(v1=[LIMIT]))
    wish = ("--catalog", "cat=catalog.json", "--subscribe", "etcd", "--installed", "etcd.v1")
    outcome = olmsolve("blocking", *wish, "--openshift", "4.18.3")
    assert outcome.code == 1
    assert "etcd.v1 works up to OpenShift 4.18" in outcome.out


def test_blocking_needs_the_version_of_the_cluster(olmsolve: Run) -> None:
    """Nothing is guessed."""
    outcome = olmsolve("blocking", *write(*limited(), catalog_source()))
    assert (outcome.code, outcome.out) == (2, "")
    assert "the following arguments are required: --openshift" in outcome.err


def test_groups_and_operators_that_may_not_act(olmsolve: Run) -> None:
    """An operator that serves all namespaces only may not act in a group for one."""
    lab = namespace("lab")
    lab[2]["spec"]["installModes"] = [{"type": "AllNamespaces", "supported": True}]
    dump = write(*limited(), *lab)
    outcome = olmsolve("groups", *dump)
    assert (outcome.code, outcome.err) == (1, "")
    assert "UnsupportedOperatorGroup" in outcome.out
    assert olmsolve("groups", *dump, "--namespace", "shop").code == 0
    data = json.loads(olmsolve("groups", *dump, "-o", "json").out)
    assert data["schema"] == "olmsolve.groups"
    assert [group["namespace"] for group in data["groups"]] == ["lab", "shop"]


def test_groups_of_a_namespace_without_subscriptions(olmsolve: Run) -> None:
    """The report lists groups and operators that nobody subscribed to, so a namespace of theirs can be chosen."""
    lab = namespace("lab")
    del lab[1]
    dump = write(*limited(), *lab)
    document = json.loads(olmsolve("groups", *dump, "--namespace", "lab", "-o", "json").out)
    assert [item["namespace"] for item in (*document["groups"], *document["operators"])] == ["lab", "lab"]
    outcome = olmsolve("groups", *dump, "--namespace", "lap")
    assert (outcome.code, outcome.out) == (2, "")
    assert "namespace lap: no operator group and no operator is in this namespace (did you mean lab?)" in outcome.err


def test_metrics_now_and_at_rest(olmsolve: Run) -> None:
    """Dashboards can be tried on a future of the cluster."""
    dump = write(*limited(), catalog_source(), extension(), cluster_catalog())
    now = json.loads(olmsolve("metrics", *dump, "-o", "json").out)
    assert now["schema"] == "olmsolve.metrics"
    counts = {family["name"]: [sample["value"] for sample in family["samples"]] for family in now["families"]}
    assert (counts["subscription_count"], counts["install_plan_count"]) == ([1.0], [0.0])
    later = olmsolve("metrics", *dump, *CONTENTS, "--simulated", "-o", "json")
    assert later.code == 0, later.err
    counts = {
        family["name"]: [sample["value"] for sample in family["samples"]]
        for family in json.loads(later.out)["families"]
    }
    assert (counts["csv_upgrade_count"], counts["install_plan_count"]) == ([2.0], [2.0])


def test_metrics_for_prometheus(olmsolve: Run) -> None:
    """The text that Prometheus scrapes names each family once."""
    pytest.importorskip("prometheus_client")
    dump = write(*limited(), catalog_source())
    lines = olmsolve("metrics", *dump, "-o", "prometheus").out.splitlines()
    assert lines.count("# TYPE subscription_count gauge") == 1
    assert "subscription_count 1.0" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("groups", "--extension", "etcd"), "--extension cannot matter"),
        (("groups", "--semantics", "controller"), "--semantics cannot matter"),
        (("groups", "--catalog", "olm/cat=catalog.json"), "--catalog cannot matter"),
        (("metrics", "--catalog", "olm/cat=catalog.json"), "--catalog cannot matter"),
        (("metrics", "--namespace", "shop"), "--namespace cannot matter"),
        (("metrics", "--kubernetes", "1.30.0"), "--kubernetes cannot matter"),
    ],
    ids=" ".join,
)
def test_options_that_cannot_matter_are_refused(olmsolve: Run, arguments: tuple[str, ...], message: str) -> None:
    """An option that is passed over makes people believe an answer that they did not get."""
    outcome = olmsolve(*arguments, *write(*limited(), catalog_source(), extension()))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_working_operator_without_install_modes_is_judged_alike(olmsolve: Run) -> None:
    """A dump may be shortened by hand: whether such an operator may act must not depend on the command."""
    dump = write(*namespace(installed=3), catalog_source())
    simulated = olmsolve("simulate", *dump, "--catalog", "olm/cat=catalog.json")
    groups = olmsolve("groups", *dump)
    assert (groups.code, simulated.code) == (0, 0)
    assert "Unsupported" not in groups.out + simulated.out
