"""``olmsolve render``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import base64
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


def test_opms_forms_are_in_the_order_of_opm(olmsolve: Run) -> None:
    """As recorded: channels and bundles by name, blobs of other schemas hardly, and manifests behind properties."""
    kinds = ("olm.bundle.object", "a", "olm.csv.metadata", "olm.package", "olm.bundle.object")
    properties = [{"type": kind, "value": {}} for kind in kinds]
    blobs: list[dict[str, Any]] = [
        {"schema": "own"},
        {"schema": "another", "name": "b"},
        {"schema": "another", "name": "a"},
        {"schema": "olm.deprecations", "package": "q", "entries": []},
        {"schema": "z", "package": "q", "name": "b"},
        {"schema": "y", "package": "q"},
        {"schema": "z", "package": "q", "name": "a"},
        {"schema": "olm.bundle", "package": "q", "name": "q.v2"},
        {"schema": "olm.bundle", "package": "q", "name": "q.v10", "properties": properties},
        {"schema": "olm.channel", "package": "q", "name": "stable", "entries": []},
        {"schema": "olm.channel", "package": "q", "name": "beta", "entries": []},
        {"schema": "own", "package": "p"},
        {"schema": "olm.package", "name": "q"},
    ]
    Path("q.jsonl").write_text("".join(json.dumps(blob) + "\n" for blob in blobs), "utf-8")
    printed = load_all(olmsolve("render", "q.jsonl", "-o", "opm-json").out)
    named = [(blob["schema"], blob.get("package"), blob.get("name")) for blob in printed]
    assert named == [
        ("own", "p", None),
        ("olm.package", None, "q"),
        ("olm.channel", "q", "beta"),
        ("olm.channel", "q", "stable"),
        ("olm.bundle", "q", "q.v10"),
        ("olm.bundle", "q", "q.v2"),
        ("y", "q", None),
        ("z", "q", "b"),
        ("z", "q", "a"),
        ("olm.deprecations", "q", None),
        ("own", None, None),
        ("another", None, "b"),
        ("another", None, "a"),
    ]
    types = [property_["type"] for property_ in printed[4]["properties"]]
    assert types == ["a", "olm.package", "olm.bundle.object", "olm.csv.metadata", "olm.bundle.object"]
    merged = olmsolve("catalog", "merge", "q.jsonl", "-o", "opm-json")
    assert load_all(merged.out) == printed


def test_a_null_in_a_list_of_manifests_is_an_empty_value(olmsolve: Run) -> None:
    """As recorded of ``opm render --migrate-level``: Go reads null in a list as the empty text, or as empty fields."""
    spec = {
        "displayName": "A",
        "keywords": [None, "a"],
        "links": [None, {"name": "l"}],
        "maintainers": [None, {"name": "m"}],
        "installModes": [None, {"type": "OwnNamespace", "supported": True}],
        "customresourcedefinitions": {"owned": [None]},
    }
    manifest = {"kind": "ClusterServiceVersion", "metadata": {"name": "b.v1", "annotations": {"x": "y"}}, "spec": spec}
    data = base64.b64encode(json.dumps(manifest).encode()).decode()
    properties = [
        {"type": "olm.package", "value": {"packageName": "b", "version": "1.0.0"}},
        {"type": "olm.bundle.object", "value": {"data": data}},
    ]
    blobs = [*BLOBS[:2], {**BLOBS[2], "image": "q/b:1", "properties": properties}]
    Path("b.jsonl").write_text("".join(json.dumps(blob) + "\n" for blob in blobs), "utf-8")
    level = "--migrate-level=bundle-object-to-csv-metadata"
    printed = load_all(olmsolve("render", "b.jsonl", level, "-o", "opm-json").out)
    assert printed[-1]["properties"][1]["value"] == {
        "annotations": {"x": "y"},
        "apiServiceDefinitions": {},
        "crdDescriptions": {"owned": [{"kind": "", "name": "", "version": ""}]},
        "displayName": "A",
        "installModes": [{"supported": False, "type": ""}, {"supported": True, "type": "OwnNamespace"}],
        "keywords": ["", "a"],
        "links": [{}, {"name": "l"}],
        "maintainers": [{}, {"name": "m"}],
        "provider": {},
    }


@pytest.mark.parametrize("entries", [None, []])
def test_a_null_in_place_of_entries_stays(olmsolve: Run, entries: Any) -> None:
    """opm prints it too: both say that there are none."""
    blob = {"schema": "olm.channel", "name": "c", "package": "p", "entries": entries}
    Path("p.json").write_text(json.dumps(blob), "utf-8")
    assert load_all(olmsolve("render", "p.json", "-o", "opm-json").out) == [blob]
    assert load_all(olmsolve("render", "p.json").out) == [blob]


@pytest.mark.parametrize("form", ["json", "opm-json", "opm-yaml"])
@pytest.mark.parametrize("value", [1, {"data": "?"}, {"data": ["x"]}, {"data": "YTogew=="}, {"data": [1]}, {}])
def test_a_manifest_that_opm_cannot_decode_is_refused(olmsolve: Run, form: str, value: Any) -> None:
    """opm reads the manifests of a catalog whenever it loads one, and renders nothing of a catalog with a wrong one."""
    properties = [{"type": "a", "value": 1}, {"type": "olm.bundle.object", "value": value}]
    blob = {"schema": "olm.bundle", "package": "p", "name": "p.v1", "properties": properties}
    Path("p.json").write_text(json.dumps(blob), "utf-8")
    outcome = olmsolve("render", "p.json", "-o", form)
    if value == {}:
        # As recorded: no data is an empty manifest.
        assert outcome.code == 0
        return
    assert (outcome.code, outcome.out) == (2, "")
    assert "p.json:1: properties[1] (olm.bundle.object): " in outcome.err


def load_all(text: str) -> list[dict[str, Any]]:
    """Return the objects in *text*, one behind the other."""
    documents, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        documents.append(value)
        text = text[end:]
    return documents


def test_splitting_joining_and_sorting(olmsolve: Run) -> None:
    """A folder for each package, and one text again; sorted, both ways give the same."""
    assert olmsolve("render", "catalog.jsonl", "--split", "out", "-o", "yaml").code == 0
    assert sorted(map(str, Path("out").rglob("*.yaml"))) == ["out/a/catalog.yaml", "out/b/catalog.yaml"]
    joined = olmsolve("render", "out", "--sort")
    assert joined.out == olmsolve("render", "catalog.jsonl", "--sort").out
    refused = olmsolve("render", "catalog.jsonl", "--split", "out")
    assert (refused.code, refused.out) == (2, "")
    assert "the folder is not empty" in refused.err


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
