"""Measures: the number of a candidate by which rules sort or add up, a property or a function of an embedder's own."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias, cast

import olmsolve._attrs as attrs
from olmsolve._arguments import is_number, wrong_type
from olmsolve.eligibility import CandidateFacts, words_of
from olmsolve.errors import RequestError

Measure: TypeAlias = str | Callable[[CandidateFacts], float | None]
"""The number of a candidate: the type of a property whose value it is, or a function of it; None for none."""

WholeNumbers: TypeAlias = str | Callable[[CandidateFacts], int | None]
"""The whole number of a candidate, not below 0: the type of a property, or a function; None counts as 0."""


def is_measure(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is a measure; a validator of attrs."""
    if not callable(value) and not isinstance(value, str):
        raise wrong_type(value, "the type of a property, or a function of a candidate", field.name)
    if value == "":
        raise RequestError("must not be empty", field=field.name, hint="the type of a property")


def is_measure_or_none(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is a measure or None; a validator of attrs."""
    if value is not None:
        is_measure(_, field, value)


def is_limit(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is a whole number and not below 0; a validator of attrs."""
    is_number(_, field, value)
    assert isinstance(value, int)
    if value < 0:
        raise RequestError(f"must not be below 0, as {value} is", field=field.name)


def measure_words(measure: Measure) -> str:
    """Return the words for *measure*: the type of its property, or the docstring of its function."""
    return measure if isinstance(measure, str) else words_of(measure)


def number_of(measure: Measure, candidate: CandidateFacts, *, whole: bool = False) -> float | None:
    """Return the number of *candidate*, None for none; with *whole*, it is a whole number and not below 0.

    Raises:
        RequestError: it is something else, such as a text; the error names the bundle.
    """
    value = candidate.value(measure) if isinstance(measure, str) else measure(candidate)
    if value is None:
        return None
    # Decimals of a catalog, floats such as 64.0, and other libraries' numbers have __float__. So has True, which Python
    # takes for an integer.
    is_number = not isinstance(value, bool | str) and hasattr(value, "__float__") and isfinite(value)
    if is_number and whole and value >= 0 and value == int(value):
        return int(value)
    if is_number and not whole:
        return value if isinstance(value, int) else float(value)
    what = "a whole number that is not below 0" if whole else "a number"
    where = f"{candidate.name} in catalog {candidate.catalog}" if candidate.catalog else candidate.name
    raise RequestError(f"{measure_words(measure)} of {where} is {value!r:.60}, not {what}", field="house_rules")


def whole_number_of(measure: WholeNumbers, candidate: CandidateFacts) -> int:
    """Return the whole number of *candidate*, 0 for none. Raises RequestError as :func:`number_of` does."""
    return cast("int", number_of(measure, candidate, whole=True) or 0)
