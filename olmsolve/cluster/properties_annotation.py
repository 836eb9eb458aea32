"""The annotation ``operatorframework.io/properties``, which keeps a bundle's properties on the operator made from it.

The annotation is JSON text. Its values stay text here: 4.10 must not become 4.1, and a value is written back exactly
as it was read. Fields are read as Go reads JSON: names in any case, null as the empty value, and of a name that is
given twice the last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cluster.go_text import go_json
from olmsolve.errors import OlmsolveError
from olmsolve.predicates import HTML_ESCAPES, Property

PROPERTIES_ANNOTATION: Final = "operatorframework.io/properties"
"""The annotation of a ClusterServiceVersion that holds the properties of its bundle."""

# json.loads would turn 4.10 into 4.1. So it only validates the annotation; then this module finds the offsets of the
# values and cuts their text out:
#   {"properties":[{"type":"olm.maxOpenShiftVersion","value":4.10}]}
#                                                            ^^^^ the span that _member finds for "value"
# The scanners below check nothing: they rely on valid JSON.

_READING: Final = "failed to unmarshal properties annotation"
_WRITING: Final = "failed to marshal properties annotation"
# The blanks of JSON, as Go's decoder passes over them; \s has Unicode's as well.
_SPACE: Final = pattern(r"[ \t\n\r]*")
# Go's encoder writes a raw value without blanks, and escapes &, < and > in its strings: both are found in one walk.
_TOKEN: Final = pattern(r'"(?:[^"\\]|\\.)*"|[ \t\n\r]+')
_LONGEST_SHOWN: Final = 100
# With the 256 texts of the cache, 16 MB of text at most.
_SHORT: Final = 1 << 16  # characters of an annotation that is remembered


@attrs.frozen
class ProjectionError(OlmsolveError):
    """An installed operator cannot be converted for resolution: *reason* says why.

    *object* is the operator (``namespace/name``), *source* the file and document where it was read, and *field* the
    field at fault; each is "" where it is not known.
    """

    reason: str
    object: str = ""
    source: str = ""
    field: str = ""

    def __str__(self) -> str:
        return self.reason


@attrs.frozen
class WrittenProperty:
    """A property whose value is JSON *text*, exactly as it was written; "" for a property without a value."""

    type: str
    text: str

    @classmethod
    def from_value(cls, type: str, value: Any) -> WrittenProperty:  # noqa: A002 - the name of the field
        """Return the property with *value*, written as OLM writes it."""
        return cls(type, go_json(value))

    @property
    def value(self) -> Any:
        """The decoded value; None for a property without a value.

        Raises:
            ProjectionError: Python cannot hold the value: a number of thousands of digits, or too deep a nesting.
        """
        try:
            return json.loads(self.text) if self.text else None
        except (ValueError, RecursionError):
            raise ProjectionError(f"the value of a property {self.type[:_LONGEST_SHOWN]} cannot be held") from None

    @property
    def property(self) -> Property:
        """The property with its value decoded, as in a catalog.

        Raises:
            ProjectionError: as for :attr:`value`.
        """
        return Property(self.type, self.value)


def annotation_to_properties(annotation: str) -> tuple[WrittenProperty, ...]:
    """Return the properties in the text of an annotation, in its order.

    The last short ones are remembered, because a plan looks at the operators of a namespace three times.

    >>> annotation_to_properties('{"properties": [{"type": "olm.maxOpenShiftVersion", "value": 4.10}]}')
    (WrittenProperty(type='olm.maxOpenShiftVersion', text='4.10'),)

    Raises:
        ProjectionError: the text is not JSON, or JSON of another shape.
    """
    return (_remembered if len(annotation) <= _SHORT else _properties_in)(annotation)


def _properties_in(annotation: str) -> tuple[WrittenProperty, ...]:
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
    return tuple(_property(annotation, element, index) for index, element in enumerate(_elements(annotation, span[0])))


# Each round of a simulation reads the same operators: 0.1 ms for an annotation with two properties, 0.04 µs to look
# it up.
_remembered = lru_cache(maxsize=256)(_properties_in)


def properties_to_annotation(properties: Iterable[WrittenProperty]) -> str:
    """Return the text of the annotation that holds *properties*, without white space.

    Raises:
        ProjectionError: the text of a value is not JSON.
    """
    texts = []
    for property_ in properties:
        _checked(property_.text, _WRITING)
        # The value is copied token by token: white space goes, texts are escaped as Go does, and numbers stay.
        value = _TOKEN.sub(lambda token: token[0].translate(HTML_ESCAPES) if token[0][0] == '"' else "", property_.text)
        texts.append(f'{{"type":{go_json(property_.type)},"value":{value}}}')
    return f'{{"properties":[{",".join(texts)}]}}' if texts else "{}"


def _property(text: str, span: tuple[int, int], index: int) -> WrittenProperty:
    """Return the property at *span* of the valid JSON *text*, the element *index* of the list."""
    start = span[0]
    if text.startswith("null", start):
        return WrittenProperty("", "")
    if text[start] != "{":
        _refuse(_READING, f"properties.{index} is {_called(text[start])}, not an object")
    type_text = _member(text, start, "type")
    name = ""
    if type_text is not None and not text.startswith("null", type_text[0]):
        if text[type_text[0]] != '"':
            _refuse(_READING, f"properties.{index}.type is {_called(text[type_text[0]])}, not a string")
        name = scanstring(text, type_text[0] + 1)[0]
    value = _member(text, start, "value")
    return WrittenProperty(name, "" if value is None else text[value[0] : value[1]])


def _checked(text: str, doing: str) -> int:
    """Return the offset at which the JSON value in *text* begins; raise a ProjectionError where it is not JSON."""
    try:
        # Numbers stay text: Python refuses to convert one of more than some thousand digits.
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except RecursionError:
        _refuse(doing, "nested too deeply")
    except json.JSONDecodeError as error:
        _refuse(doing, f"not JSON at character {error.pos + 1}: {error.msg[:1].lower()}{error.msg[1:]}")
    except ValueError as error:
        _refuse(doing, f"not JSON: {error}")
    return _skip(text, 0)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _member(text: str, start: int, name: str) -> tuple[int, int] | None:
    """Return the span of the field *name* in the object at *start*, of several with the name the last."""
    span = None
    for key, begin, end in _values(text, start):
        # Go reads a name in any case.
        if key is not None and key.casefold() == name:
            span = begin, end
    return span


def _elements(text: str, start: int) -> list[tuple[int, int]]:
    return [(begin, end) for _, begin, end in _values(text, start)]


def _values(text: str, start: int) -> Iterator[tuple[str | None, int, int]]:
    """Yield the values of the object or list at *start* of the valid JSON *text*: name (None in a list), begin, end."""
    named = text[start] == "{"
    offset = _skip(text, start + 1)
    while text[offset] not in "}]":
        name = None
        if named:
            name, offset = scanstring(text, offset + 1)
            offset = _skip(text, _skip(text, offset) + 1)
        begin, offset = offset, _end(text, offset)
        yield name, begin, offset
        offset = _skip(text, offset)
        if text[offset] == ",":
            offset = _skip(text, offset + 1)


def _end(text: str, start: int) -> int:
    """Return the offset after the value at *start*; counting brackets, without recursion, allows any depth."""
    depth, offset = 0, start
    while True:
        character = text[offset]
        if character == '"':
            offset = scanstring(text, offset + 1)[1]
        elif character in "{[":
            depth, offset = depth + 1, offset + 1
        elif character in "}]":
            depth, offset = depth - 1, offset + 1
        elif depth:
            offset += 1
        else:
            while offset < len(text) and text[offset] not in ",}] \t\n\r":
                offset += 1
        if depth == 0:
            return offset


def _skip(text: str, offset: int) -> int:
    return _SPACE.match(text, offset).end()  # type: ignore[union-attr]


def _called(character: str) -> str:
    names = {"{": "an object", "[": "a list", '"': "text", "t": "true", "f": "false", "n": "null"}
    return names.get(character, "a number")


def _refuse(doing: str, reason: str) -> NoReturn:
    raise ProjectionError(f"{doing}: {reason}")
