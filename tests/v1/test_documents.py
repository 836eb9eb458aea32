"""Documents and cluster objects that ask OLM v1, read from YAML as people write them."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import CatalogError, RequestError, classic, v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.cli import main

CATALOG = """\
{"schema": "olm.package", "name": "p", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1.0.0"},
 {"name": "p.v2.0.0", "replaces": "p.v1.0.0"}, {"name": "p.v3.0.0", "replaces": "p.v2.0.0"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "properties":
 [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v2.0.0", "properties":
 [{"type": "olm.package", "value": {"packageName": "p", "version": "2.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v3.0.0", "properties":
 [{"type": "olm.package", "value": {"packageName": "p", "version": "3.0.0"}}]}
{"schema": "olm.deprecations", "package": "p", "entries":
 [{"reference": {"schema": "olm.package"}, "message": "p has a successor"}]}
"""

DOCUMENT = """\
name: upgrade
catalogs:
  - name: a
    labels: {tier: "1"}
    priority: 5
    availabilityMode: Available
    file: catalog.json
extension:
  packageName: p
  version: ">=1, <3"
  channels: [c]
  selector:
    matchLabels: {tier: "1"}
    matchExpressions: [{key: gone, operator: DoesNotExist}]
  upgradeConstraintPolicy: CatalogProvided
installed: {name: p.v1.0.0, version: 1.0.0}
feature_gates: {BundleReleaseSupport: true}
validations: [no_dependency]
"""

OBJECTS = """\
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata:
  name: a
  labels: {tier: "1"}
  annotations: {olmsolve/file: catalog.json}
spec:
  priority: 5
  source: {type: Image, image: {ref: quay.example/catalog@sha256:00000000000000000000000000000000}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: away}
spec: {availabilityMode: Unavailable}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: installer}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: upgrade}
spec:
  namespace: p
  serviceAccount: {name: installer}
  source:
    sourceType: Catalog
    catalog:
      packageName: p
      version: ">=1, <3"
      channels: [c]
      selector: {matchLabels: {olm.operatorframework.io/metadata.name: a}}
status:
  install: {bundle: {name: p.v1.0.0, version: 1.0.0}}
"""


def named(name: str) -> dict[str, str]:
    """The label that a cluster gives to the catalog *name*."""
    return {"olm.operatorframework.io/metadata.name": name}


def read(source: Any) -> v1.ExtensionRequest:
    """The request to OLM v1 that *source* must be."""
    request = olmsolve.read_extension_request(source)
    assert isinstance(request, v1.ExtensionRequest)
    return request


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog.json").write_text(CATALOG, "utf-8")
    (tmp_path / "request.yaml").write_text(DOCUMENT, "utf-8")
    (tmp_path / "objects.yaml").write_text(OBJECTS, "utf-8")
    return tmp_path


def test_a_document_with_an_extension_is_a_v1_request(folder: Path) -> None:
    """Every field arrives where it belongs; the file is found beside the document."""
    request = read(folder / "request.yaml")
    assert request == v1.ExtensionRequest(
        v1.Extension(
            "p",
            ">=1, <3",
            ["c"],
            v1.LabelSelector({"tier": "1"}, [v1.LabelRequirement("gone", "DoesNotExist")]),
            "CatalogProvided",
        ),
        [v1.ClusterCatalog("a", fbc.load(folder / "catalog.json"), {**named("a"), "tier": "1"}, 5)],
        v1.InstalledBundle("p.v1.0.0", "1.0.0"),
        release_support=True,
        name="upgrade",
    )
    assert v1.resolve(request).bundle == "p.v2.0.0"


def test_the_clusters_own_objects_are_a_request(folder: Path) -> None:
    """One extension, its catalogs, what its status says is installed; other kinds are passed over."""
    request = read(folder / "objects.yaml")
    assert request.installed == v1.InstalledBundle("p.v1.0.0", "1.0.0")
    assert [catalog.name for catalog in request.catalogs] == ["a", "away"]
    assert request.name == "upgrade"
    assert v1.resolve(request).bundle == "p.v2.0.0"


def test_a_list_of_objects_is_a_request(folder: Path) -> None:
    """The list that ``kubectl get clustercatalogs,clusterextensions -o json`` prints is read as it is."""
    import yaml

    items = list(yaml.safe_load_all(OBJECTS))
    (folder / "list.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    from_list = olmsolve.read_extension_request(folder / "list.json")
    assert from_list == olmsolve.read_extension_request(folder / "objects.yaml")


def test_catalogs_may_be_inline() -> None:
    """A document may hold blobs, or blobs by schema as a cluster's cache has them."""
    blobs = [
        {"schema": "olm.package", "name": "p", "defaultChannel": ""},
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": "p.v1",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
        },
    ]
    cached = {"packages": [blobs[0]], "bundles": [blobs[1], blobs[1]], "channels": None}
    for content in ({"blobs": blobs}, {"fbc": cached}):
        document = {"catalogs": [{"name": "a", **content}], "extension": {"packageName": "p"}}
        assert v1.resolve(read(document)).bundle == "p.v1"


BASE: dict[str, Any] = {"catalogs": [], "extension": {"packageName": "p"}}


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({**BASE, "extension": None}, "extension"),
        ({**BASE, "extension": {"package": "p"}}, "extension.package"),
        ({**BASE, "extension": {"packageName": ""}}, "extension.packageName"),
        ({**BASE, "extension": {"packageName": "p", "channels": "c"}}, "extension.channels"),
        ({**BASE, "extension": {"packageName": "p", "version": 1.5}}, "extension.version"),
        (
            {**BASE, "extension": {"packageName": "p", "upgradeConstraintPolicy": "SelfCertifed"}},
            "extension.upgradeConstraintPolicy",
        ),
        ({**BASE, "extension": {"packageName": "p", "selector": {"labels": {}}}}, "extension.selector.labels"),
        (
            {**BASE, "extension": {"packageName": "p", "selector": {"matchLabels": {"a": None}}}},
            "extension.selector.matchLabels.a",
        ),
        ({**BASE, "catalogs": [{"name": "a", "labels": {"x": None}}]}, "catalogs[0].labels.x"),
        ({**BASE, "subscriptions": []}, "subscriptions"),
        ({**BASE, "installed": {"name": "p.v1"}}, "installed.version"),
        ({**BASE, "feature_gates": {"Other": True}}, "feature_gates.Other"),
        ({**BASE, "feature_gates": {"BundleReleaseSupport": "yes"}}, "feature_gates.BundleReleaseSupport"),
        ({**BASE, "feature_gates": {}, "featureGates": {"BundleReleaseSupport": True}}, "featureGates"),
        ({**BASE, "validations": ["none"]}, "validations[0]"),
        ({**BASE, "catalogs": [{"name": "a", "blobs": [], "file": "x"}]}, "catalogs[0]"),
        ({**BASE, "catalogs": [{"name": "a", "availabilityMode": "Sometimes"}]}, "catalogs[0].availabilityMode"),
        ({**BASE, "catalogs": [{"name": "a", "labels": {"x": 1}}]}, "catalogs[0].labels.x"),
        ({**BASE, "catalogs": [{"name": "a", "labels": {1: "x"}}]}, "catalogs[0].labels.1"),
        ({**BASE, "catalogs": [{"name": "a"}, {"name": "a"}]}, "catalogs"),
        ({"apiVersion": "v1", "kind": "List", "items": []}, ""),
        ({"apiVersion": "v1", "kind": "List"}, "items"),
        ({"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension"}, "spec"),
        (
            {
                "apiVersion": "olm.operatorframework.io/v1",
                "kind": "ClusterExtension",
                "spec": {"source": {"sourceType": "Bundle"}},
            },
            "spec.source.sourceType",
        ),
        (
            {
                "apiVersion": "olm.operatorframework.io/v1",
                "kind": "ClusterExtension",
                "spec": {"source": {"catalog": {"packageName": "p"}}},
            },
            "spec.source.sourceType",
        ),
        (
            {
                "apiVersion": "olm.operatorframework.io/v1",
                "kind": "ClusterExtension",
                "spec": {"source": {"sourceType": "Catalog", "catalog": {"packageName": "p"}}},
            },
            "spec.namespace",
        ),
        (
            {
                "apiVersion": "olm.operatorframework.io/v1",
                "kind": "ClusterExtension",
                "spec": {"source": {"sourceType": "Catalog", "catalog": {"packageName": "p"}}},
                "status": {"install": {"bundle": {}}},
            },
            "status.install.bundle.name",
        ),
    ],
)
def test_mistakes_are_named_by_their_field(document: dict[str, Any], field: str) -> None:
    """Every mistake is one clear error, raised before any catalog is read."""
    with pytest.raises(RequestError) as refused:
        olmsolve.read_extension_request(document)
    assert refused.value.field == field


