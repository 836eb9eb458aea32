"""The operators on values: equality, order, arithmetic, indexing and membership, as cel-go evaluates them.

All raise :class:`~olmsolve.cel.values.Failure` where cel-go gives an error value. They distinguish values by their
exact type, never with ``isinstance``: a bool is an int in Python, and a :class:`Uint` too, but in CEL they are three
types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from olmsolve.cel.instants import Duration, Timestamp
from olmsolve.cel.values import INT_MAX, INT_MIN, UINT_MAX, Failure, Map, MessageValue, TypeName, Uint, native

_KINDS: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    tuple: "list",
    dict: "map",
    Map: "map",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    TypeName: "type",
    MessageValue: "google.protobuf.Empty",
}
EMPTY: Final = MessageValue("google.protobuf.Empty")
"""The only message that is a value of its own; it equals itself."""
NUMERIC: Final = frozenset({int, Uint, float})
"""The kinds of numbers, which are compared by value."""


def kind_of(value: Any) -> str:
    """Return the name of the CEL type of *value*."""
    return _KINDS.get(type(value), "unknown")


def shown(value: Any) -> str:
    """Show *value* in a message: cut short, and only its type if it is a container."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 80 else f"{value[:80]!r}..."
    return kind_of(value) if type(value) in (list, tuple, dict, Map) else repr(value)[:80]


def _no_overload(operator: str, *values: Any) -> Failure:
    return Failure(f"{operator!r} does not take ({', '.join(map(kind_of, values))})")


# Equality


def equal(one: Any, other: Any) -> bool:
    """Return ``one == other``: numbers of all kinds by value; other values of different kinds are unequal.

    As in cel-go, an integer beside a double is compared as a double: beyond 2**53, neighbours are equal to it.
    """
    kind, second = type(one), type(other)
    if kind is second and kind in _PLAIN:
        return bool(one == other)
    if kind in NUMERIC and second in NUMERIC:
        return bool(float(one) == float(other) if float in (kind, second) else one == other)
    if kind in (list, tuple) and second in (list, tuple):
        return len(one) == len(other) and all(map(equal, elements(one), elements(other)))
    if kind in (dict, Map) and second in (dict, Map):
        return _equal_maps(one, other)
    return False


# Kinds whose values Python compares as CEL does.
_PLAIN: Final = frozenset({bool, int, Uint, float, str, bytes, type(None), Timestamp, Duration, TypeName, MessageValue})


def _equal_maps(one: dict[str, Any] | Map, other: dict[str, Any] | Map) -> bool:
    if len(one) != len(other):
        return False
    for key in one:
        is_there, value = _find(other, key)
        if not is_there or not equal(_find(one, key)[1], value):
            return False
    return True


def elements(value: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """Return the elements of a list value, as CEL values."""
    return iter(value) if type(value) is tuple else map(native, value)


# Order


def _compare(operator: str, one: Any, other: Any) -> int:
    """Return -1, 0 or 1, as *one* is less than, equal to or greater than *other*."""
    kind, second = type(one), type(other)
    if kind in NUMERIC and second in NUMERIC:
        if one != one or other != other:
            raise Failure("NaN values cannot be ordered")
        if float in (kind, second):
            one, other = float(one), float(other)
    elif kind is not second or kind not in _COMPARABLE:
        raise _no_overload(operator, one, other)
    return -1 if one < other else int(one > other)


_COMPARABLE: Final = frozenset({bool, str, bytes, Timestamp, Duration})

COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda one, other: _compare("<", one, other) < 0,
    "<=": lambda one, other: _compare("<=", one, other) <= 0,
    ">": lambda one, other: _compare(">", one, other) > 0,
    ">=": lambda one, other: _compare(">=", one, other) >= 0,
}


# Arithmetic


def checked_int(value: int) -> int:
    """Return *value*. Raises Failure if it does not fit in 64 bits."""
    if not INT_MIN <= value <= INT_MAX:
        raise Failure("integer overflow")
    return value


def checked_uint(value: int) -> Uint:
    """Return *value* as a uint. Raises Failure if it is negative, or does not fit in 64 bits."""
    if not 0 <= value <= UINT_MAX:
        raise Failure("unsigned integer overflow")
    return Uint(value)


