"""A bundle's folder becomes the blob that a catalog has of it."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.catalog.fbc import is_bundle_folder, read_bundle
from olmsolve.errors import CatalogError
from tests.recorded import real_catalog

ANNOTATIONS = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.package.v1": "etcd",
}
CSV: dict[str, Any] = {
    "apiVersion": "operators.coreos.com/v1alpha1",
    "kind": "ClusterServiceVersion",
    "metadata": {
        "name": "etcd.v1.2.0",
        "annotations": {"olm.properties": '[{"type": "olm.maxOpenShiftVersion", "value": "4.20"}]', "a": "b"},
        "labels": {"arch": "amd64"},
    },
    "spec": {
        "version": "1.2.0",
        "displayName": "etcd",
        "description": "keys\nand values",
        "icon": [{"base64data": "eA==", "mediatype": "image/png"}],
        "customresourcedefinitions": {
            "owned": [{"name": "etcds.db.io", "kind": "Etcd", "version": "v1", "unknown": 1}],
            "required": [{"name": "certs.cert.io", "kind": "Cert", "version": "v1"}],
        },
        "apiservicedefinitions": {
            "owned": [{"group": "api.io", "version": "v1", "kind": "Thing", "name": "things"}],
            "required": [{"group": "other.io", "version": "v2", "kind": "Other", "name": "others"}],
        },
        "relatedImages": [{"name": "db", "image": "quay.io/etcd:3"}],
        "install": {
            "spec": {
                "deployments": [
                    {
                        "name": "d",
                        "spec": {
                            "template": {
                                "spec": {"containers": [{"image": "quay.io/op:1"}, {"image": "quay.io/etcd:3"}]}
                            }
                        },
                    }
                ]
            }
        },
    },
}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "etcds.db.io"},
    "spec": {
        "group": "db.io",
        "names": {"kind": "Etcd", "plural": "etcds"},
        "versions": [{"name": "v1"}, {"name": "v1beta1"}],
    },
}
DEPENDENCIES = [
    {"type": "olm.package", "value": {"packageName": "prometheus", "version": ">0.27.0"}},
    {"type": "olm.gvk", "value": {"group": "x.io", "kind": "X", "version": "v1"}},
    {"type": "olm.constraint", "value": {"failureMessage": "f", "cel": {"rule": "true"}}},
]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Return the folder of a bundle that has every kind of file and property."""
    for name, content in {
        "manifests/csv.yaml": CSV,
        "manifests/crd.yaml": CRD,
        "metadata/annotations.yaml": {"annotations": ANNOTATIONS},
        "metadata/dependencies.yaml": {"dependencies": DEPENDENCIES},
        "metadata/properties.yaml": {"properties": [{"type": "color", "value": "blue"}]},
    }.items():
        path = tmp_path / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content), "utf-8")
    (tmp_path / "bundle/manifests/README.md").write_text("not a manifest", "utf-8")
    return tmp_path / "bundle"


