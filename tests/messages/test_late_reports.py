"""Sentences of reports about clusters, catalogs and journeys, and refusals of servers, that no other test produces."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Final

import pytest

import olmsolve
from olmsolve import Ending, Journey, RequestError, Simulation, render
from olmsolve.answers.auditing import AuditedPackage, AuditReport, RecordedReason, UpdateNotInstallable
from olmsolve.authoring.compose import diff_catalogs
from olmsolve.cluster import ClusterState, GroupWithoutTargets, OperatorNotWorking
from olmsolve.lifecycle.impact import ClusterImpact, WaitingBundles
from olmsolve.lifecycle.journey import JourneyConflict, JourneyReason, JourneyRule, JourneyStage
from olmsolve.lifecycle.planning import OperatorWillStop
from olmsolve.lifecycle.ways_out import HideGlobalCatalogs, cluster_ways_out
from olmsolve.render import catalog_diff_markdown, cluster_change_commands
from olmsolve.render.impact import impact_lines
from olmsolve.requests import ClusterSituation
from olmsolve.serving import NotServedError, Registry, RegistryServer, ServedCatalog
from tests.cluster.manifests import csv, group, state

ORCHARD: Final = Path(olmsolve.__file__).parent / "examples" / "catalogs" / "orchard"
_GVK: Final = {"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "Shop"}}


def words(text: str) -> str:
    """Return *text* in one line, as a report breaks lines where its width asks for it."""
    return " ".join(text.split())


def test_an_operator_that_several_bundles_stop() -> None:
    """All of the plan's bundles are named: which of them does it is seen only once they are there."""
    stops = OperatorWillStop("ns", "ns/op.v1", "Failed", "a reason", ("a.v1", "b.v1"))
    assert "operator ns/op.v1 will stop working once a.v1, b.v1 are installed: it becomes Failed" in str(stops)


def test_an_operator_that_olm_installs_anew() -> None:
    """Nobody has to do anything at first, and whoever reads it learns what is left if that fails."""
    cluster = state(csv("ns", targets="ns", phase="Pending", reason="NeedsReinstall"), group("ns", ["ns"]))
    hindrance = OperatorNotWorking("ns", "op.v1", "Pending", "NeedsReinstall", "its requirements are met again")
    [way] = cluster_ways_out(ClusterSituation(cluster, {}), "ns", [hindrance])
    assert "OLM installs it again; if that fails too, only another version can work" in str(way.change)


def test_global_catalogs_are_hidden_by_an_annotation() -> None:
    """The command is for all groups of the namespace: OLM reads any."""
    [command] = cluster_change_commands(HideGlobalCatalogs("ns"))
    annotation = "olm.operatorframework.io/exclude-global-namespace-resolution=true"
    assert command == f"kubectl annotate operatorgroup.operators.coreos.com --all --namespace ns {annotation}"


@pytest.mark.parametrize("stays", [True, False])
def test_updates_that_fail_alike_are_told_at_once(stays: bool) -> None:
    """Several bundles with one cause are one sentence, which says whether they can stay."""
    because = (RecordedReason("no bundle provides the API"),)
    findings = tuple(
        UpdateNotInstallable(
            "olm/main", "a", "stable", name, (name,), () if stays else because, ("a.v3",), reasons=because
        )
        for name in ("a.v1", "a.v2")
    )
    report = AuditReport(("olm/main",), "controller", (AuditedPackage("olm/main", "a", 3, (), findings),))
    consequence = "" if stays else "; and these bundles cannot stay installed"
    sentence = f"in channel stable, no update of these can be installed{consequence}: a.v1, a.v2"
    assert sentence in words(render.audit_text(report))


def test_blobs_of_no_package_have_a_heading() -> None:
    """A review names the package of each table, and blobs of foreign schemas need not have one."""
    old = olmsolve.fbc.from_blobs([{"schema": "olm.package", "name": "a", "defaultChannel": ""}])
    new = olmsolve.fbc.from_blobs(
        [{"schema": "olm.package", "name": "a", "defaultChannel": ""}, {"schema": "example.com", "name": "x"}]
    )
    assert catalog_diff_markdown(diff_catalogs(old, new)).startswith("### Blobs of no package\n")


