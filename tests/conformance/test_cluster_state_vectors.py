"""Recorded ways from a cluster's objects to what is resolved, and the rules about its catalogs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

import pytest

from olmsolve.cluster import (
    OperatorSnapshot,
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
    csv_snapshot,
    infer_properties,
    properties_to_annotation,
    spec_snapshot,
)
from olmsolve.cluster.catalogs import (
    IMAGE_TEMPLATE_ANNOTATION,
    DeprecationMessages,
    catalog_health,
    resolved_image,
    synced_image,
    template_values,
    visible_catalogs,
    with_catalog_health,
    with_deprecations,
)
from olmsolve.cluster.objects import (
    ApiServiceDescription,
    CatalogHealth,
    CatalogSource,
    ClusterServiceVersion,
    Condition,
    CrdDescription,
    Metadata,
    OperatorGroup,
    SubscriptionObject,
)
from tests.recorded import recorded_key
from tests.recorded_rules import rule_records

# What comes after these words is the Go library's own, and not recorded to be repeated.
LIBRARY = ("failed to unmarshal properties annotation: ", "failed to marshal properties annotation: ")


def same_error(ours: str, recorded: str) -> bool:
    """Whether *ours* is the recorded error, up to the words of Go's libraries."""
    for words in LIBRARY:
        if words in recorded:
            begin = recorded[: recorded.index(words) + len(words)]
            return ours.startswith(begin)
    return ours == recorded


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


