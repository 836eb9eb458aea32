"""The types of fields in file-based catalogs and ClusterServiceVersions: the JSON values that they take, and how Go
writes them.

Field names follow the schemas of OLM's documentation. As in ``opm``, names of fields match in any case, null stands for
an absent value, and unknown fields take any value. :data:`BLOB_TYPES`, :data:`PROPERTY_TYPES`, :data:`RENDERED_CSV`
and :data:`MIGRATED_CSV` at the end are the tables.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked_if_long
from olmsolve.predicates import described, folded, named


@attrs.frozen
class FieldType:
    """A type: *kind* is string, bool, integer, bytes (base64), any, list, map or struct.

    *inner* is the type of the elements of a list or map. *fields* are the types of a struct's fields, each under its
    name and under the form that all its spellings share.
    """

    kind: str
    inner: FieldType | None = None
    fields: Mapping[str, FieldType] = attrs.field(factory=dict)
    names: frozenset[str] = frozenset()
    """The documented names of a struct's fields."""
    always: frozenset[str] = frozenset()
    """The fields of a struct that Go writes even where they are empty."""
    documented: tuple[tuple[str, FieldType, bool], ...] = attrs.field(init=False, repr=False, eq=False)
    """The fields of a struct in their order: name, type, and whether Go writes it even where it is empty."""
    is_flat: bool = attrs.field(init=False)
    """Whether the struct's fields have no fields of their own."""

    @documented.default
    def _in_order(self) -> tuple[tuple[str, FieldType, bool], ...]:
        return tuple((name, field, name in self.always) for name, field in self.fields.items() if name in self.names)

    @is_flat.default
    def _has_no_inner_fields(self) -> bool:
        return not any(field.kind == "struct" or field.inner is not None for field in self.fields.values())


@attrs.frozen
class FieldFault:
    """A wrong value at *path* (``entries[2].skips``). With *is_content* only its text is wrong: it is not base64.

    *is_unquoted*: the value is a number or boolean where a string must be, as YAML reads ``1.0`` without quotes.
    """

    path: str
    reason: str
    is_content: bool = False
    is_unquoted: bool = False


def field_faults(type_: FieldType, value: Any) -> Iterator[FieldFault]:
    """Yield everything in *value* that *type_* does not take, no deeper than *type_* goes."""
    # Nearly all values fit: to see that takes 1.8 µs for a blob of community-prod, to look for the fault 5.6.
    if not fits(type_, value):
        yield from _faults(type_, value, "")


def fits(type_: FieldType, value: Any) -> bool:
    """Return whether *type_* takes *value*, no deeper than *type_* goes."""
    kind = type_.kind
    if value is None or kind == "any":
        return True
    if kind == "string":
        return type(value) is str
    inner = type_.inner
    if kind == "struct":
        if type(value) is not dict:
            return False
        fields = type_.fields
        for key, element in value.items():
            taken = fields.get(key) or fields.get(folded(key))
            # Most fields are texts: without this look, a call for each of them takes 8 % longer in all.
            if taken is None or (type(element) is str and taken.kind == "string"):
                continue
            if not fits(taken, element):
                return False
        return True
    if kind == "list":
        return type(value) is list and (inner is None or _all_fit(inner, checked_if_long(value)))
    if kind == "map":
        return type(value) is dict and (inner is None or _all_fit(inner, value.values()))
    if kind == "bytes":
        return type(value) is str and base64_bytes(value) is not None
    return type(value) is (bool if kind == "bool" else int)


def _all_fit(type_: FieldType, values: Iterable[Any]) -> bool:
    if type_.kind == "string":
        return all(type(value) is str or value is None for value in values)
    # One loop for objects and their fields, without a call for each object: 2.9 instead of 3.4 ms for 1,500 blobs.
    if type_.is_flat and type_.kind == "struct":
        return _all_fit_flat(type_.fields, values)
    for value in values:  # noqa: SIM110 (a generator costs a third more)
        if not fits(type_, value):
            return False
    return True


