"""One document of a file, which readers of text give and the linker takes: plain JSON, within limits, fields by name.

The limits are above any real catalog, and below what harms a process.

Names in another letter case are honoured, as ``opm`` honours them, and kept as documented: the documented fields of the
four schemas are renamed where they are spelt otherwise, at the top and inside. Values of properties stay as they are
written, because CEL rules see them so; who reads them takes any case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, chain
from typing import Any, Final, NoReturn

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin, Package
from olmsolve.errors import CatalogError
from olmsolve.predicates import described, named

DEPTH: Final = 250
"""Levels of lists and objects in one document. Copying, pickling and printing a value take up to three frames
per level, and Python allows 1,000 frames by default; real catalogs have about 15 levels."""

DOCUMENT: Final = 64 << 20
"""Characters of one document. What a cluster stores as one object has at most 1.5 MiB."""

VALUES_BYTES: Final = 64 << 20
"""Bytes that the values of one document may take in memory, beside eight times its text. Real documents take three
times their text; ``[],`` or ``- a`` again and again takes thirty."""

NAME: Final = 1_000
"""Characters of the name of a package, channel, bundle or entry. The name of an object of a cluster has 253 at most.
Messages about a package and edges of its graph repeat names: a file of a megabyte could make gigabytes of text."""

ALIASED: Final = 4 << 20
"""Characters and values that the aliases of one YAML file may repeat. Walking, comparing and writing a value
visit a shared part each time that it is mentioned, so a small file could keep them busy for hours."""

WHITE_SPACE: Final = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)))) + (
    "\u2028\u2029\u202f\u205f\u3000"
)
"""White space as Go has it; ``str.strip`` by itself takes some control characters as well."""

IGNORE_BYTES: Final = 1 << 20
"""Bytes of one ``.indexignore`` file."""

IGNORE_RULES: Final = 10_000
"""Rules in all ``.indexignore`` files of a catalog; every file's path is compared with each."""


class Document(NamedTuple):
    """A document: its *value* (plain JSON, always an object) and where it was read."""

    value: dict[str, Any]
    origin: Origin

    def refuse(self, reason: str) -> NoReturn:
        """Raise the :class:`~olmsolve.errors.CatalogError` of this document."""
        raise CatalogError(reason, origin=str(self.origin))


def read_ahead(ahead: str, pieces: Iterator[str]) -> tuple[str, bool]:
    """Return the text *ahead* followed by at least as much more, and whether the *pieces* of the text have ended.

    Whoever looks for the end of a document begins again with what comes. Doubling keeps the work on a document of many
    pieces in proportion to its length.
    """
    texts, length, is_over = [ahead], len(ahead), False
    wanted = min(2 * length, DOCUMENT)
    while length <= wanted and not is_over:
        piece = next(pieces, "")
        is_over = not piece
        texts.append(piece)
        length += len(piece)
    return "".join(texts), is_over


def refuse_long_names(names: Iterable[str], packages: Iterable[Package]) -> None:
    """Refuse a catalog of *packages* with a name that is too long; *names* are of all parts. Raises CatalogError."""
    made = list(packages)
    if max(map(len, chain(names, (package.default_channel for package in made))), default=0) <= NAME:
        return
    for package in made:
        channels, bundles = package.channels.values(), package.bundles.values()
        where = package.origin or next((blob.origin for blob in (*channels, *bundles)), None)
        _refuse_long([package.name, package.default_channel], where)
        for bundle in bundles:
            _refuse_long([bundle.name], bundle.origin)
        for channel in channels:
            listed = ((entry.name, entry.replaces, *entry.skips) for entry in channel.entries)
            _refuse_long([channel.name, *chain.from_iterable(listed)], channel.origin)


def _refuse_long(names: Iterable[str], origin: Origin | None) -> None:
    for name in names:
        if len(name) > NAME:
            raise CatalogError(f"a name of more than {NAME:,} characters: {name[:40]}...", origin=str(origin or ""))


