"""Recorded verdicts on new CustomResourceDefinitions: of classic OLM and of OLM v1, message by message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from olmsolve.cluster.crds import (
    InvalidObject,
    invalid_object,
    missing_stored_version,
    missing_version_message,
    upgrade_faults,
    upgrade_step,
)
from olmsolve.cluster.objects import CustomResourceDefinition, read_manifest
from tests.recorded_rules import rule_records

_LIST = re.compile(r"(?P<before>.*: )\[(?P<items>\[\].*)\](?P<after>\s*)", re.DOTALL)


def _definitions(given: Mapping[str, Any]) -> Iterator[CustomResourceDefinition]:
    for side in ("old", "new"):
        (crd,) = read_manifest(given[side])
        assert isinstance(crd, CustomResourceDefinition)
        yield crd


def _unordered(message: str | None) -> object:
    """A message whose list of violations has no order: it is a hash map's upstream."""
    match = _LIST.fullmatch(message or "")
    if match is None:
        return message
    return match["before"], frozenset(re.split(r", (?=\[\])", match["items"])), match["after"]


def test_stored_versions_must_stay() -> None:
    """The verdict on versions alone, and the words for the first that is missing."""
    for record in rule_records("crd_storage_versions"):
        missing = missing_stored_version(record["in"]["storedVersions"] or (), record["in"]["newVersions"] or ())
        assert record["out"]["safe"] == (not missing), record["id"]
        assert record["out"]["error"] == (missing_version_message(missing) if missing else None), record["id"]


def test_existing_objects_are_validated_as_recorded() -> None:
    """The first object that is refused, and every reason."""
    for record in rule_records("crd_validate_existing"):
        old, new = _definitions(record["in"])
        resources = [item for items in record["in"]["customResources"].values() for item in items]
        accepted = [record["out"], *record.get("alternatives", ())]
        object_: InvalidObject | None = invalid_object(old, new, resources)
        words = None if object_ is None else str(object_)
        assert _unordered(words) in [_unordered(answer["error"]) for answer in accepted], record["id"]


def test_classic_upgrades_end_as_recorded() -> None:
    """The whole step: refused, allowed, or allowed with a warning because a webhook converts."""
    for record in rule_records("crd_upgrade_step"):
        old, new = _definitions(record["in"])
        verdict = upgrade_step(old, new, record["in"]["customResources"])
        out = record["out"]
        assert _unordered(verdict.reason or None) == _unordered(out["error"]), record["id"]
        assert verdict.allowed == (out["status"] == "Present"), record["id"]
        events = [f"Warning CRDValidation {verdict.warning}"] if verdict.warning else []
        assert list(map(_unordered, events)) == list(map(_unordered, out["events"])), record["id"]
        assert (not verdict.missing_version) == out["safeStorage"], record["id"]


def test_v1_refuses_what_is_recorded() -> None:
    """Every message of every upgrade, with the structures of Go that some of them show."""
    for record in rule_records("crd_upgrade_v1"):
        old, new = _definitions(record["in"])
        texts = sorted(str(fault) for fault in upgrade_faults(old, new))
        assert texts == sorted(record["out"]["messages"]), record["id"]
        assert record["out"]["ok"] == (not texts), record["id"]
