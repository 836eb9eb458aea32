"""The functions of the standard library on values, and ``semver_compare``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from olmsolve.cel.instants import CALENDAR, CLOCK, Duration, Timestamp, parse_duration, parse_timestamp
from olmsolve.cel.operations import kind_of, shown
from olmsolve.cel.values import INT_MAX, INT_MIN, UINT_MAX, Failure, Map, TypeName, Uint
from olmsolve.errors import VersionError
from olmsolve.semver import Version, well_formed


def _does_not_take(function: str, *values: Any) -> Failure:
    return Failure(f"{function}() does not take ({', '.join(map(kind_of, values))})")


def go_double(value: float) -> str:
    """Print a double as Go's ``%v`` does: the shortest digits, with an exponent below 1e-4 and from 1e6 on.

    >>> go_double(4.10), go_double(1234567.0), go_double(0.00001)
    ('4.1', '1.234567e+06', '1e-05')
    """
    if not math.isfinite(value):
        return "NaN" if value != value else ("+Inf" if value > 0 else "-Inf")
    # Python's repr has the same shortest digits; only the form differs.
    mantissa, _, exponent = f"{value!r}".partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    point = len(whole) + int(exponent or "0")
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0"
    power = point - 1
    if power < -4 or power >= 6:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{'-' if power < 0 else '+'}{abs(power):02}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


# Size and types


def _size(value: Any) -> int:
    if type(value) in (str, bytes, list, tuple, dict, Map):
        return len(value)
    raise _does_not_take("size", value)


def _type(value: Any) -> TypeName:
    return TypeName(kind_of(value))


# Conversions

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
# At most 40 digits, far past 64 bits: int() of a long text takes quadratic time.
_SIGNED: Final = re.compile(r"[+-]?[0-9]{1,40}")
_UNSIGNED: Final = re.compile(r"[0-9]{1,40}")
_DECIMAL: Final = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))|(?i:nan)")

_HEXADECIMAL: Final = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]{1,9}")


def _bool(value: Any) -> bool:
    if type(value) is bool:
        return value
    if type(value) is str:
        if value in _BOOLEANS:
            return _BOOLEANS[value]
        raise Failure(f"{shown(value)} is not a bool")
    raise _does_not_take("bool", value)


def _bytes(value: Any) -> bytes:
    if type(value) is bytes:
        return value
    if type(value) is str:
        return well_formed(value).encode()
    raise _does_not_take("bytes", value)


def _double(value: Any) -> float:
    if type(value) in (float, int, Uint):
        return float(value)
    if type(value) is str:
        if _HEXADECIMAL.fullmatch(value):
            try:
                return float.fromhex(value)
            except OverflowError:
                raise Failure(f"{shown(value)} is not a double") from None
        if _DECIMAL.fullmatch(value):
            number = float(value)
            # "inf" and "nan" are values; digits that Python rounds to infinity are too large.
            if math.isfinite(number) or not value[-1].isdigit():
                return number
        raise Failure(f"{shown(value)} is not a double")
    raise _does_not_take("double", value)


def _to_whole(value: float, lowest: float, highest: float) -> int:
    if not (math.isfinite(value) and lowest < value < highest):
        raise Failure("integer overflow")
    return int(value)


def _int(value: Any) -> int:
    """Convert to int: doubles are cut off, durations are nanoseconds, timestamps are seconds since 1970."""
    kind = type(value)
    if kind is int:
        return int(value)
    if kind is float:
        return _to_whole(value, float(INT_MIN), float(INT_MAX))
    if kind is Uint:
        number = int(value)
    elif kind is Duration:
        return int(value.nanoseconds)
    elif kind is Timestamp:
        return int(value.nanoseconds // 10**9)
    elif kind is str:
        if not _SIGNED.fullmatch(value):
            raise Failure(f"{shown(value)} is not an int")
        number = int(value)
    else:
        raise _does_not_take("int", value)
    if not INT_MIN <= number <= INT_MAX:
        raise Failure("integer overflow")
    return number


def _uint(value: Any) -> Uint:
    kind = type(value)
    if kind is Uint:
        return Uint(value)
    if kind is float:
        return Uint(_to_whole(value, -1.0, float(UINT_MAX)) if value >= 0 else _to_whole(math.inf, 0, 0))
    if kind is int:
        number = value
    elif kind is str:
        if not _UNSIGNED.fullmatch(value):
            raise Failure(f"{shown(value)} is not a uint")
        number = int(value)
    else:
        raise _does_not_take("uint", value)
    if not 0 <= number <= UINT_MAX:
        raise Failure("unsigned integer overflow")
    return Uint(number)


def _string(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is bytes:
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            raise Failure("these bytes are not UTF-8 text") from None
    if kind is float:
        return go_double(value)
    if kind in (int, Uint, Duration, Timestamp):
        return str(value)
    raise _does_not_take("string", value)


def _duration(value: Any) -> Duration:
    if type(value) is Duration:
        return value
    if type(value) is int:
        return Duration(value)
    if type(value) is str:
        return parse_duration(value)
    raise _does_not_take("duration", value)


def _timestamp(value: Any) -> Timestamp:
    if type(value) is Timestamp:
        return value
    if type(value) is int:
        return Timestamp(value * 10**9)
    if type(value) is str:
        return parse_timestamp(value)
    raise _does_not_take("timestamp", value)


# Text


def _contains(text: Any, part: Any) -> bool:
    if type(text) is str and type(part) is str:
        return part in text
    raise _does_not_take("contains", text, part)


def _ends_with(text: Any, part: Any) -> bool:
    if type(text) is str and type(part) is str:
        return text.endswith(part)
    raise _does_not_take("endsWith", text, part)


def _starts_with(text: Any, part: Any) -> bool:
    if type(text) is str and type(part) is str:
        return text.startswith(part)
    raise _does_not_take("startsWith", text, part)


# Times


def _reader_of(function: str) -> Callable[..., int]:
    """Return the method *function* of timestamps, and of durations where they have it."""
    read = CALENDAR[function]
    unit = CLOCK.get(function)

    def method(value: Any, zone: Any = "UTC") -> int:
        if type(value) is Timestamp and type(zone) is str:
            return int(read(value, value.at(zone)))
        if type(value) is Duration and unit is not None:
            whole = abs(value.nanoseconds) // unit
            return -whole if value.nanoseconds < 0 else whole
        raise _does_not_take(function, value)

    return method


# Versions


def _semver_compare(one: Any, other: Any) -> int:
    first, second = version_of(one), version_of(other)
    return -1 if first < second else int(first > second)


def version_of(value: Any) -> Version:
    """Print *value* as Go's ``%v`` does, and parse the text tolerantly: OLM takes the number 4.12 for 4.12.0."""
    kind = type(value)
    if kind is str:
        return parse_version(value)
    if kind is float:
        return parse_version(go_double(value))
    if kind in (int, Uint):
        return parse_version(str(int(value)))
    raise Failure(f"a value of type {kind_of(value)} is not a version")


def parse_version(text: str) -> Version:
    """Parse *text* tolerantly. Raises :class:`Failure`.

    Rules compare the same few versions for each bundle, so short texts are remembered.
    """
    try:
        return _remembered_version(text) if len(text) < 128 else Version.parse_tolerant(text)
    except VersionError as error:
        raise Failure(f"{shown(text)} is not a version: {error.reason}") from None


_remembered_version = lru_cache(maxsize=4096)(Version.parse_tolerant)


def _identity(value: Any) -> Any:
    return value


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "size": _size,
    "type": _type,
    "dyn": _identity,
    "bool": _bool,
    "bytes": _bytes,
    "double": _double,
    "duration": _duration,
    "int": _int,
    "string": _string,
    "timestamp": _timestamp,
    "uint": _uint,
    "contains": _contains,
    "endsWith": _ends_with,
    "startsWith": _starts_with,
    "semver_compare": _semver_compare,
    **{name: _reader_of(name) for name in CALENDAR},
}
"""The functions by name; the receiver of a method is the first argument. ``matches`` is in :mod:`.patterns`."""