def test_the_blob(bundle: Path) -> None:
    """Each property with the file that it comes from, in the order of recorded catalogs."""
    blob = read_bundle(bundle, image="quay.io/etcd-bundle:1.2.0")
    assert is_bundle_folder(bundle)
    metadata = blob["properties"].pop()
    assert blob == {
        "schema": "olm.bundle",
        "name": "etcd.v1.2.0",
        "package": "etcd",
        "image": "quay.io/etcd-bundle:1.2.0",
        "properties": [
            {"type": "color", "value": "blue"},  # properties.yaml
            DEPENDENCIES[2],
            {"type": "olm.gvk", "value": {"group": "api.io", "kind": "Thing", "version": "v1"}},
            {"type": "olm.gvk", "value": {"group": "db.io", "kind": "Etcd", "version": "v1"}},  # both from the CRD
            {"type": "olm.gvk", "value": {"group": "db.io", "kind": "Etcd", "version": "v1beta1"}},
            {"type": "olm.gvk.required", "value": {"group": "cert.io", "kind": "Cert", "version": "v1"}},
            {"type": "olm.gvk.required", "value": {"group": "other.io", "kind": "Other", "version": "v2"}},
            {"type": "olm.gvk.required", "value": {"group": "x.io", "kind": "X", "version": "v1"}},
            {"type": "olm.maxOpenShiftVersion", "value": "4.20"},  # the annotation of the CSV
            {"type": "olm.package", "value": {"packageName": "etcd", "version": "1.2.0"}},
            {"type": "olm.package.required", "value": {"packageName": "prometheus", "versionRange": ">0.27.0"}},
        ],
        "relatedImages": [
            {"name": "", "image": "quay.io/etcd-bundle:1.2.0"},
            {"name": "db", "image": "quay.io/etcd:3"},
            {"name": "", "image": "quay.io/op:1"},
        ],
    }
    assert metadata["type"] == "olm.csv.metadata"
    assert metadata["value"] == {
        "annotations": CSV["metadata"]["annotations"],
        "apiServiceDefinitions": CSV["spec"]["apiservicedefinitions"],
        "crdDescriptions": {
            "owned": [{"name": "etcds.db.io", "kind": "Etcd", "version": "v1"}],
            "required": CSV["spec"]["customresourcedefinitions"]["required"],
        },
        "description": "keys\nand values",
        "displayName": "etcd",
        "labels": {"arch": "amd64"},
        "provider": {},
    }


def test_manifests_can_be_kept_whole(bundle: Path) -> None:
    """Catalogs for older clusters hold every manifest."""
    blob = read_bundle(bundle, with_objects=True)
    data = [property_["value"]["data"] for property_ in blob["properties"] if property_["type"] == "olm.bundle.object"]
    manifests = [json.loads(base64.b64decode(text)) for text in data]
    assert sorted(manifest["kind"] for manifest in manifests) == ["ClusterServiceVersion", "CustomResourceDefinition"]
    assert CSV in manifests
    assert not any(property_["type"] == "olm.csv.metadata" for property_ in blob["properties"])
    assert data == sorted(data)
    assert [property_["type"] for property_ in blob["properties"]][-len(data) :] == ["olm.bundle.object"] * len(data)
    assert "image" not in blob


def test_metadata_has_the_fields_that_opm_gives_it(bundle: Path) -> None:
    """Names, kinds and versions even if they are empty, other fields where they are not, unknown fields never."""
    reference = {"kind": "Pod", "version": "v1", "unknown": 1}
    descriptor = {"displayName": "size", "x-descriptors": [], "value": 3}
    owned: dict[str, Any] = {"name": "etcds.db.io", "group": "db.io", "deploymentName": "d", "displayName": ""}
    owned |= {"version": "v1", "kind": "Etcd"}
    owned |= {"resources": [reference], "specDescriptors": [descriptor], "statusDescriptors": []}
    spec = {**CSV["spec"], "customresourcedefinitions": {"owned": [owned], "required": []}}
    spec |= {"links": [{"name": "home", "rel": "x"}], "provider": {"name": "us", "mail": "x"}}
    (bundle / "manifests/csv.yaml").write_text(yaml.safe_dump({**CSV, "spec": spec}), "utf-8")
    metadata = read_bundle(bundle)["properties"][-1]["value"]
    assert metadata["crdDescriptions"] == {
        "owned": [
            {
                "name": "etcds.db.io",
                "version": "v1",
                "kind": "Etcd",
                "resources": [{"name": "", "kind": "Pod", "version": "v1"}],
                "specDescriptors": [{"path": "", "displayName": "size", "value": 3}],
            }
        ]
    }
    assert metadata["links"] == [{"name": "home"}]
    assert metadata["provider"] == {"name": "us"}


def test_the_path_of_the_manifests_may_begin_at_the_root_of_the_image(bundle: Path) -> None:
    """The folder becomes the root of the bundle's image, so "/manifests/" is inside of it."""
    expected = read_bundle(bundle)
    annotations = {**ANNOTATIONS, "operators.operatorframework.io.bundle.manifests.v1": "/manifests/"}
    (bundle / "metadata/annotations.yaml").write_text(yaml.safe_dump({"annotations": annotations}), "utf-8")
    assert read_bundle(bundle) == expected


