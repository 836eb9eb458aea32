"""The annotation ``operatorframework.io/properties``: what a bundle published, kept on the operator made from it.

The annotation is JSON text. Its values stay text here: 4.10 must not become 4.1, and what is written back must be
what was read. It is read as OLM's programs read JSON: names of fields in any case, null for the empty value, and of
a name given twice the last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NoReturn

import attrs

from olmsolve.cluster.go_json import go_json
from olmsolve.errors import OlmsolveError
from olmsolve.predicates import Property

__all__ = [
    "PROPERTIES_ANNOTATION",
    "ProjectionError",
    "WrittenProperty",
    "annotation_to_properties",
    "properties_to_annotation",
]

PROPERTIES_ANNOTATION: Final = "operatorframework.io/properties"

_READING: Final = "failed to unmarshal properties annotation"
_WRITING: Final = "failed to marshal properties annotation"
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[ \t\n\r]+')
_LONGEST_SHOWN: Final = 100
_ESCAPED: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@attrs.frozen
class ProjectionError(OlmsolveError):
    """Between an operator on a cluster and what is resolved there is no way: *reason* says why.

    *object* is the operator (``namespace/name``), *source* where it was read and *field* what of it is at fault; each
    "" where that is not known.
    """

    reason: str
    object: str = ""
    source: str = ""
    field: str = ""

    def __str__(self) -> str:
        return self.reason


@attrs.frozen
class WrittenProperty:
    """A property whose value is JSON *text*, exactly as it was written; "" where there is no value."""

    type: str
    text: str

    @classmethod
    def of(cls, type: str, value: Any) -> WrittenProperty:  # noqa: A002 - the name of the field
        """The property with *value*, written as OLM writes it."""
        return cls(type, go_json(value))

    @property
    def value(self) -> Any:
        """The decoded value; None where there is none.

        Raises:
            ProjectionError: Python cannot hold it: a number of thousands of digits, or too deep a nesting.
        """
        try:
            return json.loads(self.text) if self.text else None
        except (ValueError, RecursionError):
            raise ProjectionError(f"the value of a property {self.type[:_LONGEST_SHOWN]} cannot be held") from None

    @property
    def property(self) -> Property:
        """The same as a catalog has it."""
        return Property(self.type, self.value)


def annotation_to_properties(annotation: str) -> tuple[WrittenProperty, ...]:
    """The properties that the text of an annotation holds, in its order.

    Raises:
        ProjectionError: the text is no JSON, or JSON of another shape.
    """
    start = _checked(annotation, _READING)
    if annotation.startswith("null", start):
        return ()
    if annotation[start] != "{":
        _refuse(_READING, f"{_called(annotation[start])} where an object must be")
    span = _member(annotation, start, "properties")
    if span is None or annotation.startswith("null", span[0]):
        return ()
    if annotation[span[0]] != "[":
        _refuse(_READING, f"properties is {_called(annotation[span[0]])}, not a list")
    return tuple(_property(annotation, element, place) for place, element in enumerate(_elements(annotation, span[0])))


def properties_to_annotation(properties: Iterable[WrittenProperty]) -> str:
    """The text of the annotation that holds *properties*, without white space.

    Raises:
        ProjectionError: the text of a value is no JSON.
    """
    written = []
    for item in properties:
        _checked(item.text, _WRITING)
        value = _TOKEN.sub(lambda token: token[0].translate(_ESCAPED) if token[0][0] == '"' else "", item.text)
        written.append(f'{{"type":{go_json(item.type)},"value":{value}}}')
    return f'{{"properties":[{",".join(written)}]}}' if written else "{}"


def _property(text: str, span: tuple[int, int], place: int) -> WrittenProperty:
    start = span[0]
    if text.startswith("null", start):
        return WrittenProperty("", "")
    if text[start] != "{":
        _refuse(_READING, f"properties.{place} is {_called(text[start])}, not an object")
    found = _member(text, start, "type")
    name = ""
    if found is not None and not text.startswith("null", found[0]):
        if text[found[0]] != '"':
            _refuse(_READING, f"properties.{place}.type is {_called(text[found[0]])}, not text")
        name = scanstring(text, found[0] + 1)[0]
    value = _member(text, start, "value")
    return WrittenProperty(name, "" if value is None else text[value[0] : value[1]])


def _checked(text: str, doing: str) -> int:
    """Where the JSON value that *text* is begins, or an error."""
    try:
        # Numbers stay text: there is no telling how many digits they have.
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except RecursionError:
        _refuse(doing, "nested too deeply")
    except json.JSONDecodeError as error:
        _refuse(doing, f"not JSON at character {error.pos + 1}: {error.msg[:1].lower()}{error.msg[1:]}")
    except ValueError as error:
        _refuse(doing, f"not JSON: {error}")
    return _skip(text, 0)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _member(text: str, start: int, name: str) -> tuple[int, int] | None:
    """The span of the value of *name* in the object at *start*: the last of those that are named so."""
    found = None
    for key, begin, end in _values(text, start):
        # Go's reader of JSON, which is OLM's, takes a name in any case.
        if key is not None and key.casefold() == name:
            found = begin, end
    return found


def _elements(text: str, start: int) -> list[tuple[int, int]]:
    return [(begin, end) for _, begin, end in _values(text, start)]


def _values(text: str, start: int) -> Iterator[tuple[str | None, int, int]]:
    """What the object or list at *start* of the valid JSON *text* holds: name (None in a list), begin and end."""
    named = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        name = None
        if named:
            name, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        begin, at = at, _end(text, at)
        yield name, begin, at
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _end(text: str, start: int) -> int:
    """Where the value at *start* ends; brackets are counted, so that no depth is too deep."""
    depth, at = 0, start
    while True:
        character = text[at]
        if character == '"':
            at = scanstring(text, at + 1)[1]
        elif character in "{[":
            depth, at = depth + 1, at + 1
        elif character in "}]":
            depth, at = depth - 1, at + 1
        elif depth:
            at += 1
        else:
            while at < len(text) and text[at] not in ",}] \t\n\r":
                at += 1
        if depth == 0:
            return at


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _called(character: str) -> str:
    names = {"{": "an object", "[": "a list", '"': "text", "t": "true", "f": "false", "n": "null"}
    return names.get(character, "a number")


def _refuse(doing: str, reason: str) -> NoReturn:
    raise ProjectionError(f"{doing}: {reason}")
