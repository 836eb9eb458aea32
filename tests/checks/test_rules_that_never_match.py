"""Rules that can never match: what is found, what must not be, and that every claim is true."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.authoring.checks import why_never
from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError
from olmsolve.testing.strategies import cel_rules, json_values, property_lists
from tests.scale import scaled

VECTORS = Path(__file__).parents[1] / "conformance" / "cel.jsonl.gz"


def some(predicate: str) -> str:
    return f"properties.exists(p, {predicate})"


NEVER = {
    "false": "no list",
    "1 > 2": "no list",
    "!(1 < 2) || 'a' == 'b'": "no list",
    "properties[0].type == 'a' && properties[0].type == 'b'": "properties[0].type cannot be 'a' and 'b' at once",
    some("p.type == 'a' && p.type == 'b'"): "p.type cannot be 'a' and 'b' at once",
    some("p['type'] == 'a' && 'b' == p.type"): "p.type cannot be 'a' and 'b' at once",
    some("p.value.x == 1 && (p.type == 'k' && p.value.x == 1.5)"): "p.value.x cannot be 1 and 1.5 at once",
    some("p.type in ['a', 'b'] && p.type in ['c']"): "p.type cannot be 'a' and 'c' at once",
    some("(p.type == 'a' || p.type == 'b') && p.type == 'c'"): "no list",
    some("p.type == 'a' && p.type != 'a'"): "no list",
    some("p.type == 'a' && !(p.type == 'a')"): "no list",
    some("p.type == 'olm.gvk' && p.type.startsWith('olm.package')"): "no list",
    some("p.value == 1 && p.value > 2"): "no list",
    some("p.kind == 'certified'"): "no field 'kind'",
    some("p['kind'] == 'certified'"): "no field 'kind'",
    some("has(p.kind)"): "no field 'kind'",
    some("!has(p.type)"): "no list",
    "properties.filter(p, p.type == 'a' && p.type == 'b').size() > 0": "p.type cannot be",
    "properties.filter(p, p.type == 'a').exists(q, q.name == 'b')": "no field 'name'",
    "properties.map(p, p.name).exists(n, n == 'b')": "no field 'name'",
    "properties[0].name == 'a'": "no field 'name'",
    some("semver_compare(p.value, '1.x') > 0"): "'1.x' is not a version",
    some("semver_compare(p.value, '1.0.0') == 2"): "no list",
    some("semver_compare(p.value, '1.0.0') > 1"): "no list",
    some("p.type.matches('(')"): "'(' is not a regular expression",
    some("p.value % 2 == 0"): "numbers in JSON are doubles",
    some("p.value + 1 > 2"): "numbers in JSON are doubles",
    some("p.value.x == 1 ? false : false"): "no list",
    "properties.exists_one(p, p.type == 'a' && p.type == 'b') && true": "p.type cannot be",
    "properties.all(p, true) && [1, 2].exists(x, x == 3)": "no list",
}
MAY = [
    "true",
    some("p.type == 'certified'"),
    some("p.type == 'a'") + " && " + some("p.type == 'b'"),
    some("p.type == 'a' || p.type == 'b'"),
    some("p.type == 'a' && properties.exists(p, p.type == 'b')"),
    "properties.all(p, p.type == 'a' && p.type == 'b')",
    "!" + some("p.type == 'a' && p.type == 'b'"),
    "!" + some("p.kind == 'a'") + " || true",
    some("p.value == 1 && p.value == 1.0"),
    some("p.value == 1 && type(p.value) == double"),
    some("p.value + 1.0 > 2.0"),
    some("p.value + 'a' == 'ba'"),
    some("semver_compare(p.value, '1.0') >= 0"),
    some("semver_compare('bad', 'bad') == 0 || p.type == 'a'"),
    some("p.value.kind == 'a' && has(p.value.name)"),
    "properties.exists(google, google.type == 'a') && type(timestamp(0)) == google.protobuf.Timestamp",
    "properties.map(p, p.value).exists(v, v.kind == 'a')",
    "properties.exists(properties, properties.type == 'a')",
    "size(properties.filter(p, false)) == 0",
    some("p.type in ['a', 'b'] && p.type in ['b', 'c']"),
    "properties.exists(p, dyn(p).type == 'a')",
]


@pytest.mark.parametrize(("rule", "words"), NEVER.items(), ids=NEVER.keys())
def test_is_found(rule: str, words: str) -> None:
    """Mistakes that people make, and what the documentation says is found."""
    why = why_never(compile_rule(rule))
    assert why is not None
    assert words in why


@pytest.mark.parametrize("rule", MAY)
def test_is_not_claimed(rule: str) -> None:
    """A false claim would make people change a rule that works."""
    assert why_never(compile_rule(rule)) is None


@given(cel_rules(), property_lists())
def test_claims_hold_on_random_rules(rule: str, properties: list[dict[str, Any]]) -> None:
    """Whatever is reported matches nothing."""
    try:
        compiled = compile_rule(rule)
    except CompileError:
        return
    assert why_never(compiled) is None or not compiled.matches(properties)


TESTS = [f"{path} {test}" for path in ("p.type", "p.value", "q.type") for test in ("== 'k'", "!= 'k'", "in ['k', 'x']")]
ATOMS = st.sampled_from(
    [
        *TESTS,
        *(
            "p.value == 1",
            "p.value < 2",
            "p.value == 1.0",
            "p.value + 1 == 2",
            "p.value + 1.0 == 2.0",
            "p.value == null",
        ),
        *("has(p.kind)", "p.kind == 1", "q.value", "p.value == q.value", "p['value'] == 'k'", "size(p.type) == 1"),
        *("semver_compare(p.value, '1') > 0", "semver_compare(p.value, 'x') > 0", "p.type.matches('k')"),
        *("true", "false", "properties.size() == 2"),
    ]
)


@given(
    st.recursive(
        ATOMS,
        lambda inner: (
            st.tuples(inner, st.sampled_from(["&&", "&&", "||"]), inner).map(lambda part: f"({' '.join(part)})")
            | inner.map(lambda text: f"!{text}" if text.startswith("(") else f"!({text})")
            | st.tuples(inner, inner, inner).map(lambda part: "({} ? {} : {})".format(*part))
            | st.tuples(st.sampled_from(["exists", "all", "exists_one"]), inner).map(
                lambda part: f"properties.{part[0]}(q, {part[1]})"
            )
            | inner.map(lambda text: f"properties.filter(q, {text}).size() > 0")
        ),
        max_leaves=8,
    ),
    property_lists(st.sampled_from(["k", "x", "1.0.0", 1, 0.5, True, None]) | json_values()),
)
def test_claims_hold_on_contradictions(predicate: str, properties: list[dict[str, Any]]) -> None:
    """The atoms exclude each other often, so that claims are frequent and tested hard."""
    compiled = compile_rule(f"properties.exists(p, properties.exists(q, {predicate}))")
    assert why_never(compiled) is None or not compiled.matches(properties)


def test_claims_hold_on_the_vectors() -> None:
    """The recorded rules that OLM finds true somewhere."""
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        vectors = [json.loads(line) for line in lines]
    for vector in vectors:
        try:
            rule = compile_rule(vector["rule"])
        except CompileError:
            continue
        # Some vectors give properties other fields than a catalog's have.
        if vector.get("result") and all(set(item) == {"type", "value"} for item in vector["properties"] or []):
            assert why_never(rule) is None, rule.text


@pytest.mark.parametrize(
    "rule",
    [
        some("&&".join(["p.type=='a'"] * scaled(4000, 4))),
        some("||".join(f"p.type=='{number}'" for number in range(scaled(3000, 4)))),
        some(
            "p.type in ["
            + ",".join(["'a'"] * scaled(9000, 4))
            + "] && p.type in ["
            + ",".join(["'b'"] * scaled(7000, 4))
            + "]"
        ),
        some("p.type=='" + "x" * 30000 + "' && " + "+".join(["p.type"] * 90) + "=='a'"),
        some("p.type=='a'&&(" * 40 + "true" + ")" * 40),
        some("p.type=='a'&&(" + "||".join(["p.value" + ".a" * 90 + "=='b'"] * scaled(330, 4)) + ")"),
        some("p.type=='a'&&(" + "||".join(["p" + ".Duration" * 90 + "=='b'"] * scaled(70, 4)) + ")"),
        "properties.exists(p,p.type=='a'&&" * 45 + "false" + ")" * 45,
        "[" + ",".join(["1"] * scaled(30000, 4)) + "].exists(x, x == 2)",
    ],
    ids=range(9),
)
def test_large_rules_end(rule: str) -> None:
    """A catalog may hold rules that were made to keep a lint busy.

    Compiling them is what takes long, so the short run has a quarter of most of them.
    """
    compiled = compile_rule(rule)
    started = time.process_time()
    why_never(compiled)
    # Far above what they take: this tells work that ends from work that does not, on any machine.
    assert time.process_time() - started < 10
