"""``olmsolve catalog v1``: what OLM v1 makes of the bundles, the channels and the updates of a catalog."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

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
    path.write_text("\n".join(json.dumps(each).replace('"stable"', '"Stable"') for each in content))
    return str(path)


def test_each_bundle_has_its_verdict(olmsolve: Run, catalog: str) -> None:
    """An author has to know which version nobody can install, by which rule, and what to change."""
    outcome = olmsolve("catalog", "v1", catalog, "--output", "json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    found = {each["bundle"]: (each["verdict"], each["rule"]) for each in document["bundles"]}
    assert found == {
        "etcd.v4": ("unknown", None),
        "etcd.v3": ("refused", "dependency"),
        "etcd.v2": ("refused", "install-mode"),
        "etcd.v1": ("installable", None),
    }
    assert [each["channel"] for each in document["channels"]] == ["Stable"]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_people_read_the_words_of_both(olmsolve: Run, catalog: str, form: str) -> None:
    """The controller's words can be searched for, and ours say what to do."""
    said = " ".join(olmsolve("catalog", "v1", catalog, "--output", form).out.split())
    assert "4 bundles: OLM v1 installs 1, refuses 2, and of 1 the catalog does not tell enough." in said
    assert "etcd.v2: unsupported bundle: bundle does not support AllNamespaces install mode; " in said
    assert "channel Stable: a lowercase RFC 1123 subdomain must consist of" in said


def test_nothing_refused_is_clean(olmsolve: Run, tmp_path: Path) -> None:
    """Continuous integration asks by exit code."""
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, blobs(versions=1, v1=[EVERYWHERE]))))
    outcome = olmsolve("catalog", "v1", str(path), "--package", "etcd")
    assert (outcome.code, outcome.out) == (0, "1 bundle: OLM v1 installs 1, refuses 0.\n")
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
    assert [(each["before"], each["bundle"]) for each in document["updates"]] == [("etcd.v1", "etcd.v2")]
    assert 'validating upgrade for CRD "etcds.example.com"' in document["updates"][0]["reason"]
    said = " ".join(olmsolve("catalog", "v1", str(path)).out.split())
    assert f"update from etcd.v1 to etcd.v2: {document['updates'][0]['reason']}; " in said


def test_a_real_catalog_as_the_documentation_tells() -> None:
    """docs/v1.md has these numbers; the two channels are real."""
    found = installable(real_catalog("fbc-v4.20-full.tar.gz"))
    rules = [each.rule for each in found.refused]
    assert (len(found.bundles), rules.count("install-mode"), rules.count("dependency")) == (803, 53, 18)
    assert len(rules) == 71
    assert [each.channel for each in found.channels] == ["Fast", "Stable"]
    assert found.updates == ()
