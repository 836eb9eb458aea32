"""Typed access to the fields of an object's manifest, with errors that say whose field it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from olmsolve.errors import ManifestError
from olmsolve.predicates import described

__all__ = ["Fields", "Place", "Raw"]

Raw = Mapping[str, Any]
"""A mapping of a manifest, as it was read."""

_EMPTY: Final[Raw] = {}


@attrs.frozen
class Place:
    """Whose fields are read: the *origin* (file and document), the object's *kind* and its ``namespace/name``."""

    origin: str = ""
    kind: str = ""
    object: str = ""


@attrs.frozen
class Fields:
    """One mapping of a manifest: its *values*, the *path* that leads to it ("" at the top), and whose it is.

    As on a cluster, null counts as absent, and what is absent has the empty value of its type.
    """

    values: Raw
    path: str = ""
    place: Place = Place()

    @classmethod
    def of(cls, value: object, path: str = "", place: Place = Place()) -> Fields:
        """*value* as a mapping with text keys, or a ManifestError."""
        if not isinstance(value, Mapping):
            raise _error(f"must be a mapping, not {described(value)}", path, place)
        for key in value:
            if not isinstance(key, str):
                raise _error(f"has a name that is {described(key)}, not text", path, place)
        return cls(value, path, place)

    def error(self, reason: str, name: str = "", hint: str = "") -> ManifestError:
        """An error about the field *name*, or about the mapping itself."""
        return _error(reason, self._path(name), self.place, hint)

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return "" if value is None else self._text(value, name)

    def required_text(self, name: str) -> str:
        """Text that must be there and not be empty."""
        text = self.text(name)
        if not text:
            raise self.error("must not be empty" if self.has(name) else "is missing", name)
        return text

    def flag(self, name: str) -> bool:
        value = self.values.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.error(f"must be true or false, not {described(value)}", name)
        return value

    def integer(self, name: str) -> int:
        value = self.values.get(name)
        if value is None:
            return 0
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"must be a whole number, not {described(value)}", name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self._text(value, f"{name}[{place}]") for place, value in enumerate(self._sequence(name)))

    def text_mapping(self, name: str) -> Mapping[str, str]:
        """Names with text values: labels and annotations."""
        part = self.part(name)
        return {key: part.text(key) for key in part.values}

    def part(self, name: str) -> Fields:
        """The mapping *name*; an empty one where there is none."""
        value = self.values.get(name)
        return Fields.of(_EMPTY if value is None else value, self._path(name), self.place)

    def parts(self, name: str) -> list[Fields]:
        """The mappings of the list *name*."""
        return [
            Fields.of(value, self._path(f"{name}[{place}]"), self.place)
            for place, value in enumerate(self._sequence(name))
        ]

    def raw(self, name: str) -> Raw:
        """The mapping *name* as it stands, for what is passed on and not interpreted."""
        return self.part(name).values

    def raws(self, name: str) -> tuple[Raw, ...]:
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
        raise self.error(f"must be text, not {described(value)}", name, hint)


def _error(reason: str, path: str, place: Place, hint: str = "") -> ManifestError:
    return ManifestError(reason, field=path, hint=hint, source=place.origin, kind=place.kind, object=place.object)
