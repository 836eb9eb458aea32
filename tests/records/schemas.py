"""JSON Schemas of records, made of what their classes declare.

``olmsolve/render/schemas/records.json`` holds them, so that printing a schema imports no answer; ``python -m
tests.records`` writes the file anew. Everything in it has its one home in a class: the fields with their types, paths,
meanings and units, and the docstring of the class as the description.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import or_
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import olmsolve
from olmsolve._record_reading import below, kinds_of
from olmsolve._records import Member, Record, members, shapes_of
from olmsolve.answers.explain import RequestChange

__all__ = ["FILE", "definitions", "of_record", "published", "records"]

FILE: Final = Path(olmsolve.__file__).parent / "render/schemas/records.json"
"""The file that the package ships."""

_WIDTH: Final = 120
_SIMPLE: Final[Mapping[object, Mapping[str, Any]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
}
_NAMED: Final = {
    "HeldBackBy": "extensionObstacleKind",
    "ObstacleKind": "obstacle-kind",
}
"""The definitions of enumerations, and of classes that say their documents by hand, by the names of the classes."""
_WRITTEN: Final[Mapping[object, Any]] = {str: str, len: int, bool: bool}
"""What functions make of a value that have no annotations."""
# Marks of docstrings that mean nothing outside of them.
_MARKS: Final = ((re.compile(r"``(.+?)``"), r"\1"), (re.compile(r"\*(\w+)\*"), r"\1"), (re.compile(r"\s+"), " "))


def records() -> Iterator[type[Record]]:
    """Yield all records of the package, each once, by module and place."""
    for module in pkgutil.walk_packages(olmsolve.__path__, "olmsolve."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:
                continue  # it needs an extra
    yield from sorted(below(Record), key=lambda cls: (cls.__module__, cls.__qualname__))


def definitions() -> dict[str, Any]:
    """Return the schema of each record with a name, by name."""
    by_name: dict[str, Any] = {}
    _ENUMERATED.clear()
    for cls in dict.fromkeys(records()):
        name = _name(cls)
        if name and cls.__module__.startswith("olmsolve."):
            assert name not in by_name, name
            by_name[name] = of_record(cls)
    return dict(sorted((by_name | _ENUMERATED).items()))


_ENUMERATED: Final[dict[str, Any]] = {}
"""The definitions of the enumerations with a name that records have."""


def published() -> str:
    """Return the text of the file: objects on one line where they fit."""
    return _written(definitions(), 0, 0) + "\n"


def _name(cls: type[Record]) -> str:
    own = cls.__record__.definition
    if own:
        return own
    for base in cls.__mro__[1:]:
        each = base.__record__.each if issubclass(base, Record) and hasattr(base, "__record__") else ""
        if each and not cls.__name__.startswith("_"):
            return each.format(kind=_kind(cls))
    return ""


def _kind(cls: Any) -> Any:
    return cls.kind.value if isinstance(cls.kind, enum.Enum) else cls.kind


def of_record(cls: type[Record]) -> dict[str, Any]:
    """Return the schema of *cls*, which has one alternative for each kind where there are classes below it."""
    declared = cls.__record__
    head = {"title": declared.title} if declared.title else {}
    about = declared.about or _described(cls)
    head |= {"description": about} if about else {}
    kinds = _kinds(cls)
    if declared.merged:
        return {**head, **_merged(kinds, cls)}
    if kinds and all(_names(kind) == _names(cls) for kind in kinds):
        # They differ in their kinds and sentences alone.
        return {**head, **_object(list(members(cls)), cls)}
    if kinds:
        return {**head, "anyOf": [_referred(kind) for kind in kinds]}
    if declared.shapes:
        return {**head, "anyOf": [_object(list(fields), cls) for fields in shapes_of(cls)]}
    inner = next(
        (member for member in members(cls) if not member.keys and len(_records_in(_types(cls, member))) > 1), None
    )
    if inner is not None:
        return {**head, "anyOf": [_object(list(members(cls)), cls, of=one) for one in _records_in(_types(cls, inner))]}
    document = _object(list(members(cls)), cls)
    return {**head, **document, "properties": document["properties"] | dict(declared.added), **declared.schema}


def _merged(kinds: list[type[Record]], cls: type[Record]) -> dict[str, Any]:
    """Return the schema of one object for all *kinds* below *cls*, which requires what all of them have."""
    leaves = [kind for kind in kinds if not list(below(kind))]
    objects = [_object(list(members(leaf)), leaf) for leaf in leaves]
    properties: dict[str, Any] = {}
    for object_ in objects:
        for name, schema in object_["properties"].items():
            properties[name] = _either(properties.get(name, schema), schema)
    kind = {"description": cls.__record__.groups["kind"], "enum": [_kind(leaf) for leaf in leaves]}
    required = [name for name in objects[0]["required"] if all(name in object_["required"] for object_ in objects)]
    return {
        **objects[0],
        "required": required,
        "properties": {**properties, "kind": kind, **dict(cls.__record__.added)},
    }


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field that two kinds have, which may be null in one of them."""
    text, further = one.get("description", ""), other.get("description", "")
    text = text if further in text else f"{text} {further}"
    return {**one, **other} | ({"description": text} if text else {}) | ({"type": one["type"]} if _is_null(one) else {})