def _all_fit_flat(fields: Mapping[str, FieldType], values: Iterable[Any]) -> bool:
    """Return whether *values* are objects with these *fields*: properties and images, half of what a catalog holds."""
    for value in values:
        if value is None:
            continue
        if type(value) is not dict:
            return False
        for key, element in value.items():
            taken = fields.get(key) or fields.get(folded(key))
            if taken is None or element is None:
                continue
            kind = taken.kind
            if kind != "any" and not (type(element) is str if kind == "string" else fits(taken, element)):
                return False
    return True


def as_go_writes(type_: FieldType, value: Any, kept: Callable[[Any], Any]) -> Any:
    """Return *value*, which *type_* takes, as Go writes it: the fields that it knows, in its order and letter case.

    Null in place of a text is "", and an empty field is left out unless it is *always* written.
    *kept* writes a value of any type, such as the value of a property.
    """
    kind, inner = type_.kind, type_.inner
    if kind == "struct":
        return _written_struct(type_, value or {}, kept)
    if kind == "string":
        return value or ""
    if kind == "list" and value and inner is not None:
        elements = checked_if_long(value)
        if inner.kind == "struct":
            return [_written_struct(inner, element or {}, kept) for element in elements]
        return [as_go_writes(inner, element, kept) for element in elements]
    if kind == "map" and value and inner is not None:
        # encoding/json sorts the keys of a map, and not the fields of a struct.
        return {key: as_go_writes(inner, value[key], kept) for key in sorted(value)}
    return value or False if kind == "bool" else value


def _written_struct(type_: FieldType, value: Mapping[str, Any], kept: Callable[[Any], Any]) -> dict[str, Any]:
    value = named(value, type_.names)
    made: dict[str, Any] = {}
    for name, field, is_always in type_.documented:
        content, kind = value.get(name), field.kind
        if kind == "string":
            # Most fields are texts: this look spares a call for each of them.
            if content or is_always:
                made[name] = content or ""
        elif kind == "any":
            # Null is written where Go keeps the text of a value.
            if is_always or name in value:
                made[name] = kept(content)
        elif content or is_always or (kind == "struct" and content is not None):
            made[name] = as_go_writes(field, content, kept)
    return made


def _faults(type_: FieldType, value: Any, path: str) -> Iterator[FieldFault]:
    kind = type_.kind
    if value is None or kind == "any":
        return
    if kind == "string":
        if not isinstance(value, str):
            yield _wrong(path, "a string", value)
    elif kind == "struct":
        yield from _struct(type_, value, path)
    elif kind == "list":
        if not isinstance(value, list):
            yield _wrong(path, "a list", value)
        elif type_.inner is not None:
            for number, element in enumerate(value):
                yield from _faults(type_.inner, element, f"{path}[{number}]")
    elif kind == "map":
        if not isinstance(value, dict):
            yield _wrong(path, "an object", value)
        elif type_.inner is not None:
            for key, element in value.items():
                yield from _faults(type_.inner, element, f"{path}.{key}" if path else key)
    elif kind == "bytes":
        yield from _bytes(value, path)
    elif kind == "bool":
        if not isinstance(value, bool):
            yield _wrong(path, "a boolean", value)
    elif not isinstance(value, int) or isinstance(value, bool):
        yield _wrong(path, "an integer", value)


def base64_bytes(text: str) -> bytes | None:
    """Return the bytes of *text*, base64 with padding; line ends do not count. None if it is invalid."""
    packed = text.replace("\n", "").replace("\r", "")
    try:
        # A question mark is not of base64 either, so that no letter outside of ASCII passes.
        return binascii.a2b_base64(packed.encode("ascii", "replace"), strict_mode=True)
    except binascii.Error:
        return None


def _struct(type_: FieldType, value: Any, path: str) -> Iterator[FieldFault]:
    if not isinstance(value, dict):
        yield _wrong(path, "an object", value)
        return
    fields = type_.fields
    for key, element in value.items():
        inner = fields.get(key) or fields.get(folded(key))
        if inner is not None:
            yield from _faults(inner, element, f"{path}.{key}" if path else key)


