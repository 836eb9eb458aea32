"""The errors and limits of ``olm.constraint`` values; their verdicts are under tests/conformance."""

from __future__ import annotations

import contextlib
import json
import time
from collections import ChainMap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.errors import ConstraintError
from olmsolve.predicates import GVK, InPackage, ProvidesGVK, parse_constraint

LEAF = {"gvk": {"group": "g", "version": "v1", "kind": "K"}}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = LEAF
    for _ in range(levels - 1):
        value = {"all": {"constraints": [value]}}
    return value


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, "needs exactly one of gvk, package, cel, all, any, not, but there is none"),
        (
            LEAF | {"cel": {"rule": "true"}},
            "needs exactly one of gvk, package, cel, all, any, not, not gvk and cel",
        ),
        ({"pakage": {}}, "unknown field 'pakage' (did you mean 'package'?)"),
        ({"Package": {}}, "unknown field 'Package' (did you mean 'package'?)"),
        ({"gvk": {"grp": ""}}, "gvk: unknown field 'grp' (did you mean 'group'?)"),
        ({"gvk": {"version": 1}}, "gvk.version: must be a string, not the number 1"),
        ({"gvk": []}, "gvk: must be an object, not a list"),
        ({"all": {"constraints": []}}, "all.constraints: must be a list of at least one constraint"),
        ({"any": {"constraints": [LEAF, 3]}}, "any.constraints[1]: must be an object, not the number 3"),
        (
            {"not": {"constraints": [LEAF, {"all": {"constraints": [{"cel": {"rules": ""}}]}}]}},
            "not.constraints[1].all.constraints[0].cel: unknown field 'rules' (did you mean 'rule'?)",
        ),
        ({"package": {"name": "a", "packageName": "a", "versionRange": "1.0.0"}}, "package: has both"),
        (
            {"package": {"packageName": "a", "versionRange": "^1"}},
            "package.versionRange: not a version range",
        ),
        ({"all": {"constraints": [LEAF], "constraint": []}}, "all: unknown field 'constraint'"),
        ({"cel": {"rule": "1 +"}}, "cel.rule: CEL rule does not compile"),
        ("3", "must be an object, not the number 3"),
        ('{"gvk":{"kind":"a","kind":"b"}}', "the field 'kind' is given twice in one object"),
        ('{"gvk":{"group":"g","kind":"a","kind":"b"}}', "the field 'kind' is given twice in one object"),
        ('{"gvk":{"kind":NaN}}', "is not JSON: NaN is not a JSON number"),
        ('{"gvk":{}} {}', "is not JSON: Extra data at character 11"),
        ('{"gvk":{"kind":' + "9" * 5000 + "}}", "holds a number of 5000 digits"),
        (b'{"gvk":{"kind":"\xff"}}', "is not UTF-8 text: invalid start byte at byte 16"),
    ],
)
def test_errors_lead_to_the_fault(raw: Any, words: str) -> None:
    """The author of the constraint must find the fault, and the field that was meant."""
    with pytest.raises(ConstraintError) as caught:
        parse_constraint(raw)
    assert str(caught.value).startswith(words)


def test_name_is_accepted_for_package_name() -> None:
    """The package may be named in either field: the documentation has used both."""
    predicate = parse_constraint({"package": {"name": "a", "versionRange": ">=1.0.0"}})
    assert isinstance(predicate, InPackage)
    assert predicate.package == "a"
    nameless = parse_constraint({"package": {"versionRange": "1.0.0"}})
    assert isinstance(nameless, InPackage)
    assert nameless.package == ""


def test_null_is_absent() -> None:
    """A null field counts as absent: Kubernetes objects often carry nulls for unset fields."""
    raw = '{"cel": null, "failureMessage": null, "gvk": {"group": null, "kind": "K"}}'
    assert parse_constraint(raw) == ProvidesGVK(GVK("", "", "K"))


def test_half_characters_are_replaced() -> None:
    """Lone surrogates are replaced, as Go does; they would make every later output fail."""
    predicate = parse_constraint('{"failureMessage": "a\\ud800", "gvk": {}}')
    assert predicate.message == "a\ufffd"


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_depth_is_counted_in_levels_of_constraints(limit: int) -> None:
    """Text and parsed values share one limit, whichever notices first."""
    for raw in (nested(limit), json.dumps(nested(limit))):
        parse_constraint(raw, max_depth=limit)
    for raw in (nested(limit + 1), json.dumps(nested(limit + 1))):
        with pytest.raises(ConstraintError, match="nested"):
            parse_constraint(raw, max_depth=limit)


def test_the_documented_depth_is_ten_levels() -> None:
    """Without *max_depth*, a constraint inside nine others is read, and one inside ten is not."""
    parse_constraint(nested(10))
    with pytest.raises(ConstraintError, match="nested"):
        parse_constraint(nested(11))


@pytest.mark.parametrize("max_depth", [0, 101])
def test_limits_of_depth_have_a_range(max_depth: int) -> None:
    """A deeper limit would let constraints overflow the stack; with none at all, nothing could be read."""
    with pytest.raises(ValueError, match="from 1 to 100"):
        parse_constraint(LEAF, max_depth=max_depth)
    parse_constraint(LEAF, max_depth=min(max(max_depth, 1), 100))


