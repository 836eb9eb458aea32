"""Blobs as ``opm`` writes them, once it has decoded them: the fields that it knows, in its order.

A blob of another schema, and the values of properties, pass through Go's maps: their fields come in the order of the
alphabet, and their numbers are doubles. Values that ``opm`` makes itself from manifests keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

_LARGEST: Final = 1e21
"""From here on, Go writes doubles with an exponent."""


class OwnBlob(dict[str, Any]):
    """The blob of a bundle whose property values ``opm`` has made of files: their texts may need escapes as JSON."""


class RawProperty(dict[str, Any]):
    """A property of a bundle whose value stood in JSON: ``opm`` prints the *raw* text of it, only its blanks anew.

    ``{"z": "\\u0061", "a": 1.0}`` stays as it is, where the same in YAML becomes ``{"a": 1, "z": "a"}``.
    """

    def __init__(self, kind: str, value: Any, raw: str) -> None:
        super().__init__(type=kind, value=value)
        self.raw = raw


_OBJECT: Final = "olm.bundle.object"
_MANIFESTS: Final = (_OBJECT, "olm.csv.metadata")


def is_object(kind: str) -> bool:
    """Return whether properties of this type hold a whole manifest, which ``opm render`` decodes before printing."""
    return kind == _OBJECT


def is_manifest(kind: str) -> bool:
    """Return whether properties of this type hold manifests: ``opm render`` prints them behind the others."""
    return kind in _MANIFESTS


def laid_out(blob: Mapping[str, Any], *, with_own_values: bool = False, manifests_last: bool = False) -> dict[str, Any]:
    """Return *blob*, whose fields have their types, as ``opm`` writes it.

    *with_own_values* keeps the values of properties as they are: a bundle that was made from its manifests. Of
    catalogs, ``opm render`` has *manifests_last*, and its templates keep the order of properties.
    """
    schema = blob.get("schema")
    if schema == "olm.package":
        return _package(blob)
    if schema == "olm.channel":
        entries = blob.get("entries")
        channel = {"schema": schema, "name": blob.get("name") or "", "package": blob.get("package") or ""}
        return channel | {"entries": entries and [_entry(entry) for entry in entries]} | _properties(blob)
    if schema == "olm.bundle":
        made = _bundle(blob, with_own_values=with_own_values)
        if manifests_last and "properties" in made:
            made["properties"].sort(key=lambda property_: is_manifest(property_["type"]))
        return OwnBlob(made) if with_own_values else made
    if schema == "olm.deprecations":
        entries = blob.get("entries")
        deprecations = entries and [_deprecation(entry) for entry in entries]
        return {"schema": schema, "package": blob.get("package") or "", "entries": deprecations}
    other: dict[str, Any] = through_go(blob)
    return other


def through_go(value: Any) -> Any:
    """Return *value* as Go writes it after reading it: fields in the order of the alphabet, and numbers as doubles."""
    if isinstance(value, Mapping):
        return {key: through_go(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [through_go(element) for element in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(float(value))
    return value


def whole_numbers(value: Any) -> Any:
    """Return *value* with doubles that are whole as integers, as Go writes what was YAML: ``1.0`` is 1."""
    if isinstance(value, Mapping):
        return {key: whole_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [whole_numbers(part) for part in value]
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> int | float:
    # The shortest digits that tell a double, with zeros behind: 2^63 is 9223372036854775808, and Go writes ...6000.
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < _LARGEST else value


def _package(blob: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"schema": blob["schema"], "name": blob.get("name") or ""}
    made["defaultChannel"] = blob.get("defaultChannel") or ""
    icon = blob.get("icon")
    if icon is not None:
        made["icon"] = {"base64data": icon.get("base64data"), "mediatype": icon.get("mediatype") or ""}
    return made | _filled(blob, "description") | _properties(blob)


def _bundle(blob: Mapping[str, Any], *, with_own_values: bool) -> dict[str, Any]:
    made = {"schema": blob["schema"], **_filled(blob, "name", "package"), "image": blob.get("image") or ""}
    made |= _properties(blob, with_own_values=with_own_values)
    if images := blob.get("relatedImages"):
        made["relatedImages"] = [
            {"name": (image or {}).get("name") or "", "image": (image or {}).get("image") or ""} for image in images
        ]
    return made


def _properties(blob: Mapping[str, Any], *, with_own_values: bool = False) -> dict[str, Any]:
    properties = blob.get("properties")
    if not properties:
        return {}
    return {"properties": [_property(property_ or {}, with_own_values=with_own_values) for property_ in properties]}


def _property(value: Mapping[str, Any], *, with_own_values: bool) -> dict[str, Any]:
    content = value.get("value")
    if isinstance(value, RawProperty) and with_own_values:
        return value
    return {"type": value.get("type") or "", "value": content if with_own_values else through_go(content)}


def _entry(entry: Mapping[str, Any] | None) -> dict[str, Any]:
    entry = entry or {}
    return {"name": entry.get("name") or "", **_filled(entry, "replaces", "skips", "skipRange")}


def _deprecation(entry: Mapping[str, Any] | None) -> dict[str, Any]:
    entry = entry or {}
    reference = entry.get("reference") or {}
    made = {"schema": reference.get("schema") or "", **_filled(reference, "name")}
    return {"reference": made, "message": entry.get("message") or ""}


def _filled(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if value.get(name)}