def _bytes(value: Any, path: str) -> Iterator[FieldFault]:
    if isinstance(value, str):
        if base64_bytes(value) is None:
            yield FieldFault(path, "not base64 (standard alphabet, with padding)", is_content=True)
    elif not isinstance(value, list) or not all(_is_byte(element) for element in value):
        # A list of bytes as numbers passes: Go's decoder takes it too.
        yield _wrong(path, "a string in base64", value)


def _is_byte(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256)


def _wrong(path: str, wanted: str, value: Any) -> FieldFault:
    is_unquoted = wanted == "a string" and isinstance(value, (int, float))
    return FieldFault(path, f"must be {wanted}, not {described(value)}", is_unquoted=is_unquoted)


def _struct_of(*always: str, **fields: FieldType) -> FieldType:
    """Return the type of a struct; an underscore in a keyword stands for the hyphen in a field's name."""
    documented = {name.replace("_", "-"): type_ for name, type_ in fields.items()}
    spelled = documented | {folded(name): type_ for name, type_ in documented.items()}
    return FieldType("struct", fields=spelled, names=frozenset(documented), always=frozenset(always))


def _list_of(type_: FieldType) -> FieldType:
    return FieldType("list", type_)


def _strings(*names: str) -> FieldType:
    """Return the type of a struct of texts, all of which are always written."""
    return _struct_of(*names, **dict.fromkeys(names, _STRING))


_STRING: Final = FieldType("string")
_ANY: Final = FieldType("any")
_TEXTS: Final = _list_of(_STRING)
_TEXT_BY_KEY: Final = FieldType("map", _STRING)

_PROPERTIES: Final = _list_of(_struct_of("type", "value", type=_STRING, value=_ANY))

BLOB_TYPES: Final[Mapping[str, FieldType]] = {
    "olm.package": _struct_of(
        *("schema", "name", "defaultChannel"),
        schema=_STRING,
        name=_STRING,
        defaultChannel=_STRING,
        icon=_struct_of("base64data", "mediatype", base64data=FieldType("bytes"), mediatype=_STRING),
        description=_STRING,
        properties=_PROPERTIES,
    ),
    "olm.channel": _struct_of(
        *("schema", "name", "package", "entries"),
        schema=_STRING,
        name=_STRING,
        package=_STRING,
        entries=_list_of(_struct_of("name", name=_STRING, replaces=_STRING, skips=_TEXTS, skipRange=_STRING)),
        properties=_PROPERTIES,
    ),
    "olm.bundle": _struct_of(
        *("schema", "image"),
        schema=_STRING,
        name=_STRING,
        package=_STRING,
        image=_STRING,
        properties=_PROPERTIES,
        relatedImages=_list_of(_strings("name", "image")),
    ),
    "olm.deprecations": _struct_of(
        *("schema", "package", "entries"),
        schema=_STRING,
        package=_STRING,
        entries=_list_of(
            _struct_of(
                *("reference", "message"),
                reference=_struct_of("schema", schema=_STRING, name=_STRING),
                message=_STRING,
            )
        ),
    ),
}
"""The types of blobs, by schema, with their fields in the order in which ``opm`` writes them."""

_GVK: Final = _strings("group", "version", "kind")
_DESCRIPTORS: Final = _list_of(
    _struct_of("path", path=_STRING, displayName=_STRING, description=_STRING, x_descriptors=_TEXTS, value=_ANY)
)
_API: Final = dict.fromkeys(("displayName", "description"), _STRING) | {
    "resources": _list_of(_strings("name", "kind", "version")),
    **dict.fromkeys(("statusDescriptors", "specDescriptors", "actionDescriptors"), _DESCRIPTORS),
}
_INTEGER: Final = FieldType("integer")
_BOOLEAN: Final = FieldType("bool")


def _roles(type_: FieldType) -> FieldType:
    return _struct_of(owned=_list_of(type_), required=_list_of(type_))


