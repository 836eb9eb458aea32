"""Typed access to the fields of documents and manifests, with errors that name the field by its path."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import olmsolve._attrs as attrs
from olmsolve._records import members
from olmsolve.errors import ManifestError, RequestError
from olmsolve.predicates import described

T = TypeVar("T")

Raw = Mapping[str, Any]
"""A mapping of a document or a manifest, as it was read."""

_EMPTY: Final[Raw] = {}


@attrs.frozen
class DocumentLocation:
    """The *origin* of a document (the file as given, "" for a mapping in memory), for errors about its fields."""

    origin: str = ""

    def error(self, reason: str, path: str, hint: str = "") -> RequestError:
        """Return an error about the field at *path*."""
        return RequestError(reason, field=path, hint=hint, source=self.origin)


@attrs.frozen
class ManifestLocation:
    """The location of a manifest: its *origin* (file and document), and the object's *kind* and ``namespace/name``.

    A part that is not known is "". Errors about its fields name it; the origin becomes text only then.
    """

    origin: object = ""
    kind: str = ""
    object: str = ""

    def error(self, reason: str, path: str, hint: str = "") -> ManifestError:
        """Return an error about the field at *path* of the object."""
        source = str(self.origin)
        return ManifestError(reason, field=path, hint=hint, source=source, kind=self.kind, object=self.object)


_NOWHERE: Final = ManifestLocation()


def mapping_or_empty(value: object) -> Raw:
    """Return *value* if it is a mapping, else an empty one: for manifests that somebody else judges."""
    return value if isinstance(value, Mapping) else _EMPTY


def mappings_in(value: object) -> list[Raw]:
    """Return the mappings in *value*, none unless it is a list; as :func:`mapping_or_empty`, without an error."""
    return [element for element in value if isinstance(element, Mapping)] if isinstance(value, list | tuple) else []


def texts_in(value: object) -> tuple[str, ...]:
    """Return the texts in *value*, none unless it is a list; as :func:`mapping_or_empty`, without an error."""
    return tuple(element for element in value if isinstance(element, str)) if isinstance(value, list | tuple) else ()


@attrs.frozen
class Fields:
    """One mapping of a document: its *values*, the *path* that leads to it ("" at the top), and its *location*.

    As on a cluster, null counts as absent, and an absent field has the default that the caller names, or the empty
    value of its type: "", 0, False, () or an empty mapping. Each method that reads a field raises the location's error
    (a :class:`~olmsolve.errors.RequestError`) where the field holds a value of another type.

    >>> spec = Fields.read({"channel": "stable", "priority": None}, "spec")
    >>> spec.text("channel"), spec.integer("priority"), spec.texts("skips")
    ('stable', 0, ())
    """

    values: Raw
    path: str = ""
    location: DocumentLocation | ManifestLocation = _NOWHERE

    @classmethod
    def read(cls, value: object, path: str = "", location: DocumentLocation | ManifestLocation = _NOWHERE) -> Fields:
        """Return the fields of *value*; raise the location's error where it is no mapping with text keys."""
        if not isinstance(value, Mapping):
            raise location.error(f"must be an object, not {described(value)}", path)
        for key in value:
            if not isinstance(key, str):
                raise location.error(
                    f"a field's name must be a string, not {described(key)}", f"{path}.{key}".lstrip(".")
                )
        return cls(value, path, location)

    @property
    def source(self) -> str:
        """The file and document, "" where they are not known."""
        return str(self.location.origin)

    def error(self, reason: str, name: str = "", hint: str = "") -> RequestError:
        """Return (not raise) an error about the field *name*, or about the mapping itself where *name* is ""."""
        return self.location.error(reason, self._path(name), hint)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise for the first field that is not in *known*, with the known field that was probably meant."""
        known = tuple(known)
        for name in self.values:
            if name not in known:
                from olmsolve._record_reading import near  # few documents have an error

                raise self.error("unknown field", str(name), near(str(name), known))

    def refuse_undeclared(self, cls: type) -> None:
        """Raise for the first field that the record *cls* does not declare, as :meth:`refuse_unknown` does."""
        self.refuse_unknown(member.keys[0] for member in members(cls))

    def require(self, *names: str) -> Fields:
        """Return the fields themselves; raise for the first of *names* that is missing or null."""
        for name in names:
            if not self.has(name):
                raise self.error("must not be null" if name in self.values else "is missing", name)
        return self

    def has(self, name: str) -> bool:
        """Return whether the field *name* is there and is not null."""
        return self.values.get(name) is not None

    def text(self, name: str, default: str = "") -> str:
        """Return the text *name*."""
        value = self.values.get(name)
        return default if value is None else self._text(value, name)

    def required_text(self, name: str) -> str:
        """Return the text *name*, which must be there and not be empty."""
        text = self.require(name).text(name)
        if not text:
            raise self.error("must not be empty", name)
        return text

    def flag(self, name: str) -> bool:
        """Return the truth value *name*."""
        value = self.values.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.error(f"must be true or false, not {described(value)}", name)
        return value

    def integer(self, name: str, bits: int = 64) -> int:
        """Return the whole number *name*, which may be written as ``1.0``: YAML and JSON writers differ in that.

        It has at most so many *bits*, its sign among them, as the type of the field in Kubernetes has.
        """
        value = self.values.get(name)
        if value is None:
            return 0
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"must be a whole number, not {described(value)}", name)
        end = 1 << (bits - 1)
        if not -end <= value < end:
            raise self.error(f"must be from {-end} to {end - 1}", name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the list of texts *name*."""
        values = self._sequence(name)
        # Nearly always all are texts, and then no path has to be made for an error.
        if all(type(value) is str for value in values):
            return tuple(values)
        return tuple(self._text(value, f"{name}[{index}]") for index, value in enumerate(values))

    def text_mapping(self, name: str) -> Mapping[str, str]:
        """Return the mapping *name* of texts to texts: labels, annotations."""
        part = self.part(name)
        return {key: part.text(key) for key in part.values}

    def part(self, name: str) -> Fields:
        """Return the mapping *name*."""
        value = self.values.get(name)
        return Fields.read(_EMPTY if value is None else value, self._path(name), self.location)

    def parts(self, name: str) -> list[Fields]:
        """Return the list of mappings *name*."""
        return [
            Fields.read(value, self._path(f"{name}[{index}]"), self.location)
            for index, value in enumerate(self._sequence(name))
        ]

    def each(self, name: str, read: Callable[[Fields], T]) -> list[T]:
        """Return what *read* makes of each mapping in the list *name*."""
        return [read(part) for part in self.parts(name)]

    def raw(self, name: str) -> Raw:
        """Return the mapping *name* as it was read, for parts that olmsolve passes on and does not interpret."""
        return self.part(name).values

    def raws(self, name: str) -> tuple[Raw, ...]:
        """Return the list of mappings *name* as they were read."""
        return tuple(part.values for part in self.parts(name))

    def _sequence(self, name: str) -> Sequence[Any]:
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)):
            raise self.error(f"must be a list, not {described(value)}", name)
        return value

    def _path(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def _text(self, value: object, name: str) -> str:
        if isinstance(value, str):
            return value
        hint = "put it in quotes" if isinstance(value, (int, float)) else ""
        raise self.error(f"must be a string, not {described(value)}", name, hint)


def read_record(cls: type[T], fields: Fields, **further: Any) -> T:
    """Return the record of *cls* that is written in *fields*, each at the path and of the type that it declares.

    Undeclared fields are passed over, as clients of a cluster do, and an absent field has the empty value of its
    type. *further* are arguments of the constructor that the caller has read.

    Raises:
        RequestError: a field has a value of another type, or is absent or empty where its declaration refuses that. It
            is the error of the location of *fields*.
    """
    plan = _PLANS.get(cls)
    if plan is None:
        plan = _PLANS[cls] = _plan(cls)
    steps, readers = plan
    holders = [fields]
    for above, name in steps:
        holders.append(holders[above].part(name))
    values = {
        argument: read(holders[holder], name) for argument, holder, name, read in readers if argument not in further
    }
    return cls(**further, **values)


_Reader = Callable[[Fields, str], Any]
_Plan = tuple[list[tuple[int, str]], list[tuple[str, int, str, _Reader]]]

_PLANS: Final[dict[type, _Plan]] = {}
"""How each class is read, made when its first object is: the mappings inside of an object, each by the number of the
one around it (0 is the object itself) and its name, and each field by its mapping, its name there and its reader."""


def _plan(cls: Any) -> _Plan:
    numbers: dict[tuple[str, ...], int] = {(): 0}
    steps: list[tuple[int, str]] = []
    readers: list[tuple[str, int, str, _Reader]] = []
    types = {field.name: str(field.type) for field in attrs.fields(cls)}
    for member in members(cls):
        *around, name = member.keys
        for depth in range(1, len(around) + 1):
            path = tuple(around[:depth])
            if path not in numbers:
                numbers[path] = len(numbers)
                steps.append((numbers[path[:-1]], path[-1]))
        read = Fields.required_text if member.about.empty == "refused" else _READERS.get(types[member.name])
        reader = member.about.read or read or _reader_of_records(cls, member.name)
        readers.append((member.name, numbers[tuple(around)], name, reader))
    return steps, readers


def _raw_or_none(fields: Fields, name: str) -> Raw | None:
    return fields.raw(name) if fields.has(name) else None


def _text_or_none(fields: Fields, name: str) -> str | None:
    # An empty name is how Go programs write an absent one.
    return fields.text(name) or None


def _texts_or_none(fields: Fields, name: str) -> tuple[str, ...] | None:
    return None if fields.values.get(name) is None else fields.texts(name)


# Resolving the annotations of a class takes longer than reading an object, and these few texts are nearly all of them.
_READERS: Final[Mapping[str, _Reader]] = {
    "str": Fields.text,
    "str | None": _text_or_none,
    "int": Fields.integer,
    "bool": Fields.flag,
    "tuple[str, ...]": Fields.texts,
    "tuple[str, ...] | None": _texts_or_none,
    "Mapping[str, str]": Fields.text_mapping,
    "Raw": Fields.raw,
    "Raw | None": _raw_or_none,
    "tuple[Raw, ...]": Fields.raws,
}


def _reader_of_records(cls: type, name: str) -> _Reader:
    """Return how the field *name* of *cls* is read, which is a record or a tuple of records."""
    text = str(attrs.fields_dict(cls)[name].type)
    inside = text.removeprefix("tuple[").removesuffix(", ...]")
    modules = (vars(sys.modules[base.__module__]) for base in cls.__mro__)
    type_ = next(module[inside] for module in modules if inside in module)
    if inside == text:
        return lambda fields, name: read_record(type_, fields.part(name))
    return lambda fields, name: tuple(read_record(type_, part) for part in fields.parts(name))
