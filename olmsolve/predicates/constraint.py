"""The grammar of ``olm.constraint`` values, following OLM's documentation and its strict JSON decoding.

Each level is an object with exactly one of ``gvk``, ``package``, ``cel``, ``all``, ``any`` and ``not``, and
optionally ``failureMessage``. This module refuses some values that the shipped decoder lets through, because they would
silently mean something else than is written: no kind or several kinds at one level, an empty list of parts, a repeated
field, a field in other letter case, text after the value, more than 64 KiB, more than 10 levels. A version range or
rule that nobody could evaluate later is an error here too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from olmsolve._patterns import pattern
from olmsolve.errors import CompileError, ConstraintError, RangeError
from olmsolve.predicates.json_values import at, mapping, string, unknown
from olmsolve.predicates.model import (
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    Predicate,
    ProvidesGVK,
    Satisfies,
    has_label_of,
    in_package_of,
)
from olmsolve.predicates.published_facts import GVK
from olmsolve.semver import BlangRange, scheme_in_use, well_formed

MAX_BYTES: Final = 64 * 1024
"""The documented limit of a constraint's size, in bytes of JSON."""
CONTROLLER_BYTES: Final = 128 * 1024
"""The limit that the shipped controller keeps, as recorded: catalogs are read with it."""
MAX_DEPTH: Final = 10
"""The documented limit of nesting: a constraint inside nine others is on level 10."""

PACKAGE_FIELDS: Final = ("packageName", "versionRange")
"""The fields of a package requirement."""

# Each level takes two frames of the stack, and Python allows 1,000: 100 levels take 200.
_DEEPEST: Final = 100
_COMPOUND: Final[dict[str, type[AllOf | AnyOf | NoneOf]]] = {"all": AllOf, "any": AnyOf, "not": NoneOf}
# The closing quote is optional so that unfinished text is walked over once, not once per quote.
_BRACKET_OR_STRING: Final = pattern(r'[][{}]|"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def parse_constraint(
    raw: str | bytes | Mapping[str, Any], *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH
) -> Predicate:
    """Read *raw*, the value of an ``olm.constraint``, as a predicate.

    *raw* is JSON text, or parsed already. It may have *max_bytes* bytes as compact JSON (as written, where it is text)
    and *max_depth* levels of constraints; *max_depth* itself may be up to 100.

    >>> print(parse_constraint({"package": {"packageName": "a", "versionRange": "<2.0.0"}}))
    package a in <2.0.0

    Raises:
        ConstraintError: with the path to the fault.
    """
    if not 1 <= max_depth <= _DEEPEST:
        raise ValueError(f"max_depth must be from 1 to {_DEEPEST}, not {max_depth}")
    value = _decoded(raw, max_bytes, max_depth) if isinstance(raw, str | bytes) else raw
    return constraint_predicate(value, "", max_bytes=max_bytes, max_depth=max_depth)


def constraint_predicate(value: Any, path: str, *, max_bytes: int, max_depth: int = MAX_DEPTH) -> Predicate:
    """Read the JSON value found at *path* like :func:`parse_constraint`; a predicate of a program stays as it is."""
    if isinstance(value, Predicate):
        return value
    fields = mapping(value, path)
    _refuse_too_large(fields, path.removesuffix(": "), max_bytes, max_depth)
    return _constraint(fields, path, max_depth)


def gvk_predicate(fields: Mapping[str, Any], path: str, message: str = "") -> ProvidesGVK:
    """Return the predicate of a GVK object; absent parts are empty, as the core group's name is."""
    gvk = GVK(*(string(fields, name, path) for name in GVK._fields))
    return ProvidesGVK(gvk, message=message)


def package_predicate(
    fields: Mapping[str, Any], path: str, message: str = "", *, name: str = PACKAGE_FIELDS[0]
) -> InPackage:
    """Return the predicate of a package object, which has the package's name in the field *name*."""
    range_ = PACKAGE_FIELDS[1]
    try:
        return in_package(string(fields, name, path), string(fields, range_, path), message)
    except RangeError as error:
        raise ConstraintError(error.summary, at(path, range_), error.excerpt) from error


def in_package(name: str, versions: str, message: str = "") -> InPackage:
    """Return the predicate of a package requirement from the text of its two fields.

    Raises:
        RangeError: *versions* is not a version range.
    """
    scheme, versions = scheme_in_use(), well_formed(versions)
    range_ = _range(versions) if scheme is None else scheme.range(versions)
    return in_package_of(InPackage, well_formed(name), range_, message)


# Catalogs repeat few ranges in many bundles: parsing one takes 12 µs, looking it up 0.04. Long texts are not worth
# their memory.
_remembered_range: Final = lru_cache(maxsize=8192)(BlangRange.parse)


def _range(text: str) -> BlangRange:
    return _remembered_range(text) if len(text) <= 256 else BlangRange.parse(text)


def label_predicate(fields: Mapping[str, Any], path: str) -> HasLabel:
    """Return the predicate of a label object."""
    return has_label_of(HasLabel, string(fields, "label", path), "")


