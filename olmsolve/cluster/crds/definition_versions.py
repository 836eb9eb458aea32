"""The versions of a CustomResourceDefinition: their order, and the schema of each as a flat mapping from path to part.

v1alpha1 comes before v1beta1, v1 and v2, and any other name before all these. Two schemas compare by path. Paths begin
with ``^``: ``^.spec.list.items``, ``^.spec.extra.additionalProperties``, ``^.spec.oneOf[0]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cluster.objects import CrdVersion, CustomResourceDefinition
from olmsolve.errors import ManifestError

# As Kubernetes compares them (CompareKubeAwareVersionStrings of apimachinery). Eighteen digits fit into its 64 bits.
_VERSION: Final = pattern(r"v([0-9]{1,18})(?:(alpha|beta)([0-9]{1,18}))?", re.ASCII)
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


def version_key(name: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Return the key that sorts API versions as Kubernetes does, the least preferred first.

    Names of another form come first, from z to a.
    """
    parts = _VERSION.fullmatch(name)
    if parts is None:
        # Negated code points run from z to a, and the 1 at the end puts "beta" after "beta2", of which it is a part.
        return (0, 0, 0, 0, (*(-ord(character) for character in name), 1))
    # v1alpha1 (1, 0, 1, 1) < v1beta1 (1, 1, 1, 1) < v1 (1, 2, 1, 0) < v2 (1, 2, 2, 0)
    stage = _STAGES[parts[2]]
    return (1, stage, int(parts[1]), int(parts[3] or 0), ())


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
    # A stack instead of recursion: the bound on the depth is then a sentence, and no RecursionError.
    waiting: list[tuple[str, Any, int]] = [("^", schema, 0)]
    while waiting:
        path, part, depth = waiting.pop()
        if not isinstance(part, Mapping):
            raise ManifestError("must be an object", field=f"{field}{path[1:]}")
        if depth > MAX_DEPTH:
            # The path of such a part has a name for each level; its beginning says which field it is.
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