def test_catalogs_can_be_selected_by_their_name() -> None:
    """A cluster labels each catalog with its name; a label that the document sets itself stays."""
    blobs = [
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": "p.v1",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
        }
    ]
    given = [{"name": "cc", "blobs": blobs}, {"name": "dd", "blobs": blobs}]
    wish = {"packageName": "p", "selector": {"matchLabels": named("cc")}}
    request = read({"catalogs": given, "extension": wish})
    assert v1.resolve(request).catalog == "cc"
    request = read({"catalogs": [{**given[0], "labels": named("other")}], "extension": wish})
    assert request.catalogs[0].labels == named("other")


def test_an_extension_alone_has_nothing_to_resolve_from() -> None:
    """The controller says the same of no catalog as of a missing package, as recorded; our note names the catalogs."""
    alone = OBJECTS[OBJECTS.rindex("---") :].replace("installed", "name")
    fresh = attrs.evolve(olmsolve.read_extension_request(StringIO(alone)), installed=None)
    with pytest.raises(v1.NoBundlesError, match=r"^no bundles found for package") as refused:
        v1.resolve(fresh)
    assert "there is no ClusterCatalog" in refused.value.note


@pytest.mark.parametrize("form", ["documents", "List"])
def test_mistakes_in_objects_name_the_object(folder: Path, form: str) -> None:
    """The file has no field ``items`` where the objects are documents of their own."""
    import yaml

    text = OBJECTS.replace('version: ">=1, <3"', "version: 1.5")
    if form == "List":
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(yaml.safe_load_all(text))})
    path = folder / "badver.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(RequestError) as refused:
        olmsolve.read_extension_request(path)
    assert refused.value.source == f"{path}, object 4 (ClusterExtension upgrade)"
    assert refused.value.field == "spec.source.catalog.version"


