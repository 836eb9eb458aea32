"""How ``opm`` (operator-registry 1.73.0) reads odd files: 1,600 recorded verdicts, and the blobs that it rendered.

Separators, comments, blank and null documents, directives, byte-order marks, other encodings, JSON and YAML mixed, keys
in another letter case or twice, wrong types.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import load
from olmsolve.authoring.checks import Severity, validate
from olmsolve.catalog.fbc import blobs
from tests.recorded import Record, records, shared

GROUPS: Final = 16  # of a hundred records each, so that a failure names few
FIELDS: Final = {
    "olm.package": ("name", "defaultChannel", "description", "icon", "properties"),
    "olm.channel": ("name", "package", "entries", "properties"),
    "olm.bundle": ("name", "package", "image", "properties", "relatedImages"),
    "olm.deprecations": ("package", "entries"),
}
ALWAYS: Final = {"name", "defaultChannel", "package", "entries", "image"}
"""Fields that ``opm`` writes even if they are empty."""


def recorded(group: int) -> list[Record]:
    all_records = records(shared() / "conformance" / "opm_documents.jsonl.gz")
    assert len(all_records) == GROUPS * 100
    return all_records[group * 100 : group * 100 + 100]


def written(record: Record, folder: Path) -> Path:
    root = folder / str(record["id"])
    for name, content in record["files"].items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(content["base64"]) if "base64" in content else content["text"].encode())
    return root


def rendered(blob: dict[str, Any]) -> dict[str, Any]:
    """Return *blob* as ``opm render`` prints it: without unknown fields, null for a list that is not there."""
    schema = blob.get("schema")
    if schema not in FIELDS:
        return blob
    document: dict[str, Any] = {"schema": schema}
    for field in FIELDS[schema]:
        value = blob.get(field)
        if field == "entries":
            value = [_entry(entry) for entry in value] if value is not None else None
        elif field == "properties":
            value = [{"type": property_.get("type", ""), "value": property_.get("value")} for property_ in value or ()]
        if value or field in ALWAYS:
            document[field] = value if field == "entries" else value or ""
    if schema == "olm.bundle" and not document["name"]:
        del document["name"]
    return document


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    if "reference" in entry:
        reference = {key: entry["reference"].get(key, "") for key in ("schema", "name")}
        return {"reference": {key: value for key, value in reference.items() if value}, "message": entry["message"]}
    fields = {key: entry.get(key) for key in ("name", "replaces", "skips", "skipRange")}
    return {key: value for key, value in fields.items() if value or key == "name"}


def in_order(blobs: Iterable[dict[str, Any]]) -> list[Any]:
    """Sort blobs as ``opm render`` does: packages by name, each with its channels, bundles and deprecations."""
    return sorted(map(repr, map(_sorted_keys, blobs)))


def _sorted_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted_keys(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted_keys(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("group", range(GROUPS))
def test_verdict_is_that_of_opm(group: int, tmp_path: Path) -> None:
    """A catalog passes here exactly where the image build that runs ``opm`` passes."""
    differing = []
    for record in recorded(group):
        findings = validate(written(record, tmp_path), advice=False)
        wrong = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
        if bool(wrong) == record["ok"]:
            differing.append((record["id"], record.get("message"), wrong))
    assert not differing


@pytest.mark.parametrize("group", range(GROUPS))
def test_values_are_those_of_opm(group: int, tmp_path: Path) -> None:
    """What is read from a valid catalog is what ``opm`` reads, in whatever spelling it is written."""
    differing = []
    for record in recorded(group):
        if record["ok"]:
            ours = in_order(map(rendered, blobs(load(written(record, tmp_path)))))
            theirs = in_order(record["render"])
            if ours != theirs:
                differing.append((record["id"], ours, theirs))
    assert not differing
