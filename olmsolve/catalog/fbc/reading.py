"""From the catalog model back to blobs, with the order and the other fields that they were written with.

A blob that was read remembers how it was written as far as its model does not say it
(:data:`olmsolve.catalog.Written`). The model always wins: what was changed in it is changed in the blob, and the rest
of the blob stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package, Written
from olmsolve.catalog.fbc.document import Document
from olmsolve.predicates import JsonObject, Property, encoded

__all__ = ["blobs", "bundle_blob", "channel_blob", "deprecations_blob", "documents", "package_blob"]

_ALWAYS: Final = frozenset({"schema", "name", "package"})


def blobs(catalog: Catalog) -> Iterator[dict[str, Any]]:
    """The blobs of *catalog* in the order in which they were read, each new and the caller's own.

    What was added in memory follows what it stands behind in the model.
    """
    return (document.value for document in documents(catalog))


def documents(catalog: Catalog) -> Iterator[Document]:
    """The same with the places where the blobs were read; of one made in memory, it is the catalog's."""
    place = Origin(catalog.origin or "blobs in memory")
    parts = list(_parts(catalog))
    keys: list[tuple[Any, ...]] = []
    key: tuple[Any, ...] = ()
    for origin, _ in parts:
        key = (origin.file.split("/"), origin.document) if origin is not None else key
        keys.append(key)
    for index in sorted(range(len(parts)), key=keys.__getitem__):
        origin, made = parts[index]
        blob = made()
        if blob is not None:
            yield Document(blob, origin or place)


def package_blob(package: Package) -> dict[str, Any] | None:
    """The ``olm.package`` blob; None where there is none, only channels or bundles that name the package."""
    if not (package.origin or package.written or package.default_channel or package.description or package.extra):
        return None
    known = {
        "schema": "olm.package",
        "name": package.name,
        "defaultChannel": package.default_channel,
        "description": package.description,
    }
    return _merged(package.written, known, package.extra)


def channel_blob(channel: Channel) -> dict[str, Any]:
    """The ``olm.channel`` blob."""
    known = {
        "schema": "olm.channel",
        "name": channel.name,
        "package": channel.package,
        "entries": channel.entries,
        "properties": channel.properties,
    }
    return _merged(channel.written, known, channel.extra)


def bundle_blob(bundle: Bundle) -> dict[str, Any]:
    """The ``olm.bundle`` blob."""
    known = {
        "schema": "olm.bundle",
        "name": bundle.name,
        "package": bundle.package,
        "image": bundle.image,
        "properties": bundle.properties,
    }
    return _merged(bundle.written, known, bundle.extra)


def deprecations_blob(package: Package) -> dict[str, Any] | None:
    """The ``olm.deprecations`` blob; None where nothing of the package is deprecated."""
    blob = package.deprecations_blob
    written = blob.value if blob is not None and isinstance(blob.value, JsonObject) else None
    was = written.decoded() if written is not None else {}
    if not package.deprecations and (written is None or was.get("entries")):
        return None
    known = {"schema": "olm.deprecations", "package": package.name, "entries": package.deprecations}
    others = {key: value for key, value in was.items() if key not in known}
    return _merged(written, known, others)


def _parts(catalog: Catalog) -> Iterator[tuple[Origin | None, Callable[[], dict[str, Any] | None]]]:
    for package in catalog:
        yield package.origin, partial(package_blob, package)
        for channel in package.channels.values():
            yield channel.origin, partial(channel_blob, channel)
        for bundle in package.bundles.values():
            yield bundle.origin, partial(bundle_blob, bundle)
        blob = package.deprecations_blob
        yield blob.origin if blob is not None else None, partial(deprecations_blob, package)
    for other in catalog.others:
        yield other.origin, partial(dict, other.value)


def _merged(written: Written, known: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """What the model says in *known* and *extra*, laid out as it was *written*."""
    others = dict(extra)
    was: dict[str, Any] = written.decoded() if isinstance(written, JsonObject) else {}
    layout: Iterable[str] = was or (written if isinstance(written, tuple) else ())
    blob: dict[str, Any] = {}
    for key in layout:
        if key in known:
            blob[key] = _field(key, known[key], was.get(key), is_there=key in was)
        elif key in others:
            blob[key] = others[key]
    for key, value in known.items():
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
    """As they were written where nothing changed: with fields beside type and value, or without one of them."""
    old: dict[tuple[str, bytes], list[Any]] = {}
    for element in reversed(was):
        old.setdefault((element.get("type") or "", encoded(element.get("value"))), []).append(element)
    made = []
    for each in properties:
        same = old.get((each.type, each.text)) if old else None
        made.append(same.pop() if same else {"type": each.type, "value": each.value})
    return made


def _elements(elements: Sequence[ChannelEntry | Deprecation], was: list[Any]) -> list[Any]:
    """Entries of a channel or of deprecations, each with what else was written in the one of its name."""
    old: dict[Any, list[Any]] = {}
    for element in reversed(was):
        old.setdefault(_key_of(element), []).append(element)
    made = []
    for each in elements:
        if isinstance(each, ChannelEntry):
            same = old.get(each.name)
            made.append(_entry(each, same.pop() if same else {}))
        else:
            same = old.get((each.schema, each.name))
            made.append(_deprecation(each, same.pop() if same else {}))
    return made


def _key_of(element: dict[str, Any]) -> Any:
    reference = element.get("reference")
    if reference is None:
        return element.get("name") or ""
    return reference.get("schema") or "", reference.get("name") or ""


def _entry(entry: ChannelEntry, was: dict[str, Any]) -> dict[str, Any]:
    known = {
        "name": entry.name,
        "replaces": entry.replaces,
        "skips": list(entry.skips),
        "skipRange": entry.skip_range,
    }
    return _updated(known, was)


def _deprecation(deprecation: Deprecation, was: dict[str, Any]) -> dict[str, Any]:
    reference = _updated({"schema": deprecation.schema, "name": deprecation.name}, was.get("reference") or {})
    return _updated({"reference": reference, "message": deprecation.message}, was)


def _updated(known: Mapping[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """*was* with the fields of *known*; those that say nothing are written only where they were."""
    blob = {}
    for key, value in was.items():
        if key not in known:
            blob[key] = value
        elif known[key] or not value:
            blob[key] = known[key] or value
    return blob | {key: value for key, value in known.items() if value and key not in blob}
