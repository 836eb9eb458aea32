"""One document at a time: is it a blob of a file-based catalog, and do its fields have the types that they must?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import (
    Edit,
    FieldFix,
    Finding,
    Severity,
    error_finding,
    path_steps,
    placed,
    shortened,
)
from olmsolve.authoring.checks.validation.spelling import misspelt, unruly
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import (
    BLOB_TYPES,
    BUNDLE_OBJECT,
    DEPTH,
    PROPERTY_TYPES,
    Document,
    base64_bytes,
    documented,
    equal_keys,
    field_faults,
    schema_of,
)
from olmsolve.predicates import described, named

_META: Final = frozenset({"schema", "package", "name"})
_DATA: Final = frozenset({"data"})
_MANY_BRACKETS: Final = 5_000  # more could overflow the stack of a decoder that calls itself
QUOTE_IT: Final = "in YAML, put it in quotes"


@attrs.frozen
class CheckedBlob:
    """A document after its check: *schema* and *package*, "" where it has no readable one, and the findings.

    *is_usable* says whether the fields have the types that the schema gives them, so that later checks can read them.
    """

    value: dict[str, Any]
    origin: Origin
    schema: str
    package: str
    findings: tuple[Finding, ...]
    is_usable: bool


def checked_blob(document: Document) -> CheckedBlob:
    """Check *document* as ``opm`` does when it decodes it. No content makes this raise."""
    value, origin = document
    # Nearly all blobs leave here: validating the 7 MB of community-prod takes 116 ms, and without these two checks 131
    # ms.
    if _is_usual_bundle(value) or _is_usual_channel(value):
        return CheckedBlob(value, origin, value["schema"], value["package"], (), True)
    stated = schema_of(value)
    schema = stated if isinstance(stated, str) else ""
    findings = [*_meta(value), *misspelt(value, schema)]
    is_usable = not any(finding.severity is Severity.ERROR for finding in findings)
    if is_usable and schema in BLOB_TYPES:
        for fault in field_faults(BLOB_TYPES[schema], value):
            if fault.is_content:
                hint = "encode the picture with padding, in the alphabet with + and /"
                findings.append(error_finding("icon-data", fault.reason, hint, property=fault.path))
            else:
                is_usable = False
                hint = QUOTE_IT if fault.is_unquoted else ""
                fixes = (FieldFix(Edit.QUOTE, path_steps(fault.path)),) if fault.is_unquoted else ()
                findings.append(error_finding("field-type", fault.reason, hint, property=fault.path, fixes=fixes))
    # Of a name in several spellings, each was judged above; from here on one value counts.
    value = documented(value, schema) if is_usable else value
    if is_usable:
        findings.extend(unruly(value, schema))
    if schema == "olm.bundle" and is_usable:
        findings.extend(_objects(value))
    package = _text(value, "name" if schema == "olm.package" else "package")
    if not findings:
        return CheckedBlob(value, origin, schema, package, (), is_usable)
    kind = {"olm.channel": "channel", "olm.bundle": "bundle"}.get(schema)
    location: dict[str, Any] = {"package": package} | ({kind: _text(value, "name")} if kind else {})
    located = tuple(placed(finding, origin, **location) for finding in findings)
    return CheckedBlob(value, origin, schema, package, located, is_usable)


def _is_usual_bundle(value: dict[str, Any]) -> bool:
    """Return whether *value* is a bundle in which the check of single documents finds nothing, as in nearly all.

    One look at each field takes a fifth of the time of the checks, which look at properties once for each rule.
    """
    if value.get("schema") != "olm.bundle" or not _BUNDLE_FIELDS.issuperset(value):
        return False
    for name in ("name", "package", "image"):
        # type() and not isinstance(): decoded JSON has no subclasses, and the comparison is the faster of the two.
        if type(value.get(name)) is not str:
            return False
    properties = value.get("properties")
    if type(properties) is not list or not are_usual_images(value.get("relatedImages", _NO_IMAGES)):
        return False
    for property_ in properties:  # noqa: SIM110 (a generator costs a third more)
        if not is_usual_property(property_):
            return False
    return True


def _is_usual_channel(value: dict[str, Any]) -> bool:
    """Return whether *value* is a channel in which the check of single documents finds nothing, as in nearly all."""
    if value.get("schema") != "olm.channel" or value.keys() != _CHANNEL_FIELDS:
        return False
    entries = value["entries"]
    if type(value["name"]) is not str or type(value["package"]) is not str or type(entries) is not list:
        return False
    for entry in entries:
        if type(entry) is not dict:
            return False
        for field, content in entry.items():
            if field == "skips":
                if type(content) is not list or not _STRINGS.issuperset(map(type, content)):
                    return False
            elif type(content) is not str or not content or field not in _ENTRY_TEXTS:
                return False
    return True


def is_usual_property(property_: Any) -> bool:
    """Return whether *property_* is a property in which the check of single documents finds nothing."""
    if type(property_) is not dict or property_.keys() != _PROPERTY_FIELDS:
        return False
    kind, content = property_["type"], property_["value"]
    if type(kind) is not str or not kind or content is None or kind == BUNDLE_OBJECT:
        return False
    property_type = PROPERTY_TYPES.get(kind)
    return (
        property_type is None
        or type(content) is not dict
        or not property_type.is_flat
        or property_type.names.issuperset(content)
    )


def are_usual_images(images: Any) -> bool:
    """Return whether *images* is a list of images in which the check of single documents finds nothing."""
    if type(images) is not list:
        return False
    for image in images:
        if type(image) is not dict or image.keys() != _IMAGE_FIELDS or not image["image"]:
            return False
        if type(image["image"]) is not str or type(image["name"]) is not str:
            return False
    return True


_BUNDLE_FIELDS: Final = frozenset({"schema", "name", "package", "image", "properties", "relatedImages"})
_PROPERTY_FIELDS: Final = {"type", "value"}
_CHANNEL_FIELDS: Final = {"schema", "name", "package", "entries"}
_ENTRY_TEXTS: Final = frozenset({"name", "replaces", "skipRange"})
_STRINGS: Final = frozenset({str})
_IMAGE_FIELDS: Final = {"name", "image"}
_NO_IMAGES: Final[list[object]] = []


def _text(value: dict[str, Any], name: str) -> str:
    text = named(value, _META).get(name)
    return text if isinstance(text, str) else ""


def _meta(value: dict[str, Any]) -> Iterator[Finding]:
    """Check what all schemas share: a blob has a schema, and no two keys that differ only in letter case."""
    if (same := equal_keys(value)) is not None:
        first, second = map(shortened, same)
        reason = f"the keys {first!r} and {second!r} differ only in case"
        yield error_finding("key-twice", reason, "remove one of them")
    meta = named(value, _META)
    for name in ("schema", "package", "name"):
        if name in meta and not isinstance(meta[name], str):
            hint = QUOTE_IT if isinstance(meta[name], (int, float)) else ""
            fixes = (FieldFix(Edit.QUOTE, path_steps(name)),) if hint else ()
            reason = f"must be a string, not {described(meta[name])}"
            yield error_finding("field-type", reason, hint, property=name, fixes=fixes)
    if not meta.get("schema") and isinstance(meta.get("schema", ""), str):
        yield error_finding(
            "schema-missing",
            "the document has no schema",
            "is this a file of a catalog? an .indexignore file leaves out files that are not",
        )


def _objects(value: dict[str, Any]) -> Iterator[Finding]:
    """Check the manifests inside a bundle: base64 of YAML or JSON."""
    for index, property_ in enumerate(value.get("properties") or ()):
        if not isinstance(property_, dict) or property_.get("type") != BUNDLE_OBJECT:
            continue
        content = property_.get("value")
        wrong = [
            f"{fault.path}: {fault.reason}".lstrip(": ")
            for fault in field_faults(PROPERTY_TYPES[BUNDLE_OBJECT], content)
        ]
        if "value" not in property_:
            wrong = ["the value is missing"]
        data = named(content, _DATA).get("data") if isinstance(content, dict) else None
        if not wrong and isinstance(data, (str, list)):
            # Go fills bytes from a list of numbers, too.
            content_bytes = base64_bytes(data) if isinstance(data, str) else bytes(byte or 0 for byte in data)
            problem = _manifest_fault(content_bytes or b"")
            wrong = [f"data is not YAML or JSON: {problem}"] if problem else []
        for reason in wrong:
            finding = error_finding("bundle-object", reason, "data holds a manifest (YAML or JSON) in base64")
            yield evolve(finding, property=f"properties[{index}] ({BUNDLE_OBJECT})")


def _manifest_fault(data: bytes) -> str:
    """Return what keeps *data* from being YAML or JSON, "" if nothing does."""
    # JSON is tried first: the fast way, and nearly all manifests in catalogs are JSON.
    if data.lstrip().startswith(b"{") and data.count(b"[") + data.count(b"{") < _MANY_BRACKETS:
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            pass
        else:
            return ""
    # Imported here because few catalogs hold manifests in YAML.
    import yaml

    parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    # Only events are read: nothing is built, so neither tags nor aliases (a "billion laughs") can do harm. The first
    # document counts.
    try:
        loader = parser(data)
        try:
            depth = 0
            while (event := loader.get_event()) is not None and not isinstance(event, yaml.DocumentEndEvent):
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                # The parser's work grows with the square of the depth.
                if depth > DEPTH:
                    return f"nested more than {DEPTH} levels deep"
        finally:
            loader.dispose()
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        return shortened(getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable")
    return ""
