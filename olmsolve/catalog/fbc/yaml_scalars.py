"""YAML scalars as JSON values, by the rules of sigs.k8s.io/yaml (YAML 1.1 without dates and base 60)."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from olmsolve.catalog.fbc.plain_values import OutsideJsonError
from olmsolve.predicates import described

_TAG: Final = "tag:yaml.org,2002:"
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NOT_FINITE: Final = re.compile(r"\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF)")
_INTEGER: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS: Final = frozenset("0123456789+-.")
_DIGITS: Final = 300  # of an integer: with a few more it is beyond a double, and such a number is text


def plain_scalar(text: str) -> Any:
    """Return the value of *text* that is written without quotes and without a tag; numbers beyond a double are text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise OutsideJsonError(f"the number {text}, which JSON does not have")
    # Underscores group digits, though not in a float that begins with a point.
    digits = text.replace("_", "") if text[0] != "." else text
    if len(digits) <= _DIGITS and _INTEGER.fullmatch(digits):
        return _integer(digits)
    if _FLOAT.fullmatch(digits):
        value = float(digits)
        return text if math.isinf(value) else value
    return text


def tagged_scalar(tag: str, text: str, *, quoted: bool) -> Any:
    """Return the value of *text* under an explicit *tag*; a tag for which JSON has no value is refused."""
    if tag == "!" or tag in (f"{_TAG}str", f"{_TAG}timestamp"):
        return text
    name = tag.removeprefix(_TAG)
    value = plain_scalar(text)
    if name == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = {"int": int, "float": float, "bool": bool, "null": type(None)}.get(name)
    if wanted is None:
        raise OutsideJsonError(f"the tag {tag!r}, which has no meaning in JSON")
    if type(value) is not wanted:
        raise OutsideJsonError(f"{described(text)} where its tag says {name}")
    return value


def key_text(value: Any) -> str:
    """Return a mapping's key as text: JSON has no other keys."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise OutsideJsonError(f"a key that is {described(value)}, not a string")


def _integer(digits: str) -> int:
    sign = -1 if digits[0] == "-" else 1
    body = digits.lstrip("+-").lower()
    if body[:2] in ("0x", "0b", "0o"):
        return sign * int(body, 0)
    if body[0] == "0" and len(body) > 1:
        return sign * int(body, 8)
    return sign * int(body)
