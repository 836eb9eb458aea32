"""Objects against the OpenAPI v3 schema of a CustomResourceDefinition, with the recorded product's messages.

What a structural schema can say is checked; unknown fields are not an error (the API server drops them), and
``x-kubernetes-validations`` and ``format`` are not evaluated. Patterns are RE2, which takes time in proportion
to the text. Schemas cannot refer to each other, so the work is bounded by the schema and the object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from olmsolve.cel import Failure, compiled_pattern
from olmsolve.cluster.crds.go_text import go_number
from olmsolve.cluster.crds.schema_tree import Schema, flattened
from olmsolve.cluster.go_json import go_json
from olmsolve.errors import ManifestError
from olmsolve.semver import quote

__all__ = ["Violation", "validator", "violations"]

_Rule = Callable[["_Place"], Iterator["Violation"]]


@attrs.frozen
class Violation:
    """What of an object its schema refuses: *path* is the field (``spec.tags[1]``, "" for the object)."""

    path: str
    reason: str

    def __str__(self) -> str:
        """The recorded product's message."""
        return f"[]{'.' if self.path else ''}{self.path}: {self.reason}"


@attrs.frozen
class _Place:
    """One value of the object, beside the part of the schema that judges it."""

    schema: Schema
    value: Any
    path: str

    def refused(self, reason: str, value: str) -> Violation:
        return Violation(self.path, f"Invalid value: {value}: {self.path} in body {reason}")

    def number(self, key: str) -> float | int | None:
        found = self.schema.get(key)
        return found if _is_number(found) else None

    def text(self, key: str) -> str:
        found = self.schema.get(key)
        return found if isinstance(found, str) else ""

    def items(self, key: str) -> Sequence[Any]:
        found = self.schema.get(key)
        return found if isinstance(found, (list, tuple)) else ()


def violations(schema: Schema | None, value: Any) -> tuple[Violation, ...]:
    """Everything in *value*, JSON data, that *schema* refuses; fields are walked in the order of their names.

    Raises:
        ManifestError: the schema nests too deep, or is none.
    """
    return validator(schema)(value)


def validator(schema: Schema | None) -> Callable[[Any], tuple[Violation, ...]]:
    """:func:`violations` for many values: the schema itself is looked through only once, and here.

    Raises:
        ManifestError: the schema nests too deep, or is none.
    """
    if schema is None:
        return lambda value: ()
    # Refuses what is no schema, and bounds the depth of the recursion below.
    flattened(schema)
    return lambda value: tuple(_violations(_Place(schema, value, "")))


def _violations(place: _Place) -> Iterator[Violation]:
    for rule in _RULES:
        yield from rule(place)


def _is_number(value: Any) -> bool:
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


def _type(place: _Place) -> Iterator[Violation]:
    wanted, found = place.text("type"), _type_of(place.value)
    if found == "null" and place.schema.get("nullable"):
        return
    if place.schema.get("x-kubernetes-int-or-string"):
        if found not in ("integer", "string"):
            yield place.refused(f'must be of type integer,string: "{found}"', f'"{found}"')
    elif wanted and found != wanted and (wanted, found) != ("number", "integer"):
        yield place.refused(f'must be of type {wanted}: "{found}"', f'"{found}"')


def _enum(place: _Place) -> Iterator[Violation]:
    allowed = place.items("enum")
    if not allowed or (place.value is None and place.schema.get("nullable")):
        return
    if _canonical(place.value) not in {_canonical(value) for value in allowed}:
        # What is allowed is listed as text, whatever its type; what was given is shown as it is.
        listed = ", ".join(quote(value if isinstance(value, str) else go_json(value)) for value in allowed)
        yield Violation(place.path, f"Unsupported value: {_shown(place.value)}: supported values: {listed}")


def _number(place: _Place) -> Iterator[Violation]:
    value = place.value
    if not _is_number(value):
        return
    if place.text("type") == "integer" and not _is_whole(value):
        yield Violation(
            "", f'Invalid value: "": Checked value must be of type integer (default format) in {place.path}'
        )
    factor = place.number("multipleOf")
    if factor and not _is_whole(float(value) / factor):
        yield place.refused(f"should be a multiple of {go_number(factor)}", go_number(value))
    most = place.number("maximum")
    if most is not None:
        excluded = bool(place.schema.get("exclusiveMaximum"))
        if value > most or (excluded and value == most):
            words = "less than" if excluded else "less than or equal to"
            yield place.refused(f"should be {words} {go_number(most)}", go_number(value))
    least = place.number("minimum")
    if least is not None:
        excluded = bool(place.schema.get("exclusiveMinimum"))
        if value < least or (excluded and value == least):
            words = "greater than" if excluded else "greater than or equal to"
            yield place.refused(f"should be {words} {go_number(least)}", go_number(value))


