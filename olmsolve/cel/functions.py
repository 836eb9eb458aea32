"""The functions of the standard library on values, and ``semver_compare``.

Regular expressions of ``matches`` are RE2's, which take time in proportion to the text. OLM uses Go's ``regexp``, whose
syntax is nearly RE2's: expressions that RE2 alone accepts are refused here, and docs/parsing.md lists the Unicode
classes that Go alone knows. google-re2 is imported with the first pattern.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cel.instants import CALENDAR, CLOCK, Duration, Timestamp, parse_duration, parse_timestamp
from olmsolve.cel.operations import checked_int, checked_uint, kind_of, shown
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


# Conversions

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
# At most 40 digits, far past 64 bits: int() of a long text takes quadratic time.
_SIGNED: Final = pattern(r"[+-]?[0-9]{1,40}")
_UNSIGNED: Final = pattern(r"[0-9]{1,40}")
_DECIMAL: Final = pattern(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))|(?i:nan)")

# Go's strconv.ParseFloat reads hexadecimal floats with their exponent; Python's float() reads none.
_HEXADECIMAL: Final = pattern(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]{1,9}")


def _itself(value: Any) -> Any:
    return value


def _parsed_bool(text: str) -> bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise Failure(f"{shown(text)} is not a bool")


def _parsed_double(text: str) -> float:
    if _HEXADECIMAL.fullmatch(text):
        with suppress(OverflowError):
            return float.fromhex(text)
    elif _DECIMAL.fullmatch(text):
        number = float(text)
        # "inf" and "nan" are values; digits that Python rounds to infinity are too large.
        if math.isfinite(number) or not text[-1].isdigit():
            return number
    raise Failure(f"{shown(text)} is not a double")


def _parsed_int(text: str) -> int:
    if _SIGNED.fullmatch(text):
        return checked_int(int(text))
    raise Failure(f"{shown(text)} is not an int")


def _parsed_uint(text: str) -> Uint:
    if _UNSIGNED.fullmatch(text):
        return checked_uint(int(text))
    raise Failure(f"{shown(text)} is not a uint")


def _cut_off(value: float, lowest: int, highest: int) -> int:
    """Return *value* without its fraction. Raises Failure unless it is within the limits, as NaN never is."""
    if lowest <= value <= highest:
        return int(value)
    raise Failure("integer overflow")


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Failure("these bytes are not UTF-8 text") from None


_BY_TYPE: Final[Mapping[str, Mapping[type, Callable[[Any], Any]]]] = {
    "bool": {bool: _itself, str: _parsed_bool},
    "bytes": {bytes: _itself, str: lambda text: well_formed(text).encode()},
    "double": {**dict.fromkeys((float, int, Uint), float), str: _parsed_double},
    "duration": {Duration: _itself, int: Duration, str: parse_duration},
    "int": {
        int: _itself,
        # As in cel-go, a double is never converted to the lowest int.
        float: lambda value: _cut_off(value, INT_MIN + 1, INT_MAX),
        Uint: lambda value: checked_int(int(value)),
        Duration: lambda value: value.nanoseconds,
        Timestamp: lambda value: value.nanoseconds // 10**9,
        str: _parsed_int,
    },
    "string": {
        bool: lambda value: "true" if value else "false",
        bytes: _decoded,
        float: go_double,
        **dict.fromkeys((str, int, Uint, Duration, Timestamp), str),
    },
    "timestamp": {Timestamp: _itself, int: lambda seconds: Timestamp(seconds * 10**9), str: parse_timestamp},
    "uint": {
        Uint: _itself,
        float: lambda value: Uint(_cut_off(value, 0, UINT_MAX)),
        int: checked_uint,
        str: _parsed_uint,
    },
    "size": dict.fromkeys((str, bytes, list, tuple, dict, Map), len),
}
"""For each function of one argument, what it does with an argument of each type that it takes."""


def _by_type(function: str) -> Callable[[Any], Any]:
    cases = _BY_TYPE[function]

    def chosen(value: Any) -> Any:
        case = cases.get(type(value))
        if case is None:
            raise _does_not_take(function, value)
        return case(value)

    return chosen


# Text


def _text_test(function: str, holds: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    def test(text: Any, part: Any) -> bool:
        if type(text) is str and type(part) is str:
            return holds(text, part)
        raise _does_not_take(function, text, part)

    return test


# Times


def _reader_of(function: str) -> Callable[..., int]:
    """Return the method *function* of timestamps, and of durations where they have it."""
    read = CALENDAR[function]
    unit = CLOCK.get(function)

    def method(value: Any, zone: Any = "UTC") -> int:
        if type(value) is Timestamp and type(zone) is str:
            return read(value, value.at(zone))
        if type(value) is Duration and unit is not None:
            whole = abs(value.nanoseconds) // unit
            return -whole if value.nanoseconds < 0 else whole
        raise _does_not_take(function, value)

    return method


# Versions


LONG_VERSION: Final = 128
"""From this many characters on, a version's text is not remembered: it would cost memory and rarely repeat."""


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

    Rules compare the same few versions for each bundle, so texts are remembered.
    """
    try:
        return _remembered_version(text) if len(text) < LONG_VERSION else Version.parse_tolerant(text)
    except VersionError as error:
        raise Failure(f"{shown(text)} is not a version: {error.reason}") from None


# Reading a version takes 1.2 µs, looking it up 0.04.
_remembered_version = lru_cache(maxsize=4096)(Version.parse_tolerant)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _by_type(name) for name in _BY_TYPE},
    "type": lambda value: TypeName(kind_of(value)),
    "dyn": _itself,
    "contains": _text_test("contains", str.__contains__),
    "endsWith": _text_test("endsWith", str.endswith),
    "startsWith": _text_test("startsWith", str.startswith),
    "semver_compare": _semver_compare,
    **{name: _reader_of(name) for name in CALENDAR},
}
"""The functions by name; the receiver of a method is the first argument. :class:`Pattern` has ``matches``."""


@attrs.frozen
class Pattern:
    """A compiled expression, or the fault of a wrong one; *size* is the length of RE2's program for it."""

    size: int
    _search: Callable[[str], object] | None = None
    _fault: str = ""

    def found_in(self, text: str, spend: Callable[[int], None]) -> bool:
        """Return True if *text* contains a match; pass the work to *spend*. Raises :class:`.values.Failure`."""
        if self._search is None:
            raise Failure(self._fault)
        # At worst, RE2 falls back from a deterministic automaton to one that walks the whole program for every
        # character, in quick steps: 128 of them count as one.
        spend(1 + (len(text) * self.size >> 7))
        try:
            return self._search(text) is not None
        except UnicodeEncodeError:
            return self._search(well_formed(text)) is not None


