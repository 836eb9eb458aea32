"""Catalogs that documents name: relative to the document, unless they are elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.catalog.fbc import is_remote, path_from
from tests.cli.commands import runner
from tests.images.building import catalog_image
from tests.images.registries import SmallRegistry, serving


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a catalog's image in a registry."""
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "none.json"))
    with serving(SmallRegistry(catalog_image())) as registry:
        yield f"{registry.host}/a/b:v1"


def objects(image: str) -> list[dict[str, Any]]:
    """A cluster that wants etcd twice: by a subscription, and as a cluster extension."""
    annotated = {"annotations": {"olmsolve/file": image}}
    source = {"sourceType": "Catalog", "catalog": {"packageName": "etcd"}}
    return [
        {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": "g", "namespace": "olm"},
        },
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "metadata": {"name": "orchard", "namespace": "olm", **annotated},
            "spec": {"sourceType": "grpc", "image": image},
        },
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "etcd", "namespace": "olm"},
            "spec": {"name": "etcd", "source": "orchard", "sourceNamespace": "olm"},
        },
        {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": {"name": "orchard", **annotated},
            "spec": {"source": {"type": "Image", "image": {"ref": image}}},
        },
        {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterExtension",
            "metadata": {"name": "etcd"},
            "spec": {"namespace": "etcd", "serviceAccount": {"name": "x"}, "source": source},
        },
    ]


def test_documents_name_images(image: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A document of a cluster says where its catalogs are, and these are images."""
    catalogs = [{"name": "orchard", "file": image}]
    classic = {
        "namespaces": ["operators"],
        "catalogs": catalogs,
        "subscriptions": [{"name": "etcd", "package": "etcd", "source": "orchard", "sourceNamespace": "operators"}],
    }
    extension = {"catalogs": catalogs, "extension": {"packageName": "etcd"}}
    dump = {"apiVersion": "v1", "kind": "List", "items": objects(image)}
    for name, document in {"classic": classic, "extension": extension, "dump": dump}.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document))
        arguments = ["--cluster", path] if name == "dump" else [path]
        answer = runner(capsys)("resolve", *arguments, "-o", "json")
        assert answer.code == 0, answer.err
        assert answer.out.count('"etcd.v1.0.0"') >= (2 if name == "dump" else 1)


def test_priorities_beside_tags(image: str) -> None:
    """The number behind a colon is a tag where the image has none else, and a priority where it has."""
    from olmsolve.cli.catalogs import named_catalog

    repository = image.removesuffix(":v1")
    assert named_catalog(f"x={image}:10") == ("x", Path(image), 10)
    assert named_catalog(f"x={repository}:10") == ("x", Path(f"{repository}:10"), 0)
    assert named_catalog("x=catalogs/orchard:10") == ("x", Path("catalogs/orchard"), 10)
    assert olmsolve.load(named_catalog(f"x=docker://{image}")[1]).packages.keys() == {"etcd"}


def test_where_paths_start(tmp_path: Path) -> None:
    """A file that is there is meant, even if its name could be an image's."""
    assert path_from(tmp_path, "c.yaml") == tmp_path / "c.yaml"
    assert path_from(tmp_path, "quay.io/a:v1") == Path("quay.io/a:v1")
    (tmp_path / "quay.io").mkdir()
    (tmp_path / "quay.io" / "a:v1").write_text("{}")
    assert path_from(tmp_path, "quay.io/a:v1") == tmp_path / "quay.io/a:v1"
    assert is_remote("https://catalogd.example/api/v1/all")
    assert not is_remote("catalogs/orchard")


def test_what_is_elsewhere_has_no_index() -> None:
    """An index is beside its catalog, and nothing can be beside a URL."""
    from olmsolve.catalog.index_files import write_index

    for path in ("quay.io/orchard/catalog:v1", "https://catalogd.example/api/v1/all"):
        with pytest.raises(olmsolve.CatalogError, match="cannot have an index: only a file or a folder"):
            write_index(path)
