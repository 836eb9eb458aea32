"""Documents become a catalog: blobs are sorted by schema and linked to their packages in one pass.

A blob is refused if it cannot be assigned or understood: no schema, no name, a known field of the wrong JSON type, or a
second blob of one identity. A blob that can be read but makes no sense (an entry without a bundle, a channel without a
head, a default channel that does not exist) is kept as it is: resolution and validation say whether that matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._arguments import wrong_type
from olmsolve._limits import checked
from olmsolve.catalog import Blob, Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package, Written
from olmsolve.catalog.deprecations import deprecation_of
from olmsolve.catalog.fbc.document import (
    META_FIELDS,
    VALUES_BYTES,
    Document,
    documented,
    equal_keys,
    memory_of,
    plain,
    refuse_long_names,
    schema_of,
)
from olmsolve.catalog.fbc.json_fast import PropertyTable
from olmsolve.catalog.model import blob_of, bundle_of, channel_of, entry_of, package_of
from olmsolve.catalog.origins import LineRun
from olmsolve.catalog.shared_parts import HeldImage, HeldProperties
from olmsolve.errors import CatalogError
from olmsolve.predicates import JsonObject, Property, described, encoded, named

_EMPTY: Final[Mapping[str, Any]] = {}
_NO_IMAGE: Final[HeldImage] = ("", None)


def from_blobs(blobs: Iterable[Mapping[str, Any]], *, origin: str = "") -> Catalog:
    """Make a catalog of *blobs* in memory: mappings, like the documents of a file-based catalog.

    >>> catalog = from_blobs([{"schema": "olm.package", "name": "db", "defaultChannel": "stable"}])
    >>> catalog.packages["db"].default_channel
    'stable'

    The blobs are copied, so that changing them afterwards does not change the catalog. *origin* names the
    catalog in errors. Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON (string
    keys, finite numbers, at most 250 levels deep) or that :func:`link` refuses.
    """
    if not isinstance(blobs, Iterable):
        raise wrong_type(blobs, "an iterable of blobs", "blobs")
    where = origin or "blobs in memory"
    documents = (
        Document(plain(blob, position), position)
        for position, blob in ((Origin(where, number), blob) for number, blob in enumerate(checked(blobs, every=16), 1))
    )
    return link(documents, origin=origin)


def link(documents: Iterable[Document], *, origin: str, properties: PropertyTable | None = None) -> Catalog:
    """Build the catalog of *documents*, keeping their order inside each package.

    Takes possession of the documents' values: the model refers to them without copying. *properties* is the table from
    which the readers of the documents took properties, if they did; it says which types of properties to leave out, and
    ``icon`` stands for the icons of packages.
    """
    linker = Linker(properties)
    for document in documents:
        linker.add(document)
    return linker.catalog(origin)


@attrs.define
class _PackageParts:
    """The parts of a package while its blobs arrive, in any order."""

    blob: dict[str, Any] | None = None
    origin: Origin | None = None
    extra: Mapping[str, Any] = _EMPTY
    written: Written = None
    channels: dict[str, Channel] = attrs.field(factory=dict)
    bundles: dict[str, Bundle] = attrs.field(factory=dict)
    deprecations: tuple[Deprecation, ...] = ()
    deprecations_blob: Blob | None = None


class _RefusedError(Exception):
    """A blob that cannot be assigned or understood; :meth:`Linker.add` adds where it was read."""


class Linker:
    """A builder of a catalog, which takes documents one by one, in any order; see :func:`link`.

    Equal texts become one object, and so do equal properties and layouts of fields: versions of an operator repeat
    nearly everything.
    """

    def __init__(self, properties: PropertyTable | None = None) -> None:
        self._packages: dict[str, _PackageParts] = {}
        self._others: list[Blob] = []
        self._beyond = 0
        self._table = PropertyTable() if properties is None else properties
        self._drop = self._table.drop
        self._names: dict[str, str] = {}
        self._layouts: dict[tuple[str, ...], tuple[str, ...]] = {}
        # The channel before, and its package's entries so far, which come again: 6,932 objects for 10,526 entries.
        self._channel: Channel | None = None
        self._entries: dict[str, ChannelEntry] = {}
        self._run = LineRun("", 0)
        self._outside = LineRun("", 0)
        self._add = {
            "olm.bundle": self._add_bundle,
            "olm.channel": self._add_channel,
            "olm.package": self._add_package,
            "olm.deprecations": self._add_deprecations,
        }

    def add(self, document: Document) -> None:
        """Take *document*, whose value belongs to the catalog from here on."""
        value, origin = document
        properties = value.get("properties")
        if type(properties) is tuple:
            self._add_usual_bundle(value, properties, origin)
            return
        if (same := equal_keys(value)) is not None:
            raise CatalogError(f"the keys {same[0]!r} and {same[1]!r} differ only in letter case", origin=str(origin))
        schema = schema_of(value)
        if not isinstance(schema, str) or not schema:
            _refuse_schema(value, origin)
        value = documented(value, schema)
        try:
            self._add.get(schema, self._add_other)(value, origin)
        except _RefusedError as error:
            raise CatalogError(str(error), origin=str(origin), **_about(schema, value)) from None

    def catalog(self, origin: str) -> Catalog:
        """Return the catalog of all documents that were taken."""
        packages = {name: self._make_package(name, parts) for name, parts in checked(self._packages.items(), every=16)}
        refuse_long_names(self._names, packages.values())
        return Catalog(packages, tuple(self._others), origin)

    def _shared_name(self, value: dict[str, Any], field: str) -> str:
        """Return the name in *field*, as the one object of all equal names."""
        text = _required_name(value, field)
        return self._names.setdefault(text, text)

    def _held_origin(self, origin: Origin) -> tuple[LineRun | str, int]:
        """Return *origin* as a blob keeps it: a run of lines and a number in it, or a file and a position."""
        file, position = origin.file, origin.position
        if (number := self._run.number_of(file, position)) is not None:
            return self._run, number
        # A run of one document is larger than a position, so it takes two lines that follow each other to begin one.
        before, self._outside = self._outside, LineRun(file, position)
        if before.number_of(file, position) == 1:
            self._run = self._outside
            return self._run, 0
        return file, position

    def _parts_of(self, package: str) -> _PackageParts:
        parts = self._packages.get(package)
        if parts is None:
            parts = self._packages[package] = _PackageParts()
        return parts

    def _add_other(self, value: dict[str, Any], origin: Origin) -> None:
        schema = schema_of(value)
        # These two fields mean the same in every schema.
        for field, content in named(value, META_FIELDS).items():
            if field in META_FIELDS and not isinstance(content, str):
                _refuse(f"{field} of {schema} must be a string, not {described(content)}")
        self._count_other(value)
        self._others.append(blob_of(Blob, schema, value, origin.file, origin.position))

    def _count_other(self, value: dict[str, Any]) -> None:
        """Count a blob that is kept as values. Raises _RefusedError for far more memory than text."""
        size = memory_of(value)
        if size > _SMALL:
            self._beyond += size - _TIMES * len(encoded(value))
            if self._beyond > VALUES_BYTES:
                _refuse("with this blob, the blobs of other schemas have far more values than text")

    def _add_package(self, value: dict[str, Any], origin: Origin) -> None:
        name = self._shared_name(value, "name")
        parts = self._parts_of(name)
        if parts.blob is not None:
            _refuse(f"the package is defined twice: first at {parts.origin}")
        _text_field(value, "defaultChannel")
        _text_field(value, "description")
        if "icon" in self._drop:
            value.pop("icon", None)
        is_plain = _is_text(value, "defaultChannel") and _is_text(value, "description")
        parts.written, parts.extra = self._writing_of(value, is_plain=is_plain), _extra(value, _PACKAGE_FIELDS)
        # Fields that the model does not have are kept as text, so that many odd values take no memory.
        parts.blob, parts.origin = {field: value.get(field) for field in _PACKAGE_FIELDS}, origin

    def _add_channel(self, value: dict[str, Any], origin: Origin) -> None:
        package = self._shared_name(value, "package")
        name = self._shared_name(value, "name")
        channels = self._parts_of(package).channels
        if name in channels:
            _refuse(f"the channel is defined twice: first at {channels[name].origin}")
        listed = _list_field(value, "entries")
        entries, are_plain = _channel_entries(listed, self._names, self._entries_of(package))
        properties, is_plain = self._properties(value)
        # A null in place of the list is written back as null.
        is_plain = is_plain and are_plain and value.get("entries", ()) is not None
        written = self._writing_of(value, is_plain=is_plain)
        extra = _extra(value, _CHANNEL_FIELDS)
        channel = channel_of(Channel, package, name, entries, properties, extra, *self._held_origin(origin), written)
        channels[name] = self._channel = channel

    def _entries_of(self, package: str) -> dict[str, ChannelEntry]:
        """Return entries of a package's channels by their names, as far as these channels come together."""
        before = self._channel
        if before is None or before.package != package:
            self._entries = {}
        else:
            self._entries.update((entry.name, entry) for entry in before.entries)
        return self._entries

    def _add_bundle(self, value: dict[str, Any], origin: Origin) -> None:
        package = self._shared_name(value, "package")
        name = self._shared_name(value, "name")
        bundles = self._parts_of(package).bundles
        if name in bundles:
            _refuse(f"the bundle is defined twice in its package: first at {bundles[name].origin}")
        image = _text_field(value, "image")
        properties, is_plain = self._properties(value)
        written = self._writing_of(value, is_plain=is_plain and _is_text(value, "image"))
        extra = _extra(value, _BUNDLE_FIELDS)
        file, position = self._held_origin(origin)
        bundles[name] = bundle_of(Bundle, package, name, properties, image, extra, file, position, written, None, None)

    def _add_usual_bundle(self, value: dict[str, Any], properties: HeldProperties, origin: Origin) -> None:
        """Add the bundle that :meth:`.PropertyTable.usual_bundle` has read."""
        names, package, name = self._names, value["package"], value["name"]
        package, name = names.setdefault(package, package), names.setdefault(name, name)
        bundles = self._parts_of(package).bundles
        if name in bundles:
            reason = f"the bundle is defined twice in its package: first at {bundles[name].origin}"
            raise CatalogError(reason, origin=str(origin), package=package, bundle=name)
        extra = _EMPTY
        if "relatedImages" in value:
            value = documented(value, "olm.bundle")
            extra = _extra(value, _BUNDLE_FIELDS)
        layout = tuple(value)
        layout = self._layouts.setdefault(layout, layout)
        listed, version = properties
        image, digest = value.get("image", _NO_IMAGE)
        file, position = self._held_origin(origin)
        bundles[name] = bundle_of(Bundle, package, name, listed, image, extra, file, position, layout, version, digest)

    def _add_deprecations(self, value: dict[str, Any], origin: Origin) -> None:
        parts = self._parts_of(self._shared_name(value, "package"))
        if parts.deprecations_blob is not None:
            _refuse(f"the package has two olm.deprecations: the first at {parts.deprecations_blob.origin}")
        entries = enumerate(_list_field(value, "entries"))
        parts.deprecations = tuple([_deprecation(entry, number) for number, entry in entries])
        text = JsonObject(encoded(value))
        parts.deprecations_blob = blob_of(Blob, "olm.deprecations", text, origin.file, origin.position)

    def _make_package(self, name: str, parts: _PackageParts) -> Package:
        blob = parts.blob or {}
        origin = parts.origin
        made: Package = package_of(
            Package,
            name,
            blob.get("defaultChannel") or "",
            parts.channels,
            parts.bundles,
            parts.deprecations,
            blob.get("description") or "",
            parts.extra,
            origin.file if origin else None,
            origin.position if origin else 0,
            parts.written,
            parts.deprecations_blob,
        )
        return made

    def _writing_of(self, value: dict[str, Any], *, is_plain: bool) -> Written:
        """Return how a blob was written: with *is_plain* the model holds every value, and the names of fields do."""
        if not is_plain:
            return JsonObject(encoded(value))
        layout = tuple(value)
        return self._layouts.setdefault(layout, layout)

    def _properties(self, value: dict[str, Any]) -> tuple[tuple[Property, ...], bool]:
        """Return the properties, and whether they hold everything that is written in their list."""
        properties = _list_field(value, "properties")
        if self._drop and properties:
            properties = value["properties"] = [item for item in properties if not _is_of_type(item, self._drop)]
        is_plain = bool(properties) or type(value.get("properties", properties)) is list
        made = []
        for number, element in enumerate(properties):
            if not isinstance(element, dict):
                _refuse(f"properties[{number}] must be an object, not {described(element)}")
            kind = element.get("type")
            if type(kind) is not str:
                kind = _text_field(element, "type", f"properties[{number}].")
            made.append(self._table.one_of_equals(kind, encoded(element.get("value"))))
            if not kind or list(element) != _PROPERTY:
                is_plain = False
        return tuple(made), is_plain


