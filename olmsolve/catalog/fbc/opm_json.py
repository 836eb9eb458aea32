"""Blobs as ``opm`` writes them, and their JSON to the byte, as Go's ``encoding/json`` writes it.

Once ``opm`` has decoded a blob, it has the fields that it knows, in its order. A blob of another schema, and the values
of properties, pass through Go's maps: their fields come in the order of the alphabet, and their numbers are doubles.
Values that ``opm`` makes itself from manifests keep their order.

``opm`` keeps the values of files of a bundle as the JSON that Go made of their YAML, with ``<``, ``>`` and ``&``
escaped, and writes its own values without them. Both say the same, and differ only in their bytes::

    of metadata/dependencies.yaml, olm.constraint:    "versionRange": "\\u003c2.0.0"
    of metadata/dependencies.yaml, olm.package:       "versionRange": "<2.0.0"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from olmsolve._limits import check, checked_if_long
from olmsolve._patterns import pattern
from olmsolve.catalog import Bundle, Listed, OwnPackage
from olmsolve.catalog.fbc.field_types import BLOB_TYPES, CSV_METADATA, as_go_writes
from olmsolve.catalog.fbc.writing import indented
from olmsolve.catalog.model import held_properties
from olmsolve.catalog.shared_parts import OWN
from olmsolve.predicates import HTML_ESCAPES, LINE_ENDS, decoded

_LARGEST: Final = 1e21
"""From here on, Go writes doubles with an exponent."""


class OwnBlob(dict[str, Any]):
    """The blob of a bundle whose property values ``opm`` has made of files: their texts may need escapes as JSON."""


class RawProperty(dict[str, Any]):
    """A property of a bundle whose value was written in JSON: ``opm`` prints the *raw* text with its own blanks.

    ``{"z": "\\u0061", "a": 1.0}`` stays as it is, where the same in YAML becomes ``{"a": 1, "z": "a"}``.
    """

    def __init__(self, kind: str, value: Any, raw: str) -> None:
        super().__init__(type=kind, value=value)
        self.raw = raw


_OBJECT: Final = "olm.bundle.object"
_MANIFESTS: Final = (_OBJECT, CSV_METADATA)


def is_object(kind: str) -> bool:
    """Return whether properties of this type hold a whole manifest, which ``opm render`` decodes before printing."""
    return kind == _OBJECT


def is_manifest(kind: str) -> bool:
    """Return whether properties of this type hold manifests: ``opm render`` prints them after the others."""
    return kind in _MANIFESTS


def laid_out(blob: Mapping[str, Any], *, with_own_values: bool = False, manifests_last: bool = False) -> dict[str, Any]:
    """Return *blob*, whose fields have their types, as ``opm`` writes it.

    *with_own_values* keeps the values of properties as they are: a bundle that was made from its manifests.
    *manifests_last* puts properties with manifests after the others, as ``opm render`` does for catalogs; the templates
    of ``opm`` keep the order of properties.
    """
    schema = blob.get("schema")
    type_ = BLOB_TYPES.get(schema) if isinstance(schema, str) else None
    is_own = with_own_values and schema == "olm.bundle"
    made: dict[str, Any] = (
        through_go(blob) if type_ is None else as_go_writes(type_, blob, _same if is_own else through_go)
    )
    properties = made.get("properties", ())
    if is_own:
        for number, stated in enumerate(blob.get("properties") or ()):
            if isinstance(stated, RawProperty):
                properties[number] = stated
    if manifests_last and schema == "olm.bundle" and properties:
        properties.sort(key=lambda property_: is_manifest(property_["type"]))
    return OwnBlob(made) if is_own else made


def _same(value: Any) -> Any:
    return value


def through_go(value: Any) -> Any:
    """Return *value* as Go writes it after reading it: fields in the order of the alphabet, and numbers as doubles."""
    if isinstance(value, Mapping):
        return {key: through_go(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [through_go(element) for element in checked_if_long(value)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(float(value))
    return value


def whole_numbers(value: Any) -> Any:
    """Return *value* with doubles that are whole as integers, as Go writes what was YAML: ``1.0`` is 1."""
    if isinstance(value, Mapping):
        return {key: whole_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [whole_numbers(part) for part in checked_if_long(value)]
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> int | float:
    # The shortest digits that identify a double, padded with zeros: 2^63 is 9223372036854775808, and Go writes ...6000.
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < _LARGEST else value


_PADDED: Final = pattern(r'("[^"\\]*(?:\\.[^"\\]*)*")|([eE]-)0(?=\d)')
"""A string, or an exponent of one digit as Python pads it: 1e-07, where Go has 1e-7."""

# json.dumps would make an encoder for each text.
_compact: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# The function that this encoder calls for a text, after three tests of its type: a catalog has 40,000 texts.
_quoted: Final = json.encoder.encode_basestring


class EscapedText(str):
    """A text that Go made of YAML: ``opm`` prints it with the escapes for HTML."""

    __slots__ = ()


def from_yaml(value: Any) -> Any:
    """Return *value*, read from YAML, as Go keeps it: fields sorted, whole doubles as integers, texts with escapes."""
    return _marked(whole_numbers(value))


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return EscapedText(value)
    if isinstance(value, Mapping):
        return {EscapedText(key): _marked(value[key]) for key in sorted(value)}
    return [_marked(element) for element in checked_if_long(value)] if isinstance(value, list) else value


def raw_values(text: str, listed: str) -> list[str] | None:
    """Return the texts of the values of the elements in the list *listed* of the JSON *text*; None where it is no JSON.

    As in Go, names of fields count in any letter case, and the last of equal names wins.
    """
    import msgspec

    def last(fields: Mapping[str, Any], name: str) -> Any:
        return next((value for key, value in reversed([*fields.items()]) if key.casefold() == name), None)

    objects = dict[str, msgspec.Raw]
    try:
        array_text = last(msgspec.json.decode(text, type=objects), listed) if listed else text
        elements = msgspec.json.decode(array_text or "null", type=list[objects] | None) or []
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return [bytes(last(element, "value") or b"").decode() for element in elements]


def opm_json_text(blob: Mapping[str, Any]) -> str:
    """Return *blob*, laid out as ``opm`` writes it, as its indented JSON."""
    if isinstance(blob, WrittenBundle):
        return blob.text
    if isinstance(blob, OwnBlob):
        return f"{go_text(blob, 4)}\n"
    # A template is one object that holds a whole catalog: to compact it and to indent it each take part of a second.
    text = indented(blob, _compact(blob))
    check()
    text = _shortened(text)
    check()
    return f"{_with_line_ends(text)}\n"


class WrittenBundle(dict[str, Any]):
    """The schema, name and package of a bundle, with its *text* as :func:`opm_json_text` returns it."""

    __slots__ = ("text",)

    def __init__(self, bundle: Bundle, text: str) -> None:
        super().__init__(schema="olm.bundle", name=bundle.name, package=bundle.package)
        self.text: str = text


class BundleWriter:
    """Write bundles as ``opm render`` does, with the text of a list of properties that versions share written once.

    The versions of a package repeat their properties, four of five in a real catalog, and mostly the whole list but for
    their own version (``shared_parts``): 6,890 bundles have 1,017 lists. The blob of a bundle would be decoded, laid
    out and encoded in ten times the time.
    """

    def __init__(self) -> None:
        # The list of the bundle before, and its text before and after the bundle's own version: without it, the bundles
        # of community-prod are written in 43 ms, not in 25. Bundles that share a list come together, so one is enough:
        # the texts of all would take as much memory as all that is printed.
        self._listed: Listed | None = None
        self._text: tuple[str, str] | None = None

    def text_of(self, bundle: Bundle) -> WrittenBundle | None:
        """Return *bundle* as its text; None for one whose blob has to be made first, or looked into."""
        images: object = bundle.extra.get("relatedImages", ())
        is_usual = type(bundle.written) is tuple and not bundle.extra.keys() - {"relatedImages"}
        if not is_usual or not isinstance(images, list | tuple) or not all(map(_is_image, images)):
            return None
        listed, version = held_properties(bundle)
        if listed is not self._listed:
            self._listed, self._text = listed, _list_text(listed)
        if self._text is None:
            return None
        before, behind = self._text
        # A version beside a shared list has neither escapes nor signs that need one.
        properties = before if version is None else f"{before}{version}{behind}"
        name = f'    "name": {_quoted(bundle.name)},\n' if bundle.name else ""
        package = f'    "package": {_quoted(bundle.package)},\n' if bundle.package else ""
        pairs = ",\n".join(
            [
                f'        {{\n            "name": {_quoted(image["name"])},\n'
                f'            "image": {_quoted(image["image"])}\n        }}'
                for image in images
            ]
        )
        related = f',\n    "relatedImages": [\n{pairs}\n    ]' if pairs else ""
        text = (
            f'{{\n    "schema": "olm.bundle",\n{name}{package}    "image": {_quoted(bundle.image)}'
            f"{properties}{related}\n}}\n"
        )
        return WrittenBundle(bundle, _with_line_ends(text))


def _list_text(listed: Listed) -> tuple[str, str] | None:
    """Return the field ``properties`` in two parts: before and after the version of :class:`OwnPackage`, if any.

    None if a value is not held as JSON, or a manifest has to be read.
    """
    texts: list[str] = []
    manifests: list[str] = []
    own_text = ""
    for item in listed:
        if isinstance(item, OwnPackage):
            own_text = _property_text(OWN, item.property("").text)
            texts.append(own_text)
            continue
        value = item.held_text
        if value is None or is_object(item.type):
            return None
        (manifests if is_manifest(item.type) else texts).append(_property_text(item.type, value))
    if not texts and not manifests:
        return "", ""
    listing = ",\n        ".join(texts + manifests)
    written = f',\n    "properties": [\n        {listing}\n    ]'
    if not own_text:
        return written, ""
    # The version is the last text of its property, and empty here.
    begin = written.index(own_text) + own_text.rindex('""') + 1
    return written[:begin], written[begin:]


def _is_image(image: object) -> bool:
    return (
        type(image) is dict
        and image.keys() == {"name", "image"}
        and type(image["name"]) is str
        and type(image["image"]) is str
    )


# Four of five properties of community-prod were in a bundle before: its 6,890 bundles are written in 26 ms, not in 62.
@lru_cache(maxsize=16_384)
def _property_text(kind: str, text: bytes) -> str:
    """Return a property of this *kind*, whose value is the JSON *text*, as the list of a bundle has it."""
    value = {"type": kind, "value": through_go(decoded(text))}
    return _moved(_shortened(indented(value, _compact(value))), 8)


def _moved(text: str, columns: int) -> str:
    """Return the lines of the JSON *text* after the first so many *columns* further in: texts have no line ends."""
    return text.replace("\n", "\n" + " " * columns)


def _with_line_ends(text: str) -> str:
    """Return *text* with the escapes of :data:`LINE_ENDS`, which hardly any needs."""
    return text.translate(LINE_ENDS) if "\u2028" in text or "\u2029" in text else text


def opm_template_text(template: Mapping[str, Any], form: str) -> str:
    """Return *template* as ``opm alpha convert-template`` prints it, as "opm-json" or "opm-yaml".

    The entries are texts of JSON that Go made, but for references to bundles; its YAML ends with an empty line.
    """
    entries = [_template_entry(entry) for entry in template["entries"]]
    laid_out = OwnBlob({**template, "entries": entries})
    if form == "opm-json":
        return opm_json_text(laid_out)
    from olmsolve.catalog.fbc.opm_yaml import opm_yaml_text

    return f"{opm_yaml_text(laid_out)}\n"


def _template_entry(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    is_reference = entry.keys() == {"schema", "image"}
    return {"schema": entry["schema"], "image": entry["image"]} if is_reference else from_yaml(entry)


def go_text(value: Any, indent: int | None = None) -> str:
    """Return *value* as JSON: compact, or each field on a line of its own, *indent* characters further in."""
    gap = "" if indent is None else " " * indent
    return _text(value, "\n" if gap else "", gap)


def _text(value: Any, line: str, gap: str) -> str:
    """Return *value* as JSON; *line* is the line end with the indent of the object around it, "" if it is compact."""
    inner, colon = line + gap, ": " if gap else ":"
    if isinstance(value, RawProperty):
        import msgspec

        # The text of strings and numbers stays, and has no line end.
        raw = msgspec.json.format(value.raw, indent=len(gap) or -1).replace("\n", inner).translate(LINE_ENDS)
        return f'{{{inner}"type"{colon}{_text(value["type"], inner, gap)},{inner}"value"{colon}{raw}{line}}}'
    if isinstance(value, (Mapping, list, tuple)) and value:
        if isinstance(value, Mapping):
            parts = (f"{_text(key, inner, gap)}{colon}{_text(part, inner, gap)}" for key, part in value.items())
            return f"{{{inner}{f',{inner}'.join(parts)}{line}}}"
        return f"[{inner}{f',{inner}'.join(_text(part, inner, gap) for part in value)}{line}]"
    text = _shortened(json.dumps(value, ensure_ascii=False))
    return text.translate(HTML_ESCAPES) if isinstance(value, EscapedText) else _with_line_ends(text)


def _shortened(text: str) -> str:
    """Return the JSON *text* with exponents as Go writes them."""
    return _PADDED.sub(lambda match: match[1] or match[2], text) if "-0" in text else text


def escaped_text(value: Any) -> str:
    """Return *value* as compact JSON with sorted fields and every escape: an object of Kubernetes as Go writes it."""
    text = json.dumps(whole_numbers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _shortened(text).translate(HTML_ESCAPES)