def test_numbers_are_those_of_olm() -> None:
    """Numbers of up to 310 characters are read, and are no text; longer ones are infinite to OLM."""
    with pytest.raises(ConstraintError, match="must be a string"):
        parse_constraint('{"gvk":{"kind":-' + "9" * 309 + "}}")
    with pytest.raises(ConstraintError, match="a number of 311 digits"):
        parse_constraint('{"gvk":{"kind":-' + "9" * 310 + "}}")


def test_text_is_as_large_as_it_is_written() -> None:
    """White space counts in text, as OLM measures what the catalog holds."""
    with pytest.raises(ConstraintError, match="has 65547 bytes"):
        parse_constraint('{"gvk": {}}' + " " * 65536)


def test_size_is_limited() -> None:
    """64 KiB as documented, in bytes, for text and parsed values."""
    for raw in (
        {"failureMessage": "é" * 32 * 1024, **LEAF},
        '{"failureMessage":"' + "é" * 32 * 1024 + '","gvk":{}}',
    ):
        with pytest.raises(ConstraintError, match="65536"):
            parse_constraint(raw)
        parse_constraint(raw, max_bytes=70_000)


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 10_000,
        '{"all":{"constraints":[' * 2_000,
        '\\"' * 32_000,
        '"' + "\\" * 60_000,
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        '{"' + "x" * 60_000 + '":1}',
        '{"any":{"constraints":[' + ",".join(['{"gvk":{}}'] * 5_000) + "]}}",
    ],
    ids=range(7),
)
def test_hostile_text_ends_soon(raw: str) -> None:
    """Catalogs are other people's data: deep, long or unfinished text must not overflow or hang."""
    started = time.process_time()
    with contextlib.suppress(ConstraintError):
        parse_constraint(raw)
    assert time.process_time() - started < 1


def test_values_that_share_parts_are_not_expanded() -> None:
    """A YAML document of a few lines can stand for billions of constraints, or for an endless one."""
    bomb: dict[str, Any] = LEAF
    for _ in range(9):
        bomb = {"all": {"constraints": [bomb] * 1000}}
    loop: dict[str, Any] = {}
    loop["all"] = {"constraints": [loop]}
    with pytest.raises(ConstraintError, match="more than 65536 bytes"):
        parse_constraint(bomb)
    with pytest.raises(ConstraintError, match="nested deeper than 10 levels"):
        parse_constraint(loop)


@pytest.mark.parametrize("part", [1, None, [], {}, ""], ids=str)
def test_every_part_has_a_size(part: object) -> None:
    """A hundred parts of any kind are more than a hundred bytes, whatever else is wrong with them."""
    with pytest.raises(ConstraintError, match="more than 130 bytes"):
        parse_constraint({"any": {"constraints": [part] * 100}}, max_bytes=130)


def test_any_mapping_will_do() -> None:
    """Catalog values may be read-only or lazy mappings."""
    assert parse_constraint(ChainMap(LEAF)) == parse_constraint(LEAF)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["gvk", "package", "cel", "all", "any", "not", "constraints", "rule", "name", "kind"])
            | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
    max_leaves=20,
)


@given(json_values | st.text() | st.binary())
def test_anything_is_a_predicate_or_our_error(raw: Any) -> None:
    """No input leads to an exception from inside a dependency."""
    for form in (raw, json.dumps(raw) if not isinstance(raw, bytes) else raw):
        with contextlib.suppress(ConstraintError):
            assert str(parse_constraint(form))


@pytest.mark.parametrize(
    "value",
    [
        {"gvk": {}},
        {"gvk": {"group": "g", "version": "v1", "kind": "K"}},
        {"any": {"constraints": [{"gvk": {"group": "g", "version": "v1", "kind": name}} for name in "abcdefgh"]}},
        {"package": {"packageName": "\u00e9" * 100, "versionRange": "1.0.0"}},
    ],
    ids=["nothing", "few texts", "many objects", "long texts"],
)
def test_parsed_values_are_as_large_as_their_text(value: dict[str, Any]) -> None:
    """The size of compact JSON decides, to the byte: what may be written may be read."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    size = len(text.encode("utf-8"))
    parse_constraint(value, max_bytes=size)
    with pytest.raises(ConstraintError, match="more than"):
        parse_constraint(value, max_bytes=size - 1)
    with pytest.raises(ConstraintError, match="more than"):
        parse_constraint(text, max_bytes=size - 1)
    assert parse_constraint(text, max_bytes=size) == parse_constraint(value)


@pytest.mark.parametrize("part", [[], {}, 7, [1, 2], {"a": 1, "b": 2}], ids=str)
def test_what_is_small_enough_is_refused_for_what_it_is(part: object) -> None:
    """The author of a small constraint with a fault must not look for bytes to save."""
    value = {"gvk": {"kind": part}}
    size = len(json.dumps(value, separators=(",", ":")))
    with pytest.raises(ConstraintError, match="must be a string"):
        parse_constraint(value, max_bytes=size)


def test_a_long_name_of_a_field_is_cut() -> None:
    """Sixty characters are shown whole; a name may be as long as the constraint."""
    for length, shown in ((60, "x" * 60), (61, "x" * 60 + "...")):
        with pytest.raises(ConstraintError) as refused:
            parse_constraint({"x" * length: 1})
        assert f"unknown field {shown!r}" in str(refused.value)
