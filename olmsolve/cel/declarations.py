"""The declarations of OLM's CEL environment: the standard library without extensions, and ``semver_compare``.

After cel-go's ``common/stdlib`` (0.29). Comparing numbers of different kinds (``1 < 1.5``) is not declared: cel-go
disables those overloads by default, although it evaluates them where a type is only known at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cel import static_types as t
from olmsolve.cel.instants import CALENDAR, CLOCK
from olmsolve.cel.values import Scalar


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