_CRD: Final = ("name", "version", "kind")
_CRDS: Final = _roles(_struct_of(*_CRD, **dict.fromkeys(_CRD, _STRING), **_API))
_SERVICE: Final = ("name", "group", "version", "kind")
_SERVICES: Final = _roles(
    _struct_of(*_SERVICE, **dict.fromkeys((*_SERVICE, "deploymentName"), _STRING), containerPort=_INTEGER, **_API)
)
_ABOUT: Final = {"annotations": _TEXT_BY_KEY, "labels": _TEXT_BY_KEY}
_DESCRIBED: Final = {
    **dict.fromkeys(("description", "displayName", "maturity", "minKubeVersion"), _STRING),
    "installModes": _list_of(_struct_of("type", "supported", type=_STRING, supported=_BOOLEAN)),
    "keywords": _TEXTS,
    "links": _list_of(_struct_of(name=_STRING, url=_STRING)),
    "maintainers": _list_of(_struct_of(name=_STRING, email=_STRING)),
    "nativeAPIs": _list_of(_GVK),
    "provider": _struct_of(name=_STRING, url=_STRING),
}

CSV_METADATA: Final = "olm.csv.metadata"
"""The type of the property that catalogs keep of a ClusterServiceVersion."""

PROPERTY_TYPES: Final[Mapping[str, FieldType]] = {
    "olm.package": _strings("packageName", "version", "release"),
    "olm.package.required": _strings("packageName", "versionRange"),
    "olm.gvk": _GVK,
    "olm.gvk.required": _GVK,
    "olm.bundle.object": _struct_of(data=FieldType("bytes")),
    "olm.channel": _struct_of(channelName=_STRING, priority=_INTEGER),
    CSV_METADATA: _struct_of(
        *("apiServiceDefinitions", "crdDescriptions", "provider"),
        **_ABOUT,
        **_DESCRIBED,
        apiServiceDefinitions=_SERVICES,
        crdDescriptions=_CRDS,
    ),
}
"""The types of properties' values, by the property types that have a meaning to ``opm``; others take any value."""

_NAMED: Final = _struct_of(
    **_ABOUT, **dict.fromkeys(("name", "generateName", "namespace", "creationTimestamp"), _STRING)
)
_CONTAINERS: Final = _list_of(_strings("name", "image"))
_POD: Final = _struct_of(spec=_struct_of(containers=_CONTAINERS, initContainers=_CONTAINERS))
_DEPLOYMENT: Final = _struct_of(name=_STRING, label=_TEXT_BY_KEY, spec=_struct_of(replicas=_INTEGER, template=_POD))
_RULE: Final = _struct_of(
    **dict.fromkeys(("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"), _TEXTS)
)
_PERMISSIONS: Final = _list_of(_struct_of(serviceAccountName=_STRING, rules=_list_of(_RULE)))
_MADE_FROM: Final = {
    "install": _struct_of(
        strategy=_STRING,
        spec=_struct_of(deployments=_list_of(_DEPLOYMENT), permissions=_PERMISSIONS, clusterPermissions=_PERMISSIONS),
    ),
    "relatedImages": _list_of(_strings("name", "image")),
}

RENDERED_CSV: Final = _struct_of(
    metadata=_NAMED,
    spec=_struct_of(
        **_MADE_FROM,
        customresourcedefinitions=_roles(_strings("name", "version", "kind")),
        apiservicedefinitions=_roles(_strings("name", "group", "version", "kind")),
    ),
)
"""The fields of a ClusterServiceVersion that every blob of a bundle is made from, as recorded from ``opm render``."""

MIGRATED_CSV: Final = _struct_of(
    metadata=_NAMED,
    spec=_struct_of(
        **_MADE_FROM,
        **_DESCRIBED,
        **_ABOUT,
        customresourcedefinitions=_CRDS,
        apiservicedefinitions=_SERVICES,
        replaces=_STRING,
        skips=_TEXTS,
        icon=_list_of(_strings("base64data", "mediatype")),
        selector=_struct_of(
            matchLabels=_TEXT_BY_KEY,
            matchExpressions=_list_of(_struct_of(key=_STRING, operator=_STRING, values=_TEXTS)),
        ),
        cleanup=_struct_of(enabled=_BOOLEAN),
        webhookdefinitions=_list_of(
            _struct_of(generateName=_STRING, type=_STRING, deploymentName=_STRING, containerPort=_INTEGER)
        ),
    ),
)
"""The fields that ``opm`` decodes once it keeps an ``olm.csv.metadata``: a wrong type is an error, as recorded."""
