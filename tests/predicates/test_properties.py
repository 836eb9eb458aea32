"""Properties and JSON objects as values: equal by meaning, whatever text they are held as."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from itertools import count

import pytest

from olmsolve.errors import RequestError
from olmsolve.predicates import (
    JsonObject,
    Property,
    decoded,
    described,
    encoded,
    json_values,
    named,
    properties,
    published,
)
from olmsolve.semver import Version


@pytest.mark.parametrize("value", [{"a": [1, 2]}, [1, {"b": None}], "text", 7, 1.5, True, None])
def test_values_come_back_as_they_went_in(value: object) -> None:
    """Text is how objects and lists are held, and nothing that a reader of the property should notice."""
    property_ = Property("data", value)
    text = json.dumps(value, separators=(",", ":")).encode()
    assert property_.value == value
    assert property_.text == text
    assert property_.held_text == (text if isinstance(value, dict | list) else None)
    assert Property.from_text("data", text) == property_
    assert hash(Property.from_text("data", text)) == hash(property_)


def test_texts_of_one_value_are_equal() -> None:
    """Catalogs write one value in several ways; the same words under another type, or another value, are no equals."""
    property_ = Property("data", {"a": 1, "b": 2})
    assert property_ == Property.from_text("data", b'{"b": 2, "a": 1}')
    assert property_ != Property("data", {"a": 1, "b": 3})
    assert property_ != Property("other", {"a": 1, "b": 2})
    assert property_ != "data"


def test_decimals_keep_their_zeros() -> None:
    """A version such as 4.10, written as a number, is another one than 4.1."""
    decimal = Property("olm.maxOpenShiftVersion", Decimal("4.10")).value
    assert (type(decimal), str(decimal)) == (Decimal, "4.10")


@pytest.mark.parametrize("value", [{"text": "half a character: \ud800"}, {"number": 10**30}])
def test_values_that_fast_codecs_refuse_are_written_too(value: dict[str, object]) -> None:
    """Lone surrogates and integers past 64 bits are valid JSON, and occur in catalogs."""
    assert json.loads(encoded(value)) == value
    assert Property("data", value).value == value


def test_the_standard_library_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the fast codec, values are written and read as with it."""
    value = {"a": [1, 2.5, None, True], "b": {"c": "\u00e9"}}
    fast = encoded(value)
    monkeypatch.setitem(sys.modules, "msgspec", None)
    monkeypatch.setattr(json_values, "_codec", json_values._codec.__wrapped__)
    assert decoded(fast) == decoded(encoded(value)) == value
    assert b" " not in encoded(value)


