"""The check by which OLM v1 lets one CustomResourceDefinition replace another: it compares the two and reads no object.

As recorded: the scope, the stored versions and all fields must stay, and no version may become stricter. Of the
versions served side by side, a later one must not be stricter than an earlier one, unless a webhook converts between
them or the old definition had the same fault.

One rule judges each kind of constraint: it takes a part of a schema before and after, and yields OLM's messages about
the changes that it refuses. A removed part is compared as an empty one. Changes that no rule judges are refused, too;
the texts name their fields and values as OLM does: ``Format "" -> "date-time"``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._records import Record, field, record
from olmsolve.cluster.crds.definition_versions import Schema, parts_of, version_key
from olmsolve.cluster.go_text import go_float, go_number, raw_json
from olmsolve.cluster.objects import CustomResourceDefinition
from olmsolve.semver import quote

_Parts = Mapping[str, Schema]

# Rules about the whole definition: their messages name no version and no path.
_RULES_OF_DEFINITION: Final = frozenset({"scope", "storedVersionRemoval", "existingFieldRemoval"})


@record(layout=("rule", "versions", "path", "reason"))
class SchemaChange(Record):
    """A change that OLM v1 refuses."""

    rule: str = field("The rule that is broken: scope, existingFieldRemoval, type, and others.")
    reason: str = field("What is wrong with it.")
    versions: str = field(
        "The version, or the pair of versions (v1 -> v2); empty for the definition as a whole.", default=""
    )
    path: str = field("Where in the schema the change is; empty for the definition as a whole.", default="")

    def __str__(self) -> str:
        """Return OLM's message."""
        prefix = "" if self.rule in _RULES_OF_DEFINITION else f"{self.versions}: {self.path}: "
        return f"{prefix}{self.rule}: {self.reason}"