def _is_null(schema: dict[str, Any]) -> bool:
    return "null" in schema.get("type", ())


def _names(cls: type[Record]) -> list[str]:
    return [member.name for member in members(cls)]


def _kinds(cls: type[Record]) -> list[type[Record]]:
    """Return the classes below *cls* by rank and module, in the order of each module; tests may have further ones."""
    kinds = [kind for kind in kinds_of(cls).values() if kind.__module__.split(".")[0] == cls.__module__.split(".")[0]]
    return sorted(kinds, key=lambda kind: (getattr(kind, "rank", 0), kind.__module__))


def _described(cls: type) -> str:
    """Return the first sentence of the docstring of *cls*."""
    text = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    for mark, plain in _MARKS:
        text = mark.sub(plain, text)
    return re.split(r"(?<=\.)\s+(?=[A-Z])|(?<=[^.]):$", text)[0]


def _referred(cls: type[Record]) -> dict[str, Any]:
    name = _name(cls)
    return {"$ref": f"#/$defs/{name}"} if name else of_record(cls)


def _object(fields: list[Member], cls: type[Record], depth: int = 0, of: type[Record] | None = None) -> dict[str, Any]:
    """Return the schema of an object with *fields* of *cls*; *of* is the chosen one of several records in a field."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for member in fields:
        if not member.keys:
            inner = of_record(of or _records_in(_types(cls, member))[0])
            properties |= inner["properties"]
            required += [] if member.about.empty == "absent" else inner["required"]
            continue
        key = member.keys[depth]
        if len(member.keys) > depth + 1:
            if key not in properties:
                within = [field for field in fields if field.keys[depth : depth + 1] == (key,)]
                meaning = cls.__record__.groups.get(".".join(member.keys[: depth + 1]))
                properties[key] = ({"description": meaning} if meaning else {}) | _object(within, cls, depth + 1)
                required.append(key)
            continue
        properties[key] = _property(cls, member)
        if not _is_optional(member):
            required.append(key)
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


def _is_optional(member: Member) -> bool:
    return member.about.empty in ("absent", "optional", "nullable", "kept")


def _property(cls: Any, member: Member) -> dict[str, Any]:
    about = member.about
    if not member.name:
        return {"const": member.get(None)}
    if member.name == "kind" and not about.meaning:
        if not kinds_of(cls):
            return {"const": _kind(cls)}
        (kinds,) = get_args(get_type_hints(cls)["kind"])
        if kinds is str:
            return _kinds_enumerated(cls)
        schema = _schema(kinds)
        # An enumeration with a name is described where it is defined.
        return {"description": _described(kinds)} | schema if "enum" in schema else schema
    described = {"description": about.with_unit} if about.with_unit else {}
    if member.get is str:
        return described | {"type": "string"}
    is_whole = {"enum", "$ref", "anyOf"} & about.schema.keys()
    typed = (
        {} if is_whole else _schema(_without_none(_types(cls, member)) if _is_optional(member) else _types(cls, member))
    )
    if typed.get("type") == "array" and about.empty == "absent":
        typed["minItems"] = 1
    schema = {keyword: value for keyword, value in (typed | dict(about.schema)).items() if value is not None}
    # The meaning of the field says more than the description of the record in it.
    if about.empty in ("nullable", "kept"):
        return described | _also_null(schema) | described
    return described | (_or_null(schema) if about.empty == "null" else schema) | described


def _kinds_enumerated(cls: type[Record]) -> dict[str, Any]:
    """Return the schema of the kind of *cls*, whose kinds in the same wing are defined beside it."""
    name = f"{_name(cls)}-kind"
    kinds = [_kind(kind) for kind in _kinds(cls) if kind.__module__.split(".")[:2] == cls.__module__.split(".")[:2]]
    _ENUMERATED[name] = {"description": cls.__record__.groups["kind"], "enum": kinds}
    return {"$ref": f"#/$defs/{name}"}


def _types(cls: Any, member: Member) -> Any:
    """Return the type of *member* as documents have it."""
    written: Callable[..., Any] | None = member.about.written
    if written in _WRITTEN:
        return _WRITTEN[written]
    if written is not None:
        return get_type_hints(written)["return"]
    declared = getattr(cls, member.name)
    # Some import types for type checkers alone; the library uses no name of a class twice, and tests may use one again.
    own = vars(sys.modules[cls.__module__])
    records = sorted(below(Record), key=lambda record: record.__module__.startswith("olmsolve."))
    names = {"v1": olmsolve.v1, "RequestChange": RequestChange} | {
        record.__name__: record for record in records if record.__name__ not in own
    }
    if isinstance(declared, property):
        return get_type_hints(declared.fget, localns=names)["return"]
    return get_type_hints(cls, localns=names)[member.name]


def _without_none(type_: Any) -> Any:
    """Return *type_* without None, for a field that is absent where it would be null."""
    is_union = get_origin(type_) in (Union, UnionType)
    return reduce(or_, (argument for argument in get_args(type_) if argument is not NoneType)) if is_union else type_


def _records_in(type_: Any) -> list[type[Record]]:
    return [record for record in (type_, *get_args(type_)) if isinstance(record, type) and issubclass(record, Record)]


def _schema(type_: Any) -> dict[str, Any]:
    """Return the schema of a value of *type_*."""
    if type_ in _SIMPLE:
        return dict(_SIMPLE[type_])
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        some = _alternatives([argument for argument in arguments if argument is not NoneType])
        schema = some[0] if len(some) == 1 else {"anyOf": some}
        return _or_null(schema) if NoneType in arguments else schema
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1])}
    if origin in (tuple, list):
        inside = {json.dumps(_schema(argument)): _schema(argument) for argument in arguments if argument is not ...}
        (items,) = inside.values()
        count = {} if ... in arguments or origin is list else {"minItems": len(arguments), "maxItems": len(arguments)}
        return {"type": "array", "items": items} | count
    name = _NAMED.get(type_.__name__)
    if issubclass(type_, enum.Enum):
        schema = {"enum": [member.value for member in type_]}
        if name is None:
            return schema
        _ENUMERATED[name] = {"description": _described(type_), **schema}
    if name is not None:
        return {"$ref": f"#/$defs/{name}"}
    assert issubclass(type_, Record), type_
    return _referred(type_)


def _alternatives(types: list[Any]) -> list[dict[str, Any]]:
    """Return the schemas of *types*: of their base where they are all of its kinds."""
    for base in getattr(types[0], "__mro__", ())[1:]:
        if issubclass(base, Record) and base is not Record and set(kinds_of(base).values()) == set(types):
            return [_referred(base)]
    return [_schema(type_) for type_ in types]


def _also_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* for a field of a document that is read, where null is written beside what is wanted."""
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    return schema | {"type": ["array", "null"]} if schema.get("type") == "array" else _or_null(schema)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("type"), str) and schema["type"] in ("string", "integer", "number", "boolean"):
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _written(value: Any, indent: int, used: int) -> str:
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (indent and len(short) + used <= _WIDTH):
        return short
    inner = " " * (indent + 2)
    if isinstance(value, list):
        lines = [_written(item, indent + 2, indent + 3) for item in value]
        return "[\n" + ",\n".join(inner + line for line in lines) + "\n" + " " * indent + "]"
    lines = [
        f"{json.dumps(key)}: {_written(item, indent + 2, indent + 5 + len(json.dumps(key)))}"
        for key, item in value.items()
    ]
    return "{\n" + ",\n".join(inner + line for line in lines) + "\n" + " " * indent + "}"