_PACKAGE_FIELDS: Final = frozenset({"schema", "name", "defaultChannel", "description"})
_CHANNEL_FIELDS: Final = frozenset({"schema", "name", "package", "entries", "properties"})
_BUNDLE_FIELDS: Final = frozenset({"schema", "name", "package", "image", "properties"})
_PROPERTY: Final = ["type", "value"]
_ENTRY: Final = ("name", "replaces", "skips", "skipRange")
_SHORT_ENTRY: Final = ["name", "replaces"]
_PLAIN_ENTRIES: Final = frozenset(fields for count in range(5) for fields in combinations(_ENTRY, count))
_SMALL: Final = 1 << 16  # bytes in memory of a blob that is too small to be examined
_TIMES: Final = 8  # bytes in memory for each byte of text that are usual


def _refuse(reason: str) -> NoReturn:
    raise _RefusedError(reason)


def _about(schema: str, value: dict[str, Any]) -> dict[str, str]:
    """Return the package, and the channel or bundle, that a refused blob is about, as far as it names them."""
    kind = {"olm.channel": "channel", "olm.bundle": "bundle"}.get(schema)
    if schema not in ("olm.package", "olm.deprecations") and kind is None:
        return {}
    package, name = value.get("name" if schema == "olm.package" else "package"), value.get("name")
    if not isinstance(package, str) or not package:
        return {}
    named = isinstance(name, str) and name
    return {"package": package} | ({kind: str(name)} if kind and named else {})


