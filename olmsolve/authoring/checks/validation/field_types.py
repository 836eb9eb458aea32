"""The types of fields in file-based catalogs: which JSON values a known schema or property takes.

Field names follow the schemas of OLM's documentation. As in ``opm``, they are told apart without regard to case, null
stands for an absent value, and fields that are not known take anything.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from olmsolve.predicates import described

__all__ = ["BLOBS", "PROPERTIES", "FieldFault", "FieldType", "decoded", "faults", "field", "has"]

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9+/=]")


@attrs.frozen
class FieldType:
    """A type: *kind* is string, bool, integer, bytes (base64), any, list, map or struct.

    *inner* is the type of the elements of a list or map; *fields* are those of a struct, by name and by folded name.
    """

    kind: str
    inner: FieldType | None = None
    fields: Mapping[str, FieldType] = attrs.field(factory=dict)


@attrs.frozen
class FieldFault:
    """At *path* (``entries[2].skips``) is what cannot be there; *is_content*: the type is right, the text not."""

    path: str
    reason: str
    is_content: bool = False


def field(value: Mapping[str, Any], name: str) -> Any:
    """The field *name* of *value*, in any case; None where it is absent."""
    if name in value:
        return value[name]
    folded = name.casefold()
    return next((found for key, found in value.items() if key.casefold() == folded), None)


def has(value: Mapping[str, Any], name: str) -> bool:
    """Whether the field *name* is there, in any case and were it null."""
    return name in value or any(key.casefold() == name.casefold() for key in value)


def faults(shape: FieldType, value: Any, path: str = "") -> Iterator[FieldFault]:
    """Everything in *value* that *shape* does not take. Goes no deeper than the shape does."""
    # Nearly all values fit, and to see that costs a fraction of telling where they do not.
    if not _fits(shape, value):
        yield from _faults(shape, value, path)


def _fits(shape: FieldType, value: Any) -> bool:
    kind = shape.kind
    if value is None or kind == "any":
        return True
    if kind == "string":
        return type(value) is str
    inner = shape.inner
    if kind == "struct":
        if type(value) is not dict:
            return False
        fields = shape.fields
        for key, element in value.items():
            taken = fields.get(key) or fields.get(key.casefold())
            # Most fields are texts.
            if taken is None or (type(element) is str and taken.kind == "string"):
                continue
            if not _fits(taken, element):
                return False
        return True
    if kind == "list":
        return type(value) is list and (inner is None or _all_fit(inner, value))
    if kind == "map":
        return type(value) is dict and (inner is None or _all_fit(inner, value.values()))
    if kind == "bytes":
        return type(value) is str and decoded(value) is not None
    return type(value) is (bool if kind == "bool" else int)


def _all_fit(shape: FieldType, values: Iterable[Any]) -> bool:
    if shape.kind == "string":
        return all(type(value) is str or value is None for value in values)
    for value in values:  # noqa: SIM110 (a generator costs a third more)
        if not _fits(shape, value):
            return False
    return True


def _faults(shape: FieldType, value: Any, path: str) -> Iterator[FieldFault]:
    kind = shape.kind
    if value is None or kind == "any":
        return
    if kind == "string":
        if not isinstance(value, str):
            yield _wrong(path, "a string", value)
    elif kind == "struct":
        yield from _struct(shape, value, path)
    elif kind == "list":
        if not isinstance(value, list):
            yield _wrong(path, "a list", value)
        elif shape.inner is not None:
            for number, element in enumerate(value):
                yield from _faults(shape.inner, element, f"{path}[{number}]")
    elif kind == "map":
        if not isinstance(value, dict):
            yield _wrong(path, "an object", value)
        elif shape.inner is not None:
            for key, element in value.items():
                yield from _faults(shape.inner, element, f"{path}.{key}" if path else key)
    elif kind == "bytes":
        yield from _bytes(value, path)
    elif kind == "bool":
        if not isinstance(value, bool):
            yield _wrong(path, "a boolean", value)
    elif not isinstance(value, int) or isinstance(value, bool):
        yield _wrong(path, "an integer", value)


def decoded(text: str) -> bytes | None:
    """The bytes of *text* in base64 with padding, where line ends do not count; None where it is not that."""
    packed = text.replace("\n", "").replace("\r", "")
    if _ILLEGAL.search(packed):
        return None
    try:
        return binascii.a2b_base64(packed.encode(), strict_mode=True)
    except binascii.Error:
        return None


def _struct(shape: FieldType, value: Any, path: str) -> Iterator[FieldFault]:
    if not isinstance(value, dict):
        yield _wrong(path, "an object", value)
        return
    fields = shape.fields
    for key, element in value.items():
        inner = fields.get(key) or fields.get(key.casefold())
        if inner is not None:
            yield from _faults(inner, element, f"{path}.{key}" if path else key)


def _bytes(value: Any, path: str) -> Iterator[FieldFault]:
    if isinstance(value, str):
        if decoded(value) is None:
            yield FieldFault(path, "not base64 (standard alphabet, with padding)", is_content=True)
    elif not isinstance(value, list) or not all(_is_byte(element) for element in value):
        # Go's decoder takes a list of numbers for bytes too.
        yield _wrong(path, "a string in base64", value)


def _is_byte(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256)


def _wrong(path: str, wanted: str, value: Any) -> FieldFault:
    return FieldFault(path, f"must be {wanted}, not {described(value)}")


def _struct_of(**fields: FieldType) -> FieldType:
    """A struct; an underscore in a keyword stands for the hyphen in a name."""
    named = {name.replace("_", "-"): shape for name, shape in fields.items()}
    return FieldType("struct", fields={name.casefold(): shape for name, shape in named.items()} | named)


def _list_of(shape: FieldType) -> FieldType:
    return FieldType("list", shape)


def _strings(*names: str) -> FieldType:
    return _struct_of(**dict.fromkeys(names, _STRING))


_STRING: Final = FieldType("string")
_ANY: Final = FieldType("any")
_TEXTS: Final = _list_of(_STRING)
_TEXT_BY_KEY: Final = FieldType("map", _STRING)

_PROPERTIES: Final = _list_of(_struct_of(type=_STRING, value=_ANY))

BLOBS: Final[Mapping[str, FieldType]] = {
    "olm.package": _struct_of(
        schema=_STRING,
        name=_STRING,
        defaultChannel=_STRING,
        description=_STRING,
        icon=_struct_of(base64data=FieldType("bytes"), mediatype=_STRING),
        properties=_PROPERTIES,
    ),
    "olm.channel": _struct_of(
        schema=_STRING,
        name=_STRING,
        package=_STRING,
        entries=_list_of(_struct_of(name=_STRING, replaces=_STRING, skips=_TEXTS, skipRange=_STRING)),
        properties=_PROPERTIES,
    ),
    "olm.bundle": _struct_of(
        schema=_STRING,
        name=_STRING,
        package=_STRING,
        image=_STRING,
        properties=_PROPERTIES,
        relatedImages=_list_of(_strings("name", "image")),
    ),
    "olm.deprecations": _struct_of(
        schema=_STRING,
        package=_STRING,
        entries=_list_of(_struct_of(reference=_strings("schema", "name"), message=_STRING)),
    ),
}
"""The known schemas."""

_GVK: Final = _strings("group", "version", "kind")
_DESCRIPTORS: Final = _list_of(
    _struct_of(path=_STRING, displayName=_STRING, description=_STRING, x_descriptors=_TEXTS, value=_ANY)
)
_API: Final = dict.fromkeys(("name", "version", "kind", "displayName", "description"), _STRING) | {
    "resources": _list_of(_strings("name", "version", "kind")),
    "specDescriptors": _DESCRIPTORS,
    "statusDescriptors": _DESCRIPTORS,
}
_CRDS: Final = _list_of(_struct_of(**_API, actionDescriptors=_DESCRIPTORS))
_API_SERVICES: Final = _list_of(
    _struct_of(
        **_API,
        group=_STRING,
        deploymentName=_STRING,
        containerPort=FieldType("integer"),
        actionDescriptors=_DESCRIPTORS,
    )
)

PROPERTIES: Final[Mapping[str, FieldType]] = {
    "olm.package": _strings("packageName", "version", "release"),
    "olm.package.required": _strings("packageName", "versionRange"),
    "olm.gvk": _GVK,
    "olm.gvk.required": _GVK,
    "olm.bundle.object": _struct_of(data=FieldType("bytes")),
    "olm.channel": _struct_of(channelName=_STRING, priority=FieldType("integer")),
    "olm.csv.metadata": _struct_of(
        annotations=_TEXT_BY_KEY,
        apiServiceDefinitions=_struct_of(owned=_API_SERVICES, required=_API_SERVICES),
        crdDescriptions=_struct_of(owned=_CRDS, required=_CRDS),
        description=_STRING,
        displayName=_STRING,
        installModes=_list_of(_struct_of(type=_STRING, supported=FieldType("bool"))),
        keywords=_TEXTS,
        labels=_TEXT_BY_KEY,
        links=_list_of(_strings("name", "url")),
        maintainers=_list_of(_strings("name", "email")),
        maturity=_STRING,
        minKubeVersion=_STRING,
        nativeAPIs=_list_of(_GVK),
        provider=_strings("name", "url"),
    ),
}
"""The values of the property types that have a meaning to ``opm``; other types take any value."""
