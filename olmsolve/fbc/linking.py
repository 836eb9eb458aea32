"""Documents become a catalog: blobs are sorted by schema and linked to their packages in one pass.

A blob is refused when it cannot be placed or understood: no schema, no name, a known field of the wrong JSON
type, or a second blob of one identity. A blob that can be read but makes no sense (an entry without a bundle,
a channel without a head, a default channel that does not exist) is kept as it is: whether that matters is for
resolution and validation to say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn

import attrs

from olmsolve.catalog import (
    Blob,
    Bundle,
    Catalog,
    Channel,
    ChannelEntry,
    Deprecation,
    Origin,
    Package,
    Property,
)
from olmsolve.errors import CatalogError
from olmsolve.fbc.document import Document
from olmsolve.fbc.plain import described, plain

__all__ = ["from_blobs", "link"]

_EMPTY: Final[Mapping[str, Any]] = {}


def from_blobs(blobs: Iterable[Mapping[str, Any]], *, origin: str = "") -> Catalog:
    """Make a catalog of *blobs* in memory: mappings as a file-based catalog's documents hold them.

    The blobs are copied, so that changing them afterwards does not change the catalog. *origin* names the
    catalog in errors. Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON (string
    keys, finite numbers, at most 250 levels deep) or that :func:`link` refuses.
    """
    where = origin or "blobs in memory"
    documents = (
        Document(plain(blob, place), place)
        for place, blob in ((Origin(where, number), blob) for number, blob in enumerate(blobs, 1))
    )
    return link(documents, origin=origin)


def link(documents: Iterable[Document], *, origin: str = "") -> Catalog:
    """Build the catalog of *documents*, keeping their order inside each package.

    Takes possession of the documents' values: the model refers to them without copying.
    """
    linker = _Linker()
    for document in documents:
        linker.add(document)
    return linker.catalog(origin)


@attrs.define
class _Draft:
    """A package while its blobs arrive, in any order."""

    blob: dict[str, Any] | None = None
    origin: Origin | None = None
    channels: dict[str, Channel] = attrs.field(factory=dict)
    bundles: dict[str, Bundle] = attrs.field(factory=dict)
    deprecations: tuple[Deprecation, ...] = ()
    deprecations_origin: Origin | None = None


class _Linker:
    def __init__(self) -> None:
        self._drafts: dict[str, _Draft] = {}
        self._others: list[Blob] = []
        self._shared: dict[tuple[Any, ...], Property] = {}

    def add(self, document: Document) -> None:
        value, origin = document
        schema = value.get("schema")
        if schema == "olm.bundle":
            self._bundle(value, origin)
        elif schema == "olm.channel":
            self._channel(value, origin)
        elif schema == "olm.package":
            self._package(value, origin)
        elif schema == "olm.deprecations":
            self._deprecations(value, origin)
        elif isinstance(schema, str) and schema:
            self._other(schema, value, origin)
        else:
            _refuse_schema(value, origin)

    def catalog(self, origin: str) -> Catalog:
        packages = {name: _finish(name, draft) for name, draft in self._drafts.items()}
        return Catalog(packages, tuple(self._others), origin)

    def _draft(self, package: str) -> _Draft:
        draft = self._drafts.get(package)
        if draft is None:
            draft = self._drafts[package] = _Draft()
        return draft

    def _other(self, schema: str, value: dict[str, Any], origin: Origin) -> None:
        # These two fields mean the same in every schema.
        for field in ("name", "package"):
            if field in value and not isinstance(value[field], str):
                reason = f"{field} of {schema} must be a string, not {described(value[field])}"
                _Place(origin).refuse(reason)
        self._others.append(Blob(schema, value, origin))

    def _package(self, value: dict[str, Any], origin: Origin) -> None:
        name = _identity(value, "name", _Place(origin))
        place = _Place(origin, package=name)
        draft = self._draft(name)
        if draft.blob is not None:
            place.refuse(f"the package is defined twice: first at {draft.origin}")
        _text(value, "defaultChannel", place)
        _text(value, "description", place)
        draft.blob, draft.origin = value, origin

    def _channel(self, value: dict[str, Any], origin: Origin) -> None:
        package = _identity(value, "package", _Place(origin))
        name = _identity(value, "name", _Place(origin, package=package))
        place = _Place(origin, package=package, channel=name)
        channels = self._draft(package).channels
        if name in channels:
            place.refuse(f"the channel is defined twice: first at {channels[name].origin}")
        entries = tuple(_entry(entry, number, place) for number, entry in enumerate(_list(value, "entries", place)))
        properties = self._properties(value, place)
        channels[name] = Channel(package, name, entries, properties, _extra(value, _CHANNEL_FIELDS), origin)

    def _bundle(self, value: dict[str, Any], origin: Origin) -> None:
        package = _identity(value, "package", _Place(origin))
        name = _identity(value, "name", _Place(origin, package=package))
        place = _Place(origin, package=package, bundle=name)
        bundles = self._draft(package).bundles
        if name in bundles:
            place.refuse(f"the bundle is defined twice in its package: first at {bundles[name].origin}")
        image = _text(value, "image", place)
        properties = self._properties(value, place)
        bundles[name] = Bundle(package, name, properties, image, _extra(value, _BUNDLE_FIELDS), origin)

    def _deprecations(self, value: dict[str, Any], origin: Origin) -> None:
        package = _identity(value, "package", _Place(origin))
        place = _Place(origin, package=package)
        draft = self._draft(package)
        if draft.deprecations_origin is not None:
            place.refuse(f"the package has two olm.deprecations: the first at {draft.deprecations_origin}")
        draft.deprecations = tuple(
            _deprecation(entry, number, place) for number, entry in enumerate(_list(value, "entries", place))
        )
        draft.deprecations_origin = origin

    def _properties(self, value: dict[str, Any], place: _Place) -> tuple[Property, ...]:
        return tuple(
            self._property(element, number, place) for number, element in enumerate(_list(value, "properties", place))
        )

    def _property(self, element: Any, number: int, place: _Place) -> Property:
        if not isinstance(element, dict):
            place.refuse(f"properties[{number}] must be an object, not {described(element)}")
        kind = element.get("type")
        value = element.get("value")
        if not isinstance(kind, str):
            if kind is not None:
                place.refuse(f"properties[{number}].type must be a string, not {described(kind)}")
            kind = ""
        kind = sys.intern(kind)
        if kind != "olm.gvk" or not isinstance(value, dict) or len(value) != 3:
            return Property(kind, value)
        # A version mostly provides what the version before it provided.
        key = value.get("group"), value.get("version"), value.get("kind")
        if not all(isinstance(part, str) for part in key):
            return Property(kind, value)
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = Property(kind, value)
        return shared


_PACKAGE_FIELDS: Final = frozenset({"schema", "name", "defaultChannel", "description"})
_CHANNEL_FIELDS: Final = frozenset({"schema", "name", "package", "entries", "properties"})
_BUNDLE_FIELDS: Final = frozenset({"schema", "name", "package", "image", "properties"})


class _Place(NamedTuple):
    """What an error is about."""

    origin: Origin
    package: str = ""
    channel: str = ""
    bundle: str = ""

    def refuse(self, reason: str) -> NoReturn:
        raise CatalogError(
            reason, origin=str(self.origin), package=self.package, channel=self.channel, bundle=self.bundle
        )


def _finish(name: str, draft: _Draft) -> Package:
    blob = draft.blob or _EMPTY
    return Package(
        name,
        blob.get("defaultChannel") or "",
        draft.channels,
        draft.bundles,
        draft.deprecations,
        blob.get("description") or "",
        _extra(blob, _PACKAGE_FIELDS),
        draft.origin,
    )


def _extra(value: Mapping[str, Any], known: frozenset[str]) -> Mapping[str, Any]:
    if known.issuperset(value):
        return _EMPTY
    return {key: field for key, field in value.items() if key not in known}


def _identity(value: dict[str, Any], field: str, place: _Place) -> str:
    text = value.get(field)
    if not isinstance(text, str) or not text:
        problem = f"not {described(text)}" if field in value else "and it is missing"
        place.refuse(f"{field} of {value['schema']} must be a string that is not empty, {problem}")
    return sys.intern(text)


def _text(value: dict[str, Any], field: str, place: _Place, path: str = "") -> str:
    text = value.get(field)
    if isinstance(text, str):
        return text
    if text is not None:
        place.refuse(f"{path}{field} must be a string, not {described(text)}")
    return ""


def _list(value: dict[str, Any], field: str, place: _Place, path: str = "") -> list[Any]:
    elements = value.get(field)
    if isinstance(elements, list):
        return elements
    if elements is not None:
        place.refuse(f"{path}{field} must be a list, not {described(elements)}")
    return []


def _entry(entry: Any, number: int, place: _Place) -> ChannelEntry:
    path = f"entries[{number}]"
    if not isinstance(entry, dict):
        place.refuse(f"{path} must be an object, not {described(entry)}")
    path += "."
    skips = _list(entry, "skips", place, path)
    for index, skipped in enumerate(skips):
        if not isinstance(skipped, str):
            place.refuse(f"{path}skips[{index}] must be a string, not {described(skipped)}")
    return ChannelEntry(
        sys.intern(_text(entry, "name", place, path)),
        sys.intern(_text(entry, "replaces", place, path)),
        tuple(map(sys.intern, skips)),
        _text(entry, "skipRange", place, path),
    )


def _deprecation(entry: Any, number: int, place: _Place) -> Deprecation:
    path = f"entries[{number}]"
    if not isinstance(entry, dict):
        place.refuse(f"{path} must be an object, not {described(entry)}")
    reference = entry.get("reference")
    if not isinstance(reference, dict):
        place.refuse(f"{path}.reference must be an object, not {described(reference)}")
    return Deprecation(
        _text(reference, "schema", place, f"{path}.reference."),
        _text(reference, "name", place, f"{path}.reference."),
        _text(entry, "message", place, f"{path}."),
    )


def _refuse_schema(value: dict[str, Any], origin: Origin) -> NoReturn:
    near = next((key for key in value if key.casefold() == "schema" and key != "schema"), None)
    if "schema" in value:
        reason = f"schema must be a string that is not empty, not {described(value['schema'])}"
    elif near is not None:
        reason = f"the document has no schema (it has {near!r}: names of fields are case-sensitive)"
    else:
        reason = "the document has no schema, so it is not a blob of a file-based catalog"
    raise CatalogError(reason, origin=str(origin))