def _is_text(value: dict[str, Any], field: str) -> bool:
    """Return whether *field* is a text or absent; null becomes \"\" in the model, which would not be written back."""
    return field not in value or type(value[field]) is str


def _is_of_type(item: Any, types: frozenset[str]) -> bool:
    kind = item.get("type") if isinstance(item, dict) else None
    return isinstance(kind, str) and kind in types


def _extra(value: Mapping[str, Any], modelled: frozenset[str]) -> Mapping[str, Any]:
    """Return the fields of a blob other than the *modelled* ones; mostly there are none, and all share one object."""
    if modelled.issuperset(value):
        return _EMPTY
    return JsonObject(encoded({key: field for key, field in value.items() if key not in modelled}))


def _required_name(value: dict[str, Any], field: str) -> str:
    text = value.get(field)
    if not isinstance(text, str) or not text:
        problem = f"not {described(text)}" if field in value else "and it is missing"
        _refuse(f"{field} of {value['schema']} must be a string that is not empty, {problem}")
    return text


def _text_field(value: dict[str, Any], field: str, path: str = "") -> str:
    text = value.get(field)
    if isinstance(text, str):
        return text
    if text is not None:
        _refuse(f"{path}{field} must be a string, not {described(text)}")
    return ""


def _list_field(value: dict[str, Any], field: str, path: str = "") -> list[Any]:
    elements = value.get(field)
    if isinstance(elements, list):
        return elements
    if elements is not None:
        _refuse(f"{path}{field} must be a list, not {described(elements)}")
    return []


