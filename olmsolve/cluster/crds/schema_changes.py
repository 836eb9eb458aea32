"""The rules of OLM v1 for a change in one part of a schema: one rule for each kind of constraint.

A rule takes the part before and after, and yields OLM's messages about the changes that it refuses. A removed part is
compared as an empty one. Changes that no rule judges are refused, too; the texts name their fields and values as OLM
does: ``Format "" -> "date-time"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
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
    changes = _unjudged_changes(old, new)
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


_MAX_DEPTH: Final = 50
_COMPLEX: Final = "<complex value>"


class _Field(NamedTuple):
    """A field of a schema: its *key*, its *name* in messages, and the *kind* of text that its values become."""

    key: str
    name: str
    kind: str


# The fields in the order of Go's struct, which is the order in messages. The kind follows from the field's type in Go:
#   text, flag     a value, whose empty form equals absence        Format "" -> "date-time"
#   pointer        a pointer, which tells 0 from absence           MultipleOf nil -> &2
#   schema(s), rules, texts, complex                               Enum <complex value> -> nil
_FIELDS: Final = (
    _Field("id", "ID", "text"),
    _Field("$schema", "Schema", "text"),
    _Field("$ref", "Ref", "pointer"),
    _Field("type", "Type", "text"),
    _Field("format", "Format", "text"),
    _Field("title", "Title", "text"),
    _Field("default", "Default", "complex"),
    _Field("maximum", "Maximum", "pointer"),
    _Field("exclusiveMaximum", "ExclusiveMaximum", "flag"),
    _Field("minimum", "Minimum", "pointer"),
    _Field("exclusiveMinimum", "ExclusiveMinimum", "flag"),
    _Field("maxLength", "MaxLength", "pointer"),
    _Field("minLength", "MinLength", "pointer"),
    _Field("pattern", "Pattern", "text"),
    _Field("maxItems", "MaxItems", "pointer"),
    _Field("minItems", "MinItems", "pointer"),
    _Field("uniqueItems", "UniqueItems", "flag"),
    _Field("multipleOf", "MultipleOf", "pointer"),
    _Field("enum", "Enum", "complex"),
    _Field("maxProperties", "MaxProperties", "pointer"),
    _Field("minProperties", "MinProperties", "pointer"),
    _Field("required", "Required", "complex"),
    _Field("items", "Items", "schema"),
    _Field("allOf", "AllOf", "schemas"),
    _Field("oneOf", "OneOf", "schemas"),
    _Field("anyOf", "AnyOf", "schemas"),
    _Field("not", "Not", "schema"),
    _Field("properties", "Properties", "complex"),
    _Field("additionalProperties", "AdditionalProperties", "schema"),
    _Field("patternProperties", "PatternProperties", "complex"),
    _Field("dependencies", "Dependencies", "complex"),
    _Field("additionalItems", "AdditionalItems", "schema"),
    _Field("definitions", "Definitions", "complex"),
    _Field("externalDocs", "ExternalDocs", "complex"),
    _Field("example", "Example", "complex"),
    _Field("nullable", "Nullable", "flag"),
    _Field("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", "pointer"),
    _Field("x-kubernetes-embedded-resource", "XEmbeddedResource", "flag"),
    _Field("x-kubernetes-int-or-string", "XIntOrString", "flag"),
    _Field("x-kubernetes-list-map-keys", "XListMapKeys", "texts"),
    _Field("x-kubernetes-list-type", "XListType", "pointer"),
    _Field("x-kubernetes-map-type", "XMapType", "pointer"),
    _Field("x-kubernetes-validations", "XValidations", "rules"),
)

# Fields that have a rule, and fields whose schemas are parts of their own.
_JUDGED: Final = frozenset(
    {
        "type",
        "default",
        "maximum",
        "minimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "enum",
        "maxProperties",
        "minProperties",
        "required",
        "items",
        "oneOf",
        "properties",
        "nullable",
    }
)
_RULE_FIELDS: Final = (
    ("rule", "Rule"),
    ("message", "Message"),
    ("messageExpression", "MessageExpression"),
    ("reason", "Reason"),
    ("fieldPath", "FieldPath"),
    ("optionalOldSelf", "OptionalOldSelf"),
)


def _unjudged_changes(old: Schema, new: Schema) -> list[str]:
    """Return ``Field old -> new`` for each field that differs between *old* and *new* and has no rule."""
    return list(_changes(old, new, _JUDGED, 0))


def _changes(old: Schema, new: Schema, passed_over: frozenset[str], depth: int) -> Iterator[str]:
    for field in _FIELDS:
        if field.key in passed_over:
            continue
        before, after = _value(old, field), _value(new, field)
        if before == after:
            continue
        if field.kind == "schema" and isinstance(before, Mapping) and isinstance(after, Mapping) and depth < _MAX_DEPTH:
            # The fields of a nested schema are shown by themselves, in the place of the whole schema.
            yield from _changes(before, after, frozenset(), depth + 1)
        else:
            yield f"{field.name} {_go_text(before, field)} -> {_go_text(after, field)}"


def _value(schema: Schema, field: _Field) -> Any:
    """Return the value of *field*, None for an empty one, unless Go tells empty and absent apart (pointers)."""
    value = schema.get(field.key)
    if field.kind in ("pointer", "schema"):
        return value
    return value or None


def _go_text(value: Any, field: _Field) -> str:
    """Return *value* as OLM's message shows it: a pointer as ``&3``, a nested value as ``<complex value>``."""
    if field.kind == "text":
        return quote(value or "") if isinstance(value, str | None) else _COMPLEX
    if field.kind == "flag":
        return "true" if value else "false"
    if value is None:
        return "nil"
    if field.kind == "pointer":
        return f"&{_scalar(value)}"
    if field.kind == "texts" and isinstance(value, Sequence):
        return "{" + ", ".join(_scalar(text) for text in value) + "}"
    if field.kind == "rules" and isinstance(value, Sequence):
        return "ValidationRules{" + ", ".join(map(_rule, value)) + "}"
    return _COMPLEX


def _rule(rule: Any) -> str:
    if not isinstance(rule, Mapping):
        return "{}"
    fields = (f"{name}: {_scalar(rule[key])}" for key, name in _RULE_FIELDS if rule.get(key))
    return "{" + ", ".join(fields) + "}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return go_number(value)
    return quote(value) if isinstance(value, str) else _COMPLEX
