"""The tables of operator-controller's own tests: admission, validators of bundles, configuration, definitions.

The lines of ``v1_tables.jsonl.gz`` have the facts of the tables (input, verdict, and in ``told`` the part of a message
that the table names) in a form of our own, and the whole messages of a real API server and a real controller. Rows
about Helm charts, about bundles without a schema, and about failures of a client are left out.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import admission_fault, v1
from olmsolve.catalog import fbc
from olmsolve.cluster.extensions import CrdUpgradesAreSafe
from olmsolve.cluster.objects import CustomResourceDefinition, read_manifest
from olmsolve.v1.installing import BundleContent, bundle_refusal, config_faults, validator_faults

_PATH: Final = Path(__file__).with_name("v1_tables.jsonl.gz")
_LINES: Final = [json.loads(line) for line in gzip.decompress(_PATH.read_bytes()).decode().splitlines()][1:]


def rows(table: str) -> list[dict[str, Any]]:
    return [line for line in _LINES if line["table"] == table]


def extension(part: str, value: object) -> dict[str, Any]:
    """A ClusterExtension whose *part* has this *value*, as a typed client writes it: without an empty version."""
    source: dict[str, Any] = {"packageName": "package"}
    spec: dict[str, Any] = {
        "namespace": "default",
        "serviceAccount": {"name": "default"},
        "source": {"sourceType": "Catalog", "catalog": source},
    }
    if part == "channels":
        source["channels"] = [value]
    elif part in ("packageName", "version"):
        source |= {part: value} if value or part == "packageName" else {}
    else:
        spec |= {part: {"name": value} if part == "serviceAccount" else value}
    kind = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension"}
    return {**kind, "metadata": {"name": "row"}, "spec": spec}


@pytest.mark.parametrize(
    ("part", "count"),
    [("packageName", 18), ("version", 57), ("channels", 15), ("namespace", 14), ("serviceAccount", 15)],
)
def test_admission(part: str, count: int) -> None:
    """119 rows: taken or refused as the table has it, in the whole words of the API server."""
    part_rows = [row for row in rows("admission") if row["part"] == part]
    assert len(part_rows) == count
    for row in part_rows:
        fault = admission_fault(extension(part, row["value"]))
        assert fault == row["message"], row
        assert bool(fault) == bool(row["told"]), row
        assert row["told"] in fault, row


def test_a_real_channel_cannot_be_named() -> None:
    """aws-neuron-operator has it; what the tables say of others is true of it."""
    assert "channels entries must be valid DNS1123 subdomains" in admission_fault(extension("channels", "Stable"))


def content(manifests: Iterable[Mapping[str, Any]]) -> BundleContent:
    """What a catalog that holds the *manifests* of a bundle tells of it."""
    encoded = [base64.b64encode(json.dumps(manifest).encode()).decode() for manifest in manifests]
    version = {"type": "olm.package", "value": {"packageName": "row", "version": "1.0.0"}}
    properties = [version, *({"type": "olm.bundle.object", "value": {"data": data}} for data in encoded)]
    bundle = {"schema": "olm.bundle", "package": "row", "name": "row.v1.0.0", "properties": properties}
    channel = {"schema": "olm.channel", "package": "row", "name": "c", "entries": [{"name": "row.v1.0.0"}]}
    return v1.bundle_content(fbc.from_blobs([channel, bundle]).packages["row"].bundles["row.v1.0.0"])


def test_validators_of_bundles() -> None:
    """55 rows, each a whole bundle that the controller was given: all of its faults, in its words and its order.

    A catalog gives no bundle without a package, as an image does; that row is read from its content alone.
    """
    all_rows = rows("validators")
    assert len(all_rows) == 55
    for row in all_rows:
        known = content(row["manifests"])
        known = known if row["package"] else BundleContent(known.name, "", known.spec, known.manifests)
        faults = validator_faults(known)
        assert faults == row["faults"], row["case"]
        assert set(row["told"]) <= set(faults), row["case"]


def test_configuration_of_bundles() -> None:
    """48 rows about operators, 39 of verdicts and 9 of words; the API server has refused no object and empty ones."""
    all_rows = rows("config")
    gates = v1.FeatureGates({"SingleOwnNamespaceInstallSupport": True, "DeploymentConfig": True})
    assert [sum(row["part"] == part for row in all_rows) for part in ("install modes", "words")] == [39, 9]
    for row in all_rows:
        namespace, config = row["namespace"] or "ns", row["config"]
        if "admission" in row:
            written = extension("config", {"configType": "Inline", "inline": config})
            refused = admission_fault(written, experimental=True)
            assert refused.partition("is invalid: ")[2] == row["admission"], row
            if config != {}:
                continue
        else:
            modes = [{"type": mode, "supported": True} for mode in row["modes"]]
            refusal = bundle_refusal(
                BundleContent("row", "row", {"installModes": modes}), v1.InstallSettings(namespace, config), gates
            )
            assert ("" if refusal is None else refusal.message) == row["message"], row
        fault = config_faults(config, row["modes"], row["namespace"], has_deployment=True)
        assert bool(fault) == bool(row["told"]), row
        assert row["told"] in fault, row


def definition(
    *versions: str, stored: Sequence[str] = (), scope: str = "Cluster", conversion: str = "None", **fields: Any
) -> dict[str, Any]:
    """The definition of Jobs of example.com; each of *versions* has the *fields*, or its own where it has some."""
    definition_versions = []
    for name in versions:
        properties = fields.get(name, fields)
        spec = {"type": "object", "properties": properties, **fields.get("more", {})}
        schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
        definition_versions.append({"name": name, "served": True, "storage": name == versions[-1], "schema": schema})
    names = {"plural": "jobs", "kind": "Job"}
    spec = {"group": "example.com", "names": names, "scope": scope, "conversion": {"strategy": conversion}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "jobs.example.com"},
        "spec": {**spec, "versions": definition_versions},
        "status": {"storedVersions": list(stored)},
    }


NUMBER: Final[Mapping[str, Any]] = {"type": "integer"}
TEXT: Final[Mapping[str, Any]] = {"type": "string"}
LIST: Final[Mapping[str, Any]] = {"type": "array", "items": TEXT}
PLAIN: Final[Mapping[str, Any]] = {"count": NUMBER, "size": NUMBER, "names": LIST, "label": TEXT, "default": TEXT}
OLD: Final = definition("v1", "v2", stored=["v1", "v2"], **PLAIN)
LIMITED: Final[Mapping[str, Any]] = {
    "count": {**NUMBER, "enum": [1, 2]},
    "size": {**NUMBER, "minimum": 2, "maximum": 3},
    "names": {**LIST, "minItems": 1, "maxItems": 2},
    "label": {**TEXT, "minLength": 1, "maxLength": 10},
    "default": {**TEXT, "default": "foo"},
    "more": {"maxProperties": 20, "minProperties": 1, "required": ["label"]},
}
EVERY: Final = [
    "scope",
    "storedVersionRemoval",
    "enum",
    "required",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
]
EVERY_LEAST: Final = ["minimum", "minItems", "minLength", "minProperties", "default"]
SOUNDS: Final[Mapping[str, Any]] = {"sound": {**TEXT, "enum": ["foo", "bar"]}, "extra": {"type": "boolean"}}
OTHERS: Final = {"sound": {**TEXT, "enum": ["bark", "woof"]}, "extra": {"type": "boolean"}}
CONVERTED: Final = definition("v1", stored=["v1"], **SOUNDS)
UNCONVERTED: Final = definition("v1", "v2", v1=SOUNDS, v2=OTHERS)
DESCRIBED: Final[Mapping[str, Any]] = {**PLAIN, "count": {**NUMBER, "description": "how many"}}
SERVICE: Final = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "row"}, "spec": {"clusterIP": "None"}}


@pytest.mark.parametrize(
    ("old", "manifests", "expected_parts"),
    [
        (None, None, []),
        (None, [], []),
        (None, [{"kind": "CustomResourceDefinition", "spec": "abcd"}], []),
        (None, [SERVICE], []),
        (OLD, [SERVICE], []),
        (None, [definition("v2", **LIMITED)], []),
        (OLD, [definition("v1", "v2", **PLAIN, more={"properties": {**PLAIN, "new": TEXT}})], []),
        (OLD, [definition("v2", scope="Namespaced", **LIMITED)], [f"{rule}: " for rule in (*EVERY, *EVERY_LEAST)]),
        (OLD, [definition("v1", "v2", v1=PLAIN, v2={"count": NUMBER})], ["existingFieldRemoval: "]),
        (CONVERTED, [definition("v1", "v2", conversion="Webhook", v1=SOUNDS, v2=OTHERS)], []),
        (
            CONVERTED,
            [UNCONVERTED],
            [
                'CRD "jobs.example.com": v1 -> v2: ^.spec.sound: enum: allowed enum values removed',
            ],
        ),
        (OLD, [definition("v1", "v2", **DESCRIBED)], []),
        (UNCONVERTED, [UNCONVERTED], []),
        (
            UNCONVERTED,
            [definition("v1", "v2", v1=SOUNDS, v2={**OTHERS, "extra": TEXT})],
            ['v1 -> v2: ^.spec.extra: type: type changed : "boolean" -> "string"'],
        ),
        (
            definition("v1", stored=["v1"], label=TEXT),
            [definition("v1", label={**TEXT, "format": "email"})],
            ["unhandled changes found"],
        ),
    ],
    ids=[
        *("no manifests", "no objects", "unreadable", "no definition", "none any more", "a new one", "a field more"),
        *("every rule", "a field gone", "converted", "not converted", "described", "as before", "more than before"),
        "unhandled",
    ],
)
def test_upgrades_of_definitions(
    old: Mapping[str, Any] | None, manifests: Sequence[Mapping[str, Any]] | None, expected_parts: Sequence[str]
) -> None:
    """The rows about a bundle and the definitions on a cluster; a bundle without definitions always passes."""
    present = read_manifest(old) if old is not None else ()
    there = {crd.name: crd for crd in present if isinstance(crd, CustomResourceDefinition)}
    bundle = {"schema": "olm.bundle", "package": "row", "name": "row.v2"}
    properties: list[dict[str, Any]] = [{"type": "olm.package", "value": {"packageName": "row", "version": "2.0.0"}}]
    for manifest in manifests or ():
        data = base64.b64encode(json.dumps(manifest).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    channel = {"schema": "olm.channel", "package": "row", "name": "c", "entries": [{"name": "row.v2"}]}
    catalog = fbc.from_blobs([channel, {**bundle, "properties": properties}])
    request = v1.ExtensionRequest(
        v1.Extension("row"), [v1.ClusterCatalog("cat", catalog)], v1.InstalledBundle("row.v1", "1.0.0")
    )
    refusal = CrdUpgradesAreSafe(there, "row.v1")(catalog.packages["row"].bundles["row.v2"], request)
    assert (refusal is None) == (not expected_parts), refusal
    for part in expected_parts:
        assert refusal is not None
        assert part in refusal.message
    if old is UNCONVERTED and refusal is not None:
        assert "enum" not in refusal.message, "what was so before is not the new definition's fault"
