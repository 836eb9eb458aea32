"""Values that stay JSON text until they are asked for behave as the values themselves would."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import count
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.catalog import Bundle, Origin, bundle_of
from olmsolve.catalog.fbc import from_blobs
from olmsolve.predicates import JsonObject, Property, decoded, encoded, json_values

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture(params=["fast", "early", "standard"])
def codec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test with the fast codec, before it is worth loading, and where only the standard library is there."""
    monkeypatch.setattr(json_values, "_uses", count(1 if request.param == "early" else json_values._FEW + 1))
    if request.param == "standard":
        standard = json_values._Codec(json_values._standard, json.loads, ())
        monkeypatch.setattr(json_values, "_codec", lambda: standard)


@given(value=values)
def test_text_holds_every_value(value: Any) -> None:
    """Types, signs of zero, order of keys and half characters come back, whichever codec wrote and whichever reads."""
    for text in (encoded(value), json_values._standard(value)):
        assert repr(decoded(text)) == repr(value)
        assert repr(json.loads(text)) == repr(value)


@given(value=st.dictionaries(st.text(), st.text(), max_size=3) | values)
def test_the_text_does_not_depend_on_what_was_encoded_before(value: Any) -> None:
    """The first values of a process are left to the standard library, and an index holds texts, not values."""
    with pytest.MonkeyPatch.context() as patch:
        texts = []
        for uses in (1, json_values._FEW + 1):
            patch.setattr(json_values, "_uses", count(uses))
            texts.append(encoded(value))
    assert texts[0] == texts[1]
    assert repr(json.loads(texts[0])) == repr(value)


@given(one=values, other=values)
def test_a_property_of_text_is_the_property_of_its_value(one: Any, other: Any) -> None:
    """Values from files and from memory are alike: equality, repr, pickling and copying must not tell."""
    plain, raw = Property("t", one), Property.from_text("t", encoded(one))
    assert plain == raw
    assert repr(plain) == repr(raw) == f"Property(type='t', value={one!r})"
    assert pickle.loads(pickle.dumps(raw)) == copy.deepcopy(raw) == raw  # noqa: S301
    assert (raw == Property.from_text("t", encoded(other))) == (one == other)
    assert raw != Property.from_text("u", encoded(one))
    assert attrs.evolve(raw, type="u") == Property("u", one)
    assert plain.text == raw.text


@pytest.mark.usefixtures("codec")
def test_values_belong_to_whoever_asks() -> None:
    """A catalog is immutable: changing what it handed out must not change it."""
    bundle = {
        "schema": "olm.bundle",
        "package": "p",
        "name": "b",
        "x": [1],
        "properties": [{"type": "t", "value": [1]}],
    }
    loaded = from_blobs([bundle]).packages["p"].bundles["b"]
    loaded.properties[0].value.append(2)
    loaded.extra["x"].append(2)
    assert loaded.properties[0].value == loaded.extra["x"] == [1]


def test_hashes_follow_values() -> None:
    """Equal values hash alike, however they are held: lists and objects cannot be changed, so they are in sets too."""
    assert hash(Property("t", "x")) == hash(Property.from_text("t", b'"x"'))
    assert {Property("t", {"a": [1]})} == {Property.from_text("t", b'{"a": [1.0]}')}
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Property("t", 1).type = "u"  # type: ignore[misc]


def test_matching_by_position() -> None:
    """Programs that take properties apart see a type and a value."""
    match Property.from_text("t", b"[1]"):
        case Property(kind, [number]):
            assert (kind, number) == ("t", 1)
        case _:
            pytest.fail("no match")


@pytest.mark.usefixtures("codec")
def test_an_object_of_text_is_a_mapping() -> None:
    """Other fields of a blob are read like any dictionary, and equal one."""
    given = {"b": [1, {"c": None}], "a": "ü"}
    json_object = JsonObject(encoded(given))
    assert dict(json_object) == {**json_object} == given == json_object
    assert list(json_object) == ["b", "a"]
    assert len(json_object) == 2
    assert json_object != {"b": []} != json_object
    assert json_object == JsonObject(encoded(dict(reversed(given.items()))))
    assert repr(json_object) == repr(given)
    assert pickle.loads(pickle.dumps(json_object)) == json_object  # noqa: S301


@given(document=st.integers(1, 1 << 40), line=st.none() | st.integers(1, 1 << 31))
def test_origins_come_back_from_numbers(document: int, line: int | None) -> None:
    """Bundles hold where they stand as a file and a number, which must give the origin again."""
    origin = Origin("f", document, line)
    assert Origin.at("f", origin.position) == origin
    bundle = bundle_of(Bundle, "p", "b", (), "", {}, "f", origin.position, None, None, None)
    assert bundle.origin == origin
    assert attrs.evolve(bundle, image="i").origin == origin
    assert attrs.evolve(bundle, origin=None).origin is None


def test_equal_values_are_one_object() -> None:
    """Manifests repeat from version to version; a catalog holds each once."""
    heavy = {"type": "olm.bundle.object", "value": {"data": "x" * 10_000}}
    bundles = (
        from_blobs({"schema": "olm.bundle", "package": "p", "name": name, "properties": [heavy]} for name in ("a", "b"))
        .packages["p"]
        .bundles
    )
    assert bundles["a"].properties[0] is bundles["b"].properties[0]
