"""Typed access to the fields of a document, with errors that name the field by its path."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import attrs

from olmsolve.errors import RequestError
from olmsolve.predicates import described

__all__ = ["Fields"]

T = TypeVar("T")

_LONGEST_NAME_COMPARED: Final = 64


@attrs.frozen
class Fields:
    """One mapping of a document: its *values*, the *path* that leads to it ("" at the top), and its file.

    A field that is absent or null takes its default; without a default it is required.
    """

    values: Mapping[Any, Any]
    path: str = ""
    source: str = ""

    @classmethod
    def of(cls, value: object, *, path: str = "", source: str = "") -> Fields:
        """*value* as a mapping, or a RequestError."""
        if not isinstance(value, Mapping):
            raise RequestError(f"must be a mapping, not {described(value)}", field=path, source=source)
        return cls(value, path, source)

    def error(self, reason: str, name: str = "", hint: str = "") -> RequestError:
        """An error about the field *name*, or about the mapping itself."""
        return RequestError(reason, field=self._path(name), hint=hint, source=self.source)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise for the first field that is not in *known*, with the one that was probably meant."""
        known = tuple(known)
        for name in self.values:
            if name not in known:
                raise self.error("unknown field", str(name), _near(str(name), known))

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name)
        if value is None:
            return self._default(name, default)
        return self._text(value, name)

    def required_text(self, name: str) -> str:
        """Text that must not be empty."""
        text = self.text(name)
        if not text:
            raise self.error("must not be empty", name)
        return text

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.values.get(name)
        if value is None:
            return self._default(name, default)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"must be a whole number, not {self._shown(value)}", name)
        return value

    def texts(self, name: str) -> list[str]:
        return [self._text(value, f"{name}[{i}]") for i, value in enumerate(self.sequence(name))]

    def sequence(self, name: str, default: Sequence[Any] | None = None) -> Sequence[Any]:
        value = self.values.get(name)
        if value is None:
            return self._default(name, default)
        if not isinstance(value, (list, tuple)):
            raise self.error(f"must be a list, not {described(value)}", name)
        return value

    def each(self, name: str, read: Callable[[Fields], T], default: Sequence[Any] | None = None) -> list[T]:
        """*read* applied to each mapping of the list *name*."""
        return [
            read(Fields.of(value, path=self._path(f"{name}[{i}]"), source=self.source))
            for i, value in enumerate(self.sequence(name, default))
        ]

    def _path(self, name: str) -> str:
        return ".".join(filter(None, [self.path, name]))

    def _default(self, name: str, default: T | None) -> T:
        if default is None:
            raise self.error("is missing" if name not in self.values else "must not be null", name)
        return default

    def _text(self, value: object, name: str) -> str:
        if isinstance(value, str):
            return value
        hint = "put it in quotes" if isinstance(value, (int, float)) else ""
        raise self.error(f"must be text, not {self._shown(value)}", name, hint)

    @staticmethod
    def _shown(value: object) -> str:
        return f"the number {value}" if type(value) is float else described(value)


def _near(name: str, known: Sequence[str]) -> str:
    """What may have been meant by *name*: the nearest known field whatever its case and separators."""
    folded = {_fold(candidate): candidate for candidate in known}
    # difflib takes quadratic time, and a document may use a megabyte as a field's name.
    near = difflib.get_close_matches(_fold(name[:_LONGEST_NAME_COMPARED]), folded, n=1)
    if near:
        return f"did you mean {folded[near[0]]}?"
    return f"known here: {', '.join(known)}"


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()
