"""The validation of objects by the OpenAPI v3 schema of a CustomResourceDefinition, with Kubernetes' messages.

All constraints of a structural schema are checked. Unknown fields are allowed (the API server drops them), and
``x-kubernetes-validations`` and ``format`` are not evaluated. Patterns are RE2, which takes time in proportion to the
text. Schemas cannot refer to each other, so the schema and the object bound the work.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.cel import Failure, compiled_pattern
from olmsolve.cluster.crds.definition_versions import Schema, flattened
from olmsolve.cluster.go_text import go_float, go_json, go_number
from olmsolve.errors import ManifestError
from olmsolve.semver import quote

_Rule = Callable[["_ValueNode"], Iterator["Violation"]]


@attrs.frozen
class Violation:
    """A field of an object that its schema refuses; *path* names it (``spec.tags[1]``, "" for the object itself)."""

    path: str
    reason: str

    def __str__(self) -> str:
        """Return the message that OLM shows."""
        return f"[]{'.' if self.path else ''}{self.path}: {self.reason}"


@attrs.frozen
class _ValueNode:
    """A *value* in the object at *path*, beside the part of the schema that judges it."""

    schema: Schema
    value: Any
    path: str

    def refused(self, reason: str, value: str) -> Violation:
        """Return the violation with *reason*; *value* is the text that the message shows."""
        return Violation(self.path, f"Invalid value: {value}: {self.path} in body {reason}")

    def number(self, key: str) -> float | int | None:
        """Return the number *key* of the schema, None where it is absent or of another type."""
        content = self.schema.get(key)
        return content if _is_number(content) else None

    def text(self, key: str) -> str:
        """Return the text *key* of the schema, "" where it is absent or of another type."""
        content = self.schema.get(key)
        return content if isinstance(content, str) else ""

    def elements(self, key: str) -> Sequence[Any]:
        """Return the list *key* of the schema, () where it is absent or of another type."""
        content = self.schema.get(key)
        return content if isinstance(content, (list, tuple)) else ()


def schema_violations(schema: Schema | None, value: Any) -> tuple[Violation, ...]:
    """Return every violation of *schema* in *value* (JSON data); fields are walked in the order of their names.

    Raises:
        ManifestError: the schema nests too deep, or a part of it is not a schema.

    >>> import olmsolve
    >>> schema = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}}
    >>> [str(violation) for violation in olmsolve.schema_violations(schema, {"size": 4})]
    ['[].size: Invalid value: 4: size in body should be less than or equal to 3']
    """
    return validator(schema)(value)


def validator(schema: Schema | None) -> Callable[[Any], tuple[Violation, ...]]:
    """Return :func:`schema_violations` of *schema* as a function of the value: the schema is checked once.

    Raises:
        ManifestError: the schema nests too deep, or a part of it is not a schema.
    """
    if schema is None:
        return lambda value: ()
    # Raises where a part is not a schema, and so bounds the depth of the recursion below.
    flattened(schema)
    return lambda value: tuple(_violations(_ValueNode(schema, value, "")))


def _violations(node: _ValueNode) -> Iterator[Violation]:
    for rule in _RULES:
        yield from rule(node)


def _is_number(value: Any) -> bool:
    # True and False are integers for Python, and booleans in JSON.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or value.is_integer()


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if _is_whole(value) else "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def _type(node: _ValueNode) -> Iterator[Violation]:
    wanted, kind = node.text("type"), _type_of(node.value)
    if kind == "null" and node.schema.get("nullable"):
        return
    if node.schema.get("x-kubernetes-int-or-string"):
        if kind not in ("integer", "string"):
            yield node.refused(f'must be of type integer,string: "{kind}"', f'"{kind}"')
    elif wanted and kind != wanted and (wanted, kind) != ("number", "integer"):
        yield node.refused(f'must be of type {wanted}: "{kind}"', f'"{kind}"')


def _enum(node: _ValueNode) -> Iterator[Violation]:
    allowed = node.elements("enum")
    if not allowed or (node.value is None and node.schema.get("nullable")):
        return
    if _canonical(node.value) not in {_canonical(value) for value in allowed}:
        # Kubernetes lists allowed values as text, whatever their type, and shows the given value as it is.
        listed = ", ".join(quote(value if isinstance(value, str) else go_json(value)) for value in allowed)
        yield Violation(node.path, f"Unsupported value: {_value_text(node.value)}: supported values: {listed}")


def _number(node: _ValueNode) -> Iterator[Violation]:
    value = node.value
    if not _is_number(value):
        return
    if node.text("type") == "integer" and not _is_whole(value):
        # As recorded, this violation alone names its field in the text and has no path.
        yield Violation("", f'Invalid value: "": Checked value must be of type integer (default format) in {node.path}')
    # The bounds are float64s in Go, and become int64s beside a whole value.
    text = go_number if isinstance(value, int) else go_float
    factor = _bound(node, "multipleOf")
    if factor and not _is_multiple(value, factor):
        yield node.refused(f"should be a multiple of {text(factor)}", text(value))
    most = _bound(node, "maximum")
    if most is not None:
        excluded = bool(node.schema.get("exclusiveMaximum"))
        if value > most or (excluded and value == most):
            relation = "less than" if excluded else "less than or equal to"
            yield node.refused(f"should be {relation} {text(most)}", text(value))
    least = _bound(node, "minimum")
    if least is not None:
        excluded = bool(node.schema.get("exclusiveMinimum"))
        if value < least or (excluded and value == least):
            relation = "greater than" if excluded else "greater than or equal to"
            yield node.refused(f"should be {relation} {text(least)}", text(value))


def _bound(node: _ValueNode, key: str) -> float | None:
    """Return the number *key* of the schema in the type of the value: beside an int64, Go cuts 2.5 to 2.

    So it is in kube-openapi, ``pkg/validation/validate/values.go``: MaximumNativeType and its neighbours.
    """
    bound = node.number(key)
    return int(bound) if isinstance(node.value, int) and isinstance(bound, float) and math.isfinite(bound) else bound


def _is_multiple(value: float, factor: float) -> bool:
    """Return whether *value* is a multiple of *factor*, floats as nearly as go-openapi's IsFloat64AJSONInteger asks."""
    if isinstance(value, int):
        return value % factor == 0
    # Not by a division below 1, as in kube-openapi: 0.3 / 0.1 is 2.9999999999999996, and 1 / 0.1 * 0.3 is 3.
    try:
        quotient = 1 / factor * value if abs(factor) < 1 else value / factor
    except OverflowError:  # an integer that no float64 holds
        return False
    return math.isfinite(quotient) and abs(quotient - round(quotient)) <= _EPSILON * abs(round(quotient))


