"""JSON and numbers as Go writes them: names and labels are hashes of such text, so every character of it counts.

In JSON, separators have no space after them. ``<``, ``>``, ``&`` and the two Unicode line separators are escaped, and a
half surrogate, which Go cannot hold, becomes U+FFFD. The caller orders the keys of a mapping: Go writes the fields of a
struct in the order in which it declares them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from olmsolve._patterns import pattern
from olmsolve.errors import ManifestError
from olmsolve.predicates import HTML_ESCAPES

# JSON may hold half a pair ("\ud800"), which Go reads as U+FFFD.
_HALF_SURROGATE: Final = pattern("[\ud800-\udfff]")


def go_json(value: Any, *, sort_keys: bool = False) -> str:
    """Return *value* (JSON data) as text.

    >>> print(go_json({"image": "a<b", "tags": [1]}))
    {"image":"a\\u003cb","tags":[1]}

    Raises:
        ManifestError: the value is not JSON data, or nests too deep.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=sort_keys)
    except RecursionError:
        raise ManifestError("a value nests too deep") from None
    except (TypeError, ValueError) as error:
        raise ManifestError(f"a value is not JSON data: {error}") from None
    return _HALF_SURROGATE.sub("\\\\ufffd", text.translate(HTML_ESCAPES))


# strconv/ftoa.go, formatDigits: "if precision was the shortest possible, use precision 6 for this decision".
_EXPONENT_FROM: Final = 6
_INT64: Final = 2**63


def aggregated(faults: Sequence[str]) -> str:
    """Return *faults* as Kubernetes writes several errors: one by itself, more in brackets.

    >>> aggregated(["too long"]), aggregated(["too long", "no label"])
    ('too long', '[too long, no label]')
    """
    return faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"


def go_number(value: Any) -> str:
    """Return *value* as Go's ``%v`` writes what JSON is read as: an int64 where it is a whole number, else a float64.

    >>> go_number(2147483647), go_number(3.0)
    ('2147483647', '3')
    """
    return str(value) if isinstance(value, int) and -_INT64 <= value < _INT64 else go_float(value)


def go_float(value: Any) -> str:
    """Return *value* as Go's ``%v`` writes a float64: no trailing zeros, and an exponent from a million on.

    >>> go_float(2147483647), go_float(999999), go_float(0.00001)
    ('2.147483647e+09', '999999', '1e-05')
    """
    # Loading it takes 3 ms, and texts that are hashed hold no such number.
    from decimal import Decimal

    try:
        # The shortest text that reads as the same float, which is what Go writes.
        number = Decimal(repr(float(value)))
    except OverflowError:
        number = Decimal("Infinity").copy_sign(Decimal(1 if value > 0 else -1))
    if not number.is_finite():
        return "NaN" if number.is_nan() else f"{'-' if number < 0 else '+'}Inf"
    if number == 0:
        return "0"
    number = number.normalize()
    power = number.adjusted()
    if -4 <= power < _EXPONENT_FROM:
        return f"{number:f}"
    return f"{number.scaleb(-power):f}e{power:+03d}"


def raw_json(value: Any) -> str:
    """Return the JSON text of *value*, a default or an allowed value, with sorted keys."""
    return go_json(value, sort_keys=True)
