"""One fault is one finding, at the field that is wrong, with what was probably meant."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import from_blobs
from olmsolve.authoring.checks import Finding, Severity, mend, validate

Blobs = list[dict[str, Any]]

PACKAGE, CHANNEL, OLD, NEW, DEPRECATIONS = range(5)


def catalog() -> Blobs:
    """Return a package that is as it should be; the tests plant faults in it."""
    return copy.deepcopy(
        [
            {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"},
            {
                "schema": "olm.channel",
                "package": "etcd",
                "name": "stable",
                "entries": [{"name": "etcd.v1.1.0", "replaces": "etcd.v1.0.0"}, {"name": "etcd.v1.0.0"}],
            },
            *(
                {
                    "schema": "olm.bundle",
                    "package": "etcd",
                    "name": f"etcd.v{version}",
                    "image": "quay.io/etcd/etcd:1",
                    "properties": [
                        {"type": "olm.package", "value": {"packageName": "etcd", "version": version}},
                        {"type": "olm.package.required", "value": {"packageName": "etcd", "versionRange": ">0.1.0"}},
                    ],
                }
                for version in ("1.0.0", "1.1.0")
            ),
            {
                "schema": "olm.deprecations",
                "package": "etcd",
                "entries": [{"reference": {"schema": "olm.bundle", "name": "etcd.v1.0.0"}, "message": "old"}],
            },
        ]
    )


def renamed(blobs: Blobs, blob: int, old: str, new: str, *path: Any) -> None:
    """Rename the field *old* of the object at *path* of a blob."""
    target: Any = blobs[blob]
    for step in path:
        target = target[step]
    items = [(new if key == old else key, value) for key, value in target.items()]
    target.clear()
    target.update(items)


def put(blobs: Blobs, blob: int, value: Any, *path: Any) -> None:
    """Set the value at *path* of a blob."""
    target: Any = blobs[blob]
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value


FAULTS: Final[dict[str, tuple[Callable[[Blobs], None], str, str, str]]] = {
    # what is done, then the severity, the property, and what the hint has to name
    "defaultChanel": (
        lambda b: renamed(b, PACKAGE, "defaultChannel", "defaultChanel"),
        "error",
        "defaultChanel",
        "did you mean defaultChannel?",
    ),
    "olm.packge": (lambda b: put(b, PACKAGE, "olm.packge", "schema"), "error", "schema", "did you mean olm.package?"),
    "olm.chanel": (lambda b: put(b, CHANNEL, "olm.chanel", "schema"), "error", "schema", "did you mean olm.channel?"),
    "olm.bundel": (lambda b: put(b, NEW, "olm.bundel", "schema"), "error", "schema", "did you mean olm.bundle?"),
    "olm.deprecation": (
        lambda b: put(b, DEPRECATIONS, "olm.deprecation", "schema"),
        "warning",
        "schema",
        "did you mean olm.deprecations?",
    ),
    "replace": (
        lambda b: renamed(b, CHANNEL, "replaces", "replace", "entries", 0),
        "error",
        "entries[0].replace",
        "did you mean replaces?",
    ),
    "skiprRange": (
        lambda b: put(b, CHANNEL, "<1.1.0", "entries", 0, "skiprRange"),
        "warning",
        "entries[0].skiprRange",
        "did you mean skipRange?",
    ),
    "entrys": (lambda b: renamed(b, CHANNEL, "entries", "entrys"), "error", "entrys", "did you mean entries?"),
    "imgae": (lambda b: renamed(b, NEW, "image", "imgae"), "error", "imgae", "did you mean image?"),
    "propertes": (
        lambda b: renamed(b, NEW, "properties", "propertes"),
        "error",
        "propertes",
        "did you mean properties?",
    ),
    "versoin": (
        lambda b: renamed(b, NEW, "version", "versoin", "properties", 0, "value"),
        "error",
        "properties[0] (olm.package): versoin",
        "did you mean version?",
    ),
    "versionRang": (
        lambda b: renamed(b, NEW, "versionRange", "versionRang", "properties", 1, "value"),
        "warning",
        "properties[1] (olm.package.required): versionRang",
        "did you mean versionRange?",
    ),
    "a wrong package of a bundle": (lambda b: put(b, NEW, "etdc", "package"), "error", "", "did you mean etcd?"),
    "a wrong package of a channel": (lambda b: put(b, CHANNEL, "other", "package"), "error", "", "did you mean etcd?"),
    "a wrong name of the package": (lambda b: put(b, PACKAGE, "etdc", "name"), "error", "name", "did you mean etcd?"),
    "a wrong packageName": (
        lambda b: put(b, NEW, "etdc", "properties", 0, "value", "packageName"),
        "error",
        "properties[0] (olm.package): packageName",
        "write packageName: etcd",
    ),
    "a wrong default channel": (
        lambda b: put(b, PACKAGE, "stabel", "defaultChannel"),
        "error",
        "",
        "did you mean stable?",
    ),
    "a wrong entry": (
        lambda b: put(b, CHANNEL, "etcd.v1.1.O", "entries", 0, "name"),
        "error",
        "entries[0].name",
        "did you mean etcd.v1.1.0?",
    ),
    "a wrong target of replaces": (
        lambda b: put(b, CHANNEL, "etcd.v1.0.O", "entries", 0, "replaces"),
        "error",
        "entries[0].replaces",
        "did you mean etcd.v1.0.0?",
    ),
    "a wrong target of skips": (
        lambda b: put(b, CHANNEL, {"name": "etcd.v1.1.0", "skips": ["etcd.v1.O.0"]}, "entries", 0),
        "error",
        "entries[0].skips[0]",
        "did you mean etcd.v1.0.0?",
    ),
    "a wrong deprecated bundle": (
        lambda b: put(b, DEPRECATIONS, "etcd.v1.0.O", "entries", 0, "reference", "name"),
        "error",
        "entries[0].reference.name",
        "did you mean etcd.v1.0.0?",
    ),
    "a wrong deprecated schema": (
        lambda b: put(b, DEPRECATIONS, "olm.bundel", "entries", 0, "reference", "schema"),
        "error",
        "entries[0].reference.schema",
        "did you mean olm.bundle?",
    ),
    "a wrong type of property": (
        lambda b: put(b, NEW, "olm.package.require", "properties", 1, "type"),
        "warning",
        "properties[1] (olm.package.require)",
        "did you mean olm.package.required?",
    ),
}


def found_in(path: Path) -> list[Finding]:
    return [finding for finding in validate(path) if finding.severity is not Severity.NOTE]


def test_without_a_fault_there_is_no_finding(tmp_path: Path) -> None:
    """Else the findings below could be of the catalog itself."""
    file = tmp_path / "catalog.json"
    file.write_text("\n".join(map(json.dumps, catalog())))
    assert found_in(file) == []


@pytest.mark.parametrize("name", FAULTS)
def test_one_finding_at_the_fault(name: str, tmp_path: Path) -> None:
    """opm stops at some consequence of it; a list of all consequences would hide the fault."""
    plant, severity, path, hint = FAULTS[name]
    blobs = catalog()
    plant(blobs)
    file = tmp_path / "catalog.json"
    file.write_text("\n".join(map(json.dumps, blobs)))
    (finding,) = found_in(file)
    assert (finding.severity.value, finding.property) == (severity, path)
    assert hint in finding.hint
    assert finding.origin is not None
    assert finding.origin.column is not None


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_mended_is_the_catalog_that_was_meant(name: str, tmp_path: Path) -> None:
    """A fix that is not exactly right is worse than none; without a clear one the file stays."""
    text = "\n".join(json.dumps(blob, indent=2) for blob in catalog())
    blobs = catalog()
    FAULTS[name][0](blobs)
    file = tmp_path / "catalog.json"
    file.write_text("\n".join(json.dumps(blob, indent=2) for blob in blobs))
    for mended in mend(validate(file)):
        file.write_text(mended.after)
    unclear = {"skiprRange", "a wrong target of skips"}
    if name not in unclear:
        assert file.read_text() == text
    assert found_in(file) == []


def test_the_findings_of_a_loaded_catalog_are_the_same() -> None:
    """A catalog that somebody made in a program is told of in the same way, without lines."""
    blobs = catalog()
    FAULTS["a wrong default channel"][0](blobs)
    (finding,) = [finding for finding in validate(from_blobs(blobs)) if finding.severity is Severity.ERROR]
    assert "did you mean stable?" in finding.hint


def test_faults_of_their_own_stay() -> None:
    """A misspelling takes the errors that follow from it, and no other."""
    blobs = catalog()
    FAULTS["olm.bundel"][0](blobs)
    put(blobs, OLD, "1.0", "properties", 0, "value", "version")
    codes = [finding.code for finding in validate(from_blobs(blobs)) if finding.severity is Severity.ERROR]
    assert "version-invalid" in codes


def test_two_versions_are_no_slip_of_the_pen(tmp_path: Path) -> None:
    """etcd.v1.2.0 is near etcd.v1.1.0, and yet another bundle."""
    blobs = catalog()
    put(blobs, CHANNEL, "etcd.v1.2.0", "entries", 0, "name")
    file = tmp_path / "catalog.json"
    file.write_text("\n".join(map(json.dumps, blobs)))
    assert sorted(finding.code for finding in found_in(file)) == ["bundle-without-channel", "entry-without-bundle"]
    assert mend(validate(file)) == ()
