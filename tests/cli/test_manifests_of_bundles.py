"""``--manifests``: what OLM v1 judges before it installs, and catalogs of today leave in the images of bundles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from olmsolve.catalog import read_bundle, with_manifests
from olmsolve.catalog.fbc import from_blobs
from tests.cli import small_cluster as small
from tests.cli.commands import Run

FIELD: dict[str, object] = {"type": "object", "properties": {"size": {"type": "integer"}}}


def definition(schema: dict[str, object]) -> dict[str, object]:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "etcds.example.com", "labels": {"olm.operatorframework.io/owner-name": "etcd"}},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Etcd", "plural": "etcds"},
            "scope": "Namespaced",
            "versions": [version],
        },
        "status": {"storedVersions": ["v1"]},
    }


def bundle_folder(name: str = "etcd.v3", package: str = "etcd") -> Path:
    """Write a bundle whose definition has lost a field."""
    folder = Path(name)
    for part in ("manifests", "metadata"):
        (folder / part).mkdir(parents=True)
    annotations = {
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
        "operators.operatorframework.io.bundle.package.v1": package,
        "operators.operatorframework.io.bundle.channels.v1": "stable",
    }
    (folder / "metadata/annotations.yaml").write_text(json.dumps({"annotations": annotations}), "utf-8")
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name},
        "spec": {
            "version": "3.0.0",
            "installModes": [{"type": "AllNamespaces", "supported": True}],
            "customresourcedefinitions": {"owned": [{"name": "etcds.example.com", "version": "v1", "kind": "Etcd"}]},
        },
    }
    (folder / "manifests/csv.yaml").write_text(json.dumps(csv), "utf-8")
    (folder / "manifests/crd.yaml").write_text(json.dumps(definition({"type": "object"})), "utf-8")
    return folder


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    return small.write(small.extension(installed=2), small.cluster_catalog(), definition(FIELD))


@pytest.mark.parametrize(
    ("verb", "phrase"),
    [("resolve", "etcd.v3 is selected, but cannot be installed, and etcd.v2 stays:"), ("path", "OLM stops here:")]
    + [(verb, "etcd: etcd.v2 stays, and the status says: error for resolved") for verb in ("plan", "simulate")],
)
def test_verbs_are_held_to_the_manifests(olmsolve: Run, dump: tuple[str, ...], verb: str, phrase: str) -> None:
    """Without them the update seems to pass; with them its definition is compared with the cluster's."""
    before = olmsolve(verb, *dump, "--catalog", "main=catalog.json")
    assert before.code == 0
    folder = bundle_folder()
    after = olmsolve(verb, *dump, "--catalog", "main=catalog.json", "--manifests", str(folder))
    assert after.code == 1
    assert phrase in after.out
    assert "existingFieldRemoval" in after.out


def test_classic_is_not_held_to_manifests(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that cannot matter is refused."""
    monkeypatch.chdir(tmp_path)
    dump = small.write(*small.namespace(), small.catalog_source())
    wrong = olmsolve("resolve", *dump, *small.CONTENTS[:2], "--manifests", str(bundle_folder()))
    assert wrong.code == 2
    assert "--manifests is for extensions: classic OLM is not held to the manifests of bundles" in wrong.err


def test_a_folder_without_a_bundle_is_refused(olmsolve: Run, dump: tuple[str, ...]) -> None:
    """The path is named."""
    wrong = olmsolve("resolve", *dump, "--catalog", "main=catalog.json", "--manifests", "nowhere")
    assert (wrong.code, wrong.out) == (2, "")
    assert "nowhere: not a bundle" in wrong.err


def test_other_bundles_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle that the catalog does not have is left out; manifests that are there already stay."""
    monkeypatch.chdir(tmp_path)
    catalog = from_blobs(small.blobs())
    foreign = read_bundle(bundle_folder("other.v1", "other"), with_objects=True)
    assert with_manifests(catalog, [foreign]) is catalog
    whole = with_manifests(catalog, [read_bundle(bundle_folder(), with_objects=True)])
    assert [len(bundle.properties) for bundle in whole.packages["etcd"].bundles.values()] == [1, 1, 3]
    assert with_manifests(whole, [read_bundle("etcd.v3", with_objects=True)]) is whole
    assert list(whole.packages) == list(catalog.packages)
