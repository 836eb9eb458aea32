"""Objects against structural schemas: the verdict agrees with a JSON Schema library's, whatever the message says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from olmsolve.cluster.crds import schema_violations

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 6) | st.sampled_from([0.5, 2.5]) | st.sampled_from(["", "ab", "abc"])
)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from("xyz"), below, max_size=3),
    max_leaves=8,
)
SMALL = st.integers(0, 3)
NUMBERS = st.fixed_dictionaries(
    {},
    optional={
        "maximum": st.integers(-1, 4),
        "minimum": st.integers(-1, 4),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
    },
)
EXCLUDING = st.fixed_dictionaries(
    {"maximum": SMALL, "minimum": SMALL},
    optional={"exclusiveMaximum": st.booleans(), "exclusiveMinimum": st.booleans()},
)
STRINGS = st.fixed_dictionaries(
    {}, optional={"maxLength": SMALL, "minLength": SMALL, "pattern": st.sampled_from(["^a", "b$", "^$", "c"])}
)
CHOICES = st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3)})
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array"])


def _with(*parts: dict[str, Any]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


def _schemas(below: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    lists = st.fixed_dictionaries(
        {}, optional={"items": below, "maxItems": SMALL, "minItems": SMALL, "uniqueItems": st.booleans()}
    )
    objects = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("xyz"), below, max_size=3),
            "additionalProperties": below,
            "required": st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True),
            "maxProperties": SMALL,
            "minProperties": SMALL,
        },
    )
    composed = st.fixed_dictionaries(
        {},
        optional={
            "allOf": st.lists(below, min_size=1, max_size=2),
            "anyOf": st.lists(below, min_size=1, max_size=2),
            "oneOf": st.lists(below, min_size=1, max_size=2),
            "not": below,
        },
    )
    return st.builds(_with, lists, objects) | composed


TYPED = st.fixed_dictionaries({"type": TYPES}, optional={"nullable": st.just(True)})
LEAVES = st.builds(_with, TYPED, NUMBERS | EXCLUDING | STRINGS) | NUMBERS | STRINGS | CHOICES | TYPED
SCHEMAS = st.recursive(LEAVES, _schemas, max_leaves=6)


def _standard(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema* in JSON Schema's draft 4: OpenAPI 3.0 is a dialect of it, which adds only nullable."""
    one = {key: _standard(schema[key]) for key in ("items", "additionalProperties", "not") if key in schema}
    lists = {key: [*map(_standard, schema[key])] for key in ("allOf", "anyOf", "oneOf") if key in schema}
    named = {
        key: {name: _standard(part) for name, part in schema[key].items()} for key in ("properties",) if key in schema
    }
    plain = {key: value for key, value in schema.items() if key != "nullable"}
    written: dict[str, Any] = plain | one | lists | named
    return {"anyOf": [{"type": "null"}, written]} if schema.get("nullable") else written


@given(SCHEMAS, VALUES)
def test_verdicts_are_those_of_a_library(schema: dict[str, Any], value: Any) -> None:
    """The messages are recorded elsewhere; here another library checks that they come exactly when they should."""
    assert (schema_violations(schema, value) == ()) == Draft4Validator(_standard(schema)).is_valid(value)
