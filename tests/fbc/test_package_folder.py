"""Packages in the format before file-based catalogs: the example of OLM's documentation becomes a catalog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.authoring.checks import validate
from olmsolve.catalog.fbc import from_blobs, is_package_folder, read_package
from olmsolve.errors import CatalogError
from tests.cli.commands import runner

PACKAGE: dict[str, Any] = {
    "packageName": "example",
    "channels": [
        {"name": "alpha", "currentCSV": "example.v0.1.2"},
        {"name": "beta", "currentCSV": "example.v0.1.3"},
    ],
    "defaultChannel": "alpha",
}


def csv(version: str, replaces: str = "", skips: tuple[str, ...] = (), skip_range: str = "") -> dict[str, Any]:
    annotations = {"olm.skipRange": skip_range} if skip_range else {}
    spec: dict[str, Any] = {"version": version}
    if replaces:
        spec["replaces"] = f"example.v{replaces}"
    if skips:
        spec["skips"] = [f"example.v{skip}" for skip in skips]
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"example.v{version}", "annotations": annotations},
        "spec": spec,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Versions 0.1.1 to 0.1.3, each replacing the one before."""
    root = tmp_path / "example"
    put(root / "example.package.yaml", PACKAGE)
    for version, before in (("0.1.1", ""), ("0.1.2", "0.1.1"), ("0.1.3", "0.1.2")):
        put(root / version / "csv.yaml", csv(version, before))
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "as.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "A", "plural": "as"}, "versions": [{"name": "v1"}]},
    }
    put(root / "0.1.3" / "crd.yaml", crd)
    return root


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(value), "utf-8")


def entries(blobs: list[dict[str, Any]], channel: str) -> list[dict[str, Any]]:
    (listed,) = (blob["entries"] for blob in blobs if blob["schema"] == "olm.channel" and blob["name"] == channel)
    assert isinstance(listed, list)
    return listed


def test_the_channels_follow_what_each_version_replaces(folder: Path) -> None:
    """The channels share updates: beta goes one version further than alpha."""
    assert is_package_folder(folder)
    blobs = read_package(folder)
    assert blobs[0] == {"schema": "olm.package", "name": "example", "defaultChannel": "alpha"}
    assert entries(blobs, "alpha") == [
        {"name": "example.v0.1.2", "replaces": "example.v0.1.1"},
        {"name": "example.v0.1.1"},
    ]
    assert [entry["name"] for entry in entries(blobs, "beta")] == ["example.v0.1.3", "example.v0.1.2", "example.v0.1.1"]
    newest = next(blob for blob in blobs if blob["name"] == "example.v0.1.3")
    assert {"type": "olm.gvk", "value": {"group": "example.com", "kind": "A", "version": "v1"}} in newest["properties"]
    assert sum(property_["type"] == "olm.bundle.object" for property_ in newest["properties"]) == 2


def test_the_result_is_a_valid_catalog(folder: Path) -> None:
    """As opm validate judges."""
    assert validate(from_blobs(read_package(folder)), advice=False) == ()


def test_skipped_versions_belong_to_the_channel(folder: Path) -> None:
    """Clusters that have the skipped version must find the way out, and the range stands in an annotation."""
    put(folder / "0.1.3" / "csv.yaml", csv("0.1.3", "0.1.1", ("0.1.2",), "<0.1.3"))
    blobs = read_package(folder)
    assert entries(blobs, "beta")[0] == {
        "name": "example.v0.1.3",
        "replaces": "example.v0.1.1",
        "skips": ["example.v0.1.2"],
        "skipRange": "<0.1.3",
    }
    assert {entry["name"] for entry in entries(blobs, "beta")} == {f"example.v0.1.{patch}" for patch in (1, 2, 3)}


def test_a_replaced_version_that_is_not_there_ends_the_channel(folder: Path) -> None:
    """It may have left the repository; who has it installed is updated all the same."""
    put(folder / "0.1.1" / "csv.yaml", csv("0.1.1", "0.1.0"))
    assert entries(read_package(folder), "alpha")[-1] == {"name": "example.v0.1.1", "replaces": "example.v0.1.0"}


def test_one_channel_is_the_default_channel(folder: Path) -> None:
    """A manifest need not say so."""
    put(folder / "example.package.yaml", {"packageName": "example", "channels": PACKAGE["channels"][1:]})
    assert read_package(folder)[0]["defaultChannel"] == "beta"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"packageName": ""}, "packageName must be a string that is not empty"),
        ({"channels": []}, "channels must be a list that is not empty"),
        ({"channels": ["alpha"]}, r"channels\[0\] must be an object"),
        ({"channels": [{"name": "alpha"}]}, r"channels\[0\].currentCSV must be a string"),
        ({"channels": [{"name": "a", "currentCSV": "x"}]}, "no folder has the ClusterServiceVersion x"),
        ({"channels": PACKAGE["channels"][:1] * 2}, "channel alpha occurs twice"),
        ({"defaultChannel": "gamma"}, "defaultChannel must be one of its channels, alpha, beta"),
        ({"defaultChannel": ["alpha"]}, "defaultChannel must be one of its channels, alpha, beta"),
        ({"channels": PACKAGE["channels"][:1]}, r"example.v0.1.3 is in no channel"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(folder: Path, changes: dict[str, Any], message: str) -> None:
    """The error names the file and the field."""
    put(folder / "example.package.yaml", {**PACKAGE, **changes})
    with pytest.raises(CatalogError, match=message) as refused:
        read_package(folder)
    assert str(folder) in refused.value.origin


def test_versions_that_cannot_be_told_apart_are_refused(folder: Path) -> None:
    """Two folders have one name; a folder has no ClusterServiceVersion; skips are no list."""
    put(folder / "again" / "csv.yaml", csv("0.1.1"))
    with pytest.raises(CatalogError, match=r"example\.v0\.1\.1 occurs twice"):
        read_package(folder)
    put(folder / "again" / "csv.yaml", {"apiVersion": "v1", "kind": "Service"})
    with pytest.raises(CatalogError, match="holds no objects of kind ClusterServiceVersion"):
        read_package(folder)
    wrong = csv("0.1.4", "0.1.3")
    wrong["spec"]["skips"] = "example.v0.1.2"
    put(folder / "again" / "csv.yaml", wrong)
    channels = [*PACKAGE["channels"], {"name": "gamma", "currentCSV": "example.v0.1.4"}]
    put(folder / "example.package.yaml", {**PACKAGE, "channels": channels})
    with pytest.raises(CatalogError, match=r"spec.skips must be a list of strings"):
        read_package(folder)


def test_the_command_renders_package_folders(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """One line for each blob, and properties can be left out."""
    outcome = runner(capsys)("render", folder, "--output", "jsonl", "--drop", "olm.bundle.object")
    assert (outcome.code, outcome.err) == (0, "")
    blobs = [json.loads(line) for line in outcome.out.splitlines()]
    assert [blob["schema"] for blob in blobs] == ["olm.package", *["olm.channel"] * 2, *["olm.bundle"] * 3]
    assert "olm.bundle.object" not in outcome.out