def test_a_version_in_the_properties_does_not_count(bundle: Path) -> None:
    """As recorded from ``opm render``: package and version come from the annotations and the ClusterServiceVersion."""
    stated = {"type": "olm.package", "value": {"packageName": "q", "version": "9.9.9", "release": "1"}}
    (bundle / "metadata/properties.yaml").write_text(yaml.safe_dump({"properties": [stated]}), "utf-8")
    properties = read_bundle(bundle)["properties"]
    own = {"type": "olm.package", "value": {"packageName": "etcd", "version": "1.2.0"}}
    assert [property_ for property_ in properties if property_["type"] == "olm.package"] == [own]


def test_an_owned_definition_must_be_there(bundle: Path) -> None:
    """``opm`` renders no bundle whose ClusterServiceVersion owns a definition that it does not bring."""
    (bundle / "manifests/crd.yaml").unlink()
    with pytest.raises(CatalogError, match=r"owned names etcds.db.io in version 'v1' with kind 'Etcd', which no"):
        read_bundle(bundle)
    owned = [{"name": "etcds", "version": "v1", "kind": "Etcd"}]
    spec = {**CSV["spec"], "customresourcedefinitions": {"owned": owned}}
    (bundle / "manifests/csv.yaml").write_text(yaml.safe_dump({**CSV, "spec": spec}), "utf-8")
    with pytest.raises(CatalogError, match=r"the name of a definition must be PLURAL.GROUP, not 'etcds'"):
        read_bundle(bundle)


def test_files_that_opm_passes_over(bundle: Path) -> None:
    """Hidden files, folders inside and texts are no manifests for OLM; a file of YAML that is none was meant as one."""
    before = read_bundle(bundle, with_objects=True)
    (bundle / "manifests/.hidden.yaml").write_text("kind: Service\n", "utf-8")
    (bundle / "manifests/inside").mkdir()
    (bundle / "manifests/inside/service.yaml").write_text("kind: Service\n", "utf-8")
    (bundle / "manifests/NOTICE").write_text("a: notice\n", "utf-8")
    (bundle / "manifests/EMPTY").write_text("", "utf-8")
    assert read_bundle(bundle, with_objects=True) == before
    (bundle / "manifests/service.yaml.orig").write_text("kind: Service\n", "utf-8")
    assert len(read_bundle(bundle, with_objects=True)["properties"]) == len(before["properties"]) + 1


def test_the_annotations_may_be_in_any_file(bundle: Path) -> None:
    """As for ``opm``, which looks into each file of the metadata."""
    expected = read_bundle(bundle)
    (bundle / "metadata/annotations.yaml").rename(bundle / "metadata/operator.yaml")
    (bundle / "metadata/broken.yaml").write_text("a: [", "utf-8")
    assert is_bundle_folder(bundle)
    assert read_bundle(bundle) == expected
    (bundle / "metadata/operator.yaml").unlink()
    assert not is_bundle_folder(bundle)


