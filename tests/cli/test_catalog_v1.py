"""``olmsolve catalog v1``: what OLM v1 makes of the bundles, the channels and the updates of a catalog."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import Severity, lint, load
from olmsolve.authoring import installable
from tests.cli.commands import Run
from tests.cli.small_cluster import blobs
from tests.recorded import real_catalog

EVERYWHERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "AllNamespaces", "supported": True}]}}
HERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "OwnNamespace", "supported": True}]}}
NEEDS = {"type": "olm.package.required", "value": {"packageName": "vault", "versionRange": ">=1.0.0"}}


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    """A package with a bundle of each verdict, in a channel that no extension can name."""
    content = blobs(versions=4, v1=[EVERYWHERE], v2=[HERE], v3=[EVERYWHERE, NEEDS])
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(json.dumps(blob).replace('"stable"', '"Stable"') for blob in content))
    return str(path)


def test_each_bundle_has_its_verdict(olmsolve: Run, catalog: str) -> None:
    """An author has to know which version nobody can install, by which rule, and what to change."""
    outcome = olmsolve("catalog", "v1", catalog, "--output", "json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    verdicts = {bundle["bundle"]: (bundle["verdict"], bundle["rule"]) for bundle in document["bundles"]}
    assert verdicts == {
        "etcd.v4": ("unknown", None),
        "etcd.v3": ("refused", "dependency"),
        "etcd.v2": ("refused", "install-mode"),
        "etcd.v1": ("installable", None),
    }
    assert [channel["channel"] for channel in document["channels"]] == ["Stable"]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_people_read_the_words_of_both(olmsolve: Run, catalog: str, form: str) -> None:
    """The controller's words can be searched for, and ours say what to do."""
    text = " ".join(olmsolve("catalog", "v1", catalog, "--output", form).out.split())
    assert "4 bundles: OLM v1 installs 1, refuses 2, and of 1 the catalog does not say enough." in text
    assert "etcd.v2: unsupported bundle: bundle does not support AllNamespaces install mode; " in text
    assert "channel Stable: a lowercase RFC 1123 subdomain must consist of" in text


def manifests(**spec: Any) -> list[dict[str, Any]]:
    """Return the properties of a bundle that brings an operator with this *spec*, or a ConfigMap alone."""
    operator = {"kind": "ClusterServiceVersion", "metadata": {"name": "etcd"}, "spec": spec}
    data = base64.b64encode(json.dumps(operator if spec else {"kind": "ConfigMap"}).encode()).decode()
    return [{"type": "olm.bundle.object", "value": {"data": data}}]


MODES = [{"type": "AllNamespaces", "supported": True}]
HOOK = {"type": "ValidatingAdmissionWebhook", "generateName": "etcd.example.com", "deploymentName": "none"}


@pytest.mark.parametrize(
    ("properties", "gates", "reason"),
    [
        (
            manifests(apiservicedefinitions={"owned": [{"name": "etcds"}]}),
            "",
            "its operator brings an API service (its operator brings an aggregated API server, which OLM v1 never",
        ),
        ([NEEDS], "", "it declares a dependency (publish a bundle without dependencies"),
        ([HERE], "", "its operator does not serve all namespaces (its operator supports OwnNamespace"),
        (manifests(), "", "it brings no operator (the bundle brings no operator"),
        (
            manifests(installModes=MODES, webhookdefinitions=[HOOK]),
            "",
            "its manifests break a rule: webhook of type 'ValidatingAdmissionWebhook' with name 'etcd.example.com' ",
        ),
        (
            manifests(installModes=MODES, webhookdefinitions=[HOOK]),
            "WebhookProviderCertManager=false,WebhookProviderOpenshiftServiceCA=false",
            "its operator brings webhooks (its operator brings webhooks, which need",
        ),
    ],
    ids=["API service", "dependency", "install mode", "no operator", "validator", "webhook"],
)
def test_each_rule_has_its_words(
    olmsolve: Run, tmp_path: Path, properties: list[dict[str, Any]], gates: str, reason: str
) -> None:
    """As results for scanners; the gates are the ones of the controller that the author has in mind."""
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, blobs(versions=1, v1=properties))))
    options = ["--feature-gates", gates] if gates else []
    (run,) = json.loads(olmsolve("catalog", "v1", str(path), "--output", "sarif", *options).out)["runs"]
    (result,) = run["results"]
    assert f"OLM v1 refuses the bundle, because {reason}" in result["message"]["text"]


@pytest.mark.parametrize("mode", ["OwnNamespace", "SingleNamespace"])
def test_a_gate_lets_bundles_for_one_namespace_pass(olmsolve: Run, tmp_path: Path, mode: str) -> None:
    """The extension has to name it, which is no fault of the bundle; a wrong gate is an error."""
    path = tmp_path / "catalog.json"
    one = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": mode, "supported": True}]}}
    path.write_text("\n".join(map(json.dumps, blobs(versions=1, v1=[one]))))
    own = ["--feature-gates", "SingleOwnNamespaceInstallSupport=true", "--output", "json"]
    outcome = olmsolve("catalog", "v1", str(path), *own)
    assert outcome.code == 0
    note = "an extension has to name the namespace to watch (spec.config.inline.watchNamespace)"
    assert json.loads(outcome.out)["bundles"][0]["note"] == note
    assert olmsolve("catalog", "v1", str(path)).code == 1
    assert olmsolve("catalog", "v1", str(path), "--feature-gates", "Sing=true").code == 2


