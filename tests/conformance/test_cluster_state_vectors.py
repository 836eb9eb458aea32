"""Recorded ways from a cluster's objects to what is resolved, and the rules about its catalogs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from olmsolve.cluster.objects import (
    ApiServiceDescription,
    ClusterServiceVersion,
    CrdDescription,
    Metadata,
    OperatorGroup,
    Subscription,
)
from olmsolve.cluster.projection import Entry, csv_entry, infer_properties
from olmsolve.cluster.properties_annotation import (
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
    properties_to_annotation,
)
from olmsolve.cluster.snapshot import csv_snapshot
from tests.recorded_rules import rule_records

# What comes after these words is the Go library's own, and not recorded to be repeated.
LIBRARY = ("failed to unmarshal properties annotation: ", "failed to marshal properties annotation: ")


def same_error(found: str, recorded: str) -> bool:
    """Whether *found* is the recorded error, up to the words of Go's libraries."""
    for words in LIBRARY:
        if words in recorded:
            begin = recorded[: recorded.index(words) + len(words)]
            return found.startswith(begin)
    return found == recorded


def csv_of(given: Mapping[str, Any]) -> ClusterServiceVersion:
    crds = given.get("customresourcedefinitions", {})
    services = given.get("apiservicedefinitions", {})

    def resources(name: str) -> tuple[CrdDescription, ...]:
        return tuple(CrdDescription(d["name"], d["version"], d["kind"]) for d in crds.get(name, ()))

    def aggregated(name: str) -> tuple[ApiServiceDescription, ...]:
        return tuple(
            ApiServiceDescription(d["group"], d["version"], d["kind"], d["name"]) for d in services.get(name, ())
        )

    return ClusterServiceVersion(
        metadata=Metadata(
            name=given["name"],
            namespace=given.get("namespace", ""),
            labels=given.get("labels") or {},
            annotations=given.get("annotations") or {},
        ),
        version=given["version"],
        replaces=given.get("replaces", ""),
        phase=given.get("phase", ""),
        reason=given.get("reason", ""),
        owned_crds=resources("owned"),
        required_crds=resources("required"),
        owned_api_services=aggregated("owned"),
        required_api_services=aggregated("required"),
    )


def subscription_of(given: Mapping[str, Any]) -> Subscription:
    spec = given["spec"] or {}
    return Subscription(
        metadata=Metadata(name=given["name"], namespace=given["namespace"]),
        package=spec.get("name", ""),
        channel=spec.get("channel", ""),
        source=spec.get("source", ""),
        source_namespace=spec.get("sourceNamespace", ""),
        installed_csv=given["installedCSV"],
        current_csv=given["currentCSV"],
    )


def group_of(given: Mapping[str, Any], namespace: str) -> OperatorGroup:
    return OperatorGroup(
        metadata=Metadata(name=given["name"], namespace=namespace), upgrade_strategy=given["upgradeStrategy"]
    )


def written(properties: Iterable[WrittenProperty]) -> list[tuple[str, str]]:
    """Properties as they compare: their order means nothing, the text of their values is exact."""
    return sorted((item.type, item.text) for item in properties)


def recorded_properties(properties: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    return sorted((item["type"], item["value"]) for item in properties)


def shown(entry: Entry) -> dict[str, Any]:
    """An entry in the form of :func:`recorded_entry`."""
    return {
        "name": entry.name,
        "version": entry.version,
        "package": entry.package,
        "subscription": entry.subscription,
        "properties": written(entry.properties),
        "provided": {(api.group, api.version, api.kind, api.plural) for api in entry.provided},
        "required": {(api.group, api.version, api.kind, api.plural) for api in entry.required},
    }


def recorded_entry(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": given["name"],
        "version": given["version"],
        "package": given["package"],
        "subscription": given.get("subscription"),
        "properties": recorded_properties(given["properties"]),
        "provided": {(api["group"], api["version"], api["kind"], api["plural"]) for api in given["providedAPIs"]},
        "required": {(api["group"], api["version"], api["kind"], api["plural"]) for api in given["requiredAPIs"]},
    }


@pytest.mark.parametrize("kind", ["annotation_to_properties"])
def test_annotations_are_read_as_recorded(kind: str) -> None:
    """The annotation replaces everything else that is known of an operator, to the letter of its values."""
    for record in rule_records(kind):
        out = record["out"]
        if out["error"] is not None:
            with pytest.raises(ProjectionError) as refused:
                annotation_to_properties(record["in"]["annotation"])
            assert same_error(str(refused.value), out["error"]), record["id"]
            continue
        found = annotation_to_properties(record["in"]["annotation"])
        assert [(item.type, item.text) for item in found] == [
            (item["type"], item["value"]) for item in out["properties"]
        ], record["id"]


def test_annotations_are_written_as_recorded() -> None:
    """What a plan writes must be what the next resolution reads."""
    for record in rule_records("properties_to_annotation"):
        out = record["out"]
        given = [WrittenProperty(item["type"], item["value"]) for item in record["in"]["properties"]]
        if out["error"] is not None:
            with pytest.raises(ProjectionError) as refused:
                properties_to_annotation(given)
            assert same_error(str(refused.value), out["error"]), record["id"]
            continue
        found = properties_to_annotation(given)
        assert found == out["annotation"], record["id"]
        json.loads(found)


def test_packages_are_inferred_as_recorded() -> None:
    """Without an annotation only the subscription knows the package of an operator, and only if it is alone."""
    for record in rule_records("infer_properties"):
        subscriptions = [subscription_of(given) for given in record["in"]["subscriptions"]]
        found = infer_properties(csv_of(record["in"]["csv"]), subscriptions)
        assert record["out"]["error"] is None
        assert written(found) == recorded_properties(record["out"]["properties"]), record["id"]


def test_operators_become_entries_as_recorded() -> None:
    """What an operator's spec says it provides and requires."""
    for record in rule_records("csv_entry"):
        csv = csv_of(record["in"])
        if "error" in record["out"]:
            with pytest.raises(ProjectionError) as refused:
                csv_entry(csv)
            assert str(refused.value) == record["out"]["error"], record["id"]
            continue
        assert shown(csv_entry(csv)) == recorded_entry(record["out"]), record["id"]


def snapshot_of(given: Mapping[str, Any]) -> tuple[tuple[Entry, ...], str]:
    """The entries of a recorded namespace, or the error."""
    try:
        entries = csv_snapshot(
            [csv_of(csv) for csv in given["csvs"] or ()],
            [subscription_of(subscription) for subscription in given["subscriptions"] or ()],
            [group_of(group, given["namespace"]) for group in given["operatorGroups"] or ()],
            live=[subscription_of(subscription) for subscription in given["liveSubscriptions"] or ()],
        )
    except ProjectionError as error:
        return (), str(error)
    return entries, ""


def test_namespaces_become_snapshots_as_recorded() -> None:
    """Who is offered to a resolution, owned by whom, and what keeps the whole namespace from being resolved."""
    for record in rule_records("csv_snapshot"):
        given = record["in"]
        answers = [record["out"], *record.get("alternatives", ())]
        entries, failure = snapshot_of(given)
        if failure:
            errors = [answer["error"] for answer in answers if "error" in answer]
            assert any(same_error(failure, text) for text in errors), (record["id"], failure)
            continue
        found = sorted((shown(entry) for entry in entries), key=lambda entry: str(entry["name"]))
        expected = [
            sorted(map(recorded_entry, answer["entries"]), key=lambda entry: str(entry["name"]))
            for answer in answers
            if "entries" in answer
        ]
        assert found in expected, record["id"]
