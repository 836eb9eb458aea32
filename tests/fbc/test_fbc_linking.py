"""Blobs in memory become the model: what is typed, what is kept, and what is refused."""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

import pytest

from olmsolve.catalog import Deprecation
from olmsolve.catalog.fbc import from_blobs, load
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property, published
from olmsolve.semver import Version

PACKAGE = {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"}
CHANNEL = {"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd.v1"}]}
BUNDLE: dict[str, Any] = {
    "schema": "olm.bundle",
    "package": "etcd",
    "name": "etcd.v1",
    "image": "example.com/etcd@sha256:1",
    "properties": [
        {"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}},
        {"type": "olm.gvk", "value": {"group": "etcd.io", "version": "v1", "kind": "Etcd"}},
    ],
    "relatedImages": [{"image": "example.com/etcd", "name": ""}],
}
DEPRECATIONS = {
    "schema": "olm.deprecations",
    "package": "etcd",
    "entries": [
        {"reference": {"schema": "olm.bundle", "name": "etcd.v1"}, "message": "use v2"},
        {"reference": {"schema": "olm.package"}, "message": "use etcd-next"},
    ],
}


def test_every_schema_finds_its_place() -> None:
    """Each field of the model is filled from the field of the blob that it means."""
    icon = {"base64data": "", "mediatype": "image/png"}
    entry = {"name": "etcd.v2", "replaces": "etcd.v1", "skips": ["etcd.v1.5"], "skipRange": "<2.0.0"}
    catalog = from_blobs(
        [
            {**PACKAGE, "description": "a store", "icon": icon},
            {**CHANNEL, "entries": [{"name": "etcd.v1"}, entry], "note": 1},
            BUNDLE,
            DEPRECATIONS,
            {"schema": "example.com/extra", "package": "etcd", "anything": [1]},
        ],
        origin="test",
    )
    package = catalog.packages["etcd"]
    assert (package.default_channel, package.description) == ("stable", "a store")
    assert package.extra == {"icon": icon}
    channel = package.channels["stable"]
    assert channel.entries[1].skips == ("etcd.v1.5",)
    assert (channel.entries[1].replaces, channel.entries[1].skip_range) == ("etcd.v1", "<2.0.0")
    assert channel.extra == {"note": 1}
    bundle = package.bundles["etcd.v1"]
    assert bundle.image == "example.com/etcd@sha256:1"
    assert bundle.properties[0] == Property("olm.package", {"packageName": "etcd", "version": "1.0.0"})
    assert list(bundle.extra) == ["relatedImages"]
    assert package.deprecations[1] == Deprecation("olm.package", "", "use etcd-next")
    assert [blob.schema for blob in catalog.others] == ["example.com/extra"]
    assert catalog.origin == "test"
    assert str(bundle.origin) == "test, document 3"


@pytest.mark.parametrize("blobs", [[], [PACKAGE], [CHANNEL], [BUNDLE], [DEPRECATIONS, PACKAGE]])
def test_incomplete_catalogs_are_kept(blobs: list[dict[str, Any]]) -> None:
    """Missing pieces block nobody else's request, so they are no reason to refuse the catalog."""
    catalog = from_blobs(blobs)
    for package in catalog:
        assert (package.origin is None) == (PACKAGE not in blobs)


@pytest.mark.parametrize(
    "entries",
    [
        [{"name": "a"}, {"name": "b"}],
        [{"name": "a", "replaces": "b"}, {"name": "b", "replaces": "a"}],
        [{"name": "a"}, {"name": "a"}],
        [{"name": "a", "skipRange": "nonsense"}],
        [{"replaces": "a"}],
        None,
    ],
)
def test_faults_inside_a_channel_are_kept(entries: Any) -> None:
    """Two heads, cycles, repeated entries, ranges that do not parse: others judge whether they matter."""
    channel = from_blobs([{**CHANNEL, "entries": entries}]).packages["etcd"].channels["stable"]
    assert len(channel.entries) == len(entries or ())


def test_null_means_absent_as_in_go() -> None:
    """Go leaves a field empty where JSON says null, and catalogs written by Go tools rely on that."""
    bundle = {**BUNDLE, "image": None, "properties": None}
    package = from_blobs([{**PACKAGE, "defaultChannel": None, "description": None}, bundle]).packages["etcd"]
    assert (package.default_channel, package.description) == ("", "")
    assert package.bundles["etcd.v1"].properties == ()


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        ({}, "no schema"),
        ({"Schema": "olm.package"}, "name of olm.package must be a string that is not empty, and it is missing"),
        ({"schema": "x", "Schema": "x"}, "the keys 'schema' and 'Schema' differ only in letter case"),
        ({"schema": None}, "schema must be a string that is not empty, not null"),
        ({"schema": ""}, "the empty string"),
        ({"schema": "example.com/x", "name": 5}, "name of example.com/x must be a string, not the number 5"),
        (
            {**PACKAGE, "name": True},
            "name of olm.package must be a string that is not empty, not the boolean true",
        ),
        (
            {"schema": "olm.package"},
            "name of olm.package must be a string that is not empty, and it is missing",
        ),
        ({**PACKAGE, "defaultChannel": 1}, "package etcd: defaultChannel must be a string"),
        ({**CHANNEL, "package": ""}, "package of olm.channel"),
        ({**CHANNEL, "entries": {}}, "channel stable: entries must be a list, not an object"),
        ({**CHANNEL, "entries": [None]}, r"entries\[0\] must be an object, not null"),
        ({**CHANNEL, "entries": [{"name": 1}]}, r"entries\[0\].name must be a string"),
        ({**CHANNEL, "entries": [{"name": "a", "skips": "b"}]}, r"entries\[0\].skips must be a list"),
        ({**CHANNEL, "entries": [{"name": "a", "skips": [1]}]}, r"entries\[0\].skips\[0\] must be a string"),
        ({**BUNDLE, "image": []}, "bundle etcd.v1: image must be a string, not a list"),
        ({**BUNDLE, "properties": {}}, "properties must be a list"),
        ({**BUNDLE, "properties": ["x"]}, r"properties\[0\] must be an object"),
        ({**BUNDLE, "properties": [{"type": 1, "value": 2}]}, r"properties\[0\].type must be a string"),
        ({**DEPRECATIONS, "entries": [{"reference": "x"}]}, r"entries\[0\].reference must be an object"),
        ({**DEPRECATIONS, "package": None}, "package of olm.deprecations"),
    ],
)
def test_wrong_shapes_are_refused_where_they_stand(blob: dict[str, Any], message: str) -> None:
    """A known field of the wrong JSON type makes a blob unreadable, as for opm; the error names the field."""
    with pytest.raises(CatalogError, match=message) as caught:
        from_blobs([{"schema": "first"}, blob], origin="test")
    assert caught.value.origin == "test, document 2"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


