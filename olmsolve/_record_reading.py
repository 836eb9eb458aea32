"""Records from plain data, with errors that name the field by its path, and saved states, which are records in a file.

A state says what a long run has done so far, and the next run goes on from it. It carries the key of its run and a
checksum of both, so that a run never goes on from a file that a crash, an editor or a bad disk has changed::

    {"schema": "olmsolve.impact.state", "key": "6b1f...", "check": "90ce...", "state": {"done": 3, ...}}
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import olmsolve._attrs as attrs
from olmsolve._records import Member, Record, members
from olmsolve.errors import RequestError

R = TypeVar("R", bound=Record)

_LONGEST_NAME_COMPARED: Final = 64
_TYPES: Final[dict[type, Mapping[str, Any]]] = {}
"""The types of the fields of each class that was read: resolving its annotations takes longer than reading a record."""
_NOUNS: Final = {str: "a string", int: "a whole number", bool: "true or false", float: "a number"}


def from_dict(cls: type[R], data: object, path: str = "") -> R:
    """Return the record that *data* at *path* describes: of *cls*, or of its subclass for the kind that *data* states.

    What a document has beside the fields of a record (its sentence, what its properties say) is not read.

    Raises:
        RequestError: *data* is no such record. The error names the field.
    """
    if not isinstance(data, Mapping):
        raise RequestError("must be an object", field=path)
    made = _class_of(cls, data, path)
    declared = members(made)
    types = _TYPES.get(made) or _TYPES.setdefault(made, get_type_hints(made))
    # The fields of a record whose path is "*" are written beside the fields of the record around it.
    names = _names(declared)
    for member in declared:
        names |= {} if member.keys else _names(members(types[member.name]))
    _refuse_unknown(data, names, path)
    fields = attrs.fields_dict(made)
    values: dict[str, Any] = {
        str(fields[member.name].alias): _member(member, types[member.name], fields[member.name], data, path)
        for member in declared
        if member.name in fields
    }
    return made(**values)


def kinds_of(base: type[Any]) -> dict[str, type[Any]]:
    """Return the classes below *base* by their kinds, in the order in which they are declared; private ones are bases.

    Those of modules that are not imported yet are missing.
    """
    ordered = sorted(below(base), key=lambda cls: cls.__record__.number)
    named = [cls for cls in ordered if not cls.__name__.startswith("_")]
    return {cls.kind.value if isinstance(cls.kind, enum.Enum) else cls.kind: cls for cls in named}


def below(base: type[Any]) -> Iterator[type[Any]]:
    """Yield the records below *base* that are imported, each once."""
    for cls in base.__subclasses__():
        # attrs makes each class twice, and the first one has no fields.
        if "__attrs_attrs__" in vars(cls):
            yield cls
        yield from below(cls)


def near(name: str, known: Iterable[str]) -> str:
    """Return a hint at the name of *known* that is nearest to *name*, whatever its case and separators."""
    import difflib  # few documents have an error, and the others need not wait for it

    folded = {_fold(candidate): candidate for candidate in known}
    # difflib takes quadratic time, and a document may use a megabyte as a field's name.
    nearest = difflib.get_close_matches(_fold(name[:_LONGEST_NAME_COMPARED]), folded, n=1)
    if nearest:
        return f"did you mean {folded[nearest[0]]}?"
    return f"known here: {', '.join(folded.values())}"


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _class_of(cls: type[R], data: Mapping[Any, Any], path: str) -> type[R]:
    kinds = kinds_of(cls)
    if not kinds:
        return cls
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise RequestError(
            "is not a kind of this record", field=f"{path}.kind".lstrip("."), hint=near(str(kind), kinds)
        )
    return kinds[kind]


def _names(known: tuple[Member, ...]) -> dict[str, None]:
    """Return the names of the fields of *known*, in their order."""
    return dict.fromkeys(member.keys[0] for member in known if member.keys)


def _refuse_unknown(data: Mapping[Any, Any], names: Mapping[str, None], path: str) -> None:
    for name in data:
        if name not in names:
            raise RequestError("unknown field", field=f"{path}.{name}".lstrip("."), hint=near(str(name), names))


def _member(member: Member, type_: Any, field: attrs.Attribute[Any], data: Mapping[Any, Any], path: str) -> Any:
    value: Any = data
    if not member.keys:
        value = {name: data[name] for name in _names(members(type_)) if name in data}
    for number, key in enumerate(member.keys):
        if not isinstance(value, Mapping):
            raise RequestError("must be an object", field=".".join(filter(None, (path, *member.keys[:number]))))
        value = value.get(key)
    where = ".".join(filter(None, (path, *member.keys)))
    if value is None and NoneType not in get_args(type_):
        if field.default is not attrs.NOTHING and not isinstance(field.default, attrs.Factory):  # type: ignore[arg-type]
            return field.default
        if member.about.empty == "written":
            raise RequestError("is missing", field=where)
        return "" if type_ is str else get_origin(type_)() if get_origin(type_) else type_()
    read = member.about.read
    return _value(value, type_, where) if read is None else read(value)


def _value(value: Any, type_: Any, path: str) -> Any:
    """Return the JSON *value* at *path* as a value of *type_*. Raises RequestError if it is of another type."""
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ is Any:
        return value
    if type_ in _NOUNS:
        # Not isinstance, for which True is a whole number; JSON writes 1.0 as 1.
        if type(value) is not type_ and not (type_ is float and type(value) is int):
            raise RequestError(f"must be {_NOUNS[type_]}", field=path)
        return value
    if origin in (Union, UnionType):
        return (
            None
            if value is None
            else _value(value, next(argument for argument in arguments if argument is not NoneType), path)
        )
    if origin is Literal or (isinstance(type_, type) and issubclass(type_, enum.Enum)):
        choices = {argument: argument for argument in arguments} or {choice.value: choice for choice in type_}
        if not isinstance(value, str) or value not in choices:
            raise RequestError(f"must be one of {', '.join(choices)}", field=path)
        return choices[value]
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise RequestError("must be a list", field=path)
        inside = (arguments[0],) * len(value) if arguments[1:] == (...,) else arguments
        if len(inside) != len(value):
            raise RequestError(f"must have {len(inside)} elements", field=path)
        elements = zip(value, inside, strict=True)
        return tuple(_value(element, kind, f"{path}[{number}]") for number, (element, kind) in enumerate(elements))
    if isinstance(type_, type) and issubclass(type_, Record):
        return from_dict(type_, value, path)
    if not isinstance(value, Mapping):
        raise RequestError("must be an object", field=path)
    return {key: _value(content, arguments[1], f"{path}.{key}") for key, content in value.items()}


@attrs.frozen
class Saved(Generic[R]):
    """The content of a file: the *key* of its run, and its *state*, None where the file is damaged."""

    key: str
    state: R | None


@attrs.frozen
class StateFormat(Generic[R]):
    """The format of the states of one kind of run: its *schema*, and the field *name* with the record of *cls*."""

    schema: str
    name: str
    cls: type[R]

    def line_of(self, key: str, state: R) -> bytes:
        """Return *state* of the run *key* as one line; the same state always gives the same bytes."""
        return self._sealed(key, state.to_dict())

    def read(self, data: bytes) -> Saved[R] | None:
        """Return what :meth:`line_of` has made *data* of; None where it is something else.

        Data that differs in any byte from what was written is damaged.
        """
        import json  # few commands save a state, and reading a record needs none

        try:
            document = json.loads(data)
            if document["schema"] != self.schema:
                return None
        except (LookupError, RecursionError, TypeError, ValueError):
            return None
        try:
            key, state = document["key"], document[self.name]
            is_whole = self._sealed(key, state) == data
            return Saved(key, from_dict(self.cls, state) if is_whole else None)
        except (AttributeError, LookupError, RecursionError, RequestError, TypeError, ValueError):
            return Saved("", None)

    def _sealed(self, key: str, state: dict[str, Any]) -> bytes:
        import hashlib
        import json

        check = hashlib.sha256(json.dumps([key, state]).encode()).hexdigest()
        return json.dumps({"schema": self.schema, "key": key, "check": check, self.name: state}).encode()


@contextmanager
def refusing(path: Path, field: str = "resume") -> Iterator[None]:
    """Turn an OSError about the file *path* into a RequestError about the option *field*, which names the file."""
    try:
        yield
    except OSError as error:
        raise refused(path, error.strerror or str(error), field) from None


def refused(path: Path, reason: str, field: str = "resume") -> RequestError:
    """Return (not raise) the error of a state file *path*, the option *field*, that is not taken for this *reason*."""
    return RequestError(reason, field=field, source=str(path))
