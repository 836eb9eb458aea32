"""The declarations of OLM's CEL environment: the standard library without extensions, and ``semver_compare``.

After cel-go's ``common/stdlib`` (0.29). Comparing numbers of different kinds (``1 < 1.5``) is not declared: cel-go
disables those overloads by default, although it evaluates them where a type is only known at run time.

A rule may construct messages too: protobuf's well-known types, such as ``google.protobuf.Int64Value{value: 1}``. A
message is its value at once, by cel-go's registry of types: a wrapper is the number or text in it, a ``Timestamp`` a
timestamp, a ``Struct`` a map from JSON. So no value of a rule is a message, except ``google.protobuf.Empty``.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.cel import static_types as t
from olmsolve.cel.instants import CALENDAR, CLOCK, Duration, Timestamp
from olmsolve.cel.operations import EMPTY, elements, index, kind_of
from olmsolve.cel.values import INT_MAX, INT_MIN, Failure, Map, Scalar, Uint


@attrs.frozen
class Overload:
    """One signature; for a *member* the first argument is the receiver."""

    arguments: tuple[t.Type, ...]
    result: t.Type
    member: bool = False
    parameters: frozenset[str] = attrs.field(init=False)
    """The names of its type variables."""

    @parameters.default
    def _variables(self) -> frozenset[str]:
        names: set[str] = set()
        pending = [self.result, *self.arguments]
        while pending:
            type_ = pending.pop()
            if type_.kind == "parameter":
                names.add(type_.name)
            pending += type_.parameters
        return frozenset(names)


_A: Final = t.parameter("A")
_B: Final = t.parameter("B")
_LIST: Final = t.list_of(_A)
_MAP: Final = t.map_of(_A, _B)
_ORDERED: Final = (t.BOOL, t.INT, t.UINT, t.DOUBLE, t.STRING, t.BYTES, t.TIMESTAMP, t.DURATION)


def _plain(result: t.Type, *arguments: t.Type) -> Overload:
    return Overload(arguments, result)


def _member(result: t.Type, *arguments: t.Type) -> Overload:
    return Overload(arguments, result, member=True)


def _conversions(result: t.Type, *sources: t.Type) -> tuple[Overload, ...]:
    return tuple(_plain(result, source) for source in sources)


def _arithmetic(*types: t.Type) -> tuple[Overload, ...]:
    return tuple(_plain(type_, type_, type_) for type_ in types)


_STRING_TEST: Final = (_member(t.BOOL, t.STRING, t.STRING),)
_CALENDAR: Final = (_member(t.INT, t.TIMESTAMP), _member(t.INT, t.TIMESTAMP, t.STRING))
_SIZED: Final = (t.BYTES, _LIST, _MAP, t.STRING)

FUNCTIONS: Final[Mapping[str, tuple[Overload, ...]]] = {
    "?:": (_plain(_A, t.BOOL, _A, _A),),
    "!": (_plain(t.BOOL, t.BOOL),),
    **dict.fromkeys(("==", "!="), (_plain(t.BOOL, _A, _A),)),
    **dict.fromkeys(("<", "<=", ">", ">="), tuple(_plain(t.BOOL, type_, type_) for type_ in _ORDERED)),
    "+": (
        *_arithmetic(t.BYTES, t.DOUBLE, t.DURATION, t.INT, _LIST, t.STRING, t.UINT),
        _plain(t.TIMESTAMP, t.DURATION, t.TIMESTAMP),
        _plain(t.TIMESTAMP, t.TIMESTAMP, t.DURATION),
    ),
    "-": (
        *_arithmetic(t.DOUBLE, t.DURATION, t.INT, t.UINT),
        _plain(t.TIMESTAMP, t.TIMESTAMP, t.DURATION),
        _plain(t.DURATION, t.TIMESTAMP, t.TIMESTAMP),
    ),
    **dict.fromkeys(("*", "/"), _arithmetic(t.DOUBLE, t.INT, t.UINT)),
    "%": _arithmetic(t.INT, t.UINT),
    "neg": (_plain(t.DOUBLE, t.DOUBLE), _plain(t.INT, t.INT)),
    "[]": (_plain(_A, _LIST, t.INT), _plain(_B, _MAP, _A)),
    "in": (_plain(t.BOOL, _A, _LIST), _plain(t.BOOL, _A, _MAP)),
    "size": tuple(declared(t.INT, type_) for declared in (_plain, _member) for type_ in _SIZED),
    "type": (_plain(t.type_of(_A), _A),),
    "dyn": (_plain(t.DYN, _A),),
    "bool": _conversions(t.BOOL, t.BOOL, t.STRING),
    "bytes": _conversions(t.BYTES, t.BYTES, t.STRING),
    "double": _conversions(t.DOUBLE, t.DOUBLE, t.INT, t.STRING, t.UINT),
    "duration": _conversions(t.DURATION, t.DURATION, t.INT, t.STRING),
    "int": _conversions(t.INT, t.INT, t.DOUBLE, t.DURATION, t.STRING, t.TIMESTAMP, t.UINT),
    "string": _conversions(t.STRING, t.STRING, t.BOOL, t.BYTES, t.DOUBLE, t.DURATION, t.INT, t.TIMESTAMP, t.UINT),
    "timestamp": _conversions(t.TIMESTAMP, t.TIMESTAMP, t.INT, t.STRING),
    "uint": _conversions(t.UINT, t.UINT, t.DOUBLE, t.INT, t.STRING),
    **dict.fromkeys(("contains", "endsWith", "startsWith"), _STRING_TEST),
    "matches": (_plain(t.BOOL, t.STRING, t.STRING), *_STRING_TEST),
    **dict.fromkeys(CALENDAR, _CALENDAR),
    **dict.fromkeys(CLOCK, (*_CALENDAR, _member(t.INT, t.DURATION))),
    "semver_compare": (_plain(t.INT, t.ANY, t.ANY),),
}

TYPE_NAMES: Final[Mapping[str, t.Type]] = {
    "bool": t.BOOL,
    "bytes": t.BYTES,
    "double": t.DOUBLE,
    "google.protobuf.Duration": t.DURATION,
    "google.protobuf.Timestamp": t.TIMESTAMP,
    "int": t.INT,
    "list": _LIST,
    "map": _MAP,
    "null_type": t.NULL,
    "string": t.STRING,
    "type": t.Type("type"),
    "uint": t.UINT,
}

CONSTANTS: Final[Mapping[str, Scalar]] = {"google.protobuf.NullValue.NULL_VALUE": 0}
"""Values of enumerations, which are integers."""

VARIABLES: Final[Mapping[str, t.Type]] = {"properties": t.list_of(t.map_of(t.STRING, t.ANY))}

_SECOND: Final = 10**9
_INT32: Final = range(-(2**31), 2**31)
_UINT32: Final = range(2**32)
_EXACT: Final = 2**53 - 1  # integers beyond are texts in JSON, because doubles cannot distinguish them
_STRUCT: Final = t.map_of(t.STRING, t.DYN)
_JSON_LIST: Final = t.list_of(t.DYN)


@attrs.frozen
class MessageType:
    """A message type: its static *type*, the types of its *fields*, and *value*, which makes a message of fields."""

    type: t.Type
    fields: Mapping[str, t.Type]
    value: Callable[[Mapping[str, Any]], Any]


def as_json(value: Any) -> Any:
    """Return *value* as a JSON value, as a field of ``Struct``, ``Value`` or ``ListValue`` holds it.

    Raises :class:`Failure` for a value that JSON cannot hold: a type, or a map whose keys are not texts.
    """
    kind = type(value)
    if value is None or kind in (str, bool, float):
        return value
    if kind in (int, Uint):
        return float(value) if abs(value) <= _EXACT else str(int(value))
    if kind is bytes:
        return base64.b64encode(value).decode()
    if kind in (Timestamp, Duration):
        return str(value)
    if kind in (list, tuple):
        return [as_json(element) for element in elements(value)]
    if kind in (dict, Map):
        return {_taken(str, key): as_json(index(value, key)) for key in value}
    if value is EMPTY:
        return {}
    raise Failure(f"JSON cannot hold a value of type {kind_of(value)}")


def _taken(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise Failure(f"a field cannot hold a value of type {kind_of(value)}")
    return value


def _limited(kind: type, allowed: range, value: Any) -> Any:
    # Not with `in`: a range looks for a Uint number by number.
    if not allowed.start <= _taken(kind, value) < allowed.stop:
        raise Failure("integer overflow")
    return value


def _wrapper(wrapped: t.Type, kind: type, default: Any, allowed: range | None = None) -> MessageType:
    """Return the wrapper of values of *kind*; *allowed* are the integers of 32 bit for the smaller ones."""

    def value(fields: Mapping[str, Any]) -> Any:
        given = fields.get("value", default)
        return _taken(kind, given) if allowed is None else _limited(kind, allowed, given)

    return MessageType(t.nullable(wrapped), {"value": wrapped}, value)


def _single(fields: Mapping[str, Any]) -> float:
    """Return the value of a ``FloatValue``: the double rounded to 32 bit."""
    value = _taken(float, fields.get("value", 0.0))
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _seconds(fields: Mapping[str, Any]) -> tuple[int, int]:
    return _taken(int, fields.get("seconds", 0)), _limited(int, _INT32, fields.get("nanos", 0))


def _timestamp(fields: Mapping[str, Any]) -> Timestamp:
    seconds, nanos = _seconds(fields)
    return Timestamp(seconds * _SECOND + nanos)


def _duration(fields: Mapping[str, Any]) -> Duration:
    """Return the duration, the longest one in place of one that is too long."""
    seconds, nanos = _seconds(fields)
    return Duration(max(INT_MIN, min(INT_MAX, seconds * _SECOND + nanos)))


def _struct(fields: Mapping[str, Any]) -> Any:
    value = fields.get("fields", {})
    if type(value) not in (dict, Map):
        raise Failure(f"a field cannot hold a value of type {kind_of(value)}")
    return as_json(value)


def _list_value(fields: Mapping[str, Any]) -> Any:
    value = fields.get("values", ())
    if type(value) not in (list, tuple):
        raise Failure(f"a field cannot hold a value of type {kind_of(value)}")
    return as_json(value)


def _null(_: int) -> None:
    """Return null, which every number of the enumeration ``NullValue`` stands for."""


_IN_VALUE: Final[Mapping[str, Callable[[Any], Any]]] = {
    "null_value": lambda value: _null(_limited(int, _INT32, value)),
    "number_value": lambda value: _taken(float, value),
    "string_value": lambda value: _taken(str, value),
    "bool_value": lambda value: _taken(bool, value),
    "struct_value": lambda value: _struct({"fields": value}),
    "list_value": lambda value: _list_value({"values": value}),
}


def _value(fields: Mapping[str, Any]) -> Any:
    """Return the value of a ``Value``: null without a field; of several fields, cel-go keeps any, and this the last."""
    last = None
    for name, value in fields.items():
        last = _IN_VALUE[name](value)
    return last


def _any(_: Mapping[str, Any]) -> Any:
    """Fail as cel-go does where it cannot unpack an ``Any``; here, no ``Any`` can be unpacked."""
    raise Failure("the content of a google.protobuf.Any cannot be read")


def _empty(_: Mapping[str, Any]) -> Any:
    return EMPTY


_INSTANT: Final = {"seconds": t.INT, "nanos": t.INT}

MESSAGES: Final[Mapping[str, MessageType]] = {
    f"google.protobuf.{name}": message
    for name, message in {
        "Any": MessageType(t.ANY, {"type_url": t.STRING, "value": t.BYTES}, _any),
        "BoolValue": _wrapper(t.BOOL, bool, False),
        "BytesValue": _wrapper(t.BYTES, bytes, b""),
        "DoubleValue": _wrapper(t.DOUBLE, float, 0.0),
        "Duration": MessageType(t.DURATION, _INSTANT, _duration),
        "Empty": MessageType(t.Type("google.protobuf.Empty"), {}, _empty),
        "FloatValue": MessageType(t.nullable(t.DOUBLE), {"value": t.DOUBLE}, _single),
        "Int32Value": _wrapper(t.INT, int, 0, _INT32),
        "Int64Value": _wrapper(t.INT, int, 0),
        "ListValue": MessageType(_JSON_LIST, {"values": _JSON_LIST}, _list_value),
        "StringValue": _wrapper(t.STRING, str, ""),
        "Struct": MessageType(_STRUCT, {"fields": _STRUCT}, _struct),
        "Timestamp": MessageType(t.TIMESTAMP, _INSTANT, _timestamp),
        "UInt32Value": _wrapper(t.UINT, Uint, Uint(0), _UINT32),
        "UInt64Value": _wrapper(t.UINT, Uint, Uint(0)),
        "Value": MessageType(
            t.DYN,
            {
                "null_value": t.INT,
                "number_value": t.DOUBLE,
                "string_value": t.STRING,
                "bool_value": t.BOOL,
                "struct_value": _STRUCT,
                "list_value": _JSON_LIST,
            },
            _value,
        ),
    }.items()
}
"""The well-known types by their full names, as cel-go's registry knows them."""
