"""Bundles whose properties come from a table are those that the reader of all JSON would have made."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.catalog import Catalog, HeldProperties, whole_image, whole_properties
from olmsolve.catalog.fbc import PropertyTable, documents, json_fast, json_text, load
from olmsolve.errors import CatalogError
from tests.scale import scaled

BUNDLE: dict[str, Any] = {
    "schema": "olm.bundle",
    "name": "b",
    "package": "p",
    "image": "example.com/b:1",
    "properties": [
        {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}},
        {"type": "olm.gvk", "value": {"group": "g", "kind": "é", "version": "v1"}},
        {"type": "olm.gvk", "value": {"group": "g", "kind": "é", "version": "v1"}},
        {"type": "t", "value": ["],", "relatedImages", ":[", '"], "relatedImages": [', -0.0, 1e5, None]},
    ],
    "relatedImages": [{"name": "", "image": "example.com/c"}],
}
LEAN = {key: value for key, value in BUNDLE.items() if key not in ("image", "relatedImages")}
CUT = [{"type": "t", "value": 1}, {"type": "t", "value": [{"type": "t", "value": 1}, {"type": "t", "value": {}}]}]
LINES = [json.dumps(BUNDLE), json.dumps({**LEAN, "name": "lean"}, separators=(",", ":"), ensure_ascii=False)]
LINES += [json.dumps({**BUNDLE, "name": "digest", "image": "example.com/b@sha256:" + "0a1b2c3d" * 8})]
LINES += [json.dumps({**LEAN, "name": "cut", "properties": CUT}, separators=(",", ":"))]
BITS = ["{", "}", "[", "]", '"', "\\", ",", ":", " ", "\n", "1", "1e999", "null", "\\u0061", "\\ud800", "\x01", "\r"]
BITS += [
    '},{"type":',
    '{"type":"t","value":1}',
    '"name":',
    '"type": "t"',
    '"properties": []',
    ', "properties": [1e999]',
    '"Type"',
    "[" * 250,
    "]" * 250,
    "é",
    "@sha256:",
    "0a1b2c3d" * 8,
]


@pytest.fixture(autouse=True)
def _from_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    if not json_fast.usual_objects():
        pytest.skip("msgspec is not installed")
    monkeypatch.setattr(json_text, "_LONG", 0)


def _outcome(text: str, *, table: bool, drop: Sequence[str] = ()) -> Any:
    """Return all that a catalog of *text* holds and how it is written, or the error that refuses it."""
    with pytest.MonkeyPatch.context() as patch:
        if not table:
            patch.setattr(PropertyTable, "usual_bundle", lambda self, text: None)
        try:
            catalog = load(io.StringIO(text), drop=drop)
        except CatalogError as error:
            return str(error), error.origin, error.package, error.bundle, error.excerpt
    return catalog, _texts(catalog), [(repr(document.value), document.origin) for document in documents(catalog)]


def _texts(catalog: Catalog) -> list[Any]:
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    return [
        (bundle.origin, bundle.written, bundle.image, [(item.type, item.text) for item in bundle.properties])
        for bundle in bundles
    ]


def _as_json(properties: HeldProperties) -> list[dict[str, Any]]:
    """Return the properties that are held as JSON has them."""
    return [{"type": property_.type, "value": property_.value} for property_ in whole_properties(properties)]


@settings(max_examples=scaled(400), deadline=None)
@given(
    indent=st.sampled_from([None, None, 4]),
    chance=st.randoms(use_true_random=False),
    count=st.integers(0, 3),
    drop=st.sampled_from([(), ("t",), ("olm.gvk", "olm.package")]),
)
def test_mutants_load_alike(indent: int | None, chance: random.Random, count: int, drop: tuple[str, ...]) -> None:
    """With the table or without: catalogs, lines, texts of properties and errors are the same to the letter."""
    lines = LINES if indent is None else [json.dumps(json.loads(line), indent=indent) for line in LINES]
    text = "\n".join([*lines, lines[0].replace('"b"', '"last"', 1)]) + "\n"
    for _ in range(count):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice([0, 0, 1, 1, 5, 40]))
        text = text[:begin] + chance.choice([*BITS, ""]) + text[end:]

    assert _outcome(text, table=True, drop=drop) == _outcome(text, table=False, drop=drop)


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("blob", [BUNDLE, LEAN], ids=["all fields", "needed fields"])
def test_the_table_is_used(blob: dict[str, Any], indent: int | None) -> None:
    """The law above would hold as well if no bundle ever were usual."""
    usual = PropertyTable().usual_bundle(json.dumps(blob, indent=indent))

    assert usual is not None
    assert list(usual) == list(blob)
    properties = usual.pop("properties")
    assert type(properties) is tuple
    assert _as_json(properties) == blob["properties"]
    if "image" in usual:
        usual["image"] = whole_image(usual["image"])
    assert usual.items() <= blob.items()


def test_equal_properties_are_one_object() -> None:
    """However they are written: versions of an operator repeat most of what they say."""
    lines = [json.dumps({**BUNDLE, "name": f"b{number}"}, indent=None if number % 2 else 4) for number in range(4)]

    bundles = list(load(io.StringIO("\n".join(lines))).packages["p"].bundles.values())

    assert len(bundles) == 4
    assert len({id(bundle.properties[1]) for bundle in bundles}) == 1
    assert all(bundle.properties[1] is bundle.properties[2] for bundle in bundles)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"name": "b"', '"name": "b", "name": "c"'),
        ('"name": "b"', '"name": "\\u0062"'),
        ('"name": "b"', '"name": ""'),
        ('"package": "p"', '"package": null'),
        ('"properties": [', '"properties": [1e999], "properties": ['),
        ('"type": "t"', '"type": ""'),
        ('"type": "t"', '"Type": "t"'),
        ('"type": "t"', '"type": "t", "note": 1'),
        ("1e5", '"' + "\\" + 'ud800"'),
        ("1e5", "1e999"),
        ("1e5", "[" * 248 + "]" * 248),
        ('"relatedImages": [{', '"RelatedImages": [{'),
        ('"relatedImages": [{', '"more": [], "relatedImages": [{'),
        ('"image": "example.com/c"', '"image": 1e999'),
    ],
)
def test_what_is_left_to_the_reader_of_all_json(before: str, after: str) -> None:
    """Fields out of order or twice, escapes in names, numbers beyond a double, depth: one place judges them."""
    text = json.dumps(BUNDLE).replace("100000.0", "1e5")
    assert text.count(before) == 1

    assert PropertyTable().usual_bundle(text.replace(before, after)) is None


@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1}, {"type": 2}],
        [{"a": {}}, {"type": "u", "value": 3}],
        [{"type": "t", "value": 1}, {"type": "t", "value": 1}],
        '},{"type":',
        '1},{"type":"t","value":"',
        'é},{"type":"u","value":{}},{"type":',
    ],
    ids=repr,
)
def test_values_that_look_like_the_end_of_a_property(value: Any) -> None:
    """Lists without spaces are cut without looking at them, and values may hold what stands between two properties."""
    properties = [*BUNDLE["properties"], {"type": "t", "value": value}, {"type": "t", "value": 1}]
    text = json.dumps({**LEAN, "properties": properties}, separators=(",", ":"), ensure_ascii=False)
    table = PropertyTable()

    for _ in range(2):
        usual = table.usual_bundle(text)
        assert usual is not None
        assert [
            {"type": property_.type, "value": property_.value} for property_ in whole_properties(usual["properties"])
        ] == properties


@pytest.mark.parametrize("begin", ["", " ", "\n", "\0", '"'])
@pytest.mark.parametrize("inner", ['{"type":"t","value":1}', '{ "type":"t","value":1}', '"t","value":1'])
def test_what_is_inside_of_a_property_is_not_taken_for_it(begin: str, inner: str) -> None:
    """A part that was cut out is found among parts alone, and a whole property among whole ones."""
    table = PropertyTable()
    head = '{"schema":"olm.bundle","name":"b","package":"p","properties":['
    for before in ('{"type":"t","value":1}', '{ "type":"t","value":1}', ' {"type":"t","value":1}'):
        assert table.usual_bundle(f"{head}{before}]}}") is not None

    text = f'{head}{{"type":{begin}{inner}}}]}}'
    try:
        properties = json.loads(text)["properties"]
    except ValueError:
        properties = None
    usual = table.usual_bundle(text)

    is_property = properties is not None and type(properties[0]["type"]) is str
    assert (usual is not None) == is_property
    if usual is not None:
        assert [
            {"type": property_.type, "value": property_.value} for property_ in whole_properties(usual["properties"])
        ] == properties


def test_a_table_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog of nothing but different properties must not be in memory twice."""
    monkeypatch.setattr("olmsolve.catalog.fbc.json_fast._WRITTEN", 3)
    monkeypatch.setattr("olmsolve.catalog.fbc.json_fast._SHARED", 3)
    blobs = [
        {**LEAN, "name": f"b{number}", "properties": [{"type": f"t{number % 2}", "value": {"n": number % 7}}]}
        for number in range(40)
    ]
    text = "".join(json.dumps(blob) + "\n" for blob in blobs)

    assert _outcome(text, table=True) == _outcome(text, table=False)
