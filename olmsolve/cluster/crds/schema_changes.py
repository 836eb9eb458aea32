"""The rules of OLM v1 for a change in one part of a schema: one rule for each kind of constraint.

A rule takes the part before and after, and yields OLM's messages about the changes that it refuses. A removed part is
compared as an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve.cluster.crds.changed_fields import unjudged_changes
from olmsolve.cluster.crds.go_text import go_number, go_schema, raw_json
from olmsolve.cluster.crds.schema_tree import Schema
from olmsolve.semver import quote

_Rule = Callable[[Schema, Schema], Iterator[str]]


def refused_changes(old: Schema, new: Schema) -> Iterator[tuple[str, str]]:
    """Yield each refused change between *old* and *new*: the rule's name and its message."""
    for name, rule in _RULES.items():
        for message in rule(old, new):
            yield name, message


def _items(schema: Schema, key: str) -> Sequence[Any]:
    value = schema.get(key)
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _text(schema: Schema, key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def _number(schema: Schema, key: str) -> float | int | None:
    value = schema.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _type(old: Schema, new: Schema) -> Iterator[str]:
    before, after = _text(old, "type"), _text(new, "type")
    if before != after:
        yield f"type changed : {quote(before)} -> {quote(after)}"


def _required(old: Schema, new: Schema) -> Iterator[str]:
    before, after = ({name for name in _items(part, "required") if isinstance(name, str)} for part in (old, new))
    added = after - before
    if added:
        yield f"new required fields: [{' '.join(sorted(added))}]"


def _default(old: Schema, new: Schema) -> Iterator[str]:
    before, after = old.get("default"), new.get("default")
    was, is_now = raw_json(before), raw_json(after)
    if was == is_now:
        return
    if before is None:
        yield f"default added when there was none previously : {quote(is_now)}"
    elif after is None:
        yield f"default value removed : {quote(was)}"
    else:
        yield f"default value changed : {quote(was)} -> {quote(is_now)}"


def _enum(old: Schema, new: Schema) -> Iterator[str]:
    before, after = ({raw_json(value) for value in _items(schema, "enum")} for schema in (old, new))
    if not before and after:
        yield f"enum constraint added when there was none previously : [{' '.join(sorted(after))}]"
    elif before - after:
        yield f"allowed enum values removed : [{' '.join(sorted(before - after))}]"


def _at_most(key: str) -> _Rule:
    """Return the rule for an upper bound, which must not be added and must not fall."""

    def rule(old: Schema, new: Schema) -> Iterator[str]:
        before, after = _number(old, key), _number(new, key)
        if after is None:
            return
        if before is None:
            yield f"maximum constraint added when there was none previously : {go_number(after)}"
        elif after < before:
            yield f"maximum decreased : {go_number(before)} -> {go_number(after)}"

    return rule


def _at_least(key: str) -> _Rule:
    """Return the rule for a lower bound, which must not be added and must not rise."""

    def rule(old: Schema, new: Schema) -> Iterator[str]:
        before, after = _number(old, key), _number(new, key)
        if after is None:
            return
        if before is None:
            yield f"minimum constraint added when there was none previously : {go_number(after)}"
        elif after > before:
            yield f"minimum increased : {go_number(before)} -> {go_number(after)}"

    return rule


def _pattern(old: Schema, new: Schema) -> Iterator[str]:
    before, after = _text(old, "pattern"), _text(new, "pattern")
    if before != after:
        change = "added" if not before else "removed" if not after else "changed"
        yield f"pattern {change} : {quote(before)} -> {quote(after)}"


def _nullable(old: Schema, new: Schema) -> Iterator[str]:
    before, after = bool(old.get("nullable")), bool(new.get("nullable"))
    if before != after:
        change = "added" if after else "removed"
        yield f"nullable {change} : {str(before).lower()} -> {str(after).lower()}"


def _one_of(old: Schema, new: Schema) -> Iterator[str]:
    """Judge ``oneOf``. As recorded, additions are left out of the message where schemas were removed as well."""
    before, after = (
        {go_schema(_without_description(part)) for part in _items(schema, "oneOf")} for schema in (old, new)
    )
    if not before and after:
        yield f"oneOf constraint added when there was none previously: [{' '.join(sorted(after))}]"
    elif before - after:
        yield f"allowed oneOf schemas removed: [{' '.join(sorted(before - after))}]"
    elif after - before:
        yield f"allowed oneOf schemas added: [{' '.join(sorted(after - before))}]"


def _without_description(part: Any) -> Any:
    return {key: value for key, value in part.items() if key != "description"} if isinstance(part, Mapping) else part


def _unhandled(old: Schema, new: Schema) -> Iterator[str]:
    changes = unjudged_changes(old, new)
    if changes:
        yield f"unhandled changes found ({'; '.join(changes)})"


_RULES: Final[Mapping[str, _Rule]] = {
    "type": _type,
    "required": _required,
    "default": _default,
    "enum": _enum,
    "maximum": _at_most("maximum"),
    "maxItems": _at_most("maxItems"),
    "maxLength": _at_most("maxLength"),
    "maxProperties": _at_most("maxProperties"),
    "minimum": _at_least("minimum"),
    "minItems": _at_least("minItems"),
    "minLength": _at_least("minLength"),
    "minProperties": _at_least("minProperties"),
    "pattern": _pattern,
    "nullable": _nullable,
    "oneOf": _one_of,
    "unhandled": _unhandled,
}
