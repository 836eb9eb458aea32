"""Numbers and values as OLM's messages write them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from olmsolve.cluster.go_json import go_json

_EXPONENT_FROM: Final = 21


def go_number(value: Any) -> str:
    """Return *value* as Go's ``%v`` writes a float: no trailing zeros, and an exponent from 21 digits on.

    >>> go_number(3.0), go_number(1e21), go_number(0.00001)
    ('3', '1e+21', '1e-05')
    """
    try:
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