def test_a_catalog_object_says_where_its_content_is(folder: Path) -> None:
    """Its image is not fetched: without the annotation there is nothing to read."""
    text = OBJECTS.replace("annotations: {olmsolve/file: catalog.json}", "annotations: {}")
    with pytest.raises(RequestError, match="olmsolve/file"):
        olmsolve.read_extension_request(StringIO(text))
    with pytest.raises(CatalogError):
        olmsolve.read_extension_request(StringIO(OBJECTS.replace("catalog.json", "nowhere.json")))


def test_a_misspelt_mode_of_a_catalog_object_is_refused(folder: Path) -> None:
    """Taken for the default, an unavailable catalog would be resolved from."""
    path = folder / "modes.yaml"
    path.write_text(OBJECTS.replace("availabilityMode: Unavailable", "availabilityMode: Unavailabel"), "utf-8")
    with pytest.raises(RequestError, match="Unavailabel") as refused:
        olmsolve.read_extension_request(path)
    assert refused.value.field == "spec.availabilityMode"


def test_content_is_demanded_only_of_catalogs_that_the_extension_uses(folder: Path) -> None:
    """A catalog that the selector leaves out needs no content, and content that it names is read when it is needed."""
    away = OBJECTS.replace("metadata: {name: away}", "metadata: {name: other}").replace(
        "spec: {availabilityMode: Unavailable}", "spec: {priority: 9}"
    )
    path = folder / "others.yaml"
    path.write_text(away, "utf-8")
    assert v1.resolve(read(path)).bundle == "p.v2.0.0"
    loaded: list[str] = []

    def load(file: Path) -> Catalog:
        loaded.append(file.name)
        return fbc.load(folder / "catalog.json")

    named_file = "metadata: {name: other, annotations: {olmsolve/file: other.json}}"
    path.write_text(away.replace("metadata: {name: other}", named_file), "utf-8")
    request = olmsolve.read_extension_request(path, load=load)
    assert isinstance(request, v1.ExtensionRequest)
    assert v1.resolve(request).bundle == "p.v2.0.0"
    assert loaded == ["catalog.json"]
    assert {held_back.because for held_back in v1.held_back(request) if held_back.catalog == "other"} == {
        v1.HeldBackBy.SELECTOR
    }
    assert loaded == ["catalog.json", "other.json"]


