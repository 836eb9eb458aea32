"""The language, rule by rule: rules that hold, by CEL's specification and cel-go's ways."""

from __future__ import annotations

import pytest

from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError
from tests.cel.properties import PROPERTIES

TRUE = [
    # Literals
    "0x1F == 31 && -0x8000000000000000 == -9223372036854775808",
    "18446744073709551615u == 0xFFFFFFFFFFFFFFFFu",
    ".5 == 0.5 && 1e3 == 1000.0 && 2.5E-1 == 0.25",
    "\"\\u00e9\\x41\\101\\U0001F600\" == 'éAA😀'",
    r'"\a\b\f\n\r\t\v\\\?\"\'\`" == "\x07\x08\x0c\x0a\x0d\x09\x0b\x5c\x3f\x22\x27\x60"',
    r"""r'\d"' == '\\d"' && R"\d'" == "\\d'" """,
    '"""a\n"b" c""" == "a\\n\\"b\\" c"',
    "'''a\r\nb\rc''' == 'a\\nb\\nc'",
    "b'\\xff\\377é' == b\"\\377\\xff\\303\\251\"",
    "size(br'\\n') == 2",
    '"" == \'\' && """""" == ""',
    # Operators: precedence, signs, chains
    "1 + 2 * 3 - 4 / 2 % 3 == 5",
    "-1 - -1 == 0 && --1 == 1 && - 1 == -1",
    "!!true && !!!false",
    "true || false && false",
    "true == true == true",
    "(1 < 2) == true && 1in[1]",
    "true ? true : true ? false : false",
    "false ? false : false ? false : true",
    "[1, 2,] == [1, 2] && {1: 2,}.size() == 1 && [,] == []",
    "true // the rest is a comment",
    "\t\r\n\f true",
    # Arithmetic
    "-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1",
    "7u / 2u == 3u && 7u % 4u == 3u",
    "3u * 4u == 12u && 4u - 1u == 3u && 3u + 4u == 7u",
    "2.5 * 2.0 == 5.0 && 2.5 - 0.5 == 2.0 && 0.5 + 0.25 == 0.75 && 1.5 / 0.5 == 3.0 && -(1.5) < 0.0",
    "1.0 / 0.0 > 1e308 && -1.0 / 0.0 < -1e308 && 1.0 / -0.0 < 0.0",
    "0.0 / 0.0 != 0.0 / 0.0",
    "dyn(5u) - 2u == 3u && dyn(3u) * 2u == 6u && -dyn(2.0) == -2.0",
    "-dyn(duration('1s')) == duration('-1s') && duration('1s') - duration('3s') == duration('-2s')",
    "duration('1s') + timestamp('2024-01-01T00:00:00Z') == timestamp('2024-01-01T00:00:01Z')",
    "timestamp('2024-01-01T00:00:00Z') - duration('1s') == timestamp('2023-12-31T23:59:59Z')",
    "timestamp('2024-01-01T00:00:00Z') - timestamp('2023-12-31T23:59:59Z') == duration('1s')",
    "'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && [1] + [2] == [1, 2]",
    "dyn([1]) + ['a'] == [1, 'a']",
    # Values of different kinds meet only where the type is not known before
    "dyn(1) == 1u && dyn(1) == 1.0 && dyn(1u) == 1.0 && dyn(1) != '1'",
    "dyn(1) < 1.5 && dyn(2u) > 1 && dyn(1) <= 1u",
    "dyn(9007199254740993) == 9007199254740992.0 && !(dyn(9007199254740993) > 9007199254740992.0)",
    "dyn(9223372036854775807) == 9223372036854775808.0 && dyn(18446744073709551615u) <= 18446744073709551616.0",
    "dyn(true) != 1 && dyn(null) != false && dyn([]) != dyn({})",
    "[1, 'a', 2.0][2] == 2.0 && [dyn(1)] == [1.0]",
    "dyn({1: 'a'})[1.0] == 'a' && dyn({1u: 'a'})[1] == 'a' && dyn([5])[0u] == 5 && dyn([5])[0.0] == 5",
    "size({dyn(1): 'a', true: 'b', '1': 'c', 1u: 'd'}) == 4",
    "dyn(1.0) in [1, 2] && dyn(2u) in {2: 'x'} && !('x' in {'y': 1})",
    "{'a': [1, {'b': null}]} == {'a': [1, {'b': null}]}",
    "false < true && b'a' < b'b' && 'Z' < 'a' && 'z' < 'é'",
    # Properties: numbers are doubles, containers are read in place
    "properties[1].value == 3 && type(properties[1].value) == double",
    "properties[2].value.list == [1.0, 'a'] && properties[2]['value']['list'][0] == 1u",
    "properties[2].value.none == null && has(properties[2].value.none)",
    "size(properties[3].value) == 3 && 2.5 in properties[3].value && 'list' in properties[2].value",
    "properties[3].value + [1] == [1.0, 2.5, 'x', 1]",
    "properties[2].value.list.exists(e, e == 'a')",
    "properties[0] == {'type': 'k', 'value': 'v'} && properties[1] == {'type': 'n', 'value': 3.0}",
    "!has(properties[0].value.x) && !has(properties[1].value.x)",
    # Macros
    "properties.exists_one(p, p.type == 'k') && !properties.exists_one(p, true)",
    "properties.map(p, p.type) == ['k', 'n', 'm', 'l']",
    "properties.map(p, p.type != 'k', p.type) == ['n', 'm', 'l']",
    "properties.filter(p, p.value == 'v').size() == 1",
    "{'a': 1, 'b': 2}.all(key, key in ['a', 'b']) && {'a': 1}.map(k, k) == ['a']",
    "[].all(x, false) && ![].exists(x, true) && ![].exists_one(x, true)",
    "[1].exists(properties, properties == 1) && [1].exists(x, .properties.size() == 4)",
    "[1, 2].exists(x, [x].exists(x, x == 2)) && [[1]].exists(x, x.exists(y, y == x[0]))",
    "[1].exists(int, int == 1)",
    "[1].exists(.properties, size(properties) == 4)",
    "has({'a': 1}.a) && !has({'a': 1}.b) && has({'a': {'b': 1}}.a.b)",
    # Errors are absorbed by what decides
    "[0, 1].exists(x, 1 / x == 1) && ![0, 2].all(x, 1 / x == 1)",
    "(1 / 0 == 1 || true) && (true || 1 / 0 == 1) && !(1 / 0 == 1 && false)",
    "properties[0].value.x == 1 || properties[0].value || true",
    "false ? 1 / 0 == 1 : true",
    # Conversions
    "int('-12') == -12 && int('+5') == 5 && int(2.9) == 2 && int(-2.9) == -2 && int(7u) == 7",
    "uint('12') == 12u && uint(2.9) == 2u && uint(3) == 3u",
    "double('1.5e3') == 1500.0 && double('-Inf') < 0.0 && double(1) == 1.0 && double('.5') == 0.5",
    "string(1.0) == '1' && string(0.1) == '0.1' && string(123456.5) == '123456.5'",
    "string(1e6) == '1e+06' && string(1e-5) == '1e-05' && string(1.5e100) == '1.5e+100'",
    "string(-0.0) == '-0' && string(100000.0) == '100000' && string(0.0001) == '0.0001'",
    "string(true) == 'true' && string(1u) == '1' && string(-1) == '-1' && string(b'\\xc3\\xa9') == 'é'",
    "bytes('é') == b'\\xc3\\xa9' && bytes(b'a') == b'a'",
    "bool('t') && bool('TRUE') && !bool('0') && bool(true)",
    "type(1) == int && type(1u) == uint && type([]) == list && type({}) == map && type(null) == null_type",
    "type(type(1)) == type && type(int) == type && type(b'') == bytes && type('') == string",
    "type(timestamp(0)) == google.protobuf.Timestamp && type(duration('1s')) == google.protobuf.Duration",
    "size('é日😀') == 3 && 'é'.size() == 1 && size(b'\\xc3\\xa9') == 2",
    "'abc'.contains('b') && 'abc'.startsWith('') && 'abc'.endsWith('bc') && !'abc'.contains('B')",
    r"'C'.matches('\\Q\\C\\E') == false && '\\C'.matches('\\Q\\C\\E') && 'a'.matches('[(?P<n>a](?P<n>)?')",
    "double('0x1p4') == 16.0 && double('-0x.8P1') == -1.0",
    "'abc'.matches('b') && matches('abc', '^a.c$') && !'a\\nc'.matches('^a.c$')",
    # Times
    "duration('1h30m') == duration('90m') && duration('1.5s') > duration('1499ms')",
    "duration('-1h2m3s4ms5us6ns') < duration('0') && duration('.5s') + duration('0.5s') == duration('1s')",
    "duration('1\u00b5s') == duration('1us') && duration('1\u03bcs') == duration(1000)",
    "string(duration('1h30m')) == '5400s' && string(duration('-1500ms')) == '-1.5s'",
    "string(duration('1ns')) == '0.000000001s' && int(duration('1us')) == 1000",
    "duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90",
    "duration('-90m').getHours() == -1 && duration('1.5s').getMilliseconds() == 1500",
    "timestamp('2024-02-29T23:59:59.123456789Z').getMilliseconds() == 123",
    "timestamp('2024-02-29T00:00:00Z').getDayOfYear() == 59 && timestamp(0).getDayOfWeek() == 4",
    "timestamp('2024-02-29T00:00:00Z').getDate() == 29 && timestamp(0).getDayOfMonth() == 0",
    "timestamp('2024-01-01T00:00:00+02:00') == timestamp('2023-12-31T22:00:00Z')",
    "timestamp('2024-01-01T00:00:00+02:00').getHours() == 22",
    "timestamp('2024-01-01T12:00:00Z').getHours('-02:30') == 9",
    "timestamp('2024-01-01T12:00:00Z').getMinutes('-02:30') == 30",
    "timestamp('2024-07-01T12:00:00Z').getHours('Europe/Oslo') == 14",
    "timestamp('2024-01-01T01:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('60m')",
    "timestamp(0) + duration('1h') == timestamp(3600) && duration('1h') + timestamp(0) == timestamp(3600)",
    "string(timestamp('2024-01-01T00:00:00.5Z')) == '2024-01-01T00:00:00.5Z'",
    "int(timestamp('1969-12-31T23:59:59Z')) == -1 && timestamp(-1) < timestamp(0)",
    # Messages of well-known types are their values
    "google.protobuf.BoolValue{value: true} == true && google.protobuf.BoolValue{} == false",
    "google.protobuf.Int64Value{value: 1,} + 1 == 2 && .google.protobuf.Int32Value{} == 0",
    "google.protobuf.UInt64Value{value: 1u} == google.protobuf.UInt32Value{value: 1u}",
    "google.protobuf.StringValue{value: 'a'}.contains('a') && google.protobuf.BytesValue{} == b''",
    "google.protobuf.DoubleValue{value: 0.1} == 0.1 && google.protobuf.FloatValue{value: 0.1} != 0.1",
    "google.protobuf.Int64Value{} != null && type(google.protobuf.Int64Value{}) == int",
    "true ? false || true : google.protobuf.BoolValue{}",
    "google.protobuf.Timestamp{seconds: 1, nanos: 500000000} == timestamp('1970-01-01T00:00:01.5Z')",
    "google.protobuf.Duration{seconds: 90} == duration('90s') && google.protobuf.Duration{}.getHours() == 0",
    "google.protobuf.Struct{fields: {'a': 1, 'b': [b'a', null]}} == {'a': 1.0, 'b': ['YQ==', null]}",
    "google.protobuf.Struct{fields: {'a': 9007199254740992}}.a == '9007199254740992'",
    "google.protobuf.ListValue{values: [1, 'a']}.exists(x, x == 1.0) && google.protobuf.ListValue{} == []",
    "google.protobuf.Value{} == null && google.protobuf.Value{number_value: 1.5} == 1.5",
    "google.protobuf.Value{null_value: google.protobuf.NullValue.NULL_VALUE} == null",
    "google.protobuf.Value{struct_value: {'a': true}}.a && google.protobuf.NullValue.NULL_VALUE == 0",
    "google.protobuf.Empty{} == google.protobuf.Empty{} && google.protobuf.Empty{} != dyn(null)",
    "properties.exists(google, google.value == google.protobuf.StringValue{value: 'v'})",
    # Versions
    "semver_compare('1.2', '1.2.0') == 0 && semver_compare(' v1', '01.0.0') == 0",
    "semver_compare('1.0.0-alpha', '1.0.0') == -1",
    "0 > semver_compare('2.0.0', '10.0.0') && semver_compare('1.0.0', '1.0.0+b') == 0",
    "semver_compare(1.5, '1.5') == 0 && semver_compare(1u, 1) == 0 && semver_compare(10.0, 9) == 1",
]


@pytest.mark.parametrize("rule", TRUE)
def test_holds(rule: str) -> None:
    """Each states a fact of the language as a rule that must hold."""
    assert compile_rule(rule).evaluate(PROPERTIES) is True


def test_half_surrogate_pairs() -> None:
    """Python's JSON lets them through where Go's reads the replacement character."""
    with pytest.raises(CompileError) as caught:
        compile_rule("b'\ud800' == b''")
    assert caught.value.position == 2
    properties = [{"type": "k", "value": "a\ud800"}]
    assert compile_rule("properties[0].value.matches('^a\ufffd$')").evaluate(properties)
    assert compile_rule("bytes(properties[0].value) == b'a\ufffd'").evaluate(properties)
    assert compile_rule("size(properties[0].value) == 2").evaluate(properties)
    assert not compile_rule("properties.exists(p, semver_compare(p.value, '1') == 0)").matches(properties)
