"""Fields of the configurations of composite catalogs: typed, and named by their paths where they are wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any

import attrs

from olmsolve.errors import CatalogError
from olmsolve.predicates import described


@attrs.frozen
class ConfigFields:
    """The object *value* at *path* in the document *origin*."""

    value: Mapping[str, Any]
    origin: str
    path: str = ""

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raise CatalogError for a field that is none of *known*."""
        for field in self.value:
            if field not in known:
                raise self.error(field, f"there is no such field; known are {', '.join(known)}")

    def text(self, field: str) -> str:
        """Return the text *field*, "" where it is absent. Raises CatalogError."""
        found = self.value.get(field)
        if found is not None and not isinstance(found, str):
            raise self.error(field, f"must be a string, not {described(found)}")
        return found or ""

    def required(self, field: str) -> str:
        """Return the text *field*, which must not be empty. Raises CatalogError."""
        return self.text(field) or self._refuse_empty(field)

    def path_in_catalog(self, field: str) -> str:
        """Return the *field*, a path of a file or folder of the catalog. Raises CatalogError for one that leaves it."""
        text = self.required(field)
        path = PurePosixPath(text)
        parts = [part for part in path.parts if part != "."]
        if path.is_absolute() or ".." in parts or not parts or any(sign in text for sign in "\\\0:"):
            raise self.error(field, f"must be a path inside of the catalog, not {text!r}")
        return "/".join(parts)

    def part(self, field: str) -> ConfigFields:
        """Return the object *field*, an empty one where it is absent. Raises CatalogError."""
        found = self.value.get(field)
        if found is not None and not isinstance(found, dict):
            raise self.error(field, f"must be an object, not {described(found)}")
        return ConfigFields(found or {}, self.origin, self._at(field))

    def parts(self, field: str) -> list[ConfigFields]:
        """Return the objects in the list *field*, which must not be empty. Raises CatalogError."""
        found = self.value.get(field)
        if not isinstance(found, list) or not found:
            raise self.error(field, "must be a list of objects that is not empty")
        for number, each in enumerate(found):
            if not isinstance(each, dict):
                raise self.error(f"{field}[{number}]", f"must be an object, not {described(each)}")
        return [ConfigFields(each, self.origin, self._at(f"{field}[{number}]")) for number, each in enumerate(found)]

    def texts(self, field: str) -> list[str]:
        """Return the texts in the list *field*. Raises CatalogError."""
        found = self.value.get(field)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.error(field, "must be a list of strings")
        return found

    def error(self, field: str, reason: str) -> CatalogError:
        """Return the error about *field*."""
        return CatalogError(f"{self._at(field)}: {reason}", origin=self.origin)

    def _at(self, field: str) -> str:
        return f"{self.path}.{field}" if self.path else field

    def _refuse_empty(self, field: str) -> str:
        raise self.error(field, "must be a string that is not empty")
