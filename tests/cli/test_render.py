"""``olmsolve render``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve.catalog.fbc import from_blobs, load
from tests.cli.commands import Run, runner

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "b", "defaultChannel": "c", "icon": {"mediatype": "image/png"}},
    {"schema": "olm.channel", "package": "b", "name": "c", "entries": [{"name": "b.v1", "note": "é"}]},
    {"schema": "olm.bundle", "package": "b", "name": "b.v1", "properties": [{"type": "t", "value": 1}]},
    {"schema": "olm.package", "name": "a"},
]


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, beside a catalog."""
    monkeypatch.chdir(tmp_path)
    Path("catalog.jsonl").write_text("".join(json.dumps(blob) + "\n" for blob in BLOBS), "utf-8")
    return runner(capsys)


@pytest.mark.parametrize("form", ["json", "jsonl", "yaml"])
def test_forms(olmsolve: Run, form: str) -> None:
    """The printed text loads as the same catalog."""
    outcome = olmsolve("render", "catalog.jsonl", "-o", form)
    assert (outcome.code, outcome.err) == (0, "")
    assert load(io.StringIO(outcome.out)) == from_blobs(BLOBS)
    assert "é" in outcome.out


def test_indented_json_is_the_default(olmsolve: Run) -> None:
    """opm prints indented JSON as well, and pipelines read either."""
    assert olmsolve("render", "catalog.jsonl").out == "".join(
        json.dumps(blob, indent=4, ensure_ascii=False) + "\n" for blob in BLOBS
    )


def test_splitting_joining_and_sorting(olmsolve: Run) -> None:
    """A folder for each package, and one text again; sorted, both ways give the same."""
    assert olmsolve("render", "catalog.jsonl", "--split", "out", "-o", "yaml").code == 0
    assert sorted(map(str, Path("out").rglob("*.yaml"))) == ["out/a/catalog.yaml", "out/b/catalog.yaml"]
    joined = olmsolve("render", "out", "--sort")
    assert joined.out == olmsolve("render", "catalog.jsonl", "--sort").out
    again = olmsolve("render", "catalog.jsonl", "--split", "out")
    assert (again.code, again.out) == (2, "")
    assert "the folder is not empty" in again.err


def test_several_paths_and_parts_left_out(olmsolve: Run) -> None:
    """Catalogs are joined in the order given, without what nobody needs."""
    Path("other.json").write_text('{"schema": "x"}', "utf-8")
    outcome = olmsolve("render", "other.json", "catalog.jsonl", "-o", "jsonl", "--drop", "icon", "--drop", "t")
    first, package, _, bundle, _ = map(json.loads, outcome.out.splitlines())
    assert first == {"schema": "x"}
    assert package == {"schema": "olm.package", "name": "b", "defaultChannel": "c"}
    assert bundle["properties"] == []


def test_a_bundle_folder(olmsolve: Run) -> None:
    """Told from a catalog's folder by its metadata."""
    for name, content in {
        "bundle/metadata/annotations.yaml": "annotations: {operators.operatorframework.io.bundle.package.v1: p}",
        "bundle/manifests/csv.yaml": "kind: ClusterServiceVersion\nmetadata: {name: p.v1}\nspec: {version: 1.0.0}",
    }.items():
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text(content, "utf-8")
    outcome = olmsolve("render", "bundle", "--image", "quay.io/p:1")
    assert json.loads(outcome.out)["image"] == "quay.io/p:1"
    assert json.loads(outcome.out)["properties"][0] == {
        "type": "olm.package",
        "value": {"packageName": "p", "version": "1.0.0"},
    }
    assert "olm.bundle.object" in olmsolve("render", "bundle", "--bundle-objects").out
    assert olmsolve("render", "catalog.jsonl", "--image", "quay.io/p:1").code == 2


def test_what_cannot_be_read(olmsolve: Run) -> None:
    """One line that names the file."""
    outcome = olmsolve("render", "nowhere")
    assert (outcome.code, outcome.err) == (2, "olmsolve: nowhere: cannot be read: No such file or directory\n")