VALUES: list[object] = [
    "\u00e9",
    {"b": ["\u20ac", 1, True]},
    [None, {"\u00fc": []}],
    {"half": "\ud800"},
    [1e16, 0.5],
    {"n": 10**30},
]


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_many_values_are_written_and_read_as_few_are(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    """The fast codec is loaded after a thousand values, and nobody may see from which one on."""
    both_ways = []
    for used in (0, 10_000):
        monkeypatch.setattr(json_values, "_uses", count(used))
        both_ways.append((encoded(value), decoded(encoded(value))))
    assert both_ways[0] == both_ways[1]
    assert both_ways[0][1] == value


def test_the_fast_codec_waits_for_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """To load it takes longer than a few values do."""

    def refused() -> None:
        raise AssertionError("the codec is loaded")

    monkeypatch.setattr(json_values, "_uses", count())
    monkeypatch.setattr(json_values, "_codec", refused)
    value = {"a": [1, "b", {"c": [True, None]}]}
    assert decoded(encoded(value)) == value


def test_what_is_no_json_is_described_by_its_type() -> None:
    """A caller in Python may give anything."""
    assert described({1}) == "a Python set"


def test_a_type_is_a_text() -> None:
    """A mistake in the order of the arguments would else be a property that nothing reads."""
    with pytest.raises(RequestError, match="type"):
        Property(1, "olm.label")  # type: ignore[arg-type]


def test_a_value_has_no_more_parts_than_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is counted: the object itself, lists, and the values in them."""
    monkeypatch.setattr(properties, "MOST_PARTS", 5)
    assert Property("data", {"a": [1, 2], "b": None}).value == {"a": [1, 2], "b": None}
    with pytest.raises(RequestError, match="more than 5 parts"):
        Property("data", {"a": [1, 2], "b": None, "c": 3})


def test_a_key_that_is_no_text_is_refused() -> None:
    """JSON would write it as text, and the value would come back as another one."""
    with pytest.raises(RequestError, match="the key 1 is not text"):
        Property("data", {"a": {1: "b"}})


@pytest.mark.parametrize("value", ["g/v1/K", ["g", "v1", "K"], None, 7])
def test_an_api_of_another_form_is_none(value: object) -> None:
    """OLM passes over such a property too."""
    assert published("db", [Property("olm.gvk", value)]).gvks == ()


def test_json_objects_are_mappings() -> None:
    """Whoever gets one should not see that it is kept as text."""
    json_object = JsonObject(b'{"a": 1, "b": [2]}')
    assert dict(json_object) == {"a": 1, "b": [2]} == json_object.decoded()
    assert (len(json_object), list(json_object), json_object["b"]) == (2, ["a", "b"], [2])
    assert json_object == JsonObject(b'{"b":[2],"a":1}') == {"a": 1, "b": [2]}
    assert repr(json_object) == "{'a': 1, 'b': [2]}"
    assert json_object != JsonObject(b'{"a":1}')
    assert json_object != {"a": 1}
    assert json_object != [1]


def test_a_deprecated_bundle_says_so() -> None:
    """The property ``olm.deprecated`` marks a bundle, whatever its value is; any other does not."""
    assert published("db", [Property("olm.deprecated", {})]).deprecated
    assert not published("db", [Property("olm.support", "none")]).deprecated


@pytest.mark.parametrize("part", ["group", "version", "kind"])
def test_an_api_consists_of_texts(part: str) -> None:
    """An API of which one part is a number is none, as the other parts alone would name another one."""
    api: dict[str, object] = {"group": "g", "version": "v1", "kind": "K"}
    assert len(published("db", [Property("olm.gvk", api)]).gvks) == 1
    assert published("db", [Property("olm.gvk", {**api, part: 1})]).gvks == ()


def test_the_first_package_states_the_version() -> None:
    """An installed operator's object states it instead; every package is published with the version of its own."""
    packages = [
        Property("olm.package", {"packageName": name, "version": f"{n}.0.0"}) for n, name in [(1, "a"), (2, "b")]
    ]
    own, other = Version(1, 0, 0), Version(2, 0, 0)
    assert published("a", packages).version == own
    assert published("", packages, version="3.0.0").version == Version(3, 0, 0)
    assert published("", packages, version="2.0.0").version == other
    assert published("a", packages).packages == (("a", own), ("b", other))
    loose = Property("olm.package", {"packageName": "a", "version": "v1.0"})
    assert (published("a", [loose]).version, published("a", [loose]).packages) == (own, (("a", None),))


NAMES = frozenset({"name", "skips"})


@pytest.mark.parametrize(
    ("fields", "meant"),
    [
        ({"Name": "a"}, {"name": "a"}),
        ({"NAME": "a", "Skips": []}, {"name": "a", "skips": []}),
        ({"name": "a", "note": 1}, {"name": "a", "note": 1}),
        ({"name": "a", "Note": 1, 3: 4}, {"name": "a", "Note": 1, 3: 4}),
        ({"s\u212aip\u017f": 1, "\u017fkips": 2}, {"skips": 2}),
        ({"name": "later", "NAME": "first", "Name": "second"}, {"name": "later"}),
        ({"name": None, "NAME": "first"}, {"name": "first"}),
        ({"skips": None, "SKIPS": ["first"]}, {"skips": None}),
        ({"\u00df": 1}, {"\u00df": 1}),
    ],
)
def test_spellings_mean_the_documented_name(fields: dict[str, object], meant: dict[str, object]) -> None:
    """Go's decoder takes a name in any case, the last spelling by bytes; null counts where a list stood before it."""
    assert named(fields, NAMES) == meant
