"""Fields of manifests: what they must hold, and one clear error where they do not.

Null and absent are the same to Kubernetes, and stand for the empty value of the field's type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from olmsolve.errors import RequestError

__all__ = ["flag", "mapping", "mappings", "sequence", "text", "texts"]

_T = TypeVar("_T")


def _typed(value: Any, kind: type[_T], what: str, field: str, empty: _T) -> _T:
    if value is None:
        return empty
    if not isinstance(value, kind):
        raise RequestError(f"must be {what}, and is {_shown(value)}", field=field)
    return value


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    return {str: "text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "something else")


def mapping(value: Any, field: str) -> Mapping[str, Any]:
    """An object; {} for null."""
    return _typed(value, Mapping, "an object", field, {})


def sequence(value: Any, field: str) -> Sequence[Any]:
    """A list; () for null."""
    if isinstance(value, str):
        raise RequestError("must be a list, and is text", field=field)
    return _typed(value, Sequence, "a list", field, ())


def mappings(value: Any, field: str) -> tuple[Mapping[str, Any], ...]:
    """A list of objects; () for null."""
    items = sequence(value, field)
    return tuple(mapping(item, f"{field}[{number}]") for number, item in enumerate(items))


def text(value: Any, field: str) -> str:
    """Text; "" for null."""
    return _typed(value, str, "text", field, "")


def texts(value: Any, field: str) -> tuple[str, ...] | None:
    """A list of text; None for null."""
    if value is None:
        return None
    return tuple(text(item, f"{field}[{number}]") for number, item in enumerate(sequence(value, field)))


def flag(value: Any, field: str) -> bool:
    """True or false; False for null."""
    return _typed(value, bool, "true or false", field, False)
