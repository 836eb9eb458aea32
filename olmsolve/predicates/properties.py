"""The properties of bundles: typed facts whose values stay JSON text until somebody asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import is_name, type_with_article
from olmsolve._attrs import unchecked
from olmsolve.errors import RequestError
from olmsolve.predicates.json_values import decoded, encoded

MOST_PARTS: Final = 1_000_000
"""The most objects, lists and plain values in the value of a property; those of real catalogs have some hundreds."""

_UNCHANGEABLE: Final = frozenset({bytes, str, int, float, bool, type(None)})


class OwnValue:
    """The base of values of a program's own that a property may have and JSON cannot hold: predicates."""

    __slots__ = ()


def _text_of(value: object) -> bytes:
    """Return *value* as JSON text. Raises RequestError if it is not a JSON value."""
    try:
        return encoded(_plain(value, count(1)))
    except RecursionError:
        raise RequestError("is not a JSON value: it is nested too deeply", field="value") from None
    except (TypeError, ValueError) as error:
        raise RequestError(f"is not a JSON value: {error}", field="value") from None


def _plain(value: object, numbers: Iterator[int]) -> object:
    """Return *value* with plain objects and lists; each part takes one of the *numbers*.

    Parts may be shared: forty lists, each with the next one twice, are small in memory and endless as text.

    Raises TypeError for what JSON has not, and ValueError for more parts than :data:`MOST_PARTS`.
    """
    if next(numbers) > MOST_PARTS:
        raise ValueError(f"it has more than {MOST_PARTS:,} parts")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r:.40} is not text")
        return {key: _plain(member, numbers) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element, numbers) for element in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type_with_article(value)} cannot be written as JSON")


def _is_decimal(value: object) -> bool:
    """Return True for ``Decimal("4.10")``, which a property keeps as it is: as a float it would be 4.1."""
    # A Decimal exists only once its module is imported, so a short command need not import it to find none.
    decimal = sys.modules.get("decimal")
    return decimal is not None and isinstance(value, decimal.Decimal)


def _hashable(value: Any) -> object:
    """Return *value* in a form that can be hashed, equal for equal values."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(member)) for key, member in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


# Without a slot for weak references: 48 bytes instead of 56, in catalogs with hundreds of thousands of properties.
@attrs.frozen(eq=False, repr=False, weakref_slot=False)
class Property:
    """A published fact: *type* names its meaning, *value* is any JSON value (mappings with string keys), or a Decimal.

    The value of an ``olm.constraint`` may be a :class:`~olmsolve.predicates.Predicate`, also one of your own; such a
    property cannot be written down. Objects and lists are kept as JSON text, and decoded at each use of ``value``; the
    result belongs to the caller, and nobody can change what the property holds.

    Raises:
        RequestError: *type* is not text or empty, or *value* is not a JSON value, or has more than a million parts.

    >>> Property("olm.label", {"label": "certified"}) == Property.from_text("olm.label", b'{"label":"certified"}')
    True
    """

    type: str
    _value: Any  # the JSON text as bytes, or the value itself, which is never bytes

    __match_args__ = ("type", "value")

    def __attrs_post_init__(self) -> None:
        if type(self.type) is not str or not self.type:
            is_name(self, attrs.fields_dict(Property)["type"], self.type)
        held = self._value
        # Text of the loader, and values that cannot change, stay as they are.
        if type(held) not in _UNCHANGEABLE and not isinstance(held, OwnValue) and not _is_decimal(held):
            object.__setattr__(self, "_value", _text_of(held))

    @property
    def value(self) -> Any:
        """The value; if it is kept as text, it is decoded again at each use."""
        held = self._value
        return decoded(held) if type(held) is bytes else held

    @property
    def text(self) -> bytes:
        """The value as JSON text without white space. Raises RequestError for a predicate, which JSON cannot hold."""
        held = self._value
        if isinstance(held, OwnValue):
            raise RequestError(f"{self.type}: {held} is a predicate of a program, which cannot be written down")
        return held if type(held) is bytes else encoded(held)

    @property
    def held_text(self) -> bytes | None:
        """The JSON text of an object or a list, None for another value: a key by which equal values need one look."""
        held = self._value
        return held if type(held) is bytes else None

    @classmethod
    def from_text(cls, type: str, text: bytes) -> Property:  # noqa: A002 (the name of the field)
        """Return a property whose value is the JSON *text*, which must be valid: it is parsed at first use."""
        return cls(type, bytes(text))

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        assert isinstance(other, Property)
        if self.type != other.type:
            return False
        mine, its = self._value, other._value
        # Equal text means equal values, which takes 0.08 µs; decoding two takes 0.8. Different text may still mean
        # equal values: {"a":1,"b":2} and {"b":2,"a":1}.
        if type(mine) is bytes and type(its) is bytes and mine == its:
            return True
        return bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((self.type, _hashable(self.value)))

    def __repr__(self) -> str:
        return f"Property(type={self.type!r}, value={self.value!r})"


property_of: Final[Callable[[str, bytes], Property]] = partial(unchecked(Property), Property)
"""Make the property of a type and a JSON text that a reader has checked: it skips the checks of the class."""
