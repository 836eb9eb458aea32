"""Numbers and values as OLM's messages write them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from olmsolve.cluster.go_json import go_json

_EXPONENT_FROM: Final = 21


def go_number(value: Any) -> str:
    """Return *value* as Go's ``%v`` writes a float: no trailing zeros, and an exponent from 21 digits on.

    >>> go_number(3.0), go_number(1e21), go_number(0.00001)
    ('3', '1e+21', '1e-05')
    """
    try:
        number = Decimal(repr(float(value)))
    except OverflowError:
        number = Decimal("Infinity").copy_sign(Decimal(1 if value > 0 else -1))
    if not number.is_finite():
        return "NaN" if number.is_nan() else f"{'-' if number < 0 else '+'}Inf"
    if number == 0:
        return "0"
    number = number.normalize()
    power = number.adjusted()
    if -4 <= power < _EXPONENT_FROM:
        return f"{number:f}"
    return f"{number.scaleb(-power):f}e{power:+03d}"


# The fields of a schema in the order of Go's struct, each with what an absent one looks like.
_EMPTY_FIELDS: Final[Mapping[str, str]] = {
    "ID": "", "Schema": "", "Ref": "nil", "Description": "", "Type": "", "Format": "", "Title": "", "Default": "nil",
    "Maximum": "nil", "ExclusiveMaximum": "false", "Minimum": "nil", "ExclusiveMinimum": "false", "MaxLength": "nil",
    "MinLength": "nil", "Pattern": "", "MaxItems": "nil", "MinItems": "nil", "UniqueItems": "false",
    "MultipleOf": "nil", "Enum": "[]JSON{}", "MaxProperties": "nil", "MinProperties": "nil", "Required": "[]",
    "Items": "nil", "AllOf": "[]JSONSchemaProps{}", "OneOf": "[]JSONSchemaProps{}", "AnyOf": "[]JSONSchemaProps{}",
    "Not": "nil", "Properties": "map[string]JSONSchemaProps{}", "AdditionalProperties": "nil",
    "PatternProperties": "map[string]JSONSchemaProps{}", "Dependencies": "JSONSchemaDependencies{}",
    "AdditionalItems": "nil", "Definitions": "JSONSchemaDefinitions{}", "ExternalDocs": "nil", "Example": "nil",
    "Nullable": "false", "XPreserveUnknownFields": "nil", "XEmbeddedResource": "false", "XIntOrString": "false",
    "XListMapKeys": "[]", "XListType": "nil", "XMapType": "nil", "XValidations": "[]ValidationRule{}",
}  # fmt: skip
_PLAIN_FIELDS: Final[Mapping[str, str]] = {
    "type": "Type",
    "format": "Format",
    "title": "Title",
    "pattern": "Pattern",
    "required": "Required",
}


def go_schema(schema: Any) -> str:
    """Return *schema* as Go prints its struct, with every field; its JSON where it has more than plain fields.

    As recorded: ``{"required": ["b"]}`` is ``&JSONSchemaProps{ID:,Schema:,Ref:nil,...,Required:[b],...}``.
    """
    if not isinstance(schema, Mapping) or not all(key in _PLAIN_FIELDS for key in schema):
        return raw_json(schema)
    values = dict(_EMPTY_FIELDS)
    for key, value in schema.items():
        is_list = key == "required" and isinstance(value, list)
        values[_PLAIN_FIELDS[key]] = f"[{' '.join(map(str, value))}]" if is_list else str(value)
    return f"&JSONSchemaProps{{{''.join(f'{name}:{value},' for name, value in values.items())}}}"


def raw_json(value: Any) -> str:
    """Return the JSON text of *value*, a default or an allowed value, with sorted keys."""
    return go_json(value, sort_keys=True)