def _channel_entries(
    listed: list[Any], names: dict[str, str], known: dict[str, ChannelEntry]
) -> tuple[tuple[ChannelEntry, ...], bool]:
    """Return the entries, and whether they hold all that is written; one that equals a *known* entry is that object."""
    same = names.setdefault
    entries = []
    are_plain = True
    for number, entry in enumerate(checked(listed, every=16)):
        # Nearly all entries are these two texts: community-prod loads in 81 ms, and in 86 without this look.
        if type(entry) is dict and list(entry) == _SHORT_ENTRY:
            name, replaces = entry.values()
            if type(name) is str is type(replaces) and name and replaces:
                made = known.get(name)
                if made is None or made.replaces != replaces or made.skips or made.skip_range:
                    made = entry_of(ChannelEntry, same(name, name), same(replaces, replaces), (), "")
                entries.append(made)
                continue
        made = _channel_entry(entry, number, names)
        before = known.get(made.name)
        entries.append(before if before is not None and before == made else made)
        # The model holds all of a plain entry: known fields that are not empty, in their usual order.
        are_plain = are_plain and tuple(entry) in _PLAIN_ENTRIES and all(entry.values())
    return tuple(entries), are_plain


def _channel_entry(entry: Any, number: int, names: dict[str, str]) -> ChannelEntry:
    # Equal names are one object: of an entry, of the entry that replaces it, and of its bundle.
    same = names.setdefault
    path = f"entries[{number}]"
    if not isinstance(entry, dict):
        _refuse(f"{path} must be an object, not {described(entry)}")
    path += "."
    skips = _list_field(entry, "skips", path)
    for index, skipped in enumerate(skips):
        if not isinstance(skipped, str):
            _refuse(f"{path}skips[{index}] must be a string, not {described(skipped)}")
    name, replaces = _text_field(entry, "name", path), _text_field(entry, "replaces", path)
    return entry_of(
        ChannelEntry,
        same(name, name),
        same(replaces, replaces),
        tuple([same(skipped, skipped) for skipped in skips]),
        _text_field(entry, "skipRange", path),
    )


def _deprecation(entry: Any, number: int) -> Deprecation:
    path = f"entries[{number}]"
    if not isinstance(entry, dict):
        _refuse(f"{path} must be an object, not {described(entry)}")
    reference = entry.get("reference")
    if not isinstance(reference, dict):
        _refuse(f"{path}.reference must be an object, not {described(reference)}")
    return deprecation_of(
        Deprecation,
        _text_field(reference, "schema", f"{path}.reference."),
        _text_field(reference, "name", f"{path}.reference."),
        _text_field(entry, "message", f"{path}."),
    )


def _refuse_schema(value: dict[str, Any], origin: Origin) -> NoReturn:
    meta = named(value, META_FIELDS)
    if "schema" in meta:
        reason = f"schema must be a string that is not empty, not {described(meta['schema'])}"
    else:
        reason = "the document has no schema, so it is not a blob of a file-based catalog"
    raise CatalogError(reason, origin=str(origin))