_DEFINITION = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {versions: 1}"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("metadata/annotations.yaml", "annotations: {}", "package.v1 must name the package"),
        ("metadata/annotations.yaml", "annotations: []", "annotations must be an object, not a list"),
        ("metadata/annotations.yaml", "a: 1\n---\nb: 1\n", "2 documents, where one is needed"),
        (
            "metadata/annotations.yaml",
            yaml.safe_dump(
                {"annotations": {**ANNOTATIONS, "operators.operatorframework.io.bundle.manifests.v1": "a\0b"}}
            ),
            "manifests.v1 must be a path, and a path has no null character",
        ),
        ("metadata/dependencies.yaml", "dependencies: 1", "dependencies must be a list, not the number 1"),
        ("metadata/dependencies.yaml", "dependencies: [{type: x}]", r"dependencies\[0\].value is missing"),
        ("metadata/dependencies.yaml", "dependencies: [{type: olm.package, value: 1}]", "a package must be an object"),
        ("metadata/dependencies.yaml", "dependencies: [{type: olm.package, value: {}}]", "packageName and version"),
        ("metadata/properties.yaml", "properties: [{value: 1}]", r"properties\[0\].type must be a string"),
        ("manifests/csv.yaml", "kind: Service", "no objects of kind ClusterServiceVersion"),
        ("manifests/other.yaml", "kind: ClusterServiceVersion", "2 objects of kind ClusterServiceVersion"),
        ("manifests/csv.yaml", "kind: ClusterServiceVersion", "metadata.name is missing|spec.version is missing"),
        ("manifests/csv.yaml", "kind: ClusterServiceVersion\nspec: 1", "spec must be an object"),
        ("manifests/crd.yaml", _DEFINITION, "spec.versions must be a list"),
        ("manifests/crd.yaml", "a: [", "not valid YAML"),
        ("manifests/more.yaml", "a: 1", "not a manifest, because it has no kind; opm and OLM leave it out"),
        ("manifests/more.yaml", "kind: A\n---\nkind: B\n", "a second document in one file, which opm and OLM leave"),
        ("metadata/dependencies.yaml", "dependencies: [{type: olm.gvk, value: 1}]", "an API must be an object, not"),
        ("metadata/dependencies.yaml", "dependencies: [{type: olm.gvk, value: {kind: 1}}]", "kind of an API must be a"),
        (
            "manifests/csv.yaml",
            "kind: ClusterServiceVersion\nspec: {version: 1.0.0, icon: a}",
            "spec.icon must be a list, not a string",
        ),
        ("manifests/csv.yaml", json.dumps(CSV).replace('[{\\"type', '[[{\\"type'), "a list of properties in JSON"),
    ],
)
def test_broken_folders(bundle: Path, file: str, content: str, message: str) -> None:
    """One error that names the file, and the field in it."""
    (bundle / file).write_text(content, "utf-8")
    with pytest.raises(CatalogError, match=message) as caught:
        read_bundle(bundle)
    assert str(bundle) in str(caught.value)


def test_folders_that_point_elsewhere(bundle: Path, tmp_path: Path) -> None:
    """A bundle from a stranger must not read what lies outside of it, nor wait for a file that never ends."""
    (tmp_path / "secret.yaml").write_text("kind: Secret", "utf-8")
    (bundle / "manifests/link.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(CatalogError, match="a symbolic link that leaves"):
        read_bundle(bundle)
    (bundle / "manifests/link.yaml").unlink()
    os.mkfifo(bundle / "manifests/pipe.yaml")
    with pytest.raises(CatalogError, match="not a plain file"):
        read_bundle(bundle)
    (bundle / "manifests/pipe.yaml").unlink()
    (bundle / "metadata/properties.yaml").unlink()
    (bundle / "metadata/properties.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(CatalogError, match="a symbolic link that leaves"):
        read_bundle(bundle)
    (bundle / "metadata/properties.yaml").unlink()
    annotations = {**ANNOTATIONS, "operators.operatorframework.io.bundle.manifests.v1": "../.."}
    (bundle / "metadata/annotations.yaml").write_text(yaml.safe_dump({"annotations": annotations}), "utf-8")
    with pytest.raises(CatalogError, match="leaves the bundle's folder"):
        read_bundle(bundle)
    with pytest.raises(CatalogError, match=r"it has no metadata/annotations.yaml"):
        read_bundle(tmp_path)
    assert not is_bundle_folder(tmp_path)


def test_the_order_is_that_of_recorded_catalogs() -> None:
    """The order of properties and images was not written down anywhere; here it is read off what opm rendered."""
    for package in real_catalog("fbc-v4.20-full.tar.gz"):
        for bundle in package.bundles.values():
            *others, last = bundle.properties
            assert last.type == "olm.csv.metadata"
            keys = [(other.type, json.dumps(other.value)) for other in others]
            assert keys == sorted(keys)
            images = [image["image"] for image in bundle.extra["relatedImages"]]
            assert images == sorted(images)
            assert {"name": "", "image": bundle.image} in bundle.extra["relatedImages"]
