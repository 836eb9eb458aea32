"""``olmsolve journey``: every form of the answer, its exit codes, and arguments that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from olmsolve import Catalog, Installed, Source, Subscription
from olmsolve.catalog import blobs
from olmsolve.requests import package
from olmsolve.testing import catalog_of, catalog_source, cluster_service_version, operator_group, subscription_object
from tests.cli.commands import Run
from tests.schemas import faults

LEDGER: Final = (
    package("ledger")
    .channel("stable", "1.0.0")
    .channel("next", "1.0.0 < 2.0.0")
    .having("olm.maxOpenShiftVersion", "4.18", at="1.0.0")
)
VAULT: Final = package("vault").channel("stable", "1.0.0 < 1.1.0").having("olm.maxOpenShiftVersion", "4.19", at="1.0.0")
NOW: Final = catalog_of(LEDGER, VAULT)
THEN: Final = catalog_of(VAULT.deprecated(message="keep it under the bed"))
CALL: Final = ("--cluster", "dump.yaml", "--openshift", "4.18", "--catalog", "olm/main=now.json")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster whose ledger has to change its channel, and whose vault has to be approved."""
    monkeypatch.chdir(tmp_path)
    objects: list[Any] = [catalog_source(Source("main", "olm", 0, NOW))]
    for name, approval in (("ledger", "Automatic"), ("vault", "Manual")):
        bundle = NOW.packages[name].bundles[f"{name}.v1.0.0"]
        wish = Subscription(
            name=name,
            namespace=name,
            package=name,
            channel="stable",
            source="main",
            source_namespace="olm",
            installed_csv=bundle.name,
        )
        objects.append(operator_group("group", name, [name]))
        objects.append(subscription_object(wish, name, approval=approval))
        objects.append(cluster_service_version(Installed(bundle.name, "1.0.0", bundle.properties, name), name))
    Path("dump.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), "utf-8")
    _write("now.json", NOW)
    _write("then.json", THEN)


def _write(name: str, catalog: Catalog) -> None:
    Path(name).write_text("\n".join(map(json.dumps, blobs(catalog))), "utf-8")


def test_text_says_what_happens_by_version(olmsolve: Run) -> None:
    """The channel before the first update, the approval before the one that needs it."""
    outcome = olmsolve("journey", *CALL, "--to", "4.20")
    assert outcome.code == 0
    assert outcome.out == (
        "The cluster gets from OpenShift 4.18 to 4.20 with 2 changes by hand; OLM makes 2 updates.\n"
        "\n"
        "No content of olm/main was given for 4.19 and 4.20: there, it is assumed to have the same content as\n"
        "at the version before. The real content, and the updates in it, are not known.\n"
        "\n"
        "At OpenShift 4.18, before the update to 4.19\n"
        "  1. change subscription ledger/ledger to channel next\n"
        "     then ledger/ledger is updated from ledger.v1.0.0 to ledger.v2.0.0\n"
        "\n"
        "At OpenShift 4.19, before the update to 4.20\n"
        "  1. approve the install plan of vault.v1.1.0 in namespace vault\n"
        "     then vault/vault is updated from vault.v1.0.0 to vault.v1.1.0\n"
        "\n"
        "At OpenShift 4.20, afterwards\n"
        "  nothing changes\n"
    )


def test_text_says_what_ends_it(olmsolve: Run) -> None:
    """At 4.20 the catalog has no ledger any more."""
    outcome = olmsolve("journey", *CALL, "--to", "4.20", "--catalog", "4.20:olm/main=then.json")
    assert outcome.code == 1
    assert " ".join(outcome.out.split()).startswith(
        "The cluster does not get from OpenShift 4.18 to 4.20 with all of its operators; it gets as far as 4.19."
        " Conflict 1 ledger has to be resolved at OpenShift 4.20 otherwise: namespace ledger cannot be resolved:"
        " subscription ledger names package ledger, which is not in olm/main then: OpenShift can be updated, and"
        " installed operators stay, but ledger gets no updates ways out, all of them tried: - remove subscription"
        " ledger/ledger and operator ledger/ledger.v1.0.0 No content of olm/main was given for 4.19: there, it is"
        " assumed to have the same content as at the version before. The real content, and the updates in it, are"
        " not known. At OpenShift 4.18, before the update to 4.19"
    )


def test_a_runbook_has_commands_waits_and_checks(olmsolve: Run) -> None:
    """What is typed for a channel and for an approval, and what the cluster has to show before it goes on."""
    text = olmsolve("journey", *CALL, "--to", "4.20", "--output", "markdown").out
    wait = "oc wait subscriptions.operators.coreos.com/ledger -n ledger --timeout=15m"
    plan = (
        "plan=$(oc get subscriptions.operators.coreos.com vault -n vault -o jsonpath='{.status.installPlanRef.name}')"
    )
    working = "oc wait clusterserviceversions.operators.coreos.com/ledger.v2.0.0 -n ledger --timeout=15m"
    channel = "oc patch subscriptions.operators.coreos.com ledger -n ledger --type merge -p"
    approval = 'oc patch installplans.operators.coreos.com "$plan" -n vault --type merge -p'
    lines = text.splitlines()
    assert f"""   $ {channel} '{{"spec": {{"channel": "next"}}}}'""" in lines
    assert f"   $ {wait} --for=jsonpath='{{.status.installedCSV}}'=ledger.v2.0.0" in lines
    assert f"   $ {working} --for=jsonpath='{{.status.phase}}'=Succeeded" in lines
    assert f"   $ {plan}" in lines
    assert f"""   $ {approval} '{{"spec": {{"approved": true}}}}'""" in lines
    assert "| ledger | ledger | next | ledger.v2.0.0 | Succeeded |" in lines
    assert "$ oc adm upgrade channel stable-4.19" in lines


def test_a_runbook_without_a_stop_pauses_the_workers(olmsolve: Run) -> None:
    """Between two versions with extended support, the workers skip one, and the approval comes before."""
    text = olmsolve("journey", *CALL, "--to", "4.20", "--eus", "--output", "markdown").out
    assert """$ oc patch machineconfigpool/worker --type merge -p '{"spec": {"paused": true}}'""" in text
    assert text.index("Approve the install plan of vault.v1.1.0") < text.index("### Update the cluster")
    assert "## At OpenShift 4.19, without a stop\n\nNothing is to be done here.\n" in text
    assert "$ oc adm upgrade channel eus-4.20\n" in text
    assert """$ oc patch machineconfigpool/worker --type merge -p '{"spec": {"paused": false}}'""" in text


def test_a_runbook_of_a_journey_that_ends_says_so(olmsolve: Run) -> None:
    """It leads as far as the cluster gets, and begins with the conflict."""
    text = olmsolve(
        "journey", *CALL, "--to", "4.20", "--catalog", "4.20:olm/main=then.json", "--output", "markdown"
    ).out
    assert "**Conflict 1**\n\n- ledger has to be resolved at OpenShift 4.20; otherwise: namespace ledger" in text
    assert "- way out: remove subscription ledger/ledger and operator ledger/ledger.v1.0.0\n" in text
    assert "What follows leads to OpenShift 4.19.\n" in text


def test_data_keeps_to_its_schema(olmsolve: Run) -> None:
    """A journey that arrives, and one that does not."""
    for more in ((), ("--catalog", "4.20:olm/main=then.json")):
        document = json.loads(olmsolve("journey", *CALL, "--to", "4.20", *more, "--output", "json").out)
        assert faults("journey", document) == []
        assert document["reached"] == (not more)
    assert document["conflicts"][0]["ways"][0]["kind"] == "operatorRemoval"


def test_patches_are_manifests_with_the_changed_fields(olmsolve: Run) -> None:
    """A repository gets the new channel; an approval is no field of it."""
    text = olmsolve("journey", *CALL, "--to", "4.20", "--output", "patches").out
    assert text.startswith("# At OpenShift 4.18, before the update to 4.19: change subscription ledger/ledger to")
    assert list(yaml.safe_load_all(text)) == [
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "ledger", "namespace": "ledger"},
            "spec": {"channel": "next"},
        }
    ]
    _write(
        "now.json",
        catalog_of(package("ledger").channel("stable", "1.0.0"), package("vault").channel("stable", "1.0.0")),
    )
    there = Path("dump.yaml").read_text("utf-8").replace("olm.maxOpenShiftVersion", "olm.other")
    Path("dump.yaml").write_text(there, "utf-8")
    assert olmsolve("journey", *CALL, "--to", "4.20", "--output", "patches").out == "# no channel is to be changed\n"


