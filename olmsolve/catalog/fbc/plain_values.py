"""Copies of Python values that must be plain JSON, and the error for values that JSON cannot hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc.limits import DEPTH
from olmsolve.errors import CatalogError
from olmsolve.predicates import described


class OutsideJsonError(ValueError):
    """A scalar of YAML, or a number that Python reads, for which JSON (numbers as doubles) has no value."""


def plain(blob: object, origin: Origin) -> dict[str, Any]:
    """Copy *blob*, a mapping in memory, as plain JSON values; tuples become lists.

    Raises :class:`~olmsolve.errors.CatalogError` with the path to a value that JSON cannot hold.
    """
    if not isinstance(blob, Mapping):
        raise CatalogError(f"a blob must be an object, not {described(blob)}", origin=str(origin))
    copied = _copy(blob, (), origin)
    assert isinstance(copied, dict)
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
