"""Rules that do not compile, rules that compile and fail, and what their errors say."""

from __future__ import annotations

import pytest

from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError, EvaluationError
from tests.cel.properties import PROPERTIES

REFUSED = [
    "[1].existsOne(x, true)",
    # Syntax
    "",
    "true true",
    "(true",
    "true)",
    "true ? true",
    "true ? true ? true : true : true",
    "!-1 == 1 && !-x",
    "-!true",
    "[1,,2]",
    "size([1],) == 1",
    "'a\nb' == ''",
    "'\\q' == ''",
    "'\\ud800' == ''",
    "'\\U00110000' == ''",
    "b'\\u0041' == b'A'",
    "r'\\' == '' '",
    "'\\400' == ''",
    "1. == 1.0",
    "1.5u == 1u",
    "9223372036854775808 == 0",
    "--9223372036854775808 == 0",
    "18446744073709551616u == 0u",
    "1e400 > 0.0",
    "as == 1",
    "while(true)",
    "p.in == 1",
    "a.`b` == 1",
    "properties[?0] == 1",
    "properties.?x == 1",
    "true & true",
    "true = true",
    "true; true",
    "\u00a0true",
    "(google.protobuf.Empty){} == google.protobuf.Empty{}",
    "google.protobuf.BoolValue{value: true}",
    "google.protobuf.BoolValue{value: 1} == true",
    "google.protobuf.BoolValue{valu: true} == true",
    "google.protobuf.Int64Value{value: 1}.value == 1",
    "google.protobuf.Int64Value{value: null} == 1",
    "google.protobuf.Int64Value{'value': 1} == 1",
    "google.protobuf.Int64Value == int",
    "google.protobuf.Timestamp{}.seconds == 0",
    "google.protobuf.NullValue{} == null",
    "google.protobuf.Nothing{} == null",
    "int{} == 0",
    "properties{} == []",
    "size(properties){} == 0",
    "properties[0].value.x{} == 0",
    "properties.exists(p.x, true)",
    "properties.map(1, true) == []",
    "properties.exists(__result__, true)",
    "has(properties)",
    "has(properties[0])",
    # Names
    "unknown",
    "Properties == []",
    "properties.exists(p, q.type == 'k')",
    "properties.exists(p, true) && p.type == 'k'",
    "unknown(1)",
    "true.unknown()",
    "size(1, 2) == 1",
    "properties.exists(p) == true",
    "[1].fold(x, x) == 1",
    "math.greatest(1, 2) == 2",
    "'a'.upperAscii() == 'A'",
    "has(properties[0].type, 1)",
    ".has(properties[0].type)",
    # The rule must be a bool, before any value is known
    "1",
    "null",
    "dyn(true)",
    "properties[0].value",
    "properties.map(p, p.value)[0]",
    "true ? dyn(true) : false",
    "bool",
    "[true][0] ? 'a' : 'b'",
    # Types
    "1 == 1.0",
    "1 == 1u",
    "1 < 1.5",
    "1 + 1u == 2",
    "1 == '1'",
    "'a' == null",
    "1 == null",
    "[1] == ['a']",
    "{'a': 1} == {1: 'a'}",
    "1.0 in [1]",
    "1 in 'a'",
    "'a' in {1: 2}",
    "[1]['a'] == 1",
    "[1][0u] == 1",
    "{1: 2}[1u] == 2",
    "'a'[0] == 'a'",
    "'a'.x == 1",
    "1.x == 1",
    "has('a'.x)",
    "has({'a': 1}.a.b)",
    "{'null': 1}.null == 1",
    "properties.x == 1",
    "!1 == 1",
    "-'a' == 'a'",
    "-1u == 1u",
    "-true",
    "true + true == true",
    "1 && true",
    "true || 1",
    "1 ? true : false",
    "true ? 1 : 'a'",
    "(true ? 1 : 1.0) == 1",
    "[1] < [2]",
    "{} < {}",
    "int < int",
    "1.0 % 2.0 == 0.0",
    "size(1) == 1",
    "size(null) == 1",
    "bool(1)",
    "bytes(1) == b''",
    "duration(1.0) == duration('1s')",
    "string([1]) == ''",
    "timestamp(0) + timestamp(0) == timestamp(0)",
    "timestamp(0).getHours(1) == 1",
    "duration('1s').getFullYear() == 1",
    "'a'.startsWith(1)",
    "startsWith('a', 'a')",
    "'a'.matches(1)",
    "semver_compare('1.0.0') == 0",
    "'1.0.0'.semver_compare('1.0.0') == 0",
    "properties.exists(p, 1)",
    "properties.exists_one(p, size(p.type))",
    "properties.filter(p, 'a').size() == 1",
    "properties.map(p, 1, p).size() == 1",
    "'abc'.exists(c, true)",
    "1.exists(x, true)",
    "properties.exists(p, p.value.exists(x, true))",
    "properties.map(p, p.value)[0].exists(x, true)",
]

