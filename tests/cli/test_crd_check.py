"""``olmsolve crd-check``: both verdicts, the exit code, and what is said of files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run


def crd(*properties: str, kind: str = "Shop", served: bool = True, **status: Any) -> dict[str, Any]:
    """A definition with one version, whose spec has the integer fields *properties*."""
    fields = {name: {"type": "integer"} for name in properties}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    version = {"name": "v1", "served": served, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": f"{kind.lower()}s", "kind": kind},
            "scope": "Namespaced",
            "versions": [version],
        },
        "status": status,
    }


def shop(name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "north"}
    return {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata, "spec": spec}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes objects under a name into an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, *objects: dict[str, Any]) -> str:
        Path(name).write_text("\n".join(map(json.dumps, objects)), "utf-8")
        return name

    return write


def test_both_verdicts_are_printed_and_one_refusal_fails(olmsolve: Run, file: Any) -> None:
    """Classic OLM has nothing against a field that is gone, OLM v1 has: a pipeline must see both."""
    old, new = file("old.json", crd("a", "b", storedVersions=["v1"])), file("new.json", crd("a"))
    outcome = olmsolve("crd-check", old, new)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines() == [
        "shops.example.com",
        "  classic OLM: allows it",
        "  OLM v1: refuses it",
        "    existingFieldRemoval: removed field : v1.^.spec.b",
        '    v1: ^.spec.b: type: type changed : "integer" -> ""',
    ]


@pytest.mark.parametrize(("olm", "code"), [("classic", 0), ("v1", 1), ("both", 1)])
def test_one_of_the_two_can_decide(olmsolve: Run, file: Any, olm: str, code: int) -> None:
    """Who runs only one OLM need not care what the other says."""
    old, new = file("old.json", crd("a", "b", storedVersions=["v1"])), file("new.json", crd("a"))
    outcome = olmsolve("crd-check", old, new, "--olm", olm)
    assert outcome.code == code
    assert ("classic OLM" in outcome.out) == (olm != "v1")


def test_objects_that_exist_are_validated(olmsolve: Run, file: Any) -> None:
    """A List as kubectl writes it; objects of other kinds in the same dump are passed over."""
    stored = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "y"}}
    dump = {"apiVersion": "v1", "kind": "List", "items": [shop("corner", a="many"), stored]}
    definition = file("crd.json", crd("a", storedVersions=["v1"]))
    outcome = olmsolve("crd-check", definition, definition, file("dump.json", dump), "--output", "json")
    report = json.loads(outcome.out)
    assert (outcome.code, report["schema"], report["schemaVersion"]) == (1, "olmsolve.crdCheck", 1)
    (verdicts,) = report["crds"]
    assert verdicts["v1"] == {"allowed": True, "faults": []}
    assert 'Kind=Shop "north/corner"' in verdicts["classic"]["reason"]
    assert 'must be of type integer: "string"' in verdicts["classic"]["reason"]


def test_what_is_taken_for_what_is_missing_is_said(olmsolve: Run, file: Any) -> None:
    """A manifest from a bundle has no status: that its storage version is taken must not be a silent guess."""
    definition = file("crd.json", crd("a"))
    outcome = olmsolve("crd-check", definition, definition)
    assert outcome.code == 0
    assert "note: the old definition has no status.storedVersions; its storage version is taken: v1" in outcome.out


def test_definitions_are_paired_by_name(olmsolve: Run, file: Any) -> None:
    """A bundle brings several definitions; one that replaces nothing cannot do harm."""
    old = file("old.json", crd("a", storedVersions=["v1"]), crd("a", kind="Till", storedVersions=["v1"]))
    new = file("new.json", crd("a", kind="Till"), crd("a", kind="Shelf"))
    outcome = olmsolve("crd-check", old, new)
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "tills.example.com"
    assert outcome.out.splitlines()[-1] == "shelfs.example.com: replaces nothing that was given"


def test_a_bundle_without_definitions_passes(olmsolve: Run, file: Any) -> None:
    """As OLM v1 lets any bundle pass that brings none; an empty file stays an error."""
    service = file("service.json", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
    outcome = olmsolve("crd-check", file("old.json", crd("a")), service)
    assert outcome.code == 0
    assert outcome.out == "The new objects have no CustomResourceDefinition, so there is nothing to refuse.\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "new.yaml: holds no CustomResourceDefinition"),
        ("kind: [", "new.yaml"),
        ("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {}", "metadata.name"),
        ("- 1", "new.yaml"),
    ],
    ids=["empty", "no YAML", "no name", "no object"],
)
def test_files_that_cannot_be_used_are_named(olmsolve: Run, file: Any, content: str, message: str) -> None:
    """Nothing that could not be compared may look like a verdict."""
    Path("new.yaml").write_text(content, "utf-8")
    outcome = olmsolve("crd-check", file("old.json", crd("a")), "new.yaml")
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert olmsolve("crd-check", "-", "-").code == 2
