"""The definition of ClusterExtensions as a cluster has it: our fields, limits and rules are the ones that it states.

The manifests of operator-controller are read in place: they are another project's and are not vendored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import admission_fault
from olmsolve.cluster.extensions.admission import IMMUTABLE
from olmsolve.cluster.extensions.admission_schemas import EXPERIMENTAL_EXTENSION, EXTENSION, FieldSchema
from tests.conformance.test_v1_tables import extension, rows
from tests.recorded import shared
from tests.yaml_files import yaml_documents

SETS = {"standard": EXTENSION, "experimental": EXPERIMENTAL_EXTENSION}
# Its fields are Kubernetes' own, whose words for them are not the definition's.
ELSEWHERE = ("spec.source.catalog.selector",)


@cache
def definition(feature_set: str) -> Mapping[str, Any]:
    """The schema of ``spec`` in the definition of a feature set."""
    manifests = yaml_documents(shared() / "cluster" / "v1" / "manifests" / f"{feature_set}.yaml")
    (crd,) = (manifest for manifest in manifests if manifest["metadata"]["name"].startswith("clusterextensions."))
    spec: Mapping[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return spec


def paired(
    schema: Mapping[str, Any], ours: FieldSchema, path: str
) -> Iterator[tuple[str, Mapping[str, Any], FieldSchema]]:
    """Each field of the definition, with ours."""
    yield path, schema, ours
    if path in ELSEWHERE:
        return
    assert set(schema.get("properties", {})) == set(ours.properties), path
    for name, inner in schema.get("properties", {}).items():
        yield from paired(inner, ours.properties[name], f"{path}.{name}")
    if "items" in schema:
        assert ours.items is not None, path
        yield from paired(schema["items"], ours.items, f"{path}[]")


@pytest.mark.parametrize("feature_set", SETS)
def test_the_fields_that_never_change_are_the_definitions(feature_set: str) -> None:
    """Rules about a change, and their words."""
    fixed = {}
    for path, schema, _ in paired(definition(feature_set), SETS[feature_set], "spec"):
        for rule in schema.get("x-kubernetes-validations", ()):
            if "oldSelf" in rule["rule"]:
                assert rule["rule"] == "self == oldSelf", path
                fixed[path] = rule["message"]
    assert fixed == {".".join(path): f"{path[-1]} is immutable" for path in IMMUTABLE}


@pytest.mark.parametrize("feature_set", SETS)
def test_every_field_and_limit_is_the_definitions(feature_set: str) -> None:
    """Names, types, what is required, lengths, numbers, choices, and how many rules a field has."""
    for path, schema, ours in paired(definition(feature_set), SETS[feature_set], "spec"):
        if path in ELSEWHERE:
            continue
        assert ours.type == schema.get("type", "object"), path
        assert set(ours.required) == set(schema.get("required", ())), path
        assert set(ours.enum) == set(schema.get("enum", ())), path
        limits = (ours.longest, ours.most_items, ours.least, ours.most)
        assert limits == tuple(map(schema.get, ("maxLength", "maxItems", "minimum", "maximum"))), path
        assert ours.least_fields == schema.get("minProperties", 0), path
        rules = [rule["rule"] for rule in schema.get("x-kubernetes-validations", ())]
        # A field that is required keeps a rule that it be there from ever being broken.
        tried = [rule for rule in rules if "oldSelf" not in rule and rule != f"has(self.{''.join(ours.required)})"]
        assert len(ours.rules) == len(tried), (path, tried)


PARTS = {
    "packageName": "spec.source.catalog.packageName",
    "version": "spec.source.catalog.version",
    "channels": "spec.source.catalog.channels[]",
    "namespace": "spec.namespace",
    "serviceAccount": "spec.serviceAccount.name",
}


@pytest.mark.parametrize("part", PARTS)
def test_rules_for_texts_say_what_the_definition_does(part: str) -> None:
    """Random texts, and the ones of upstream's table: its own pattern and its own message decide."""
    fields = {path: schema for path, schema, _ in paired(definition("standard"), EXTENSION, "spec")}
    (rule,) = (
        validation
        for validation in fields[PARTS[part]]["x-kubernetes-validations"]
        if "self.matches(" in validation["rule"]
    )
    (written,) = re.findall(r'self\.matches\("(.*)"\)', rule["rule"])
    pattern = re.compile(written.replace("\\\\", "\\"), re.ASCII)
    texts = st.text("aB0.-_*xX^~<>=!|, v1+", max_size=20)

    @given(st.one_of(texts, st.sampled_from([str(row["value"]) for row in rows("admission")])))
    def law(value: str) -> None:
        if len(value) > fields[PARTS[part]]["maxLength"] or (part == "version" and not value):
            return
        fault = admission_fault(extension(part, value))
        # Kubernetes' "$" does not match before a final line break, which no text here has.
        assert (rule["message"] in fault) == (pattern.search(value) is None), (value, fault)

    law()
