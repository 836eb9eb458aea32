"""YAML scalars as JSON values, by the rules of goyaml and sigs.k8s.io/yaml: YAML 1.1 without dates and base 60."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import OutsideJsonError
from olmsolve.predicates import described

TAG: Final = "tag:yaml.org,2002:"
"""The prefix of tags that ``!!`` stands for."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NOT_FINITE: Final = pattern(r"\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF)")
_ENDS_OF_NOT_FINITE: Final = frozenset("nNfF")
_INTEGER: Final = pattern(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_FLOAT: Final = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_ENDS: Final = frozenset("0123456789abcdefABCDEF._")  # of digits to base 16, and "1." and "1_" are numbers
_POINT_FIRST: Final = pattern(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
NUMBER_STARTS: Final = frozenset("0123456789+-.")
"""The characters that numbers begin with."""

_SIGNED_BITS: Final = pattern("0b([-+][01]+)")  # goyaml takes a sign there too
_BASES: Final = {"0x": 16, "0b": 2, "0o": 8}
_DIGITS: Final = 64  # the most of an integer of 64 bits
_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 64) - 1
_MOST_SIGNED: Final = (1 << 63) - 1

_LONG_NUMBER: Final = 18  # characters: every integer of as many has 64 bits

_TYPES: Final = {"int": int, "float": float, "bool": bool, "null": type(None)}
_TIME: Final = r"(?:2[0-3]|[01]?[0-9]):[0-5]?[0-9]:[0-5]?[0-9](?:[.,][0-9]+)?"
_ZONE: Final = r"(?:Z|[-+](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))"
# Both patterns are compiled when a text has a timestamp or Base64 data, which is rare: every command reads some YAML.
_TIMESTAMP: Final = rf"([0-9]{{4}})-(1[0-2]|0?[1-9])-(3[01]|[12][0-9]|0?[1-9])(?:[Tt]{_TIME}{_ZONE}| +{_TIME})?"
_BASE64: Final = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"


def plain_scalar(text: str) -> Any:
    """Return the value of *text* that is written without quotes and without a tag.

    Integers beyond 64 bits become doubles if they are decimal, and stay text otherwise. Numbers beyond a double are
    text. Raises :class:`~olmsolve.catalog.fbc.document.OutsideJsonError` for what is no finite number.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in NUMBER_STARTS:
        return text
    value = _number(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise OutsideJsonError(f"the number {text}, which JSON does not have")
    return value


def key_of(text: str) -> Any:
    """Return the value of a key that is written as *text* alone; a number that is not finite may be one."""
    if text in _WORDS or text[0] not in NUMBER_STARTS:
        return plain_scalar(text)
    return _number(text)


def is_beyond(text: str, value: Any) -> bool:
    """Return whether *text*, which was read as *value*, is a number too large to keep: rounded, or left as text.

    An integer beyond 64 bits is rounded to a double. Text that is left as text counts if YAML's rules make it a number.
    """
    if value is text:
        if text[:1] not in NUMBER_STARTS or text[-1] not in _NUMBER_ENDS or text.count(".") > 1:
            return False  # nearly all texts; those that begin like numbers are versions, and channels named 2.x
        digits = text.replace("_", "")
        return (_INTEGER.fullmatch(digits) or _FLOAT.fullmatch(digits)) is not None
    is_long = len(text) > _LONG_NUMBER and _INTEGER.fullmatch(text.replace("_", "")) is not None
    return is_long and isinstance(_number(text), float)


def _number(text: str) -> Any:
    """Return the number in *text*, or *text* itself."""
    if text.count(".") > 1:
        return text  # nearly always a version, 4.1.0
    # Usual integers, and texts that only begin like numbers, as the channel 2.x, do not wait for patterns to compile.
    if text.isdecimal() and text.isascii() and text[0] != "0" and len(text) <= _LONG_NUMBER:
        return int(text)
    if text[-1] in _ENDS_OF_NOT_FINITE and _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if text[-1] not in _NUMBER_ENDS:
        return text
    if text[0] == ".":
        # goyaml gives such a text to Go unchanged, and Go accepts an underscore only between digits.
        return _double(text) if _POINT_FIRST.fullmatch(text) else text
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(digits) and (value := _integer(digits)) is not None:
        return value
    if digits[:2] == "0b" and (bits := _SIGNED_BITS.fullmatch(digits)) and len(bits[1]) <= _DIGITS:
        return int(bits[1], 2)
    if _FLOAT.fullmatch(digits) and isinstance(value := _double(digits), float):
        return value
    return text


def _double(digits: str) -> Any:
    value = float(digits.replace("_", ""))
    return digits if math.isinf(value) else value


def _integer(digits: str) -> int | None:
    """Return the integer; None beyond 64 bits, of which a sign takes one."""
    body = digits.lstrip("+-").lower()
    base = _BASES.get(body[:2]) or (8 if body[0] == "0" and len(body) > 1 else 10)
    body = (body[2:] if body[:2] in _BASES else body).lstrip("0") or "0"
    if len(body) > _DIGITS:
        return None
    value = -int(body, base) if digits[0] == "-" else int(body, base)
    return value if _LEAST <= value <= (_MOST_SIGNED if digits[0] in "+-" else _MOST) else None


def tagged_scalar(tag: str, text: str) -> Any:
    """Return the value of *text* under an explicit *tag*; a tag that goyaml does not know leaves it text."""
    name = tag.removeprefix(TAG) if tag.startswith(TAG) else ""
    if name == "binary":
        return _binary(text)
    if name == "timestamp":
        if not is_timestamp(text):
            raise OutsideJsonError(f"{described(text)} where its tag says timestamp")
        return text
    wanted = _TYPES.get(name)
    if wanted is None:
        return text
    value = key_of(text)
    if wanted is float and type(value) is int and value <= _MOST_SIGNED:
        return float(value)
    if type(value) is not wanted:
        raise OutsideJsonError(f"{described(text)} where its tag says {name}")
    return value


def _binary(text: str) -> str:
    """Return the text whose bytes are given in base64; a byte that is not UTF-8 becomes U+FFFD, as in Go's JSON."""
    data = text.replace("\n", "").replace("\r", "")
    if not re.fullmatch(_BASE64, data):
        raise OutsideJsonError(f"{described(text)} where its tag says binary (base64 with padding)")
    import base64

    decoded = base64.b64decode(data).decode("utf-8", "surrogateescape")
    return re.sub("[\ud800-\udfff]", "\ufffd", decoded)


def is_timestamp(text: str) -> bool:
    """Return whether goyaml takes *text* for a date, or for a date and a time."""
    match = re.fullmatch(_TIMESTAMP, text)
    if match is None:
        return False
    import calendar

    year, month, day = map(int, match.groups())
    # The calendar repeats after 400 years, and Python has no year 0.
    return day <= calendar.monthrange(year % 400 + 400, month)[1]


def key_text(value: Any) -> str:
    """Return a mapping's key as text, as sigs.k8s.io/yaml makes it: JSON has no other keys."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value > _MOST_SIGNED:
            raise OutsideJsonError(f"a key that is a number beyond 2^63 ({value})")
        return str(value)
    if isinstance(value, float):
        return _float_text(value)
    raise OutsideJsonError(f"a key that is {described(value)}, not a string")


def _float_text(value: float) -> str:
    """Return *value* as Go writes it with the shortest digits that distinguish it from its neighbours in 32 bits.

    For example: 1.0 is "1", 123456789.123 is "1.2345679e+08", and 1e39 is ".inf", for 32 bits do not hold it.
    """
    import struct  # few catalogs have such keys

    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isnan(single):
        return ".nan"
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for precision in range(9):
        mantissa, _, exponent = f"{single:.{precision}e}".partition("e")
        if struct.pack("f", float(f"{mantissa}e{exponent}")) == struct.pack("f", single):
            break
    return go_layout(mantissa, int(exponent))


def go_layout(mantissa: str, exponent: int) -> str:
    """Return the decimal number as Go's format "g" lays it out: with an exponent below -4 and from 6 on."""
    sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    digits = digits.replace(".", "")
    if exponent < -4 or exponent >= 6:
        point = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    digits = digits.ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{sign}{digits[: exponent + 1]}{'.' if fraction else ''}{fraction}"
