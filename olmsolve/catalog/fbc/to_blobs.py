"""The catalog model becomes blobs again, with the order and the unknown fields that they were written with.

A blob that was read remembers how it was written, as far as its model does not say it
(:data:`olmsolve.catalog.Written`). The model always wins: a change to it is a change to the blob, and the rest of the
blob stays as it was. For example::

    written: {"schema": "olm.bundle", "package": "db", "name": "db.v1", "image": null, "x": 1}
    model: name "db.v1", package "db", image "", extra {"x": 1}, nothing changed: the same blob, with "image": null
    image changed to "r/db:1": {"schema": ..., "package": "db", "name": "db.v1", "image": "r/db:1", "x": 1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package, Written
from olmsolve.catalog.fbc.document import Document
from olmsolve.errors import RequestError
from olmsolve.predicates import JsonObject, OwnValue, Property, encoded

_ALWAYS: Final = frozenset({"schema", "name", "package"})


def blobs(catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Return the blobs of *catalog* in the order in which they were read; each is new and the caller's own.

    A blob that was added in memory follows the one before it in the model.
    """
    return (document.value for document in documents(catalog))


def documents(
    catalog: Catalog, ready: Callable[[Bundle], dict[str, Any] | None] = lambda _: None
) -> Iterator[Document]:
    """Yield :func:`blobs` with their origins; a blob that was made in memory has the catalog's.

    *ready* may give something in the place of the blob of a bundle.
    """
    made_here = Origin(catalog.origin or "blobs in memory")
    parts = list(_blob_makers(catalog, ready))
    keys: list[tuple[Any, ...]] = []
    key: tuple[Any, ...] = ()
    for origin, _ in parts:
        key = (origin.file.split("/"), origin.document) if origin is not None else key
        keys.append(key)
    for index in sorted(range(len(parts)), key=keys.__getitem__):
        origin, made = parts[index]
        blob = made()
        if blob is not None:
            yield Document(blob, origin or made_here)


def package_blob(package: Package) -> dict[str, Any] | None:
    """Return the ``olm.package`` blob; None if only channels or bundles name the package."""
    if not (package.origin or package.written or package.default_channel or package.description or package.extra):
        return None
    modelled = {
        "schema": "olm.package",
        "name": package.name,
        "defaultChannel": package.default_channel,
        "description": package.description,
    }
    return _merged(package.written, modelled, package.extra)


def channel_blob(channel: Channel) -> dict[str, Any]:
    """Return the ``olm.channel`` blob."""
    modelled = {
        "schema": "olm.channel",
        "name": channel.name,
        "package": channel.package,
        "entries": channel.entries,
        "properties": channel.properties,
    }
    return _merged(channel.written, modelled, channel.extra)


def bundle_blob(bundle: Bundle) -> dict[str, Any]:
    """Return the ``olm.bundle`` blob."""
    modelled = {
        "schema": "olm.bundle",
        "name": bundle.name,
        "package": bundle.package,
        "image": bundle.image,
        "properties": bundle.properties,
    }
    return _merged(bundle.written, modelled, bundle.extra)


def deprecations_blob(package: Package) -> dict[str, Any] | None:
    """Return the ``olm.deprecations`` blob; None if nothing of the package is deprecated."""
    blob = package.deprecations_blob
    original = blob.value if blob is not None and isinstance(blob.value, JsonObject) else None
    was = original.decoded() if original is not None else {}
    if not package.deprecations and (original is None or was.get("entries")):
        return None
    modelled = {"schema": "olm.deprecations", "package": package.name, "entries": package.deprecations}
    others = {key: value for key, value in was.items() if key not in modelled}
    return _merged(original, modelled, others)


def _blob_makers(
    catalog: Catalog, ready: Callable[[Bundle], dict[str, Any] | None]
) -> Iterator[tuple[Origin | None, Callable[[], dict[str, Any] | None]]]:
    """Yield the origin of each blob and a function that makes it: sorted are origins alone, and blobs are large."""
    for package in catalog:
        yield package.origin, partial(package_blob, package)
        for channel in package.channels.values():
            yield channel.origin, partial(channel_blob, channel)
        for bundle in package.bundles.values():
            yield bundle.origin, partial(_ready_or_blob, ready, bundle)
        blob = package.deprecations_blob
        yield blob.origin if blob is not None else None, partial(deprecations_blob, package)
    for other in catalog.others:
        yield other.origin, partial(dict, other.value)