COMPILE_BUT_FAIL = [
    # Kinds that only the evaluation knows
    "dyn(true) + dyn(true) == true",
    "dyn(true) - dyn(true) == true",
    "dyn('a') * dyn('a') == 'a'",
    "dyn('a') / dyn('a') == 'a'",
    "dyn(1.0) % dyn(1.0) == 0.0",
    "dyn(1) + dyn(1u) == 2",
    "dyn(duration('1s')) - dyn(timestamp('2024-01-01T00:00:00Z')) == duration('1s')",
    "-dyn('a') == 'a'",
    "-dyn(1u) == 1",
    # Beyond what integers and timestamps can say
    "dyn(1u) % 0u == 0u",
    "dyn(1u) / 0u == 0u",
    "timestamp('0001-01-01T00:00:00Z') - duration('1s') < timestamp('0001-01-01T00:00:00Z')",
    "string(timestamp('9999-12-31T23:59:59-02:00')) != ''",
    "string(timestamp('0001-01-01T00:00:00+02:00')) != ''",
    "1 / 0 == 1",
    "1 % 0 == 1",
    "1u / 0u == 1u",
    "9223372036854775807 + 1 > 0",
    "-9223372036854775808 - 1 < 0",
    "-(-9223372036854775808) > 0",
    "-9223372036854775808 / -1 > 0",
    "-9223372036854775808 % -1 == 0",
    "4611686018427387904 * 2 > 0",
    "0u - 1u == 0u",
    "18446744073709551615u + 1u == 0u",
    "dyn(1) + 1.0 == 2.0",
    "dyn(1) - 1.0 == 0.0",
    "dyn(1) * 2.0 == 2.0",
    "dyn(1) / 2.0 == 0.5",
    "1u % 0u == 0u",
    "-dyn('a') == 'a'",
    "dyn(1) < '1'",
    "dyn(true) < 1",
    # Null may stand for a timestamp or a duration, statically.
    "null < null",
    "string(null) == ''",
    "0.0 / 0.0 < 1.0",
    "!dyn(1)",
    "-dyn('a') == 'a'",
    "dyn(1) && true",
    "dyn('a') ? true : false",
    "1 in dyn('a')",
    "dyn([1])[1.5] == 1",
    "dyn([1])['a'] == 1",
    "dyn({'a': 1})[1] == 1",
    "[1][1] == 1",
    "[1][-1] == 1",
    "{'a': 1}['b'] == 1",
    "dyn(1).x == 1",
    "has(dyn([1]).x)",
    "has({'a': dyn(1)}.b.c)",
    "dyn(1).exists(x, true)",
    "dyn('abc').all(x, true)",
    "[1].exists(x, dyn(x))",
    "[0, 1].exists_one(x, 1 / x == 1)",
    "[0].filter(x, 1 / x == 1) == []",
    "[0].map(x, 1 / x) == []",
    "[1].filter(x, dyn(x)) == []",
    "int('') == 0",
    "int('1.0') == 1",
    "int('9223372036854775808') == 0",
    "int(9.3e18) == 0",
    "int(0.0 / 0.0) == 0",
    "uint(-1) == 0u",
    "uint('+1') == 1u",
    "uint(-0.5) == 0u",
    "double('') == 0.0",
    "double('1e400') > 0.0",
    "double('0x') == 0.0",
    "bool('yes')",
    "string(b'\\xff') == ''",
    "size(dyn(1)) == 1",
    "dyn(1).size() == 1",
    "dyn(1).startsWith('a')",
    "'a'.matches('(')",
    # RE2 would read these; Go's regexp refuses them.
    r"'a'.matches('\\C')",
    "'aa'.matches('(?P<n>a)(?P<n>a)')",
    "'a'.matches('(?P<\u00e9>a)')",
    "double('0x1p99999') > 0.0",
    "'a'.matches('(?=a)')",
    "'a'.matches(dyn(1))",
    "timestamp('2024-01-01') == timestamp(0)",
    "timestamp('2023-02-29T00:00:00Z') == timestamp(0)",
    "timestamp('2024-01-01T24:00:00Z') == timestamp(0)",
    "timestamp('2024-01-01t00:00:00z') == timestamp(0)",
    "timestamp(253402300800) == timestamp(0)",
    "timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)",
    "timestamp('9999-12-31T00:00:00Z') - timestamp('0001-01-01T00:00:00Z') == duration('1s')",
    "timestamp(0).getHours('Nowhere/Here') == 0",
    "timestamp(0).getHours('1:x') == 0",
    "duration('') == duration('0')",
    "duration('1') == duration('1s')",
    "duration('1h 1m') == duration('61m')",
    "duration('9223372036854775808ns') == duration('0')",
    "semver_compare('', '1.0.0') == 0",
    "semver_compare(null, '1.0.0') == 0",
    "semver_compare([1], '1.0.0') == 0",
    "semver_compare(1e6, '1.0.0') == 0",
    "semver_compare(true, '1.0.0') == 0",
    "semver_compare(b'1.0.0', '1.0.0') == 0",
]