_LONG: Final = 1 << 21  # characters below which no document is dense enough
_JSON_WEIGHTS: Final = {",": 64, "[": 32, "{": 170}
_YAML_WEIGHTS: Final = {**_JSON_WEIGHTS, "\n": 160, "- ": 64}
JSON_STRING: Final = pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string of JSON, which may end in the middle."""


def refuse_dense_json(text: str, file: str, number: int, line: int) -> None:
    """Refuse the document with this JSON *text*, or its beginning, if it has far more values than text.

    Each character that begins a value counts as the bytes that Python needs for a value, except inside of strings.
    Raises CatalogError.
    """
    if len(text) >= _LONG and (beyond := _beyond(text, _JSON_WEIGHTS)) > 0:
        for string in checked(JSON_STRING.finditer(text), every=4096):
            if string.end() - string.start() > _FEW:
                beyond -= sum(weight * string[0].count(sign) for sign, weight in _JSON_WEIGHTS.items())
                if beyond <= 0:
                    return
        refuse("a document of far more values than text", file, number, line)


def refuse_dense_yaml(text: str, file: str, number: int, line: int) -> None:
    """Refuse the document with this YAML *text* if it has far more lines and values than text. Raises CatalogError."""
    if len(text) >= _LONG and _beyond(text, _YAML_WEIGHTS) > 0:
        refuse("a document of far more values than text", file, number, line)


BRACKETS: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
"""By how much each bracket of JSON changes the depth."""
_ALL_BUT_STRUCTURE: Final = bytes(set(range(256)) - set(b'{}[]"'))
_QUOTED: Final = pattern(r'"[^"]*"?')


def depth_of(text: str) -> int:
    """Return how deep lists and objects are nested in the JSON *text*, which may end in the middle."""
    # Escapes and all characters without structure are dropped, then strings, so that only brackets are looked at:
    #
    #     [{"a": "}"}, "\""]  ->  [{"""}"}""]  ->  [{"}"}]  ->  [{}]
    #
    # Two strings that become neighbours may be taken for one, which changes nothing. 7 MB take 20 ms so, and 200 by one
    # walk over strings and brackets.
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    structure = text.encode("utf-8", "surrogatepass").translate(None, _ALL_BUT_STRUCTURE).decode("ascii")
    brackets = _QUOTED.sub("", structure.replace('""', ""))
    return max(accumulate(map(BRACKETS.__getitem__, brackets)), default=0)


def is_too_deep(text: str) -> bool:
    """Return whether lists and objects in the JSON *text* are nested deeper than :data:`DEPTH`."""
    # Nearly all texts have fewer brackets than that. To follow which ones are open makes loading JSON over many lines
    # take 3 % longer.
    return text.count("{") + text.count("[") > DEPTH and depth_of(text) > DEPTH


def memory_of(value: Any) -> int:
    """Return about how many bytes *value* takes in memory."""
    # The memory that CPython needs for each kind of value: a dict of two fields is 64 + 2 * 100 bytes, with room to
    # grow, and "abc" 53.
    size, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            size += 64 + 100 * len(part)
            waiting.extend(checked(part.values(), every=4096))
        elif isinstance(part, list):
            size += 56 + 8 * len(part)
            waiting.extend(checked(part, every=4096))
        elif isinstance(part, str):
            size += 50 + len(part)
        elif type(part) in (int, float):
            size += 28
    return size


def _beyond(text: str, weights: Mapping[str, int]) -> int:
    return sum(weight * text.count(sign) for sign, weight in weights.items()) - VALUES_BYTES - 8 * len(text)


_FEW: Final = 8  # characters of a string that is too short to search for such characters


