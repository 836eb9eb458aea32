"""The fields of an ``olm.semver`` document, read strictly: unknown fields and wrong types are errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn

import attrs

from olmsolve.authoring.templates.reading import TemplateDocument, field
from olmsolve.authoring.templates.streams import STABILITIES, Kind
from olmsolve.errors import CatalogError
from olmsolve.predicates import described
from olmsolve.semver import quote

_SCHEMA: Final = "olm.semver"
_MAJOR: Final = "generateMajorChannels"
_MINOR: Final = "generateMinorChannels"
_PREFERENCE: Final = "defaultChannelTypePreference"


@attrs.frozen
class SemverFields:
    """The *images* of each stability, in their order; the *kinds* of channels to make, and the *preferred* kind."""

    images: Mapping[str, tuple[str, ...]]
    kinds: frozenset[Kind]
    preferred: Kind


def read_fields(document: TemplateDocument | None) -> SemverFields:
    """Read the fields of *document*; None reads as an empty one. Raises :class:`~olmsolve.errors.CatalogError`."""
    return _FieldReader(document).fields()


class _FieldReader:
    """The reader of one document; it raises the first fault, in words of ``opm`` where ``opm`` has its own."""

    def __init__(self, document: TemplateDocument | None) -> None:
        self._value: Mapping[str, Any] = document.value if document else {}
        self._origin = str(document.origin) if document else ""
        self._repeated = document.repeated if document else ""

    def fields(self) -> SemverFields:
        if self._repeated:
            self._refuse(f"error converting YAML to JSON: the key {quote(self._repeated)} is already set in map")
        self._refuse_unknown_fields(self._value, ("schema", _MAJOR, _MINOR, _PREFERENCE, *STABILITIES))
        schema = self._typed(self._value, "schema", str, "")
        major = self._typed(self._value, _MAJOR, bool, "")
        minor = self._typed(self._value, _MINOR, bool, "")
        preference = self._typed(self._value, _PREFERENCE, str, "")
        images = {stability: self._images(stability) for stability in STABILITIES}
        if schema != _SCHEMA:
            self._refuse(f"readFile: input file has unknown schema, should be {quote(_SCHEMA)}")
        kinds: set[Kind] = set()
        if major:
            kinds.add("major")
        if minor or not major:
            kinds.add("minor")
        return SemverFields(images, frozenset(kinds), self._preferred_kind(preference, kinds))

    def _preferred_kind(self, preference: str, kinds: set[Kind]) -> Kind:
        if not preference:
            return "minor" if "minor" in kinds else "major"
        kind: Kind = "major" if preference == "major" else "minor"
        if preference != kind:
            self._refuse(
                f"unknown DefaultChannelTypePreference: {quote(preference)}\nValid values are 'major' or 'minor'"
            )
        if kind not in kinds:
            self._refuse(
                f"schema attribute mismatch: DefaultChannelTypePreference set to '{kind}' doesn't make sense"
                f" if not generating {kind}-version channels"
            )
        return kind

    def _images(self, stability: str) -> tuple[str, ...]:
        listed: Mapping[str, Any] = self._typed(self._value, stability, dict, "")
        self._refuse_unknown_fields(listed, ("bundles",))
        bundles: list[Any] = self._typed(listed, "bundles", list, f"{stability}.")
        images: list[str] = []
        for number, bundle in enumerate(bundles):
            path = f"{stability}.bundles[{number}]"
            if bundle is not None and not isinstance(bundle, dict):
                self._refuse_json(f"{path} must be an object, not {described(bundle)}")
            self._refuse_unknown_fields(bundle or {}, ("image",))
            images.append(self._typed(bundle or {}, "image", str, f"{path}."))
        return tuple(images)

    def _refuse_unknown_fields(self, value: Mapping[str, Any], names: Iterable[str]) -> None:
        folded = {name.casefold() for name in names}
        for key in value:
            if key.casefold() not in folded:
                self._refuse_json(f"while decoding JSON: json: unknown field {quote(key)}")

    def _typed(self, value: Mapping[str, Any], name: str, kind: type, path: str) -> Any:
        found = field(value, name)
        # Go reads null, and an absent field, as the empty value of the type.
        if found is None:
            return kind()
        if not isinstance(found, kind):
            wanted = {str: "a string", bool: "a boolean", list: "a list", dict: "an object"}[kind]
            self._refuse_json(f"{path}{name} must be {wanted}, not {described(found)}")
        return found

    def _refuse_json(self, reason: str) -> NoReturn:
        self._refuse(f"error unmarshaling JSON: {reason}")

    def _refuse(self, reason: str) -> NoReturn:
        raise CatalogError(f"render: unable to read file: {reason}", origin=self._origin)
