"""The properties of bundles: typed facts whose values stay JSON text until somebody asks for them."""

from __future__ import annotations

from typing import Any

import attrs

from olmsolve.predicates.json_values import decoded, encoded


@attrs.frozen(eq=False, repr=False, weakref_slot=False)
class Property:
    """A published fact: *type* names its meaning, *value* is any JSON value (mappings with string keys).

    A value that was read from a file stays JSON text, and is decoded at each use of ``value``; the result belongs to
    the caller.

    >>> Property("olm.label", {"label": "certified"}) == Property.from_text("olm.label", b'{"label":"certified"}')
    True
    """

    type: str
    _value: Any  # the JSON text as bytes, or the value itself, which is never bytes

    __match_args__ = ("type", "value")

    @property
    def value(self) -> Any:
        """The value, new each time where it is held as text."""
        held = self._value
        return decoded(held) if type(held) is bytes else held

    @property
    def text(self) -> bytes:
        """The value as JSON text without white space."""
        held = self._value
        return held if type(held) is bytes else encoded(held)

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
        # Equal text means equal values, and spares decoding; different text may still mean equal values.
        if type(mine) is bytes and type(its) is bytes and mine == its:
            return True
        return bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.value))

    def __repr__(self) -> str:
        return f"Property(type={self.type!r}, value={self.value!r})"