def test_a_page_has_versions_and_operators(olmsolve: Run) -> None:
    """What is blocked stands in the column of the version that is not reached."""
    page = olmsolve("journey", *CALL, "--to", "4.20", "--catalog", "4.20:olm/main=then.json", "--output", "html").out
    assert '<th scope="col">4.19</th>' in page
    assert '<th scope="col" class="unreached">4.20 (not reached)</th>' in page
    assert '<td class="blocked"><span class="mark bad">blocked</span></td>' in page
    assert '<span class="arrow">v1.0.0 → v2.0.0</span>' in page
    assert '<span class="hand">channel next</span>' in page


def test_a_catalog_is_given_once_for_a_version(olmsolve: Run) -> None:
    """Twice for one version is a mistake; for two versions it is what the option is for."""
    later = ("--catalog", "4.19:olm/main=then.json")
    outcome = olmsolve("journey", *CALL, "--to", "4.20", *later, *later)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--catalog 4.19:olm/main=then.json: is given twice (a catalog has one content)" in outcome.err
    outcome = olmsolve("journey", *CALL, "--to", "4.20", "--catalog", "4.21:olm/main=then.json")
    assert "catalogs 4.21: this version is not on the way (the way is 4.18, 4.19, 4.20)" in outcome.err


def test_a_fleet_is_grouped_by_what_stops_it(olmsolve: Run) -> None:
    """Two clusters alike are stopped by the ledger, one without the ledger gets there, one cannot be read."""
    Path("fleet").mkdir()
    whole = json.loads(Path("dump.yaml").read_text("utf-8"))
    for name in ("a", "b"):
        Path(f"fleet/{name}.json").write_text(json.dumps(whole), "utf-8")
    rest = [object_ for object_ in whole["items"] if object_["metadata"].get("namespace") != "ledger"]
    Path("fleet/c.json").write_text(json.dumps({**whole, "items": rest}), "utf-8")
    Path("fleet/d.json").write_text("[", "utf-8")
    call = ("impact", "--clusters", "fleet", *CALL[2:], "--journey", "4.20", "--catalog", "4.20:olm/main=then.json")
    outcome = olmsolve(*call)
    assert outcome.code == 1
    assert " ".join(outcome.out.split()).startswith(
        "1 of 3 clusters get to OpenShift 4.20. 2 clusters: fleet/a.json, fleet/b.json"
        " - keeps a namespace or extension from being resolved at OpenShift 4.20: ledger"
        " get as far as 4.19; ways out that were tried lead to 4.20"
        " 1 cluster: fleet/c.json gets there with 1 change by hand 1 cluster without an answer: fleet/d.json: "
    )
    document = json.loads(olmsolve(*call, "--output", "json").out)
    assert faults("impact", document) == []
    assert (document["reached"], document["count"]) == (1, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--journey", "4.20", "--approve"), "--approve cannot matter: a journey is about clusters as they are"),
        (("--journey", "4.20", "--output", "html"), "--journey is printed as text, markdown, json or yaml"),
        (("--eus",), "--eus is for --journey"),
        (("--journey", "soon"), "to soon: not a version of OpenShift (for example 4.20)"),
        (("--journey", "4.20", "--catalog", "x:y"), "--catalog x:y: not of the form [NAMESPACE/]NAME=PATH[:PRIORITY]"),
    ],
)
def test_a_fleet_refuses_what_cannot_matter(olmsolve: Run, arguments: tuple[str, ...], words: str) -> None:
    """Each option either counts or is refused."""
    outcome = olmsolve("impact", "--clusters", "dump.yaml", *CALL[2:], *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_a_fleet_needs_catalogs_and_clusters(olmsolve: Run) -> None:
    """Without content there is nothing to ask, and a fleet of unreadable clusters has no answer."""
    outcome = olmsolve("impact", "--clusters", "dump.yaml", "--journey", "4.20")
    assert "--journey without --catalog, which says what the catalogs contain at each version" in outcome.err
    Path("broken.json").write_text("[", "utf-8")
    outcome = olmsolve("impact", "--clusters", "broken.json", *CALL[2:], "--journey", "4.20")
    assert outcome.code == 2
    assert "--clusters: no cluster can be read" in outcome.err
    outcome = olmsolve("impact", "--clusters", "dump.yaml", "--journey", "4.20", "--catalog", "olm/main=now.json")
    assert "no ClusterVersion among the objects gives today's version" in outcome.out
