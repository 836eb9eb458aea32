"""Values from outside: properties as callers hold them, and numbers that meet maps of another kind."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from olmsolve.cel import compile as compile_rule
from olmsolve.errors import EvaluationError


class _Level(enum.IntEnum):
    HIGH = 3


class _Text(str):
    pass


class _Share(float):
    pass


class _Named(dict[str, Any]):
    pass


class _Items(list[Any]):
    pass


HELD = {
    "an int": (3, "double"),
    "an enum": (_Level.HIGH, "double"),
    "a decimal": (Decimal(3), "double"),
    "a float of another class": (_Share(3.0), "double"),
    "a text of another class": (_Text("3"), "string"),
    "a mapping that cannot be changed": (types.MappingProxyType({"a": 1}), "map"),
    "a dict of another class": (_Named(a=1), "map"),
    "a tuple": ((1, 2), "list"),
    "a list of another class": (_Items([1, 2]), "list"),
}


@pytest.mark.parametrize("name", HELD)
def test_every_form_of_a_json_value_counts_as_that_value(name: str) -> None:
    """Who builds properties in Python need not know which classes a reader of JSON would have made."""
    value, kind = HELD[name]
    properties: list[Mapping[str, Any]] = [{"type": "x", "value": value}, {"type": "y", "value": {"inner": value}}]
    literal = {"double": "3", "string": "'3'", "map": "{'a': 1.0}", "list": "[1.0, 2.0]"}[kind]
    for path in ("properties[0].value", "properties[1].value.inner"):
        assert compile_rule(f"type({path}) == {kind} && {path} == {literal}").evaluate(properties)


@pytest.mark.parametrize("value", [b"3", {1, 2}, object(), 10**400])
def test_what_json_cannot_hold_is_a_failure_that_names_it(value: object) -> None:
    """Taking it for something else would give an answer that no catalog can give."""
    rule = compile_rule("properties[0].value == 1")
    with pytest.raises(EvaluationError, match="not a JSON value" if not isinstance(value, int) else "too large"):
        rule.evaluate([{"type": "x", "value": value}])


@pytest.mark.parametrize("key", ["1", "1u", "1.0", "dyn(1)", "dyn(1u)", "dyn(1.0)"])
@pytest.mark.parametrize("number", ["1", "1u"])
def test_equal_numbers_of_all_kinds_find_a_key(number: str, key: str) -> None:
    """cel-go looks a number up as every kind that is equal to it; 1.5 is equal to no key."""
    rule = f"dyn({{{number}: 'a'}})[dyn({key})] == 'a' && dyn({key}) in dyn({{{number}: 'a'}})"
    assert compile_rule(rule).evaluate([])
    assert compile_rule(f"!(dyn(1.5) in dyn({{{number}: 'a'}}))").evaluate([])


def test_a_container_as_a_key_equals_itself_only() -> None:
    """Its entries are listed like others, and no equal container finds them."""
    assert compile_rule("{dyn([1]): 'a'}.exists(key, key == [1])").evaluate([])
    assert compile_rule("!([1] in {dyn([1]): 'a'})").evaluate([])
