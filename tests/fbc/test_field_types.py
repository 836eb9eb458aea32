"""Types of fields against a plain definition, on random types and values: every fault, and none besides."""

from __future__ import annotations

import base64
import binascii
import random
from collections.abc import Iterator
from typing import Any

from olmsolve.catalog.fbc import FieldType, field_faults
from tests.scale import scaled

_LEAVES = ("string", "bool", "integer", "bytes", "any")
_VALUES: tuple[Any, ...] = (
    None,
    "",
    "text",
    "aGk=",
    "aGk",
    "aGk=\n",
    "aé==",
    True,
    False,
    0,
    255,
    256,
    -1,
    1.5,
    [],
    {},
    [1, None],
    [300],
)
_WRONG = {"string": "a string", "bool": "a boolean", "integer": "an integer", "list": "a list", "bytes": "a string in"}


def _type(generator: random.Random, depth: int) -> FieldType:
    kind = generator.choice(["list", "map", "struct"]) if depth and generator.random() < 0.6 else ""
    if kind == "struct":
        names = generator.sample(["name", "skips", "value"], generator.randint(0, 3))
        return FieldType("struct", fields={name: _type(generator, depth - 1) for name in names})
    if kind:
        return FieldType(kind, None if generator.random() < 0.2 else _type(generator, depth - 1))
    return FieldType(generator.choice(_LEAVES))


def _value(generator: random.Random, type_: FieldType) -> Any:
    """Return a value that mostly has the form of *type_*."""
    if generator.random() < 0.15:
        return generator.choice(_VALUES)
    if type_.kind == "struct":
        names = [*type_.fields, "unknown"]
        written = {generator.choice([name, name, name.upper()]): name for name in names if generator.random() < 0.8}
        inner = {key: type_.fields.get(name, FieldType("any")) for key, name in written.items()}
        return {key: _value(generator, inner_type) for key, inner_type in inner.items()}
    if type_.kind in ("list", "map"):
        inner_type = type_.inner or FieldType("any")
        values = [_value(generator, inner_type) for _ in range(generator.randint(0, 3))]
        return values if type_.kind == "list" else {f"key{number}": value for number, value in enumerate(values)}
    fitting = {"string": "text", "bool": True, "integer": 7, "bytes": base64.b64encode(b"hi").decode(), "any": [1]}
    return fitting[type_.kind] if generator.random() < 0.8 else generator.choice(_VALUES)


def _wrong(type_: FieldType, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each value that *type_* does not take, and its kind; names of fields count in any case."""
    kind = type_.kind
    if value is None or kind == "any":
        return
    if kind == "list":
        if not isinstance(value, list):
            yield path, kind
        elif type_.inner is not None:
            for number, inner in enumerate(value):
                yield from _wrong(type_.inner, inner, f"{path}[{number}]")
    elif kind in ("map", "struct"):
        if not isinstance(value, dict):
            yield path, kind
            return
        for key, inner in value.items():
            inner_type = type_.fields.get(key.lower()) if kind == "struct" else type_.inner
            if inner_type is not None:
                yield from _wrong(inner_type, inner, f"{path}.{key}" if path else key)
    elif kind == "bytes":
        if isinstance(value, list):
            numbers = [number for number in value if number is not None]
            takes = all(
                isinstance(number, int) and not isinstance(number, bool) and number in range(256) for number in numbers
            )
        else:
            takes = isinstance(value, str) and _is_base64(value)
        if not takes:
            yield path, "base64" if isinstance(value, str) else kind
    elif not {
        "string": isinstance(value, str),
        "bool": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
    }[kind]:
        yield path, kind


def _is_base64(text: str) -> bool:
    try:
        return text.isascii() and base64.b64decode(text.replace("\n", ""), validate=True) is not None
    except binascii.Error:
        return False


def test_faults_are_all_values_that_the_type_does_not_take() -> None:
    """A quick look decides that a value fits, which must not hide a fault that the long one would name."""
    outcomes = {True: 0, False: 0}
    for seed in range(scaled(8000)):
        generator = random.Random(seed)
        type_ = _type(generator, 3)
        value = _value(generator, type_)
        faults = list(field_faults(type_, value))
        expected = list(_wrong(type_, value, ""))
        assert [fault.path for fault in faults] == [path for path, _ in expected], (seed, type_, value)
        for fault, (_, kind) in zip(faults, expected, strict=True):
            assert fault.is_content == (kind == "base64")
            assert kind == "base64" or _WRONG.get(kind, "an object") in fault.reason
        outcomes[not faults] += 1
    assert min(outcomes.values()) > scaled(8000) // 5


def test_a_number_where_a_text_must_be_is_told_apart() -> None:
    """YAML reads ``1.10`` without quotes as a number, and quotes mend it; nothing mends a list."""
    for value in (1.10, 3, True):
        [fault] = field_faults(FieldType("string"), value)
        assert fault.is_unquoted
    [fault] = field_faults(FieldType("string"), ["text"])
    assert not fault.is_unquoted
