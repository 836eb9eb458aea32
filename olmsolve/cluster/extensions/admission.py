"""The API server's verdict on ClusterExtensions and ClusterCatalogs that somebody wrote, in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve import v1
from olmsolve.cluster.extensions.admission_schemas import (
    CATALOG,
    CATALOG_WISH,
    EXPERIMENTAL_EXTENSION,
    EXTENSION,
    FieldSchema,
)
from olmsolve.cluster.go_text import aggregated
from olmsolve.semver import quote

_GROUP: Final = "olm.operatorframework.io"
_CATALOG_KIND: Final = "ClusterCatalog"
# The API server's last line where a value has the wrong form: its rules (CEL) are then not tried, as recorded.
_UNCHECKED: Final = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the"
    " existing errors to complete validation"
)
_LONGEST_LABEL: Final = 63  # of a label's value in Kubernetes
# Kubernetes, "Labels and Selectors": a value is empty, or begins and ends with a letter or digit.
_LABEL_VALUE: Final = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_INT32: Final = 2**31  # the type of `priority` in the schema of the definition


def written_fault(manifest: Mapping[str, Any]) -> str:
    """Return the message with which every API server refuses *manifest*, which somebody wrote; "" where one takes it.

    The experimental feature set has more fields, and later versions need no service account. An object that is on a
    cluster (it has a ``uid``) was taken, and a catalog whose source nobody wrote stands for one that is there.
    """
    metadata, spec = manifest.get("metadata"), manifest.get("spec")
    if isinstance(metadata, Mapping) and metadata.get("uid"):
        return ""
    if manifest.get("kind") == _CATALOG_KIND and isinstance(spec, Mapping | None):
        spec = {"source": {"type": "Image", "image": {"ref": "example.com/catalog:latest"}}, **(spec or {})}
    elif isinstance(spec, Mapping):
        spec = {"serviceAccount": {"name": "default"}, **spec}
    return admission_fault({**manifest, "spec": spec}, experimental=True)


def admission_fault(manifest: Mapping[str, Any], *, experimental: bool = False) -> str:
    """Return the message with which an API server refuses *manifest*; "" if it accepts it.

    *manifest* is a ClusterExtension or a ClusterCatalog. With *experimental*, the cluster has the experimental feature
    set, which knows more fields. A field that is null counts as absent.
    """
    kind = str(manifest.get("kind"))
    metadata = manifest.get("metadata")
    about = metadata if isinstance(metadata, Mapping) else {}
    name = str(about.get("name") or "")
    is_catalog = kind == _CATALOG_KIND
    schema = CATALOG if is_catalog else EXPERIMENTAL_EXTENSION if experimental else EXTENSION
    spec = manifest.get("spec")
    # A ClusterExtension may lack its specification altogether.
    unknown = list(_unknown(spec, schema, "spec")) if spec is not None else []
    if unknown:
        listed = ", ".join(f"unknown field {quote(path)}" for path in unknown)
        return f'{kind} in version "v1" cannot be handled as a {kind}: strict decoding error: {listed}'
    if is_catalog:
        spec = _as_webhook_writes(spec)
        if isinstance(spec, str):
            return spec
    faults = list(_metadata_faults(about, name, is_catalog))
    if spec is not None:
        faults += _value_faults(spec, schema, "spec")
    if not faults:
        return ""
    return f"{kind}.{_GROUP} {quote(name)} is invalid: {aggregated(faults)}"


IMMUTABLE: Final = (
    ("spec", "namespace"),
    ("spec", "serviceAccount", "name"),
    ("spec", "source", "catalog", "packageName"),
)
"""The fields of a ClusterExtension that never change, by the rule ``self == oldSelf`` of its definition."""


def transition_fault(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the message with which an API server refuses to change a ClusterExtension from *before* to *after*.

    It is "" if every immutable field is the same in both, or is missing in one.
    """
    faults = []
    for path in IMMUTABLE:
        old, new = _at(before, path), _at(after, path)
        if isinstance(old, str) and isinstance(new, str) and old != new:
            faults.append(f"{'.'.join(path)}: Invalid value: {quote(new)}: {path[-1]} is immutable")
    if not faults:
        return ""
    metadata = after.get("metadata")
    name = str(metadata.get("name") or "") if isinstance(metadata, Mapping) else ""
    return f"{after.get('kind')}.{_GROUP} {quote(name)} is invalid: {aggregated(faults)}"


def _at(manifest: Mapping[str, Any], path: Sequence[str]) -> object:
    value: object = manifest
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def wish_faults(extension: v1.Extension) -> tuple[str, ...]:
    """Return why no ClusterExtension with the wish *extension* can be written, in the words of an API server."""
    wish: dict[str, Any] = {"packageName": extension.package}
    if extension.version:
        wish["version"] = extension.version
    if extension.channels:
        wish["channels"] = list(extension.channels)
    return tuple(fault for fault in _value_faults(wish, CATALOG_WISH, "spec.source.catalog") if fault != _UNCHECKED)