def _add(one: Any, other: Any) -> Any:
    kind, second = type(one), type(other)
    if kind in (list, tuple) and second in (list, tuple):
        return (*elements(one), *elements(other))
    if kind is second:
        if kind is int:
            return checked_int(one + other)
        if kind is Uint:
            return checked_uint(one + other)
        if kind in (float, str, bytes):
            return one + other
        if kind is Duration:
            return Duration(one.nanoseconds + other.nanoseconds)
    if kind is Timestamp and second is Duration:
        return Timestamp(one.nanoseconds + other.nanoseconds, one.offset)
    if kind is Duration and second is Timestamp:
        return Timestamp(one.nanoseconds + other.nanoseconds, other.offset)
    raise _no_overload("+", one, other)


def _subtract(one: Any, other: Any) -> Any:
    kind, second = type(one), type(other)
    if kind is second:
        if kind is int:
            return checked_int(one - other)
        if kind is Uint:
            return checked_uint(one - other)
        if kind is float:
            return one - other
        if kind in (Duration, Timestamp):
            return Duration(one.nanoseconds - other.nanoseconds)
    if kind is Timestamp and second is Duration:
        return Timestamp(one.nanoseconds - other.nanoseconds, one.offset)
    raise _no_overload("-", one, other)


def _multiply(one: Any, other: Any) -> Any:
    if type(one) is type(other):
        if type(one) is int:
            return checked_int(one * other)
        if type(one) is Uint:
            return checked_uint(one * other)
        if type(one) is float:
            return one * other
    raise _no_overload("*", one, other)


def _divide(one: Any, other: Any) -> Any:
    """Return ``one / other``: integers round towards zero, doubles follow IEEE 754 where Python raises."""
    kind = type(one)
    if kind is type(other) and kind in NUMERIC:
        if kind is float:
            if other:
                return one / other
            if one != one or not one:
                return math.nan
            return math.copysign(math.inf, one) * math.copysign(1.0, other)
        if not other:
            raise Failure("division by zero")
        quotient = abs(one) // abs(other)  # Python's // rounds down, Go's / towards zero
        if kind is Uint:
            return Uint(quotient)
        return checked_int(quotient if (one < 0) == (other < 0) else -quotient)
    raise _no_overload("/", one, other)


def _remainder(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is type(other) and kind in (int, Uint):
        if not other:
            raise Failure("modulus by zero")
        if one == INT_MIN and other == -1:
            raise Failure("integer overflow")
        remainder = abs(one) % abs(other)
        return Uint(remainder) if kind is Uint else (-remainder if one < 0 else remainder)
    raise _no_overload("%", one, other)


def negate(value: Any) -> Any:
    """Return ``-value``."""
    if type(value) is int:
        return checked_int(-value)
    if type(value) is float:
        return -value
    if type(value) is Duration:
        return Duration(-value.nanoseconds)
    raise _no_overload("-", value)


ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
}


# Containers


def _find(container: dict[str, Any] | Map, key: Any) -> tuple[bool, Any]:
    """Return whether *key* is in *container*, and its value; JSON has only strings as keys."""
    if type(container) is Map:
        return container.find(key)
    if type(key) is str and key in container:
        return True, native(container[key])  # type: ignore[index]  # a dict: a Map has returned above
    return False, None


def field(value: Any, name: str) -> Any:
    """Return ``value.name``."""
    if type(value) is dict:
        try:
            member = value[name]
        except KeyError:
            raise Failure(f"there is no key {shown(name)}") from None
        return native(member)
    return index(value, name)


def has_field(value: Any, name: str) -> bool:
    """Return ``has(value.name)``: False for a value without fields, except that a list is a failure."""
    kind = type(value)
    if kind is dict:
        return name in value
    if kind is Map:
        return bool(value.find(name)[0])
    if kind in (list, tuple):
        raise Failure("a list has no fields")
    return False


def index(value: Any, key: Any) -> Any:
    """Return ``value[key]``."""
    kind = type(value)
    if kind in (dict, Map):
        is_there, element = _find(value, key)
        if not is_there:
            raise Failure(f"there is no key {shown(key)}")
        return element
    if kind in (list, tuple):
        if type(key) is float and key.is_integer():
            key = int(key)
        if type(key) not in (int, Uint):
            raise Failure(f"a list has no index of type {kind_of(key)}")
        if not 0 <= key < len(value):
            raise Failure(f"index {key} is out of bounds")
        return native(value[key]) if kind is list else value[key]
    raise Failure(f"{kind_of(value)} has no fields and no indexes")


def contains(element: Any, container: Any) -> bool:
    """Return ``element in container``."""
    kind = type(container)
    if kind in (list, tuple):
        return any(equal(element, other) for other in elements(container))
    if kind in (dict, Map):
        return _find(container, element)[0]
    raise _no_overload("in", element, container)