def test_an_extension_whose_manifests_nobody_has() -> None:
    """What only manifests tell is said to be unknown, and not left out."""
    text = render.extension_text(
        {
            "bundle": "shop.v1",
            "installed": "",
            "version": "1.0.0",
            "release": None,
            "catalog": "main",
            "channels": [],
            "unknown": ["manifests"],
            "warnings": [],
            "explanation": {"catalogs": []},
        }
    )
    assert (
        "The catalog does not have its manifests, so these are not known: webhooks, changes of definitions, and"
        " objects that others have."
    ) in words(text)


def test_several_packages_in_the_way_of_a_journey() -> None:
    """A namespace has many packages: every form names those that stand in the way."""
    reason = JourneyReason("4.19", JourneyRule.RESOLVES, "shop", package="vault, till")
    journey = Journey("4.18", "4.19", "4.18", (JourneyStage("4.18", "1.31"),), (JourneyConflict((reason,)),))
    assert "\n    in the way: vault, till\n" in render.journey_text(journey)
    assert "at OpenShift 4.19; in the way: vault, till. Then: " in render.journey_markdown(journey)
    assert "<li>in the way: vault, till</li>" in render.journey_html(journey)


def test_what_objects_say_on_the_page_of_a_simulation() -> None:
    """What OLM had reported before the first step stands apart from what is left."""
    reports = (GroupWithoutTargets("ns", "og", "no target"),)
    page = render.simulation_html(Simulation((), Ending.REST, ClusterState(), (), reports=reports))
    assert "<h2>The cluster's objects say</h2>" in page.replace("&#x27;", "'").replace("&#39;", "'")


def test_a_plan_without_bundles_waits() -> None:
    """A plan that has steps and no operators waits for approval like any other."""
    impact = ClusterImpact(waiting=(WaitingBundles("ns", ()),))
    assert list(map(str, impact_lines(impact))) == [
        "waits for approval: namespace ns gets an install plan without bundles once somebody approves it"
    ]


def test_an_api_that_no_default_channel_provides() -> None:
    """As opm answers: the head of another channel is there, and is no default."""
    catalog = olmsolve.fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "a", "defaultChannel": "stable"},
            *(
                {"schema": "olm.channel", "package": "a", "name": channel, "entries": [{"name": name}]}
                for channel, name in (("stable", "a.v1.0.0"), ("alpha", "a.v2.0.0"))
            ),
            *(
                {
                    "schema": "olm.bundle",
                    "package": "a",
                    "name": f"a.v{version}",
                    "image": f"example.com/a:{version}",
                    "properties": [
                        {"type": "olm.package", "value": {"packageName": "a", "version": version}},
                        *apis,
                    ],
                }
                for version, apis in (("1.0.0", []), ("2.0.0", [_GVK]))
            ),
        ]
    )
    answer = Registry(catalog).call("GetDefaultBundleThatProvides", {1: "example.com", 2: "v1", 3: "Shop"})
    with pytest.raises(NotServedError, match=r"^no entry found that provides .*Shop"):
        list(answer)


def test_a_port_that_is_taken_while_a_server_reconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives up after its tries and says so, rather than to serve nobody."""
    pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    monkeypatch.setattr("olmsolve.serving.grpc_server._TRIES", 2)
    monkeypatch.setattr("olmsolve.serving.grpc_server._PAUSE", 0.0)
    server = RegistryServer(ServedCatalog(str(ORCHARD), olmsolve.load), "127.0.0.1", 0)
    server.start()
    server.stop()
    pattern = re.escape(f"127.0.0.1:{server.port} cannot be listened on again")
    with socket.create_server(("127.0.0.1", server.port)), pytest.raises(RequestError, match=pattern):
        server.reconnect()