def test_nothing_refused_is_clean(olmsolve: Run, tmp_path: Path) -> None:
    """Continuous integration asks by exit code."""
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, blobs(versions=1, v1=[EVERYWHERE]))))
    outcome = olmsolve("catalog", "v1", str(path), "--package", "etcd")
    text = "1 bundle: OLM v1 installs 1, refuses 0. What the manifests of 1 decide is not known.\n"
    assert (outcome.code, outcome.out) == (0, text)
    assert olmsolve("catalog", "v1", str(path), "--package", "nonesuch").code == 2


def definition(type_: str) -> dict[str, Any]:
    """Return the property with the definition of an API whose field has the type *type_*."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": type_}}}}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "etcds.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Etcd", "plural": "etcds"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    data = base64.b64encode(json.dumps(manifest).encode()).decode()
    return {"type": "olm.bundle.object", "value": {"data": data}}


def test_an_update_that_breaks_objects_is_named(olmsolve: Run, tmp_path: Path) -> None:
    """The type of a field changes from the first version to the second, and stays then."""
    number, text = definition("integer"), definition("string")
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, blobs(v1=[number], v2=[text], v3=[text]))))
    document = json.loads(olmsolve("catalog", "v1", str(path), "--output", "json").out)
    assert [(update["before"], update["bundle"]) for update in document["updates"]] == [("etcd.v1", "etcd.v2")]
    assert 'validating upgrade for CRD "etcds.example.com"' in document["updates"][0]["reason"]
    printed = " ".join(olmsolve("catalog", "v1", str(path)).out.split())
    assert f"update from etcd.v1 to etcd.v2: {document['updates'][0]['reason']}; " in printed


@pytest.mark.parametrize("edge", [{"skips": ["etcd.v1"]}, {"skipRange": ">=1.0.0 <3.0.0"}], ids=["skips", "skipRange"])
def test_updates_by_every_edge_are_looked_at(olmsolve: Run, tmp_path: Path, edge: dict[str, Any]) -> None:
    """From version 1 to 3 in one step: version 2 has the definition of version 1, so that 3 breaks both."""
    content = blobs(v1=[definition("integer")], v2=[definition("integer")], v3=[definition("string")])
    content[1]["entries"][2] |= edge
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, content)))
    document = json.loads(olmsolve("catalog", "v1", str(path), "--output", "json").out)
    assert [(update["before"], update["bundle"]) for update in document["updates"]] == [
        ("etcd.v2", "etcd.v3"),
        ("etcd.v1", "etcd.v3"),
    ]
    text = " ".join(olmsolve("catalog", "v1", str(path)).out.split())
    assert "update from etcd.v2, etcd.v1 to etcd.v3: validating upgrade for CRD" in text


def test_scanners_of_code_get_sarif(olmsolve: Run, tmp_path: Path) -> None:
    """Each refusal is a result at its document, by a rule of its kind; lints have one for all that are alike."""
    broken = {**HERE, "value": {"installModes": [{"type": "MultiNamespace", "supported": True}]}}
    content = blobs(
        versions=4, v1=[definition("integer"), HERE], v2=[definition("string"), HERE], v3=[broken], v4=[NEEDS]
    )
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(json.dumps(blob).replace('"stable"', '"Stable"') for blob in content))
    outcome = olmsolve("catalog", "v1", str(path), "--output", "sarif")
    assert outcome.code == 1
    (run,) = json.loads(outcome.out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["v1-bundle", "v1-channel", "v1-update"]
    lines = {
        (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
        for result in run["results"]
    }
    assert lines == {("v1-channel", 2), *(("v1-bundle", line) for line in (3, 4, 5, 6)), ("v1-update", 4)}
    findings = lint(load(str(path)))
    assert [
        (finding.code, finding.severity, finding.bundle or finding.channel)
        for finding in findings
        if finding.code[:3] == "v1-"
    ] == [
        ("v1-channel", Severity.WARNING, "Stable"),
        ("v1-bundle", Severity.WARNING, "etcd.v3"),
        ("v1-bundle", Severity.WARNING, "etcd.v2"),
        ("v1-update", Severity.WARNING, "etcd.v2"),
    ]
    assert "the same in 1 other bundle: etcd.v1" in next(
        str(finding) for finding in findings if finding.bundle == "etcd.v2"
    )
    assert "OLM v1 refuses the update from etcd.v1: validating upgrade" in str(findings[-1])


def test_a_real_catalog_as_the_documentation_tells() -> None:
    """docs/v1.md has these numbers; the two channels are real."""
    report = installable(real_catalog("fbc-v4.20-full.tar.gz"))
    rules = [bundle.rule for bundle in report.refused]
    assert (len(report.bundles), rules.count("install-mode"), rules.count("dependency")) == (803, 53, 18)
    assert len(rules) == 71
    assert [channel.channel for channel in report.channels] == ["Fast", "Stable"]
    assert report.updates == ()