def _as_webhook_writes(spec: object) -> Mapping[str, Any] | str:
    """Return the *spec* of a catalog as catalogd's webhook leaves it: texts that are missing are empty.

    It returns the webhook's refusal where it cannot read the priority.
    """
    if spec is None:
        spec = {}
    if not isinstance(spec, Mapping):
        return {}
    priority = spec.get("priority")
    # True and False are integers for Python, and no priority for Kubernetes.
    if priority is not None and not (type(priority) is int and -_INT32 <= priority < _INT32):
        said = "string" if isinstance(priority, str) else f"number {priority}"
        return (
            f'admission webhook "inject-metadata-name.{_GROUP}" denied the request: json: cannot unmarshal {said} into'
            " Go struct field ClusterCatalogSpec.spec.priority of type int32"
        )
    source = spec.get("source")
    source_written = (
        {"type": "", **({} if source is None else source)} if isinstance(source, Mapping | None) else source
    )
    if isinstance(source_written, dict) and isinstance(source_written.get("image"), Mapping):
        source_written["image"] = {"ref": "", **source_written["image"]}
    return {**spec, "source": source_written}


def _metadata_faults(about: Mapping[str, Any], name: str, is_catalog: bool) -> Iterator[str]:
    for fault in v1.subdomain_faults(name):
        yield f"metadata.name: Invalid value: {quote(name)}: {fault}"
    labels = about.get("labels")
    values = list(labels.values()) if isinstance(labels, Mapping) else []
    if is_catalog:
        # catalogd's webhook writes the catalog's name into the label olm.operatorframework.io/metadata.name.
        values.append(name)
    for value in values:
        if not isinstance(value, str):
            continue
        if len(value) > _LONGEST_LABEL:
            yield f"metadata.labels: Invalid value: {quote(value)}: must be no more than {_LONGEST_LABEL} bytes"
        elif not re.fullmatch(_LABEL_VALUE, value):
            yield (
                f"metadata.labels: Invalid value: {quote(value)}: a valid label must be an empty string or consist of"
                " alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g."
                f" 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_LABEL_VALUE}')"
            )


def _unknown(value: object, schema: FieldSchema, path: str) -> Iterator[str]:
    if isinstance(value, Mapping) and not schema.is_open:
        for name, content in value.items():
            inner = schema.properties.get(name) or schema.values
            if inner is None:
                yield f"{path}.{name}"
            else:
                yield from _unknown(content, inner, f"{path}.{name}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and schema.items is not None:
        for number, content in enumerate(value):
            yield from _unknown(content, schema.items, f"{path}[{number}]")


def _value_faults(value: object, schema: FieldSchema, path: str) -> list[str]:
    """Return the faults of *value*: of its form, or where that is right of its rules."""
    faults = list(_form_faults(value, schema, path))
    # A number beyond its limits, or an object with too few fields, does not keep the rules from being tried.
    if any("in body should " not in fault for fault in faults):
        return [*faults, _UNCHECKED]
    return faults + list(_rule_faults(value, schema, path))


def _form_faults(value: object, schema: FieldSchema, path: str) -> Iterator[str]:
    kind = _json_type(value)
    if kind != schema.type and not (kind == "integer" and schema.type == "number"):
        yield f"{path}: Invalid value: {quote(kind)}: {path} in body must be of type {schema.type}: {quote(kind)}"
        return
    if isinstance(value, Mapping):
        for name in schema.required:
            if value.get(name) is None:
                yield f"{path}.{name}: Required value"
        for name, content in value.items():
            inner = schema.properties.get(name) or schema.values
            if inner is not None and content is not None:
                yield from _form_faults(content, inner, f"{path}.{name}")
        if len(value) < schema.least_fields:
            least = f"{path} in body should have at least {schema.least_fields} properties"
            yield f"{path}: Invalid value: {len(value)}: {least}"
    elif isinstance(value, str):
        # Kubernetes counts characters (go-openapi, MaxLength), although its message says bytes.
        if schema.longest is not None and len(value) > schema.longest:
            yield f"{path}: Too long: may not be more than {schema.longest} bytes"
        elif schema.enum and value not in schema.enum:
            listed = ", ".join(map(quote, schema.enum))
            yield f"{path}: Unsupported value: {quote(value)}: supported values: {listed}"
    elif isinstance(value, int):
        if schema.least is not None and value < schema.least:
            yield f"{path}: Invalid value: {value}: {path} in body should be greater than or equal to {schema.least}"
        if schema.most is not None and value > schema.most:
            yield f"{path}: Invalid value: {value}: {path} in body should be less than or equal to {schema.most}"
    elif isinstance(value, Sequence) and schema.items is not None:
        if schema.most_items is not None and len(value) > schema.most_items:
            yield f"{path}: Too many: {len(value)}: must have at most {schema.most_items} items"
        for number, content in enumerate(value):
            yield from _form_faults(content, schema.items, f"{path}[{number}]")


def _rule_faults(value: object, schema: FieldSchema, path: str) -> Iterator[str]:
    for rule in schema.rules:
        if message := rule(value):
            shown = f"{quote(value)}: " if isinstance(value, str) else ""
            yield f"{path}: Invalid value: {shown}{message}"
    if isinstance(value, Mapping):
        for name, content in value.items():
            inner = schema.properties.get(name) or schema.values
            if inner is not None and content is not None:
                yield from _rule_faults(content, inner, f"{path}.{name}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and schema.items is not None:
        for number, content in enumerate(value):
            yield from _rule_faults(content, schema.items, f"{path}[{number}]")


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array" if isinstance(value, Sequence) else "null"