def _string(place: _Place) -> Iterator[Violation]:
    value = place.value
    if not isinstance(value, str):
        return
    most, least, pattern = place.number("maxLength"), place.number("minLength"), place.text("pattern")
    if most is not None and len(value) > most:
        yield Violation(place.path, f"Too long: may not be more than {_counted(most, 'byte')}")
    if least is not None and len(value) < least:
        yield place.refused(f"should be at least {go_number(least)} chars long", quote(value))
    if pattern:
        try:
            found = compiled_pattern(pattern).found_in(value, _no_budget)
        except Failure as failure:
            yield place.refused(f"should match '{pattern}', but pattern is invalid: {failure}", quote(value))
        else:
            if not found:
                yield place.refused(f"should match '{pattern}'", quote(value))


def _counted(number: float, what: str) -> str:
    return f"{go_number(number)} {what}{'' if number == 1 else 's'}"


def _no_budget(_: int) -> None:
    """RE2 takes time in proportion to the text, and the text is here already."""


def _array(place: _Place) -> Iterator[Violation]:
    value = place.value
    if not isinstance(value, (list, tuple)):
        return
    most, least, items = place.number("maxItems"), place.number("minItems"), place.schema.get("items")
    if least is not None and len(value) < least:
        yield place.refused(f"should have at least {go_number(least)} items", go_number(len(value)))
    if most is not None and len(value) > most:
        yield Violation(place.path, f"Too many: {len(value)}: must have at most {_counted(most, 'item')}")
    if place.schema.get("uniqueItems") and len({_canonical(item) for item in value}) < len(value):
        yield place.refused("shouldn't contain duplicates", '""')
    if isinstance(items, Mapping):
        for number, item in enumerate(value):
            yield from _violations(_Place(items, item, f"{place.path}[{number}]"))


def _object(place: _Place) -> Iterator[Violation]:
    value = place.value
    if not isinstance(value, Mapping):
        return
    most, least = place.number("maxProperties"), place.number("minProperties")
    if least is not None and len(value) < least:
        yield place.refused(f"should have at least {go_number(least)} properties", go_number(len(value)))
    if most is not None and len(value) > most:
        yield Violation(place.path, f"Too many: {len(value)}: must have at most {_counted(most, 'item')}")
    for name in place.items("required"):
        if isinstance(name, str) and name not in value:
            yield Violation(_below(place.path, name), "Required value")
    known = place.schema.get("properties")
    fields: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
    others = place.schema.get("additionalProperties")
    for name in sorted(key for key in value if isinstance(key, str)):
        below = fields.get(name, others)
        if isinstance(below, Mapping):
            yield from _violations(_Place(below, value[name], _below(place.path, name)))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _compositions(place: _Place) -> Iterator[Violation]:
    name = quote(place.path)
    all_of = [list(_violations(_Place(part, place.value, place.path))) for part in place.items("allOf")]
    for found in all_of:
        yield from found
    if any(all_of):
        how = "" if not all(all_of) else ". None validated"
        yield Violation(place.path, f'Invalid value: "": {name} must validate all the schemas (allOf){how}')
    any_of, one_of, refused = place.items("anyOf"), place.items("oneOf"), place.schema.get("not")
    if any_of and not any(_accepts(part, place) for part in any_of):
        yield Violation(place.path, f'Invalid value: "": {name} must validate at least one schema (anyOf)')
    if one_of:
        count = sum(_accepts(part, place) for part in one_of)
        if count != 1:
            words = f"Found {count} valid alternatives" if count else "Found none valid"
            one = f"{name} must validate one and only one schema (oneOf). {words}"
            yield Violation(place.path, f'Invalid value: "": {one}')
    if isinstance(refused, Mapping) and _accepts(refused, place):
        yield Violation(place.path, f'Invalid value: "": {name} must not validate the schema (not)')


def _accepts(part: Schema, place: _Place) -> bool:
    return next(_violations(_Place(part, place.value, place.path)), None) is None


def _canonical(value: Any) -> str:
    """Text that is equal for equal JSON data: 1 and 1.0 are one number."""
    if isinstance(value, str):
        return f'"{value}'
    try:
        return json.dumps(_whole(value), sort_keys=True)
    except RecursionError:
        raise ManifestError("a value nests too deep") from None


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value


def _shown(value: Any) -> str:
    return quote(value) if isinstance(value, str) else go_json(value)


_RULES: Final[tuple[_Rule, ...]] = (_type, _enum, _number, _string, _array, _object, _compositions)