def compiled_pattern(expression: Any) -> Pattern:
    """Return the pattern for *expression*; a pattern that is not valid fails when it is used, not here."""
    if not isinstance(expression, str):
        return Pattern(0, None, "a regular expression is a string")
    # Longer ones are in no rule that people write, and 256 of them would take megabytes.
    return _remembered(expression) if len(expression) < 1024 else _compiled(expression)


# Quoted text, escapes, character classes and the beginning of named groups, from left to right: a group's beginning
# inside of quoted text or of a class is plain text.
_PART: Final = pattern(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<(?P<name>[^>]*)>", re.DOTALL
)
_GROUP_NAME: Final = pattern(r"[A-Za-z0-9_]+")


def _refused_by_go(expression: str) -> str:
    """Return the reason why Go refuses *expression* although RE2 accepts it, "" if Go accepts it too."""
    names: set[str] = set()
    for part in _PART.finditer(expression):
        name = part["name"]
        if part[0] == r"\C":
            return r"\C, a single byte, is not supported"
        if name is not None and not _GROUP_NAME.fullmatch(name):
            return "a group's name has letters, digits and underscores"
        if name is not None and name in names:
            return f"two groups are named {name}"
        if name is not None:
            names.add(name)
    return ""


def _compiled(expression: str) -> Pattern:
    """Compile *expression* with RE2, or say why Go or RE2 refuses it."""
    fault = _refused_by_go(expression)
    if fault:
        return Pattern(0, None, f"{shown(expression)} is not a regular expression: {fault}"[:300])
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        pattern = re2.compile(expression, options)
    except (re2.error, UnicodeEncodeError) as error:
        return Pattern(0, None, f"{shown(expression)} is not a regular expression: {error}"[:300])
    return Pattern(pattern.programsize, pattern.search)


# A pattern of a rule comes once for each bundle: 6 µs to compile a short one, 0.04 to look it up.
_remembered = lru_cache(maxsize=256)(_compiled)
