"""Typed access to the fields of an object's manifest, with errors that name the field, the object and its file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from olmsolve.errors import ManifestError
from olmsolve.predicates import described

__all__ = ["Fields", "ManifestLocation", "Raw"]

Raw = Mapping[str, Any]
"""A mapping of a manifest, as it was read."""

_EMPTY: Final[Raw] = {}


@attrs.frozen
class ManifestLocation:
    """Where a manifest is: its *origin* (file and document), and the object's *kind* and ``namespace/name``.

    A part that is not known is "".
    """

    origin: str = ""
    kind: str = ""
    object: str = ""


@attrs.frozen
class Fields:
    """One mapping of a manifest: its *values*, the *path* that leads to it ("" at the top), and its *location*.

    As on a cluster, null counts as absent, and an absent field has the empty value of its type: "", 0, False, () or
    an empty mapping. Each method that reads a field raises a :class:`~olmsolve.errors.ManifestError` where the field
    holds a value of another type.

    >>> spec = Fields.of({"channel": "stable", "priority": None}, "spec")
    >>> spec.text("channel"), spec.integer("priority"), spec.texts("skips")
    ('stable', 0, ())
    """

    values: Raw
    path: str = ""
    location: ManifestLocation = ManifestLocation()

    @classmethod
    def of(cls, value: object, path: str = "", location: ManifestLocation = ManifestLocation()) -> Fields:
        """Return the fields of *value*; a ManifestError says so where it is no mapping with text keys."""
        if not isinstance(value, Mapping):
            raise _error(f"must be a mapping, not {described(value)}", path, location)
        for key in value:
            if not isinstance(key, str):
                raise _error(f"has a name that is {described(key)}, not text", path, location)
        return cls(value, path, location)

    def error(self, reason: str, name: str = "", hint: str = "") -> ManifestError:
        """Return (not raise) an error about the field *name*, or about the mapping itself where *name* is ""."""
        return _error(reason, self._path(name), self.location, hint)

    def has(self, name: str) -> bool:
        """Return whether the field *name* is there and is not null."""
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """Return the text *name*."""
        value = self.values.get(name)
        return "" if value is None else self._text(value, name)

    def required_text(self, name: str) -> str:
        """Return the text *name*, which must be there and not be empty."""
        text = self.text(name)
        if not text:
            raise self.error("must not be empty" if self.has(name) else "is missing", name)
        return text

    def flag(self, name: str) -> bool:
        """Return the truth value *name*."""
        value = self.values.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.error(f"must be true or false, not {described(value)}", name)
        return value

    def integer(self, name: str) -> int:
        """Return the whole number *name*, which may be written as ``1.0``: YAML and JSON writers differ in that."""
        value = self.values.get(name)
        if value is None:
            return 0
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"must be a whole number, not {described(value)}", name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the list of texts *name*."""
        return tuple(self._text(value, f"{name}[{index}]") for index, value in enumerate(self._sequence(name)))

    def text_mapping(self, name: str) -> Mapping[str, str]:
        """Return the mapping *name* of texts to texts: labels, annotations."""
        part = self.part(name)
        return {key: part.text(key) for key in part.values}

    def part(self, name: str) -> Fields:
        """Return the mapping *name*."""
        value = self.values.get(name)
        return Fields.of(_EMPTY if value is None else value, self._path(name), self.location)

    def parts(self, name: str) -> list[Fields]:
        """Return the list of mappings *name*."""
        return [
            Fields.of(value, self._path(f"{name}[{index}]"), self.location)
            for index, value in enumerate(self._sequence(name))
        ]

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
        raise self.error(f"must be text, not {described(value)}", name, hint)


def _error(reason: str, path: str, location: ManifestLocation, hint: str = "") -> ManifestError:
    return ManifestError(
        reason, field=path, hint=hint, source=location.origin, kind=location.kind, object=location.object
    )