def refuse(reason: str, file: str, number: int = 1, line: int | None = None, excerpt: str = "") -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` of document *number* of *file*, at *line*."""
    raise CatalogError(reason, origin=str(Origin(file, number, line)), excerpt=excerpt)


META_FIELDS: Final = frozenset({"schema", "package", "name"})
"""The fields that mean the same in every schema."""
_FIELDS: Final = {
    "olm.package": META_FIELDS | {"defaultChannel", "description", "icon", "properties"},
    "olm.channel": META_FIELDS | {"entries", "properties"},
    "olm.bundle": META_FIELDS | {"image", "properties", "relatedImages"},
    "olm.deprecations": META_FIELDS | {"entries"},
}
_USUAL: Final = frozenset().union(*_FIELDS.values())

_PROPERTY: Final = frozenset({"type", "value"})
_ENTRY: Final = frozenset({"name", "replaces", "skips", "skipRange"})
_DEPRECATION: Final = frozenset({"reference", "message"})
_REFERENCE: Final = frozenset({"schema", "name"})
_IMAGE: Final = frozenset({"name", "image"})
_ICON: Final = frozenset({"base64data", "mediatype"})


def schema_of(value: Mapping[str, Any]) -> Any:
    """Return the schema of a blob, whatever the letter case of its field; None if there is none."""
    return _in_any_case(value, "schema")


def name_of(value: Mapping[str, Any]) -> Any:
    """Return the name of a blob, whatever the letter case of its field; None if there is none."""
    return _in_any_case(value, "name")


def package_named_by(value: Mapping[str, Any]) -> Any:
    """Return the package that a blob names, whatever the letter case of its field; None if it names none."""
    return _in_any_case(value, "package")


def _in_any_case(value: Mapping[str, Any], field: str) -> Any:
    return value[field] if field in value else named(value, META_FIELDS).get(field)


def equal_keys(value: dict[str, Any]) -> tuple[str, str] | None:
    """Return two keys of a blob that differ only in letter case, which ``opm`` refuses; None if there are none."""
    if _USUAL.issuperset(value):
        return None
    keys: dict[str, str] = {}
    for key in checked(value, every=1024):
        other = keys.setdefault(key.casefold(), key)
        if other != key:
            return other, key
    return None


def documented(value: dict[str, Any], schema: str) -> dict[str, Any]:
    """Return the blob *value* with the fields of its *schema* as they are documented; *value* itself may change."""
    names = _FIELDS.get(schema)
    if names is None:
        return value
    value = dict(named(value, names)) if not _USUAL.issuperset(value) else value
    _rename(value, "properties", _PROPERTY)
    if schema == "olm.channel":
        _rename(value, "entries", _ENTRY)
    elif schema == "olm.bundle":
        _rename(value, "relatedImages", _IMAGE)
    elif schema == "olm.deprecations":
        _rename(value, "entries", _DEPRECATION)
        entries = value.get("entries")
        # Whether they are a list is judged elsewhere.
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("reference"), dict):
                entry["reference"] = named(entry["reference"], _REFERENCE)
    elif isinstance(value.get("icon"), dict):
        value["icon"] = named(value["icon"], _ICON)
    return value


def _rename(value: dict[str, Any], field: str, names: frozenset[str]) -> None:
    """Rename the fields of the objects in the list *field* of *value*."""
    elements = value.get(field)
    if not isinstance(elements, list):
        return
    for element in elements:
        if not isinstance(element, dict) or not names.issuperset(element):
            value[field] = [
                named(member, names) if isinstance(member, dict) else member for member in checked(elements, every=256)
            ]
            return


_TEXT_TYPE: Final = frozenset({str})
_SCALARS: Final = frozenset({str, bool, int, type(None)})
_UNUSUAL: Final = object()  # not None, which is a value of JSON
_MANY_PARTS: Final = 64  # fields or elements, from which on a copy looks at the limits


class OutsideJsonError(ValueError):
    """A scalar of YAML, or a number that Python reads, for which JSON (numbers as doubles) has no value."""


def plain(blob: object, origin: Origin) -> dict[str, Any]:
    """Copy *blob*, a mapping in memory, as plain JSON values; tuples become lists.

    Raises :class:`~olmsolve.errors.CatalogError` with the path to a value that JSON cannot hold.
    """
    if not isinstance(blob, Mapping):
        raise CatalogError(f"a blob must be an object, not {described(blob)}", origin=str(origin))
    copied = _usual_copy(blob, 0)
    if copied is _UNUSUAL:
        copied = _copy(blob, (), origin)
    assert isinstance(copied, dict)
    return copied


def _usual_copy(value: Any, depth: int) -> Any:
    """Copy a value made of dicts, lists and scalars as JSON is read; return _UNUSUAL for all others.

    Nearly all values are such, and their copy needs no path for an error.
    """
    # 10 µs for a blob of community-prod, where `_copy` takes 19.
    kind = type(value)
    if depth >= DEPTH or (kind is not dict and kind is not list):
        return _UNUSUAL
    if kind is dict:
        if not _TEXT_TYPE.issuperset(map(type, value)):
            return _UNUSUAL
        copied = value.copy()
        parts: Iterable[tuple[Any, Any]] = copied.items()
    else:
        copied = value[:]
        parts = enumerate(copied)
    for key, part in checked(parts, every=_MANY_PARTS) if len(copied) > _MANY_PARTS else parts:
        if type(part) not in _SCALARS:
            made = _usual_copy(part, depth + 1)
            if made is _UNUSUAL:
                return _UNUSUAL
            copied[key] = made
    return copied


def _copy(value: Any, path: tuple[str | int, ...], origin: Origin) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise CatalogError(f"{_path_text(path)} is {value}, which JSON cannot hold", origin=str(origin))
    if len(path) >= DEPTH:
        raise CatalogError(f"the blob is nested more than {DEPTH} levels deep", origin=str(origin))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise CatalogError(f"{_path_text(path)} has the key {key!r}, not a string", origin=str(origin))
        return {key: _copy(field, (*path, key), origin) for key, field in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(element, (*path, number), origin) for number, element in enumerate(value)]
    raise CatalogError(f"{_path_text(path)} is {described(value)}, not a JSON value", origin=str(origin))


def _path_text(path: tuple[str | int, ...]) -> str:
    """Return *path* as errors show it: ``properties[0].value``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the blob"