@pytest.mark.parametrize("blob", [PACKAGE, CHANNEL, BUNDLE, DEPRECATIONS])
def test_duplicates_name_both_places(blob: dict[str, Any]) -> None:
    """Two blobs of one identity contradict each other, and to mend that one has to see both."""
    with pytest.raises(CatalogError) as caught:
        from_blobs([blob, {"schema": "other"}, blob], origin="here")
    assert caught.value.origin == "here, document 3"
    assert "here, document 1" in caught.value.reason
    assert caught.value.package == "etcd"


def test_one_name_in_two_packages_is_no_duplicate() -> None:
    """Bundle names are unique inside a package only."""
    catalog = from_blobs([BUNDLE, {**BUNDLE, "package": "other"}])
    assert [list(package.bundles) for package in catalog] == [["etcd.v1"], ["etcd.v1"]]


def test_blobs_are_copied() -> None:
    """A catalog is a value: what the caller does with his mappings afterwards must not reach it."""
    value = {"packageName": "etcd", "version": "1.0.0"}
    catalog = from_blobs([{**BUNDLE, "properties": [{"type": "olm.package", "value": value}]}])
    value["version"] = "9.9.9"
    assert catalog.packages["etcd"].bundles["etcd.v1"].properties[0].value["version"] == "1.0.0"


def test_equal_properties_are_shared() -> None:
    """Thousands of bundles provide the same APIs; one object for all of them keeps large catalogs small."""
    bundles = from_blobs([BUNDLE, {**BUNDLE, "name": "etcd.v2"}]).packages["etcd"].bundles
    assert bundles["etcd.v1"].properties[1] is bundles["etcd.v2"].properties[1]


