"""An OpenAPI schema as a flat mapping from the path of each part to that part: two schemas compare by path.

Paths begin with ``^``: ``^.spec.list.items``, ``^.spec.extra.additionalProperties``, ``^.spec.oneOf[0]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import CrdVersion, CustomResourceDefinition
from olmsolve.errors import ManifestError

Schema = Mapping[str, Any]

MAX_DEPTH: Final = 200
"""The deepest nesting of a schema that is read; the limits of the API server are far lower."""

_ONE: Final = ("items", "additionalProperties", "not")
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_BY_NAME: Final = ("properties",)


def flattened(schema: Schema | None, field: str = "schema") -> dict[str, Schema]:
    """Map the path of every part of *schema* to that part; {} for None.

    >>> sorted(flattened({"properties": {"size": {"type": "integer"}}}))
    ['^', '^.size']

    Raises:
        ManifestError: the schema nests too deep, or a part of it is not a schema. *field* begins the error's field.
    """
    if schema is None:
        return {}
    flat: dict[str, Schema] = {}
    waiting: list[tuple[str, Any, int]] = [("^", schema, 0)]
    while waiting:
        path, part, depth = waiting.pop()
        if not isinstance(part, Mapping):
            raise ManifestError("must be an object", field=f"{field}{path[1:]}")
        if depth > MAX_DEPTH:
            raise ManifestError(f"nests deeper than {MAX_DEPTH} levels", field=f"{field}{path[1:200]}")
        flat[path] = part
        waiting.extend((f"{path}.{name}", child, depth + 1) for name, child in _children(part, f"{field}{path[1:]}"))
    return flat


def parts_of(version: CrdVersion, crd: CustomResourceDefinition) -> dict[str, Schema]:
    """Return :func:`flattened` for the schema of *version*, a version of *crd*.

    Raises:
        ManifestError: as there; it names the definition and where it was read.
    """
    try:
        return flattened(version.schema, f"version {version.name}: openAPIV3Schema")
    except ManifestError as error:
        source = "" if crd.origin is None else str(crd.origin)
        raise attrs.evolve(error, source=source, kind=crd.KIND, object=crd.key) from None


def _children(part: Schema, field: str) -> Iterator[tuple[str, Any]]:
    for key in _BY_NAME:
        children = part.get(key)
        if children is None:
            continue
        if not isinstance(children, Mapping):
            raise ManifestError("must be an object", field=f"{field}.{key}")
        yield from ((str(name), child) for name, child in children.items())
    for key in _ONE:
        child = part.get(key)
        if child is not None and not isinstance(child, bool):
            yield key, child
    for key in _LISTS:
        children = part.get(key)
        if children is None:
            continue
        if not isinstance(children, Sequence) or isinstance(children, str):
            raise ManifestError("must be a list", field=f"{field}.{key}")
        yield from ((f"{key}[{number}]", child) for number, child in enumerate(children))
