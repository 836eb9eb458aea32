"""Names of a blob's fields in another letter case: honoured, as ``opm`` honours them, and kept as documented.

The documented fields of the four schemas are renamed where they are spelt otherwise, at the top and inside. Values of
properties stay as they are written, because CEL rules see them so; who reads them takes any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve.predicates import named

_META: Final = frozenset({"schema", "package", "name"})
_FIELDS: Final = {
    "olm.package": _META | {"defaultChannel", "description", "icon", "properties"},
    "olm.channel": _META | {"entries", "properties"},
    "olm.bundle": _META | {"image", "properties", "relatedImages"},
    "olm.deprecations": _META | {"entries"},
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
    return _meta(value, "schema")


def name_of(value: Mapping[str, Any]) -> Any:
    """Return the name of a blob, whatever the letter case of its field; None if there is none."""
    return _meta(value, "name")


def package_named_by(value: Mapping[str, Any]) -> Any:
    """Return the package that a blob names, whatever the letter case of its field; None if it names none."""
    return _meta(value, "package")


def _meta(value: Mapping[str, Any], field: str) -> Any:
    return value[field] if field in value else named(value, _META).get(field)


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
            each_one = checked(elements, every=256)
            value[field] = [named(element, names) if isinstance(element, dict) else element for element in each_one]
            return