def subscription_of(given: Mapping[str, Any]) -> SubscriptionObject:
    spec = given["spec"] or {}
    return SubscriptionObject(
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


def shown(entry: OperatorSnapshot) -> dict[str, Any]:
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
        properties = annotation_to_properties(record["in"]["annotation"])
        assert [(item.type, item.text) for item in properties] == [
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
        annotation = properties_to_annotation(given)
        assert annotation == out["annotation"], record["id"]
        json.loads(annotation)


def test_packages_are_inferred_as_recorded() -> None:
    """Without an annotation only the subscription knows the package of an operator, and only if it is alone."""
    for record in rule_records("infer_properties"):
        subscriptions = [subscription_of(given) for given in record["in"]["subscriptions"]]
        properties = infer_properties(csv_of(record["in"]["csv"]), subscriptions)
        assert record["out"]["error"] is None
        assert written(properties) == recorded_properties(record["out"]["properties"]), record["id"]


def test_operators_become_entries_as_recorded() -> None:
    """What an operator's spec says it provides and requires."""
    for record in rule_records("csv_entry"):
        csv = csv_of(record["in"])
        if "error" in record["out"]:
            with pytest.raises(ProjectionError) as refused:
                spec_snapshot(csv)
            assert str(refused.value) == record["out"]["error"], record["id"]
            continue
        assert shown(spec_snapshot(csv)) == recorded_entry(record["out"]), record["id"]


def snapshot_of(given: Mapping[str, Any]) -> tuple[tuple[OperatorSnapshot, ...], str]:
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
        shown_entries = sorted((shown(entry) for entry in entries), key=lambda entry: str(entry["name"]))
        expected = [
            sorted(map(recorded_entry, answer["entries"]), key=lambda entry: str(entry["name"]))
            for answer in answers
            if "entries" in answer
        ]
        assert shown_entries in expected, record["id"]


def conditions_of(given: Iterable[Mapping[str, str]]) -> tuple[Condition, ...]:
    return tuple(Condition(c["type"], c["status"], c["reason"], c["message"]) for c in given)


def recorded_conditions(given: Iterable[Mapping[str, str]]) -> list[tuple[str, str, str, str]]:
    return [(c["type"], c["status"], c["reason"], c["message"]) for c in given]


def shown_conditions(conditions: Iterable[Condition]) -> list[tuple[str, str, str, str]]:
    return [(c.type, c.status, c.reason, c.message) for c in conditions]


def test_versions_become_template_values_as_recorded() -> None:
    """A version that cannot be read leaves what was known before."""
    for record in rule_records("kube_version"):
        version = record["in"]["serverVersion"]
        values = template_values(version["gitVersion"] if version else "", record["in"]["before"])
        assert values == record["out"]["after"], record["id"]


def test_image_templates_are_filled_in_as_recorded() -> None:
    """Exact text is replaced, everything else stays, and what has no value is told."""
    for record in rule_records("image_templates"):
        image = resolved_image(record["in"]["template"], record["in"]["values"])
        assert image.image == record["out"]["image"], record["id"]
        assert list(image.unresolved) == record["out"]["unresolved"], record["id"]


def test_template_syncs_are_as_recorded() -> None:
    """The image follows only where it can, and what is written is what changed."""
    written_as = {"spec": ["update/"], "status": ["update/status"], "": []}
    for record in rule_records("catalog_template_sync"):
        given, out = record["in"], record["out"]
        catalog = CatalogSource(
            metadata=Metadata(name="c", namespace="ns", annotations={IMAGE_TEMPLATE_ANNOTATION: given["annotation"]}),
            image=given["image"],
            conditions=conditions_of(given["conditions"]),
        )
        image = synced_image(catalog, template_values(given["gitVersion"]))
        assert out["error"] is None
        assert image.catalog.image == out["image"], record["id"]
        assert shown_conditions(image.catalog.conditions) == recorded_conditions(out["conditions"]), record["id"]
        assert written_as[image.writes] == out["writes"], record["id"]


def watched_subscription(given: Mapping[str, Any]) -> SubscriptionObject:
    return SubscriptionObject(
        metadata=Metadata(name=given["name"], namespace=given["namespace"]),
        package=given["package"],
        channel=given["channel"],
        source=given["catalogSource"],
        source_namespace=given["catalogSourceNamespace"],
        installed_csv=given["installedCSV"],
        conditions=conditions_of(given["conditions"]),
        catalog_health=health_of(given["catalogHealth"]),
    )


def health_of(given: Iterable[Mapping[str, Any]]) -> tuple[CatalogHealth, ...]:
    return tuple(CatalogHealth(h["name"], h["namespace"], h["uid"], h["healthy"]) for h in given)


def test_health_conditions_are_as_recorded() -> None:
    """What a subscription says of the catalogs, why, and whether that is news."""
    for record in rule_records("catalog_health"):
        update = with_catalog_health(
            watched_subscription(record["in"]["subscription"]), health_of(record["in"]["health"])
        )
        out = record["out"]
        assert shown_conditions(update.subscription.conditions) == recorded_conditions(out["conditions"]), record["id"]
        assert update.subscription.catalog_health == health_of(out["catalogHealth"]), record["id"]
        assert ("healthy" if update.healthy else "unhealthy") == out["state"], record["id"]
        assert update.updated == out["updated"], record["id"]


# Whether a catalog's server answers is an input that these records do not hold; in this one none does.
SILENT = {"catalog_health_list-0002"}


def test_health_lists_are_as_recorded() -> None:
    """Which catalogs count for a namespace, and which of them are healthy."""
    for record in rule_records("catalog_health_list"):
        given = record["in"]
        catalogs = [
            CatalogSource(
                metadata=Metadata(name=c["name"], namespace=c["namespace"], uid=c["name"]), reason=c["status.reason"]
            )
            for c in given["catalogs"]
        ]
        answers = record["id"] not in SILENT

        def serves(catalog: CatalogSource, answers: bool = answers) -> bool:
            return answers

        health = catalog_health(catalogs, given["namespace"], given["globalCatalogNamespace"], serves)
        assert record["out"]["error"] is None
        key = attrgetter("namespace", "name")
        assert sorted(health, key=key) == sorted(health_of(record["out"]["health"]), key=key), record["id"]


def test_visible_catalogs_are_as_recorded() -> None:
    """Which catalogs a namespace sees, and the words with which one that cannot be read stops everything."""
    without_client = "no registry client established for catalogsource {}"
    unavailable = "failed to list bundles: rpc error: code = Unavailable desc = connection error"
    for record in rule_records("catalog_sources"):
        given, out = record["in"], record["out"]
        clients = {f"{c['namespace']}/{c['name']}": c["client"] for c in given["catalogs"]}

        def fault(catalog: CatalogSource, clients: Mapping[str, bool] = clients) -> str:
            return unavailable if clients[catalog.key] else without_client.format(catalog.key)

        catalogs = [
            CatalogSource(metadata=Metadata(name=c["name"], namespace=c["namespace"])) for c in given["catalogs"]
        ]
        sources = visible_catalogs(
            catalogs,
            given["namespaces"],
            fault,
            {given["listerFailsFor"]: "lister down"} if given["listerFailsFor"] else None,
        )
        assert sorted((source.key, source.error) for source in sources) == sorted(
            (recorded_key(source["key"]), source["snapshotError"]) for source in out["sources"]
        ), record["id"]
        assert sorted(source.blocking for source in sources) == sorted(out["cacheErrors"]), record["id"]


def test_deprecation_conditions_are_as_recorded() -> None:
    """What a catalog says against the installed bundle, and that nothing is written where nothing changed."""
    for record in rule_records("subscription_deprecation"):
        subscription = watched_subscription(record["in"]["subscription"])
        entries = [DeprecationMessages(**entry) for entry in record["in"]["entries"]]
        updated = with_deprecations(subscription, entries)
        assert record["out"]["error"] is None
        assert shown_conditions(updated.conditions) == recorded_conditions(record["out"]["conditions"]), record["id"]
        assert (updated != subscription) == record["out"]["changed"], record["id"]