def test_almost_equal_properties_stay_apart() -> None:
    """Python holds True for equal to 1; JSON values that differ must not be mixed up by sharing."""
    values: list[Any] = [{"kind": 1}, {"kind": True}, {"kind": 1.0}, {"kind": [1]}, None]
    properties = [{"type": "olm.gvk", "value": value} for value in values]
    bundle = from_blobs([{**BUNDLE, "properties": properties}]).packages["etcd"].bundles["etcd.v1"]
    assert repr([item.value for item in bundle.properties]) == repr(values)


def _nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1: "x"}, "value has the key 1, not a string"),
        (float("nan"), "value is nan, which JSON cannot hold"),
        (float("inf"), "value is inf, which JSON cannot hold"),
        ({"when": object()}, "value.when is a Python object, not a JSON value"),
        (b"x", "a Python bytes"),
        (_nested(100_000), "nested more than 250 levels"),
    ],
)
def test_what_json_cannot_hold_is_refused(value: Any, message: str) -> None:
    """Blobs made in Python can hold what no file can; it would fail later, far from its cause."""
    with pytest.raises(CatalogError, match=message):
        from_blobs([{"schema": "x", "value": value}])


def test_a_mapping_that_contains_itself_is_refused() -> None:
    """The copy must end for values in memory that never end."""
    endless: dict[str, Any] = {"schema": "x"}
    endless["self"] = endless
    with pytest.raises(CatalogError, match="nested more than"):
        from_blobs([endless])


def test_a_blob_must_be_a_mapping() -> None:
    """A list of lists of blobs is an easy mistake."""
    with pytest.raises(CatalogError, match="document 1: a blob must be an object, not a list"):
        from_blobs([[PACKAGE]])  # type: ignore[list-item]


def test_parts_can_be_left_out() -> None:
    """Manifests and pictures are most of a catalog's text, and whoever resolves needs none of them."""
    documents = io.StringIO("".join(json.dumps(blob) + "\n" for blob in ({**PACKAGE, "icon": {}}, BUNDLE)))
    package = load(documents, drop=("olm.package", "icon")).packages["etcd"]
    assert "icon" not in package.extra
    kept = [item["type"] for item in BUNDLE["properties"] if item["type"] != "olm.package"]
    assert [item.type for item in package.bundles["etcd.v1"].properties] == kept


def test_names_of_fields_in_any_letter_case() -> None:
    """Go's decoder honours them, so a catalog with ``skiprange:`` means to a cluster what it means to its author."""
    usual: list[dict[str, Any]] = [
        {**PACKAGE, "icon": {"base64data": "", "mediatype": "image/png"}},
        {**CHANNEL, "entries": [{"name": "etcd.v1", "replaces": "a", "skips": ["b"], "skipRange": "<1.0.0"}]},
        {**BUNDLE, "properties": [{"type": "t", "value": 1}], "relatedImages": [{"name": "n", "image": "i"}]},
        {**DEPRECATIONS, "entries": [{"reference": {"schema": "olm.bundle", "name": "b"}, "message": "m"}]},
    ]
    assert from_blobs([_shouted(blob) for blob in usual]) == from_blobs(usual)


def _shouted(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key.upper().replace("S", "\u017f").replace("K", "\u212a"): _shouted(inner) for key, inner in value.items()
        }
    return [_shouted(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("entry", "replaces"),
    [
        ({"Replaces": "a", "replaces": "b"}, "b"),
        ({"replaces": "b", "Replaces": "a"}, "b"),
        ({"replaces": "b", "replace\u017f": "c"}, "c"),
        ({"REPLACES": "a", "replaces": None}, "a"),
    ],
)
def test_of_several_spellings_the_last_in_order_counts(entry: dict[str, Any], replaces: str) -> None:
    """Sorted by bytes, whatever their order in the file, as recorded from opm."""
    channel = {**CHANNEL, "entries": [{"name": "etcd.v2", **entry}]}
    assert from_blobs([PACKAGE, channel]).packages["etcd"].channels["stable"].entries[0].replaces == replaces


def test_values_of_properties_keep_their_spelling() -> None:
    """CEL rules see them as they are written; what is read from them takes any letter case."""
    value = {"PackageName": "etcd", "VERSION": "1.0.0"}
    catalog = from_blobs([PACKAGE, CHANNEL, {**BUNDLE, "properties": [{"type": "olm.package", "value": value}]}])
    bundle = catalog.packages["etcd"].bundles["etcd.v1"]
    assert bundle.properties[0].value == value
    assert published("etcd", bundle.properties).packages == (("etcd", Version.parse("1.0.0")),)