def upgrade_faults(old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[SchemaChange, ...]:
    """Return every change that OLM v1 refuses when *new* replaces *old*, sorted by text; () where it allows all.

    Raises:
        ManifestError: a schema nests too deep, or a part of it is not a schema.
    """
    before, after = _schemas(old), _schemas(new)
    faults = [*_definition_changes(old, new, before, after), *_changes_of_same_versions(before, after)]
    if new.conversion != "Webhook":
        # A fault between versions that the old definition has as well does not become worse with the new one.
        former = set(_changes_between_served(old, before))
        faults += [fault for fault in _changes_between_served(new, after) if fault not in former]
    return tuple(sorted(faults, key=str))


def _schemas(crd: CustomResourceDefinition) -> dict[str, _Parts]:
    return {version.name: parts_of(version, crd) for version in crd.versions}


def _definition_changes(
    old: CustomResourceDefinition,
    new: CustomResourceDefinition,
    before: Mapping[str, _Parts],
    after: Mapping[str, _Parts],
) -> Iterator[SchemaChange]:
    if old.scope != new.scope:
        yield SchemaChange("scope", f"scope changed : {quote(old.scope)} -> {quote(new.scope)}")
    gone = sorted(set(old.stored_versions) - after.keys())
    if gone:
        yield SchemaChange("storedVersionRemoval", f"stored versions removed : [{' '.join(gone)}]")
    for name, parts in before.items():
        if name in after:
            for path in parts.keys() - after[name].keys():
                yield SchemaChange("existingFieldRemoval", f"removed field : {name}.{path}", name, path)


def _changes_of_same_versions(before: Mapping[str, _Parts], after: Mapping[str, _Parts]) -> Iterator[SchemaChange]:
    for name, parts in before.items():
        if name in after:
            yield from _changes_between(parts, after[name], name)


def _changes_between_served(crd: CustomResourceDefinition, schemas: Mapping[str, _Parts]) -> Iterator[SchemaChange]:
    served = sorted((version.name for version in crd.versions if version.served), key=version_key)
    for earlier, later in itertools.combinations(served, 2):
        yield from _changes_between(schemas[earlier], schemas[later], f"{earlier} -> {later}")


def _changes_between(before: _Parts, after: _Parts, versions: str) -> Iterator[SchemaChange]:
    for path, part in before.items():
        other = after.get(path, {})
        # Most parts of a large definition stay the same: one comparison saves sixteen rules.
        if part == other:
            continue
        for rule, reason in refused_changes(part, other):
            yield SchemaChange(rule, reason, versions, path)


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


def _bound(key: str, *, upper: bool) -> _Rule:
    """Return the rule for a bound, which must not be added: an *upper* one must not fall, a lower one must not rise."""
    name, change = ("maximum", "decreased") if upper else ("minimum", "increased")

    def rule(old: Schema, new: Schema) -> Iterator[str]:
        before, after = _number(old, key), _number(new, key)
        if after is None:
            return
        # Go has a float64 for the two bounds of numbers, and an int64 for lengths and counts.
        text = go_float if key == name else go_number
        if before is None:
            yield f"{name} constraint added when there was none previously : {text(after)}"
        elif after < before if upper else after > before:
            yield f"{name} {change} : {text(before)} -> {text(after)}"

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
        {_go_schema(_without_description(part)) for part in _items(schema, "oneOf")} for schema in (old, new)
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
    changes = list(_changes(old, new, _JUDGED, 0))
    if changes:
        yield f"unhandled changes found ({'; '.join(changes)})"


_RULES: Final[Mapping[str, _Rule]] = {
    "type": _type,
    "required": _required,
    "default": _default,
    "enum": _enum,
    **{key: _bound(key, upper=True) for key in ("maximum", "maxItems", "maxLength", "maxProperties")},
    **{key: _bound(key, upper=False) for key in ("minimum", "minItems", "minLength", "minProperties")},
    "pattern": _pattern,
    "nullable": _nullable,
    "oneOf": _one_of,
    "unhandled": _unhandled,
}


# Items in items: deeper ones are shown as one <complex value>, before the nested generators reach Python's limit.
_MAX_DEPTH: Final = 50
_COMPLEX: Final = "<complex value>"


class _SchemaField(NamedTuple):
    """A field of a schema: its *key*, its *name* in messages, and the *kind* of text that its values become.

    *empty* is what Go prints for a struct without it, where the kind does not say it.
    """

    key: str
    name: str
    kind: str
    empty: str = ""


# The fields in the order of Go's struct, which is the order in messages. The kind follows from the field's type in Go:
#   text, flag     a value, whose empty form equals absence        Format "" -> "date-time"
#   pointer        a pointer, which tells 0 from absence           MultipleOf nil -> &2
#   schema(s), rules, texts, complex                               Enum <complex value> -> nil
_FIELDS: Final = (
    _SchemaField("id", "ID", "text"),
    _SchemaField("$schema", "Schema", "text"),
    _SchemaField("$ref", "Ref", "pointer"),
    _SchemaField("description", "Description", "text"),
    _SchemaField("type", "Type", "text"),
    _SchemaField("format", "Format", "text"),
    _SchemaField("title", "Title", "text"),
    _SchemaField("default", "Default", "complex"),
    _SchemaField("maximum", "Maximum", "pointer"),
    _SchemaField("exclusiveMaximum", "ExclusiveMaximum", "flag"),
    _SchemaField("minimum", "Minimum", "pointer"),
    _SchemaField("exclusiveMinimum", "ExclusiveMinimum", "flag"),
    _SchemaField("maxLength", "MaxLength", "pointer"),
    _SchemaField("minLength", "MinLength", "pointer"),
    _SchemaField("pattern", "Pattern", "text"),
    _SchemaField("maxItems", "MaxItems", "pointer"),
    _SchemaField("minItems", "MinItems", "pointer"),
    _SchemaField("uniqueItems", "UniqueItems", "flag"),
    _SchemaField("multipleOf", "MultipleOf", "pointer"),
    _SchemaField("enum", "Enum", "complex", "[]JSON{}"),
    _SchemaField("maxProperties", "MaxProperties", "pointer"),
    _SchemaField("minProperties", "MinProperties", "pointer"),
    _SchemaField("required", "Required", "complex", "[]"),
    _SchemaField("items", "Items", "schema"),
    _SchemaField("allOf", "AllOf", "schemas"),
    _SchemaField("oneOf", "OneOf", "schemas"),
    _SchemaField("anyOf", "AnyOf", "schemas"),
    _SchemaField("not", "Not", "schema"),
    _SchemaField("properties", "Properties", "complex", "map[string]JSONSchemaProps{}"),
    _SchemaField("additionalProperties", "AdditionalProperties", "schema"),
    _SchemaField("patternProperties", "PatternProperties", "complex", "map[string]JSONSchemaProps{}"),
    _SchemaField("dependencies", "Dependencies", "complex", "JSONSchemaDependencies{}"),
    _SchemaField("additionalItems", "AdditionalItems", "schema"),
    _SchemaField("definitions", "Definitions", "complex", "JSONSchemaDefinitions{}"),
    _SchemaField("externalDocs", "ExternalDocs", "complex"),
    _SchemaField("example", "Example", "complex"),
    _SchemaField("nullable", "Nullable", "flag"),
    _SchemaField("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", "pointer"),
    _SchemaField("x-kubernetes-embedded-resource", "XEmbeddedResource", "flag"),
    _SchemaField("x-kubernetes-int-or-string", "XIntOrString", "flag"),
    _SchemaField("x-kubernetes-list-map-keys", "XListMapKeys", "texts"),
    _SchemaField("x-kubernetes-list-type", "XListType", "pointer"),
    _SchemaField("x-kubernetes-map-type", "XMapType", "pointer"),
    _SchemaField("x-kubernetes-validations", "XValidations", "rules"),
)

_EMPTY: Final = {
    "text": "",
    "flag": "false",
    "schemas": "[]JSONSchemaProps{}",
    "texts": "[]",
    "rules": "[]ValidationRule{}",
}
"""The text that Go prints for a field without a value, by its kind; a pointer is ``nil``."""

_PLAIN: Final = frozenset({"type", "format", "title", "pattern", "required"})
"""The fields whose values are printed as they are."""

_DESCRIPTION: Final = frozenset({"description"})
# Fields that have a rule, fields whose schemas are parts of their own, and the one that changes nothing.
_JUDGED: Final = _DESCRIPTION | {
    "type", "default", "maximum", "minimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "enum",
    "maxProperties", "minProperties", "required", "items", "oneOf", "properties", "nullable",
}  # fmt: skip
_RULE_FIELDS: Final = (
    ("rule", "Rule"),
    ("message", "Message"),
    ("messageExpression", "MessageExpression"),
    ("reason", "Reason"),
    ("fieldPath", "FieldPath"),
    ("optionalOldSelf", "OptionalOldSelf"),
)


def _changes(old: Schema, new: Schema, passed_over: frozenset[str], depth: int) -> Iterator[str]:
    for schema_field in _FIELDS:
        if schema_field.key in passed_over:
            continue
        before, after = _value(old, schema_field), _value(new, schema_field)
        if before == after:
            continue
        if (
            schema_field.kind == "schema"
            and isinstance(before, Mapping)
            and isinstance(after, Mapping)
            and depth < _MAX_DEPTH
        ):
            # The fields of a nested schema are shown by themselves, in the place of the whole schema.
            yield from _changes(before, after, _DESCRIPTION, depth + 1)
        else:
            yield f"{schema_field.name} {_go_text(before, schema_field)} -> {_go_text(after, schema_field)}"


def _value(schema: Schema, schema_field: _SchemaField) -> Any:
    """Return the value of *schema_field*, None for an empty one, unless Go keeps empty and absent apart (pointers)."""
    value = schema.get(schema_field.key)
    if schema_field.kind in ("pointer", "schema"):
        return value
    return value or None


def _go_text(value: Any, schema_field: _SchemaField) -> str:
    """Return *value* as OLM's message shows it: a pointer as ``&3``, a nested value as ``<complex value>``."""
    if schema_field.kind == "text":
        return quote(value or "") if isinstance(value, str | None) else _COMPLEX
    if schema_field.kind == "flag":
        return "true" if value else "false"
    if value is None:
        return "nil"
    if schema_field.kind == "pointer":
        return f"&{_scalar(value)}"
    if schema_field.kind == "texts" and isinstance(value, Sequence):
        return "{" + ", ".join(_scalar(text) for text in value) + "}"
    if schema_field.kind == "rules" and isinstance(value, Sequence):
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


def _go_schema(schema: Any) -> str:
    """Return *schema* as Go prints its struct, with every field; its JSON where it has more than plain fields.

    As recorded: ``{"required": ["b"]}`` is ``&JSONSchemaProps{ID:,Schema:,Ref:nil,...,Required:[b],...}``.
    """
    if not isinstance(schema, Mapping) or not _PLAIN.issuperset(schema):
        return raw_json(schema)
    return f"&JSONSchemaProps{{{''.join(f'{described.name}:{_printed(schema, described)},' for described in _FIELDS)}}}"


def _printed(schema: Schema, schema_field: _SchemaField) -> str:
    if schema_field.key not in schema:
        return schema_field.empty or _EMPTY.get(schema_field.kind, "nil")
    value = schema[schema_field.key]
    return (
        f"[{' '.join(map(str, value))}]" if schema_field.key == "required" and isinstance(value, list) else str(value)
    )