# The constant epsilon of go-openapi/swag, convert.go.
_EPSILON: Final = 1e-9


def _string(node: _ValueNode) -> Iterator[Violation]:
    value = node.value
    if not isinstance(value, str):
        return
    most, least, pattern = node.number("maxLength"), node.number("minLength"), node.text("pattern")
    # Characters, although the message says bytes: kube-openapi counts runes (utf8.RuneCountInString).
    if most is not None and len(value) > most:
        yield Violation(node.path, f"Too long: may not be more than {_counted(most, 'byte')}")
    if least is not None and len(value) < least:
        yield node.refused(f"should be at least {go_number(least)} chars long", quote(value))
    if pattern:
        try:
            position = compiled_pattern(pattern).found_in(value, _no_budget)
        except Failure as failure:
            yield node.refused(f"should match '{pattern}', but pattern is invalid: {failure}", quote(value))
        else:
            if not position:
                yield node.refused(f"should match '{pattern}'", quote(value))


def _counted(number: float, unit: str) -> str:
    return f"{go_number(number)} {unit}{'' if number == 1 else 's'}"


def _no_budget(_: int) -> None:
    """Set no limit: RE2 takes time in proportion to the text, which is in memory already."""


def _array(node: _ValueNode) -> Iterator[Violation]:
    value = node.value
    if not isinstance(value, (list, tuple)):
        return
    most, least, items = node.number("maxItems"), node.number("minItems"), node.schema.get("items")
    if least is not None and len(value) < least:
        yield node.refused(f"should have at least {go_number(least)} items", go_number(len(value)))
    if most is not None and len(value) > most:
        yield Violation(node.path, f"Too many: {len(value)}: must have at most {_counted(most, 'item')}")
    if node.schema.get("uniqueItems") and len({_canonical(item) for item in value}) < len(value):
        yield node.refused("shouldn't contain duplicates", '""')
    if isinstance(items, Mapping):
        for number, item in enumerate(value):
            yield from _violations(_ValueNode(items, item, f"{node.path}[{number}]"))