def _ready_or_blob(ready: Callable[[Bundle], dict[str, Any] | None], bundle: Bundle) -> dict[str, Any]:
    made = ready(bundle)
    return bundle_blob(bundle) if made is None else made


def _merged(original: Written, modelled: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields *modelled* and *extra* of a blob, laid out as *original* is."""
    others = dict(extra)
    was: dict[str, Any] = original.decoded() if isinstance(original, JsonObject) else {}
    layout: Iterable[str] = was or (original if isinstance(original, tuple) else ())
    blob: dict[str, Any] = {}
    for key in layout:
        if key in modelled:
            blob[key] = _field(key, modelled[key], was.get(key), is_there=key in was)
        elif key in others:
            blob[key] = others[key]
    for key, value in modelled.items():
        if key not in blob and (value or key in _ALWAYS):
            blob[key] = _field(key, value, None, is_there=False)
    return blob | others


def _field(key: str, value: Any, was: Any, *, is_there: bool) -> Any:
    if isinstance(value, str):
        # Null stands for an absent text.
        return was if is_there and (was or "") == value else value
    if is_there and not was and not value:
        return was
    old = was if isinstance(was, list) else []
    if key == "properties":
        return _properties(value, old)
    return _elements(value, old)


def _properties(properties: Sequence[Property], was: list[Any]) -> list[Any]:
    """Return the properties; an unchanged one as it was written, with other fields or without a value."""
    old: dict[tuple[str, bytes], list[Any]] = {}
    for element in reversed(was):
        old.setdefault((element.get("type") or "", encoded(element.get("value"))), []).append(element)
    made = []
    for property_ in properties:
        same = old.get((property_.type, property_.text)) if old else None
        if isinstance(property_.value, OwnValue):
            says = f"{property_.value} is a predicate of a program, which cannot be written down"
            raise RequestError(says, field=f"properties ({property_.type})")
        made.append(same.pop() if same else {"type": property_.type, "value": property_.value})
    return made


def _elements(elements: Sequence[ChannelEntry | Deprecation], was: list[Any]) -> list[Any]:
    """Return the entries of a channel or of deprecations, each with the unknown fields of the old one of its name."""
    old: dict[Any, list[Any]] = {}
    for element in reversed(was):
        old.setdefault(_key_of(element), []).append(element)
    made = []
    for part in elements:
        same = old.get(part.name if isinstance(part, ChannelEntry) else (part.schema, part.name))
        element = same.pop() if same else {}
        made.append(_entry(part, element) if isinstance(part, ChannelEntry) else _deprecation(part, element))
    return made


def _key_of(element: dict[str, Any]) -> Any:
    reference = element.get("reference")
    if reference is None:
        return element.get("name") or ""
    return reference.get("schema") or "", reference.get("name") or ""


def _entry(entry: ChannelEntry, was: dict[str, Any]) -> dict[str, Any]:
    modelled = {
        "name": entry.name,
        "replaces": entry.replaces,
        "skips": list(entry.skips),
        "skipRange": entry.skip_range,
    }
    return _updated(modelled, was)


def _deprecation(deprecation: Deprecation, was: dict[str, Any]) -> dict[str, Any]:
    reference = _updated({"schema": deprecation.schema, "name": deprecation.name}, was.get("reference") or {})
    return _updated({"reference": reference, "message": deprecation.message}, was)


def _updated(modelled: Mapping[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """Return *was* with the fields *modelled*; an empty field is written only if it was."""
    blob = {}
    for key, value in was.items():
        if key not in modelled:
            blob[key] = value
        elif modelled[key] or not value:
            blob[key] = modelled[key] or value
    return blob | {key: value for key, value in modelled.items() if value and key not in blob}