def _decoded(raw: str | bytes, max_bytes: int, max_depth: int) -> Any:
    """Parse *raw* as JSON within the limits. Raises ConstraintError, also for fields that are repeated."""
    if isinstance(raw, bytes):
        size = len(raw)
    else:
        size = len(raw) if raw.isascii() else len(raw.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise ConstraintError(f"has {size} bytes, more than {max_bytes}")
    try:
        text = raw.decode("utf-8") if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        raise ConstraintError(f"is not UTF-8 text: {error.reason} at byte {error.start}") from None
    depth = deepest = 0
    for match in _BRACKET_OR_STRING.finditer(text):
        bracket = text[match.start()]
        depth += (bracket in "[{") - (bracket in "]}")
        deepest = max(deepest, depth)
    # A level has three brackets ({"all": {"constraints": [), a leaf two ({"gvk": {). Deeper text is refused before
    # the JSON parser sees it, which recurses and would overflow the stack.
    if deepest > 3 * max_depth + 2:
        raise ConstraintError(f"is nested deeper than {max_depth} levels")
    try:
        return json.loads(text, object_pairs_hook=_distinct_fields, parse_constant=_refuse_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise ConstraintError(f"is not JSON: {error.msg} at character {error.pos}") from None


def _integer(digits: str) -> int:
    # Numbers are doubles to OLM, which end at 309 digits; Python would convert more, or refuse with its own message.
    if len(digits) > 310:
        raise ConstraintError(f"holds a number of {len(digits)} digits")
    return int(digits)


def _distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ConstraintError(f"the field {name[:60]!r} is given twice in one object")
            seen.add(name)
    return result


def _refuse_constant(name: str) -> Any:
    raise ConstraintError(f"is not JSON: {name} is not a JSON number")


def _refuse_too_large(value: Any, path: str, max_bytes: int, max_depth: int) -> None:
    """Refuse *value* if it has more bytes as compact JSON than *max_bytes*, or is far too deep.

    The walk needs no recursion and stops at the limit: a value with shared parts (YAML aliases) can be exponentially
    larger than the text that it came from, and must not take that time.
    """
    size = 0
    pending: list[tuple[Any, int]] = [(value, 1)]
    while pending:
        current, depth = pending.pop()
        if depth > 3 * max_depth + 3:
            raise ConstraintError(f"is nested deeper than {max_depth} levels", path)
        parts: Iterable[Any] = ()
        match current:
            # Texts have quotes; mappings braces, colons and commas; lists brackets and commas; other values at least a
            # digit.
            case str():
                size += 2 + (len(current) if current.isascii() else len(current.encode("utf-8", "surrogatepass")))
            case Mapping():
                size += max(2, 1 + 2 * len(current))
                parts = (part for pair in current.items() for part in pair)
            case list() | tuple():
                size += max(2, 1 + len(current))
                parts = current
            case _:
                size += 1
        if size > max_bytes:
            raise ConstraintError(f"has more than {max_bytes} bytes", path)
        pending.extend((part, depth + 1) for part in parts)


def _constraint(fields: Mapping[str, Any], path: str, levels: int) -> Predicate:
    """Read one level, whose constraint may be *levels* deep, itself included."""
    if levels < 1:
        raise ConstraintError("is nested too deep", path.removesuffix(": "))
    known = (*LEAVES, *_COMPOUND)
    refuse_unknown_fields(fields, (*known, "failureMessage"), path)
    # As everywhere in Kubernetes, a null field counts as absent.
    kinds = [kind for kind in known if fields.get(kind) is not None]
    if len(kinds) != 1:
        problem = f"not {' and '.join(kinds)}" if kinds else "but there is none"
        raise ConstraintError(f"needs exactly one of {', '.join(known)}, {problem}", path.removesuffix(": "))
    kind = kinds[0]
    message = string(fields, "failureMessage", path)
    path = at(path, kind)
    inner = mapping(fields[kind], path)
    if kind in LEAVES:
        return LEAVES[kind](inner, path, message)
    refuse_unknown_fields(inner, ("constraints",), path)
    parts = inner.get("constraints")
    path = at(path, "constraints")
    if not isinstance(parts, list | tuple) or not parts:
        raise ConstraintError("must be a list of at least one constraint", path)
    return _COMPOUND[kind](
        tuple(
            _constraint(mapping(part, f"{path}[{index}]"), f"{path}[{index}]", levels - 1)
            for index, part in enumerate(parts)
        ),
        message=message,
    )


def refuse_unknown_fields(fields: Mapping[str, Any], allowed: tuple[str, ...], path: str) -> None:
    """Raise ConstraintError for the first of *fields* that is not among the *allowed* names."""
    for field in fields:
        if field not in allowed:
            raise unknown(field, allowed, path)


def _gvk(fields: Mapping[str, Any], path: str, message: str) -> Predicate:
    refuse_unknown_fields(fields, GVK._fields, path)
    return gvk_predicate(fields, path, message)


def _package(fields: Mapping[str, Any], path: str, message: str) -> Predicate:
    refuse_unknown_fields(fields, ("packageName", "name", "versionRange"), path)
    names = [name for name in ("packageName", "name") if fields.get(name) is not None]
    if len(names) > 1:
        raise ConstraintError("has both 'packageName' and 'name', which mean the same", path)
    return package_predicate(fields, path, message, name=names[0] if names else PACKAGE_FIELDS[0])


def _cel(fields: Mapping[str, Any], path: str, message: str) -> Predicate:
    # Imported here: most requests never meet a rule, and need not load the CEL evaluator.
    from olmsolve import cel

    refuse_unknown_fields(fields, ("rule",), path)
    try:
        return Satisfies(cel.compile(string(fields, "rule", path)), message=message)
    except CompileError as error:
        raise ConstraintError(error.summary, at(path, "rule"), error.excerpt) from error


LEAVES: Final[dict[str, Callable[[Mapping[str, Any], str, str], Predicate]]] = {
    "gvk": _gvk,
    "package": _package,
    "cel": _cel,
}
"""The readers of constraints without parts, by their fields: of an object, its path, and the failure message."""
