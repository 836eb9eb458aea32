"""The catalog model becomes blobs again, and blobs text: one text of all, or a folder with one file for each package.

A blob that was read remembers how it was written, as far as its model does not say it
(:data:`olmsolve.catalog.Written`). The model always wins: a change to it is a change to the blob, and the rest of the
blob stays as it was. For example::

    written: {"schema": "olm.bundle", "package": "db", "name": "db.v1", "image": null, "x": 1}
    model: name "db.v1", package "db", image "", extra {"x": 1}, nothing changed: the same blob, with "image": null
    image changed to "r/db:1": {"schema": ..., "package": "db", "name": "db.v1", "image": "r/db:1", "x": 1}
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from olmsolve._arguments import wrong_type
from olmsolve._limits import check, checked, checked_if_long
from olmsolve._patterns import pattern
from olmsolve._whole_files import write_whole, write_whole_folder
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Deprecation, Origin, Package, Written
from olmsolve.catalog.archives import reason_of, shown
from olmsolve.catalog.fbc.document import Document, name_of, package_named_by, plain, schema_of
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import JsonObject, OwnValue, Property, encoded
from olmsolve.semver import quote

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
    for origin, _ in checked(parts, every=64):
        key = (origin.file.split("/"), origin.document) if origin is not None else key
        keys.append(key)
    for index in checked(sorted(range(len(parts)), key=keys.__getitem__), every=4):
        origin, made = parts[index]
        blob = made()
        if blob is not None:
            yield Document(blob, origin or made_here)


def package_blob(package: Package) -> dict[str, Any] | None:
    """Return the ``olm.package`` blob; None if only channels or bundles name the package."""
    if not (package.origin or package.written or package.default_channel or package.description or package.extra):
        return None
    fields = {"defaultChannel": package.default_channel, "description": package.description}
    return _blob_of(package, "olm.package", fields)


def channel_blob(channel: Channel) -> dict[str, Any]:
    """Return the ``olm.channel`` blob."""
    fields = {"package": channel.package, "entries": channel.entries, "properties": channel.properties}
    return _blob_of(channel, "olm.channel", fields)


def bundle_blob(bundle: Bundle) -> dict[str, Any]:
    """Return the ``olm.bundle`` blob."""
    fields = {"package": bundle.package, "image": bundle.image, "properties": bundle.properties}
    return _blob_of(bundle, "olm.bundle", fields)


def _blob_of(part: Package | Channel | Bundle, schema: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return _merged(part.written, {"schema": schema, "name": part.name, **fields}, part.extra)


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
    """Yield the origin of each blob and a function that makes it, so that sorting by origin holds no large blobs."""
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
    for part in checked_if_long(elements):
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


Format: TypeAlias = Literal["json", "jsonl", "yaml"]
"""Indented JSON objects one after the other; JSON objects on a line each; YAML documents."""

_SUFFIXES: Final[Mapping[str, Format]] = {".json": "json", ".jsonl": "jsonl", ".yaml": "yaml", ".yml": "yaml"}
_FILES: Final[Mapping[Format, str]] = {"json": "catalog.json", "jsonl": "catalog.jsonl", "yaml": "catalog.yaml"}
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_KINDS: Final = {"olm.package": 0, "olm.channel": 1, "olm.bundle": 2, "olm.deprecations": 4}
_OTHER: Final = 3  # between bundles and deprecations, where opm writes blobs of other schemas
# Characters of a blob that Python takes a millisecond to write.
_LARGE: Final = 1 << 14
# Blobs that the standard library writes in the time in which msgspec would be loaded.
_FEW: Final = 100
_written: Final = count(1)
# Control characters that JSON may hold as they are, and marks that turn the direction of text: terminals act on them.
_ACTED_ON: Final = pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def rendered(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    format: Format = "json",  # noqa: A002
    *,
    is_sorted: bool = False,
) -> Iterator[str]:
    """Yield the text of *catalog*, or of blobs, one piece for each blob; the same for equal blobs on every machine.

    Fields keep their order, and blobs too unless *is_sorted*: then packages come by name, and inside of each the
    package, its channels by name, its bundles by name, other blobs by schema and name, and deprecations; blobs
    without a package come last.

    Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON.
    """
    _check_format(format)
    made = _blobs(catalog)
    for blob in checked(sorted(made, key=sort_key) if is_sorted else made):
        yield _blob_text(blob, format)


def write(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    path: str | os.PathLike[str],
    format: Format | None = None,  # noqa: A002
    *,
    is_sorted: bool = False,
) -> None:
    """Write *catalog*, or blobs, to the file *path*, in *format*; without one, the suffix of *path* decides.

    An existing file is replaced once the new one is complete. See :func:`rendered` for what is written.

    Raises :class:`~olmsolve.errors.CatalogError` for a blob that is not plain JSON, for a suffix of no format, and if
    the file cannot be written.

    >>> import tempfile, olmsolve
    >>> from olmsolve.catalog import write
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(orchard, f"{folder}/orchard.yaml")
    ...     len(olmsolve.load(f"{folder}/orchard.yaml").packages)
    2
    """
    target = _path_of(path, "path")
    made = _blobs(catalog)
    if format is not None:
        _check_format(format)
    chosen = format or _SUFFIXES.get(target.suffix.lower())
    if chosen is None:
        raise CatalogError("its suffix does not show the format; .json, .jsonl and .yaml do", origin=shown(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, _encoded(rendered(made, chosen, is_sorted=is_sorted)))
    except (OSError, ValueError) as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(target)) from None


def split(
    catalog: Catalog | Iterable[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    format: Format = "yaml",  # noqa: A002
    *,
    is_sorted: bool = False,
) -> list[Path]:
    """Write *catalog*, or blobs, as a folder with a folder for each package; loading it joins them again.

    Each package is in ``catalog.yaml`` (or ``.json``, ``.jsonl``) of the folder of its name; blobs that belong to no
    package are in such a file beside the folders of packages. The folder appears once it is complete. Returns the
    files.

    Raises :class:`~olmsolve.errors.CatalogError` if *folder* is not empty (its files would become part of the catalog),
    if a package's name cannot name a folder, if two names are one where case does not count, and as :func:`write` does.

    >>> import tempfile, olmsolve
    >>> from olmsolve.catalog import split
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = split(orchard, folder)
    ...     len(olmsolve.load(folder).packages)
    2
    """
    root = _path_of(folder, "folder")
    _check_format(format)
    made = _blobs(catalog)
    try:
        if root.exists() and any(root.iterdir()):
            raise CatalogError("the folder is not empty; its files would be read too", origin=shown(root))
    except OSError as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None
    parts: dict[str, list[dict[str, Any]]] = {}
    for blob in made:
        parts.setdefault(_package_of(blob), []).append(blob)
    folded: dict[str, str] = {}
    for name in parts:
        _check_name(name, folded, shown(root))

    def write_packages(unfinished: Path) -> None:
        for name, contents in parts.items():
            file = unfinished / name / _FILES[format]
            file.parent.mkdir(exist_ok=True)
            write_whole(file, _encoded(rendered(contents, format, is_sorted=is_sorted)))

    try:
        write_whole_folder(root, write_packages)
    except (OSError, ValueError) as error:
        raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None
    return [root / name / _FILES[format] for name in parts]


def _blobs(catalog: Catalog | Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    if isinstance(catalog, Catalog):
        return blobs(catalog)
    given: Any = catalog
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        raise wrong_type(given, "a Catalog, or several blobs", "catalog")
    return (plain(blob, Origin("blobs in memory", number)) for number, blob in enumerate(catalog, 1))


def _path_of(path: str | os.PathLike[str], field: str) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise wrong_type(path, "a path", field)
    return Path(path)


def _check_format(format: Format) -> None:  # noqa: A002
    if format not in _FILES:
        raise RequestError(f"there is no format {format!r}", field="format", hint=", ".join(_FILES))


def _package_of(blob: Mapping[str, Any]) -> str:
    name = name_of(blob) if schema_of(blob) == "olm.package" else package_named_by(blob)
    return name if isinstance(name, str) else ""


def sort_key(blob: Mapping[str, Any]) -> tuple[bool, str, int, str, str]:
    """Return the sort key of *blob* in :func:`rendered`; blobs without a package come last."""
    schema, name, package = str(schema_of(blob)), str(name_of(blob)), _package_of(blob)
    kind = _KINDS.get(schema, _OTHER)
    return not package, package, kind, schema, name


def opm_sort_key(blob: Mapping[str, Any]) -> tuple[bool, str, int, str, str]:
    """Return the sort key of *blob* in ``opm``: no name for other schemas, no schema without a package."""
    is_without, package, kind, schema, name = sort_key(blob)
    return (is_without, package, kind, schema if package else "", "" if kind == _OTHER else name)


def _blob_text(blob: dict[str, Any], format: Format) -> str:  # noqa: A002
    if format == "yaml":
        # Imported on first use, with the rules for scalars.
        from olmsolve.catalog.fbc.yaml_writing import yaml_text

        return f"---\n{yaml_text(blob)}"
    text = _COMPACT.encode(blob)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half a character (a lone surrogate) can only be written as an escape, which msgspec does not read.
        indent, separators = (None, (",", ":")) if format == "jsonl" else (4, None)
        text = json.dumps(blob, indent=indent, separators=separators, allow_nan=False) + "\n"
    else:
        if len(text) >= _LARGE:
            check()
        text = f"{text if format == 'jsonl' else indented(blob, text)}\n"
    # A template may hold a whole catalog, and then each of these steps takes a tenth of a second.
    if len(text) >= _LARGE:
        check()
    # Runners of workflows, whose logs this may become, obey the three signs "##[" too.
    return _ACTED_ON.sub(lambda match: f"\\u{ord(match[0]):04x}", text).replace("##[", "#\\u0023[")


def indented(blob: Mapping[str, Any], text: str) -> str:
    """Return the JSON of *blob* with each field on a line of its own; *text* is its compact JSON.

    Python's own encoder leaves its quick form as soon as there is an indent: a catalog takes three times as long. So
    msgspec writes all but the first blobs, which are written before it would be loaded. A large one, such as a template
    with a whole catalog in it, would take longer than that, and nobody would look at the limits meanwhile.
    """
    # The reader of JSON has loaded msgspec.
    if "msgspec" not in sys.modules and next(_written) <= _FEW and len(text) < _LARGE:
        return json.dumps(blob, indent=4, ensure_ascii=False)
    import msgspec

    return msgspec.json.format(text, indent=4)


def _check_name(name: str, folded: dict[str, str], folder: str) -> None:
    if name in (".", "..") or any(sign in name for sign in '/\\\0:*?"<>|\n'):
        raise CatalogError(f"the package name {quote(name)} cannot name a folder", origin=folder, package=name)
    other = folded.setdefault(name.casefold(), name)
    if other != name:
        reason = f"the package names {quote(other)} and {quote(name)} are the same folder where case does not count"
        raise CatalogError(reason, origin=folder, package=name)
    if name.casefold() in _FILES.values() or name == ".indexignore":
        raise CatalogError(f"the package name {quote(name)} is the name of a file", origin=folder, package=name)


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    return (piece.encode() for piece in pieces)
