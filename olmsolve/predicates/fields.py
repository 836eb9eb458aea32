"""Reading typed fields out of JSON values, with errors that lead to the fault."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from olmsolve.errors import ConstraintError
from olmsolve.predicates.json_values import described
from olmsolve.semver import well_formed

_SHOWN: Final = 60


def at(path: str, field: str) -> str:
    """Return *path* with one step more: ``all`` and ``gvk`` give ``all.gvk``; after ``": "`` no dot is needed."""
    if not path:
        return field
    return f"{path}{field}" if path.endswith(": ") else f"{path}.{field}"


def mapping(value: Any, path: str) -> Mapping[str, Any]:
    """Return *value*. Raises ConstraintError with *path* if it is not a JSON object."""
    if not isinstance(value, Mapping):
        raise ConstraintError(f"must be an object, not {described(value)}", path.removesuffix(": "))
    return value


def string(fields: Mapping[str, Any], field: str, path: str) -> str:
    """Return the text of *field*, "" where it is absent or null. Raises ConstraintError for another kind."""
    value = fields.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ConstraintError(f"must be a string, not {described(value)}", at(path, field))
    return well_formed(value)


def unknown(field: Any, allowed: Collection[str], path: str) -> ConstraintError:
    """Return the error about an unknown *field*, with a hint where it is close to one of the *allowed* fields."""
    import difflib  # few catalogs have an error, and the others need not wait for it

    text = field if isinstance(field, str) else repr(field)
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    by_lower = {name.lower(): name for name in allowed}
    near = difflib.get_close_matches(text[:_SHOWN].lower(), by_lower, n=1)
    hint = f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
    return ConstraintError(f"unknown field {shown!r}{hint}", path.removesuffix(": "))