@pytest.mark.parametrize("rule", REFUSED)
def test_does_not_compile(rule: str) -> None:
    """OLM refuses these rules when it reads the catalog; accepting one would select bundles that OLM does not."""
    with pytest.raises(CompileError):
        compile_rule(rule)


@pytest.mark.parametrize("rule", COMPILE_BUT_FAIL)
def test_compiles_but_fails(rule: str) -> None:
    """These rules are well typed but fail on their values; then the bundle does not match."""
    compiled = compile_rule(rule)
    with pytest.raises(EvaluationError):
        compiled.evaluate(PROPERTIES)
    assert compiled.matches(PROPERTIES) is False


def test_a_fault_is_remembered_and_raised_anew() -> None:
    """A catalog repeats a rule in every bundle; an exception raised twice would gather tracebacks."""
    errors = []
    for _ in range(2):
        with pytest.raises(CompileError) as caught:
            compile_rule("properties.exists(p, unknown)")
        errors.append(caught.value)
    assert errors[0].reason == errors[1].reason
    assert errors[0] is not errors[1]


def test_errors_say_where() -> None:
    """A rule is often one long line: the reason alone does not help."""
    with pytest.raises(CompileError) as caught:
        compile_rule('properties.exists(p, p.type == "k" && p.value.exists(x, x == 1))')
    assert caught.value.position == 39
    assert str(caught.value).endswith("\n" + " " * (2 + 39) + "^")
    assert "any" in caught.value.reason


def test_an_unknown_macro_is_the_fault_and_not_its_variable() -> None:
    """The macro ``existsOne`` of other versions of CEL would else look like a variable that nobody has defined."""
    with pytest.raises(CompileError, match="there is no function 'existsOne'"):
        compile_rule("properties.existsOne(p, p.type == 'a')")


def test_failures_say_why() -> None:
    """A rule that silently matches nothing is the commonest fault of all."""
    with pytest.raises(EvaluationError, match="there is no key 'missing'"):
        compile_rule("properties[0].missing == 1").evaluate(PROPERTIES)


@pytest.mark.parametrize(
    "rule",
    [
        "google.protobuf.Any{} == null",
        "google.protobuf.Int32Value{value: 2147483648} == 0",
        "google.protobuf.UInt32Value{value: 4294967296u} == 0u",
        "google.protobuf.Int64Value{value: dyn(1.0)} == 1",
        "google.protobuf.StringValue{value: dyn(null)} == ''",
        "google.protobuf.Struct{fields: dyn({1: 'a'})} == {}",
        "google.protobuf.Struct{fields: {'a': int}} == {}",
        "google.protobuf.ListValue{values: dyn('a')} == []",
        "google.protobuf.Timestamp{seconds: 253402300800} == timestamp(0)",
        "google.protobuf.Duration{nanos: 2147483648} == duration('1s')",
    ],
)
def test_messages_that_cannot_be_made(rule: str) -> None:
    """They compile, and fail on every bundle: a field holds its own type, within its own limits."""
    with pytest.raises(EvaluationError):
        compile_rule(rule).evaluate(PROPERTIES)
