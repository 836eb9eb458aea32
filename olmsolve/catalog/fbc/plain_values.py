"""Copies of Python values that must be plain JSON, and the error for values that JSON cannot hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.document import DEPTH
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

_TEXT: Final = frozenset({str})
_SCALARS: Final = frozenset({str, bool, int, type(None)})
_UNUSUAL: Final = object()
_MANY: Final = 4096  # fields or elements, from which on a copy looks at the limits


class OutsideJsonError(ValueError):
    """A scalar of YAML, or a number that Python reads, for which JSON (numbers as doubles) has no value."""


def plain(blob: object, origin: Origin) -> dict[str, Any]:
    """Copy *blob*, a mapping in memory, as plain JSON values; tuples become lists.

    Raises :class:`~olmsolve.errors.CatalogError` with the path to a value that JSON cannot hold.
    """
    if not isinstance(blob, Mapping):
        raise CatalogError(f"a blob must be an object, not {described(blob)}", origin=str(origin))
    copied = _usual_copy(blob, 0)
    if copied is _UNUSUAL:
        copied = _copy(blob, (), origin)
    assert isinstance(copied, dict)
    return copied


def _usual_copy(value: Any, depth: int) -> Any:
    """Copy a value made of dicts, lists and scalars as JSON is read; return _UNUSUAL for all others.

    Nearly all values are such, and their copy needs no path for an error: :func:`_copy` takes twice as long.
    """
    kind = type(value)
    if depth >= DEPTH or (kind is not dict and kind is not list):
        return _UNUSUAL
    if kind is dict:
        if not _TEXT.issuperset(map(type, value)):
            return _UNUSUAL
        copied = value.copy()
        parts: Iterable[tuple[Any, Any]] = copied.items()
    else:
        copied = value[:]
        parts = enumerate(copied)
    for key, part in checked(parts, every=4096) if len(copied) > _MANY else parts:
        if type(part) not in _SCALARS:
            made = _usual_copy(part, depth + 1)
            if made is _UNUSUAL:
                return _UNUSUAL
            copied[key] = made
    return copied


def _copy(value: Any, path: tuple[str | int, ...], origin: Origin) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise CatalogError(f"{_path_text(path)} is {value}, which JSON cannot hold", origin=str(origin))
    if len(path) >= DEPTH:
        raise CatalogError(f"the blob is nested more than {DEPTH} levels deep", origin=str(origin))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise CatalogError(f"{_path_text(path)} has the key {key!r}, not a string", origin=str(origin))
        return {key: _copy(field, (*path, key), origin) for key, field in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(element, (*path, number), origin) for number, element in enumerate(value)]
    raise CatalogError(f"{_path_text(path)} is {described(value)}, not a JSON value", origin=str(origin))


def _path_text(path: tuple[str | int, ...]) -> str:
    """Return *path* as errors show it: ``properties[0].value``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the blob"