def _object(node: _ValueNode) -> Iterator[Violation]:
    value = node.value
    if not isinstance(value, Mapping):
        return
    most, least = node.number("maxProperties"), node.number("minProperties")
    if least is not None and len(value) < least:
        yield node.refused(f"should have at least {go_number(least)} properties", go_number(len(value)))
    if most is not None and len(value) > most:
        yield Violation(node.path, f"Too many: {len(value)}: must have at most {_counted(most, 'item')}")
    for name in node.elements("required"):
        if isinstance(name, str) and name not in value:
            yield Violation(_below(node.path, name), "Required value")
    properties = node.schema.get("properties")
    fields: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    others = node.schema.get("additionalProperties")
    for name in sorted(key for key in value if isinstance(key, str)):
        below = fields.get(name, others)
        if isinstance(below, Mapping):
            yield from _violations(_ValueNode(below, value[name], _below(node.path, name)))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _compositions(node: _ValueNode) -> Iterator[Violation]:
    name = quote(node.path)
    all_of = [list(_violations(_ValueNode(part, node.value, node.path))) for part in node.elements("allOf")]
    for faults in all_of:
        yield from faults
    if any(all_of):
        how = "" if not all(all_of) else ". None validated"
        yield Violation(node.path, f'Invalid value: "": {name} must validate all the schemas (allOf){how}')
    any_of, one_of, refused = node.elements("anyOf"), node.elements("oneOf"), node.schema.get("not")
    if any_of and not any(_accepts(part, node) for part in any_of):
        yield Violation(node.path, f'Invalid value: "": {name} must validate at least one schema (anyOf)')
    if one_of:
        count = sum(_accepts(part, node) for part in one_of)
        if count != 1:
            outcome = f"Found {count} valid alternatives" if count else "Found none valid"
            one = f"{name} must validate one and only one schema (oneOf). {outcome}"
            yield Violation(node.path, f'Invalid value: "": {one}')
    if isinstance(refused, Mapping) and _accepts(refused, node):
        yield Violation(node.path, f'Invalid value: "": {name} must not validate the schema (not)')


def _accepts(part: Schema, node: _ValueNode) -> bool:
    # The first violation is enough: violations come lazily, so the rest of a large object is not judged.
    return next(_violations(_ValueNode(part, node.value, node.path)), None) is None


def _canonical(value: Any) -> str:
    """Return text that is equal for equal JSON data: 1 and 1.0 are one number."""
    # Most allowed values are texts. The quotation mark alone keeps "1" apart from 1, and spares writing JSON.
    if isinstance(value, str):
        return f'"{value}'
    try:
        return json.dumps(_whole(value), sort_keys=True)
    except RecursionError:
        raise ManifestError("a value nests too deep") from None


def _whole(value: Any) -> Any:
    """Return *value* with every float that is a whole number as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value


def _value_text(value: Any) -> str:
    return quote(value) if isinstance(value, str) else go_json(value)


# The order of the rules is the order of the violations at one value, as recorded.
_RULES: Final[tuple[_Rule, ...]] = (_type, _enum, _number, _string, _array, _object, _compositions)
