"""Changes in one part of a schema that no rule judges: OLM v1 refuses every change that it has no rule for.

The texts name fields and values as OLM does: ``Format "" -> "date-time"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from olmsolve.cluster.crds.go_text import go_number
from olmsolve.cluster.crds.schema_tree import Schema
from olmsolve.semver import quote

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


def unjudged_changes(old: Schema, new: Schema) -> list[str]:
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
    written = (f"{name}: {_scalar(rule[key])}" for key, name in _RULE_FIELDS if rule.get(key))
    return "{" + ", ".join(written) + "}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return go_number(value)
    return quote(value) if isinstance(value, str) else _COMPLEX