def test_content_of_unused_catalogs_that_cannot_be_read_fails_nothing(folder: Path) -> None:
    """What an excluded catalog would have is unknown then, and the answer does not depend on it."""
    text = OBJECTS.replace("metadata: {name: away}", "metadata: {name: away, annotations: {olmsolve/file: gone.json}}")
    path = folder / "gone.yaml"
    path.write_text(text, "utf-8")
    request = read(path)
    assert v1.resolve(request).bundle == "p.v2.0.0"
    assert {held_back.catalog for held_back in v1.held_back(request)} == {"a"}


@pytest.mark.parametrize("command", [["resolve"], ["path"], ["explain"]])
@pytest.mark.parametrize("mistake", [('">=1, <3"', "banana"), ("operator: DoesNotExist", "operator: DoesntExist")])
def test_a_wish_that_cannot_be_read_is_bad_input_in_every_command(
    folder: Path, command: list[str], mistake: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One mistake has one exit code, and OLM's own words on standard error."""
    bad = folder / "bad.yaml"
    bad.write_text(DOCUMENT.replace(*mistake), "utf-8")
    assert main([*command, str(bad)]) == 2
    assert "is invalid" in capsys.readouterr().err


def test_documents_with_subscriptions_stay_classic() -> None:
    """Reading a classic request does not import the v1 package."""
    document = {"namespaces": ["n"], "catalogs": [], "subscriptions": []}
    assert isinstance(olmsolve.read_request(document), classic.Request)
    code = f"import olmsolve, sys; olmsolve.read_request({document}); print('olmsolve.v1' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_resolving_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints a plan, a failure, and data for programs."""
    assert main(["resolve", str(folder / "request.yaml")]) == 0
    text = capsys.readouterr().out
    assert "p.v2.0.0 will replace p.v1.0.0." in text
    assert "Deprecated: p has a successor" in text
    assert main(["resolve", str(folder / "objects.yaml"), "--extension", "upgrade", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["deprecation"]["package"] == "p"
    far = folder / "far.yaml"
    far.write_text(DOCUMENT.replace(">=1, <3", "3.x"), "utf-8")
    assert main(["resolve", str(far)]) == 1
    text = capsys.readouterr().out
    assert "p.v2.0.0 -> p.v3.0.0" in text
    assert "no bundles found" in text
    with pytest.raises(SystemExit):
        main(["resolve", str(folder / "request.yaml"), "--semantics", "controller"])


def test_paths_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints paths of a package, by either OLM, and of a request."""
    catalog = str(folder / "catalog.json")
    assert main(["path", catalog, "p", "--from", "p.v1.0.0"]) == 0
    assert "-> p.v2.0.0" in capsys.readouterr().out
    assert main(["path", catalog, "p", "--from", "p.v1.0.0", "--olm", "classic", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == ["p.v2.0.0", "p.v3.0.0"]
    assert main(["path", str(folder / "request.yaml"), "--shortest"]) == 0
    assert "p.v2.0.0 (a)" in capsys.readouterr().out
    assert main(["path", catalog, "p", "--from", "p.v3.0.0", "--to", "1.0.0"]) == 1
    assert "does not reach 1.0.0" in capsys.readouterr().out
    gone = folder / "gone.yaml"
    gone.write_text(DOCUMENT.replace("packageName: p", "packageName: nosuch"), "utf-8")
    assert main(["path", str(gone)]) == 1
    assert main(["path", str(gone), "--shortest"]) == 1
    capsys.readouterr()
    assert main(["path", catalog, "p", "--from", "p.v9"]) == 2
    assert main(["path", catalog, "q", "--from", "p.v1.0.0"]) == 2
    assert "no package" in capsys.readouterr().err
    for wrong in (["p"], ["p", "--from", "p.v1.0.0", "--olm", "classic", "--channel", "c", "--channel", "d"]):
        with pytest.raises(SystemExit):
            main(["path", catalog, *wrong])
